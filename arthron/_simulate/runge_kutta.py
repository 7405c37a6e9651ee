"""Adaptive Runge-Kutta by SciPy, on the compiled right-hand side."""

from __future__ import annotations

from collections.abc import Callable

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


class RungeKutta:
    """The method of order eight of Dormand and Prince.

    It goes from one kept state to the next with as many steps as the tolerance takes, and begins
    anew there: coordinates are tidied up, and a run goes on from any of its states as if it had
    never been stopped.
    """

    history = 0
    solves = False

    def __init__(self, scene: Scene) -> None:
        self.nq = scene.model.nq

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
        def start(tree: Tree, q, qd, t) -> tuple:
            return on_track(scene, tree, q, qd, t)

        self._rates = compile_page(rates, scene.model)
        self._start = compile_page(start, scene.model)
        self._tidy = compile_page(normalize, scene.model)

    def advance(
        self, settings: Settings, at: Moment, many: int, progress: Callable[[int], None]
    ) -> Stretch:
        first = at.steps // settings.every
        kept: list[tuple[Array, ...]] = []
        nothing = np.zeros(len(at.q))
        q, qd, stop = at.q, at.qd, None
        for k in range(first, first + many):
            t, end = (settings.step * (settings.every * n) for n in (k, k + 1))
            ends = []
            for row, state in enumerate(zip(q, qd, strict=True)):
                y, stop = self._solve(row, *state, t, end, settings.tolerance)
                if stop:
                    break
                ends.append(y)
            if stop:
                break
            y = np.stack(ends)
            q, qd = self._tidy(y[:, : self.nq], y[:, self.nq :])
            forces = self._rates(q, qd, np.float64(end))[2:]
            reaction = forces[0] if forces else np.zeros_like(qd)
            kept.append((q, qd, reaction, nothing, at.history))
            progress(len(kept))
        return stretch(kept, at, stop)

    def _solve(
        self, row: int, q: Array, qd: Array, t: float, end: float, tolerance: float
    ) -> tuple[Array, Stop | None]:
        """The state at `end`, or where it got stuck."""
        try:
            from scipy.integrate import DOP853
        except ImportError:
            raise SimulationError(
                'the integrator "Runge-Kutta" needs SciPy: `pip install "arthron[simulate]"`.'
            ) from None

        def f(t: float, y: Array) -> Array:
            return np.concatenate(self._rates(y[: self.nq], y[self.nq :], np.float64(t))[:2])

        y = np.concatenate(self._start(q, qd, np.float64(t)))
        solver = DOP853(f, t, y, end, first_step=end - t, rtol=tolerance, atol=tolerance)
        message = None
        with np.errstate(all="ignore"):  # what is not finite makes steps smaller
            while solver.status == "running":
                message = solver.step()
        if solver.status == "finished" and np.isfinite(solver.y).all():
            return solver.y, None
        why = f"Runge-Kutta found no step that is small enough: {message}"
        y = solver.y if np.isfinite(solver.y).all() else y
        return y, Stop(row, y[: self.nq], y[self.nq :], float(solver.t), why)
