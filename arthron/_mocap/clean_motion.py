"""A clip cleaned by physics: feet that stand do not slide, and joint forces do not jitter."""

from __future__ import annotations

from itertools import pairwise
from numbers import Real
from typing import Any

import numpy as np

from .._figure.figure import Array
from .._spacetime.motion_costs import Near
from .._spacetime.motion_phase import Phase
from .._spacetime.motion_problem import MotionProblem
from .._spacetime.splined_motion import SplineMotion
from ..errors import ModelError, ShapeError
from .clip import Clip
from .clip_supports import feet_of
from .clip_times import has_free_root
from .support_plan import Planted, SupportPlan, low_points, push_point
from .supported_costs import Slip, SupportedTorque

SPANS = 20.0
"""Polynomials a second."""
TORQUE, SLIPPED = 0.02, 1e-3
"""How far joints may be from the data at the cost of all torque [rad]; how far feet may slip at
the cost of being that far off [m]."""


def cleaned(clip: Clip, *, calm: float = 1.0, progress: bool | None = None) -> Clip:
    """The motion near a clip of least torque, on feet that stay where they stand.

    Its joints are some hundredths of a radian from the data, and many times that where feet slid
    or the data had jumps. Forces of joints that jitter are gone.

    Args:
        clip: with a free root and feet.
        calm: more for a smoother motion, less for one nearer to the data.
        progress: a line on a terminal after two seconds; False for none.
    """
    if not isinstance(clip, Clip) or not has_free_root(clip.model):
        raise ModelError(f"{clip!r} is no clip of a figure with a free root.")
    if len(clip) < 7:
        raise ShapeError(f"{clip!r} is too short: 7 frames are the least.")
    if not isinstance(calm, Real) or not 0.0 < calm < np.inf:
        raise ShapeError(f"`calm` is {calm!r}. Give a number above 0; 1 is usual.")
    model, T = clip.model, clip.duration
    plan = _supports(clip)
    near = SplineMotion.near(model, clip.times, clip.q)
    forces = clip.inverse_dynamics().tau[:, 6:]
    energy = float((forces * forces).sum(-1).mean())
    torque = calm * model.nv * TORQUE**2 / energy
    motion = Phase(T, max(3, round(SPANS * T)))
    costs: list[Any] = [Near(near), SupportedTorque(plan, scale=torque)]
    costs += [Slip(p, model.nv * (TORQUE / SLIPPED) ** 2) for p in plan.planted]
    problem = MotionProblem(model, [motion], costs, passive=(), limits=False, gauss_newton=True)
    when = np.linspace(0.0, 1.0, len(clip))
    found = problem.solve(list(zip(when, clip.q, strict=True)), tolerance=1e-3, progress=progress)
    if not found.solved:
        raise ModelError(f"{clip!r} was not cleaned: {found.optimum.message}")
    return clip.with_poses(found.motion(clip.times)[0])


def _supports(clip: Clip) -> SupportPlan:
    """Feet that stand, each stance at the mean of where its points were."""
    planted, feet, links = [], [], []
    for foot in feet_of(clip):
        feet.append((foot.body + 1, push_point(clip, foot)))
        links.append(foot.link)
        for first, last in _runs(foot.stands(clip.rate)):
            place = foot.points[first : last + 1].mean(0)
            low = low_points(place)
            start, end = first / clip.rate, last / clip.rate
            planted.append(Planted(foot.link, foot.ends, low, start, end, place, place))
    return SupportPlan(clip.duration, (*feet,), (*links,), (*planted,))


def _runs(x: Array) -> list[tuple[int, int]]:
    """First and last numbers of stretches that are true."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], x, [False]]).astype(int)))
    return [(int(a), int(b) - 1) for a, b in pairwise(edges)][::2]
