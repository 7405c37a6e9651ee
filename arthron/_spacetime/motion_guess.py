"""Where the search for a motion begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._figure.figure import Array
from .._model.model import Model
from ..errors import ModelError
from .footholds_held import Footing
from .motion_conditions import Condition, Keyframe
from .motion_inputs import pose_of
from .splined_motion import between
from .unknowns import Unknowns


def guessed_poses(
    model: Model, conditions: Sequence[Condition], last: int, guess: Any
) -> tuple[Array, Array]:
    """Times in phases, of which there are `last`, and poses that a search begins near."""
    if guess is None:
        known = {c.at: c.pose(model) for c in conditions if isinstance(c, Keyframe)}
        guess = [(at, q) for at, q in known.items() if q is not None]
        guess = guess or [(0.0, model.neutral())]
    try:
        pairs = sorted(((float(at), pose_of(model, q)) for at, q in guess), key=lambda p: p[0])
    except (TypeError, ValueError):
        pairs = []
    if not pairs or not 0.0 <= pairs[0][0] <= pairs[-1][0] <= last:
        raise ModelError(
            f"`guess` is {guess!r}. Give pairs (when, q): a time in phases, from 0 to {last}, and "
            "a pose."
        )
    times = np.array([0.0, *(at for at, _ in pairs), float(last)])
    poses = np.stack([pairs[0][1], *(q for _, q in pairs), pairs[-1][1]])
    kept = np.concatenate([[True], np.diff(times) > 0.0])
    return times[kept], poses[kept]


def start_unknowns(layout: Unknowns, footing: Footing, when: Array, poses: Array) -> Array:
    """Unknowns of a motion near poses, the weight shared by all points that are held."""
    model = layout.model
    first = layout.controls * model.nv
    controls, rest = np.empty((layout.controls, model.nq)), np.zeros(layout.size - first)
    weight = -model.mass * model.gravity
    for k, own in enumerate(layout.phases):
        rows = slice(own.first, own.first + own.knots.count)
        controls[rows] = between(model, when, poses, k + own.knots.greville())
        if own.points:
            share = own.axes @ weight / len(own.points)
            at = own.forces - first
            rest[at : at + own.force_count] = np.tile(share.ravel(), own.force_knots.count)
        if own.duration is not None:
            rest[own.duration - first] = own.given
    for k, stances in enumerate(footing.stances):
        pose = between(model, when, poses, np.array([k + 0.5]))
        for stance in stances:
            points = stance.page.values({"q": pose})[0]
            for row, place in zip(stance.rows, stance.places, strict=True):
                if place >= 0:
                    rest[layout.places - first + place] = row.combine @ points
    return np.concatenate([controls.ravel(), rest])
