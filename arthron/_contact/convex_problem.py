"""Contact as one convex problem in velocities, and Newton's method for it, which always ends.

    min over v of (v - free)^T A (v - free) / 2 + sum of what each point and each bound stores,

subject to equations (CPH22). The slope of what points store is minus their impulses, so that at the
minimum A (v - free) = J^T gamma. There is one minimum, whatever rests on whatever: the matrix of
each pass is A and a positive semidefinite part, and exact line searches make every pass go down.

Sliding must not lift: the slip by which the wanted velocity is less follows v, some times up and
then only down, so that the search ends everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from .._graph.iterate import iterate
from .._spatial.scalar import Scalar, absolute, is_zero, maximum, where
from .._spatial.sums import axpy, dot, total
from .bounds import Bound, Brake
from .contact_sums import ContactSums
from .pair import Pair
from .pair_slots import PairSlots
from .step_solvers import MatrixSolver, gather
from .world_columns import WorldColumns

MOST, SEARCHED = 200, 30
"""Passes in all, and those of a line search."""
EXACT = 1e-8
"""Part of what contact changes that may be left over, as energies' square roots."""
SHORT = 1e-12
"""A correction this small beside velocities is nothing but rounding."""
FOLLOWED, ROUGH = 3, 0.1
"""How often slips follow velocities to more than they were, and which part of the energy that
contact changes a correction may have been before they do."""
DROPPED = 6
"""After so often, if slips are still too large, all are left out: points may lift in that step."""
LITTLE, MUCH = 1e-5, 0.05
"""Parts by which slips change that matter the first time and later."""
FLAT = 0.1
"""Part of the slope at its start that a line search may leave."""

FARTHEST = 1e6
"""As far as a line search may go, in corrections."""

Matrix = Sequence[Sequence[Scalar]]


@dataclass(frozen=True)
class ConvexProblem:
    """The problem.

    Attributes:
        free: velocities without contact.
        columns: how bodies move.
        groups: what may touch, and where.
        bounds: laws of scalar velocities.
        solver: of equations with symmetric positive definite matrices.
        equations: how many multipliers there are; None where there are no equations.
    """

    free: Sequence[Scalar]
    columns: WorldColumns
    groups: Sequence[Pair | PairSlots]
    bounds: Sequence[Bound | Brake]
    solver: MatrixSolver
    equations: int | None = None

    @property
    def A(self) -> Matrix:
        """The matrix of the step."""
        return self.solver.A

    def minimum(self, guess: Sequence[Scalar]) -> tuple[tuple, Scalar]:
        """The solution, from a guess that obeys the equations, and how many passes that took.

        It is (impulses, those of bounds, v - free, what equations take, their multipliers, largest
        that is left over).
        """
        v = list(guess)
        momentum = _times(self.A, _difference(v, self.free))
        V = self.columns.twists(v)
        slips = [group.slips(V) for group in self.groups]
        taken = [0.0] * len(v)

        def improve(values: tuple) -> tuple[tuple, Scalar]:
            v, momentum, slips, _, _, followed = values
            sums, forces = self._linearised(v, slips)
            g = _difference(momentum, forces)
            d, taken, multipliers = self.solver.solve(sums, [-x for x in g])
            Ad, slope = _times(self.A, d), dot(d, g)
            s, forces, now = self._searched(v, momentum, slips, d, Ad, slope)
            v, momentum = axpy(s, d, v), axpy(s, Ad, momentum)
            speed = total(row[j] * v[j] * v[j] for j, row in enumerate(self.A))
            short = dot(d, Ad) <= SHORT * SHORT * speed
            found = where(short, 1.0, 1.0 - self._off(v, momentum, forces, taken))
            near = where(-slope <= ROUGH * self._change(v, momentum), 1.0, found)
            slips, changed = self._followed(slips, now, near, followed)
            more = list(taken), list(multipliers), followed + changed
            return (v, momentum, slips, *more), found * (1.0 - changed)

        begin = v, momentum, slips, taken, [0.0] * (self.equations or 0), 0.0
        forces, _ = self._forces(v, slips)
        wrong = self._off(v, momentum, forces, taken)
        found = iterate(improve, begin, MOST, wrong, name="convex contact")
        v, momentum, slips, taken, multipliers, _ = found.values
        forces, _ = self._forces(v, slips)
        left = _difference(_difference(momentum, forces), taken)
        V = self.columns.twists(v)
        points = [group.impulses(V, own) for group, own in zip(self.groups, slips, strict=True)]
        pushes = [bound.impulse(bound.along.velocity(v))[0] for bound in self.bounds]
        most = reduce(maximum, map(absolute, left))
        change = _difference(v, self.free)
        taken = [] if self.equations is None else taken
        return (points, pushes, change, taken, multipliers, most), found.iterations

    def _change(self, v: Sequence[Scalar], momentum: Sequence[Scalar]) -> Scalar:
        """The square of what contact changes, in the norm of A."""
        return dot(momentum, _difference(v, self.free))

    def _forces(self, v: Sequence[Scalar], slips: Sequence) -> tuple[list[Scalar], list]:
        """J^T gamma, and how fast points slide."""
        sums, V = ContactSums(), self.columns.twists(v)
        now = [g.push(V, own, sums) for g, own in zip(self.groups, slips, strict=True)]
        forces = self.columns.forces(sums.wrenches)
        for bound in self.bounds:
            bound.along.exert(forces, bound.impulse(bound.along.velocity(v))[0])
        return forces, now

    def _off(self, v: Sequence, momentum: Sequence, forces: Sequence, taken: Sequence) -> Scalar:
        """Whether impulses do not fit velocities."""
        left = _difference(_difference(momentum, forces), taken)
        size = total(x * x / self.A[j][j] for j, x in enumerate(left))
        return where(size > EXACT * EXACT * self._change(v, momentum), 1.0, 0.0)

    def _linearised(self, v: Sequence[Scalar], slips: Sequence) -> tuple[ContactSums, list[Scalar]]:
        """What is added to A, and J^T gamma."""
        sums, V = ContactSums(), self.columns.twists(v)
        pushes = [bound.impulse(bound.along.velocity(v)) for bound in self.bounds]
        for bound, (_, k) in zip(self.bounds, pushes, strict=True):
            bound.along.stiffen(sums, k)
        gather(self.solver, self.groups, slips, sums, lambda g, own: g.linearise(V, own, sums))
        forces = self.columns.forces(sums.wrenches)
        for bound, (f, _) in zip(self.bounds, pushes, strict=True):
            bound.along.exert(forces, f)
        return sums, forces

    def _followed(
        self, slips: Sequence, now: Sequence, near: Scalar, followed: Scalar
    ) -> tuple[list, Scalar]:
        """Slips as they are now where that is `near` enough, and whether that changes any.

        Once they follow whatever the change, so that a body which goes on sliding is always as late
        with it; then only if there is much, and after a few times only to less: a point whose slip
        is too large would sink in.
        """
        same, rises = where(followed > 0.5, MUCH, LITTLE), followed < FOLLOWED
        falls = where(followed < DROPPED, 1.0, 0.0)
        each = [*zip(self.groups, slips, now, strict=True)]
        wrong: Scalar = 0.0
        for group, own, new in each:
            wrong = maximum(wrong, group.drifted(own, new, rises, same))
        wrong = where(near, wrong, 0.0)
        return [group.followed(own, new, wrong, rises, falls) for group, own, new in each], wrong

    def _searched(
        self, v: Sequence[Scalar], momentum: Sequence[Scalar], slips: Sequence,
        d: Sequence[Scalar], Ad: Sequence[Scalar], first: Scalar,
    ) -> tuple[Scalar, list[Scalar], list]:  # fmt: skip
        """(s, J^T gamma, slips now) s times as far as d, where what is minimised has little slope.

        At its start that is `first`, less than zero.
        """
        forces, now = self._forces(axpy(1.0, d, v), slips)
        along, bend = dot(d, momentum), dot(d, Ad)
        slope = along + bend - dot(d, forces)

        def search(_: tuple) -> tuple[tuple, float]:
            s = self._no_slope(v, slips, d, along, bend, first)
            return (s, *self._forces(axpy(s, d, v), slips)), 1.0

        steep = where(absolute(slope) > -FLAT * first, 1.0, 0.0)
        return iterate(search, (1.0, forces, now), 1, steep, name="line search").values

    def _no_slope(
        self, v: Sequence[Scalar], slips: Sequence, d: Sequence[Scalar], along: Scalar,
        bend: Scalar, first: Scalar,
    ) -> Scalar:  # fmt: skip
        """How far along d there is no slope, by Newton's method in brackets.

        Without contact the slope there is `along` and `bend` times as far.
        """
        V, D = self.columns.twists(v), self.columns.twists(d)
        rates = [(x, x.along.velocity(v), x.along.velocity(d)) for x in self.bounds]

        def improve(values: tuple) -> tuple[tuple, Scalar]:
            s, low, high = values
            slope, curve = along + s * bend, bend
            for group, own in zip(self.groups, slips, strict=True):
                more, bends = group.along(V, D, s, own)
                slope, curve = slope + more, curve + bends
            for bound, x, dx in rates:
                f, k = bound.impulse(x + dx * s)
                slope, curve = slope - dx * f, curve + k * dx * dx
            low, high = where(slope < 0.0, s, low), where(slope < 0.0, high, s)
            following = s - slope / curve
            inside = where(following > low, where(following < high, 1.0, 0.0), 0.0)
            done = absolute(slope) <= -FLAT * first
            middle = where(high < FARTHEST, 0.5 * (low + high), 2.0 * s)
            return (where(done, s, where(inside, following, middle)), low, high), done

        begin = 1.0, 0.0, FARTHEST
        (s, _, _), _, _ = iterate(improve, begin, SEARCHED, name="line search of contact")
        return s


def _difference(x: Sequence[Scalar], y: Sequence[Scalar]) -> list[Scalar]:
    return [a - b for a, b in zip(x, y, strict=True)]


def _times(A: Matrix, x: Sequence[Scalar]) -> list[Scalar]:
    """A x, without the zeros of A."""
    return [total(a * b for a, b in zip(row, x, strict=True) if not is_zero(a)) for row in A]
