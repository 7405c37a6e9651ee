"""A program with a logarithmic barrier at its bounds, where it stands, and how far from optimal."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .condensed_kkt import CondensedFactor, CondensedSystem, Linearised, direction
from .scaled_program import ScaledProgram, Values

Array = np.ndarray

PUSHED = 1e-2
"""How far from bounds a search starts, beside their size and their distance."""
TINY = 1e-16
"""Distances from bounds are at least this, beside the bounds' size."""
USUAL, MOST_USUAL = 100.0, 1e6
"""Residuals are taken beside multipliers, where these are larger than this, but not beyond."""
WIDER, ROUNDED = 0.1, 1e-14
"""Bounds are wider by this part of the tolerance, so that there always is an inside, and by no less
than this part of their size."""
HELD = 1e-5
"""Slope of what holds unknowns with one bound, beside the barrier."""


class Iterate(NamedTuple):
    """A point.

    Attributes:
        at: x, f and c.
        w: coordinates of x, then slacks s.
        r: c - s.
        below: distances from lower bounds.
        above: distances to upper bounds.
        away: what keeps those with one bound from going on for ever, a small part of distances.
    """

    at: Values
    w: Array
    r: Array
    below: Array
    above: Array
    away: float

    @property
    def violation(self) -> float:
        """Sum of |c - s|."""
        return float(np.abs(self.r).sum())

    def barrier_objective(self, mu: float) -> float:
        """f with the barrier."""
        logs = float(np.log(self.below).sum() + np.log(self.above).sum())
        return self.at.f + mu * (self.away - logs)


class Multipliers(NamedTuple):
    """Multipliers of rows, of lower bounds and of upper bounds."""

    y: Array
    lower: Array
    upper: Array


class Gradients(NamedTuple):
    """First derivatives: of f, and values of those of rows."""

    f: Array
    c: Array


class Step(NamedTuple):
    """A direction, of w and of multipliers."""

    w: Array
    y: Array
    lower: Array
    upper: Array


class BarrierProgram:
    """What a search needs of a program.

    Attributes:
        program: scaled.
        system: its linear algebra.
        lo: which of w have a lower bound, and move.
        up: which have an upper one.
        low: those bounds.
        high: those bounds.
    """

    def __init__(self, program: ScaledProgram, tolerance: float) -> None:
        self.program, self.system = program, CondensedSystem(program)
        moving = ~program.fixed
        self.lo = np.flatnonzero(moving & np.isfinite(program.lower))
        self.up = np.flatnonzero(moving & np.isfinite(program.upper))
        units = np.concatenate([np.ones(program.n), program.scale])
        wider = WIDER * tolerance * units
        self.low = (program.lower - np.maximum(wider, ROUNDED * np.abs(program.lower)))[self.lo]
        self.high = (program.upper + np.maximum(wider, ROUNDED * np.abs(program.upper)))[self.up]
        self.single = (
            HELD * np.isinf(program.upper[self.lo]), HELD * np.isinf(program.lower[self.up])
        )  # fmt: skip
        self.least = (TINY * np.maximum(1.0, np.abs(self.low)),
                      TINY * np.maximum(1.0, np.abs(self.high)))  # fmt: skip

    def iterate(self, x: Array, s: Array) -> Iterate | None:
        """Where x and s are, or None where functions have no value."""
        at = self.program.values(x)
        if at is None:
            return None
        w = np.concatenate([at.coordinates, s])
        below = np.maximum(w[self.lo] - self.low, self.least[0])
        above = np.maximum(self.high - w[self.up], self.least[1])
        away = float(self.single[0] @ below + self.single[1] @ above)
        return Iterate(at, w, at.c - s, below, above, away)

    def inside(self, w: Array, pushed: float = PUSHED) -> Array:
        """The nearest w that is strictly between its bounds."""
        lower, upper = self.program.lower, self.program.upper
        below, above = np.isfinite(lower), np.isfinite(upper)
        low, high = np.where(below, lower, 0.0), np.where(above, upper, 0.0)
        room = np.where(below & above, pushed * (high - low), np.inf)
        least = low + np.minimum(pushed * np.maximum(1.0, np.abs(low)), room)
        most = high - np.minimum(pushed * np.maximum(1.0, np.abs(high)), room)
        kept = np.clip(w, np.where(below, least, -np.inf), np.where(above, most, np.inf))
        return np.where(self.program.fixed, lower, kept)

    def stepped(self, it: Iterate, dw: Array, size: float) -> Iterate | None:
        """Where a part of a step leads."""
        n = self.program.n
        return self.iterate(
            self.program.moved(it.at.x, size * dw[:n]), it.w[n:] + size * dw[n:]
        )  # fmt: skip

    def pushes(self, it: Iterate, mu: float) -> tuple[Array, Array]:
        """How the barrier pushes away from lower and from upper bounds."""
        return mu * (1.0 / it.below - self.single[0]), mu * (1.0 / it.above - self.single[1])

    def gradients(self, x: Array) -> Gradients | None:
        """First derivatives, or None where they are not numbers."""
        found = Gradients(self.program.gradient(x), self.program.jacobian(x))
        return found if all(np.all(np.isfinite(g)) for g in found) else None

    def stiffness(self, it: Iterate, m: Multipliers) -> Array:
        """Multipliers over distances, of all of w."""
        sigma = np.zeros(len(it.w))
        sigma[self.lo] += m.lower / it.below
        sigma[self.up] += m.upper / it.above
        return sigma

    def bound_forces(self, lower: Array, upper: Array) -> Array:
        """What multipliers of bounds add to the gradient by w."""
        found = np.zeros(self.program.n + self.program.m)
        found[self.lo] -= lower
        found[self.up] += upper
        return found

    def gradient(self, at: Linearised, f: Array, y: Array, lower: Array, upper: Array) -> Array:
        """Of the Lagrangian by w; nothing where w does not move."""
        found = self.bound_forces(lower, upper)
        found[: self.program.n] += f + at.transposed @ y
        found[self.program.n :] -= y
        found[self.program.fixed] = 0.0
        return found

    def error(self, it: Iterate, slope: Array, m: Multipliers, mu: float) -> float:
        """How far from the solution with this barrier, the greatest of all conditions' errors."""
        bounds = float(m.lower.sum() + m.upper.sum())
        many = len(m.lower) + len(m.upper)
        every = (bounds + float(np.abs(m.y).sum())) / max(1, many + len(m.y))
        apart = [it.below * m.lower - mu, it.above * m.upper - mu]
        return max(
            _largest(slope) / _beside(every),
            _largest(it.r),
            max(map(_largest, apart)) / _beside(bounds / max(1, many)),
        )

    def newton(
        self,
        it: Iterate,
        m: Multipliers,
        mu: float,
        factor: CondensedFactor,
        slope: Array,
        r: Array,
    ) -> Step:
        """Newton's direction, where `slope` is the gradient with mu over distances."""
        dw, dy = direction(factor, -slope, -r, self.program.equal)
        dw[self.program.fixed] = 0.0
        lower = (mu - m.lower * dw[self.lo]) / it.below - m.lower
        upper = (mu + m.upper * dw[self.up]) / it.above - m.upper
        return Step(dw, dy, lower, upper)

    def longest(self, it: Iterate, m: Multipliers, step: Step, kept: float) -> tuple[float, float]:
        """Greatest parts of a step that keep distances, and multipliers, positive."""
        primal = min(
            _part(it.below, step.w[self.lo], kept), _part(it.above, -step.w[self.up], kept)
        )
        return primal, min(_part(m.lower, step.lower, kept), _part(m.upper, step.upper, kept))


def _beside(size: float) -> float:
    """What residuals are divided by where multipliers have this size."""
    return min(max(USUAL, size), MOST_USUAL) / USUAL


def _part(x: Array, change: Array, kept: float) -> float:
    """The most of a change, up to 1, that leaves a part 1 - kept of all x."""
    if not len(x):
        return 1.0
    most = np.max(-change / x)
    return 1.0 if most <= kept else float(kept / most)


def _largest(x: Array) -> float:
    return float(np.abs(x).max(initial=0.0))
