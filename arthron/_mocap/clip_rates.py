"""Velocities and accelerations of frames, by differences of fourth order on the manifold."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from .._figure.figure import Array
from .._model.model import Model

ORDER = 4
"""Errors go with the fourth power of the step, at the ends too."""


def finite_difference_weights(offsets: ArrayLike, derivative: int) -> Array:
    """Weights w with sum of w f(k h) = h^d f^(d)(0) for polynomials, offsets k being whole."""
    k = np.asarray(offsets, dtype=float)
    powers = np.arange(len(k))
    rhs = np.where(powers == derivative, math.factorial(derivative), 0.0)
    return np.linalg.solve(k ** powers[:, None], rhs)


def rates(model: Model, q: Array, rate: float, derivative: int) -> Array:
    """First or second derivative of motion q, (frames, nq), by time: qd or qdd.

    Of each frame its neighbours are seen from it, as `difference(q[k], q[k + j])`, in coordinates
    whose derivatives at zero are velocity and acceleration: the quadratic terms of the logarithm
    vanish there. Five frames in the middle; at the ends one-sided, with one more for qdd.
    """
    n = len(q)
    found = np.zeros((n, model.nv))
    reach = ORDER // 2
    wide = min(n, ORDER + derivative)  # one-sided stencils of this order
    inner = slice(reach, n - reach) if n > ORDER else slice(0, 0)
    if n > ORDER:
        around = np.array([j for j in range(-reach, reach + 1) if j])
        weights = finite_difference_weights(np.arange(-reach, reach + 1), derivative)
        middle = np.ascontiguousarray(q[inner])
        for j in around:
            step = model.difference(middle, q[reach + j : n - reach + j])
            found[inner] += weights[reach + j] * step
    for k in (*range(min(reach, n)), *range(max(reach, n - reach), n)) if n > ORDER else range(n):
        first = min(max(k - reach, 0), n - wide)
        offsets = np.arange(first, first + wide) - k
        steps = model.difference(q[k], q[first : first + wide])
        found[k] = finite_difference_weights(offsets, derivative) @ steps
    return found * rate**derivative
