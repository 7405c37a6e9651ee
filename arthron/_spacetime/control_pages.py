"""One step under control as pages: with derivatives, and under a feedback law over and over."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._figure.figure import Array
from .._integrators.integrator import Integrator
from .._pages.takes import Page, takes
from .._scene.setup import Setup
from .._simulate.native_steps import step_page
from .._simulate.system_pages import repeated
from .._spatial.scalar import Scalar, maximum, minimum
from .._spatial.sums import dot
from .._tree.configuration import difference
from .._tree.tree import JointCoordinates, Tree
from .control_costs import FINAL, RUNNING, CostPart, cost_page
from .sampled_page import SampledPage


class FeedbackLaw(NamedTuple):
    """Controls along a motion: u = u_k + a change + gains times how far the state is off.

    Attributes:
        q: configurations of the motion, (N, nq).
        qd: velocities there, (N, nv).
        u: controls there, (N, nu).
        change: what is added to them, times the length of a step, (N, nu).
        gains: rows by controls, columns by displacements and velocities, (N, nu, 2 nv).
    """

    q: Array
    qd: Array
    u: Array
    change: Array
    gains: Array


class ControlPages:
    """A step, what it costs, and what the end costs.

    Args:
        setup: the figure and what acts on it.
        integrator: of its steps.
        driven: which velocity coordinates have motors.
        running: costs of each step.
        final: costs of the end.
    """

    def __init__(
        self, setup: Setup, integrator: Integrator, driven: Sequence[int],
        running: Sequence[CostPart], final: Sequence[CostPart],
    ) -> None:  # fmt: skip
        self.setup, self.driven, self.model = setup, tuple(driven), setup.scene.model
        self.step: Page = step_page(setup, integrator, tau=True)
        self._parts = {"running": running, "final": final}
        self._costs = {"running": cost_page(running, RUNNING), "final": cost_page(final, FINAL)}

    @functools.cached_property
    def change(self) -> SampledPage:
        """Where a step ends, seen from q1, and how fast."""
        step = self.step

        def step_change(tree: Tree, q, qd, tau, q1, steps, h, parameters) -> list[Scalar]:
            q_next, qd_next, *_ = step(tree, q, qd, steps, h, tau, parameters)
            off = difference(tree, q1, tree.positions(q_next))
            return [*tree.vector(off), *qd_next]

        shapes = {"steps": (), "h": (), "parameters": (self.setup.parameters.size,)}
        return SampledPage(step_change, self.model, shapes)

    @functools.cached_property
    def running(self) -> SampledPage:
        """What a moment costs."""
        return self._sampled("running")

    @functools.cached_property
    def final(self) -> SampledPage:
        """What the end costs."""
        return self._sampled("final")

    def _sampled(self, which: str) -> SampledPage:
        return SampledPage(
            self._costs[which], self.model, {"t": (), "numbers": (self._size(which),)}
        )

    def _size(self, which: str) -> int:
        quadratic = len([x for x in self._parts[which] if not callable(x)])
        return quadratic * (self.model.nq + 4 * self.model.nv)

    @functools.cached_property
    def law(self) -> Any:
        """Steps under a feedback law within limits, with what they cost, repeated natively.

        Rows have steps of the law's change of their own, so that a line search is one call.
        """
        step, running, driven = self.step, self._costs["running"], self.driven

        def controlled(
            tree: Tree, q, qd, steps, cost, q0, rate, u, change, gains, least, most, length, h,
            numbers, parameters,
        ) -> tuple:  # fmt: skip
            now = tree.vector(JointCoordinates(qd))
            off = tree.vector(difference(tree, q0, q))
            off += [x - y for x, y in zip(now, rate, strict=True)]
            tau: list[Scalar] = [0.0] * tree.nv
            each = zip(driven, u, change, gains, least, most, strict=True)
            for k, planned, more, row, low, high in each:
                wanted = planned + length * more + dot(list(row), off)
                tau[k] = minimum(maximum(wanted, low), high)
            forces = tree.forces(tau)
            cost = cost + h * running(tree, q, qd, forces, h * steps, numbers)
            q, qd, steps, *_ = step(tree, q, qd, steps, h, forces, parameters)
            return q, qd, steps, cost, [tau[k] for k in driven]

        nu, nv = len(driven), self.model.nv
        page = takes(
            steps=(), cost=(), rate=("nv",), u=(nu,), change=(nu,), gains=(nu, 2 * nv),
            least=(nu,), most=(nu,), length=(), h=(), numbers=(self._size("running"),),
            parameters=(self.setup.parameters.size,),
        )(controlled)  # fmt: skip
        return repeated(self.setup, None, page, 4)

    def rollouts(
        self, start: tuple[Array, Array], law: FeedbackLaw, lengths: Array, limits: Array,
        h: float, numbers: Array, parameters: Array,
    ) -> tuple[Array, Array, Array, Array]:  # fmt: skip
        """(q, qd, u, cost) of motions under a law, one for each length of its change."""
        rows, N = len(lengths), len(law.u)
        q, qd = (np.repeat(x[None], rows, 0) for x in start)
        zeros = np.zeros(rows)
        each = [x[None] for x in law]
        fixed = [limits[:1], limits[1:], lengths, np.full(1, h), numbers[None], parameters[None]]
        found = self.law([q, qd, zeros, zeros, *each, *fixed], N)
        q = np.concatenate([q[:, None], found[0]], 1)
        qd = np.concatenate([qd[:, None], found[1]], 1)
        return q, qd, found[4], found[3][:, -1]
