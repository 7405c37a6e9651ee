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

MOST, SEARCHED = 60, 30
"""Passes in all, and those of a line search."""
EXACT = 1e-8
"""Part of what contact changes that may be left over, as energies' square roots."""
SHORT = 1e-12
"""A correction this small beside velocities is nothing but rounding."""
FOLLOWED, ROUGH = 3, 0.1
"""How often slips follow velocities, and which part of the energy that contact changes a correction
may have been before they do."""
SAME, STILL = 1e-5, 1e-8
"""Slips that differ by this part, or by so much [m/s], are as good as the same."""
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
        """The solution, from a guess; nothing is searched for where nothing would touch."""
        touches = self._touches()
        v = [where(touches, x, y) for x, y in zip(guess, self.free, strict=True)]
        momentum, size = _times(self.A, _difference(v, self.free)), self._inertias()
        slips = self._slips(self._velocities(v))
        taken = [0.0] * len(v)

        def off(v: list, momentum: list, slips: list, taken: list) -> Scalar:
            """Whether impulses do not fit velocities."""
            left = self._left(v, momentum, slips, taken)
            change = dot(momentum, _difference(v, self.free))
            return where(total(x * x / m for x, m in zip(left, size, strict=True))
                         > EXACT * EXACT * change, 1.0, 0.0)  # fmt: skip

        def improve(values: tuple) -> tuple[tuple, Scalar]:
            v, momentum, slips, _, _, followed = values
            u = self._velocities(v)
            at = self._answers(u, v, slips)
            g = _difference(momentum, self._forces(at))
            d, taken, multipliers = self.solve(self._hessian(at), [-x for x in g])
            Ad = _times(self.A, d)
            s = self._searched(u, v, slips, d, dot(d, momentum), dot(d, Ad), dot(d, g))
            v, momentum = axpy(s, d, v), axpy(s, Ad, momentum)
            speed = total(m * x * x for x, m in zip(v, size, strict=True))
            short = dot(d, Ad) <= SHORT * SHORT * speed
            found = where(short, 1.0, 1.0 - off(v, momentum, slips, list(taken)))
            change = dot(momentum, _difference(v, self.free))
            near = where(-dot(d, g) <= ROUGH * change, 1.0, found)
            slips, changed = self._followed(v, slips, where(followed < FOLLOWED, near, 0.0))
            more = list(taken), list(multipliers), followed + changed
            return (v, momentum, slips, *more), found * (1.0 - changed)

        begin = v, momentum, slips, taken, [0.0] * self.equations, 0.0
        wrong = touches * off(v, momentum, slips, taken)
        found = iterate(improve, begin, MOST, wrong, name="contact")
        v, momentum, slips, taken, multipliers, _ = found.values
        at = self._answers(self._velocities(v), v, slips)
        left = reduce(maximum, map(absolute, self._left(v, momentum, slips, taken)))
        return Impulses(v, at.points, at.bounds, taken, multipliers, left, found.iterations)

    def _inertias(self) -> list[Scalar]:
        return [row[j] for j, row in enumerate(self.A)]

    def _left(self, v: list, momentum: list, slips: list, taken: list) -> list[Scalar]:
        """Impulses that are left over."""
        at = self._answers(self._velocities(v), v, slips)
        return _difference(_difference(momentum, self._forces(at)), taken)

    def _slips(self, u: Sequence[Vec3]) -> list[Scalar]:
        return [point.cone.slip(x) for point, x in zip(self.points, u, strict=True)]

    def _followed(
        self, v: Sequence[Scalar], slips: Sequence[Scalar], near: Scalar
    ) -> tuple[list[Scalar], Scalar]:
        """Slips as they are at v where that is `near` enough, and whether that changes any.

        Where sliding is less, friction has to be more: slips go on by what that makes of them for
        a body that is pushed at its centre.
        """
        now = self._slips(self._velocities(v))
        wrong: Scalar = 0.0
        for s, x in zip(slips, now, strict=True):
            wrong = where(absolute(x - s) > SAME * x + STILL, near, wrong)
        found = []
        for point, s, x in zip(self.points, slips, now, strict=True):
            beyond = point.cone.mu * point.cone.mu * (x - s)
            found.append(where(wrong, maximum(x + beyond, 0.0), s))
        return found, wrong

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
