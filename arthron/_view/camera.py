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
CORNERS = 14
"""Directions in which the outermost points of a solid are taken."""
MARGIN = 1.1
"""How much more it sees than all of the motion."""


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


def focal(height: int) -> float:
    """Pixels that things are wide in a picture of some height, beside how wide and far they are."""
    return height / 2 / math.tan(FIELD / 2)


def stage(recording: Recording, aspect: float = ASPECT, *, shadows: bool = False) -> Stage:
    """Camera and ground, by the room that the motion takes, for a window of some aspect.

    With `shadows`, what is under the figure is in view, too; in a page one can go there.
    """
    up, points = recording.up, recording.points()
    heights = points @ up
    low = float(heights.min())
    ground = 0.0 if 0.0 <= low < _size(points) else low
    below = points - np.outer(heights - ground, up)
    points = recording.framed()
    size = _size(points)
    if shadows and not recording.follows:
        points = np.concatenate([points, below])
    middle = (points.min(0) + points.max(0)) / 2
    side = np.eye(3)[np.argmin(np.abs(up))]
    side -= (side @ up) * up
    side /= np.linalg.norm(side)
    axes = np.stack([side, np.cross(up, side), up])
    section = 10.0 ** round(math.log10(size / 3))
    along = recording.focus @ axes[:2].T
    moved = recording.focus - section * np.round(along / section) @ axes[:2]
    spots = middle + (ground - middle @ up) * up - moved
    return Stage(*_frame(points, middle, axes, aspect), axes, spots, section, size)


def extents(recording: Recording) -> np.ndarray:
    """Points that say how far out what is seen of a figure goes: rows of a body, and a point on it.

    What does not move is among them where it holds the figure, unless it is far larger.
    """
    rows = [(i, *point) for line in recording.lines for i, point in line.ends]
    poses = recording.poses[0]
    moving = [
        part.solid.vertices @ poses[part.place, :3, :3].T + poses[part.place, :3, 3]
        for part in recording.parts
        if part.place
    ]
    size = _size(np.concatenate(moving)) if moving else np.inf
    for i, solid, *_ in recording.parts:
        if i or (recording.held and _size(solid.vertices) < size):
            rows += [(i, *point) for point in outermost(solid.vertices, CORNERS)]
    return np.array(rows)


def outermost(points: np.ndarray, count: int) -> np.ndarray:
    """The points that are farthest out in so many directions."""
    k = np.arange(count) + 0.5
    z, angle = 1 - 2 * k / count, np.pi * (1 + 5**0.5) * k  # evenly over a ball
    r = np.sqrt(1 - z * z)
    directions = np.stack([r * np.cos(angle), r * np.sin(angle), z], 1, dtype="f4")
    return points[np.unique(np.argmax(directions @ points.T.astype("f4"), 1))]


def _size(points: np.ndarray) -> float:
    return float(np.linalg.norm(np.ptp(points, axis=0))) or 1.0


def _frame(
    points: np.ndarray, middle: np.ndarray, axes: np.ndarray, aspect: float
) -> tuple[np.ndarray, np.ndarray]:
    """Where to stand and look to see the motion of points best, and all of them, from nearby."""
    level = (points - middle) @ axes[:2].T
    thin = np.linalg.eigh(level.T @ level)[1][:, 0]  # across the plane in which most of it moves
    angle = math.atan2(thin[1], thin[0])
    angle += ASIDE + (
        math.pi if thin @ (1.0, -0.1) < 0 else 0.0
    )  # from the front, where it has one
    back = np.array([math.cos(angle), math.sin(angle), ABOVE]) @ axes
    back /= np.linalg.norm(back)
    right = np.cross(axes[2], back)
    right /= np.linalg.norm(right)
    view = np.stack([right, np.cross(back, right), back])
    x, y, z = view @ points.T
    tall = math.tan(FIELD / 2) / MARGIN
    across, away_x = _between(x, z, tall * aspect)
    along, away_y = _between(y, z, tall)
    away = max(away_x, away_y)
    eye = np.array([across, along, away]) @ view
    return eye, eye - (away - float(middle @ back)) * back


def _between(x: np.ndarray, z: np.ndarray, slope: float) -> tuple[float, float]:
    """The apex of the narrowest wedge, open towards -z with sides of some slope, around points."""
    high, low = float((x + slope * z).max()), float((slope * z - x).max())
    return (high - low) / 2, (high + low) / (2 * slope)
