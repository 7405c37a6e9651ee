"""Adaptive Runge-Kutta by SciPy, on the compiled right-hand side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from .._algorithms.configuration import integrate, normalize
from .._algorithms.takes import takes
from .._compiled import compile as compile_page
from .._differentiate import jacobian
from .._model.tree import BodyList, Tree
from .._scene.prescribed import on_track
from .._scene.scene import Scene
from ..errors import SimulationError
from .integrator import Array, Moment, Settings, Stop, Stretch, stretch
from .steps import acceleration


@dataclass
class Leap:
    """One step of the method, as long as the tolerance lets it be.

    Attributes:
        t: when it begins.
        y: state where it begins, (q, qd) in one array.
        h: its length.
        then: length to try next.
        solver: SciPy's, at its end.
    """

    t: float
    y: Array
    h: float
    then: float
    solver: Any

    @cached_property
    def _between(self) -> Callable[[float], Array]:
        return self.solver.dense_output()

    def at(self, t: float) -> Array:
        """The state at a time within the step."""
        return self.solver.y if t == self.solver.t else self._between(t)


class RungeKutta:
    """The method of order eight of Dormand and Prince.

    Kept states are read off within its steps. The step that the last of them is in is remembered,
    so that a run goes on from there as if it had never been stopped.
    """

    solves = False

    def __init__(self, scene: Scene) -> None:
        self.nq, self._told = scene.model.nq, bool(scene.prescribed)
        self.history = 3 + scene.model.nq + scene.model.nv

        @takes(t=())
        def rates(tree: Tree, q, qd, t) -> tuple:
            """Rates of the coordinates themselves, qdd, and forces of joints that move as told."""
            zero = BodyList(tree.zero(i) for i in range(tree.nb + 1))
            e = jacobian(integrate, "dq")(tree, q, zero)
            along = tree.vector(qd)
            moving = [sum((a * b for a, b in zip(row, along, strict=True)), 0.0) for row in e]
            qdd, forces = acceleration(scene, tree, q, qd, t)
            return (moving, qdd, *forces)

        @takes(t=())
        def tidy(tree: Tree, q, qd, t) -> tuple:
            """Good coordinates, with joints that move as told where they should be."""
            return on_track(scene, tree, *normalize(tree, q, qd), t)

        self._rates = compile_page(rates, scene.model)
        self._tidy = compile_page(tidy, scene.model)

    def advance(
        self, settings: Settings, at: Moment, many: int, progress: Callable[[int], None]
    ) -> Stretch:
        first = at.steps // settings.every
        t = settings.step * (settings.every * (first + np.arange(many + 1)))
        rows: list[list[tuple[Array, ...]]] = []
        stop = None
        for row, start in enumerate(zip(at.q, at.qd, at.history, strict=True)):
            found, stuck = self._row(settings, start, t[: many + 1], row)
            rows.append(found)
            if stuck and len(found) < many:
                many, stop = len(found), stuck
            progress(many * (row + 1) // len(at.q))
        states = [tuple(np.stack(x) for x in zip(*each, strict=True)) for each in
                  zip(*(found[:many] for found in rows), strict=True)]  # fmt: skip
        return stretch(states, at, stop)

    def _row(
        self, settings: Settings, start: tuple[Array, Array, Array], t: Array, row: int
    ) -> tuple[list[tuple[Array, ...]], Stop | None]:
        """Kept states of one simulation, and where it got stuck."""
        q, qd, history = start
        kept = []
        y, then = np.concatenate(self._tidy(q, qd, np.array(t[0]))), settings.step * settings.every
        try:
            if np.isnan(history).any():
                leap = self._leap(settings, t[0], y, then)
            else:
                (begun, h, then), y = history[:3].tolist(), history[3:]
                leap = replace(self._leap(settings, begun, y, h), then=then)
            for end in t[1:]:
                while leap.solver.t < end:
                    y = self._tidied(leap.solver.y, leap.solver.t)
                    leap = self._leap(settings, leap.solver.t, y, leap.then)
                state = self._tidied(leap.at(end), end)
                q, qd = state[: self.nq], state[self.nq :]
                reaction = np.zeros_like(qd)
                if self._told:
                    reaction = self._rates(q, qd, np.array(end))[2]
                history = np.concatenate([[leap.t, leap.h, leap.then], leap.y])
                kept.append((q, qd, reaction, np.float64(0.0), history))
        except _StuckError as stuck:
            where = stuck.y[: self.nq], stuck.y[self.nq :]
            return kept, Stop(row, *where, stuck.t, str(stuck))
        return kept, None

    def _tidied(self, y: Array, t: float) -> Array:
        return np.concatenate(self._tidy(y[: self.nq], y[self.nq :], np.array(t)))

    def _leap(self, settings: Settings, t: float, y: Array, h: float) -> Leap:
        """A step from a state, of length h if the tolerance allows that."""
        try:
            from scipy.integrate import DOP853
        except ImportError:
            raise SimulationError(
                'the integrator "Runge-Kutta" needs SciPy: `pip install "arthron[simulate]"`.'
            ) from None

        def f(t: float, y: Array) -> Array:
            return np.concatenate(self._rates(y[: self.nq], y[self.nq :], np.array(t))[:2])

        allowed, h = settings.tolerance, min(h, settings.end - t)
        solver = DOP853(f, t, y, settings.end, first_step=h, rtol=allowed, atol=allowed)
        with np.errstate(all="ignore"):  # what is not finite makes the step smaller
            message = solver.step()
        if solver.status == "failed" or not np.isfinite(solver.y).all():
            raise _StuckError(t, y, message)
        return Leap(t, y, float(solver.h_previous or h), float(solver.h_abs), solver)


class _StuckError(Exception):
    """No step is small enough."""

    def __init__(self, t: float, y: Array, message: str | None) -> None:
        super().__init__(f"Runge-Kutta found no step that is small enough. {message or ''}".strip())
        self.t, self.y = t, y
