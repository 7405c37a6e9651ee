"""Spatial algebra over any scalar: floats, NumPy arrays, or traced expressions in a page."""

from ._spatial.inertia import ArticulatedInertia as ArticulatedInertia
from ._spatial.inertia import Inertia as Inertia
from ._spatial.linear_algebra import Ldl as Ldl
from ._spatial.motions import Force as Force
from ._spatial.motions import Forces as Forces
from ._spatial.motions import Motion as Motion
from ._spatial.motions import Subspace as Subspace
from ._spatial.rotation_rates import (
    angular_velocity_of_euler as angular_velocity_of_euler,
)
from ._spatial.rotation_rates import (
    angular_velocity_of_exponential as angular_velocity_of_exponential,
)
from ._spatial.rotation_rates import (
    angular_velocity_of_quaternion as angular_velocity_of_quaternion,
)
from ._spatial.rotation_rates import euler_jacobian as euler_jacobian
from ._spatial.rotation_rates import euler_rates as euler_rates
from ._spatial.rotation_rates import exponential_rates as exponential_rates
from ._spatial.rotation_rates import quaternion_rates as quaternion_rates
from ._spatial.transform import Transform as Transform
from ._spatial.transform import exp_quaternion as exp_quaternion
from ._spatial.transform import exp_se3 as exp_se3
from ._spatial.transform import exp_so3 as exp_so3
from ._spatial.transform import left_jacobian as left_jacobian
from ._spatial.transform import left_jacobian_inverse as left_jacobian_inverse
from ._spatial.transform import log_quaternion as log_quaternion
from ._spatial.transform import log_se3 as log_se3
from ._spatial.transform import log_so3 as log_so3
from ._spatial.transform import quaternion_from_matrix as quaternion_from_matrix
from ._spatial.transform import quaternion_product as quaternion_product
from ._spatial.transform import quaternion_rotation as quaternion_rotation
from ._spatial.transform import rotation as rotation
from ._spatial.vectors import Mat3 as Mat3
from ._spatial.vectors import Vec3 as Vec3
