"""What integrators have in common: a stretch of states from one that is there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np

Array = np.ndarray


class Settings(NamedTuple):
    """How a run is made.

    Attributes:
        step: length of a time step [s].
        every: steps between kept states.
        tolerance: of an adaptive integrator.
        tau: joint forces from outside, (1 or rows, nv) or (1 or rows, steps, nv).
        inertia: inertial parameters, (1 or rows, 10 nb); None for those of the scene.
    """

    step: float
    every: int
    tolerance: float
    tau: Array
    inertia: Array | None


class Moment(NamedTuple):
    """Where rows of simulations are after a number of steps.

    Attributes:
        steps: how many.
        q: coordinates, (rows, nq).
        qd: velocities, (rows, nv).
        history: what else the integrator goes on from, (rows, its `history`).
    """

    steps: int
    q: Array
    qd: Array
    history: Array


class Stop(NamedTuple):
    """Where a simulation could not go on.

    Attributes:
        row: the one that failed.
        q: its last good state.
        qd: likewise.
        t: when that was.
        end: when there was no good one.
        why: what the integrator has to say.
    """

    row: int
    q: Array
    qd: Array
    t: float
    end: float
    why: str = ""


class Stretch(NamedTuple):
    """Kept states, (rows, n, ...) each; fewer than asked for if it came to a stop.

    Attributes:
        q: coordinates.
        qd: velocities.
        forces: joint forces of joints that move as told.
        residual: largest joint force that solving a step left over.
        history: what else the integrator would go on from.
        stop: where it could not go on.
    """

    q: Array
    qd: Array
    forces: Array
    residual: Array
    history: Array
    stop: Stop | None = None

    def first(self, n: int, stop: Stop | None) -> Stretch:
        """The first states of it."""
        q, qd, forces, residual, history = (x[:, :n] for x in self[:5])
        return Stretch(q, qd, forces, residual, history, stop)


class Integrator(Protocol):
    """A way to go on in time.

    Attributes:
        history: how many numbers a row has to remember beside its state.
        solves: whether its steps are solutions of equations, which leave a residual.
    """

    history: int
    solves: bool

    def advance(
        self, settings: Settings, at: Moment, many: int, progress: Callable[[int], None]
    ) -> Stretch:
        """The next kept states; `progress` is told how many there are."""
        ...


def stretch(states: Sequence[tuple[Array, ...]], at: Moment, stop: Stop | None) -> Stretch:
    """A stretch of states that were found one after the other, none perhaps, from a moment on."""
    nothing = (at.q, at.qd, at.qd, np.zeros(len(at.q)), at.history)
    each = zip(*(states or [nothing]), strict=True)
    q, qd, forces, residual, history = (np.stack(x, 1)[:, : len(states)] for x in each)
    return Stretch(q, qd, forces, residual, history, stop)


def finite(*arrays: Array) -> Array:
    """Whether all numbers of each state are finite, (rows, n)."""
    return np.all([np.isfinite(array).all(-1) for array in arrays], axis=0)
