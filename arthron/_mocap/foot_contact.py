"""When the points of a foot touch the ground, by how low they are and how fast."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._figure.figure import Array

Flags = NDArray[Any]
"""Of booleans, frame by frame."""

WINDOW = 0.6
"""Seconds before and after in which the lowest that feet get is the ground, as floors of cameras
tilt."""
SWING = 1.2
"""Seconds before and after in which the fastest that a point gets is its swing."""
LOW = 0.08
"""How far above the lowest that it gets a point is low [m]."""
SLOW = 0.5
"""Below which a point surely does not swing [m/s]."""
MEETING = 0.35
"""Part of the speed of its swing that a point has at most when it meets or leaves the ground."""
RISE = 0.03
"""How far above the lowest of a stance a point still touches, as it rolls [m]."""
STILL = 1e-3
"""Below which a point is held where it is [m/s]: what files with few digits leave of that."""
CREEPING = 0.05
"""Below which a point that is held, before and after, is held between [m/s]: filters do that."""
SHORTEST = 0.05
"""Seconds: a foot neither stands nor is off the ground for less."""


def touches(points: Array, floor: Array, rate: float, height: float, speed: float) -> Flags:
    """Whether each point of a foot touches the ground, (frames, points).

    A point surely stands while it is low and slow. It meets and leaves the ground faster than
    that, heels above all, so that its stance is as long as it is within `RISE` of the lowest of
    this stance and not as fast as in its swing. Where a stance is mostly exact, as in motions that
    were made, only what does not move at all belongs to it.

    Args:
        points: where they are, (frames, points, 3).
        floor: the lowest that feet get about each time, (frames, points).
        rate: frames a second.
        height: above the floor below which a point is low [m].
        speed: below which it is slow [m/s].
    """
    z = points[..., 2]
    low = z < floor + height
    if len(z) < 2:
        return low
    speeds = np.linalg.norm(np.gradient(points, axis=0), axis=-1) * rate
    steps = np.linalg.norm(np.diff(points, axis=0), axis=-1) * rate
    still = np.minimum(np.vstack([steps[:1], steps]), np.vstack([steps, steps[-1:]])) < STILL
    swing = -lowest_about(-speeds, round(SWING * rate))
    sure, likely = low & (speeds < speed), low & (speeds < np.maximum(speed, MEETING * swing))
    found = np.zeros_like(low)
    for k in range(z.shape[1]):
        for run in runs(likely[:, k]):
            stance = sure[run, k]
            if stance.any():
                near = z[run, k] < z[run, k][stance].min() + RISE
                held = without_creeping(still[run, k] & near, speeds[run, k], run, len(z))
                found[run, k] = held if 2 * held.sum() > (stance & near).sum() else near
    return found


def without_creeping(held: Flags, speeds: Array, run: slice, frames: int) -> Flags:
    """Gaps filled in which a held point only creeps: between such parts, and at a clip's ends."""
    found = held.copy()
    for gap in runs(~held):
        before = gap.start > 0 or run.start == 0
        after = gap.stop < len(held) or run.stop == frames
        if before and after and speeds[gap].max() < CREEPING:
            found[gap] = True
    return found


def runs(x: Flags) -> list[slice]:
    """Where frames one after the other are so, as slices."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], x, [False]])))
    return [slice(int(start), int(stop)) for start, stop in edges.reshape(-1, 2)]


def lowest_about(z: Array, reach: int) -> Array:
    """The least of each column among so many frames before and after each frame."""
    found, frames, whole = np.pad(z, ((reach, reach), (0, 0)), mode="edge"), 1, 2 * reach + 1
    while frames < whole:
        step = min(frames, whole - frames)
        found, frames = np.minimum(found[:-step], found[step:]), frames + step
    return found


def without_short_runs(x: Flags, shortest: int) -> Flags:
    """Gaps of less than so many frames filled, and then such runs left out, but at the ends."""
    found = np.array(x, dtype=bool)
    for value in (False, True):
        edges = np.flatnonzero(np.diff(found)) + 1
        for start, stop in pairwise(edges):
            if stop - start < shortest and found[start] == value:
                found[start:stop] = not value
    return found
