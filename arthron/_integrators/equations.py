"""Equations of a step, solved for how far it goes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce
from typing import NamedTuple

from .._graph.autodiff import forward
from .._graph.elimination import eliminated_in_loops
from .._graph.evaluate import evaluate
from .._graph.graph import Graph
from .._graph.iterate import iterate
from .._graph.root import root
from .._scene.rows import Row
from .._scene.system import State, System
from .._spatial.array import array
from .._spatial.linear_algebra import eliminated
from .._spatial.scalar import Scalar, absolute, epsilon, equal, is_zero, maximum, minimum, where
from .._tree.tree import BodyList, JointCoordinates, Tree

QUICK = 12
"""Passes with one slope before Newton's method takes over."""
SLOW = 0.3
"""Part of a correction that the next one may be, or the slope is not good enough."""
SHORT = 8.0
"""A correction this many roundings long beside the way itself is as good as none."""
STALLED = 1e-10
"""The same where rounding keeps corrections from getting shorter."""

Rows = Sequence[Sequence[Scalar]]


class Way(NamedTuple):
    """How far a step goes.

    Attributes:
        d: the displacement of each velocity coordinate.
        found: whether that was found.
    """

    d: list[Scalar]
    found: Scalar


def solve_step(
    residual: Callable[[list[Scalar]], list[Scalar]], slopes: Rows, guess: list[Scalar]
) -> Way:
    """d with residual(d) = 0: steps are short, so that slopes at the guess do for all passes.

    Where they do not, Newton's method begins anew, from the guess and from no way at all.
    """
    exact = by_columns(residual)

    def quick(values: tuple) -> tuple[tuple, Scalar]:
        """A correction by the slope at the guess."""
        d, before, _ = values
        e = eliminated(slopes, residual(d))
        d = [x - y for x, y in zip(d, e, strict=True)]
        now, size = _largest(e), _largest(d)
        shrinks = now / before  # of the first there is none before: a negative one
        short = absolute(shrinks) * now <= SHORT * epsilon(size) * size  # what the next would be
        stalled = where(now <= STALLED * size, 1.0, 0.0)
        slow = where(shrinks > SLOW, 1.0, 0.0)
        fine = where(short, 1.0, slow * stalled)
        return (d, now, fine), maximum(fine, slow)

    def method(guess: list[Scalar]) -> tuple[list[Scalar], Scalar, Scalar]:
        begin = guess, -_largest(guess) - epsilon(1.0), 0.0
        (d, _, fine), passes, _ = iterate(quick, begin, QUICK, name="step")

        def carefully(_: tuple) -> tuple[tuple, float]:
            found = root(residual, guess, [0.0] * len(guess), slope=exact, name="step",
                         solve=eliminated_in_loops)  # fmt: skip
            return (found.values, found.converged), 1.0

        d, fine = iterate(carefully, (d, fine), 1, 1.0 - fine, name="step").values
        return d, passes, fine

    found = root(residual, guess, slope=exact, method=method, name="step",
                 solve=eliminated_in_loops)  # fmt: skip
    return Way(found.values, found.converged)


class Limits(NamedTuple):
    """How far coordinates may go in a step, by velocity coordinate: at least and at most.

    A limit holds as an equation, or nothing pushes there: each row of a residual is the middle one
    of three numbers (complementarity).
    """

    low: dict[int, Scalar]
    high: dict[int, Scalar]

    @staticmethod
    def of(system: System, state: State, h: Scalar) -> Limits:
        """Those of a system in a step of length h."""
        return Limits._each(system, state, h, lambda row: h * row.b)

    @staticmethod
    def outward(system: System, state: State, h: Scalar) -> Limits:
        """The same for ways that lead out: to a limit, or nowhere from beyond it."""

        def least(row: Row) -> Scalar:
            assert row.gap is not None  # bounds are inequalities
            gap = row.gap
            return -where(gap > 0.0, gap, 0.0) if row.approach.ahead else -math.inf

        return Limits._each(system, state, h, least)

    @staticmethod
    def _each(system: System, state: State, h: Scalar, least: Callable[[Row], Scalar]) -> Limits:
        found = Limits({}, {})
        fixed = system.fixed_rates(state.q, state.qd, state.t, h, tracking=True)
        for row in system.velocity_rows(state, state.t + h, h) if system.bounded else ():
            bound = row.bound
            if bound is not None and bound[0] not in fixed:
                j, sign = bound
                (found.low if sign > 0.0 else found.high)[j] = sign * least(row)
        return found

    @property
    def coordinates(self) -> set[int]:
        """Which coordinates have any."""
        return {*self.low, *self.high}

    def passed(self, d: list[Scalar]) -> Scalar:
        """Whether a way goes beyond any, or has to come back from beyond."""
        found: Scalar = 0.0
        for j, x in self.low.items():
            found = where(minimum(d[j], 0.0) < x, 1.0, found)
        for j, x in self.high.items():
            found = where(maximum(d[j], 0.0) > x, 1.0, found)
        return found

    def clipped(self, tree: Tree, start: BodyList, q: BodyList) -> BodyList:
        """Coordinates at the end of a step that go no farther."""
        found = JointCoordinates(q)
        for i in tree.own:
            first = tree.v_start[i]
            if self.coordinates & set(range(first, tree.v_start[i + 1])):
                pairs = enumerate(zip(start[i], q[i], strict=True), first)
                found[i] = tuple(self._clipped(j, x, y) for j, (x, y) in pairs)
        return tree.positions(tree.vector(found)) if tree.followers else found

    def _clipped(self, j: int, start: Scalar, x: Scalar) -> Scalar:
        low, high = start + self.low.get(j, -math.inf), start + self.high.get(j, math.inf)
        x = where(x < low, low, x) if j in self.low else x
        return where(x > high, high, x) if j in self.high else x

    def kept(self, rows: list[Scalar], d: list[Scalar], slopes: Rows) -> list[Scalar]:
        """A residual whose rows are those of forces, or of what a limit is off."""
        found = list(rows)
        for j in self.coordinates:
            size = slopes[j][j]
            if j in self.low:
                found[j] = minimum(found[j], size * (d[j] - self.low[j]))
            if j in self.high:
                found[j] = maximum(found[j], size * (d[j] - self.high[j]))
        return found

    def slopes(self, rows: Rows, d: list[Scalar]) -> Rows:
        """Slopes of that, where what goes beyond a limit or up to it is held there."""
        found = [list(row) for row in rows]
        for j in self.coordinates:
            at = [where(d[j] <= x, 1.0, 0.0) for x in (self.low.get(j),) if x is not None]
            at += [where(d[j] >= x, 1.0, 0.0) for x in (self.high.get(j),) if x is not None]
            held = reduce(maximum, at)
            found[j] = [x if k == j or is_zero(x) else where(held, 0.0, x)
                        for k, x in enumerate(rows[j])]  # fmt: skip
        return found


def by_columns(
    residual: Callable[[list[Scalar]], list[Scalar]],
) -> Callable[[list[Scalar]], Rows]:
    """Slopes of a residual, one column after the other: a short program, though not a fast one."""

    def slope(d: list[Scalar]) -> Rows:
        n = len(d)
        with Graph.inside() as graph:
            x, along = graph.inputs(n), graph.inputs(n)
            rows = [graph.lift(r) for r in residual(list(x))]
            direction = {a.position: b for a, b in zip(x, along, strict=True)}
            rates = [graph.lift(r) for r in forward(graph, rows, direction)]

        def column(values: tuple) -> tuple[tuple, Scalar]:
            k, J = values
            one = [where(equal(k, float(j)), 1.0, 0.0) for j in range(n)]
            for i, rate in enumerate(evaluate(graph, rates, [*d, *one])):
                J = J.set((float(i), k), rate)
            return (k + 1.0, J), k >= n - 1.0

        _, J = iterate(column, (0.0, array([[0.0] * n] * n)), n, name="slopes").values
        return [[J[float(i), float(j)] for j in range(n)] for i in range(n)]

    return slope


def _largest(x: Sequence[Scalar]) -> Scalar:
    return reduce(maximum, map(absolute, x))


def stuck_at(found: Scalar, x: Sequence[Scalar]) -> Scalar:
    """Zero where a step was found, else one and the coordinate at which most is missing."""
    return where(found, 0.0, 1.0 + largest_at(x))


def largest_at(x: Sequence[Scalar]) -> Scalar:
    """Where the largest of several numbers is."""
    size, at = absolute(x[0]), 0.0
    for k, a in enumerate(x[1:], 1):
        at = where(absolute(a) > size, float(k), at)
        size = maximum(absolute(a), size)
    return at
