"""A filter of points by violation and objective, and the search along a line that asks it.

Constants are those of WB06, whose names of them stand in brackets.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .log_barrier import BarrierProgram, Gradients, Iterate, Step

Array = np.ndarray
Correction = Callable[[Array], tuple[Array, float]]

LESS, LOWER = 1e-5, 1e-8
"""Parts by which violation or objective have to fall [gamma_theta, gamma_phi]."""
STEEP, HARD = 2.3, 1.1
"""Exponents of the condition that a step is for the objective [s_phi, s_theta]."""
ARMIJO = 1e-8
"""Part of the expected descent that has to come [eta_phi]."""
SHORTEST = 0.05
"""Part of the shortest step that could help at which the search ends [gamma_alpha]."""
CORRECTED, WORTH = 4, 0.99
"""Most second-order corrections, and what each has to leave of the violation [kappa_soc]."""
ROUNDING = 10.0 * np.finfo(float).eps
"""Part of the objective that rounding may hide."""


class StepFilter:
    """Points that no later one may be worse than in both ways."""

    def __init__(self, violation: float) -> None:
        self.most = 1e4 * max(1.0, violation)
        self.little = 1e-4 * max(1.0, violation)
        self.points: list[tuple[float, float]] = []

    def clear(self) -> None:
        """Forget all, as for another barrier."""
        self.points = []

    def add(self, violation: float, objective: float) -> None:
        """Keep later points from being worse than this."""
        self.points.append(((1.0 - LESS) * violation, objective - LOWER * violation))

    def accepts(self, violation: float, objective: float) -> bool:
        """Whether no point forbids this one."""
        if violation > self.most:
            return False
        return all(violation <= v or objective <= f for v, f in self.points)


class Found(NamedTuple):
    """A point that was accepted, its gradients, and the part of the step that led there."""

    iterate: Iterate
    gradients: Gradients
    size: float
    corrected: bool = False


class LineSearch:
    """One search along a direction.

    Attributes:
        slope: of the barrier's objective along it.
    """

    def __init__(
        self, barrier: BarrierProgram, points: StepFilter, mu: float, it: Iterate, slope: float
    ) -> None:
        self.barrier, self.points, self.mu, self.it, self.slope = barrier, points, mu, it, slope
        self.violation, self.objective = it.violation, it.barrier_objective(mu)
        self.rounding = ROUNDING * abs(self.objective)

    @property
    def shortest(self) -> float:
        """Size below which no step can be accepted."""
        size, down = LESS, -self.slope
        if down > 0.0:
            size = min(size, LOWER * self.violation / down)
            if self.violation <= self.points.little:
                size = min(size, self.violation**HARD / down**STEEP)
        return SHORTEST * size

    def for_objective(self, size: float) -> bool:
        """Whether a step is mainly for the objective (switching condition)."""
        down = -self.slope
        return down > 0.0 and size * down**STEEP > self.violation**HARD

    def accepted(self, trial: Iterate, size: float) -> bool:
        """Whether a point may be next."""
        violation, objective = trial.violation, trial.barrier_objective(self.mu)
        if not (np.isfinite(objective) and self.points.accepts(violation, objective)):
            return False
        if self.violation <= self.points.little and self.for_objective(size):
            return self.armijo(objective, size)
        gain = objective - self.objective - self.rounding
        return violation <= (1.0 - LESS) * self.violation or gain <= -LOWER * self.violation

    def armijo(self, objective: float, size: float) -> bool:
        """Whether the objective fell as the slope promised."""
        return objective - self.objective - self.rounding <= ARMIJO * size * self.slope

    def remember(self, found: Found) -> None:
        """Add where the search began to the filter, unless the step was for the objective."""
        objective = found.iterate.barrier_objective(self.mu)
        if not (self.for_objective(found.size) and self.armijo(objective, found.size)):
            self.points.add(self.violation, self.objective)

    def run(self, step: Step, longest: float, correct: Correction) -> Found | None:
        """The first acceptable point of halved steps.

        Args:
            step: the direction.
            longest: size of the first.
            correct: function of violations r that gives another direction that meets them, and
                its longest part.
        """
        size, shortest, first = longest, self.shortest, True
        while size >= shortest:
            trial = self.barrier.stepped(self.it, step.w, size)
            if trial is not None:
                found = self.taken(trial, size)
                if found is None and first and trial.violation >= self.violation:
                    found = self.corrected(trial, size, correct)
                if found is not None:
                    return found
            size, first = 0.5 * size, False
            if size < 1e-14:
                break
        return None

    def taken(self, trial: Iterate, size: float) -> Found | None:
        """The point, if it is acceptable and has gradients."""
        if not self.accepted(trial, size):
            return None
        gradients = self.barrier.gradients(trial.at.x)
        return None if gradients is None else Found(trial, gradients, size)

    def corrected(self, trial: Iterate, size: float, correct: Correction) -> Found | None:
        """An acceptable point after second-order corrections of what the step violated."""
        before, r = trial.violation, size * self.it.r + trial.r
        for _ in range(CORRECTED):
            dw, longest = correct(r)
            again = self.barrier.stepped(self.it, dw, longest)
            if again is None:
                return None
            found = self.taken(again, size)
            if found is not None:
                return found._replace(corrected=True)
            if again.violation > WORTH * before:
                return None
            before, r = again.violation, longest * r + again.r
        return None
