"""Equations of a step, solved for how far it goes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import NamedTuple

from .._graph.autodiff import forward
from .._graph.elimination import eliminated_in_loops
from .._graph.evaluate import evaluate
from .._graph.graph import Graph
from .._graph.iterate import iterate
from .._graph.root import root
from .._spatial.array import array
from .._spatial.linear_algebra import eliminated
from .._spatial.scalar import Scalar, absolute, epsilon, equal, maximum, where

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
