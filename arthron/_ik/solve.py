"""Inverse kinematics on arrays: targets are dealt out to rows of the page that descends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._api import Model
from .._compile.function import Function
from .._compile.run.cores import cores
from .._compiled import compile
from .._described import Array
from ..errors import ShapeError
from . import check
from .descent import PATIENCE, STARTS, Descent, Settings
from .step import limits
from .targets import Target

GROUP = 16
"""Rows that run side by side."""
NUMBERS = 2400
"""Numbers that go in and out of a row, about; they have to be compiled."""


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


class _Kept:
    """What is kept with a model from call to call.

    Attributes:
        limits: those of its coordinates.
        pages: compiled ones, by kinds of targets and sizes.
        starts: random coordinates of the last seed, by that.
    """

    def __init__(self, model: Model) -> None:
        self.limits = limits(model)
        self.pages: dict[str, Function] = {}
        self.starts: dict[int, Array] = {}


class _Problem:
    """Targets and what is known about them, checked."""

    def __init__(
        self, model: Model, targets: Any, start: Any, posture: Any, times: bool, *settings: Any
    ) -> None:
        self.model, self.targets = model, check.check_targets(model, targets)
        self.kept: _Kept = model.__dict__.setdefault("_ik", None) or _Kept(model)
        model.__dict__["_ik"] = self.kept
        tolerance, iterations, restarts, rng = settings
        check.check_settings(tolerance, iterations, restarts)
        goals = [check.goal(target) for target in self.targets]
        leads = {f"target {k} ({type(t).__name__})": g.shape[: g.ndim - len(t.shape)]
                 for k, (g, t) in enumerate(zip(goals, self.targets, strict=True))}  # fmt: skip
        batch = check.broadcast(leads)
        if times and not batch:
            shapes = ", ".join(str(g.shape) for g in goals)
            raise ShapeError(
                f"targets of a motion have shapes {shapes}. Their last axis before those of one "
                "target is time: (..., n, 4, 4) for `Pose`."
            )
        self.n = batch[-1] if times else 1
        behind = batch[-1:] if times else ()
        self.posture = None if posture is None else check.coordinates(model, posture, "posture")
        if start is None:
            start = model.neutral() if self.posture is None else self.posture
        self.start = check.coordinates(model, start, "start").copy()
        for limit in self.kept.limits:
            at = self.start[..., limit.q]
            self.start[..., limit.q] = np.clip(at, limit.low, limit.high)
        leads = {"targets": batch[:-1] if times else batch, "`start`": self.start.shape[:-1]}
        if self.posture is not None:
            leads["`posture`"] = self.posture.shape[:-1]
        lead = check.broadcast(leads)
        self.batch = (*lead, *behind)
        self.rows = int(np.prod(lead))
        self.numbers = np.concatenate(
            [np.broadcast_to(g, self.batch + t.shape)
             .reshape((self.rows * self.n, -1))[:, : t.numbers]
             for g, t in zip(goals, self.targets, strict=True)], axis=1,
        )  # fmt: skip
        self.tolerance = float(tolerance)
        self.restarts = self._starts(rng)
        self.settings = Settings(
            self.tolerance, float(iterations), restarts + 1.0 if restarts else 0.0,
            float(iterations) if times else PATIENCE, float(times),
        )  # fmt: skip

    def _starts(self, rng: Any) -> Array:
        """Coordinates of restarts."""
        if not isinstance(rng, int):
            return self.model.random(check.generator(rng), STARTS).reshape(-1)
        if rng not in self.kept.starts:  # the last seed is the one that is used again
            starts = self.model.random(check.generator(rng), STARTS)
            self.kept.starts = {rng: starts.reshape(-1)}
        return self.kept.starts[rng]

    def one_each(self, q: Array | None) -> Array | None:
        """Coordinates by row, or one for all."""
        if q is None or q.ndim == 1:
            return q
        lead = self.batch[: len(self.batch) - (self.settings.continuous > 0.5)]
        return np.broadcast_to(q, (*lead, self.model.nq)).reshape(self.rows, self.model.nq)

    def chunk(self) -> int:
        """How many targets a row can have."""
        each = sum(t.numbers for t in self.targets) + self.model.nq + 3
        return max(8, min(64, 1 << (NUMBERS // each).bit_length() - 1))

    def page(self, chunk: int, starts: int, postures: int) -> Function:
        """The compiled page, kept with the model."""
        kept = self.kept.pages
        key = repr([[_kind(t) for t in self.targets], chunk, starts, postures])
        if key not in kept:
            page = Descent(self.model, self.targets, chunk, starts, postures)
            kept[key] = compile(page, self.model, shapes=page.shapes())
        return kept[key]

    def solution(self, found: Array) -> Solution:
        """What the page returned, by name."""
        nq, batch = self.model.nq, self.batch
        error = found[:, nq].reshape(batch)
        attempts, passes = (found[:, nq + k].astype(int).reshape(batch) for k in (1, 2))
        q = found[:, :nq].reshape((*batch, nq))
        return Solution(q, error, error <= self.tolerance, attempts, passes)


def _kind(target: Target) -> tuple:
    """What of a target is part of the code: all but its value."""
    return (type(target).__name__, *(v for k, v in vars(target).items() if k != "value"))


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
        targets: `Pose`, `Point`, `Orientation`, `LookAt` and `CenterOfMass`, in any number. Leading
            axes of their values are a batch and broadcast: one solution each.
        start: coordinates to begin from, (..., nq); the posture, or neutral, when left out.
        posture: coordinates that solutions should be near as far as targets leave them open,
            (..., nq).
        tolerance: norm of the weighted residuals that counts as reached [m, rad].
        iterations: steps before a start is given up.
        restarts: further starts, at random within the limits; the same for all targets.
        rng: seed or generator for them.
    """
    settings = tolerance, iterations, restarts, rng
    problem = _Problem(model, targets, start, posture, False, *settings)
    n = problem.rows
    begin, near = problem.one_each(problem.start), problem.one_each(problem.posture)
    chunk = 1 if n == 1 else problem.chunk()
    groups = max(1, min(cores(), n // (8 * GROUP)))  # at least eight targets a row
    rows = min(n, GROUP * groups * -(-n // (GROUP * groups * chunk)))
    counts = np.full(rows, n // max(rows, 1))
    counts[: n - int(counts.sum())] += 1
    used = np.arange(chunk) < counts[:, None]

    def dealt(numbers: Array | None) -> Array:
        """Numbers of targets as those of rows."""
        if numbers is None:
            return np.zeros(0)
        if numbers.ndim == 1:
            return numbers
        if n == 1:
            return numbers[0]
        table = np.zeros((*used.shape, numbers.shape[1]))
        table[used] = numbers
        return table.reshape(rows, -1)

    starts, postures = (0 if x is None else 1 if x.ndim == 1 else chunk for x in (begin, near))
    page = problem.page(chunk, starts, postures)
    count = np.array(1.0) if n == 1 else counts.astype(float)
    found = page(dealt(problem.numbers), count, dealt(begin), dealt(near),
                 problem.restarts, np.array(problem.settings))  # fmt: skip
    return problem.solution(found.reshape((*used.shape, model.nq + 3))[used])


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

    Where a target is lost, other starts are tried; if one of them reaches it, the motion jumps, and
    if none does, it stays as near as it gets from where it was.

    Args:
        model: the figure.
        targets: as for `solve`; the last axis before those of one value is time, (..., n, 4, 4) for
            `Pose`. What does not move may be (1, 4, 4), or (4, 4) beside others that do.
        start: coordinates before the first time, (..., nq); the posture, or neutral, when left out.
        posture: coordinates that solutions should be near as far as targets leave them open,
            (..., nq).
        tolerance: norm of the weighted residuals that counts as reached [m, rad].
        iterations: steps before a start is given up.
        restarts: further starts for targets that are lost.
        rng: seed or generator for them.
    """
    settings = tolerance, iterations, restarts, rng
    problem = _Problem(model, targets, start, posture, True, *settings)
    n, rows, chunk = problem.n, problem.rows, problem.chunk()
    q, near = problem.one_each(problem.start), problem.one_each(problem.posture)
    page = problem.page(chunk, 1, 0 if near is None else 1)
    numbers = problem.numbers.reshape(rows, n, -1)
    found = np.zeros((rows, n, model.nq + 3))
    for first in range(0, n if rows else 0, chunk):
        count = min(chunk, n - first)
        table = np.zeros((rows, chunk, numbers.shape[2]))
        table[:, :count] = numbers[:, first : first + count]
        part = page(table.reshape((rows, -1) if rows > 1 else -1), np.array(float(count)), q,
                    np.zeros(0) if near is None else near, problem.restarts,
                    np.array(problem.settings))  # fmt: skip
        found[:, first : first + count] = part.reshape(rows, chunk, -1)[:, :count]
        q = found[:, first + count - 1, : model.nq]
        q = q[0] if rows == 1 else q
    return problem.solution(found.reshape(rows * n, -1))
