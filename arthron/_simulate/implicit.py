"""Fully implicit steps: their end is a solution of equations, found by Newton's method."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from .._algorithms.configuration import difference, normalize
from .._algorithms.dynamics import inverse_dynamics
from .._algorithms.takes import takes
from .._compiled import compile as compile_page
from .._model.tree import BodyList, JointForces, Tree
from .._scene.lists import moved
from .._scene.prescribed import held, moving_target, rate_at
from .._scene.scene import Scene
from .integrator import Array, Moment, Settings, Stop, Stretch, stretch
from .newton import Newton, StuckError
from .steps import acting


class End(NamedTuple):
    """The end of a step, row by row: state, missing joint forces, those of joints told as well."""

    q: Array
    qd: Array
    missing: Array


class Method(Protocol):
    """An implicit method: one step of it."""

    history: int

    def step(self, q: Array, qd: Array, history: Array, t: float, h: float) -> End:
        """The end of a step that starts at time t; raises StuckError."""
        ...


class Implicit:
    """An integrator that solves for each step."""

    solves = True

    def __init__(self, scene: Scene, method: Method) -> None:
        self._method, self.history = method, method.history
        self._tidy = compile_page(normalize, scene.model)
        self._told = np.zeros(scene.model.nv)
        for motion in scene.prescribed:
            self._told[scene.model.slice_qd(motion.joint)] = 1.0

    def advance(
        self, settings: Settings, at: Moment, many: int, progress: Callable[[int], None]
    ) -> Stretch:
        q, qd, history, stop = at.q, at.qd, at.history, None
        kept: list[tuple[Array, ...]] = []
        left = np.zeros(len(q))
        for k in range(many * settings.every):
            t, later = (settings.step * (at.steps + n) for n in (k, k + 1))
            try:
                end = self._method.step(q, qd, history, t, settings.step)
            except StuckError as error:
                stop = Stop(error.row, q[error.row], qd[error.row], t, later, str(error))
                break
            fine = np.isfinite(end.qd).all(-1)
            if not fine.all():
                row = int(np.argmin(fine))
                stop = Stop(row, q[row], qd[row], t, later)
                break
            before = np.concatenate([q, qd], -1)
            q, qd = self._tidy(end.q, end.qd)
            new = (np.abs(q - end.q).max(-1, initial=0.0) > 1e-3) | (qd != end.qd).any(-1)
            before[new] = np.nan  # it is in other coordinates than what comes
            history = before[:, : self.history]
            left = np.maximum(left, np.abs(end.missing * (1.0 - self._told)).max(-1, initial=0.0))
            if (k + 1) % settings.every == 0:
                kept.append((q, qd, end.missing * self._told, left, history))
                left = np.zeros(len(q))
                progress(len(kept))
        return stretch(kept, at, stop)


class Backward:
    """Backward differences on inverse dynamics at the end of the step, of order one or two.

    A step looks for q such that, with d = difference(start, q),

        v = (d - c) / g,   a = (v - w) / g,   inverse_dynamics(q, v, a) = tau(q, v, t)

    and the methods differ in c, w and g alone.
    """

    def __init__(self, scene: Scene, order: int) -> None:
        model = scene.model

        @takes(start=("nq",), c=("nv",), w=("nv",), g=(), t=())
        def missing(tree: Tree, q, start, c, w, g, t) -> tuple[BodyList, JointForces]:
            """v, and the joint forces that the motion takes and nothing gives."""
            v, a = motion(tree, q, start, c, w, g)
            f_ext, tau, _ = acting(scene, tree, q, v, t)
            return v, JointForces(moved(inverse_dynamics(tree, q, v, a, f_ext), tau, -1.0))

        @takes(start=("nq",), c=("nv",), w=("nv",), g=(), t=())
        def residual(tree: Tree, q, start, c, w, g, t) -> list:
            v, lack = missing(tree, q, start, c, w, g, t)
            rows = [x * g * g for x in tree.vector(lack)]
            before = tree.rates(w)
            for way in scene.prescribed:  # these have their motion instead
                i = model._joint(way.joint)
                joint, at = tree.joint[i], slice(tree.v_start[i], tree.v_start[i + 1])
                if held(way):
                    rows[at] = joint.difference(moving_target(joint, way, q[i], t)[0], q[i])
                else:
                    wanted = rate_at(joint, way, q[i], before[i], t, g)
                    rows[at] = [x - y for x, y in zip(v[i], wanted, strict=True)]
            return rows

        self._model = model
        self._newton = Newton(model, residual)
        self._missing = compile_page(missing, model)
        self.history = model.nq + model.nv if order == 2 else 0

    def step(self, q: Array, qd: Array, history: Array, t: float, h: float) -> End:
        if not self.history:
            return self._solve(h * qd, q, 0.0 * qd, qd, h, t + h)
        fresh = np.isnan(history).any(-1)
        if fresh.all():
            return self._first(q, qd, t, h)
        if not fresh.any():
            return self._second(q, qd, history, t, h)
        found = [np.empty_like(x) for x in (q, qd, qd)]
        for rows in (fresh, ~fresh):
            try:
                part = self.step(q[rows], qd[rows], history[rows], t, h)
            except StuckError as error:
                error.row = int(np.flatnonzero(rows)[error.row])
                raise
            for whole, some in zip(found, part, strict=True):
                whole[rows] = some
        return End(*found)

    def _first(self, q: Array, qd: Array, t: float, h: float) -> End:
        """A step without history: a diagonal Runge-Kutta of second order (SDIRK2)."""
        a = 1.0 - math.sqrt(0.5)
        mid = self._solve(a * h * qd, q, 0.0 * qd, qd, a * h, t + a * h)
        push, c = (1.0 - a) / a * (mid.qd - qd), (1.0 - a) * h * mid.qd
        return self._solve(c + a * h * mid.qd, q, c, qd + push, a * h, t + h)

    def _second(self, q: Array, qd: Array, history: Array, t: float, h: float) -> End:
        """A step of second order, from the state now and the one before."""
        q_before, qd_before = np.split(history, [q.shape[1]], axis=-1)
        gone = self._model.difference(q_before, q)
        w = (4.0 * qd - qd_before) / 3.0
        return self._solve(h * qd, q, gone / 3.0, w, 2.0 * h / 3.0, t + h)

    def _solve(self, guess: Array, start: Array, c: Array, w: Array, g: float, t: float) -> End:
        """The end of a step, from a guess of how far it goes."""
        rows = len(start)  # arrays as native code wants them, which is several times faster
        given = start, c, w, np.full(rows, g), np.full(rows, t)
        q, _ = self._newton.solve(self._model.integrate(start, guess), *given)
        return End(q, *self._missing(q, *given))


def motion(tree: Tree, q, start, c, w, g) -> tuple[BodyList, BodyList]:
    """(v, a) of a step that ends at q."""
    d = tree.vector(difference(tree, tree.positions(start), q))
    v = [(x - y) / g for x, y in zip(d, c, strict=True)]
    a = [(x - y) / g for x, y in zip(v, w, strict=True)]
    return tree.rates(v), tree.rates(a)
