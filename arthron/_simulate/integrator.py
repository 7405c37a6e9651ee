"""What integrators have in common: a segment of states from one that is there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np

Array = np.ndarray


class Settings(NamedTuple):
    """How a run is made.

    Attributes:
        step: length of a time step [s].
        every: steps between kept states.
        parameters: inputs of the scene's numbers, (1 or rows, size).
        tau: joint forces from outside, (1 or rows, nv) or (1 or rows, steps, nv), if there are any.
    """

    step: float
    every: int
    parameters: Array
    tau: Array | None = None


class Snapshot(NamedTuple):
    """Where rows of simulations are after a number of steps.

    Attributes:
        steps: how many.
        states: all that a run goes on from, by name, (rows, size) each.
    """

    steps: int
    states: Mapping[str, Array]


class Failure(NamedTuple):
    """Where a simulation could not go on.

    Attributes:
        row: the one that failed.
        states: its last good state, by name.
        t: when that was.
        end: when there was no good one.
        why: what the integrator has to say.
    """

    row: int
    states: Mapping[str, Array]
    t: float
    end: float
    why: str = ""


class Segment(NamedTuple):
    """Kept states, (rows, n, ...) each; fewer than asked for if it came to a failure.

    Attributes:
        columns: states by name, and what the integrator gives besides: "forces" of constraints,
            "residual" of solving, when rows "ended".
        failure: where it could not go on.
    """

    columns: Mapping[str, Array]
    failure: Failure | None = None

    def first(self, n: int, failure: Failure | None) -> Segment:
        """The first states of it."""
        return Segment({name: x[:, :n] for name, x in self.columns.items()}, failure)


class Integrator(Protocol):
    """A way to go on in time.

    Attributes:
        states: what it has to remember besides the states of the scene: where each starts.
        columns: what it gives besides states, and how many numbers that is.
    """

    states: Mapping[str, Array]
    columns: Mapping[str, int]

    def advance(
        self, settings: Settings, at: Snapshot, many: int, progress: Callable[[int], None]
    ) -> Segment:
        """The next kept states; `progress` is told how many there are."""
        ...


def segment(
    kept: Sequence[Mapping[str, Array]], example: Mapping[str, Array], failure: Failure | None
) -> Segment:
    """A segment of states that were found one after the other, none perhaps."""
    states = kept or [example]
    columns = {name: np.stack([x[name] for x in states], 1)[:, : len(kept)] for name in example}
    return Segment(columns, failure)


def finite(columns: Mapping[str, Array]) -> Array:
    """Whether all numbers of each state are finite, (rows, n)."""
    return np.all([np.isfinite(array).all(-1) for array in columns.values()], axis=0)


def rows_of(settings: Settings, rows: int) -> Array:
    """Inputs of the scene's numbers for each row, as native code wants them."""
    return np.ascontiguousarray(
        np.broadcast_to(settings.parameters, (rows, settings.parameters.shape[-1]))
    )
