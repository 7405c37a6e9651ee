"""Backward differences: the end of a step solves inverse dynamics there."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar, NamedTuple

from .._algorithms.configuration import difference, integrate, normalize
from .._algorithms.dynamics import inverse_dynamics
from .._graph.iterate import iterate
from .._graph.root import root
from .._model.tree import BodyList, JointForces
from .._scene.element import Variable
from .._scene.lists import moved
from .._scene.system import State, System
from .._spatial.scalar import Scalar, absolute, maximum, where
from .._spatial.solve import eliminated
from ..errors import SimulationError
from .integrator import Integrator


@dataclass(frozen=True)
class BDF(Integrator):
    """Backward differences on inverse dynamics at the end of the step, of order one or two.

    A step looks for the displacement d from its start such that, with q = integrate(start, d),

        v = (d - c) / g,   a = (v - w) / g,   inverse_dynamics(q, v, a) = tau(q, v, t)

    and the methods differ in c, w and g alone. Where order two has no history, the step is one of a
    diagonal Runge-Kutta of second order (SDIRK2), whose two stages are of that form.
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
        if self.order == 1:
            formula = Formula([0.0] * len(qd), qd, h, t + h)
            return finished(system, state, solved(system, state, formula, scaled(h, qd)), h)
        fresh = state.memory["history.steps"][0] < 0.5
        a = 1.0 - math.sqrt(0.5)

        def first_stage(_: list) -> tuple[list, Scalar]:
            formula = Formula([0.0] * len(qd), qd, a * h, t + a * h)
            return solved(system, state, formula, scaled(a * h, qd)).v, 1.0

        mid = iterate(first_stage, qd, 1, where(fresh, 1.0, 0.0), name="first stage").values
        gone = system.tree.vector(
            difference(system.tree, system.tree.positions(state.memory["history.q"]), state.q)
        )
        before = state.memory["history.qd"]
        c = chosen(fresh, scaled((1.0 - a) * h, mid), scaled(1.0 / 3.0, gone))
        push = [x + (1.0 - a) / a * (m - x) for x, m in zip(qd, mid, strict=True)]
        w = chosen(fresh, push, [(4.0 * x - y) / 3.0 for x, y in zip(qd, before, strict=True)])
        g = where(fresh, a * h, 2.0 * h / 3.0)
        guess = chosen(fresh, [x + a * h * m for x, m in zip(c, mid, strict=True)], scaled(h, qd))
        return finished(system, state, solved(system, state, Formula(c, w, g, t + h), guess), h)


class Formula(NamedTuple):
    """v = (d - c) / g and a = (v - w) / g of a displacement d, at time t."""

    c: list[Scalar]
    w: list[Scalar]
    g: Scalar
    t: Scalar


class End(NamedTuple):
    """The end of a step: its displacement and velocity, and joint forces that nothing gives."""

    d: list[Scalar]
    v: list[Scalar]
    lack: list[Scalar]
    stuck: Scalar


def solved(system: System, state: State, formula: Formula, guess: list[Scalar]) -> End:
    """The end of a step, from a guess of how far it goes, or from none."""
    tree, (c, w, g, t) = system.tree, formula

    def lacking(d: list[Scalar]) -> tuple[BodyList, list[Scalar], list[Scalar]]:
        """q, v, and the joint forces that the motion takes and nothing gives."""
        q = integrate(tree, state.q, tree.rates(d))
        v = [(x - y) / g for x, y in zip(d, c, strict=True)]
        a = tree.rates([(x - y) / g for x, y in zip(v, w, strict=True)])
        now = system.loads(State(t, q, tree.rates(v), {}))
        takes = inverse_dynamics(tree, q, tree.rates(v), a, now.f_ext)
        return q, v, tree.vector(JointForces(moved(takes, now.tau, -1.0)))

    def residual(d: list[Scalar]) -> list[Scalar]:
        """The same times g^2, or what fixed coordinates are off instead."""
        q, v, lack = lacking(d)
        rows = scaled(g * g, lack)
        for j, off in system.position_errors(q, t).items():
            rows[j] = off
        for j, wanted in system.fixed_rates(q, tree.rates(w), t, g, tracking=False).items():
            rows[j] = v[j] - wanted
        return rows

    d, _, converged = root(residual, guess, [0.0] * len(guess), name="step", solve=eliminated)
    _, v, lack = lacking(d)
    return End(d, v, lack, where(converged, 0.0, 1.0 + largest_at(residual(d))))


def finished(system: System, state: State, end: End, h: Scalar) -> State:
    """The state at the end of a step, and what is remembered of its start."""
    tree = system.tree
    there = integrate(tree, state.q, tree.rates(end.d))
    q, qd = normalize(tree, there, tree.rates(end.v))
    fixed = set(system.fixed_rates(q, qd, state.t + h, h, tracking=True))
    free = [0.0 if k in fixed else absolute(x) for k, x in enumerate(end.lack)]
    forces = [x if k in fixed else 0.0 for k, x in enumerate(end.lack)] if fixed else []
    memory = {}
    if state.memory:  # what went over to other coordinates does not go with what it was in before
        pairs = (*zip(tree.vector(q), tree.vector(there), strict=True),
                 *zip(tree.vector(qd), end.v, strict=True))  # fmt: skip
        off = reduce(maximum, (absolute(x - y) for x, y in pairs if x is not y), 0.0)
        count = where(off > 1e-3, 0.0, state.memory["history.steps"][0] + 1.0)
        memory = {"history.q": tree.vector(state.q), "history.qd": tree.vector(state.qd),
                  "history.steps": [count]}  # fmt: skip
    return State(state.t + h, q, qd, {}, memory, forces, reduce(maximum, free, 0.0), end.stuck)


def largest_at(x: Sequence[Scalar]) -> Scalar:
    """Where the largest of several numbers is."""
    size, at = absolute(x[0]), 0.0
    for k, a in enumerate(x[1:], 1):
        at = where(absolute(a) > size, float(k), at)
        size = maximum(absolute(a), size)
    return at


def scaled(a: Scalar, x: Sequence[Scalar]) -> list[Scalar]:
    """a x"""
    return [a * b for b in x]


def chosen(condition: Scalar, x: Sequence[Scalar], y: Sequence[Scalar]) -> list[Scalar]:
    """x where something is so, y elsewhere."""
    return [where(condition, a, b) for a, b in zip(x, y, strict=True)]
