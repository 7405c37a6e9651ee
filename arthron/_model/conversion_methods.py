"""Methods that convert between bodies, each by itself, and joints (LJ12 §6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from .._algorithms import force_conversion, pose_conversion, velocity_conversion
from .._figure.figure import Array
from ..errors import ModelError
from .computed import bound_page, computed_by

if TYPE_CHECKING:
    from .model import Model

Pair = tuple[Array, Array]


def generalized_coordinates(
    self: Model, poses: ArrayLike, near: ArrayLike | None = None, *, out: Pair | None = None
) -> Pair:
    """(q, residual) from the pose of each body in the world, (..., nq) and (..., nb, 6).

    The residual is the twist, in the body's axes, from the given pose to where the joints put the
    body: zero where the figure can be so, NaN where a matrix is far from a rotation.

    Args:
        poses: as `body_poses` gives them, (..., nb, 4, 4).
        near: coordinates among which to choose where a joint has several for a pose (angles a turn
            apart, quaternions of either sign), and from which custom, spline and composite joints
            are searched for; the neutral ones when left out.
        out: where to put the results.
    """
    page = pose_conversion.generalized_coordinates
    function = bound_page(self, "generalized_coordinates", page, {})
    near = self.neutral().astype(_precision(poses)) if near is None else near
    return function(poses, near, out=out)


@computed_by(velocity_conversion.generalized_velocities)
def generalized_velocities(
    self: Model, q: ArrayLike, velocities: ArrayLike, *, out: Pair | None = None
) -> Pair:
    """(qd, residual) from the twist of each body in its own axes, (..., nv) and (..., nb, 6).

    The residual is what the joints make of them less what was given: zero where the figure can
    move in that way.
    """
    ...


def generalized_velocities_least_squares(
    self: Model,
    q: ArrayLike,
    velocities: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    out: Pair | None = None,
) -> Pair:
    """(qd, residual) with all bodies together as close to given twists as joints allow.

    Args:
        q: coordinates.
        velocities: the twist of each body in its own axes, (..., nb, 6).
        weights: of each of these numbers, (..., nb, 6); all one when left out. Numbers of weight
            zero are not read: the velocities of some links, or any nv independent numbers, do.
        out: where to put the results.
    """
    weights = np.ones((self.nb, 6), _precision(q, velocities)) if weights is None else weights
    if np.any(np.asarray(weights) < 0):
        raise ModelError(
            "some `weights` are negative. Give numbers above zero, and zero for what is not known."
        )
    page = velocity_conversion.generalized_velocities_least_squares
    function = bound_page(self, "generalized_velocities_least_squares", page, {})
    return function(q, velocities, weights, out=out)


@computed_by(velocity_conversion.joint_jacobians)
def joint_jacobians(self: Model, q: ArrayLike, *, out: Array | None = None) -> Array:
    """Matrices that take `qd` to each body's twist against its parent, (..., nb, 6, nv).

    [angular; linear] at the body's origin, in the axes of the parent; zero but in the columns of
    the body's own joint.
    """
    ...


@computed_by(force_conversion.generalized_forces)
def generalized_forces(
    self: Model,
    q: ArrayLike,
    forces: ArrayLike,
    torques: ArrayLike,
    points: ArrayLike,
    *,
    out: Array | None = None,
) -> Array:
    """Joint forces that a force at a point and a torque on each body amount to, (..., nv).

    Forces and torques are in world axes, points in the body's frame; all (..., nb, 3).
    """
    ...


@computed_by(force_conversion.cartesian_forces)
def cartesian_forces(self: Model, q: ArrayLike, Q: ArrayLike, *, out: Array | None = None) -> Array:
    """Least forces on the bodies that amount to joint forces `Q`, (..., nb, 6).

    [torque; force] at each centre of mass in world axes.
    """
    ...


@computed_by(force_conversion.cartesian_forces_at)
def cartesian_forces_at(
    self: Model, q: ArrayLike, Q: ArrayLike, points: ArrayLike, *, out: Pair | None = None
) -> Pair:
    """Least (forces, torques) that amount to joint forces `Q`, with forces at known points.

    Forces are at `points` of the bodies, in world axes, torques those that each joint exerts on its
    body, in the parent's axes, which feels the opposite; all (..., nb, 3), points in body frames.
    """
    ...


@computed_by(force_conversion.joint_torques)
def joint_torques(self: Model, q: ArrayLike, Q: ArrayLike, *, out: Array | None = None) -> Array:
    """Least [torque; force] that each joint exerts to make joint forces `Q`, (..., nb, 6).

    On the body at its origin, in the parent's axes; the parent feels the opposite.
    """
    ...


@computed_by(force_conversion.body_torques)
def body_torques(
    self: Model, q: ArrayLike, torques: ArrayLike, *, out: Array | None = None
) -> Array:
    """What bodies feel of a [torque; force] at each joint, laid out as by `joint_torques`.

    [torque; force] at each centre of mass in world axes, as by `cartesian_forces`, (..., nb, 6).
    """
    ...


@computed_by(force_conversion.generalized_forces_of_joints)
def generalized_forces_of_joints(
    self: Model, q: ArrayLike, torques: ArrayLike, *, out: Array | None = None
) -> Array:
    """Joint forces of a [torque; force] at each joint, laid out as by `joint_torques`."""
    ...


def _precision(*given: ArrayLike) -> type:
    """That of what is left out: single if all that is given is."""
    single = all(getattr(x, "dtype", None) == np.float32 for x in given)
    return np.float32 if single else np.float64
