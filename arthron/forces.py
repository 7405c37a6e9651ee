"""What can act on a figure in a scene."""

from ._scene.element import MovingFrame as MovingFrame
from ._scene.joint_forces import JointLimit as JointLimit
from ._scene.joint_forces import JointSpring as JointSpring
from ._scene.joint_forces import JointTorque as JointTorque
from ._scene.lines import Cable as Cable
from ._scene.lines import Spring as Spring
from ._scene.link_forces import BodyDamping as BodyDamping
from ._scene.link_forces import LinkLoad as LinkLoad
from ._scene.link_forces import PointForce as PointForce
from ._scene.link_forces import PointToPoint as PointToPoint
