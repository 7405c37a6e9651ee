"""Segments of a run: kept states of many rows, and which of these are over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray

ENDED, FAILED, STUCK = 1.0, 2.0, 3.0
"""Status of rows that are over: it was time; not finite; stuck, and from there on at which velocity
coordinate."""


class RunSettings(NamedTuple):
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
        status: zero of rows that go on, (rows,).
        ended: after how many steps the others were over, (rows,).
    """

    steps: int
    states: Mapping[str, Array]
    status: Array
    ended: Array


class RowEnd(NamedTuple):
    """Where a row was over.

    Attributes:
        row: which.
        status: why: `ENDED`, `FAILED`, or stuck at a coordinate.
        steps: how many it made.
        states: its last good state, by name.
    """

    row: int
    status: float
    steps: int
    states: Mapping[str, Array]

    @property
    def failed(self) -> bool:
        """Whether it could not go on."""
        return self.status > ENDED

    @property
    def stuck(self) -> int | None:
        """The velocity coordinate at which solving for a step got stuck, if it did."""
        return int(self.status - STUCK) if self.status >= STUCK else None


class Segment(NamedTuple):
    """Kept states, (rows, n, ...) each.

    Attributes:
        columns: states by name, and what the integrator gives besides: "forces" of constraints,
            "residual" of solving. NaN behind the end of a row.
        ends: rows that were over in it.
    """

    columns: Mapping[str, Array]
    ends: list[RowEnd]


class Block(NamedTuple):
    """What a run yields: states that follow those before.

    Attributes:
        t: times, (n,).
        columns: states, energies and what is recorded, (rows, n, ...) each.
        ends: rows that were over among them, as files keep that.
    """

    t: Array
    columns: Mapping[str, Array]
    ends: Sequence[Mapping[str, Any]]
