"""Clips of the person that ships, made rather than measured, with feet that stand to rounding."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

import numpy as np

from .._figure.figure import Array
from .._model.load import load
from .._model.model import Model
from .._tree.kinds import Free
from ..errors import ModelError
from .clip import Clip

RATE = 120.0
STANDS, STRIDE = 0.62, 1.05
"""Part of a stride that a foot stands, and how long a stride takes [s]."""
CROUCH, LIFT = 0.07, 0.08
"""How much lower hips are than on straight legs, and how high feet are lifted [m]."""


@functools.cache
def person() -> Model:
    """The person of 44 DoF."""
    return load(Path(str(files("arthron") / "figures/person.urdf")), root=Free())


def walk(duration: float = 3.0, speed: float = 1.0, *, phase: float = 0.0) -> Clip:
    """The person of 44 DoF walks along x, on flat feet and bent knees, at 120 Hz.

    Args:
        duration: how long [s].
        speed: how fast [m/s], at most 1.4.
        phase: what part of a stride it begins with, from 0 to 1.
    """
    if not 0.0 < speed <= 1.4 or not duration > 0.05:
        raise ModelError(
            f"a walk at {speed!r} m/s for {duration!r} s. Give a speed above 0 and at most 1.4, "
            "and more than 0.05 s."
        )
    t = np.arange(round(duration * RATE) + 1) / RATE
    feet, joints, turn = {}, {}, 2.0 * np.pi * (t / STRIDE + phase)
    for side, late in (("left", 0.0), ("right", 0.5)):
        feet[side] = _step(t / STRIDE + phase + late, speed * STRIDE)
        feet[side][:, 0] -= speed * STRIDE * (phase + late)
        sign = 1.0 if side == "left" else -1.0
        joints[f"{side}_shoulder_pitch"] = 0.3 * speed * sign * np.cos(turn)
        joints[f"{side}_elbow"] = np.full(len(t), -0.4)
    joints["chest_yaw"] = 0.08 * speed * np.sin(turn)
    half = 0.5 * STANDS * STRIDE * speed
    low = CROUCH + _length() - np.sqrt(_length() ** 2 - half**2)
    return _clip("walk", np.stack([speed * t, -low + 0.0 * t], -1), feet, joints)


def reach(duration: float = 2.0, *, low: float = 0.25) -> Clip:
    """The person of 44 DoF bends down a little, reaches out with the right hand, and comes back.

    Args:
        duration: how long [s].
        low: by how much the hips go down [m], at most 0.4.
    """
    if not 0.0 <= low <= 0.4 or not duration > 0.05:
        raise ModelError(
            f"a reach of {duration!r} s that goes {low!r} m down. Give more than 0.05 s, and from "
            "0 to 0.4 m."
        )
    t = np.arange(round(duration * RATE) + 1) / RATE
    s = np.clip(t / duration, 0.0, 1.0)
    out = 64.0 * (s * (1.0 - s)) ** 3
    joints = {
        "waist_pitch": 0.3 * out, "chest_yaw": 0.4 * out, "right_shoulder_pitch": -1.5 * out,
        "right_elbow": -0.2 - 0.2 * out, "left_shoulder_pitch": 0.3 * out,
        "left_elbow": -0.2 + 0.0 * out,
    }  # fmt: skip
    feet = {side: np.zeros((len(t), 2)) for side in ("left", "right")}
    return _clip("reach", np.stack([-0.05 * out, -0.02 - low * out], -1), feet, joints)


def _length() -> float:
    """From hip to ankle on a straight leg [m]."""
    X = person().body_poses(person().neutral())
    hip, ankle = (person().body_names.index(f"left_{n}") for n in ("thigh", "foot"))
    return float(X[hip, 2, 3] - X[ankle, 2, 3])


def _step(strides: Array, length: float) -> Array:
    """Where an ankle is after so many strides, beside where it stands: x and z, (frames, 2)."""
    whole = np.floor(strides)
    swing = np.clip((strides - whole - STANDS) / (1.0 - STANDS), 0.0, 1.0)
    on = swing**3 * (10.0 - 15.0 * swing + 6.0 * swing**2)
    x = length * (whole + 0.5 * STANDS + on)
    return np.stack([x, LIFT * 64.0 * (swing * (1.0 - swing)) ** 3], -1)


def _clip(name: str, hips: Array, feet: Mapping[str, Array], joints: Mapping[str, Array]) -> Clip:
    """A clip of hips and ankles in x and z, as they are beside those of standing straight."""
    model = person()
    X = model.body_poses(model.neutral())
    q = np.tile(model.neutral(), (len(hips), 1))
    sole = model.frame_pose(model.neutral(), "left_sole")[2, 3]
    q[:, 0], q[:, 2] = hips[:, 0], hips[:, 1] - sole
    for joint, angle in joints.items():
        q[:, model.slice_q(joint)] = angle[:, None]
    for side, foot in feet.items():
        hip, knee, ankle = (
            X[model.body_names.index(f"{side}_{n}"), 2, 3] for n in ("thigh", "shin", "foot")
        )
        thigh, shin = hip - knee, knee - ankle
        dx, dz = foot[:, 0] - hips[:, 0], foot[:, 1] - hips[:, 1] - (thigh + shin)
        far = (dx * dx + dz * dz - thigh**2 - shin**2) / (2.0 * thigh * shin)
        bend = np.arccos(np.clip(far, -1.0, 1.0))
        lean = np.arctan2(-dx, -dz)
        lean -= np.arctan2(shin * np.sin(bend), thigh + shin * np.cos(bend))
        for joint, angle in (("hip_pitch", lean), ("knee", bend), ("ankle_pitch", -lean - bend)):
            q[:, model.slice_q(f"{side}_{joint}")] = angle[:, None]
    return Clip(model, q, RATE, name)
