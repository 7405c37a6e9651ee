"""Where the search for a motion begins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._figure.figure import Array
from .._model.model import Model
from ..errors import ModelError
from .bsplines import Indices
from .footholds_held import Footing
from .motion_conditions import Condition, Keyframe
from .motion_inputs import pose_of
from .sampled_page import SampledPage
from .splined_motion import between, splines
from .unknowns import Unknowns

LEAST, MOST, SMALL = 0.1, 5.0, 1e-6
"""Of forces that a search begins with: at least and at most this part of the weight, and what is
small beside the largest of what they do."""


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


def start_unknowns(
    layout: Unknowns, footing: Footing, when: Array, poses: Array, pushed: Pushed | None
) -> Array:
    """Unknowns of a motion near poses, with forces at points that are held as it takes them."""
    model = layout.model
    first = layout.controls * model.nv
    controls, rest = np.empty((layout.controls, model.nq)), np.zeros(layout.size - first)
    for k, own in enumerate(layout.phases):
        rows = slice(own.first, own.first + own.knots.count)
        controls[rows] = between(model, when, poses, k + own.knots.greville())
        if own.points:
            at = own.forces - first
            mu = footing.each(k, "friction")
            forces = _pushes(layout, k, controls[rows], mu, pushed)
            rest[at : at + own.force_count] = forces.ravel()
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


class Pushed(NamedTuple):
    """Joint forces of a figure that is pushed.

    Attributes:
        page: of q, qd, qdd and forces.
        free: of which coordinates no motor is.
    """

    page: SampledPage
    free: Indices


def _pushes(layout: Unknowns, k: int, controls: Array, mu: Array, pushed: Pushed | None) -> Array:
    """Forces at points in axes of the ground, that leave little where no motor is.

    They are within the cones of friction and between a part of the weight and some times of it;
    where nothing is free, all points share the weight.
    """
    own, model = layout.phases[k], layout.model
    share = own.axes @ (-model.mass * model.gravity) / len(own.points)
    found = np.tile(share, (own.force_knots.count, 1, 1))
    if pushed is None:
        return found
    first, B = own.knots.local(own.force_knots.greville())
    q, qd, qdd = splines(model, controls[first[:, None] + np.arange(B.shape[-1])], B)
    T, page = own.given, pushed.page
    given = {"q": q, "qd": qd / T, "qdd": qdd / T**2}
    given["forces"] = np.zeros((len(q), *page.shapes["forces"]))
    given["forces"][:, list(own.points)] = np.einsum("spa,pac->spc", found, own.axes)
    left = page.values(given)[:, pushed.free]
    by = page.slopes(given)[:, pushed.free, page.places["forces"]]
    by = by.reshape(*by.shape[:2], -1, 3)[:, :, list(own.points)]
    by = np.einsum("srpc,pac->srpa", by, own.axes).reshape(*left.shape, -1)
    found -= np.einsum("sar,sr->sa", np.linalg.pinv(by, rcond=SMALL), left).reshape(found.shape)
    size = np.abs(share[..., 2])
    found[..., 2] = np.clip(found[..., 2], LEAST * size, MOST * size)
    along = np.linalg.norm(found[..., :2], axis=-1)
    room = np.minimum(1.0, 0.5 * mu * found[..., 2] / np.maximum(along, 1e-300))
    found[..., :2] *= room[..., None]
    return found
