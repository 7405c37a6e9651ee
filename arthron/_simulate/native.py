"""Steps that are one page each, repeated in native code."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .._compile.rollout import Rollout
from .._page import free_inputs, page_inputs, trace
from .._scene.scene import Scene
from .integrator import Moment, Settings, Stop, Stretch, finite
from .steps import Step


class NativeSteps:
    """An integrator whose step is a page of `steps.py`.

    Args:
        scene: what is simulated.
        step: the page.
        own_figures: whether each row has inertial parameters of its own.
    """

    history = 0
    solves = False

    def __init__(self, scene: Scene, step: Step, own_figures: bool) -> None:
        tree = scene.model.tree
        free = ("inertia",) if own_figures else ()
        inputs = page_inputs(step, tree) | free_inputs(free, tree, step)
        self._rollout = Rollout(lambda: trace(step, tree, inputs), 3)

    def advance(
        self, settings: Settings, at: Moment, many: int, progress: Callable[[int], None]
    ) -> Stretch:
        every = settings.every
        found = self._roll(settings, at, many * every, every, lambda k: progress(k // every))
        fine = finite(found.q, found.qd).all(0)
        if fine.all():
            return found
        n = int(np.argmin(fine))
        before = Moment(at.steps + n * every, found.q[:, n - 1], found.qd[:, n - 1], at.history)
        return found.first(n, self._stop(settings, before if n else at))

    def _stop(self, settings: Settings, at: Moment) -> Stop:
        """Where exactly it went wrong: the steps between two kept states once more."""
        close = self._roll(settings, at, settings.every, 1, lambda k: None)
        fine = finite(close.q, close.qd)
        k = int(np.argmin(fine.all(0)))
        row = int(np.argmin(fine[:, k]))
        q, qd = (close.q[row, k - 1], close.qd[row, k - 1]) if k else (at.q[row], at.qd[row])
        t, end = (settings.step * (at.steps + n) for n in (k, k + 1))
        return Stop(row, q, qd, t, end)

    def _roll(
        self, settings: Settings, at: Moment, count: int, every: int, progress: Callable
    ) -> Stretch:
        tau, first = settings.tau, at.steps
        given = [at.q, at.qd, np.full(len(at.q), float(first)), np.full(1, settings.step)]
        given += [tau[:, first : first + count] if tau.ndim == 3 else tau]
        given += [] if settings.inertia is None else [settings.inertia]
        q, qd, _, *forces = self._rollout(given, count, every, progress=progress)
        nothing = np.zeros(q.shape[:2])
        reaction = forces[0] if forces else np.zeros_like(qd)
        return Stretch(q, qd, reaction, nothing, nothing[..., None][..., :0])
