"""From what is asked of a motion to a nonlinear program."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._algorithms.planned_motion import BodyPoint, off_velocity, pushed_joint_forces
from .._figure.figure import Array
from .._model.model import Model
from .._pages.takes import Page
from ..errors import ModelError
from .bsplines import often
from .footholds_held import Footing, clearance_rows, find_footing, standing_rows
from .joint_units import in_joint_units
from .motion_conditions import Condition, Keyframe
from .motion_costs import CostTerm, Setting
from .motion_guess import Pushed, guessed_poses, start_unknowns
from .motion_inputs import interval_of
from .sampled_cost import SampledCost
from .sampled_page import SampledPage
from .samples import Samples, plain_coordinates
from .sparse_parts import Cones, Rows, SampledRows
from .transcription import Transcription
from .unknowns import Unknowns
from .weak_balance import WeakBalance

if TYPE_CHECKING:
    from .motion_problem import MotionProblem

SMALL = 1e-3
"""Where cones of friction are rounded off, as a part of the weight."""


@dataclass(frozen=True)
class Built:
    """A nonlinear program.

    Attributes:
        program: it.
        start: where a search begins.
        points: points that may be pushed.
    """

    program: Transcription
    start: Array
    points: tuple[BodyPoint, ...]


def build(problem: MotionProblem, guess: Any) -> Built:
    """The nonlinear program of a problem."""
    model, phases, conditions = problem.model, problem.phases, problem.conditions
    for at in (c.at for c in conditions if c.at is not None):
        interval_of(at, len(phases))
    when, poses = guessed_poses(model, conditions, len(phases), guess)
    footing = find_footing(model, phases, when, poses)
    setting = Setting(model, footing.points, problem.driven, not problem.gauss_newton)
    pushed = [footing.pushed(k) for k in range(len(phases))]
    layout = Unknowns.of(model, phases, pushed, footing.places)
    costs = [_cost(layout, setting, k, c) for c in problem.costs for k in range(len(phases))]
    states = {c.at for c in conditions if isinstance(c, Keyframe) and c.whole(model)}
    rows: list[Rows] = [*_balance(layout, setting), *_joins(layout, setting)]
    rows += [*standing_rows(layout, footing, states), *clearance_rows(layout, footing)]
    rows += [row for c in conditions for row in _condition(layout, setting, c)]
    small = SMALL * model.mass * float(np.linalg.norm(model.gravity))
    held = [k for k, own in enumerate(layout.phases) if own.points]
    rows += [Cones(layout, k, footing.each(k, "friction"), small) for k in held]
    program = Transcription(
        layout, costs, _springs(layout, footing), rows, *_bounds(problem, layout)
    )
    start = start_unknowns(layout, footing, when, poses, _pushed(setting))
    return Built(program, start, footing.points)


def sampled(setting: Setting, page: Page, data: Mapping[str, Array] = {}) -> SampledPage:
    """A page with derivatives, compiled once for a figure."""
    shapes: dict[str, tuple] = {"forces": (len(setting.points), 3)}
    shapes |= {name: x.shape[1:] for name, x in data.items() if name != "q0"}
    bound = getattr(page, "keywords", {})
    exact = setting.exact
    key = ("sampled", exact, getattr(page, "func", page), *bound.items(), *shapes.items())
    return setting.model.memo(key, lambda: SampledPage(page, setting.model, shapes, exact))


def _springs(layout: Unknowns, footing: Footing) -> Array:
    """What forces at footholds cost besides, as torques on short levers."""
    springs = np.zeros(layout.size)
    for k, own in enumerate(layout.phases):
        share = 2.0 * own.given * own.force_knots.integrals()
        levers = np.repeat(footing.each(k, "lever") ** 2, 3)
        springs[own.forces : own.forces + own.force_count] = np.outer(share, levers).ravel()
    return springs


def _cost(layout: Unknowns, setting: Setting, k: int, term: CostTerm) -> SampledCost:
    """A cost over one phase."""
    knots = layout.phases[k].knots
    asked = term.asked(setting)
    group = knots.degree - 1  # enough for squares of splines
    times, dt = knots.gauss(group)
    data = asked.data(_seconds(layout, k, times)) if asked.data else {}
    samples = Samples(layout, k, times, sampled(setting, asked.page, data), data=data)
    weights = np.broadcast_to(asked.weights, (samples.page.count,))
    return SampledCost(samples, dt, weights, group, term.squared)


def _pushed(setting: Setting) -> Pushed | None:
    """Joint forces, where there are coordinates without a motor."""
    free = np.flatnonzero(np.logical_not(setting.driven))
    if not len(free):
        return None
    page = functools.partial(pushed_joint_forces, points=setting.points)
    return Pushed(sampled(setting, page), free)


def _balance(layout: Unknowns, setting: Setting) -> list[Rows]:
    """No force on coordinates without a motor."""
    found: list[Rows] = []
    if pushed := _pushed(setting):
        for k, own in enumerate(layout.phases):
            group = own.knots.degree - 1
            times, dt = own.knots.gauss(group)
            samples = Samples(layout, k, times, pushed.page, np.eye(layout.model.nv)[pushed.free])
            found.append(WeakBalance(samples, dt, group))
    return found


def _joins(layout: Unknowns, setting: Setting) -> list[Rows]:
    """Velocities that are the same where phases meet."""
    zeros = np.zeros((1, layout.model.nv))
    still = {"wanted": zeros}
    page, found = sampled(setting, off_velocity, still), []
    every = np.ones(layout.model.nv, bool)
    name = in_joint_units("velocity where phases meet", layout.model, every, "rad/s")
    for k in range(1, len(layout.phases)):
        before = Samples(layout, k - 1, np.ones(1), page, data=still)
        after = Samples(layout, k, np.zeros(1), page, data=still)
        terms = [(1.0, before), (-1.0, after)]
        found.append(SampledRows(name, terms, zeros, zeros))
    return found


def _condition(layout: Unknowns, setting: Setting, condition: Condition) -> list[Rows]:
    """A condition, in each phase in which it holds."""
    found: list[Rows] = []
    for wanted in condition.wanted(setting):
        data = {name: np.asarray(x, float)[None] for name, x in wanted.data.items()}
        page = sampled(setting, wanted.page, data)
        least, most = (np.broadcast_to(x, (page.count,)) for x in (wanted.least, wanted.most))
        kept = np.flatnonzero(np.isfinite(least) | np.isfinite(most))
        if not len(kept):
            raise ModelError(f"{wanted.name} has no bounds. Give `least` or `most`.")
        rows = np.eye(page.count)[kept]
        for k, times in _when(layout, condition.at, wanted.often):
            given = {name: np.repeat(x, len(times), 0) for name, x in data.items()}
            terms = [(1.0, Samples(layout, k, times, page, rows, given))]
            if wanted.since is not None:
                ((before, at),) = _when(layout, wanted.since, 1)
                terms.append((-1.0, Samples(layout, before, at, page, rows, given)))
            ends = [np.tile(x[kept], (len(times), 1)) for x in (least, most)]
            found.append(SampledRows(wanted.name, terms, ends[0], ends[1]))
    return found


def _seconds(layout: Unknowns, k: int, times: Array) -> Array:
    """Parts of a phase as times [s], of phases that are as long as is known before the search."""
    before = sum(own.given for own in layout.phases[:k])
    return before + layout.phases[k].given * times


def _when(layout: Unknowns, at: Any, parts: int) -> list[tuple[int, Array]]:
    """Phases and parts of them that a time or an interval stands for."""
    last = len(layout.phases)
    start, end = interval_of((0, last) if at is None else at, last)
    if start == end:
        k = min(int(start), last - 1)
        return [(k, np.array([start - k]))]
    found = []
    for k, own in enumerate(layout.phases):
        ends = np.clip([start - k, end - k], 0.0, 1.0)
        inside = own.force_knots.greville()
        inside = inside[(inside > ends[0]) & (inside < ends[1])]
        if ends[1] > ends[0]:
            times = np.array([ends[0], *inside, ends[1]])
            found.append((k, often(times, parts)))
    return found


def _free_known(problem: MotionProblem, layout: Unknowns, rows: Array, none: float) -> None:
    """Take bounds off controls that pose and velocity at an end of a phase determine."""
    ends = [own.first for own in layout.phases] + [layout.controls - 1]
    for keyframe in problem.conditions:
        if isinstance(keyframe, Keyframe) and float(keyframe.at).is_integer():
            k = int(keyframe.at)
            _check_limits(problem.model, keyframe)
            posed, moved = keyframe.known(problem.model)
            rows[ends[k], posed] = none
            for near in (ends[k] - 1, ends[k] + 1):
                if 0 <= near < layout.controls:
                    rows[near, posed & moved] = none


def _check_limits(model: Model, keyframe: Keyframe) -> None:
    """A word on a pose that limits exclude."""
    if (q := keyframe.pose(model)) is None:
        return
    over = np.maximum(model.q_lower - q, q - model.q_upper)
    for name in model.joint_names:
        beyond = float(np.max(over[model.slice_q(name)]))
        if beyond > 0.0:
            raise ModelError(
                f"the pose at {keyframe.at} has joint {name!r} {beyond:.3g} beyond its limits. "
                "Give one within, or `limits=False`."
            )


def _bounds(problem: MotionProblem, layout: Unknowns) -> tuple[Array, Array]:
    """Limits of joints, for all controls, and of durations."""
    model = problem.model
    of_q, of_v = plain_coordinates(model)
    lower, upper = np.full(layout.size, -np.inf), np.full(layout.size, np.inf)
    if problem.limits:
        for bound, given, none in ((lower, model.q_lower, -np.inf), (upper, model.q_upper, np.inf)):
            rows = bound[: layout.controls * model.nv].reshape(-1, model.nv)
            rows[:, of_v] = given[of_q]
            _free_known(problem, layout, rows, none)
    for own, phase in zip(layout.phases, problem.phases, strict=True):
        lower[own.forces + 2 : own.forces + own.force_count : 3] = 0.0  # ground does not pull
        if own.duration is not None:
            lower[own.duration], upper[own.duration] = phase.shortest, phase.longest
    return lower, upper
