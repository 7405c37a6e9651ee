"""Cubic splines along one coordinate: which control values count where, and how much.

On a segment four control values count, with weights B (1, u, u^2, u^3) where u is how far q is into
it. Other splines have other B (S19 2.57, "replacing the basis matrix"): here a table of them, one a
segment. Columns of B sum to (1, 0, 0, 0), so that weights sum to one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from .._spatial.scalar import Scalar, floor, less_equal, lookup, maximum, minimum
from ..errors import JointError, nearest

MATRICES = {
    "b-spline": np.array([[1, -3, 3, -1], [4, 0, -6, 3], [1, 3, 3, -3], [0, 0, 0, 1]]) / 6.0,
    "catmull-rom": np.array([[0, -1, 2, -1], [2, 0, -5, 3], [0, 1, 4, -3], [0, 0, -1, 1]]) / 2.0,
    "bezier": np.array([[1, -3, 3, -1], [0, 3, -6, 3], [0, 0, 3, -3], [0, 0, 0, 1]]) / 1.0,
}
"""B of the bases whose segments are all alike and of unit length."""


@dataclass(frozen=True)
class Spline:
    """A cubic spline along one coordinate. Beyond its ends it goes on with its last polynomial.

    Attributes:
        controls: numbers of the four control values that count on each segment.
        matrices: B of each segment.
        breaks: where each segment begins, and where the last one ends.
        cyclic: whether it repeats from there.
    """

    controls: tuple[tuple[int, ...], ...]
    matrices: tuple[tuple[tuple[float, ...], ...], ...]
    breaks: tuple[float, ...]
    cyclic: bool

    def __call__(self, q: Scalar) -> tuple[Scalar, tuple[Scalar, ...]]:
        """(segment, (B~_2, B~_3, B~_4)): weights summed from the last one back (S19 2.61)."""
        k, u = self._place(q)
        u2 = u * u
        powers = (1.0, u, u2, u2 * u)
        sums = np.array(self.matrices)[:, ::-1].cumsum(axis=1)[:, 2::-1]  # B~, of each segment
        rows = (
            [lookup(tuple(column.tolist()), k) * x for column, x in zip(row.T, powers, strict=True)]
            for row in np.moveaxis(sums, 1, 0)
        )
        return k, tuple(((a + b) + c) + d for a, b, c, d in rows)

    def weights(self, q: Scalar) -> tuple[Scalar, tuple[Scalar, ...]]:
        """(segment, (B_1, B_2, B_3, B_4)) at q (S19 2.59)."""
        k, (b2, b3, b4) = self(q)
        return k, (1.0 - b2, b2 - b3, b3 - b4, b4)

    def grid(self) -> tuple[float, ...]:
        """Coordinates along it, two or so for each control value, and two in each segment."""
        count = 1 + max(max(four) for four in self.controls)
        each = max(2, 2 * (count - 3) // len(self.controls))
        parts = [(i + 0.5) / each for i in range(each)]
        return tuple(a + (b - a) * part for a, b in pairwise(self.breaks) for part in parts)

    def _place(self, q: Scalar) -> tuple[Scalar, Scalar]:
        """(segment, how far into it)."""
        *starts, end = self.breaks
        n = len(starts)
        if self.breaks == tuple(range(n + 1)):
            if self.cyclic:
                k = floor(q)
                return k - n * floor((k + 0.5) * (1.0 / n)), q - k
            k = minimum(maximum(floor(q), 0.0), n - 1.0)
            return k, q - k
        if self.cyclic:
            period = end - starts[0]
            q = q - period * floor((q - starts[0]) * (1.0 / period))
        k = 0.0
        for step in reversed([1 << i for i in range((n - 1).bit_length())]):  # by halves
            k = k + step * less_equal(lookup(tuple(starts), k + step), q)
        k = minimum(k, n - 1.0)
        return k, q - lookup(tuple(starts), k)


def cubic_spline(
    what: str, n: int, cyclic: Any, basis: Any, knots: tuple[float, ...] | None
) -> Spline:
    """The spline of `n` control values in a basis, nonuniform when it has knots."""
    if not isinstance(cyclic, bool | np.bool_):
        raise JointError(f"`cyclic` of {what} is {cyclic!r}. Give True or False for a direction.")
    cyclic = bool(cyclic)
    if not isinstance(basis, str) or basis not in MATRICES:
        listed = ", ".join(f'"{name}"' for name in MATRICES)
        raise JointError(
            f"the basis of {what} is {basis!r}. Use one of {listed}.{nearest(basis, MATRICES)}"
        )
    if basis == "bezier":
        if n % 3 != (0 if cyclic else 1) or n < 3 + (not cyclic):
            raise JointError(
                f"{what} has {n} control frames. A Bezier spline needs 4, 7, 10, ... of them, "
                "three more for each segment; a closed one 3, 6, 9, ..."
            )
    elif n < 4:
        raise JointError(f"{what} has {n} control frames. A cubic spline needs at least four.")
    if knots is not None:
        if basis != "b-spline":
            raise JointError(
                f'{what} has knots and the basis "{basis}". Knots go with "b-spline": leave them '
                "out, or leave out the basis."
            )
        _check_knots(what, n, cyclic, knots)
        return _nonuniform(n, cyclic, knots)
    apart = 3 if basis == "bezier" else 1
    firsts = range(0, n if cyclic else n - 3, apart)
    controls = tuple(tuple((first + i) % n for i in range(4)) for first in firsts)
    breaks = tuple(float(k) for k in range(len(firsts) + 1))
    return Spline(controls, (_rows(MATRICES[basis]),) * len(firsts), breaks, cyclic)


def _nonuniform(n: int, cyclic: bool, knots: tuple[float, ...]) -> Spline:
    """The B-spline with given knots: a segment wherever two of them are apart."""
    around = np.array(knots)
    if cyclic:  # three more on either side, from the rounds before and after
        period = around[-1] - around[0]
        around = np.concatenate([around[-4:-1] - period, around, around[1:4] + period])
    begins = [j for j in range(3, len(around) - 4) if around[j] < around[j + 1]]
    controls = tuple(tuple((j - 3 + i) % n for i in range(4)) for j in begins)
    matrices = tuple(_rows(de_boor(around[j - 2 : j + 4].tolist())) for j in begins)
    breaks = tuple(float(around[j]) for j in (*begins, begins[-1] + 1))
    return Spline(controls, matrices, breaks, cyclic)


def de_boor(t: Sequence[float]) -> np.ndarray:
    """B on the segment between the middle two of six knots, by powers of q - t[2] (B01 X, BSPLVB).

    A function of degree p - 1, from knot `left` to `right`, becomes two of degree p: a share
    (q - left) / (right - left) of it counts for the later one, the rest for the earlier one.
    """
    B = np.ones((1, 1))
    for p in (1, 2, 3):
        lower, B = B, np.zeros((p + 1, p + 1))
        for i, f in enumerate(lower):
            left, right = t[3 - p + i], t[3 + i]
            later = np.polynomial.polynomial.polymul(f, (t[2] - left, 1.0)) / (right - left)
            B[i, :p] += f
            B[i] -= later
            B[i + 1] += later
    return B


def _rows(B: np.ndarray) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in B.tolist())


def as_knots(what: str, knots: Any) -> tuple[float, ...] | None:
    """Knots as numbers; None where there are none."""
    if knots is None:
        return None
    try:
        given = tuple(float(t) for t in knots)
    except (TypeError, ValueError):
        given = (np.nan,)
    if not np.all(np.isfinite(given)):
        raise JointError(f"the knots of {what} are {knots!r}. Give finite numbers in their order.")
    return given


def _check_knots(what: str, n: int, cyclic: bool, knots: tuple[float, ...]) -> None:
    """Whether knots make one curve that has a use for each of its control values."""
    if len(knots) != (n + 1 if cyclic else n + 4):
        needed = (
            f"{n + 1}, one more than those: the last is where the first comes round again."
            if cyclic
            else f"{n + 4}, four more than those: it runs from the fourth to the fourth from the "
            "end, and is at its first and last frame there if they are repeated four times."
        )
        raise JointError(f"{what} has {n} control frames and {len(knots)} knots. Give {needed}")
    for i, (a, b) in enumerate(pairwise(knots)):
        if b < a:
            raise JointError(
                f"the knots of {what} fall from {a:g} to {b:g} (numbers {i} and {i + 1}). Give "
                "them in increasing order."
            )
    along = knots if cyclic else knots[3:-3]
    start, end, times = along[0], along[-1], Counter(along)
    if start == end:
        raise JointError(f"the knots of {what} start and end at {start:g}. Give them some length.")
    if cyclic:
        times[start] += times.pop(end) - 1  # the same place
    for t, count in times.items():
        if count > (1 if t in (start, end) and not cyclic else 3):
            raise JointError(
                f"knot {t:g} of {what} stands there too often. It may three times, which makes a "
                "corner, and four times at an end, which puts the curve on its last frame; more "
                "would tear the curve, or leave a frame without use."
            )
