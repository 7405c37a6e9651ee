"""The ground under a figure: squares that fade with distance, and the figure's shadow."""

from __future__ import annotations

import numpy as np

from .camera import Stage, focal
from .shadow import Shadow, on_ground
from .srgb import light_of

CELL, SECTION = (225, 226, 230), (190, 192, 200)
"""Colours of the sides of small squares and of large ones."""
FADE = 8.0
"""Beside the size of what is seen: how far away nothing is left of the squares."""
DARKEST = 0.32
"""What the ground lacks in full shadow."""


def ground(
    stage: Stage, camera: np.ndarray, size: tuple[int, int], spot: np.ndarray, shadow: Shadow
) -> np.ndarray:
    """Light from the ground in each pixel, white where there is none, (height, width, 3).

    Args:
        stage: where the camera and the ground are.
        camera: what is right, down and away, in rows.
        size: width and height in pixels.
        spot: a corner of the squares.
        shadow: of the figure.
    """
    width, height = size
    image = np.ones((height, width, 3), np.float32)
    x = (np.arange(width) + 0.5 - width / 2) / focal(height)
    y = (np.arange(height) + 0.5 - height / 2) / focal(height)
    right, down, away = camera @ stage.axes.T
    drop = float((stage.eye - spot) @ stage.axes[2])
    fall = -(y * down[2] + away[2])  # the same all along a row: the camera is level
    rows = np.flatnonzero(fall * FADE * stage.size > drop)
    if len(rows) < 2:
        return image
    far = drop / fall[rows, None]
    start = (stage.eye - spot) @ stage.axes[:2].T
    u, v = (start[i] + far * (x * right[i] + y[rows, None] * down[i] + away[i]) for i in (0, 1))
    fade = (1.0 - far / (FADE * stage.size)) ** 2
    bright = image[rows]
    for colour, side in ((CELL, stage.section / 5), (SECTION, stage.section)):
        ink = fade * np.maximum(_lines(u / side), _lines(v / side))
        bright += ink[..., None] * (light_of(colour) - 1.0)
    points = np.stack([u.ravel(), v.ravel()], 1) @ stage.axes[:2] + spot
    dark = DARKEST * on_ground(shadow, points).reshape(u.shape)
    image[rows] = bright * (1.0 - dark)[..., None]
    return image


def _lines(u: np.ndarray) -> np.ndarray:
    """How much of each pixel is lines, a pixel wide, at whole numbers; none where they are many."""
    down, right = np.gradient(u)
    wide = np.hypot(right, down)
    return np.clip(1.0 - np.abs(u - np.rint(u)) / wide, 0.0, 1.0) * np.clip(1.2 - 4.0 * wide, 0, 1)
