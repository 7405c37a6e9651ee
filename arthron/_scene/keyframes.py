"""Motion through given places at given times, as a traced function of time."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._spatial.scalar import Scalar, floor, less_equal, lookup, maximum, minimum, where
from ..errors import ShapeError

Array = np.ndarray


def keyframes(times: ArrayLike, values: ArrayLike) -> Keyframes:
    """A function of time that goes through `values` at `times`, smoothly, from rest to rest.

    It is the cubic spline with continuous acceleration that stands still at both ends, and stays
    there before and after. For prescribed joints, targets of controllers, and forces. Each
    column is a spline of its own: of quaternions q and -q, which are one rotation, give the one
    that is nearer to the last.

    Args:
        times: increasing, (n,) [s].
        values: numbers (n,), or rows of them (n, k): the function returns one, or a tuple of k.
    """
    t, y = _real("times", times), _real("values", values)
    fine = t.ndim == 1 and len(t) > 1 and y.ndim in (1, 2) and len(y) == len(t)
    finite = np.isfinite(t).all() and np.isfinite(y).all()
    if not fine or not finite or not (np.diff(t) > 0.0).all():
        raise ShapeError(
            f"keyframes at times of shape {t.shape} with values of shape {y.shape}. Give at least "
            "two increasing times (n,), and values (n,) or (n, k), all finite."
        )
    rows = tuple(map(tuple, y.tolist())) if y.ndim == 2 else tuple(y.tolist())
    return Keyframes(tuple(t.tolist()), rows)


def _real(name: str, given: ArrayLike) -> Array:
    try:
        return np.asarray(given, float)
    except (TypeError, ValueError):
        raise ShapeError(
            f"`{name}` of keyframes are {given!r}. Give real numbers: at least two increasing "
            "times (n,), and values (n,) or (n, k)."
        ) from None


@dataclass(frozen=True)
class Keyframes:
    """The function of time that `keyframes` makes."""

    times: tuple[float, ...]
    values: tuple

    @functools.cached_property
    def _tables(self) -> list[list[tuple[float, ...]]]:
        y = np.array(self.values)
        return _polynomials(np.array(self.times), y.reshape(len(y), -1))

    def __call__(self, now: Scalar) -> Any:
        t, starts = np.array(self.times), self.times[:-1]
        even = np.allclose(np.diff(t), t[1] - t[0], rtol=1e-9, atol=0.0)
        now = minimum(maximum(now, starts[0]), self.times[-1])
        k = _even_segment(now, t) if even else _segment(now, starts)
        s = now - lookup(starts, k)
        found = []
        for column in self._tables:
            a, b, c, d = (lookup(table, k) for table in column)
            found.append(a + s * (b + s * (c + s * d)))
        return tuple(found) if isinstance(self.values[0], tuple) else found[0]


def _even_segment(now: Scalar, t: Array) -> Scalar:
    """Number of the segment a time is in, where all are as long."""
    return minimum(floor((now - float(t[0])) * float(1.0 / (t[1] - t[0]))), len(t) - 2.0)


def _segment(now: Scalar, starts: tuple[float, ...]) -> Scalar:
    """Number of the segment a time is in, by bisection."""
    k: Scalar = 0.0
    for step in reversed([2**i for i in range((len(starts) - 1).bit_length())]):
        further = minimum(k + step, len(starts) - 1.0)
        k = where(less_equal(lookup(starts, further), now), further, k)
    return k


def _polynomials(t: Array, y: Array) -> list[list[tuple[float, ...]]]:
    """Coefficients of each column's polynomials, four tables over segments."""
    h, n = np.diff(t)[:, None], len(t)
    rise = np.diff(y, axis=0) / h
    slopes = np.zeros_like(y)
    # continuous acceleration at the places between, a tridiagonal system for the slopes there
    beside, pivot = 1.0 / h[:, 0], 2.0 * (1.0 / h[:-1, 0] + 1.0 / h[1:, 0])
    pull = 3.0 * (rise[:-1] / h[:-1] + rise[1:] / h[1:])
    for k in range(1, n - 2):
        part = beside[k] / pivot[k - 1]
        pivot[k] -= part * beside[k]
        pull[k] -= part * pull[k - 1]
    for k in reversed(range(n - 2)):
        slopes[k + 1] = (pull[k] - beside[k + 1] * slopes[k + 2]) / pivot[k]
    c = (3.0 * rise - 2.0 * slopes[:-1] - slopes[1:]) / h
    d = (slopes[:-1] + slopes[1:] - 2.0 * rise) / (h * h)
    parts = (y[:-1], slopes[:-1], c, d)
    return [[tuple(part[:, j].tolist()) for part in parts] for j in range(y.shape[1])]
