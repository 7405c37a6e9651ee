"""Whether a centre of pressure is under the feet that stand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._figure.figure import Array
from .clip_supports import Foot
from .foot_contact import Flags

HEEL = 0.03
"""How far behind the ankle a foot ends at least [m]: skeletons of motion capture have no heels."""
MARGIN = 0.05
"""How far feet reach beyond the ends of their bones [m]: half of a foot's width."""
DIRECTIONS = 24
"""In which a hull is asked for: distances to it come out shorter by 1 % at most."""


def outside_feet(feet: Sequence[Foot], stands: Flags, pressure: Array) -> Flags:
    """Whether the centre of pressure is off the convex hull of all feet that stand, (frames,).

    The distance of a point to a hull is the most that it is ahead of it in any direction:
    max over u of u . p - max over corners c of u . c. Where there is no centre, it is not off.

    Args:
        feet: of the figure.
        stands: which of them stand, (feet, frames).
        pressure: the centre of pressure, (frames, 3).
    """
    turns = np.arange(DIRECTIONS) * (2.0 * np.pi / DIRECTIONS)
    u = np.stack([np.cos(turns), np.sin(turns)])
    hull = np.full((len(pressure), DIRECTIONS), -np.inf)
    for foot, here in zip(feet, stands, strict=True):
        reach = np.maximum.reduce([corner @ u for corner in _print_of(foot)])
        hull = np.where(here[:, None], np.maximum(hull, reach), hull)
    known = np.isfinite(pressure).all(-1) & np.any(stands, axis=0)
    ahead = np.where(known[:, None], pressure[:, :2] @ u - hull, -np.inf)
    return ahead.max(-1) > MARGIN


def _print_of(foot: Foot) -> Array:
    """Ends of a foot's solids and its heel, from above, (points, frames, 2)."""
    xy, ankle = foot.points[..., :2], foot.ankle[:, None, :2]
    farthest = np.argmax(np.linalg.norm(xy - ankle, axis=-1), axis=1)
    ahead = np.take_along_axis(xy, farthest[:, None, None], axis=1) - ankle
    length = np.linalg.norm(ahead, axis=-1, keepdims=True)
    heel = ankle - HEEL * ahead / np.maximum(length, 1e-12)
    return np.moveaxis(np.concatenate([xy, heel], axis=1), 1, 0)
