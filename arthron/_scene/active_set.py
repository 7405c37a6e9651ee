"""Inequalities on accelerations: which of them hold as equations, and what that takes.

Of x0, which obeys all equations, the nearest x in the metric of the mass matrix that obeys the
inequalities too (S19 2.121 to 2.123): A (x - x0) = G^T lambda, G x >= b, lambda >= 0, and lambda is
zero where G x > b. Those that hold as equations are active. All that x0 breaks are, at first; then
what pulls is let go and what is broken taken in, all at once (JP94), and after a while one by one,
which ends for any positive definite matrix (M74). Where x0 breaks none, nothing is done. A bound of
one coordinate that is active is no row: the coordinate is held, and drops out of the factors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import NamedTuple

from .._graph.iterate import iterate
from .._graph.root import root
from .._spatial.linear_algebra import Ldl, bordered_matrix, eliminated, tree_order
from .._spatial.scalar import Scalar, absolute, maximum, minimum, where
from .._spatial.sums import dot, total
from .rows import Row

Rows = Sequence[Sequence[Scalar]]

TOGETHER, MOST = 8, 60
"""Passes in which all that should change does so together, and passes in all."""
SLACK = 1e-10
"""How much an inequality may be broken, beside the numbers in it."""
SOFT = 1e-12
"""How much rows give way, beside what they move: more of them than fit are then told apart."""
RESTS = 1e-6
"""A coordinate that may not accelerate by more than this rests at its bound."""


class Limited(NamedTuple):
    """What inequalities make of a solution.

    Attributes:
        x: the solution.
        r: A (x - x0): joint forces of inequalities, and what those of equations change by.
        multipliers: likewise, of all rows but those that fix coordinates.
    """

    x: list[Scalar]
    r: list[Scalar]
    multipliers: list[Scalar]


class Set(NamedTuple):
    """A pass of the search.

    Attributes:
        sides: of coordinates with bounds, 1 for those held at the lower, -1 at the upper one.
        active: 1 for each other inequality that is.
        change: the unknowns that go with it.
        passes: how many there were.
    """

    sides: list[Scalar]
    active: list[Scalar]
    change: list[Scalar]
    passes: Scalar


def limited(matrix: Callable[[], Rows], x0: Sequence[Scalar], rows: Sequence[Row]) -> Limited:
    """The solution nearest to x0 that obeys inequalities too, with a symmetric `matrix` A."""
    fixed = {j for row in rows if row.fixes for j in row.G}
    kept = [row for row in rows if not row.fixes]
    bounds = {k: row.bound for k, row in enumerate(kept) if row.bound is not None}
    others = [k for k, row in enumerate(kept)
              if k not in bounds and any(j not in fixed for j in row.G)]  # fmt: skip
    free = [j for j in range(len(x0)) if j not in fixed]
    problem = _Problem(matrix, x0, free, [kept[k] for k in others],
                       [kept[k] for k, (j, _) in bounds.items() if j not in fixed])  # fmt: skip
    found = iter(problem.solved())
    change = {j: next(found) for j in free}
    minus = {k: next(found) for k in others}
    push = {free[i]: -next(found) for i in problem.spans}
    at_fixed = {j: next(found) for j in sorted(fixed)}
    multipliers: list[Scalar] = [-minus[k] if k in minus else 0.0 for k in range(len(kept))]
    for k, (j, sign) in bounds.items():
        multipliers[k] = maximum(sign * push[j], 0.0) if j in push else 0.0
    x = [x0[j] + change[j] if j in change else x0[j] for j in range(len(x0))]
    pulled = [[kept[k].G.get(j, 0.0) for k in others] for j in range(len(x0))]
    each = [multipliers[k] for k in others]
    r = [at_fixed[j] if j in fixed else push.get(j, 0.0) + dot(line, each)
         for j, line in enumerate(pulled)]  # fmt: skip
    return Limited(x, r, multipliers)


class _Problem:
    """Unknowns: how free coordinates change, minus a multiplier for each row, and forces.

    These are minus that of each bounded coordinate, and what the change takes at fixed ones.
    """

    def __init__(
        self, matrix: Callable[[], Rows], x0: Sequence[Scalar], free: Sequence[int],
        rows: Sequence[Row], bounds: Sequence[Row],
    ) -> None:  # fmt: skip
        place = {j: k for k, j in enumerate(free)}
        self.x0, self.n, self.m = [x0[j] for j in free], len(free), len(rows)
        self.G = [{place[j]: x for j, x in row.G.items() if j in place} for row in rows]
        there = [dot(list(row.G.values()), [x0[j] for j in row.G]) for row in rows]
        self.wanted = [0.0 if row.gap is None else row.b - x
                       for row, x in zip(rows, there, strict=True)]  # fmt: skip
        self.sizes = [absolute(row.b) + absolute(x) for row, x in zip(rows, there, strict=True)]
        self.above = [k for k, row in enumerate(rows) if row.gap is not None]
        self.spans: dict[int, dict[float, Scalar]] = {}
        for row in bounds:
            j, sign = row.bound or (0, 1.0)
            self.spans.setdefault(place[j], {})[sign] = sign * row.b - x0[j]
        fixed = [j for j in range(len(x0)) if j not in place]
        self.size = self.n + self.m + len(self.spans) + len(fixed)

        def parts() -> tuple[Rows, Rows]:
            A = matrix()
            inner, outer = ([[A[i][j] for j in free] for i in each] for each in (free, fixed))
            return inner, outer

        self.parts = parts

    def along(self, k: int, x: Sequence[Scalar]) -> Scalar:
        """A row times x."""
        return dot(list(self.G[k].values()), [x[j] for j in self.G[k]])

    def solved(self) -> list[Scalar]:
        """All unknowns: zero where nothing is broken."""
        guess = [0.0] * self.size
        broken = [where(self.wanted[k] > SLACK * self.sizes[k], 1.0, 0.0) for k in self.above]
        off = [sign * x for span in self.spans.values() for sign, x in span.items()]
        if not broken and not off:
            return guess
        anything = reduce(maximum, broken, where(reduce(maximum, off) > 0.0, 1.0, 0.0)
                          if off else 0.0)  # fmt: skip

        def method(guess: list[Scalar]) -> tuple[list[Scalar], Scalar, Scalar]:
            A, outer = self.parts()
            start = Set([self.first_side(j) for j in self.spans], broken, guess, 0.0)
            end = iterate(lambda last: self.next_set(A, outer, last), start, MOST,
                          name="active set")  # fmt: skip
            return end.values.change, end.iterations, end.converged

        return root(self.residual, guess, method=method, solve=self.eliminated, when=anything,
                    name="active set").values  # fmt: skip

    def first_side(self, j: int) -> Scalar:
        """The bound that a coordinate breaks or rests at."""
        side: Scalar = 0.0
        for sign, x in self.spans[j].items():
            side = where(sign * x > -sign * self.x0[j] - RESTS, where(side, side, sign), side)
        for sign, x in self.spans[j].items():
            side = where(sign * x > 0.0, sign, side)
        return side

    def next_set(self, A: Rows, outer: Rows, last: Set) -> tuple[Set, Scalar]:
        """What is active after a pass, and whether that is as before."""
        change = self.changed(A, last)
        pushes = change[self.n + self.m :]
        taken: Scalar = 0.0
        late = where(last.passes < TOGETHER, 0.0, 1.0)

        def turned(before: Scalar, after: Scalar) -> Scalar:
            """What it is to be, or what it was if another one has changed and that is enough."""
            nonlocal taken
            wrong = where(before == after, 0.0, 1.0)
            now = where(late * taken, before, after)
            taken = maximum(taken, wrong)
            return now

        sides = []
        for j, side, minus in zip(self.spans, last.sides, pushes, strict=False):
            out: Scalar = 0.0
            for sign, x in self.spans[j].items():
                slack = SLACK * (absolute(x) + absolute(self.x0[j]))
                out = where(sign * (change[j] - x) < -slack, sign, out)
            held = where(side * minus > 0.0, 0.0, side)
            sides.append(turned(side, where(side, held, out)))
        active = []
        for k, on in zip(self.above, last.active, strict=True):
            room = self.along(k, change) - self.wanted[k]
            out = where(room < -SLACK * self.sizes[k], 1.0, 0.0)
            held = where(change[self.n + k] > 0.0, 0.0, 1.0)
            active.append(turned(on, where(on, held, out)))
        change = change + [dot(row, change[: self.n]) for row in outer]
        return Set(sides, active, change, last.passes + 1.0), 1.0 - taken

    def changed(self, A: Rows, last: Set) -> list[Scalar]:
        """Unknowns for a set, but for the last."""
        n, m = self.n, self.m
        held: dict[int, tuple[Scalar, Scalar]] = {}
        for (j, span), side in zip(self.spans.items(), last.sides, strict=True):
            low, high = span.get(1.0, 0.0), span.get(-1.0, 0.0)
            held[j] = absolute(side), where(side > 0.0, low, high)
        order = tree_order(self.G, n)
        K, at = bordered_matrix(A, self.G, order)
        place = {i: p for p, i in enumerate(order)}
        out = {place[k]: 1.0 - x for k, x in zip(self.above, last.active, strict=True)}
        out |= {place[m + j]: on for j, (on, _) in held.items()}
        soft = {place[k]: SOFT * total(x * x / A[j][j] for j, x in g.items())
                for k, g in enumerate(self.G)}  # fmt: skip
        right = [self.wanted[i] if i < m else 0.0 for i in order]
        at_places = {place[m + j]: x for j, x in held.items()}
        y, forces = Ldl(K, at, out, soft).solve_held(right, at_places)
        found = [y[place[m + j]] for j in range(n)] + [y[place[k]] for k in range(m)]
        return found + [-forces[place[m + j]] for j in held]

    def residual(self, y: list[Scalar]) -> list[Scalar]:
        """Zero at the solution, and as smooth as that is: for derivatives."""
        n, m, (A, outer) = self.n, self.m, self.parts()
        x, minus, pushes = y[:n], y[n : n + m], dict(zip(self.spans, y[n + m :], strict=False))
        forces = [
            dot(row, x) + pushes.get(j, 0.0)
            + total(g[j] * minus[k] for k, g in enumerate(self.G) if j in g)
            for j, row in enumerate(A)
        ]  # fmt: skip
        rows = [self.along(k, x) - self.wanted[k] for k in range(m)]
        rows = [minimum(-minus[k], r) if k in self.above else r for k, r in enumerate(rows)]
        for j, push in pushes.items():
            middle, span = -push, self.spans[j]
            middle = minimum(middle, x[j] - span[1.0]) if 1.0 in span else middle
            rows.append(maximum(middle, x[j] - span[-1.0]) if -1.0 in span else middle)
        fixed = y[n + m + len(pushes) :]
        return forces + rows + [f - dot(row, x) for f, row in zip(fixed, outer, strict=True)]

    def eliminated(self, A: Rows, b: Sequence[Scalar]) -> list[Scalar]:
        """Solve with slopes of that, in the order of the tree."""
        G = [*self.G, *({j: 1.0} for j in self.spans)]
        n, m = self.n, len(G)
        order = list(range(n + m, self.size))
        order += [i - m if i >= m else n + i for i in tree_order(G, n)]
        K = [[A[i][j] for j in order] for i in order]
        at = [p for p, i in enumerate(order) if n <= i < n + m]
        found = dict(zip(order, eliminated(K, [b[i] for i in order], at), strict=True))
        return [found[i] for i in range(self.size)]
