"""The state of a figure as engines keep it that know bodies only: each by itself, in the world."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._compile.arguments import broadcast_leads
from .._figure.figure import Array
from .._model.model import Model
from .._spatial.transform import quaternion_from_matrix, quaternion_rotation
from .._spatial.vectors import Mat3, Vec3
from ..errors import ShapeError


class BodyStates(NamedTuple):
    """Where bodies are and how they move, as ODE, PhysX, Bullet and Havok say it.

    All in world axes, with a row for each of `model.body_names`.

    Attributes:
        position: of the centre of mass [m], (..., nb, 3).
        quaternion: (w, x, y, z) of the link's axes, of unit length, (..., nb, 4).
        velocity: of the centre of mass [m/s], (..., nb, 3).
        angular_velocity: [rad/s], (..., nb, 3).
    """

    position: Array
    quaternion: Array
    velocity: Array
    angular_velocity: Array


def to_bodies(model: Model, q: ArrayLike, qd: ArrayLike) -> BodyStates:
    """Bodies of a figure one by one: the maximal coordinates of LJ12 §6."""
    T, v = np.asarray(model.body_poses(q)), np.asarray(model.body_velocities(q, qd))
    R, c = T[..., :3, :3], _centers(model, T.dtype)
    rows = Mat3(*(Vec3(*_columns(R[..., k, :])) for k in range(3)))
    w, lin = v[..., :3], v[..., 3:] + np.cross(v[..., :3], c)
    return BodyStates(
        T[..., :3, 3] + _times(R, c),
        np.stack(quaternion_from_matrix(rows), -1),
        _times(R, lin),
        _times(R, w),
    )


def from_bodies(
    model: Model, state: BodyStates, near: ArrayLike | None = None
) -> tuple[Array, Array]:
    """(q, qd) of bodies one by one; joints take what they allow of it, each by itself.

    `near` as in `Model.generalized_coordinates`, which also says how far bodies are from where
    joints could put them.
    """
    position, quaternion, velocity, w = _together(model, state)
    with np.errstate(all="ignore"):  # zeros are no rotation, and give NaN
        R = np.moveaxis(np.array(quaternion_rotation(*_columns(quaternion))), (0, 1), (-2, -1))
    c, back = _centers(model, R.dtype), np.swapaxes(R, -1, -2)
    T = np.zeros((*R.shape[:-2], 4, 4), R.dtype)
    T[..., :3, :3], T[..., 3, 3] = R, 1.0
    T[..., :3, 3] = position - _times(R, c)
    q, _ = model.generalized_coordinates(T, near)
    own, lin = _times(back, w), _times(back, velocity)
    qd, _ = model.generalized_velocities(q, np.concatenate([own, lin - np.cross(own, c)], -1))
    return q, qd


def _together(model: Model, state: BodyStates) -> list[Array]:
    """All of a state with the same leading axes, in single precision if all of it is."""
    if not isinstance(state, BodyStates):
        raise ShapeError(
            f"`state` is a {type(state).__name__}. Give an `ar.interop.BodyStates(position, "
            "quaternion, velocity, angular_velocity)`; poses alone are for "
            "`model.generalized_coordinates`."
        )
    given = [np.asarray(x) for x in state]
    for name, x, width in zip(state._fields, given, (3, 4, 3, 3), strict=True):
        if x.dtype.kind not in "fiub" or x.shape[-2:] != (model.nb, width):
            came = f"has shape {x.shape}" if x.dtype.kind in "fiub" else f"holds {x.dtype} values"
            raise ShapeError(
                f"`{name}` {came}. Give real numbers, (..., {model.nb}, {width}), a row for each "
                "of `model.body_names`."
            )
    named = zip(state._fields, given, strict=True)
    lead = broadcast_leads({f"`{name}`": x.shape[:-2] for name, x in named})
    dtype = np.float32 if all(x.dtype == np.float32 for x in given) else np.float64
    return [np.broadcast_to(x, (*lead, *x.shape[-2:])).astype(dtype) for x in given]


def _centers(model: Model, dtype: Any) -> Array:
    """Centres of mass of bodies in their own frames, those of links that are merged counted in."""
    return np.array([tuple(I.com()) for I in model.tree.I[1:]], dtype).reshape(-1, 3)


def _columns(x: Array) -> list[Array]:
    """Entries along the last axis."""
    return list(np.moveaxis(x, -1, 0))


def _times(A: Array, x: Array) -> Array:
    return (A @ x[..., None])[..., 0]
