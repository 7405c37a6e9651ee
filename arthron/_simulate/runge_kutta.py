"""Adaptive Runge-Kutta by SciPy, on the compiled right-hand side."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from .._algorithms.configuration import integrate, normalize
from .._differentiate import jacobian
from .._model.tree import BodyList
from .._scene.setup import Setup
from .._scene.system import System
from ..errors import SimulationError
from .integrator import Array, Failure, Segment, Settings, Snapshot, rows_of, segment
from .pages import compiled, state_inputs, state_of, system_page


class RungeKutta:
    """The method of order eight of Dormand and Prince.

    It goes from one kept state to the next with as many steps as the tolerance takes, one at least,
    so that what happens in between is not stepped over. It begins anew there: coordinates are
    tidied up, and a run goes on from any of its states as if it had never been stopped.
    """

    states: Mapping[str, Array] = {}

    def __init__(self, setup: Setup, tolerance: float) -> None:
        self._setup, self._tolerance = setup, tolerance
        self.columns: Mapping[str, int] = (
            {"forces": setup.scene.model.nv} if setup.constrained else {}
        )

        def rates(system: System, values: Mapping[str, Any]) -> tuple:
            """Rates of all states, and forces of constraints."""
            state, tree = state_of(setup, values, values["t"]), system.tree
            zero = BodyList(tree.zero(i) for i in range(tree.nb + 1))
            e = jacobian(integrate, "dq")(tree, state.q, zero)
            along = tree.vector(state.qd)
            moving = [sum((a * b for a, b in zip(row, along, strict=True)), 0.0) for row in e]
            qdd, forces = system.acceleration(state)
            more = system.rates(state)
            return (moving, qdd, *(more[n] for n in setup.variables), *([forces] if forces else []))

        def tidy(system: System, values: Mapping[str, Any]) -> tuple:
            """Good coordinates, with those that are fixed where they should be."""
            state = state_of(setup, values, values["t"])
            q, qd = normalize(system.tree, state.q, state.qd)
            state = system.consistent(replace(state, q=q, qd=qd))
            more = system.tidied(state.more)
            return (state.q, state.qd, *(more[n] for n in setup.variables))

        inputs = {**state_inputs(setup), "t": ()}
        self._rates = compiled(setup, "Runge-Kutta, rates", system_page(setup, rates, **inputs))
        self._tidy = compiled(setup, "Runge-Kutta, tidy", system_page(setup, tidy, **inputs))
        self._names = ("q", "qd", *setup.variables)
        nq, nv = setup.scene.model.nq, setup.scene.model.nv
        sizes = [nq, nv, *(v.size for v in setup.variables.values())]
        self._cuts = np.cumsum(sizes)[:-1]
        scales = [1.0, 1.0, *(v.scale for v in setup.variables.values())]
        self._scale = np.repeat(scales, sizes)

    def advance(
        self, settings: Settings, at: Snapshot, many: int, progress: Callable[[int], None]
    ) -> Segment:
        first = at.steps // settings.every
        kept: list[dict[str, Array]] = []
        rows = len(at.states["q"])
        parameters = rows_of(settings, rows)
        y = np.concatenate([at.states[name] for name in self._names], -1)
        example = dict(at.states) | dict.fromkeys(self.columns, at.states["qd"])
        for k in range(first, first + many):
            t, end = (settings.step * (settings.every * n) for n in (k, k + 1))
            ends = []
            for row, (state, given) in enumerate(zip(y, parameters, strict=True)):
                last, failure = self._solve(row, state, t, end, given)
                if failure:
                    return segment(kept, example, failure)
                ends.append(last)
            y = np.stack(ends)
            states = dict(zip(self._names, np.split(y, self._cuts, -1), strict=True))
            if self.columns:
                parts = [np.ascontiguousarray(x) for x in states.values()]
                states["forces"] = self._rates(*parts, np.full(rows, end), parameters)[-1]
            kept.append(states)
            progress(len(kept))
        return segment(kept, example, None)

    def _solve(
        self, row: int, y: Array, t: float, end: float, parameters: Array
    ) -> tuple[Array, Failure | None]:
        """All states at `end`, or where it got stuck."""
        try:
            from scipy.integrate import DOP853
        except ImportError:
            raise SimulationError(
                'the integrator "Runge-Kutta" needs SciPy: `pip install "arthron[simulate]"`.'
            ) from None

        def at(function: Callable, t: float, y: Array) -> Array:
            found = function(*np.split(y, self._cuts), np.array(t), parameters)
            return np.concatenate(found[: len(self._names)])

        solver = DOP853(
            lambda t, y: at(self._rates, t, y), t, y, end, first_step=end - t,
            rtol=self._tolerance, atol=self._tolerance * self._scale,  # type: ignore[arg-type]
        )  # fmt: skip
        message = None
        with np.errstate(all="ignore"):  # what is not finite makes steps smaller
            while solver.status == "running":
                message = solver.step()
        after = at(self._tidy, end, solver.y)
        if solver.status == "finished" and np.isfinite(after).all():
            return after, None
        y, t = (solver.y, float(solver.t)) if np.isfinite(solver.y).all() else (y, t)
        good = dict(zip(self._names, np.split(y, self._cuts), strict=True))
        why = f"Runge-Kutta found no step that is small enough. {message or ''}".strip()
        return y, Failure(row, good, t, end, why)
