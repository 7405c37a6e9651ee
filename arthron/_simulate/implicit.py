"""Fully implicit steps: their end is a solution of equations, found by Newton's method."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

from .._algorithms.configuration import difference, normalize
from .._algorithms.dynamics import inverse_dynamics
from .._compiled import compile as compile_page
from .._model.tree import BodyList, JointForces, Tree
from .._scene.lists import moved
from .._scene.setup import Setup
from .._scene.system import State, System
from .integrator import Array, Failure, Segment, Settings, Snapshot, rows_of, segment
from .newton import Newton, StuckError
from .pages import compiled, system_page


class End(NamedTuple):
    """The end of a step, row by row: state, and joint forces that nothing gives."""

    q: Array
    qd: Array
    residual: Array


class Method(Protocol):
    """An implicit method: one step of it.

    Attributes:
        states: what it remembers besides q and qd, and where that starts.
    """

    states: Mapping[str, Array]

    def step(self, at: Mapping[str, Array], parameters: Array, t: float, h: float) -> End:
        """The end of a step that starts at time t; raises StuckError."""
        ...


class Implicit:
    """An integrator that solves for each step.

    Args:
        setup: what is simulated.
        method: how.
    """

    def __init__(self, setup: Setup, method: Method) -> None:
        model = setup.scene.model
        self._method, self.states = method, method.states
        self.columns: Mapping[str, int] = {"residual": 1} | (
            {"forces": model.nv} if setup.constrained else {}
        )
        self._normalize = compile_page(normalize, model)
        self._fixed = np.zeros(model.nv)
        self._fixed[setup.fixed_coordinates()] = 1.0

    def advance(
        self, settings: Settings, at: Snapshot, many: int, progress: Callable[[int], None]
    ) -> Segment:
        states, failure = dict(at.states), None
        kept: list[dict[str, Array]] = []
        rows = len(states["q"])
        left, parameters = np.zeros(rows), rows_of(settings, rows)
        for k in range(many * settings.every):
            t, later = (settings.step * (at.steps + n) for n in (k, k + 1))
            try:
                end = self._method.step(states, parameters, t, settings.step)
            except StuckError as error:
                good = {n: x[error.row] for n, x in states.items()}
                failure = Failure(error.row, good, t, later, str(error))
                break
            fine = np.isfinite(end.qd).all(-1)
            if not fine.all():
                row = int(np.argmin(fine))
                failure = Failure(row, {n: x[row] for n, x in states.items()}, t, later)
                break
            states = self._after(states, end)
            free = np.abs(end.residual * (1.0 - self._fixed)).max(-1, initial=0.0)
            left = np.maximum(left, free)
            if (k + 1) % settings.every == 0:
                kept.append(states | self._besides(end, left))
                left = np.zeros(rows)
                progress(len(kept))
        nothing = End(states["q"], states["qd"], states["qd"])
        return segment(kept, states | self._besides(nothing, left), failure)

    def _after(self, before: Mapping[str, Array], end: End) -> dict[str, Array]:
        """States at the end of a step, and what the method remembers of its start."""
        q, qd = self._normalize(end.q, end.qd)
        states = {"q": q, "qd": qd}
        if self.states:
            # what went over to other coordinates does not go with what it was in before
            new = (np.abs(q - end.q).max(-1, initial=0.0) > 1e-3) | (qd != end.qd).any(-1)
            count = np.where(new[:, None], 0.0, before["history.steps"] + 1.0)
            states |= {"history.q": before["q"], "history.qd": before["qd"], "history.steps": count}
        return states

    def _besides(self, end: End, left: Array) -> dict[str, Array]:
        found = {"residual": left[:, None], "forces": end.residual * self._fixed}
        return {name: found[name] for name in self.columns}


class Backward:
    """Backward differences on inverse dynamics at the end of the step, of order one or two.

    A step looks for q such that, with d = difference(start, q),

        v = (d - c) / g,   a = (v - w) / g,   inverse_dynamics(q, v, a) = tau(q, v, t)

    and the methods differ in c, w and g alone.
    """

    def __init__(self, setup: Setup, order: int) -> None:
        model = setup.scene.model

        def missing(system: System, values: Mapping[str, Any]) -> tuple[BodyList, JointForces]:
            """v, and the joint forces that the motion takes and nothing gives."""
            q, t = values["q"], values["t"]
            v, a = motion(system.tree, q, *(values[n] for n in ("start", "c", "w", "g")))
            now = system.loads(State(t, q, v, {}))
            takes = inverse_dynamics(system.tree, q, v, a, now.f_ext)
            return v, JointForces(moved(takes, now.tau, -1.0))

        def residual(system: System, values: Mapping[str, Any]) -> list:
            """The same times g^2, or what fixed coordinates are off instead."""
            q, t, g, tree = values["q"], values["t"], values["g"], system.tree
            v, lack = missing(system, values)
            rows, rate = [x * g * g for x in tree.vector(lack)], tree.vector(v)
            for j, off in system.position_errors(q, t).items():
                rows[j] = off
            before = tree.rates(values["w"])
            for j, wanted in system.fixed_rates(q, before, t, g, tracking=False).items():
                rows[j] = rate[j] - wanted
            return rows

        inputs: dict[str, Any] = {"q": ("nq",), "start": ("nq",), "c": ("nv",), "w": ("nv",)}
        inputs |= {"g": (), "t": ()}
        self._model = model
        self._newton = Newton(setup, "BDF", system_page(setup, residual, **inputs))
        page = system_page(setup, missing, **inputs)
        self._missing = compiled(setup, "BDF, missing", page)
        history = {"q": model.neutral(), "qd": np.zeros(model.nv), "steps": np.zeros(1)}
        self.states = {f"history.{n}": x for n, x in history.items()} if order == 2 else {}

    def step(self, at: Mapping[str, Array], parameters: Array, t: float, h: float) -> End:
        q, qd = at["q"], at["qd"]
        if not self.states:
            return self._solve(h * qd, q, 0.0 * qd, qd, h, t + h, parameters)
        fresh = at["history.steps"][:, 0] == 0.0
        if fresh.all():
            return self._first(q, qd, t, h, parameters)
        if not fresh.any():
            return self._second(at, t, h, parameters)
        found = [np.empty_like(x) for x in (q, qd, qd)]
        for rows in (fresh, ~fresh):
            try:
                some = {name: x[rows] for name, x in at.items()}
                part = self.step(some, parameters[rows], t, h)
            except StuckError as error:
                error.row = int(np.flatnonzero(rows)[error.row])
                raise
            for whole, own in zip(found, part, strict=True):
                whole[rows] = own
        return End(*found)

    def _first(self, q: Array, qd: Array, t: float, h: float, parameters: Array) -> End:
        """A step without history: a diagonal Runge-Kutta of second order (SDIRK2)."""
        a = 1.0 - math.sqrt(0.5)
        mid = self._solve(a * h * qd, q, 0.0 * qd, qd, a * h, t + a * h, parameters)
        push, c = (1.0 - a) / a * (mid.qd - qd), (1.0 - a) * h * mid.qd
        return self._solve(c + a * h * mid.qd, q, c, qd + push, a * h, t + h, parameters)

    def _second(self, at: Mapping[str, Array], t: float, h: float, parameters: Array) -> End:
        """A step of second order, from the state now and the one before."""
        q, qd = at["q"], at["qd"]
        gone = self._model.difference(at["history.q"], q)
        w = (4.0 * qd - at["history.qd"]) / 3.0
        return self._solve(h * qd, q, gone / 3.0, w, 2.0 * h / 3.0, t + h, parameters)

    def _solve(
        self, guess: Array, start: Array, c: Array, w: Array, g: float, t: float, parameters: Array
    ) -> End:
        """The end of a step, from a guess of how far it goes."""
        rows = len(start)  # arrays as native code wants them, which is several times faster
        given = start, c, w, np.full(rows, g), np.full(rows, t), parameters
        q, _ = self._newton.solve(self._model.integrate(start, guess), *given)
        return End(q, *self._missing(q, *given))


def motion(tree: Tree, q, start, c, w, g) -> tuple[BodyList, BodyList]:
    """(v, a) of a step that ends at q."""
    d = tree.vector(difference(tree, tree.positions(start), q))
    v = [(x - y) / g for x, y in zip(d, c, strict=True)]
    a = [(x - y) / g for x, y in zip(v, w, strict=True)]
    return tree.rates(v), tree.rates(a)
