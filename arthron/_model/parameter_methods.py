"""Methods about what may be identified: inertias, placements, friction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from .._algorithms import regressor as pages
from .._figure.figure import Array
from .computed import computed_by

if TYPE_CHECKING:
    from .model import Model


def inertial_parameters(self: Model) -> Array:
    """Ten numbers per body, (10 nb,): m, m c, and I about the frame's origin.

    In the order m, mcx, mcy, mcz, xx, yy, zz, xy, xz, yz, the bodies one after the other.
    """
    return np.array(pages.inertial_parameters(self.tree))


def joint_parameters(self: Model) -> Array:
    """Armature, viscous and dry friction of each velocity coordinate, (3 nv,)."""
    columns = np.stack([self.armature, self.damping, self.friction], axis=-1)
    for body, follow in zip(self.bodies, self.tree.follow[1:], strict=True):
        if follow:  # what a follower adds at its leader
            k = abs(follow.multiplier)
            at = self.tree.v_start[follow.leader]
            own = [np.ravel(x)[0] for x in (body.armature, body.damping, body.friction)]
            columns[at] += np.array(own) * (k * k, k * k, k)
    return columns.ravel()


def placements(self: Model) -> Array:
    """Pose of the frame before each body's joint in the parent body, (nb, 4, 4)."""
    matrices = [X.matrix() for X in self.tree.Xtree[1:]]
    return np.array(matrices, dtype=float).reshape(self.nb, 4, 4)


@computed_by(pages.regressor)
def regressor(
    self: Model, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, out: Array | None = None
) -> Array:
    """Y with Y @ inertial_parameters() = joint forces without armature, (..., nv, 10 nb)."""
    ...


@computed_by(pages.slotine_li_regressor)
def slotine_li_regressor(
    self: Model,
    q: ArrayLike,
    qd: ArrayLike,
    qd_ref: ArrayLike,
    qdd_ref: ArrayLike,
    *,
    out: Array | None = None,
) -> Array:
    """Y with Y @ inertial_parameters() = M qdd_ref + C qd_ref + g, (..., nv, 10 nb).

    M without armature, and C(q, qd) that of `coriolis_matrix`.
    """
    ...


@computed_by(pages.joint_regressor)
def joint_regressor(
    self: Model, qd: ArrayLike, qdd: ArrayLike, *, out: Array | None = None
) -> Array:
    """Y with Y @ joint_parameters() = forces of armature and friction, (..., nv, 3 nv)."""
    ...
