"""Contact of a figure as one convex problem in velocities, and Newton's method for it.

    min over v of (v - free)^T A (v - free) / 2 + sum of what each point and each bound stores,

subject to equations (CPH22). The slope of what points store is minus their impulses, so that at the
minimum A (v - free) = J^T gamma. There is one minimum, whatever rests on whatever: the matrix of
each pass is A and a positive semidefinite part, and exact line searches make every pass go down.

Sliding must not lift: the slip by which the wanted velocity is less follows v, for as many passes
as that takes where friction behaves, and then stays, so that the search ends everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

from .._graph.iterate import iterate
from .._spatial.inertia import ArticulatedInertia
from .._spatial.motions import Force, Motion
from .._spatial.scalar import Scalar, absolute, is_zero, maximum, where
from .._spatial.sums import axpy, dot, total
from .._spatial.vectors import Mat3, Vec3
from .cone import Cone
from .world_columns import WorldColumns, stiffness_at

MOST, FOLLOWED, SEARCHED = 60, 6, 30
"""Passes in all, those in which slips follow, and those of a line search."""
EXACT = 1e-7
"""Part of what contact changes that the last correction may be, as energies' square roots."""
FLAT = 1e-3
"""Part of the slope at its start that a line search may leave."""

FARTHEST = 1e6
"""As far as a line search may go, in corrections."""

Matrix = Sequence[Sequence[Scalar]]


class PointOnBodies(NamedTuple):
    """A point where body a touches body b, 0 being the world.

    Attributes:
        a: the first body.
        b: the second.
        r: where, from the origin of the columns.
        cone: what it does.
    """

    a: int
    b: int
    r: Vec3
    cone: Cone

    def velocity(self, V: Sequence[Motion]) -> Vec3:
        """How fast a moves there, seen from b, at twists of all bodies."""
        v = V[self.a] if not self.b else V[self.a] - V[self.b]
        return v.lin + v.ang.cross(self.r)


class Bound(NamedTuple):
    """G v >= least, by an impulse that is never negative.

    Attributes:
        G: coefficients, by coordinate.
        least: the least that G v should be.
        R: how much it gives way for one unit of impulse.
    """

    G: Mapping[int, Scalar]
    least: Scalar
    R: Scalar

    def along(self, v: Sequence[Scalar]) -> Scalar:
        """G v"""
        return dot(list(self.G.values()), [v[j] for j in self.G])

    def impulse(self, u: Scalar) -> tuple[Scalar, Scalar]:
        """The impulse at G v = u, and minus its slope."""
        on = u < self.least
        return where(on, self.least - u, 0.0) * (1.0 / self.R), where(on, 1.0 / self.R, 0.0)


class Impulses(NamedTuple):
    """What a problem comes to.

    Attributes:
        v: velocities.
        points: the impulse of each point on its first body, in world axes [N s].
        bounds: that of each bound.
        taken: what equations take of each coordinate.
        multipliers: those of equations.
        residual: largest impulse that is left over at a coordinate.
        iterations: passes of Newton's method.
    """

    v: list[Scalar]
    points: list[Vec3]
    bounds: list[Scalar]
    taken: list[Scalar]
    multipliers: list[Scalar]
    residual: Scalar
    iterations: Scalar


@dataclass(frozen=True)
class ContactProblem:
    """The problem.

    Attributes:
        A: symmetric positive definite.
        free: velocities without contact.
        columns: how bodies move.
        points: where they touch.
        bounds: scalar inequalities.
        solve: (H, b) -> (x, r, multipliers) with H x = b + r, where r is what equations take.
        equations: how many multipliers that is.
    """

    A: Matrix
    free: Sequence[Scalar]
    columns: WorldColumns
    points: Sequence[PointOnBodies]
    bounds: Sequence[Bound]
    solve: Callable[[Matrix, Sequence[Scalar]], tuple[Sequence[Scalar], ...]]
    equations: int = 0

    def minimum(self, guess: Sequence[Scalar]) -> Impulses:
        """The solution, from a guess; no pass is made where nothing touches without contact."""
        touches = self._touches()
        v = [where(touches, x, y) for x, y in zip(guess, self.free, strict=True)]

        def improve(values: tuple) -> tuple[tuple, Scalar]:
            v, momentum, slips, _, _, passes = values
            u = self._velocities(v)
            now = where(passes < FOLLOWED, 1.0, 0.0)
            slips = [where(now, p.cone.slip(x), s)
                     for p, x, s in zip(self.points, u, slips, strict=True)]  # fmt: skip
            at = self._answers(u, v, slips)
            g = [x - y for x, y in zip(momentum, self._forces(at), strict=True)]
            d, taken, multipliers = self.solve(self._hessian(at), [-x for x in g])
            Ad = _times(self.A, d)
            s = self._searched(u, v, slips, d, dot(d, momentum), dot(d, Ad), dot(d, g))
            v, momentum = axpy(s, d, v), axpy(s, Ad, momentum)
            change = dot(momentum, _difference(v, self.free))
            done = -dot(d, g) <= EXACT * EXACT * change
            return (v, momentum, slips, list(taken), list(multipliers), passes + 1.0), done

        each = zip(self.points, self._velocities(v), strict=True)
        slips = [point.cone.slip(u) for point, u in each]
        begin = v, _times(self.A, _difference(v, self.free)), slips, [0.0] * len(v)
        more = [0.0] * self.equations, 0.0
        found = iterate(improve, (*begin, *more), MOST, touches, name="contact")
        v, momentum, slips, taken, multipliers, _ = found.values
        at = self._answers(self._velocities(v), v, slips)
        left = _difference(_difference(momentum, self._forces(at)), taken)
        residual = reduce(maximum, map(absolute, left))
        return Impulses(v, at.points, at.bounds, taken, multipliers, residual, found.iterations)

    def _touches(self) -> Scalar:
        """Whether anything does anything at the velocities without contact."""
        found: Scalar = 0.0
        for point, u in zip(self.points, self._velocities(self.free), strict=True):
            found = where(point.cone.n.dot(u) < point.cone.wanted, 1.0, found)
        for bound in self.bounds:
            found = where(bound.along(self.free) < bound.least, 1.0, found)
        return found

    def _velocities(self, v: Sequence[Scalar]) -> list[Vec3]:
        V = self.columns.twists(v)
        return [point.velocity(V) for point in self.points]

    def _answers(self, u: Sequence[Vec3], v: Sequence[Scalar], slips: Sequence[Scalar]) -> _Answers:
        """What points and bounds do at velocities."""
        each = [p.cone.impulse(x, s) for p, x, s in zip(self.points, u, slips, strict=True)]
        pushes = [bound.impulse(bound.along(v)) for bound in self.bounds]
        gamma, G = ([x[k] for x in each] for k in (0, 1))
        return _Answers(gamma, G, [x for x, _ in pushes], [k for _, k in pushes])

    def _forces(self, at: _Answers) -> list[Scalar]:
        """J^T gamma of all."""
        wrenches: dict[int, Force] = {}
        for point, f in zip(self.points, at.points, strict=True):
            force = Force(point.r.cross(f), f)
            wrenches[point.a] = wrenches.get(point.a, Force()) + force
            if point.b:
                wrenches[point.b] = wrenches.get(point.b, Force()) - force
        found = self.columns.forces(wrenches)
        for bound, f in zip(self.bounds, at.bounds, strict=True):
            for j, x in bound.G.items():
                found[j] = found[j] + x * f
        return found

    def _hessian(self, at: _Answers) -> Matrix:
        """A + J^T G J"""
        to_world: dict[int, ArticulatedInertia] = {}
        between: dict[tuple[int, int], ArticulatedInertia] = {}
        for point, G in zip(self.points, at.slopes, strict=True):
            kept: Any = between if point.b else to_world
            key = (point.a, point.b) if point.b else point.a
            K = stiffness_at(point.r, G)
            kept[key] = kept[key] + K if key in kept else K
        H = self.columns.matrix(to_world, between)
        H = [[x + y for x, y in zip(*rows, strict=True)] for rows in zip(self.A, H, strict=True)]
        for bound, k in zip(self.bounds, at.bound_slopes, strict=True):
            for i, x in bound.G.items():
                for j, y in bound.G.items():
                    H[i][j] = H[i][j] + k * x * y
        return H

    def _searched(
        self, u: Sequence[Vec3], v: Sequence[Scalar], slips: Sequence[Scalar], d: Sequence[Scalar],
        along: Scalar, bend: Scalar, first: Scalar,
    ) -> Scalar:  # fmt: skip
        """How far to go along d: where what is minimised has no slope, by Newton in brackets.

        Without contact the slope there is `along` and `bend` times as far; at its start it is
        `first`, less than zero.
        """
        du = self._velocities(d)
        rates = [(bound, bound.along(v), bound.along(d)) for bound in self.bounds]

        def improve(values: tuple) -> tuple[tuple, Scalar]:
            s, low, high = values
            slope, curve = along + s * bend, bend
            for point, x, dx, slip in zip(self.points, u, du, slips, strict=True):
                gamma, G = point.cone.impulse(x + dx * s, slip)
                slope, curve = slope - dx.dot(gamma), curve + dx.dot(G @ dx)
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


class _Answers(NamedTuple):
    """What points and bounds do, and minus the slopes of that."""

    points: list[Vec3]
    slopes: list[Mat3]
    bounds: list[Scalar]
    bound_slopes: list[Scalar]


def _difference(x: Sequence[Scalar], y: Sequence[Scalar]) -> list[Scalar]:
    return [a - b for a, b in zip(x, y, strict=True)]


def _times(A: Matrix, x: Sequence[Scalar]) -> list[Scalar]:
    """A x, without the zeros of A."""
    return [total(a * b for a, b in zip(row, x, strict=True) if not is_zero(a)) for row in A]
