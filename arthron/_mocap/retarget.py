"""A clip on a figure of other proportions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._figure.figure import Array
from .._ik.solve import track
from .._ik.targets import Orientation, Point
from .._model.model import Model
from ..errors import ModelError
from .clip import Clip
from .clip_supports import feet_of, ground_height
from .clip_times import has_free_root
from .segment_names import SEGMENT_OF, split_name

BEHIND = {
    "thigh": "trunk_lower", "shank": "thigh", "foot": "shank", "head": "trunk_lower",
    "upper_arm": "head", "forearm": "upper_arm", "hand": "forearm",
}  # fmt: skip
"""Which landmark each is seen from: where a segment begins."""
TURNED = ("trunk_lower", "head", "foot")
"""Segments that are turned as those of the other figure, besides being where they are."""
TURN, ITERATIONS, APART = 0.1, 30, 0.01
"""What a radian counts for [m]; steps of a frame; how far a segment begins from that behind [m]."""

Landmarks = Mapping[tuple[str, str], int]
"""Numbers of bodies, by segment and side."""


def retargeted(clip: Clip, model: Model) -> Clip:
    """The motion of a clip by another figure: directions of limbs are kept, their lengths its own.

    Hips go as far as legs are longer; feet, head and pelvis are turned as in the clip.
    """
    if not isinstance(model, Model) or not has_free_root(model):
        name = model.name if isinstance(model, Model) else type(model).__name__
        raise ModelError(
            f"a clip goes to a model with a free root, and `{name}` is none. Load it with "
            "`root=ar.Free()`."
        )
    ours, theirs = _landmarks(clip, model), landmarks_of(clip)
    both = [key for key in ours if key in theirs]
    missing = {"thigh", "shank", "foot", "trunk_lower"} - {segment for segment, _ in both}
    if missing:
        raise ModelError(
            f"no {' and no '.join(sorted(missing))} is known by name in both `{clip.model.name}` "
            f"and `{model.name}`. Call bodies by such words, or read the file with `segments`."
        )
    still, X = model.body_poses(model.neutral()), clip.model.body_poses(clip.q)
    rest = clip.model.body_poses(clip.model.neutral())
    scale = _leg(ours, still) / _leg(theirs, rest)
    places: dict[tuple[str, str], Array] = {}
    for key in sorted(both, key=_depth):
        p = X[:, theirs[key], :3, 3]
        behind = _behind(key, both)
        if behind is None:
            places[key] = scale * p
            continue
        way = p - X[:, theirs[behind], :3, 3]
        length = np.linalg.norm(still[ours[key], :3, 3] - still[ours[behind], :3, 3])
        places[key] = places[behind] + way * (length / np.linalg.norm(way, axis=-1))[:, None]
    targets: list[Any] = [Point(model.body_names[ours[key]], p) for key, p in places.items()]
    for key in both:
        if key[0] in TURNED:
            turn = X[:, theirs[key], :3, :3] @ rest[theirs[key], :3, :3].T
            targets.append(
                Orientation(model.body_names[ours[key]], turn @ still[ours[key], :3, :3], TURN)
            )
    found = track(model, targets, posture=model.neutral(), iterations=ITERATIONS, restarts=0)
    q = found.q.copy()
    there = Clip(model, q, clip.rate)
    q[:, 2] += np.median(_ground(clip) * scale) - np.median(_ground(there))
    return Clip(model, q, clip.rate, f"{clip.name} by {model.name}")


def _ground(clip: Clip) -> Array:
    return ground_height(feet_of(clip))


def landmarks_of(clip: Clip) -> Landmarks:
    """The first body of each segment, by name."""
    if clip.source is None:
        return _named(clip.model)
    found: dict[tuple[str, str], int] = {}
    for number, name in enumerate(clip.model.body_names):
        part = clip.source.parts[name]
        if not part.light or part.segment == "head":
            found.setdefault((part.segment, part.side), number)
    return found


def _landmarks(clip: Clip, model: Model) -> Landmarks:
    return landmarks_of(clip) if model is clip.model else _named(model)


def _named(model: Model) -> Landmarks:
    found: dict[tuple[str, str], int] = {}
    p = model.body_poses(model.neutral())[:, :3, 3]
    for number, name in enumerate(model.body_names):
        side, word = split_name(name)
        key = SEGMENT_OF.get(word, ""), side
        if key[0] and key not in found:
            behind = _behind(key, list(found))
            if behind is None or np.linalg.norm(p[number] - p[found[behind]]) > APART:
                found[key] = number
    return found


def _behind(key: tuple[str, str], known: list[tuple[str, str]]) -> tuple[str, str] | None:
    """The landmark that another is seen from, of its side if there is one."""
    segment, side = key
    if segment not in BEHIND:
        return None
    for other in ((BEHIND[segment], side), (BEHIND[segment], "")):
        if other in known:
            return other
    return ("trunk_lower", "") if ("trunk_lower", "") in known else None


def _depth(key: tuple[str, str]) -> int:
    """How many landmarks are behind."""
    segment, depth = key[0], 0
    while segment in BEHIND:
        segment, depth = BEHIND[segment], depth + 1
    return depth


def _leg(landmarks: Landmarks, X: Array) -> float:
    """How long legs are, from hip to ankle [m]."""
    side = next(side for segment, side in landmarks if segment == "thigh")
    hip, knee, ankle = (X[landmarks[s, side], :3, 3] for s in ("thigh", "shank", "foot"))
    return float(np.linalg.norm(hip - knee) + np.linalg.norm(knee - ankle))
