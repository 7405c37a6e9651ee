"""Between angular velocity and rates of the coordinates of a rotation (Gamma of G13 33).

A rotation R takes vectors from the axes of a body to those of its parent. Its angular velocity w is
seen in the body's own axes ("local", R^T dR/dt = [w]) or in the parent's ("parent",
dR/dt R^T = [w]).
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import JointError, nearest
from .linear_algebra import solve3
from .scalar import Scalar, divide
from .transform import left_jacobian, left_jacobian_inverse, quaternion_product, rotation
from .vectors import Mat3, Vec3

AXES = dict(zip("xyz", Mat3.identity(), strict=True))
SIDES = ("local", "parent")


def quaternion_rates(q: Sequence[Scalar], w: Sequence[Scalar], axes: str = "local") -> tuple:
    """dq/dt = q (0, w) / 2, or (0, w) q / 2 in parent axes; a quaternion keeps its length."""
    pair = (q, (0.0, *w)) if _local(axes) else ((0.0, *w), q)
    return tuple(0.5 * x for x in quaternion_product(*pair))


def angular_velocity_of_quaternion(
    q: Sequence[Scalar], rates: Sequence[Scalar], axes: str = "local"
) -> Vec3:
    """The vector part of 2 q* dq/dt / |q|^2, or 2 dq/dt q* / |q|^2 in parent axes.

    What the rates do to the length of q does not count.
    """
    a, x, y, z = q
    back = (a, -x, -y, -z)
    pair = (back, rates) if _local(axes) else (rates, back)
    _, *turn = quaternion_product(*pair)
    return Vec3(*turn) * divide(2.0, a * a + x * x + y * y + z * z)


def exponential_rates(r: Sequence[Scalar], w: Sequence[Scalar], axes: str = "local") -> Vec3:
    """dr/dt of a rotation vector r; large near |r| = 2 pi, 4 pi, ..., where it is singular."""
    sign = -1.0 if _local(axes) else 1.0
    return left_jacobian_inverse(Vec3(*r) * sign) @ Vec3(*w)


def angular_velocity_of_exponential(
    r: Sequence[Scalar], rates: Sequence[Scalar], axes: str = "local"
) -> Vec3:
    """J dr/dt: J = 1 + c_2 [r] + c_3 [r]^2 in parent axes (LJ12 54), of -r in local (S19 2.44)."""
    sign = -1.0 if _local(axes) else 1.0
    return left_jacobian(Vec3(*r) * sign) @ Vec3(*rates)


def euler_jacobian(angles: Sequence[Scalar], sequence: str = "xyz", axes: str = "local") -> Mat3:
    """J with w = J d(angles)/dt of R = R_1 R_2 R_3: the axes of the three turns.

    a_1, R_1 a_2, R_1 R_2 a_3 in parent axes (LJ12 52), R_3^T R_2^T a_1, R_3^T a_2, a_3 in local
    ones.
    """
    a1, a2, a3 = euler_axes(sequence)
    first, second, third = angles
    if _local(axes):
        back = rotation(a3, -third)
        return Mat3(back @ (rotation(a2, -second) @ a1), back @ a2, a3).T
    ahead = rotation(a1, first)
    return Mat3(a1, ahead @ a2, ahead @ (rotation(a2, second) @ a3)).T


def euler_rates(
    angles: Sequence[Scalar], w: Sequence[Scalar], sequence: str = "xyz", axes: str = "local"
) -> Vec3:
    """J^-1 w of `euler_jacobian`.

    Singular where the first and the third axis line up: rates grow without bounds towards there,
    and are infinite or NaN where J is singular to the last digit.
    """
    return solve3(euler_jacobian(angles, sequence, axes), Vec3(*w))


def angular_velocity_of_euler(
    angles: Sequence[Scalar], rates: Sequence[Scalar], sequence: str = "xyz", axes: str = "local"
) -> Vec3:
    """J d(angles)/dt of `euler_jacobian`."""
    return euler_jacobian(angles, sequence, axes) @ Vec3(*rates)


def euler_axes(sequence: str) -> tuple[Vec3, Vec3, Vec3]:
    """The axes of three turns, such as "xyz" or "zxz"."""
    s = sequence
    if not isinstance(s, str) or len(s) != 3 or not set(s) <= set(AXES) or s[1] in (s[0], s[2]):
        raise JointError(
            f"Euler sequence {s!r} is not known. Give three letters of x, y, z with no two "
            'neighbours alike, such as "xyz", "zyx" or "zxz".'
        )
    return AXES[s[0]], AXES[s[1]], AXES[s[2]]


def _local(axes: str) -> bool:
    if axes not in SIDES:
        raise JointError(
            f"`axes` is {axes!r}. The angular velocity is in the body's own axes, 'local', or in "
            f"those it turns in, 'parent'.{nearest(axes, SIDES)}"
        )
    return axes == "local"
