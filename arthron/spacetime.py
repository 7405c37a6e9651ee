"""Motion as the answer: say what has to hold when, and get the motion that costs least (WK88)."""

from ._spacetime.bsplines import Knots as Knots
from ._spacetime.control_costs import QuadraticCost as QuadraticCost
from ._spacetime.control_problem import ControlProblem as ControlProblem
from ._spacetime.motion_conditions import Apart as Apart
from ._spacetime.motion_conditions import Clear as Clear
from ._spacetime.motion_conditions import Keyframe as Keyframe
from ._spacetime.motion_conditions import Periodic as Periodic
from ._spacetime.motion_conditions import Require as Require
from ._spacetime.motion_conditions import TorqueLimits as TorqueLimits
from ._spacetime.motion_conditions import VelocityLimits as VelocityLimits
from ._spacetime.motion_conditions import Waypoint as Waypoint
from ._spacetime.motion_costs import Cost as Cost
from ._spacetime.motion_costs import Near as Near
from ._spacetime.motion_costs import Power as Power
from ._spacetime.motion_costs import Smoothness as Smoothness
from ._spacetime.motion_costs import TorqueEnergy as TorqueEnergy
from ._spacetime.motion_phase import Foothold as Foothold
from ._spacetime.motion_phase import Phase as Phase
from ._spacetime.motion_problem import MotionProblem as MotionProblem
from ._spacetime.optimal_control import OptimalControl as OptimalControl
from ._spacetime.optimal_motion import OptimalMotion as OptimalMotion
from ._spacetime.splined_motion import SplineMotion as SplineMotion
