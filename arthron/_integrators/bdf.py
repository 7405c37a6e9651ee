"""Backward differences: the end of a step solves inverse dynamics there."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar, NamedTuple

from .._algorithms.dynamics import inverse_dynamics, mass_matrix
from .._graph.iterate import iterate
from .._scene.element import Variable
from .._scene.system import State, System
from .._spatial.scalar import Scalar, absolute, maximum, where
from .._spatial.sums import scale, select
from .._tree.body_lists import step_list
from .._tree.configuration import difference, integrate, normalize
from .._tree.tree import BodyList, JointForces
from ..errors import SimulationError
from .equations import Limits, solve_step, stuck_at
from .integrator import Integrator


@dataclass(frozen=True)
class BDF(Integrator):
    """Backward differences on inverse dynamics at the end of the step, of order one or two.

    A step looks for the displacement d from its start such that, with q = integrate(start, d),

        v = (d - c) / g,   a = (v - w) / g,   inverse_dynamics(q, v, a) = tau(q, v, t)

    and the methods differ in c, w and g alone. Where order two has no history, the step is one of a
    diagonal Runge-Kutta of second order (SDIRK2), whose two stages are of that form. A step that
    would pass a limit is one of order one, whose velocity is d / h, and has no history after it.
    """

    order: int = 2
    constraints: ClassVar[bool] = False
    states: ClassVar[bool] = False
    solves: ClassVar[bool] = True
    loops: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.order not in (1, 2):
            raise SimulationError(f"BDF of order {self.order!r}. There are orders 1 and 2.")

    def memory(self, start: Mapping[str, Sequence[float]]) -> Mapping[str, Variable]:
        """The state before, and how many steps it is since it was in the same coordinates."""
        if self.order == 1:
            return {}
        before = {"history.q": start["q"], "history.qd": start["qd"]}
        return {n: Variable(tuple(x)) for n, x in before.items()} | {"history.steps": Variable()}

    def step(self, system: System, state: State, h: Scalar) -> State:
        """The state a time h later."""
        qd, t = system.tree.vector(state.qd), state.t
        limits = Limits.of(system, state, h)
        if self.order == 1:
            formula = Formula([0.0] * len(qd), qd, h, t + h)
            end = solved(system, state, formula, scale(h, qd), limits)
            return finished(system, state, end, h)
        hits = limits.passed(scale(h, qd))
        fresh = state.memory["history.steps"][0] < 0.5

        def stage(values: tuple) -> tuple[tuple, Scalar]:
            """The only one, or of a step without history the first or second."""
            first, end = values
            formula, guess = _second_order(system, state, h, fresh, first, end.v)
            plain = Formula(nothing, qd, h, t + h)
            formula = Formula(*(select(hits, x, y) if isinstance(x, list) else where(hits, x, y)
                                for x, y in zip(plain, formula, strict=True)))  # fmt: skip
            guess = select(hits, scale(h, qd), guess)
            return (0.0, solved(system, state, formula, guess, limits)), first < 0.5

        nothing = [0.0] * len(qd)
        start = where(hits, 0.0, where(fresh, 1.0, 0.0)), End(nothing, qd, nothing, nothing, 0.0)
        _, end = iterate(stage, start, 2, name="stages").values
        return finished(system, state, end, h, hits)


class Formula(NamedTuple):
    """v = (d - c) / g and a = (v - w) / g of a displacement d, at time t."""

    c: list[Scalar]
    w: list[Scalar]
    g: Scalar
    t: Scalar


class End(NamedTuple):
    """The end of a step.

    Attributes:
        d: displacement.
        v: velocity.
        forces: of constraints, those of limits among them.
        residual_forces: joint forces that nothing gives.
        stuck: whether it was not found, and where.
    """

    d: list[Scalar]
    v: list[Scalar]
    forces: list[Scalar]
    residual_forces: list[Scalar]
    stuck: Scalar


def _second_order(
    system: System, state: State, h: Scalar, fresh: Scalar, first: Scalar, mid: list[Scalar]
) -> tuple[Formula, list[Scalar]]:
    """The formula of a stage and a guess of how far it goes, from the velocity `mid` of the first.

    Without history these are the stages of SDIRK2; with it, backward differences.
    """
    tree, memory, t = system.tree, state.memory, state.t
    qd, a = tree.vector(state.qd), 1.0 - math.sqrt(0.5)
    gone = tree.vector(difference(tree, tree.positions(memory["history.q"]), state.q))
    pairs = zip(qd, memory["history.qd"], strict=True)
    base = [x + (1.0 - a) / a * (m - x) for x, m in zip(qd, mid, strict=True)]
    c = select(fresh, scale((1.0 - a) * h, mid), scale(1.0 / 3.0, gone))
    w = select(fresh, base, [(4.0 * x - y) / 3.0 for x, y in pairs])
    displacement = select(fresh, [x + a * h * m for x, m in zip(c, mid, strict=True)], scale(h, qd))
    first = first > 0.5
    g = where(first, a * h, where(fresh, a * h, 2.0 * h / 3.0))
    formula = Formula(select(first, [0.0] * len(qd), c), select(first, qd, w), g,
                      where(first, t + a * h, t + h))  # fmt: skip
    return formula, select(first, scale(a * h, qd), displacement)


def solved(
    system: System, state: State, formula: Formula, guess: list[Scalar], limits: Limits
) -> End:
    """The end of a step, from a guess of how far it goes, or from none."""
    tree, (c, w, g, t) = system.tree, formula

    def residual_forces(d: list[Scalar]) -> tuple[BodyList, list[Scalar], list[Scalar]]:
        """q, v, and the joint forces that the motion takes and nothing gives."""
        q = integrate(tree, state.q, tree.rates(d))
        v = [(x - y) / g for x, y in zip(d, c, strict=True)]
        end = tree.at(q, v)
        a = end.accelerations([(x - y) / g for x, y in zip(v, w, strict=True)])
        now = system.loads(State(t, q, end.rates(v), {}))
        takes = inverse_dynamics(end, q, end.rates(v), a, now.f_ext)
        return q, v, end.vector(JointForces(step_list(takes, now.tau, -1.0)))

    def residual(d: list[Scalar]) -> list[Scalar]:
        """The same times g^2, or what limits or fixed coordinates are off instead."""
        q, v, forces = residual_forces(d)
        rows = limits.kept(scale(g * g, forces), d, slopes)
        for j, off in system.position_errors(q, t).items():
            rows[j] = off
        for j, wanted in system.fixed_rates(q, tree.rates(w), t, g, tracking=False).items():
            rows[j] = g * (v[j] - wanted)
        return rows

    def slope(d: list[Scalar]) -> list[list[Scalar]]:
        """Of the residual, but for that of velocity products: M + g D - g^2 K."""
        q, v, _ = residual_forces(d)
        end = tree.at(q)
        there = State(t, q, end.rates(v), {})
        added = system.added_inertia(there, system.loads(there, slopes="all").slopes, g).matrix
        M = end.matrix(mass_matrix(end, q))
        rows = [[x + y for x, y in zip(*row, strict=True)] for row in zip(M, added, strict=True)]
        for j in system.fixed_rates(q, tree.rates(w), t, g, tracking=True):
            rows[j] = [float(j == k) for k in range(len(d))]
        return rows

    slopes = slope(guess)
    d, found = solve_step(residual, limits.slopes(slopes, guess), guess)
    q, v, forces = residual_forces(d)
    fixed = set(system.fixed_rates(q, tree.rates(w), t, g, tracking=True))
    off = [0.0 if k in fixed else x / (g * g) for k, x in enumerate(residual(d))]
    held = fixed | limits.coordinates
    taken = [x if k in held else 0.0 for k, x in enumerate(forces)]
    return End(d, v, taken, off, stuck_at(found, off))


def finished(system: System, state: State, end: End, h: Scalar, hits: Scalar = 0.0) -> State:
    """The state at the end of a step, and what is remembered of its start, unless it `hits`."""
    tree = system.tree
    there = integrate(tree, state.q, tree.rates(end.d))
    q, qd = normalize(tree, there, tree.rates(end.v))
    left = reduce(maximum, map(absolute, end.residual_forces), 0.0)
    forces = end.forces if system.constrained else []
    memory = {}
    if state.memory:  # what went over to other coordinates does not go with what it was in before
        pairs = (*zip(tree.vector(q), tree.vector(there), strict=True),
                 *zip(tree.vector(qd), end.v, strict=True))  # fmt: skip
        off = reduce(maximum, (absolute(x - y) for x, y in pairs if x is not y), 0.0)
        count = where(off > 1e-3, 0.0, (1.0 - hits) * (state.memory["history.steps"][0] + 1.0))
        memory = {"history.q": tree.vector(state.q), "history.qd": tree.vector(state.qd),
                  "history.steps": [count]}  # fmt: skip
    return State(state.t + h, q, qd, {}, memory, forces, left, end.stuck)
