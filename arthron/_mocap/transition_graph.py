"""Which frames of clips are alike, so that one can go over into the other there (KGP02)."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import NamedTuple

import numpy as np

from .._figure.figure import Array
from .._spacetime.bsplines import Indices
from ..errors import ModelError, ShapeError
from .clip import Clip

AROUND = 0.1
"""A frame is compared with that so long before and after it, which tells velocity [s]."""


class Join(NamedTuple):
    """Two frames at which one clip can go over into another.

    Attributes:
        before: number of the clip that is left.
        leave: the frame at which it is.
        after: number of the clip that is entered.
        enter: the frame at which it is.
        distance: how far bodies are apart, the mean by their mass [m].
    """

    before: int
    leave: int
    after: int
    enter: int
    distance: float


def frame_distances(a: Clip, b: Clip, *, every: float = 0.05) -> tuple[Indices, Indices, Array]:
    """How far apart bodies are in frames of two clips, put on the floor as alike as can be.

    The root of the mean squared distance of body origins, weighted by mass, at a frame and 0.1 s
    before and after it, after the turn about the vertical and the way along the floor that make it
    least (KGP02).

    Args:
        a: a clip.
        b: another of the same figure.
        every: how far frames that are compared are apart [s].

    Returns:
        frames of a, frames of b, and distances (frames of a, frames of b) [m].
    """
    clouds = [_clouds(clip, every) for clip in (a, b)]
    (rows, p), (columns, q) = clouds
    m = np.tile(_masses(a), 3)
    P, Q = p * m[:, None], q
    flat = [x.reshape(len(x), -1) for x in (P, Q)]
    inner = flat[0] @ flat[1].T  # x x' + y y' + z z'
    height = P[..., 2] @ Q[..., 2].T
    across = P[..., 0] @ Q[..., 1].T - P[..., 1] @ Q[..., 0].T
    own = [np.einsum("fpc,fpc,p->f", x, x, m) for x in (p, q)]
    best = np.hypot(inner - height, across) + height
    squared = own[0][:, None] + own[1] - 2.0 * best
    return rows, columns, np.sqrt(np.maximum(squared, 0.0))


def transition_graph(
    clips: Sequence[Clip], *, nearest: float = 0.1, every: float = 0.05, apart: float = 0.3
) -> list[Join]:
    """Frames at which clips of a library go over into each other cheaply, the best first.

    They are those whose distance is less than that of all others near them. A clip can go over
    into itself, further back or on.

    Args:
        clips: of one figure.
        nearest: distances up to this one count [m].
        every: how far frames that are compared are apart [s].
        apart: joins of the same two clips are at least so long apart, and so are the frames of a
            clip that goes over into itself [s].
    """
    clips = [] if isinstance(clips, Clip) else [*clips]
    if not clips or not all(isinstance(clip, Clip) for clip in clips):
        raise ModelError("a transition graph is of `ar.mocap.Clip`s. Give a list of one or more.")
    for name, x in (("nearest", nearest), ("every", every), ("apart", apart)):
        if not isinstance(x, Real) or not 0.0 < x < np.inf:
            raise ShapeError(f"`{name}` is {x!r}. Give a number above 0.")
    if any(clip.model.joint_names != clips[0].model.joint_names for clip in clips):
        raise ModelError(
            "clips of a transition graph are of one figure. Bring them to one: "
            "`clip.retargeted(model)`."
        )
    found = []
    reach = max(1, round(apart / every))
    for i, a in enumerate(clips):
        for j, b in enumerate(clips):
            rows, columns, D = frame_distances(a, b, every=every)
            if i == j:
                close = np.abs(rows[:, None] - columns) < apart * a.rate
                D = np.where(close, np.inf, D)
            least = _least_around(D, reach)
            for r, c in zip(*np.nonzero((least == D) & (nearest >= D)), strict=True):
                found.append(Join(i, int(rows[r]), j, int(columns[c]), float(D[r, c])))
    return sorted(found, key=lambda join: join.distance)


def _masses(clip: Clip) -> Array:
    """Of each body, its part of all at three times."""
    m = np.maximum(clip.model.inertial_parameters()[::10], 0.0)
    return m / (3.0 * m.sum())


def _clouds(clip: Clip, every: float) -> tuple[Indices, Array]:
    """Frames, and where bodies are about them from their mean along the floor, (n, points, 3)."""
    wide, step = max(1, round(AROUND * clip.rate)), max(1, round(every * clip.rate))
    frames = np.arange(wide, len(clip) - wide, step)
    if not len(frames):
        raise ShapeError(f"{clip!r} is too short: {2 * wide + 1} frames are the least.")
    p = clip.model.body_poses(clip.q)[..., :3, 3]
    cloud = np.concatenate([p[frames + k] for k in (-wide, 0, wide)], 1)
    cloud[..., :2] -= np.einsum("fpc,p->fc", cloud[..., :2], np.tile(_masses(clip), 3))[:, None]
    return frames, cloud


def _least_around(D: Array, reach: int) -> Array:
    """The least of each square about an entry."""
    found = np.pad(D, reach, constant_values=np.inf)
    for axis in (0, 1):
        windows = np.lib.stride_tricks.sliding_window_view(found, 2 * reach + 1, axis=axis)
        found = windows.min(-1)
    return found
