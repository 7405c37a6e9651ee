"""Shadows: what the light sees, and how much of it reaches a point."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .rasterize import rasterize
from .solids import axes as towards

TEXELS = 512
"""Of the longer side of what the light sees."""
SUN = 0.09
"""Width of the light [rad]: how fast shadows on the ground become soft with height."""
BLURS = (1, 4, 16)
"""How soft shadows are [texels]; what is between two is mixed."""
MARGIN = 40
"""Texels around all, for soft edges."""


class Shadow(NamedTuple):
    """Depth as the light sees it, and how dark the ground is.

    Attributes:
        axes: across, along and towards the light, in rows, (3, 3).
        origin: of the texels, across and along.
        texel: side of one [m].
        high: how far towards the light the nearest solid surface is, (height, width).
        dark: how much of the light the ground misses, 0 to 1, (height, width).
    """

    axes: np.ndarray
    origin: np.ndarray
    texel: float
    high: np.ndarray
    dark: np.ndarray


def cast(
    corners: np.ndarray, opacity: np.ndarray, light: np.ndarray, up: np.ndarray, ground: float
) -> Shadow:
    """The shadow of triangles.

    Args:
        corners: in the world, (n, 3, 3).
        opacity: of each triangle, 0 to 1, (n,).
        light: where the light is, a unit vector.
        up: normal of the ground.
        ground: height of the ground.
    """
    axes = towards(light).T
    seen = corners @ axes.T
    low, far = (np.array([f(seen[..., k]) for k in (0, 1)]) for f in (np.min, np.max))
    texel = float((far - low).max()) / TEXELS or 1.0
    width, height = (np.ceil((far - low) / texel).astype(int) + 2 * MARGIN).tolist()
    origin = low - MARGIN * texel
    which, nearest = rasterize((seen[..., :2] - origin) / texel, seen[..., 2], (width, height))
    y, x = np.nonzero(which >= 0)
    much, near = opacity[which[y, x]], nearest[y, x]
    high = np.full(which.shape, -np.inf, np.float32)
    high[y, x] = np.where(much >= 1.0, near, -np.inf)
    u, v = origin[0] + (x + 0.5) * texel, origin[1] + (y + 0.5) * texel
    drop = near - (ground - u * (axes[0] @ up) - v * (axes[1] @ up)) / (light @ up)
    level = np.log(np.maximum(SUN * drop / texel, BLURS[0]) / BLURS[0])
    level = np.minimum(level / math.log(BLURS[1] / BLURS[0]), len(BLURS) - 1.0)
    dark = np.zeros(which.shape, np.float32)
    for k, n in enumerate(BLURS):
        sharp = np.zeros(which.shape, np.float32)
        sharp[y, x] = np.where(drop > 0.0, much * np.maximum(1.0 - np.abs(level - k), 0.0), 0.0)
        dark += _blur(sharp, n)
    return Shadow(axes, origin, texel, high, dark)


def _blur(x: np.ndarray, n: int) -> np.ndarray:
    """Three means over squares of 2 n + 1 texels: nearly a Gaussian bell."""
    for _ in range(6):
        total = np.cumsum(np.pad(x, ((n + 1, n), (0, 0))), 0, dtype=np.float32)
        x = ((total[2 * n + 1 :] - total[: -2 * n - 1]) / (2 * n + 1)).T
    return x


def on_ground(shadow: Shadow, points: np.ndarray) -> np.ndarray:
    """How much of the light is missing at points of the ground, (n, 3) to (n,)."""
    x, y, _ = _texels(shadow, points)
    left, top = np.floor(x), np.floor(y)
    right, down = x - left, y - top
    above = (1.0 - right) * _at(shadow.dark, left, top) + right * _at(shadow.dark, left + 1, top)
    below = (1.0 - right) * _at(shadow.dark, left, top + 1) + right * _at(
        shadow.dark, left + 1, top + 1
    )
    return (1.0 - down) * above + down * below


def on_surface(shadow: Shadow, points: np.ndarray) -> np.ndarray:
    """How much of the light is missing at points of surfaces, (n, 3) to (n,): the mean nearby."""
    x, y, high = _texels(shadow, points)
    hidden = np.zeros(len(points), np.float32)
    for right in (-1.5, 0.0, 1.5):
        for down in (-1.5, 0.0, 1.5):
            hidden += _at(shadow.high, np.rint(x + right), np.rint(y + down)) > high
    return hidden / 9.0


def _texels(shadow: Shadow, points: np.ndarray) -> np.ndarray:
    """Where points are among the texels, and how far towards the light, (3, n)."""
    at = shadow.axes @ points.T
    at[:2] = (at[:2] - shadow.origin[:, None]) / shadow.texel - 0.5
    return at


def _at(texels: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Values at whole numbers; at the edge, beyond it."""
    height, width = texels.shape
    row, column = (
        np.clip(y, 0, height - 1).astype(np.intp),
        np.clip(x, 0, width - 1).astype(np.intp),
    )
    return texels.reshape(-1)[row * width + column]
