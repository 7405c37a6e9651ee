"""Methods about what may be identified: inertias, placements, friction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from .._algorithms import regressor as pages
from .._figure.figure import Array
from ..errors import ModelError
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
    for i in self.tree.followers:  # what a follower adds at its leader
        body = self.bodies[i - 1]
        own = np.transpose([body.armature, body.damping, body.friction])
        rows = () if not own.any() else _slopes(self, i)
        for each, row in zip(own, rows, strict=False):
            for at, k in row.items():
                columns[at] += each * (k * k, k * k, abs(k))
    return columns.ravel()


def _slopes(model: Model, i: int) -> Sequence[Mapping[int, float]]:
    """How a joint with losses of its own follows one other coordinate."""
    rows = () if model.tree.curved else model.tree.led.slopes[i]
    if model.tree.curved or any(len(row) > 1 for row in rows):
        raise ModelError(
            f"joint {model.bodies[i - 1].joint_name!r} of `{model.name}` has armature, damping or "
            f"friction and follows {model.figure.followed(i)}, not by one number. What it adds "
            "there is none that each coordinate has by itself. Leave them out at joints that "
            "follow others so, or use `model.unreduced()`."
        )
    return rows  # type: ignore[return-value]


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
