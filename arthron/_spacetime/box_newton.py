"""A quadratic program within a box, by projected Newton steps (TMT14)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dposv  # type: ignore[attr-defined]

Array = np.ndarray
MOST, SHARE, SHORTEST = 50, 0.1, 1e-12
"""Steps, part of the decrease that a step is to make, and how short it may become for that."""


class BoxMinimum(NamedTuple):
    """Where a quadratic function is least within a box.

    Attributes:
        x: there.
        free: which unknowns no bound holds.
    """

    x: Array
    free: Array


def box_newton(H: Array, g: Array, least: Array, most: Array, x: Array) -> BoxMinimum:
    """The least of x H x / 2 + g x with least <= x <= most.

    Args:
        H: its matrix, positive definite.
        g: its slope at zero.
        least: lower bounds.
        most: upper ones.
        x: where the search begins.
    """
    x = np.clip(x, least, most)
    size = np.abs(g).max() + np.abs(H).max() * SHORTEST
    free = np.ones(len(x), bool)
    for _ in range(MOST):
        slope = H @ x + g
        free = ~(((x <= least) & (slope > 0.0)) | ((x >= most) & (slope < 0.0)))
        if not free.any() or np.abs(slope[free]).max() <= SHORTEST * size:
            break
        step = np.zeros(len(x))
        _, step[free], _ = dposv(H[np.ix_(free, free)], -slope[free])
        length, there = 1.0, np.clip(x + step, least, most)
        while _value(H, g, there) > _value(H, g, x) + SHARE * (slope @ (there - x)):
            length *= 0.5
            there = np.clip(x + length * step, least, most)
        if np.array_equal(there, x):
            break
        x = there
    return BoxMinimum(x, free)


def _value(H: Array, g: Array, x: Array) -> float:
    return float(x @ (0.5 * (H @ x) + g))
