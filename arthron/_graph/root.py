"""Roots of equations inside pages, with derivatives by the implicit function theorem."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .._spatial.linear_algebra import pivoted
from .._spatial.scalar import Entries, absolute, epsilon, equal, less, maximum, sqrt, where
from ..errors import TraceError
from .autodiff import jacobian
from .evaluate import evaluate
from .expr import ArrayExpr
from .graph import Graph
from .iterate import flatten, iterate, loop
from .loop_body import Implicit, Solve

LIMIT = 50
"""Steps of Newton's method from one guess."""
HALVINGS = 20
"""How often a step is halved before it is given up."""
SHORT = 512.0
"""A step this many roundings long beside the largest coordinate is as good as none."""


class Root(NamedTuple):
    """What `root` found.

    Attributes:
        values: the unknowns, in the form of the guess.
        iterations: steps of Newton's method, over all guesses.
        converged: 1 where the residual is zero to rounding; elsewhere `values` are the last tried.
    """

    values: Any
    iterations: Any
    converged: Any


def root(
    residual: Callable[[Any], Any],
    guess: Any,
    *others: Any,
    move: Callable[[Any, Sequence[Any]], Any] | None = None,
    slope: Callable[[Any], Sequence[Sequence[Any]]] | None = None,
    solve: Solve = pivoted,
    method: Callable[[Any], Any] | None = None,
    when: Any = 1.0,
    name: str | None = None,
) -> Root:
    """x with residual(x) = 0, by Newton's method with a line search or by one of your own.

    Args:
        residual: as many numbers as x has degrees of freedom. It may use any value of the page.
        guess: where to begin: scalars, or tuples, lists and vectors of them.
        others: more guesses, each tried where all before it failed.
        move: x displaced by as many numbers e as there are residuals, zero for none; x + e if left
            out. With it x may be a quaternion, or all coordinates of a figure.
        slope: derivatives of the residual by e, a row for each, where they are known in shorter
            form than those that come from the graph.
        solve: x with A x = b, of rows and a list: any solver written as a page that knows the
            zeros or the symmetry of the derivatives of the residual.
        method: what finds x in place of Newton's method: maps a guess to (x, iterations,
            converged), as `ar.iterate` returns them.
        when: where this is zero the guess is a root, and nothing is done: a branch, as that of
            `ar.iterate`.
        name: what messages call it; the name of `residual` if left out.

    Derivatives of the result are those of the root, not of the way to it, in both modes: a solver
    that loops in its own way gets them by being the `method`.
    """
    name = name or str(getattr(residual, "__name__", "root"))
    start, rebuild = flatten(guess)
    guesses = [start, *(flatten(other)[0] for other in others)]
    if any(isinstance(x, Entries | ArrayExpr) for g in guesses for x in g):
        raise TraceError(
            f"a guess of root {name!r} is an array. Give a list of scalars, such as `list(a)`."
        )
    if not start or any(len(g) != len(start) for g in guesses):
        raise TraceError(
            f"guesses of root {name!r} have unequal numbers of values, or none. Give each guess a "
            "value for each unknown."
        )
    system = _Residual(residual, rebuild, start, move, slope, solve, name)

    def attempt(values: Sequence[Any]) -> tuple[list[Any], Any]:
        """Newton's method from the next guess."""
        _, tried, total, _ = _parts(values, len(start))
        first = list(start)
        for k, other in enumerate(guesses[1:], 1):
            first = [where(tried == float(k), x, y) for x, y in zip(other, first, strict=True)]
        if method is None:
            x, steps, fine = system.newton(first)
        else:
            x, steps, fine = _found_by(method, rebuild(first), name)
            _check(f"the method of root {name!r}", len(x), len(start))
        return [*x, tried + 1.0, total + steps, fine], fine

    begin = [*start, 0.0, 0.0, 0.0]
    parts = loop(attempt, begin, len(guesses), when, name, system.implicit, watched=0)
    x, _, total, fine = _parts(parts, len(start))
    return Root(rebuild(x), total, fine)


def _parts(values: Sequence[Any], n: int) -> tuple[Sequence[Any], Any, Any, Any]:
    return values[:n], values[n], values[n + 1], values[n + 2]


def _found_by(method: Callable[[Any], Any], guess: Any, name: str) -> tuple[list[Any], Any, Any]:
    """What a method of the user's found."""
    found = method(guess)
    if not isinstance(found, tuple) or len(found) != 3:
        raise TraceError(
            f"the method of root {name!r} returned {type(found).__name__}. Return (x, iterations, "
            "converged), as `ar.iterate` does."
        )
    x, steps, fine = found
    return flatten(x)[0], steps, fine


def _check(who: str, count: int, expected: int) -> None:
    if count != expected:
        raise TraceError(f"{who} gave {count} values where {expected} are needed.")


class _Residual:
    """A residual and its derivatives, traced once and evaluated wherever they are needed."""

    def __init__(
        self, residual: Callable, rebuild: Callable, start: list, move: Any, slope: Any,
        solve: Solve, name: str,
    ) -> None:  # fmt: skip
        self.solve, self.name = solve, name

        def moved(x: Sequence[Any], e: Sequence[Any]) -> list[Any]:
            if move is None:
                return [a + b for a, b in zip(x, e, strict=True)]
            there = flatten(move(rebuild(x), e))[0]
            _check(f"`move` of root {name!r}", len(there), len(start))
            return there

        self.moved = moved
        with Graph.inside() as self.plain:
            x = self.plain.inputs(len(start))
            self.rows = [self.plain.lift(r) for r in flatten(residual(rebuild(x)))[0]]
        n = len(self.rows)
        if move is None and n != len(start):
            raise TraceError(
                f"root {name!r} has {len(start)} unknowns and {n} residuals. Give one for each, or "
                "`move` where the unknowns have fewer degrees of freedom."
            )
        with Graph.inside() as self.varied:
            x, e = self.varied.inputs(len(start)), self.varied.inputs(n)
            there = moved(x, e)
            wrt = [s.position for s in e]
            if slope is None:
                rows = [self.varied.lift(r) for r in flatten(residual(rebuild(there)))[0]]
                self.jacobian_nodes = self._lifted(jacobian(self.varied, rows, wrt))
            else:
                self.jacobian_nodes = self._lifted(slope(rebuild(x)))
                for row in (self.jacobian_nodes, *self.jacobian_nodes):
                    _check(f"`slope` of root {name!r}", len(row), n)
            nodes = [self.varied.lift(a) for a in there]
            self.chart_nodes = self._lifted(jacobian(self.varied, nodes, wrt))

    def _lifted(self, rows: Sequence[Sequence[Any]]) -> list[list[int]]:
        return [[self.varied.lift(a) for a in row] for row in rows]

    def residual(self, x: Sequence[Any]) -> list[Any]:
        """The residual at x."""
        return evaluate(self.plain, self.rows, [*x])

    def matrix(self, rows: Sequence[Sequence[int]], x: Sequence[Any]) -> list[list[Any]]:
        """A matrix of derivatives at x."""
        flat = iter(
            evaluate(self.varied, [a for r in rows for a in r], [*x, *[0.0] * len(self.rows)])
        )
        return [[next(flat) for _ in row] for row in rows]

    def implicit(self, graph: Graph, carried: Sequence[Any]) -> Implicit:
        """What holds at the result, as nodes of a body that carries x first."""
        n = len(self.chart_nodes)
        x, rest = carried[:n], len(carried) - n
        lift = graph.lift
        chart = [tuple(map(lift, row)) for row in self.matrix(self.chart_nodes, x)]
        chart += [(lift(0.0),) * len(self.rows)] * rest
        return Implicit(
            tuple(map(lift, self.residual(x))),
            tuple(tuple(map(lift, row)) for row in self.matrix(self.jacobian_nodes, x)),
            tuple(chart),
            self.solve,
        )

    def newton(self, guess: list[Any]) -> tuple[list[Any], Any, Any]:
        """(x, steps, whether that is a root) from one guess."""

        def step(values: Sequence[Any]) -> tuple[tuple, Any]:
            x, r, _ = values
            J = self.matrix(self.jacobian_nodes, x)
            solved = list(self.solve(J, r) or ())
            _check(f"`solve` of root {self.name!r}", len(solved), len(r))
            e = [-a for a in solved]
            x, r, taken = self._searched(x, r, e)
            size, whole = _largest([1.0, *x]), _largest(e)
            short = whole <= SHORT * epsilon(size) * size
            near = whole <= sqrt(epsilon(size)) * size  # where rounding stops the residual
            # a slope that is not finite makes short steps anywhere
            sound = less(size + _largest([a for row in J for a in row]), math.inf)
            zero = equal(_largest(r), 0.0)
            fine = where(zero, 1.0, where(sound, where(taken, 1.0, near), 0.0))
            stuck = maximum(1.0 - taken, 1.0 - sound)
            return (x, r, fine), maximum(maximum(zero, short), stuck)

        r = self.residual(guess)
        wrong = 1.0 - equal(_largest(r), 0.0)
        found = iterate(step, (guess, r, 1.0), LIMIT, wrong, name=self.name)
        x, _, fine = found.values
        return list(x), found.iterations, where(found.converged, fine, 0.0)

    def _searched(self, x: list[Any], r: list[Any], e: list[Any]) -> tuple[list, list, Any]:
        """(x, r, whether a step was taken): e halved until the residual does not grow."""
        before = _squares(r)

        def halve(values: Sequence[Any]) -> tuple[tuple, Any]:
            part, _, _ = values
            there = self.moved(x, [part * a for a in e])
            found = self.residual(there)
            fits = _squares(found) <= before  # not where it is NaN
            pairs = (zip(there, x, strict=True), zip(found, r, strict=True))
            kept = ([where(fits, a, b) for a, b in pair] for pair in pairs)
            return (0.5 * part, *kept), fits

        tried = iterate(halve, (1.0, x, r), HALVINGS, name=f"line search of {self.name}")
        _, there, found = tried.values
        return there, found, tried.converged


def _largest(x: Sequence[Any]) -> Any:
    size: Any = absolute(x[0])
    for a in x[1:]:
        size = maximum(size, absolute(a))
    return size


def _squares(x: Sequence[Any]) -> Any:
    total: Any = 0.0
    for a in x:
        total = total + a * a
    return total
