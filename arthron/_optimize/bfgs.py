"""Broyden, Fletcher, Goldfarb and Shanno's method, dense, to compare with."""

from __future__ import annotations

from typing import Any

import numpy as np

from .nonlinear_program import coordinates, moved
from .optimum import Optimum

Array = np.ndarray

LESS, FLATTER = 1e-4, 0.9
"""Parts of the expected descent, and of the slope, that a step may leave (strong Wolfe)."""
SEARCHED = 40
"""Most evaluations along a line."""


def bfgs(problem: Any, start: Any, *, tolerance: float = 1e-8, most: int = 1000) -> Optimum:
    """A local minimum without constraints, from gradients alone (NW06).

    Args:
        problem: has `objective`, `gradient` and maybe `move`.
        start: where the search begins.
        tolerance: of the greatest part of the gradient.
        most: iterations.
    """
    x = np.array(start, float)
    f, g = float(problem.objective(x)), np.asarray(problem.gradient(x), float)
    H, count, status = np.eye(len(g)) / max(1.0, float(np.linalg.norm(g))), 0, "stalled"
    while True:
        error = float(np.max(np.abs(g), initial=0.0))
        if error <= tolerance or count >= most:
            status = "solved" if error <= tolerance else "too many iterations"
            break
        p = -H @ g
        if not g @ p < 0.0:
            H, p = np.eye(len(g)), -g
        found = _searched(problem, x, f, g, p)
        if found is None:
            break
        x, f, after, step = found
        y, first = after - g, count == 0
        if y @ step > 1e-10 * np.linalg.norm(y) * np.linalg.norm(step):
            H = _updated(np.eye(len(g)) * (y @ step) / (y @ y) if first else H, step, y)
        g, count = after, count + 1
    message = (
        f"{status} after {count} iterations: the greatest part of the gradient is {error:.1e}."
    )
    zeros = np.zeros(len(coordinates(problem, x)))
    return Optimum(x, f, status, message, count, 0.0, error, np.zeros(0), zeros, zeros)


def _updated(H: Array, s: Array, y: Array) -> Array:
    """The inverse Hessian that maps y to s and is else as it was."""
    ys = float(y @ s)
    Hy = H @ y
    both = np.outer(s, Hy)
    return H - (both + both.T) / ys + (1.0 + float(y @ Hy) / ys) * np.outer(s, s) / ys


def _searched(problem: Any, x: Array, f: float, g: Array, p: Array) -> Any:
    """Point, objective, gradient and step where both conditions of Wolfe hold, or the best seen."""
    slope, low, high, size, best = float(g @ p), 0.0, np.inf, 1.0, None
    for _ in range(SEARCHED):
        there = moved(problem, x, size * p)
        value = float(problem.objective(there))
        if not value <= f + LESS * size * slope:
            high = size
        else:
            gradient = np.asarray(problem.gradient(there), float)
            best = there, value, gradient, size * p
            steep = float(gradient @ p)
            if abs(steep) <= -FLATTER * slope:
                return best
            low, high = (size, high) if steep < 0.0 else (low, size)
        size = 2.0 * size if np.isinf(high) else 0.5 * (low + high)
        if high - low <= 1e-14 * high:
            break
    return best
