"""Contact of a figure in a step: velocities, and impulses by Coulomb's law.

    A (v - free) = J^T gamma + G^T lambda,   gamma = P(z(v, gamma)) of points,

lambda likewise of bounds, and equations besides. By Newton's method on both, velocities and
impulses (AC91): z says of each point whether it is open, sticks or slides, which makes the law
linear; the equations of a step with such springs give velocities, these impulses and the next z.
A pass or two is what it takes from the impulses of the step before, and it ends when impulses obey
the law. Where passes run in circles they are cut short, so that each brings impulses nearer to the
law; where that leads nowhere the convex problem is solved instead, which always can be
(`convex_problem.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, NamedTuple

from .._graph.iterate import iterate
from .._spatial.array import Array, array
from .._spatial.scalar import Scalar, maximum, sqrt, where
from .._spatial.vectors import Vec3
from .bounds import Bound, Brake
from .contact_sums import ContactSums
from .convex_problem import ConvexProblem
from .friction_cone import BALANCE
from .pair import Pair
from .pair_slots import PairSlots
from .step_solvers import ArticulatedSolver, MatrixSolver, gather
from .world_columns import WorldColumns

ENDLESS = 1e300
"""How far impulses are from the law where nobody asks."""
PASSES = 60
"""After so many the search is given up."""
BOLD = 8
"""So many are taken as a whole wherever they lead; most searches end before."""
LESS = 0.9
"""Part that is left at most, of how far impulses are from the law, of a later pass that is taken
as a whole."""
FALLS, HALVED = 0.1, 8
"""Others are halved until that falls by this and the part that is taken, or as often."""
CRAWLS, PATIENCE = 1.0 / 16.0, 6
"""Passes of which a smaller part is taken lead nowhere; after more of them than this z is weighed
otherwise, and after as many again the search is given up."""
OTHERWISE = 0.1 * BALANCE
"""How velocities count beside impulses in z then: no solution depends on it, the way there does."""
EXACT = 1e-8
"""Part of what contact changes that may be off, as energies' square roots."""


class Trial(NamedTuple):
    """Where the search is.

    Attributes:
        z: what says of each point what it does, group by group.
        points: impulses of points.
        at_bounds: what says of each bound whether it pushes.
        pushes: impulses of bounds.
        change: of velocities from those without contact.
        taken: what equations take of each coordinate.
        multipliers: those of equations.
    """

    z: list[Any]
    points: list[Any]
    at_bounds: list[Scalar]
    pushes: list[Scalar]
    change: list[Scalar]
    taken: list[Scalar]
    multipliers: list[Scalar]


class Search(NamedTuple):
    """What a pass hands to the next.

    Attributes:
        here: where it is.
        worst: the largest impulse that is off.
        settled: whether impulses obey the law.
        least: how far they were from it at the least, as an energy.
        since: passes since z was weighed anew.
        balance: how velocities count beside impulses in z; zero where it is given up.
        crawled: of those passes, the ones that led nowhere.
    """

    here: Trial
    worst: Scalar
    settled: Scalar
    least: Scalar
    since: Scalar
    balance: Scalar
    crawled: Scalar


class Impulses(NamedTuple):
    """What a problem comes to.

    Attributes:
        v: velocities.
        points: impulses on the first body of each group, in world axes, point by point [N s].
        bounds: that of each bound.
        forces: those of both at coordinates.
        taken: what equations take of each coordinate.
        multipliers: those of equations.
        residual: the largest impulse of a point that is not by the law.
        iterations: passes.
    """

    v: list[Scalar]
    points: list[Any]
    bounds: list[Scalar]
    forces: list[Scalar]
    taken: list[Scalar]
    multipliers: list[Scalar]
    residual: Scalar
    iterations: Scalar


@dataclass(frozen=True)
class ContactProblem:
    """The problem.

    Attributes:
        free: velocities without contact.
        columns: how bodies move.
        groups: what may touch, and where.
        bounds: laws of scalar velocities.
        solver: of the equations of a step.
        convex: the same for the convex problem: factors of a symmetric matrix.
        equations: how many multipliers there are; None where there are no equations.
        apart: what solves the equations of a step in which no links touch each other, if that is
            another solver.
    """

    free: Sequence[Scalar]
    columns: WorldColumns
    groups: Sequence[Pair | PairSlots]
    bounds: Sequence[Bound | Brake]
    solver: MatrixSolver | ArticulatedSolver
    convex: MatrixSolver
    equations: int | None = None
    apart: ArticulatedSolver | None = None

    def solution(self, guess: Sequence[Scalar], impulses: Sequence[Any]) -> Impulses:
        """The solution, from velocities that go with impulses of points, as of the last step.

        Nothing is searched for where nothing would touch. What links do to each other is looked at
        where they touched before, or do so without it.
        """
        touches = self._touches()
        if self.apart is None:
            found = self._found(touches, guess, impulses)
        else:
            found = self._apart(touches, guess, impulses)
        (points, pushes, change, taken, multipliers, worst), passes = found
        sums = ContactSums()
        for group, own in zip(self.groups, points, strict=True):
            group.exert(own, sums)
        forces = self.columns.forces(sums.wrenches)
        for bound, f in zip(self.bounds, pushes, strict=True):
            bound.along.exert(forces, f)
        return Impulses(
            _sum(self.free, change), points, pushes, forces, taken or [0.0] * len(change),
            multipliers, worst, passes,
        )  # fmt: skip

    def _apart(
        self, touches: Scalar, guess: Sequence[Scalar], impulses: Sequence[Any]
    ) -> tuple[tuple, Scalar]:
        """The same without what links do to each other, if they do nothing then."""
        assert self.apart is not None
        pairs = [*zip(self.groups, impulses, strict=True)]
        among = [(group, own) for group, own in pairs if not group.to_world]
        met = reduce(maximum, (group.pushes(own) for group, own in among))
        world = [group for group in self.groups if group.to_world]
        alone = replace(self, groups=world, solver=self.apart, apart=None)
        known = [own for group, own in pairs if group.to_world]
        (points, *rest), passes, settled = alone._searched(touches * (1.0 - met), guess, known)
        V = self.columns.twists(_sum(self.free, rest[1]))
        meet = reduce(maximum, (group.touches(V) for group, _ in among))
        each = iter(points)
        points = [next(each) if g.to_world else g.nothing() for g in self.groups]
        again = where(met, touches, maximum(meet, touches * (1.0 - settled)))
        found = (points, *rest), passes
        return iterate(
            lambda _: (self._found(1.0, guess, impulses), 1.0), found, 1, again, name="links meet"
        ).values

    def _found(
        self, touches: Scalar, guess: Sequence[Scalar], impulses: Sequence[Any]
    ) -> tuple[tuple, Scalar]:
        """What all comes to where anything touches, and how many passes that took."""
        found, passes, settled = self._searched(touches, guess, impulses)
        found, more = self._convex(touches * (1.0 - settled), guess, found)
        return found, passes + more

    def _searched(
        self, touches: Scalar, guess: Sequence[Scalar], impulses: Sequence[Any]
    ) -> tuple[tuple, Scalar, Scalar]:
        """The same by Newton's method on the law, passes, and whether impulses obey it."""
        free, V = self.columns.twists(self.free), self.columns.twists(guess)
        z = [group.augmented(V, own) for group, own in zip(self.groups, impulses, strict=True)]
        at_bounds = [bound.along.velocity(self.free) for bound in self.bounds]
        nothing = [0.0] * len(self.free)

        def improve(search: Search) -> tuple[Search, Scalar]:
            here, since = search.here, search.since
            groups = [group.balanced(search.balance) for group in self.groups]
            own = replace(self, groups=groups)
            sums, forces = ContactSums(), list(nothing)
            laws = [bound.law(y) for bound, y in zip(self.bounds, here.at_bounds, strict=True)]
            for bound, (k, c) in zip(self.bounds, laws, strict=True):
                bound.along.exert(forces, c - k * bound.along.velocity(self.free))
                bound.along.stiffen(sums, k)
            gather(self.solver, groups, here.z, sums, lambda g, z: g.press(free, z, sums))
            rhs = _sum(forces, self.columns.forces(sums.wrenches))
            solved = self.solver.solve(sums, rhs)
            there, worst, settled = own._settled(free, here, laws, solved)
            late = where(settled, 0.0, since > BOLD - 1.5)
            least = where(since < BOLD, ENDLESS, search.least)
            there, least, part = self._nearer(late, here, there, least)
            crawled = where(part < CRAWLS, search.crawled + 1.0, search.crawled)
            found = Search(there, worst, settled, least, since + 1.0, search.balance, crawled)
            found = self._weighed(found)
            return found, maximum(settled, found.balance <= 0.0)

        none = [0.0] * len(self.bounds)
        ties = self._taken(nothing), [0.0] * (self.equations or 0)
        points = [group.nothing() for group in self.groups]
        trial = Trial(z, points, at_bounds, none, list(nothing), *ties)
        begin = Search(trial, 0.0, 1.0, ENDLESS, 0.0, BALANCE, 0.0)
        end, passes, _ = iterate(improve, begin, PASSES, touches, name="contact")
        _, points, _, *rest = end.here
        return (points, *rest, end.worst), passes, end.settled

    def _touches(self) -> Scalar:
        """Whether anything does anything at the velocities without contact."""
        V = self.columns.twists(self.free)
        found = reduce(maximum, (group.touches(V) for group in self.groups), 0.0)
        for bound in self.bounds:
            found = maximum(found, bound.touches(bound.along.velocity(self.free)))
        return found

    def _settled(
        self, free: Sequence, here: Trial, laws: Sequence, solved: Any
    ) -> tuple[Trial, Scalar, Scalar]:
        """What a pass comes to, the largest impulse that is off, and whether all is done."""
        change = list(solved.x)
        D = self.columns.twists(change)
        each = [group.settle(free, D, own) for group, own in zip(self.groups, here.z, strict=True)]
        off, work, worst = 0.0, 0.0, 0.0
        for own in each:
            off, work, worst = off + own.off, work + own.work, maximum(worst, own.worst)
        pushes, at_bounds = [], []
        for bound, (k, c) in zip(self.bounds, laws, strict=True):
            du = bound.along.velocity(change)
            u = bound.along.velocity(self.free) + du
            f = c - k * u
            y = bound.along.augmented(u, f)
            left = f - bound.nearest(y)
            off, work = off + bound.along.rho * left * left, work + f * du
            pushes.append(f)
            at_bounds.append(y)
        done = where(off <= EXACT * EXACT * work, 1.0, 0.0)
        taken = self._taken(solved.taken)
        there = Trial(
            [own.z for own in each], [own.impulses for own in each], at_bounds, pushes, change,
            taken, list(solved.multipliers),
        )  # fmt: skip
        return there, sqrt(worst), done

    def _taken(self, x: Sequence[Scalar]) -> list[Scalar]:
        """What equations take, where there are some."""
        return [] if self.equations is None else list(x)

    def _excess(self, here: Trial, there: Trial, part: Scalar) -> Scalar:
        """How far impulses are from the law, as an energy, a part of the way."""
        total: Scalar = 0.0
        each = zip(self.groups, here.z, here.points, there.z, there.points, strict=True)
        for group, z, f, to_z, to_f in each:
            total = total + group.excess((z, f), (to_z, to_f), part)
        ends = zip(self.bounds, here.at_bounds, here.pushes, there.at_bounds, there.pushes,
                   strict=True)  # fmt: skip
        for bound, y, f, to_y, to_f in ends:
            left = f + (to_f - f) * part - bound.nearest(y + (to_y - y) * part)
            total = total + bound.along.rho * left * left
        return total

    def _nearer(
        self, late: Scalar, here: Trial, there: Trial, least: Scalar
    ) -> tuple[Trial, Scalar, Scalar]:
        """Where impulses are nearer to the law than they were, how far, and which part that is."""

        def search(_: Any) -> tuple:
            def halve(values: tuple) -> tuple[tuple, Scalar]:
                part = 0.5 * values[0]
                now = self._excess(here, there, part)
                return (part, now), now < (1.0 - FALLS * part) * least

            whole = self._excess(here, there, 1.0)
            far = whole > LESS * least
            (part, now), _, _ = iterate(halve, (1.0, whole), HALVED, far, name="part of a pass")
            return (self._mixed(here, there, part), now, part), 1.0

        return iterate(search, (there, least, 1.0), 1, late, name="late pass").values

    def _weighed(self, search: Search) -> Search:
        """Goes on with velocities weighed otherwise in z, or gives up, where passes crawl."""
        following = where(search.balance > OTHERWISE, OTHERWISE, 0.0)

        def change(_: Any) -> tuple[tuple, float]:
            there, part = search.here, following / search.balance  # z - gamma goes by it
            pairs = zip(self.groups, there.z, there.points, strict=True)
            z = [group.mixed(own, points, part) for group, own, points in pairs]
            return (z, following, 0.0, 0.0), 1.0

        begin = search.here.z, search.balance, search.since, search.crawled
        crawls = search.crawled > PATIENCE - 0.5
        found = iterate(change, begin, 1, crawls, name="z weighed otherwise").values
        z, balance, since, crawled = found
        here = search.here._replace(z=z)
        return search._replace(here=here, balance=balance, since=since, crawled=crawled)

    def _mixed(self, here: Trial, there: Trial, part: Scalar) -> Trial:
        """A part of the way."""
        z, points = (
            [group.mixed(x, y, part) for group, x, y in zip(self.groups, *ends, strict=True)]
            for ends in ((here.z, there.z), (here.points, there.points))
        )
        rest = (mixed(y, x, part) for x, y in zip(here[2:], there[2:], strict=True))
        return Trial(z, points, *rest)

    def _convex(self, failed: Scalar, guess: Sequence[Scalar], otherwise: tuple) -> tuple:
        """What the convex problem comes to where Newton's method on the law failed, and passes."""

        def solve(_: Any) -> tuple:
            problem = ConvexProblem(self.free, self.columns, self.groups, self.bounds, self.convex,
                                    self.equations)  # fmt: skip
            return problem.minimum(guess if self.equations is None else self.free), 1.0

        return iterate(solve, (otherwise, 0.0), 1, failed, name="convex contact").values


def mixed(x: Any, y: Any, part: Scalar) -> Any:
    """y and a part of the way from it to x, number by number."""
    if isinstance(x, Array):
        return array([y[k] + part * (x[k] - y[k]) for k in range(len(x))])
    if isinstance(x, Vec3):
        return y + (x - y) * part
    if isinstance(x, Sequence):
        each = [mixed(a, b, part) for a, b in zip(x, y, strict=True)]
        return type(x)(*each) if hasattr(x, "_fields") else each
    return y + part * (x - y)


def _sum(x: Sequence[Scalar], y: Sequence[Scalar]) -> list[Scalar]:
    return [a + b for a, b in zip(x, y, strict=True)]
