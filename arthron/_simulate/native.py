"""Steps that are one page each, repeated in native code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .._graph.expr import Expr
from .._model.tree import Tree
from .._page import Page, page_name
from .._scene.setup import Setup
from .._scene.system import State, System
from .._spatial.scalar import Scalar, where
from ..errors import SimulationError
from .integrator import Failure, Segment, Settings, Snapshot, finite
from .observe import observed
from .pages import repeated, state_inputs, state_of, system_page
from .steps import Step

COUNT, ENDED = "steps", "ended"


def step_page(setup: Setup, step: Step, *, tau: bool = False, until: Page | None = None) -> Page:
    """The page of one step: from states, and how many steps of length h have led to them.

    It returns the next states, their count and whether the row has ended, one by one; behind them,
    where there are constraints, the joint forces they took. A row for which `until` has become true
    stays where it is.
    """

    def next_states(system: System, values: Mapping[str, Any]) -> tuple:
        k, h = values[COUNT], values["h"]
        before = state_of(setup, values, h * k)
        after, forces = step(system, before, h)
        results = [*_flat(setup, system.tree, after), k + 1.0]
        if until is not None:
            ended = values[ENDED]
            now = [*_flat(setup, system.tree, before), k]
            over = _truth(until, observed(setup, system, after, until))
            results = [_held(ended, x, y) for x, y in zip(now, results, strict=True)]
            results.append(where(ended > 0.5, 1.0, over))
            forces = [where(ended > 0.5, 0.0, x) for x in forces]  # no step, no forces
        return (*results, *([forces] if forces else []))

    inputs: dict[str, Any] = {**state_inputs(setup), COUNT: ()}
    inputs |= {ENDED: ()} if until is not None else {}
    inputs |= {"h": (), **({"tau": ("nv",)} if tau else {})}
    return system_page(setup, next_states, **inputs)


def _flat(setup: Setup, tree: Tree, state: State) -> list[list[Scalar]]:
    return [
        tree.vector(state.q),
        tree.vector(state.qd),
        *(list(state.more[n]) for n in setup.variables),
    ]


def _held(ended: Any, before: Any, after: Any) -> Any:
    if not isinstance(before, list):
        return where(ended > 0.5, before, after)
    return [where(ended > 0.5, x, y) for x, y in zip(before, after, strict=True)]


def _truth(page: Page, given: Any) -> Scalar:
    """What a page says, as one or zero."""
    if not isinstance(given, Expr | int | float | np.bool_):
        raise SimulationError(
            f"`until` is `{page_name(page)}`, which returned {given!r}. Return one comparison, "
            "such as `height < 0.1`."
        )
    return where(given, 1.0, 0.0)


class NativeSteps:
    """An integrator whose step is a page of `steps.py`.

    Args:
        setup: what is simulated.
        name: what the step is called, options included.
        step: the step.
        tau: whether there are joint forces from outside.
        until: a page that says when a row is to end.
    """

    def __init__(
        self, setup: Setup, name: str, step: Step, *, tau: bool, until: Page | None
    ) -> None:
        page = step_page(setup, step, tau=tau, until=until)
        self._names = [*state_inputs(setup)]
        self._own = dict(zip(self._names, ("q", "qd", *setup.variables), strict=True))
        self._ends = until is not None
        self.states: Mapping[str, np.ndarray] = {ENDED: np.zeros(1)} if self._ends else {}
        self.columns: Mapping[str, int] = (
            {"forces": setup.scene.model.nv} if setup.constrained else {}
        )
        states = len(self._names) + 1 + self._ends
        uses = {"until": until} if until is not None else {}
        self._rollout = repeated(setup, f"{name}, {tau}", page, states, uses)

    def advance(
        self, settings: Settings, at: Snapshot, many: int, progress: Callable[[int], None]
    ) -> Segment:
        every = settings.every
        found = self._roll(settings, at, many * every, every, lambda k: progress(k // every))
        fine = finite(found).all(0)
        if fine.all():
            return Segment(found)
        n = int(np.argmin(fine))
        before = {name: found[name][:, n - 1] for name in at.states}
        last = Snapshot(at.steps + n * every, before) if n else at
        return Segment(found).first(n, self._failure(settings, last))

    def _failure(self, settings: Settings, at: Snapshot) -> Failure:
        """Where exactly it went wrong: the steps between two kept states once more."""
        close = self._roll(settings, at, settings.every, 1, lambda k: None)
        fine = finite(close)
        k = int(np.argmin(fine.all(0)))
        row = int(np.argmin(fine[:, k]))
        good = {n: close[n][row, k - 1] if k else x[row] for n, x in at.states.items()}
        t, end = (settings.step * (at.steps + n) for n in (k, k + 1))
        return Failure(row, good, t, end)

    def _roll(
        self, settings: Settings, at: Snapshot, count: int, every: int, progress: Callable
    ) -> dict[str, np.ndarray]:
        tau, first, rows = settings.tau, at.steps, len(at.states["q"])
        given = [at.states[self._own[name]] for name in self._names]
        steps = np.full(rows, float(first))
        if self._ends:
            ended = at.states[ENDED][:, 0]
            given += [np.where(ended > 0.0, ended, steps), (ended > 0.0).astype(float)]
        else:
            given.append(steps)
        given.append(np.full(1, settings.step))
        if tau is not None:
            given.append(tau[:, first : first + count] if tau.ndim == 3 else tau)
        given.append(settings.parameters)
        results = self._rollout(given, count, every, progress=progress)
        n = len(self._names)
        found = {self._own[name]: results[k] for k, name in enumerate(self._names)}
        if self._ends:  # the number of the step at which it ended, zero before
            found[ENDED] = (results[n] * results[n + 1])[..., None]
        found |= {"forces": results[-1]} if self.columns else {}
        return found
