"""A problem of inverse kinematics as arrays: checked, broadcast, with its compiled page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._compile.arguments import broadcast_leads
from .._compile.function import Function
from .._figure.figure import Array
from .._model.model import Model
from .._pages.compiled import compile
from ..errors import ShapeError
from . import check_targets as check
from .descent import PATIENCE, STARTS, Descent, DescentSettings
from .step import limits
from .targets import Target

NUMBERS = 2400
"""Numbers that go in and out of a row, about: they have to be compiled."""


class Kept:
    """What is kept with a model from call to call.

    Attributes:
        low: lower limits of q, where coordinates have some.
        high: upper limits.
        starts: random coordinates of the last seed, by that.
    """

    def __init__(self, model: Model) -> None:
        self.low, self.high = np.full(model.nq, -np.inf), np.full(model.nq, np.inf)
        for limit in limits(model):
            self.low[limit.q], self.high[limit.q] = limit.low, limit.high
        self.starts: dict[int, Array] = {}


@dataclass(frozen=True)
class Problem:
    """Targets and everything about them.

    Attributes:
        model: the figure.
        targets: what is to be reached.
        batch: leading axes of the solution; the last of them is time where targets move.
        goals: numbers of all targets, a row each.
        start: coordinates to begin from, (nq,) or a row each.
        posture: coordinates to be near, likewise, if any.
        restarts: random coordinates, end to end.
        settings: numbers that are the same for all.
        kept: what is kept with the model.
    """

    model: Model
    targets: list[Target]
    batch: tuple[int, ...]
    goals: Array
    start: Array
    posture: Array | None
    restarts: Array
    settings: DescentSettings
    kept: Kept

    @property
    def chunk(self) -> int:
        """How many targets a row can have: a power of two."""
        each = self.goals.shape[1] + self.model.nq + 3
        return max(8, min(64, 1 << (NUMBERS // each).bit_length() - 1))

    def run(self, chunk: int, goals: Array, count: Array, start: Array, posture: Array) -> Array:
        """What the page finds for rows of `chunk` targets at most, a row of numbers a target."""
        starts, postures = (x.shape[-1] // self.model.nq for x in (start, posture))
        key = repr([[_kind(target) for target in self.targets], chunk, starts, postures])

        def make() -> Function:
            page = Descent(self.model, self.targets, chunk, starts, postures)
            return compile(page, self.model, shapes=page.shapes())

        settings = np.array(self.settings)
        found = self.model.memo(("inverse kinematics", key), make)(
            goals, count, start, posture, self.restarts, settings
        )
        return found.reshape(*found.shape[:-1], chunk, self.model.nq + 3)


def _kind(target: Target) -> tuple:
    """What of a target is part of the code: all but its value."""
    fields = {k: v for k, v in vars(target).items() if k != "value"}
    plain = [v.tolist() if isinstance(v, np.ndarray) else v for v in fields.values()]
    return (type(target).__module__, type(target).__qualname__, *plain)


def problem(
    model: Any, targets: Any, start: Any, posture: Any, tolerance: Any, iterations: Any,
    restarts: Any, rng: Any, *, moving: bool,
) -> Problem:  # fmt: skip
    """What was asked for, or a word on what is wrong with it."""
    targets = check.check_targets(model, targets)
    check.check_settings(tolerance, iterations, restarts)
    kept = model.memo("inverse kinematics", lambda: Kept(model))
    goals = [check.goal(target) for target in targets]
    batch = broadcast_leads(
        {f"target {k} ({type(t).__name__})": g.shape[: g.ndim - len(t.shape)]
         for k, (g, t) in enumerate(zip(goals, targets, strict=True))}
    )  # fmt: skip
    if moving and not batch:
        raise ShapeError(
            f"targets of a motion have shapes {', '.join(str(g.shape) for g in goals)}. The axis "
            "before those of one value is time: (..., n, 4, 4) for `Pose`."
        )
    lead, times = (batch[:-1], batch[-1:]) if moving else (batch, ())
    near = None if posture is None else check.coordinates(model, posture, "posture")
    if start is None:
        start = model.neutral() if near is None else near
    begin = np.clip(check.coordinates(model, start, "start"), kept.low, kept.high)
    leads = {"targets": lead, "`start`": begin.shape[:-1]}
    if near is not None:
        leads["`posture`"] = near.shape[:-1]
    lead = broadcast_leads(leads)
    batch = (*lead, *times)
    settings = DescentSettings(
        tolerance=float(tolerance),
        iterations=float(iterations),
        last=restarts + 1.0 if restarts else 0.0,
        patience=float(iterations) if moving else PATIENCE,
        continuous=float(moving),
    )
    return Problem(
        model, targets, batch, _numbers(goals, targets, batch), _rows(begin, lead),
        None if near is None else _rows(near, lead), _starts(model, kept, rng), settings, kept,
    )  # fmt: skip


def _numbers(goals: Sequence[Array], targets: Sequence[Target], batch: tuple[int, ...]) -> Array:
    n = math.prod(batch)
    parts = [np.broadcast_to(g, batch + t.shape).reshape(n, math.prod(t.shape))[:, : t.numbers]
             for g, t in zip(goals, targets, strict=True)]  # fmt: skip
    return np.concatenate(parts, axis=1)


def _rows(q: Array, lead: tuple[int, ...]) -> Array:
    """Coordinates a row each, or one for all."""
    nq = q.shape[-1]
    return q if q.ndim == 1 else np.broadcast_to(q, (*lead, nq)).reshape(math.prod(lead), nq)


def _starts(model: Model, kept: Kept, rng: Any) -> Array:
    """Coordinates that restarts are made of."""
    if not isinstance(rng, int):
        return model.random(check.start_generator(rng), STARTS).reshape(-1)
    if rng not in kept.starts:
        kept.starts = {rng: model.random(check.start_generator(rng), STARTS).reshape(-1)}
    return kept.starts[rng]
