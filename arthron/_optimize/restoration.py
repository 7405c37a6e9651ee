"""The way back to where constraints nearly hold, by Newton's method for their squares.

min ½|c(x) - s|² with a barrier at bounds, by exact second derivatives, which end at a feasible
point or, as fast, at one where the violation is least and more than nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .bordered_band import solved_for
from .condensed_kkt import Linearised
from .log_barrier import BarrierProgram, Gradients, Iterate, Multipliers, Step
from .step_filter import StepFilter

Array = np.ndarray

STATIONARY = 1e-6
"""Part of the violation that its gradient is where it is least."""
SURE = 100.0
"""Violations of fewer tolerances may be of rounding, and say nothing."""
DAMPED, LEAST_DAMPED, MOST_DAMPED = 1e-4, 1e-10, 1e12
"""Damping of the first step, and its bounds."""


class Restored(NamedTuple):
    """Where a restoration ended.

    Attributes:
        iterate: the point.
        gradients: its.
        feasible: whether the search can go on from there.
        least: whether the violation is least there.
        steps: how many it took.
    """

    iterate: Iterate
    gradients: Gradients
    feasible: bool
    least: bool
    steps: int


class Restoration:
    """One restoration, from a point where no step of the search was acceptable."""

    def __init__(
        self, barrier: BarrierProgram, points: StepFilter, mu: float, most: int, part: float
    ) -> None:
        self.barrier, self.points, self.outer, self.most = barrier, points, mu, most
        self.part = part
        self.damping = DAMPED

    def run(
        self, it: Iterate, gradients: Gradients, tolerance: float, show: Callable[[Iterate], None]
    ) -> Restored:
        """Where it ends."""
        barrier, first = self.barrier, it.violation
        mu = min(self.outer, float(it.r @ it.r))
        m = Multipliers(it.r, mu / it.below, mu / it.above)
        for k in range(self.most):
            show(it)
            if k and self.good(it, first):
                return Restored(it, gradients, True, False, k)
            worst = float(np.max(np.abs(it.r), initial=0.0))
            hessian = barrier.program.hessian(it.at.x, it.r, 0.0)
            at = barrier.system.linearised(hessian, gradients.c)
            error = self.error(it, m, at, mu)
            while error <= 10.0 * mu and mu > 1e-4 * tolerance**1.5:
                mu *= 0.1
                error = self.error(it, m, at, mu)
            if self.error(it, m, at, 0.0) <= STATIONARY * worst or worst <= 1e-3 * tolerance:
                return Restored(it, gradients, False, worst > SURE * tolerance, k)
            found = self.step(it, m, at, mu)
            if found is None:
                return Restored(it, gradients, False, worst > SURE * tolerance, k)
            it, gradients, m = found
        return Restored(it, gradients, False, False, self.most)

    def good(self, it: Iterate, first: float) -> bool:
        """Whether the violation is much less, and the outer search may go on."""
        objective = it.barrier_objective(self.outer)
        return it.violation <= self.part * first and self.points.accepts(it.violation, objective)

    def error(self, it: Iterate, m: Multipliers, at: Linearised, mu: float) -> float:
        """How far from least."""
        slope = self.barrier.gradient(at, np.zeros(self.barrier.program.n), it.r, m.lower, m.upper)
        apart = np.concatenate([slope, it.below * m.lower - mu, it.above * m.upper - mu])
        return float(np.max(np.abs(apart), initial=0.0))

    def merit(self, it: Iterate, mu: float) -> float:
        """Half the squares with the barrier."""
        logs = np.log(it.below).sum() + np.log(it.above).sum()
        return 0.5 * float(it.r @ it.r) - mu * float(logs)

    def step(
        self, it: Iterate, m: Multipliers, at: Linearised, mu: float
    ) -> tuple[Iterate, Gradients, Multipliers] | None:
        """A step that makes the merit less, damped as much as it takes."""
        barrier, before = self.barrier, self.merit(it, mu)
        while self.damping <= MOST_DAMPED:
            step, slope = self.newton(it, m, at, mu)
            if step is None or slope >= 0.0:
                self.damping = max(10.0 * self.damping, DAMPED)
                continue
            size, sized = barrier.longest(it, m, step, 0.99)
            trial = barrier.stepped(it, step.w, size)
            gradients = None
            if trial is not None and self.merit(trial, mu) <= before + 1e-4 * size * slope:
                gradients = barrier.gradients(trial.at.x)
            if trial is not None and gradients is not None:
                self.damping = max(0.2 * self.damping, LEAST_DAMPED)
                m = Multipliers(trial.r, m.lower + sized * step.lower, m.upper + sized * step.upper)
                return trial, gradients, bounded(m, trial, mu)
            self.damping = max(10.0 * self.damping, DAMPED)
        return None

    def newton(
        self, it: Iterate, m: Multipliers, at: Linearised, mu: float
    ) -> tuple[Step | None, float]:
        """Newton's direction and the merit's slope along it, or None where it is not downhill.

        Slacks are eliminated: (S_s + 1) ds = J dx + r - their gradient.
        """
        barrier, program = self.barrier, self.barrier.program
        n, equal = program.n, program.equal
        slope = barrier.gradient(at, np.zeros(n), it.r, mu / it.below, mu / it.above)
        sigma = barrier.stiffness(it, m) + self.damping
        diagonal = np.where(program.fixed[:n], 1.0, sigma[:n])
        soft = np.where(equal, 1.0, sigma[n:] / (1.0 + sigma[n:]))
        factor = barrier.system.factored(at, diagonal, soft, np.ones(program.m))
        if factor is None:
            return None, 0.0
        # the gradient by slacks, less what it leads to at the best ds
        pushed = np.where(equal, 0.0, slope[n:] / (1.0 + sigma[n:]))
        dx = solved_for(factor.factor, -slope[:n] - at.transposed @ pushed)
        dx[program.fixed[:n]] = 0.0
        ds = np.where(equal, 0.0, (at.jacobian @ dx - slope[n:]) / (1.0 + sigma[n:]))
        dw = np.concatenate([dx, ds])
        lower = (mu - m.lower * dw[barrier.lo]) / it.below - m.lower
        upper = (mu + m.upper * dw[barrier.up]) / it.above - m.upper
        return Step(dw, np.zeros(0), lower, upper), float(slope @ dw)


def bounded(m: Multipliers, it: Iterate, mu: float, most: float = 1e10) -> Multipliers:
    """Multipliers of bounds not too far from mu over their distances."""
    return Multipliers(
        m.y,
        np.clip(m.lower, mu / (most * it.below), most * mu / it.below),
        np.clip(m.upper, mu / (most * it.above), most * mu / it.above),
    )
