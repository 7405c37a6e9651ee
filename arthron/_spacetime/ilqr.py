"""iLQR: controls of least cost, by linear-quadratic steps along a motion (TET12, TMT14)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._figure.figure import Array
from .._optimize.iteration_line import IterationLine
from ..errors import SimulationError
from .control_pages import ControlPages, FeedbackLaw
from .feedback_gains import Feedback, LinearQuadratic, feedback

LENGTHS = 0.5 ** np.arange(8.0)
"""Parts of a change that are tried, in one call."""
SHARE, ROUNDING = 1e-4, 1e-13
"""Part of what is expected that a change has to gain, and of the cost that is rounding."""
RECENT, PATIENCE = 10, 50
"""How many lengths are remembered for when gains are rounding, and how many iterations of these may
pass without a smaller residual."""
FIRST, LARGEST, GROWTH = 1e-6, 1e10, 2.0
"""Damping where there is some, the most of it, and how fast its growth grows (TET12)."""


class Instance(NamedTuple):
    """The numbers of a control problem.

    Attributes:
        h: length of a step [s].
        limits: least and most controls, (2, nu).
        start: q and qd.
        running: numbers of the costs of steps.
        final: those of the costs of the end.
        parameters: of the scene.
    """

    h: float
    limits: Array
    start: tuple[Array, Array]
    running: Array
    final: Array
    parameters: Array


class ILQR:
    """A search, and how far it is.

    Args:
        pages: of the problem.
        data: its numbers.
        u: controls to begin with, (N, nu).
        second_order: whether second derivatives of steps are taken: differential dynamic
            programming, with costates of the motion itself, which is Newton's method.

    Attributes:
        q: configurations, (N + 1, nq).
        qd: velocities, (N + 1, nv).
        u: controls, (N, nu).
        gains: feedback gains, (N, nu, 2 nv).
        cost: what that costs.
        residual: largest derivative of the cost by a control that no limit holds, per second.
        count: iterations.
    """

    def __init__(self, pages: ControlPages, data: Instance, u: Array, second_order: bool) -> None:
        self.pages, self.data, self.second_order = pages, data, second_order
        nv = pages.model.nv
        self.gains = np.zeros((*u.shape, 2 * nv))
        self.residual, self.count, self._damping, self._growth = np.inf, 0, 0.0, 1.0
        self._lengths, self._least, self._idle = [1.0], np.inf, 0
        q, qd = (np.repeat(x[None], len(u), 0) for x in data.start)
        law = FeedbackLaw(q, qd, u, np.zeros_like(u), self.gains)
        q, qd, u, cost = self._rollouts(law)
        self.q, self.qd, self.u, self.cost = q[0], qd[0], u[0], float(cost[0])
        if not np.isfinite(self.cost):
            bad = np.flatnonzero(~np.isfinite(self.q).all(-1) | ~np.isfinite(self.qd).all(-1))
            when = f"is lost after {bad[0] * data.h:.3g} s" if len(bad) else "has no finite cost"
            raise SimulationError(
                f"the motion under the guess {when}. Give another `guess`, or a shorter `step`."
            )

    def run(self, tolerance: float, most: int, line: IterationLine) -> str:
        """Search, and say how it ended."""
        while True:
            along, exact = self._linearised()
            scale = 1.0 + np.abs(along.g[:, len(along.end) :]).max() / self.data.h
            line.write(self.count, self.cost, 0.0, self.residual)
            solved = self.residual <= tolerance * scale
            if solved or self.count >= most:
                self._take_gains(exact, along)
                return "solved" if solved else "too many iterations"
            if self._idle > PATIENCE or not self._improved(along, exact):
                self._take_gains(exact, along)
                return "stalled"
            self.count += 1

    def _take_gains(self, *models: LinearQuadratic) -> None:
        """Gains about the motion as it is, by the first model that has some."""
        for along in models:
            found = feedback(along, self._room, 0.0) or feedback(along, self._room, self._damping)
            if found is not None:
                self.gains = found.gains
                return

    @property
    def _room(self) -> Array:
        return self.data.limits[:, None] - self.u

    def _improved(self, along: LinearQuadratic, exact: LinearQuadratic) -> bool:
        """Whether some change is for the better; it is made."""
        if exact is not along:
            found = feedback(exact, self._room, 0.0)
            if found is not None and self._moved(found):
                return True
        while self._damping <= LARGEST:
            found = feedback(along, self._room, self._damping)
            if found is not None and self._moved(found):
                self._growth = min(1.0 / GROWTH, self._growth / GROWTH)
                less = self._damping * self._growth
                self._damping = less if less >= FIRST else 0.0
                return True
            self._growth = max(GROWTH, self._growth * GROWTH)
            self._damping = max(FIRST, self._damping * self._growth)
        return False

    def _moved(self, found: Feedback) -> bool:
        """Whether a part of a change lessens the cost as it should; then it is made."""
        law = FeedbackLaw(self.q[:-1], self.qd[:-1], self.u, found.change, found.gains)
        q, qd, u, costs = self._rollouts(law)
        costs = np.where(np.isfinite(costs), costs, np.inf)
        small = ROUNDING * (1.0 + abs(self.cost))
        enough = costs <= self.cost + SHARE * LENGTHS * found.slope + small
        if not enough.any():
            return False
        best = self._chosen(costs, enough, small)
        self.q, self.qd, self.u, self.gains = q[best], qd[best], u[best], found.gains
        self.cost = float(costs[best])
        return True

    def _chosen(self, costs: Array, enough: NDArray[np.bool_], small: float) -> int:
        """The length that gains most; where gains are rounding, the shortest of the last ones.

        Changes to first order may be many times too long, which the cost says while it has digits.
        """
        best = int(np.argmin(np.where(enough, costs, np.inf)))
        if costs[best] < self.cost - small:
            self._lengths = [*self._lengths[1 - RECENT :], LENGTHS[best]]
            self._least, self._idle = np.inf, 0
            return best
        fell = self.residual < self._least
        self._least, self._idle = min(self._least, self.residual), 0 if fell else self._idle + 1
        short = np.flatnonzero(enough & (LENGTHS <= min(self._lengths)))
        return int(short[0]) if len(short) else best

    def _rollouts(self, law: FeedbackLaw) -> tuple[Array, Array, Array, Array]:
        """Motions under parts of a law's change, with all of what they cost."""
        data = self.data
        q, qd, u, cost = self.pages.rollouts(
            data.start, law, LENGTHS, data.limits, data.h, data.running, data.parameters
        )
        return q, qd, u, cost + self.pages.final.values(self._end(q[:, -1], qd[:, -1]))[:, 0]

    def _end(self, q: Array, qd: Array) -> dict[str, Array]:
        """What the final cost is asked of."""
        t = np.full(len(q), len(self.gains) * self.data.h)
        return {"q": q, "qd": qd, "t": t, "numbers": np.tile(self.data.final, (len(q), 1))}

    def _linearised(self) -> tuple[LinearQuadratic, LinearQuadratic]:
        """The motion to first order and to the order wanted; the residual becomes known."""
        pages, data, N, nv = self.pages, self.data, len(self.u), self.pages.model.nv
        kept = [*range(2 * nv), *(2 * nv + k for k in pages.driven)]
        tau = np.zeros((N, nv))
        tau[:, pages.driven] = self.u
        state, steps = {"q": self.q[:-1], "qd": self.qd[:-1], "tau": tau}, np.arange(float(N))
        moment = state | {"t": steps * data.h, "numbers": np.tile(data.running, (N, 1))}
        change = state | {"q1": self.q[1:], "steps": steps, "h": np.full(N, data.h)}
        change["parameters"] = np.tile(data.parameters, (N, 1))
        end, one = self._end(self.q[-1:], self.qd[-1:]), np.ones((1, 1))
        along = LinearQuadratic(
            pages.change.slopes(change)[:, :, kept],
            data.h * pages.running.slopes(moment)[:, 0, kept],
            data.h * pages.running.second(moment, np.ones((N, 1)))[:, kept][:, :, kept],
            pages.final.slopes(end)[0, 0], pages.final.second(end, one)[0],
        )  # fmt: skip
        p = along.costates()
        slope = along.control_gradient(p)
        held = ((self.u <= data.limits[0]) & (slope > 0.0)) | (
            (self.u >= data.limits[1]) & (slope < 0.0)
        )
        self.residual = float(np.abs(np.where(held, 0.0, slope)).max() / data.h)
        if not self.second_order:
            return along, along
        bends = pages.change.second(change, p[1:])[:, kept][:, :, kept]
        return along, along._replace(L=along.L + bends)
