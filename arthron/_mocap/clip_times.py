"""Poses between frames, and which coordinates are quaternions."""

from __future__ import annotations

import numpy as np

from .._figure.figure import Array
from .._model.model import Model
from .._tree.kinds import Free

WINDOW = 6
"""Frames that a pose between frames is found from."""


def quaternion_slices(model: Model) -> list[slice]:
    """Where quaternions are in the coordinates of a model."""
    found = []
    for name in model.joint_names:
        joint = model.tree.joint[model.joint_number(name)]
        law, place = type(getattr(joint, "law", joint)).__name__, model.slice_q(name)
        if law in ("Ball", "Floating"):
            found.append(slice(place.stop - 4, place.stop))
    return found


def has_free_root(model: Model) -> bool:
    """Whether one body moves freely by position and quaternion, and all others hang on it."""
    return model.bodies[0].joint == Free() and model.tree.parent[1:].count(0) == 1


def resampled(model: Model, q: Array, frames: Array) -> Array:
    """Poses at frames that need not be whole, (n, nq).

    Neighbours are seen from the frame before, as `difference(q[k], q[k + j])`; a polynomial goes
    through them.
    """
    wide = min(WINDOW, len(q))
    k = np.clip(np.floor(frames + 1e-9).astype(int), 0, len(q) - 1)
    first = np.clip(k - (wide // 2 - 1), 0, len(q) - wide)
    away = np.zeros((len(frames), model.nv))
    nodes = np.arange(wide)
    x = frames - first
    for j in nodes:
        others = np.delete(nodes, j)
        weight = np.prod((x[:, None] - others) / (j - others), axis=-1)
        away += weight[:, None] * model.difference(q[k], q[first + j])
    return model.integrate(q[k], away)
