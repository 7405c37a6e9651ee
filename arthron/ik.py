"""Inverse kinematics: coordinates that bring frames, points or the centre of mass to targets."""

from ._ik.clearance import Clearance as Clearance
from ._ik.closed import Closed as Closed
from ._ik.solve import Solution as Solution
from ._ik.solve import solve as solve
from ._ik.solve import track as track
from ._ik.targets import CenterOfMass as CenterOfMass
from ._ik.targets import LookAt as LookAt
from ._ik.targets import Orientation as Orientation
from ._ik.targets import Placed as Placed
from ._ik.targets import Point as Point
from ._ik.targets import Pose as Pose
from ._ik.targets import Target as Target
