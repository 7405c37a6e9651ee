"""Triangles to samples on NumPy: which triangle each sample of a picture shows."""

from __future__ import annotations

import numpy as np

DEEP = 2**31 - 1
"""Steps of nearness between the farthest and the nearest corner."""


def rasterize(
    corners: np.ndarray, near: np.ndarray, size: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray]:
    """The nearest triangle at each sample, -1 where there is none, and how near it is there.

    Scanlines of all triangles at once: each triangle becomes rows, each row a span of samples, and
    of samples in one place the nearest is kept. Spans on both sides of an edge end at the same
    number, so there is no gap between them.

    Args:
        corners: across and down, in samples, (n, 3, 2); the first sample's middle is (0.5, 0.5).
        near: at each corner, affine between them, the larger the nearer, (n, 3).
        size: width and height; both results are (height, width).
    """
    width, height = size
    shown = np.full((height, width), -1)
    at = corners - 0.5  # middles of samples are whole numbers
    a, b, c = at[:, 0], at[:, 1], at[:, 2]
    first = np.maximum(np.ceil(np.minimum(np.minimum(a, b), c)), 0.0)
    last = np.floor(np.maximum(np.maximum(a, b), c))
    last = np.minimum(last, (width - 1.0, height - 1.0))
    some = np.flatnonzero((first[:, 0] <= last[:, 0]) & (first[:, 1] <= last[:, 1]))
    if not len(some):
        return shown, np.zeros(shown.shape)
    at, near = at[some], near[some]
    order = np.argsort(at[..., 1], 1, kind="stable")  # a above b above c
    (ax, bx, cx), (ay, by, cy) = np.take_along_axis(at, order[..., None], 1).transpose(2, 1, 0)
    na, nb, nc = np.take_along_axis(near, order, 1).T
    area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
    area[area == 0.0] = np.inf  # seen from the edge: as if at one distance
    right = ((nb - na) * (cy - ay) - (nc - na) * (by - ay)) / area
    down = ((nc - na) * (bx - ax) - (nb - na) * (cx - ax)) / area

    top = first[some, 1]
    count = (last[some, 1] - top + 1.0).astype(np.intp)
    k, step = _expand(count)
    y = top[k] + step
    slope = [_slope(bx - ax, by - ay), _slope(cx - bx, cy - by), _slope(cx - ax, cy - ay)]
    lower = y >= by[k]
    long = ax[k] + (y - ay[k]) * slope[2][k]
    short = np.where(lower, bx[k] + (y - by[k]) * slope[1][k], ax[k] + (y - ay[k]) * slope[0][k])
    start = np.maximum(np.ceil(np.minimum(long, short)), 0.0)
    stop = np.minimum(np.floor(np.maximum(long, short)), width - 1.0)
    count = np.maximum(stop - start + 1.0, 0.0).astype(np.intp)
    least, most = near.min(), near.max()
    unit = DEEP / (most - least or 1.0)
    deep = unit * (na[k] + right[k] * (start - ax[k]) + down[k] * (y - ay[k]) - least)
    row, step = _expand(count)
    deep = deep[row] + (unit * right)[k][row] * step
    np.clip(deep, 0.0, DEEP, out=deep)
    key = (deep.astype(np.int64) << 32) | some[k][row]
    place = (y * width + start).astype(np.intp)[row] + step
    np.maximum.at(shown.reshape(-1), place, key)
    return np.where(shown < 0, -1, shown & 0xFFFFFFFF), least + (shown >> 32) / unit


def _expand(count: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The number of each thing as often as it counts, and which time it is."""
    which = np.repeat(np.arange(len(count)), count)
    return which, np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)


def _slope(across: np.ndarray, down: np.ndarray) -> np.ndarray:
    return across / np.maximum(down, 1e-30)  # of level edges the first point alone is asked for


def in_front(corners: np.ndarray, nearest: float) -> tuple[np.ndarray, np.ndarray]:
    """Triangles cut off where they come too near or behind, and which one each is of.

    Args:
        corners: as the camera sees them: right, down and away, (n, 3, 3).
        nearest: what is nearer is cut off.
    """
    which = np.arange(len(corners))
    inside = corners[..., 2] >= nearest
    whole = inside.all(1)
    if whole.all():
        return corners, which
    found, numbers = [corners[whole]], [which[whole]]
    for k in (1, 2):  # corners that are in front
        some = np.flatnonzero(inside.sum(1) == k)
        alone = np.argmax(inside[some] == (k == 1), 1)
        a, b, c = (corners[some, (alone + j) % 3] for j in range(3))
        ab, ac = (a + (p - a) * ((nearest - a[:, 2:]) / (p[:, 2:] - a[:, 2:])) for p in (b, c))
        pieces = ((a, ab, ac),) if k == 1 else ((ab, b, c), (ab, c, ac))
        found += [np.stack(piece, 1) for piece in pieces]
        numbers += [some] * len(pieces)
    return np.concatenate(found), np.concatenate(numbers)
