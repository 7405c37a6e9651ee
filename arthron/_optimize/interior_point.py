"""A primal-dual interior-point method with a filter (WB06)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import ModelError
from .condensed_kkt import CondensedFactor, Linearised, direction
from .iteration_line import IterationLine
from .log_barrier import PUSHED, BarrierProgram, Gradients, Iterate, Multipliers, Step
from .optimum import Optimum
from .restoration import Restoration, bounded
from .step_filter import Found, LineSearch, StepFilter

Array = np.ndarray

FIRST, WARM = 0.1, 1e-6
"""The barrier's first parameter, and the distance from bounds, of a warm start."""
SLOWER, FASTER, FOLLOWED = 0.2, 1.5, 10.0
"""The next one is the less of a part and a power of it, once errors are so many times as large."""
LAST = 0.1
"""Part of the tolerance that the barrier's parameter ends at."""
KEPT = 0.99
"""Part of distances from bounds that a step may use up, or 1 - mu if that is more."""
ACCEPTABLE, PATIENCE = 1e-6, 15
"""A search that is this near for so many steps, and gets no nearer, has stalled."""
POLISHED = 3
"""Steps that are taken to hold rows that were scaled down to the tolerance as they were given."""
RAISED, QUICKLY, SLOWLY, LOWERED = 1e-4, 100.0, 8.0, 1.0 / 3.0
"""What is added to indefinite Hessians: at first, and by what it grows at first and later, and
shrinks."""
LEAST_RAISED, MOST_RAISED = 1e-20, 1e40
"""The bounds of that."""
LARGE = 1e3
"""Multipliers found by least squares that are larger start at nothing."""
ENOUGH, NEARLY = 0.5, 1e-5
"""Parts of the violation at which a restoration may end, and the second chance of a search."""
WILD = 1e7
"""Multipliers that grow beyond this, far from feasible points, are those of contradictions."""
UNBOUNDED = 1e15
"""Objectives below minus this, or unknowns beyond it, go on for ever."""
SHORT, MUCH, LITTLE = 0.1, 0.9, 0.9999
"""Steps cut to less than this part give way to longer ones that leave that part of all errors, and
where none is acceptable, to any that leave less than all."""
REPEATED = 4
"""How often a step that leads nowhere is tried again with a stiffer Hessian."""


class InteriorPoint:
    """One search.

    Attributes:
        it: where it is.
        m: multipliers there.
        mu: the barrier's parameter.
        count: steps so far.
        residual: error of the conditions of optimality.
    """

    def __init__(self, barrier: BarrierProgram, start: Array, tolerance: float, most: int) -> None:
        self.barrier, self.tolerance, self.most = barrier, tolerance, most
        self.mu, self.count, self.residual = FIRST, 0, np.inf
        self.raised, self.last_raised, self.near = 0.0, 0.0, 0
        self.held = 0
        self.it, self.gradients = self.begun(start)
        self.first, self.again = (self.it, self.gradients), False
        self.points = StepFilter(self.it.violation)
        self.m = Multipliers(
            np.zeros(barrier.program.m), np.ones(len(barrier.lo)), np.ones(len(barrier.up))
        )

    def begun(self, start: Array, pushed: float = PUSHED) -> tuple[Iterate, Gradients]:
        """The start, moved to where all bounds are held if functions have values there."""
        barrier, program = self.barrier, self.barrier.program
        t = program.coordinates(start)
        step = barrier.inside(np.concatenate([t, np.zeros(program.m)]), pushed)[: program.n] - t
        for x in (program.moved(start, step), start) if np.any(step) else (start,):
            at, gradients = program.values(x), barrier.gradients(x)
            if at is not None and gradients is not None:
                w = np.concatenate([at.coordinates, at.c])
                it = barrier.iterate(x, barrier.inside(w, pushed)[program.n :])
                if it is not None:
                    return it, gradients
        raise ModelError(
            "functions have values at the start but not within the bounds near it. Start further "
            "inside."
        )

    def warm_from(self, warm: Optimum) -> None:
        """Begin with the multipliers that another search ended with."""
        program, barrier = self.barrier.program, self.barrier
        self.mu = WARM
        self.it, self.gradients = self.begun(warm.x, WARM)
        y = warm.multipliers[program.kept] * program.factor / program.scale
        lower = np.concatenate([warm.lower_multipliers * program.factor, np.maximum(-y, 0.0)])
        upper = np.concatenate([warm.upper_multipliers * program.factor, np.maximum(y, 0.0)])
        m = Multipliers(y, lower[barrier.lo], upper[barrier.up])
        floor = Multipliers(y, WARM / self.it.below, WARM / self.it.above)
        self.m = Multipliers(y, np.maximum(m.lower, floor.lower), np.maximum(m.upper, floor.upper))
        self.points = StepFilter(self.it.violation)

    def run(self, line: IterationLine) -> str:
        """The status at which it ends."""
        if not np.any(self.m.y):
            self.m = self.m._replace(y=self.estimated())
        while True:
            at = self.linearised()
            status = self.verdict(at)
            line.show(self.count, self.it, self.barrier.program, self.residual)
            if status:
                return status
            self.lower_barrier(at)
            status = self.advance(at, line)
            self.count += 1
            if status == "infeasible" and not self.again:
                status = self.begin_again(line)
            if status:
                return status

    def begin_again(self, line: IterationLine) -> str:
        """Go to where constraints nearly hold from the start, which may not end where it was."""
        there = self.it, self.gradients, self.m
        self.again, self.mu = True, FIRST
        self.it, self.gradients = self.first
        self.points = StepFilter(self.it.violation)
        status = self.restored(line, NEARLY)
        if status and there[0].violation < self.it.violation:
            self.it, self.gradients, self.m = there
        return status

    def linearised(self) -> Linearised:
        """Derivatives where it is.

        Inequalities bend the Lagrangian by the multipliers of their bounds, which have the right
        sign all along, so that convex ones make it no less convex.
        """
        program, barrier = self.barrier.program, self.barrier
        bounds = np.zeros(program.n + program.m)
        bounds[barrier.up] += self.m.upper
        bounds[barrier.lo] -= self.m.lower
        y = np.where(program.equal, self.m.y, bounds[program.n :])
        hessian = program.hessian(self.it.at.x, y)
        return self.barrier.system.linearised(hessian, self.gradients.c)

    def slope(self, at: Linearised) -> Array:
        """Gradient of the Lagrangian."""
        return self.barrier.gradient(at, self.gradients.f, self.m.y, self.m.lower, self.m.upper)

    def verdict(self, at: Linearised) -> str:
        """The status, if it ends here."""
        program = self.barrier.program
        self.residual = self.barrier.error(self.it, self.slope(at), self.m, 0.0)
        worst = float(np.max(np.abs(self.it.r) / program.scale, initial=0.0))
        if self.residual <= self.tolerance:
            self.held += 1
            if worst <= (1.0 if self.held <= POLISHED else 100.0) * self.tolerance:
                return "solved"
        if self.it.at.f < -UNBOUNDED or np.max(np.abs(self.it.w)) > UNBOUNDED:
            return "unbounded"
        if self.count >= self.most:
            return "too many iterations"
        self.near = self.near + 1 if self.residual <= max(ACCEPTABLE, self.tolerance) else 0
        return "stalled" if self.near > PATIENCE else ""

    def lower_barrier(self, at: Linearised) -> None:
        """Smaller parameters, for as long as the point is good enough for them."""
        least, slope = LAST * self.tolerance, self.slope(at)
        while self.mu > least:
            if self.barrier.error(self.it, slope, self.m, self.mu) > FOLLOWED * self.mu:
                return
            self.mu = max(least, min(SLOWER * self.mu, self.mu**FASTER))
            self.points.clear()

    def factored(self, at: Linearised, least: float) -> CondensedFactor | None:
        """Factors of the Hessian, made definite if it is not."""
        program, n = self.barrier.program, self.barrier.program.n
        sigma = self.barrier.stiffness(self.it, self.m)
        diagonal, slack = np.where(program.fixed[:n], 1.0, sigma[:n]), sigma[n:]
        self.raised, softness = least, self.barrier.system.softness(at)
        while self.raised < MOST_RAISED:
            found = self.barrier.system.factored(at, diagonal + self.raised * softness, slack)
            if found is not None:
                if self.raised:
                    self.last_raised = self.raised
                return found
            if self.raised > least:
                self.raised *= SLOWLY if self.last_raised else QUICKLY
            elif self.last_raised:
                self.raised = max(LEAST_RAISED, 2.0 * least, LOWERED * self.last_raised)
            else:
                self.raised = max(RAISED, 2.0 * least)
        return None

    def advance(self, at: Linearised, line: IterationLine) -> str:
        """One step, or the status if there is none."""
        barrier, it, mu, least = self.barrier, self.it, self.mu, 0.0
        kept = max(KEPT, 1.0 - mu)
        pushes, f = barrier.pushes(it, mu), self.gradients.f
        slope = barrier.gradient(at, f, self.m.y, *pushes)
        down = barrier.gradient(at, f, np.zeros(len(self.m.y)), *pushes)
        for _ in range(REPEATED):
            factor = self.factored(at, least)
            if factor is None:
                break
            step = barrier.newton(it, self.m, mu, factor, slope, it.r)
            search = LineSearch(barrier, self.points, mu, it, float(down @ step.w))
            primal, dual = barrier.longest(it, self.m, step, kept)

            def correct(r: Array, factor: CondensedFactor = factor) -> tuple[Array, float]:
                again = barrier.newton(it, self.m, mu, factor, slope, r)
                return again.w, barrier.longest(it, self.m, again, kept)[0]

            found = search.run(step, primal, correct)
            if found is not None:
                search.remember(found)
                if found.size < SHORT * primal and self.softened(step, min(primal, dual), MUCH):
                    return ""
                self.move(found, step, dual)
                wild = np.max(np.abs(self.m.y), initial=0.0) > WILD
                return self.restored(line) if wild and self.it.violation > ACCEPTABLE else ""
            if self.softened(step, min(primal, dual), LITTLE):
                return ""
            if it.violation > 1e-2 * self.tolerance:
                break
            least = max(1e-4, 10.0 * self.raised)
        if it.violation > 1e-2 * self.tolerance:
            return self.restored(line)
        return "stalled"

    def move(self, found: Found, step: Step, dual: float) -> None:
        """Go where a search led."""
        self.it, self.gradients = found.iterate, found.gradients
        m = Multipliers(
            self.m.y + found.size * step.y,
            self.m.lower + dual * step.lower,
            self.m.upper + dual * step.upper,
        )
        self.m = bounded(m, self.it, self.mu)

    def softened(self, step: Step, size: float, part: float) -> bool:
        """Take a step that leaves this part of all errors, though the filter may forbid it."""
        barrier = self.barrier
        trial = barrier.stepped(self.it, step.w, size)
        gradients = None if trial is None else barrier.gradients(trial.at.x)
        if trial is None or gradients is None:
            return False
        m = Multipliers(
            self.m.y + size * step.y,
            self.m.lower + size * step.lower,
            self.m.upper + size * step.upper,
        )
        hessian = np.zeros(len(barrier.program.hessian_entries.rows))
        at = barrier.system.linearised(hessian, gradients.c)
        after = barrier.gradient(at, gradients.f, m.y, m.lower, m.upper)
        before = barrier.gradient(
            barrier.system.linearised(hessian, self.gradients.c),
            self.gradients.f, self.m.y, self.m.lower, self.m.upper,
        )  # fmt: skip
        if not self.total(trial, m, after) <= part * self.total(self.it, self.m, before):
            return False
        self.it, self.gradients, self.m = trial, gradients, bounded(m, trial, self.mu)
        return True

    def total(self, it: Iterate, m: Multipliers, slope: Array) -> float:
        """Sum of the errors of all conditions."""
        apart = (slope, it.r, it.below * m.lower - self.mu, it.above * m.upper - self.mu)
        return float(sum(np.abs(x).sum() for x in apart))

    def estimated(self) -> Array:
        """Multipliers of rows by least squares of the Lagrangian's gradient."""
        barrier, program = self.barrier, self.barrier.program
        if not program.m:
            return np.zeros(0)
        hessian = np.zeros(len(program.hessian_entries.rows))
        at = barrier.system.linearised(hessian, self.gradients.c)
        ones = np.where(program.equal, 0.0, 1.0)
        factor = barrier.system.factored(at, np.ones(program.n), ones)
        if factor is None:
            return np.zeros(program.m)
        slope = barrier.gradient(
            at, self.gradients.f, np.zeros(program.m), self.m.lower, self.m.upper
        )  # fmt: skip
        _, y = direction(factor, -slope, np.zeros(program.m), program.equal)
        return y if np.max(np.abs(y), initial=0.0) <= LARGE else np.zeros(program.m)

    def restored(self, line: IterationLine, part: float = ENOUGH) -> str:
        """Go back to where constraints nearly hold."""
        barrier = self.barrier
        self.points.add(self.it.violation, self.it.barrier_objective(self.mu))
        restoration = Restoration(barrier, self.points, self.mu, self.most - self.count, part)

        def show(it: Iterate) -> None:
            self.it = it
            line.show(self.count, it, barrier.program, self.residual)

        found = restoration.run(self.it, self.gradients, self.tolerance, show)
        self.it, self.gradients = found.iterate, found.gradients
        self.count += found.steps
        if not found.feasible:
            many = "too many iterations" if self.count >= self.most else "stalled"
            return "infeasible" if found.least else many
        m = Multipliers(self.m.y, self.mu / self.it.below, self.mu / self.it.above)
        self.m = m
        self.m = m._replace(y=self.estimated())
        return ""


def ended(search: InteriorPoint) -> Any:
    """Multipliers of the program as it was given: of constraints, lower and upper bounds."""
    barrier, program, m = search.barrier, search.barrier.program, search.m
    y = np.zeros(program.total)
    y[program.kept] = m.y * program.scale / program.factor
    lower, upper = np.zeros(len(search.it.w)), np.zeros(len(search.it.w))
    lower[barrier.lo], upper[barrier.up] = m.lower, m.upper
    n = program.n
    return y, lower[:n] / program.factor, upper[:n] / program.factor
