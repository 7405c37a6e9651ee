"""Where to stand to see a motion, and the ground under it: the same for pages and pictures."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .recording import Recording

FIELD = 0.6
"""Angle that the camera sees from top to bottom [rad]."""
ASPECT = 1.3
"""Width of a window beside its height, at least."""
ASIDE, ABOVE = 0.45, 0.2
"""How far aside the camera stands [rad], and how high beside how far."""


class Stage(NamedTuple):
    """Camera and ground, as seen from the recording's focus.

    Attributes:
        eye: where the camera is, (3,).
        middle: what it looks at, (3,).
        axes: of the ground, in rows: two level ones, and up, (3, 3).
        spots: a corner of the ground's squares in each frame, before the camera, (n, 3).
        section: side of the ground's squares [m]; each is five by five small ones.
        size: of what is seen [m].
    """

    eye: np.ndarray
    middle: np.ndarray
    axes: np.ndarray
    spots: np.ndarray
    section: float
    size: float


def stage(recording: Recording, aspect: float = ASPECT) -> Stage:
    """Camera and ground, by the room that the motion takes, for a window of some aspect."""
    up, points = recording.up, recording.points()
    heights = points @ up
    low = float(heights.min())
    ground = 0.0 if 0.0 <= low < _size(points) else low
    points = recording.framed()
    size = _size(points)
    middle = (points.min(0) + points.max(0)) / 2
    side = np.eye(3)[np.argmin(np.abs(up))]
    side -= (side @ up) * up
    side /= np.linalg.norm(side)
    axes = np.stack([side, np.cross(up, side), up])
    section = 10.0 ** round(math.log10(size / 3))
    along = recording.focus @ axes[:2].T
    moved = recording.focus - section * np.round(along / section) @ axes[:2]
    spots = middle + (ground - middle @ up) * up - moved
    return Stage(middle + _eye(points - middle, axes, aspect), middle, axes, spots, section, size)


def _size(points: np.ndarray) -> float:
    return float(np.linalg.norm(np.ptp(points, axis=0))) or 1.0


def _eye(points: np.ndarray, axes: np.ndarray, aspect: float) -> np.ndarray:
    """Where to stand, seen from the middle of points, to see their motion best, and all of them."""
    level = points @ axes[:2].T
    thin = np.linalg.eigh(level.T @ level)[1][:, 0]  # across the plane in which most of it moves
    angle = math.atan2(thin[1], thin[0])
    angle += ASIDE + (
        math.pi if thin @ (1.0, -0.1) < 0 else 0.0
    )  # from the front, where it has one
    back = np.array([math.cos(angle), math.sin(angle), ABOVE]) @ axes
    back /= np.linalg.norm(back)
    right = np.cross(axes[2], back)
    right /= np.linalg.norm(right)
    x, y, z = np.stack([right, np.cross(back, right), back]) @ points.T
    away = z + np.maximum(np.abs(x) / aspect, np.abs(y)) / math.tan(FIELD / 2)
    return 1.1 * float(away.max()) * back
