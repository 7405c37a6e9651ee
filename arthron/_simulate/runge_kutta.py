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

    It goes from one kept state to the next with as many steps as the tolerance takes, one at least,
    so that what happens in between is not stepped over. It begins anew there: coordinates are
    tidied up, and a run goes on from any of its states as if it had never been stopped.
    """

    history = 0
    solves = False

    def __init__(self, scene: Scene) -> None:
        self.nq, self._told = scene.model.nq, bool(scene.prescribed)

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
        kept: list[tuple[Array, ...]] = []
        nothing = np.zeros(len(at.q))
        q, qd, stop = at.q, at.qd, None
        for k in range(first, first + many):
            t, end = (settings.step * (settings.every * n) for n in (k, k + 1))
            ends = []
            for row, state in enumerate(zip(q, qd, strict=True)):
                y, stop = self._solve(row, np.concatenate(state), t, end, settings.tolerance)
                if stop:
                    return stretch(kept, at, stop)
                ends.append(y)
            y = np.stack(ends)
            q, qd = y[:, : self.nq], y[:, self.nq :]
            reaction = np.zeros_like(qd)
            if self._told:
                reaction = self._rates(q, qd, np.full(len(q), end))[2]
            kept.append((q, qd, reaction, nothing, at.history))
            progress(len(kept))
        return stretch(kept, at, stop)

    def _solve(
        self, row: int, y: Array, t: float, end: float, tolerance: float
    ) -> tuple[Array, Stop | None]:
        """The state (q, qd) at `end`, or where it got stuck."""
        try:
            from scipy.integrate import DOP853
        except ImportError:
            raise SimulationError(
                'the integrator "Runge-Kutta" needs SciPy: `pip install "arthron[simulate]"`.'
            ) from None

        def f(t: float, y: Array) -> Array:
            return np.concatenate(self._rates(y[: self.nq], y[self.nq :], np.array(t))[:2])

        solver = DOP853(f, t, y, end, first_step=end - t, rtol=tolerance, atol=tolerance)
        message = None
        with np.errstate(all="ignore"):  # what is not finite makes steps smaller
            while solver.status == "running":
                message = solver.step()
        after = np.concatenate(self._tidy(solver.y[: self.nq], solver.y[self.nq :], np.array(end)))
        if solver.status == "finished" and np.isfinite(after).all():
            return after, None
        y, t = (solver.y, float(solver.t)) if np.isfinite(solver.y).all() else (y, t)
        why = f"Runge-Kutta found no step that is small enough. {message or ''}".strip()
        return y, Stop(row, y[: self.nq], y[self.nq :], t, end, why)
