"""What moved a figure: joint forces of a clip, and what the ground did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .._figure.figure import Array
from ..errors import ModelError
from .clip_supports import feet_of, ground_height
from .clip_times import has_free_root
from .foot_contact import Flags
from .foot_prints import outside_feet

if TYPE_CHECKING:
    from .clip import Clip

LEAST_LOAD = 0.05
"""Part of the weight below which there is no centre of pressure."""


@dataclass(frozen=True, eq=False)
class ClipForces:
    """Joint forces and forces of the ground, frame by frame.

    Attributes:
        tau: joint forces that are left when the ground pushes on the feet [N m or N], (frames, nv).
        ground_force: of the ground, in world axes [N], (frames, 3); zero where no foot stands.
        center_of_pressure: where it acts, on the ground [m], (frames, 3); NaN where the ground
            bears less than 5 % of the weight.
        residual: [torque; force] in the root's axes that nothing explains, (frames, 6): zero where
            a foot stands, all of it in flight.
        supports: whether each foot stands, by the name of its link, (frames,).
        outside: whether the centre of pressure is not under the feet that stand, (frames,), which
            no ground can do: there, mass, motion or who stands is not right.
    """

    tau: Array
    ground_force: Array
    center_of_pressure: Array
    residual: Array
    supports: Mapping[str, Flags]
    outside: Flags


def clip_forces(clip: Clip) -> ClipForces:
    """Inverse dynamics with the wrench that the root lacks given to the feet that stand.

    One foot has all of it. Two have each a part of the force, at a point under the foot, and of the
    torque about the point between them that divides them as the force is: s and 1 - s, where s goes
    linearly along the line from foot to foot, by the whole centre of pressure.
    """
    model = clip.model
    if not has_free_root(model):
        raise ModelError(
            f"`{model.name}` has no free root, so that forces of the ground cannot be told from "
            "those that hold it. Load it with `root=ar.Free()`."
        )
    feet = feet_of(clip)
    supports = {foot.link: foot.stands(clip.rate) for foot in feet}
    state = (clip.q, clip.qd, clip.qdd)
    poses = model.body_poses(clip.q)
    R, origin = poses[:, 0, :3, :3], poses[:, 0, :3, 3]
    wrench = model.inverse_dynamics(*state)[:, :6]
    torque, force = (np.einsum("nij,nj->ni", R, part) for part in (wrench[:, :3], wrench[:, 3:]))
    stands = np.stack([supports[foot.link] for foot in feet])
    borne = np.any(stands, axis=0)
    ground = ground_height(feet)
    pressure = _center_of_pressure(torque, force, origin, ground)
    weight = model.mass * float(np.linalg.norm(model.gravity))
    pressure[~(borne & (force[:, 2] >= LEAST_LOAD * weight))] = np.nan
    under = (foot.points[..., :2].mean(1) for foot in feet)
    places = np.stack([np.column_stack([xy, ground]) for xy in under])
    parts = _shares(stands, places, pressure)
    between = np.einsum("fn,fni->ni", parts, places)
    about = torque + np.cross(origin - between, force)
    f_ext = np.zeros((len(clip), model.nb, 6))
    for foot, part, place in zip(feet, parts, places, strict=True):
        turn, at = poses[:, foot.body, :3, :3], poses[:, foot.body, :3, 3]
        push = part[:, None] * force
        moment = part[:, None] * about + np.cross(place - at, push)
        f_ext[:, foot.body, :3] = np.einsum("nji,nj->ni", turn, moment)
        f_ext[:, foot.body, 3:] = np.einsum("nji,nj->ni", turn, push)
    tau = model.inverse_dynamics(*state, f_ext)
    outside = outside_feet(feet, stands, pressure)
    return ClipForces(tau, force * borne[:, None], pressure, tau[:, :6].copy(), supports, outside)


def _center_of_pressure(torque: Array, force: Array, origin: Array, ground: Array) -> Array:
    """Where on the ground a wrench has no torque but about the vertical."""
    (Mx, My, _), (Fx, Fy, Fz), drop = torque.T, force.T, ground - origin[:, 2]
    Fz = np.where(np.abs(Fz) > 1e-9, Fz, np.nan)
    x, y = (drop * Fx - My) / Fz, (drop * Fy + Mx) / Fz
    return np.stack([origin[:, 0] + x, origin[:, 1] + y, ground], -1)


def _shares(stands: Array, places: Array, pressure: Array) -> Array:
    """Part of the ground's wrench that each foot bears, (feet, frames)."""
    if len(stands) < 2:
        return stands.astype(float)
    way = places[1] - places[0]
    along = np.einsum("ni,ni->n", pressure - places[0], way)
    s = np.clip(along / np.maximum(np.einsum("ni,ni->n", way, way), 1e-12), 0.0, 1.0)
    s = np.where(np.isnan(s), 0.5, s)
    both = np.all(stands, axis=0)
    return np.where(both, np.stack([1.0 - s, s]), stands.astype(float))
