"""Methods that say where bodies are and how they move."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from .._algorithms import coordinate_rates as rates
from .._algorithms import jacobian_derivatives, kinematics, products
from .._figure.figure import Array
from .._tree import configuration
from ..errors import ModelError
from .computed import as_point, checked_axes, computed_by, frame_page

if TYPE_CHECKING:
    from .model import Model


@computed_by(kinematics.poses)
def body_poses(self: Model, q: ArrayLike, *, out: Array | None = None) -> Array:
    """Pose of each body in the world, (..., nb, 4, 4)."""
    ...


@computed_by(kinematics.velocities)
def body_velocities(self: Model, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None) -> Array:
    """Twist of each body in its own axes, [angular; linear], (..., nb, 6)."""
    ...


@computed_by(kinematics.accelerations)
def body_accelerations(
    self: Model, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, out: Array | None = None
) -> Array:
    """Spatial acceleration of each body in its own axes, without gravity, (..., nb, 6)."""
    ...


@computed_by(kinematics.jacobians)
def body_jacobians(self: Model, q: ArrayLike, *, out: Array | None = None) -> Array:
    """Matrices that take `qd` to each body's twist in its own axes, (..., nb, 6, nv)."""
    ...


@computed_by(jacobian_derivatives.jacobians_dot)
def body_jacobians_dot(
    self: Model, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None
) -> Array:
    """Rate of change of the body Jacobians, (..., nb, 6, nv)."""
    ...


@computed_by(jacobian_derivatives.jacobians_ddot)
def body_jacobians_ddot(
    self: Model, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, out: Array | None = None
) -> Array:
    """Second rate of change of the body Jacobians, (..., nb, 6, nv)."""
    ...


@computed_by(jacobian_derivatives.jacobians_dq)
def body_jacobians_dq(self: Model, q: ArrayLike, *, out: Array | None = None) -> Array:
    """Derivative of the body Jacobians by q, (..., nb, 6, nv, nv); the last axis is q's."""
    ...


@computed_by(jacobian_derivatives.jacobians_dot_dq)
def body_jacobians_dot_dq(
    self: Model, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None
) -> Array:
    """Derivative of `body_jacobians_dot` by q, (..., nb, 6, nv, nv); the last axis is q's."""
    ...


def frame_pose(self: Model, q: ArrayLike, frame: str, *, out: Array | None = None) -> Array:
    """Pose of a frame in the world, (..., 4, 4)."""
    return frame_page(self, "frame_pose", kinematics.frame_pose, frame, {})(q, out=out)


def frame_velocity(
    self: Model,
    q: ArrayLike,
    qd: ArrayLike,
    frame: str,
    *,
    axes: str = "local",
    out: Array | None = None,
) -> Array:
    """Twist of a frame, [angular; linear], (..., 6).

    `axes` are "local" (at the frame, its own axes), "world_aligned" (at the frame, world axes)
    or "world" (at the world's origin, world axes).
    """
    bound = {"axes": checked_axes(axes)}
    function = frame_page(self, "frame_velocity", kinematics.frame_velocity, frame, bound)
    return function(q, qd, out=out)


def frame_acceleration(
    self: Model,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    frame: str,
    *,
    axes: str = "local",
    classical: bool = False,
    out: Array | None = None,
) -> Array:
    """Acceleration of a frame without gravity, [angular; linear], (..., 6).

    Spatial, or with `classical` the rate of change of the velocity of the frame's origin as a
    point, which differs by w x v. `axes` as in `frame_velocity`; classical ones are local or
    world_aligned.
    """
    if classical and axes == "world":
        raise ModelError(
            "classical acceleration in axes 'world' is that of no point of the frame. Use "
            "'local' or 'world_aligned'."
        )
    bound = {"axes": checked_axes(axes), "classical": classical}
    function = frame_page(self, "frame_acceleration", kinematics.frame_acceleration, frame, bound)
    return function(q, qd, qdd, out=out)


def jacobian(
    self: Model,
    q: ArrayLike,
    frame: str,
    point: ArrayLike = (0.0, 0.0, 0.0),
    *,
    axes: str = "local",
    out: Array | None = None,
) -> Array:
    """Matrix that takes `qd` to the twist of a point fixed in a frame, (..., 6, nv).

    Args:
        q: coordinates.
        frame: a link or any frame that the point is fixed in.
        point: the point in that frame [m].
        axes: "local" (at the point, the frame's axes), "world_aligned" (at the point, world axes),
            or "world" (at the world's origin, world axes).
        out: where to put the result.
    """
    point = as_point(point, q)
    bound = {"axes": checked_axes(axes)}
    function = frame_page(self, "jacobian", kinematics.point_jacobian, frame, bound, point=(3,))
    return function(q, point, out=out)


@computed_by(configuration.integrate)
def integrate(self: Model, q: ArrayLike, dq: ArrayLike, *, out: Array | None = None) -> Array:
    """Coordinates after moving with joint velocity `dq` for unit time, (..., nq)."""
    ...


@computed_by(configuration.difference)
def difference(self: Model, q0: ArrayLike, q1: ArrayLike, *, out: Array | None = None) -> Array:
    """The displacement `dq` with `integrate(q0, dq)` at q1, (..., nv)."""
    ...


@computed_by(rates.coordinate_rates)
def coordinate_rates(
    self: Model, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None
) -> Array:
    """dq/dt, how fast coordinates change when joints move with `qd`, (..., nq)."""
    ...


@computed_by(rates.joint_velocities)
def joint_velocities(
    self: Model, q: ArrayLike, rates: ArrayLike, *, out: Array | None = None
) -> Array:
    """The `qd` of coordinates that change at `rates`, (..., nq): undoes `coordinate_rates`."""
    ...


@computed_by(configuration.normalize)
def normalize(
    self: Model, q: ArrayLike, qd: ArrayLike, *, out: tuple[Array, Array] | None = None
) -> tuple[Array, Array]:
    """The same pose and velocity away from coordinate singularities: (q, qd).

    Quaternions get unit length, rotation vectors beyond 1.5 pi go the short way round, Euler
    angles with charts change charts near a singularity. Other joints are left alone.
    """
    ...


@computed_by(products.jacobian_product)
def jacobian_product(self: Model, q: ArrayLike, x: ArrayLike, *, out: Array | None = None) -> Array:
    """J x of all body Jacobians at once, without making them, (..., nb, 6)."""
    ...


@computed_by(products.jacobian_dot_product)
def jacobian_dot_product(
    self: Model, q: ArrayLike, qd: ArrayLike, x: ArrayLike, *, out: Array | None = None
) -> Array:
    """dJ/dt x of all body Jacobians at once, without making them, (..., nb, 6)."""
    ...


@computed_by(products.jacobian_transpose_product)
def jacobian_transpose_product(
    self: Model, q: ArrayLike, y: ArrayLike, *, out: Array | None = None
) -> Array:
    """Sum of J^T y: joint forces of a wrench on each body, in its axes, (..., nv)."""
    ...
