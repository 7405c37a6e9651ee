"""Fully implicit steps: Newton's method on inverse dynamics at the end of the step.

All of them look for q at a time such that, with d = difference(from, q),

    v = (d - c) / g,   a = (v - w) / g,   inverse_dynamics(q, v, a) = tau(q, v, t)

and differ in `from`, c, w and g alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._algorithms.configuration import difference
from .._algorithms.dynamics import inverse_dynamics
from .._algorithms.takes import takes
from .._compiled import compile as compile_page
from .._differentiate import jacobian
from .._model.joints import Joint
from .._model.tree import BodyList, Tree
from .._scene.loads import loads
from .._scene.prescribed import moving_target, numbers
from .._scene.scene import Prescribed, Scene
from ..errors import SimulationError
from .steps import added, control, moved, times

if TYPE_CHECKING:
    from numpy import ndarray as Array

ITERATIONS = 50
"""Newton steps before giving up."""
TOLERANCE = 1e-13
"""Step of Newton's method, beside the largest coordinate, that is as good as none."""


class State(NamedTuple):
    """Where a figure is and how it moves, when, and the forces of joints that move as told."""

    q: Array
    qd: Array
    t: float
    forces: Array


class Solver:
    """Newton's method for one scene."""

    def __init__(self, scene: Scene) -> None:
        model = scene.model

        @takes(start=("nq",), c=("nv",), w=("nv",), g=(), t=())
        def missing(tree: Tree, q, start, c, w, g, t) -> tuple[BodyList, BodyList]:
            """v, and the joint forces that the motion takes and nothing gives."""
            v, a = motion(tree, q, start, c, w, g)
            now = loads(scene, tree, q, v, t)
            tau = added(now.tau, control(scene, tree, q, v, t))
            return v, moved(inverse_dynamics(tree, q, v, a, now.f_ext), tau, -1.0)

        @takes(start=("nq",), c=("nv",), w=("nv",), g=(), t=())
        def residual(tree: Tree, q, start, c, w, g, t) -> BodyList:
            v, a = motion(tree, q, start, c, w, g)
            rows = times(missing(tree, q, start, c, w, g, t)[1], g * g)
            for told in scene.prescribed:  # these have their motion instead
                i = model._joint(told.joint)
                rows[i] = tuple(off(tree.joint[i], told, q[i], v[i], a[i], t))
            return rows

        self.model = model
        self.residual = compile_page(residual, model)
        self.slope = compile_page(jacobian(residual, "q"), model)
        self.missing = compile_page(missing, model)

    def solve(self, guess: Array, start: Array, c: Array, w: Array, g: float, t: float) -> State:
        """q and v at the end of a step, from a guess of q."""
        q, g_, t_ = guess, np.float64(g), np.float64(t)
        r = self.residual(q, start, c, w, g_, t_)
        for _ in range(ITERATIONS):
            J = self.slope(q, start, c, w, g_, t_)
            step = -np.linalg.solve(J, r[..., None])[..., 0]
            size, q, r = self._searched(q, step, r, (start, c, w, g_, t_))
            if not np.all(np.isfinite(r)):
                break
            if size <= TOLERANCE * max(1.0, np.abs(q).max()):
                qd, forces = self.missing(q, start, c, w, g_, t_)
                return State(q, qd, t, forces)
        raise SimulationError(
            f"Newton's method did not converge at t = {t:.6g} s: the residual is "
            f"{np.abs(r).max():.3g}. Take a smaller step."
        )

    def _searched(self, q: Array, step: Array, r: Array, rest: tuple) -> tuple[float, Array, Array]:
        """The step, halved until the residual falls; at most so often that it no longer matters."""
        before = np.linalg.norm(r)
        for _ in range(20):
            there = self.model.integrate(q, step)
            found = self.residual(there, *rest)
            if np.linalg.norm(found) <= before or before < 1e-300:
                break
            step = 0.5 * step
        else:
            return 0.0, q, r
        return float(np.abs(step).max(initial=0.0)), there, found


def motion(tree: Tree, q, start, c, w, g) -> tuple[BodyList, BodyList]:
    """(v, a) of a step that ends at q."""
    d = tree.vector(difference(tree, tree.positions(start), q))
    v = [(x - y) / g for x, y in zip(d, c, strict=True)]
    a = [(x - y) / g for x, y in zip(v, w, strict=True)]
    return tree.rates(v), tree.rates(a)


def off(joint: Joint, told: Prescribed, q, v, a, t) -> list:
    """How far a joint is from moving as told."""
    if told.position is not None:
        target, rate, _ = moving_target(joint, told, t)
        away = joint.difference(target, q)
        if told.gain is None:
            return list(away)
        return [x - r + told.gain * y for x, r, y in zip(v, rate, away, strict=True)]
    if told.velocity is not None:
        return [x - y for x, y in zip(v, numbers(told.velocity(t), joint.nv), strict=True)]
    assert told.acceleration is not None
    return [x - y for x, y in zip(a, numbers(told.acceleration(t), joint.nv), strict=True)]


def bdf1(solver: Solver, now: State, h: float, before: State | None) -> State:
    """Implicit Euler, of first order: all forces at the end of the step."""
    guess = solver.model.integrate(now.q, h * now.qd)
    return solver.solve(guess, now.q, 0.0 * now.qd, now.qd, h, now.t + h)


def bdf2(solver: Solver, now: State, h: float, before: State | None) -> State:
    """Backward differences of second order; the first step is a diagonal Runge-Kutta (SDIRK2)."""
    model = solver.model
    if before is None:
        a = 1.0 - math.sqrt(0.5)
        guess = model.integrate(now.q, a * h * now.qd)
        mid = solver.solve(guess, now.q, 0.0 * now.qd, now.qd, a * h, now.t + a * h)
        push = (1.0 - a) / a * (mid.qd - now.qd)
        guess = model.integrate(mid.q, (1.0 - a) * h * mid.qd)
        c = (1.0 - a) * h * mid.qd
        return solver.solve(guess, now.q, c, now.qd + push, a * h, now.t + h)
    gone = model.difference(before.q, now.q)
    w = (4.0 * now.qd - before.qd) / 3.0
    guess = model.integrate(now.q, h * now.qd)
    return solver.solve(guess, now.q, gone / 3.0, w, 2.0 * h / 3.0, now.t + h)


def midpoint(solver: Solver, now: State, h: float, before: State | None) -> State:
    """Implicit midpoint rule: symplectic, of second order, for long runs that keep their energy."""
    model = solver.model
    guess = model.integrate(now.q, 0.5 * h * now.qd)
    mid = solver.solve(guess, now.q, 0.0 * now.qd, now.qd, 0.5 * h, now.t + 0.5 * h)
    q, qd = model.integrate(now.q, h * mid.qd), 2.0 * mid.qd - now.qd
    return State(q, qd, now.t + h, mid.forces)


IMPLICIT: dict[str, Callable[..., Any]] = {
    "BDF1": bdf1,
    "BDF2": bdf2,
    "implicit midpoint": midpoint,
}
