"""Inverse kinematics on arrays: targets are dealt out to rows of the page that descends."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .._compile.run.cores import cores
from .._figure.figure import Array
from .._model.model import Model
from .problem import Problem, problem
from .targets import Target

GROUP = 16
"""Rows that a core takes at once."""


@dataclass(frozen=True)
class Solution:
    """What was found.

    Attributes:
        q: coordinates, (..., nq); the best found where the target was not reached.
        error: norm of the weighted residuals there.
        solved: whether the error is within the tolerance.
        attempts: starts that were tried.
        passes: steps that were made, over all attempts.
    """

    q: Array
    error: Array
    solved: Array
    attempts: Array
    passes: Array

    def __repr__(self) -> str:
        n = np.size(self.solved)
        worst = float(np.max(self.error)) if n else 0.0
        return f"<{int(np.sum(self.solved))} of {n} targets reached; largest error {worst:.2e}>"


def _solution(asked: Problem, found: Array) -> Solution:
    nq = asked.model.nq
    found = found.reshape(*asked.batch, nq + 3)
    error = found[..., nq]
    attempts, passes = (found[..., nq + k].astype(int) for k in (1, 2))
    return Solution(
        found[..., :nq].copy(), error.copy(), error <= asked.settings.tolerance, attempts, passes
    )


def solve(
    model: Model,
    targets: Sequence[Target],
    *,
    start: ArrayLike | None = None,
    posture: ArrayLike | None = None,
    tolerance: float = 1e-6,
    iterations: int = 60,
    restarts: int = 100,
    rng: np.random.Generator | int | None = 0,
) -> Solution:
    """Coordinates within joint limits that reach all targets together, as well as can be.

    Args:
        model: the figure.
        targets: `Pose`, `Point`, `Orientation`, `LookAt`, `CenterOfMass` and `Clearance`. Leading
            axes of their values are a batch and broadcast: one solution each.
        start: coordinates to begin from, (..., nq); the posture, or neutral, when left out.
        posture: coordinates that solutions should be near as far as targets leave them open,
            (..., nq).
        tolerance: norm of the weighted residuals that counts as reached [m, rad].
        iterations: steps before a start is given up; as many again towards the posture.
        restarts: further starts, at random within the limits; the same for all targets.
        rng: seed or generator for them.
    """
    asked = problem(
        model, targets, start, posture, tolerance, iterations, restarts, rng, moving=False
    )
    nothing, one = np.zeros(0), np.array(1.0)
    near = nothing if asked.posture is None else asked.posture
    n = math.prod(asked.batch)
    if n == 1:
        parts = (x.reshape(-1) for x in (asked.start, near))
        return _solution(asked, asked.run(1, asked.goals[0], one, *parts))
    chunk = asked.chunk
    groups = GROUP * max(1, min(cores(), n // (8 * GROUP)))  # at least eight targets a row
    rows = min(n, groups * -(-n // (groups * chunk)))
    counts = np.arange(n, n + rows) // max(rows, 1)  # n in all, as even as can be
    used = np.arange(chunk) < counts[:, None]

    def dealt(numbers: Array) -> Array:
        """Numbers of targets as those of rows."""
        if numbers.ndim == 1:
            return numbers
        table = np.zeros((*used.shape, numbers.shape[1]))
        table[used] = numbers
        return table.reshape(rows, chunk * numbers.shape[1])

    tables = dealt(asked.start), dealt(near)
    found = asked.run(chunk, dealt(asked.goals), counts.astype(float), *tables)
    return _solution(asked, found[used])


def track(
    model: Model,
    targets: Sequence[Target],
    *,
    start: ArrayLike | None = None,
    posture: ArrayLike | None = None,
    tolerance: float = 1e-6,
    iterations: int = 60,
    restarts: int = 100,
    rng: np.random.Generator | int | None = 0,
) -> Solution:
    """Coordinates that follow moving targets, each time from the solution before.

    Where a target is lost, other starts are tried: if one of them reaches it, the motion jumps; if
    none does, it stays as near as it gets from where it was.

    Args:
        model: the figure.
        targets: as for `solve`; the last axis before those of one value is time, (..., n, 4, 4) for
            `Pose`. What does not move may go without it beside others that do.
        start: coordinates before the first time, (..., nq); the posture, or neutral, when left out.
        posture: coordinates that solutions should be near as far as targets leave them open,
            (..., nq).
        tolerance: norm of the weighted residuals that counts as reached [m, rad].
        iterations: steps before a start is given up; as many again towards the posture.
        restarts: further starts for targets that are lost.
        rng: seed or generator for them.
    """
    asked = problem(
        model, targets, start, posture, tolerance, iterations, restarts, rng, moving=True
    )
    *lead, n = asked.batch
    rows, chunk = math.prod(lead), asked.chunk
    goals = asked.goals.reshape(rows, n, asked.goals.shape[1])
    found = np.zeros((rows, n, model.nq + 3))
    q, near = asked.start, np.zeros(0) if asked.posture is None else asked.posture
    for first in range(0, n if rows else 0, chunk):
        count = min(chunk, n - first)
        table = np.zeros((rows, chunk, goals.shape[2]))
        table[:, :count] = goals[:, first : first + count]
        numbers = table.reshape(rows, chunk * goals.shape[2])
        part = asked.run(chunk, numbers, np.array(float(count)), q, near)
        found[:, first : first + count] = part[:, :count]
        q = np.ascontiguousarray(found[:, first + count - 1, : model.nq])
    return _solution(asked, found)
