"""Contact of a figure in a step: velocities, and impulses by Coulomb's law.

    A (v - free) = J^T gamma + G^T lambda,   gamma = P(z(v, gamma)) of points,

lambda likewise of bounds, and equations besides. By Newton's method on both, velocities and
impulses (AC91): z says of each point whether it is open, sticks or slides, which makes the law
linear; the equations of a step with such springs give velocities, these impulses and the next z.
There is no line search. A pass or two is what it takes from the impulses of the step before, and it
ends when impulses obey the law; where passes run in circles the convex problem is solved instead,
which always can be (`convex_problem.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

from .._graph.iterate import iterate
from .._spatial.scalar import Scalar, maximum, sqrt, where
from .bounds import Bound
from .contact_sums import ContactSums
from .convex_problem import ConvexProblem
from .pair import Pair
from .pair_slots import PairSlots
from .step_solvers import ArticulatedSolver, MatrixSolver
from .world_columns import WorldColumns

PASSES = 12
"""After so many the search is given up."""
EXACT = 1e-8
"""Part of what contact changes that may be off, as energies' square roots."""


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
        bounds: scalar inequalities.
        solver: of the equations of a step.
        convex: the same for the convex problem: factors of a symmetric matrix.
        equations: how many multipliers there are.
    """

    free: Sequence[Scalar]
    columns: WorldColumns
    groups: Sequence[Pair | PairSlots]
    bounds: Sequence[Bound]
    solver: MatrixSolver | ArticulatedSolver
    convex: MatrixSolver
    equations: int = 0

    def solution(self, guess: Sequence[Scalar], impulses: Sequence[Any]) -> Impulses:
        """The solution, from velocities that go with impulses of points, as of the last step.

        Nothing is searched for where nothing would touch.
        """
        free, touches = self.columns.twists(self.free), self._touches()
        V = self.columns.twists(guess)
        z = [group.augmented(V, own) for group, own in zip(self.groups, impulses, strict=True)]
        at_bounds = [bound.augmented(bound.along(self.free), 0.0) for bound in self.bounds]
        nothing = [0.0] * len(self.free)

        def improve(values: tuple) -> tuple[tuple, Scalar]:
            z, at_bounds = values[:2]
            sums, forces = ContactSums(), list(nothing)
            for group, own in zip(self.groups, z, strict=True):
                group.press(free, own, sums)
            pushing = [where(x > 0.0, 1.0 / b.R, 0.0)
                       for b, x in zip(self.bounds, at_bounds, strict=True)]  # fmt: skip
            for bound, k in zip(self.bounds, pushing, strict=True):
                bound.exert(forces, k * (bound.least - bound.along(self.free)))
                bound.stiffen(sums, k)
            rhs = _sum(forces, self.columns.forces(sums.wrenches))
            found = self.solver.solve(sums, rhs)
            rest, done = self._settled(free, z, pushing, found.x)
            ties = list(found.taken or nothing) if self.equations else [], list(found.multipliers)
            return (*rest, list(found.x), *ties), done

        points = [group.nothing() for group in self.groups]
        none = [0.0] * len(self.bounds)
        ties = list(nothing) if self.equations else [], [0.0] * self.equations
        begin = z, at_bounds, points, none, 0.0, list(nothing), *ties
        found = iterate(improve, begin, PASSES, touches, name="contact")
        _, _, points, pushes, worst, change, taken, multipliers = found.values
        failed = touches * (1.0 - found.converged)
        rest = self._convex(failed, (points, pushes, worst, change, taken, multipliers))
        (points, pushes, worst, change, taken, multipliers), more = rest
        sums = ContactSums()
        for group, own in zip(self.groups, points, strict=True):
            group.exert(own, sums)
        forces = self.columns.forces(sums.wrenches)
        for bound, f in zip(self.bounds, pushes, strict=True):
            bound.exert(forces, f)
        return Impulses(
            _sum(self.free, change), points, pushes, forces, taken or nothing, multipliers, worst,
            found.iterations + more,
        )  # fmt: skip

    def _touches(self) -> Scalar:
        """Whether anything does anything at the velocities without contact."""
        V = self.columns.twists(self.free)
        found = reduce(maximum, (group.touches(V) for group in self.groups), 0.0)
        for bound in self.bounds:
            found = where(bound.along(self.free) < bound.least, 1.0, found)
        return found

    def _settled(
        self, free: Sequence, z: Sequence, pushing: Sequence[Scalar], change: Sequence[Scalar]
    ) -> tuple[tuple, Scalar]:
        """z and impulses of points and of bounds, the largest that is off; whether all is done."""
        D = self.columns.twists(change)
        each = [group.settle(free, D, own) for group, own in zip(self.groups, z, strict=True)]
        off, work, worst = 0.0, 0.0, 0.0
        for own in each:
            off, work, worst = off + own.off, work + own.work, maximum(worst, own.worst)
        pushes, at_bounds = [], []
        for bound, k in zip(self.bounds, pushing, strict=True):
            du = bound.along(change)
            u = bound.along(self.free) + du
            f = k * (bound.least - u)
            x = bound.augmented(u, f)
            left = f - maximum(x, 0.0)
            off, work = off + bound.rho * left * left, work + f * du
            pushes.append(f)
            at_bounds.append(x)
        done = where(off <= EXACT * EXACT * work, 1.0, 0.0)
        z, points = [own.z for own in each], [own.impulses for own in each]
        return (z, at_bounds, points, pushes, sqrt(worst)), done

    def _convex(self, failed: Scalar, otherwise: tuple) -> tuple:
        """What the convex problem comes to where Newton's method on the law failed, and passes."""

        def solve(_: Any) -> tuple:
            problem = ConvexProblem(self.free, self.columns, self.groups, self.bounds, self.convex,
                                    self.equations)  # fmt: skip
            return problem.minimum(), 1.0

        return iterate(solve, (otherwise, 0.0), 1, failed, name="convex contact").values


def _sum(x: Sequence[Scalar], y: Sequence[Scalar]) -> list[Scalar]:
    return [a + b for a, b in zip(x, y, strict=True)]
