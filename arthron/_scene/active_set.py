"""Inequalities on accelerations: which of them hold as equations, and what that takes.

Of x0, which obeys all equations, the nearest x in the metric of the mass matrix that obeys the
inequalities too (S19 2.121 to 2.123): A (x - x0) = G^T lambda, G x >= b, lambda >= 0, and lambda is
zero where G x > b. Those that hold as equations are active. All that x0 breaks are, at first; then
what pulls is let go and what is broken taken in, all at once (JP94), and after a while one by one,
which ends for any positive definite matrix (M74). Where x0 breaks none, nothing is done.
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
        active: one for each inequality that is.
        change: the unknowns that go with it.
        passes: how many there were.
    """

    active: list[Scalar]
    change: list[Scalar]
    passes: Scalar


def limited(matrix: Callable[[], Rows], x0: Sequence[Scalar], rows: Sequence[Row]) -> Limited:
    """The solution nearest to x0 that obeys inequalities too, with a symmetric `matrix` A."""
    fixed = {j for row in rows if row.fixes for j in row.G}
    kept = [row for row in rows if not row.fixes]
    moving = [k for k, row in enumerate(kept) if any(j not in fixed for j in row.G)]
    free = [j for j in range(len(x0)) if j not in fixed]
    found = iter(_Problem(matrix, x0, free, [kept[k] for k in moving]).solved())
    change = {j: next(found) for j in free}
    minus = {k: next(found) for k in moving}
    at_fixed = {j: next(found) for j in sorted(fixed)}
    multipliers = [-minus[k] if k in minus else 0.0 for k in range(len(kept))]
    x = [x0[j] + change[j] if j in change else x0[j] for j in range(len(x0))]
    r = [at_fixed[j] if j in fixed else dot([row.G.get(j, 0.0) for row in kept], multipliers)
         for j in range(len(x0))]  # fmt: skip
    return Limited(x, r, multipliers)


class _Problem:
    """Unknowns: how coordinates that are free change, minus a multiplier for each row, and forces.

    These are what the change takes at coordinates that are fixed.
    """

    def __init__(
        self, matrix: Callable[[], Rows], x0: Sequence[Scalar],
        free: Sequence[int], rows: Sequence[Row],
    ) -> None:  # fmt: skip
        place = {j: k for k, j in enumerate(free)}
        self.n, self.G = len(free), []
        for row in rows:
            self.G.append({place[j]: x for j, x in row.G.items() if j in place})
        there = [dot(list(row.G.values()), [x0[j] for j in row.G]) for row in rows]
        self.wanted = [0.0 if row.gap is None else row.b - x
                       for row, x in zip(rows, there, strict=True)]  # fmt: skip
        self.slack = [SLACK * (absolute(row.b) + absolute(x))
                      for row, x in zip(rows, there, strict=True)]  # fmt: skip
        self.above = [k for k, row in enumerate(rows) if row.gap is not None]
        bounds = ((k, row.bound) for k, row in enumerate(rows))
        self.bounds = {k: (place[x[0]], x[1]) for k, x in bounds if x is not None}
        fixed = [j for j in range(len(x0)) if j not in place]
        self.size = self.n + len(rows) + len(fixed)

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
        broken = [where(self.wanted[k] > self.slack[k], 1.0, 0.0) for k in self.above]
        guess = [0.0] * self.size
        if not broken:
            return guess

        def method(guess: list[Scalar]) -> tuple[list[Scalar], Scalar, Scalar]:
            def look(_: list[Scalar]) -> tuple[list[Scalar], Scalar]:
                A, outer = self.parts()
                start = Set(broken, guess[: self.n + len(self.G)], 0.0)
                last = iterate(lambda s: self.next_set(A, s), start, MOST, name="active set").values
                return last.change + [dot(row, last.change[: self.n]) for row in outer], 1.0

            return iterate(look, guess, 1, reduce(maximum, broken), name="active set")

        return root(self.residual, guess, method=method, solve=self.eliminated,
                    name="active set").values  # fmt: skip

    def next_set(self, A: Rows, last: Set) -> tuple[Set, Scalar]:
        """What is active after a pass, and whether that is as before."""
        active = dict(zip(self.above, last.active, strict=True))
        change = self.changed(A, active)
        now, any_before = [], 0.0
        for k in self.above:
            room = self.along(k, change) - self.wanted[k]
            wrong = where(active[k], where(change[self.n + k] > 0.0, 1.0, 0.0),
                          where(room < -self.slack[k], 1.0, 0.0))  # fmt: skip
            alone = where(last.passes < TOGETHER, wrong, wrong * (1.0 - any_before))
            any_before = maximum(any_before, wrong)
            now.append(where(alone, 1.0 - active[k], active[k]))
        return Set(now, change, last.passes + 1.0), 1.0 - any_before

    def changed(self, A: Rows, active: dict[int, Scalar]) -> list[Scalar]:
        """All unknowns for a set: bounds that are active are eliminated, other rows bordered."""
        held: dict[int, tuple[Scalar, Scalar]] = {}
        for k, (j, sign) in self.bounds.items():
            on, value = held.get(j, (0.0, 0.0))
            on, value = maximum(on, active[k]), where(active[k], sign * self.wanted[k], value)
            held[j] = on, value
        rows = [k for k in range(len(self.G)) if k not in self.bounds]
        G, m = [self.G[k] for k in rows], len(rows)
        order = tree_order(G, self.n)
        K, at = bordered_matrix(A, G, order)
        place = {i: p for p, i in enumerate(order)}
        out = {place[i]: 1.0 - active[k] for i, k in enumerate(rows) if k in active}
        out |= {place[m + j]: on for j, (on, _) in held.items()}
        soft = {place[i]: SOFT * total(x * x / A[j][j] for j, x in g.items())
                for i, g in enumerate(G)}  # fmt: skip
        right = [self.wanted[rows[i]] if i < m else 0.0 for i in order]
        at_places = {place[m + j]: x for j, x in held.items()}
        y, forces = Ldl(K, at, out, soft).solve_held(right, at_places)
        minus: dict[int, Scalar] = {k: y[place[i]] for i, k in enumerate(rows)}
        for k, (j, sign) in self.bounds.items():
            minus[k] = where(active[k], -sign * forces[place[m + j]], 0.0)
        return [y[place[m + j]] for j in range(self.n)] + [minus[k] for k in sorted(minus)]

    def _pull(self, minus: Sequence[Scalar], j: int, rows: Sequence[int]) -> Scalar:
        """What rows do to a coordinate."""
        return total(self.G[k][j] * minus[k] for k in rows if j in self.G[k])

    def residual(self, y: list[Scalar]) -> list[Scalar]:
        """Zero at the solution, and as smooth as that is: for derivatives."""
        m, (A, outer) = len(self.G), self.parts()
        x, minus, fixed = y[: self.n], y[self.n : self.n + m], y[self.n + m :]
        forces = [dot(row, x) + self._pull(minus, j, range(m)) for j, row in enumerate(A)]
        rows = [self.along(k, x) - self.wanted[k] for k in range(m)]
        rows = [minimum(-minus[k], r) if k in self.above else r for k, r in enumerate(rows)]
        return forces + rows + [f - dot(row, x) for f, row in zip(fixed, outer, strict=True)]

    def eliminated(self, A: Rows, b: Sequence[Scalar]) -> list[Scalar]:
        """Solve with slopes of that, in the order of the tree."""
        m = len(self.G)
        order = list(range(self.n + m, self.size))
        order += [i - m if i >= m else self.n + i for i in tree_order(self.G, self.n)]
        K = [[A[i][j] for j in order] for i in order]
        at = [p for p, i in enumerate(order) if self.n <= i < self.n + m]
        found = dict(zip(order, eliminated(K, [b[i] for i in order], at), strict=True))
        return [found[i] for i in range(self.size)]
