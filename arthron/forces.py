"""What can act on a figure in a scene."""

from ._scene.elements import BodyDamping as BodyDamping
from ._scene.elements import Cable as Cable
from ._scene.elements import Frame as Frame
from ._scene.elements import LinkLoad as LinkLoad
from ._scene.elements import PointForce as PointForce
from ._scene.elements import PointToPoint as PointToPoint
from ._scene.elements import SpringDamper as SpringDamper
from ._scene.laws import JointLimit as JointLimit
from ._scene.laws import JointSpring as JointSpring
from ._scene.laws import JointTorque as JointTorque

__all__ = (
    "BodyDamping",
    "Cable",
    "Frame",
    "JointLimit",
    "JointSpring",
    "JointTorque",
    "LinkLoad",
    "PointForce",
    "PointToPoint",
    "SpringDamper",
)
