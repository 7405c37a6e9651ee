"""B-splines in time: basis functions, and where they are best told apart.

Knots at both ends are repeated, so that a spline begins at its first control and ends at its last.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._figure.figure import Array
from ..errors import ModelError

Indices = NDArray[np.integer]
"""Numbers of things."""
Flags = NDArray[np.bool_]
"""Which of things."""


@dataclass(frozen=True)
class Knots:
    """The knots of splines of a degree.

    Attributes:
        times: all of them, those at the ends `degree` + 1 times.
        degree: of the polynomials between them.
    """

    times: Array
    degree: int

    @staticmethod
    def between(breaks: Array, degree: int) -> Knots:
        """Of polynomials that meet at increasing times, as smoothly as can be."""
        breaks = np.asarray(breaks, float)
        if breaks.ndim != 1 or len(breaks) < 2 or not (np.diff(breaks) > 0.0).all():
            raise ModelError(
                f"knots are {breaks.tolist()}. Give two or more times that increase [s]."
            )
        ends = np.full(degree, breaks[0]), np.full(degree, breaks[-1])
        return Knots(np.concatenate([ends[0], breaks, ends[1]]), degree)

    @property
    def count(self) -> int:
        """How many basis functions there are."""
        return len(self.times) - self.degree - 1

    @property
    def breaks(self) -> Array:
        """Times at which polynomials meet."""
        return self.times[self.degree : self.count + 1]

    def greville(self) -> Array:
        """A time for each basis function, its knots' mean: values there determine a spline."""
        p = self.degree
        return np.array([self.times[k + 1 : k + p + 1].mean() for k in range(self.count)])

    def integrals(self) -> Array:
        """The integral of each basis function."""
        p = self.degree
        return (self.times[p + 1 :] - self.times[: -p - 1]) / (p + 1)

    def stretched(self, start: float, length: float) -> Knots:
        """Those over a unit of time, over a length of it from a start."""
        return Knots(start + length * self.times, self.degree)

    def of_degree(self, degree: int) -> Knots:
        """Those of a lower degree, between the same times."""
        return Knots.between(self.breaks, degree)

    def gauss(self, points: int) -> tuple[Array, Array]:
        """Times and weights of Gauss-Legendre quadrature between knots."""
        x, weight = np.polynomial.legendre.leggauss(points)
        start, length = self.breaks[:-1, None], np.diff(self.breaks)[:, None]
        return (start + 0.5 * length * (x + 1.0)).ravel(), (0.5 * length * weight).ravel()

    def local(self, t: Array) -> tuple[Indices, Array]:
        """(first, B): the first basis function that is not zero at each time, and the values there.

        B has the shape (..., 3, degree + 1): values and the first two derivatives by time.
        """
        t, p = np.asarray(t, float), self.degree
        span = np.clip(np.searchsorted(self.times, t, side="right") - 1, p, self.count - 1)
        first = span - p
        B = np.zeros((*t.shape, 3, p + 1))
        B[..., 0, p] = 1.0
        for d in range(1, p + 1):  # the recursion of Cox and de Boor
            k = first[..., None] + np.arange(p - d, p + 1)  # those that are not zero, of degree d
            left = _per_gap(self.times, k, d)
            right = _per_gap(self.times, k + 1, d)
            last = B[..., p - d : p + 1]
            after = np.concatenate([last[..., 1:], np.zeros((*t.shape, 3, 1))], -1)
            up = (t[..., None] - self.times[k]) * left
            down = (self.times[k + d + 1] - t[..., None]) * right
            new = up[..., None, :] * last + down[..., None, :] * after
            slope = last * left[..., None, :] - after * right[..., None, :]
            new[..., 1:, :] += np.arange(1, 3)[:, None] * slope[..., :2, :]
            B[..., p - d : p + 1] = new
        return first, B


def _per_gap(times: Array, k: Indices, d: int) -> Array:
    """One by the time between knots k and k + d; zero where there is none."""
    gap = times[np.minimum(k + d, len(times) - 1)] - times[k]
    return np.divide(1.0, gap, out=np.zeros_like(gap), where=gap > 0.0)


def often(times: Array, parts: int) -> Array:
    """Times, with others between them: each step is in so many parts."""
    part = np.arange(parts * (len(times) - 1) + 1) / parts
    return np.interp(part, np.arange(len(times)), times)
