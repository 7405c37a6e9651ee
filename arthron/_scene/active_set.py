"""Inequalities on accelerations: which of them hold as equations, and what that takes.

A x = b + G^T lambda, G x >= c, lambda >= 0, and lambda is zero where G x > c (S19 2.121 to 2.123).
Those that hold as equations are active. First those are that would be broken, or rest, without any
acceleration: where a figure leans on something, these are the right ones. Then what pulls is let go
and what is broken taken in, all at once (JP94), and after a while one by one, which ends for any
positive definite matrix (M74). The first pass is all that is done where nothing changes: a solution
with the factors that there would be without inequalities. A bound of one coordinate that is active
is no row: the coordinate is held, and drops out of the factors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import NamedTuple

from .._graph.settle import settle
from .._spatial.linear_algebra import Held
from .._spatial.scalar import Scalar, absolute, maximum, where
from .._spatial.sums import dot, total
from .rows import Row

TOGETHER, MOST = 8, 60
"""Passes in which all that should change does so together, and passes in all."""
SLACK = 1e-10
"""What pulls by less stays active [N or N m]; part of a row by which it may be broken."""
RESTS = 1e-6
"""What may not accelerate by more than this rests at its bound."""


class ActiveSet(NamedTuple):
    """Which inequalities are active.

    Attributes:
        sides: of coordinates with bounds, 1 for those held at the lower, -1 at the upper one.
        rows: 1 for each other inequality that is.
    """

    sides: list[Scalar]
    rows: list[Scalar]


class TrialSolution(NamedTuple):
    """A solution for some active set.

    Attributes:
        x: accelerations.
        fixing: joint forces at coordinates that are fixed.
        multipliers: of all rows that neither fix nor bound a coordinate.
        pushes: joint forces at coordinates with bounds, where they are held.
        more: whatever else comes with it.
    """

    x: list[Scalar]
    fixing: list[Scalar]
    multipliers: list[Scalar]
    pushes: list[Scalar]
    more: list[Scalar]


class Inequalities:
    """Inequalities among rows.

    Attributes:
        fixed: rows that fix a coordinate, by coordinate.
        kept: those that do not.
        bounds: of these, by coordinate, those that bound it from below (1) and above (-1).
        others: all others, equations too.
        above: which of those are inequalities.
    """

    def __init__(self, rows: Sequence[Row]) -> None:
        self.fixed = {j: row for row in rows if row.fixes for j in row.G}
        self.kept = [row for row in rows if not row.fixes]
        self.bounds: dict[int, dict[float, list[int]]] = {}
        self.others: list[int] = []
        for k, row in enumerate(self.kept):
            if row.gap is not None and all(j in self.fixed for j in row.G):
                continue
            if row.bound is None:
                self.others.append(k)
            else:
                j, sign = row.bound
                self.bounds.setdefault(j, {}).setdefault(sign, []).append(k)
        self.above = [i for i, k in enumerate(self.others) if self.kept[k].gap is not None]

    def __bool__(self) -> bool:
        return bool(self.bounds or self.above)

    @property
    def spans(self) -> list[dict[float, Scalar]]:
        """The lower (1) and upper (-1) bound of each coordinate that has any."""
        return [
            {sign: sign * reduce(maximum, (self.kept[k].b for k in each))
             for sign, each in sides.items()}
            for sides in self.bounds.values()
        ]  # fmt: skip

    def rows(self, chosen: ActiveSet | None) -> list[Row]:
        """Rows that fix, and all others but bounds, each with whether it is active."""
        found = [self.kept[k] for k in self.others]
        for i, on in zip(self.above, chosen.rows if chosen else (), strict=True):
            found[i] = found[i]._replace(on=on)
        return [*self.fixed.values(), *found]

    def held(self, chosen: ActiveSet | None) -> Held:
        """Coordinates that are held at a bound."""
        found = {}
        each = zip(self.bounds, self.spans, chosen.sides if chosen else (), strict=True)
        for j, span, side in each:
            at: Scalar = 0.0
            for sign, x in span.items():
                at = where(
                    side > 0.0 if sign > 0.0 else side < 0.0, x, at
                )  # bounds may be infinite
            found[j] = 1.0 - side * side, at
        return found

    def first(self) -> ActiveSet:
        """What would be broken without any acceleration, or rests."""
        sides = []
        for span in self.spans:
            side: Scalar = 0.0
            for sign, x in span.items():
                side = where(sign * x > -RESTS, sign, side)
            sides.append(side)
        above = (self.kept[self.others[i]].b for i in self.above)
        return ActiveSet(sides, [where(b > -RESTS, 1.0, 0.0) for b in above])

    def following(
        self, chosen: ActiveSet, found: TrialSolution, late: Scalar
    ) -> tuple[ActiveSet, Scalar]:
        """What is active after a pass, and whether that is as before; one by one if `late` is 2."""
        taken: Scalar = 0.0

        def turned(before: Scalar, after: Scalar) -> Scalar:
            """What it is to be, or what it was if another one has changed and that is enough."""
            nonlocal taken
            now = where(taken > 1.0, before, after)
            taken = where(before == after, taken, late)
            return now

        sides = []
        bounds = zip(self.bounds, self.spans, chosen.sides, found.pushes, strict=True)
        for j, span, side, push in bounds:
            broken: Scalar = 0.0
            for sign, x in span.items():
                broken = where(found.x[j] < x if sign > 0.0 else found.x[j] > x, sign, broken)
            stays = where(side * push < -SLACK, 0.0, side)
            sides.append(turned(side, where(side, stays, broken)))
        rows = []
        for i, on in zip(self.above, chosen.rows, strict=True):
            row = self.kept[self.others[i]]
            room = dot(list(row.G.values()), [found.x[j] for j in row.G]) - row.b
            broken = where(room < -SLACK * absolute(row.b), 1.0, 0.0)
            stays = where(found.multipliers[i] < -SLACK, 0.0, 1.0)
            rows.append(turned(on, where(on, stays, broken)))
        return ActiveSet(sides, rows), taken == 0.0

    def settled(
        self, attempt: Callable[[ActiveSet], TrialSolution], nv: int, more: int = 0
    ) -> TrialSolution:
        """The solution for the set that is right, of an `attempt` that solves for any."""

        def body(values: tuple) -> tuple[TrialSolution, tuple, Scalar]:
            chosen, passes = values
            found = attempt(chosen)
            late = where(passes < TOGETHER, 1.0, 2.0)
            following, same = self.following(chosen, found, late)
            own = zip(chosen.sides, found.pushes, strict=True)
            found = found._replace(pushes=[side * (side * push) for side, push in own])
            return found, (following, passes + 1.0), same

        sizes = (nv, len(self.fixed), len(self.others), len(self.bounds), more)
        like = TrialSolution(*([0.0] * n for n in sizes))
        return settle(body, (self.first(), 0.0), like, MOST, name="active set")

    def forces(self, found: TrialSolution) -> list[Scalar]:
        """Joint forces of all rows."""
        at = dict(zip(self.fixed, found.fixing, strict=True))
        pushes = dict(zip(self.bounds, found.pushes, strict=True))
        return [
            at[j] if j in at else pushes.get(j, 0.0) + total(
                self.kept[k].G[j] * x for k, x in zip(self.others, found.multipliers, strict=True)
                if j in self.kept[k].G
            )
            for j in range(len(found.x))
        ]  # fmt: skip

    def by_row(self, found: TrialSolution) -> list[Scalar]:
        """The multiplier of each row that does not fix."""
        by_row: dict[int, Scalar] = dict(zip(self.others, found.multipliers, strict=True))
        for sides, span, push in zip(self.bounds.values(), self.spans, found.pushes, strict=True):
            up = where(push > 0.0, push, 0.0)
            for sign, each in sides.items():
                rest = up if sign > 0.0 else up - push
                for k in each[:-1]:  # of several, the narrowest takes all
                    by_row[k] = where(self.kept[k].b < sign * span[sign], 0.0, rest)
                    rest = rest - by_row[k]
                by_row[each[-1]] = rest
        return [by_row.get(k, 0.0) for k in range(len(self.kept))]
