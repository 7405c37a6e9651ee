"""Where a clip is put on the floor: turned about the vertical and moved along it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._figure.figure import Array


class PlanarPlacing(NamedTuple):
    """A turn about the vertical, and then a way along the floor.

    Attributes:
        angle: of the turn [rad].
        shift: x and y of the way [m].
    """

    angle: float
    shift: Array

    def points(self, p: Array) -> Array:
        """Points of the world, (..., 3), placed."""
        c, s = np.cos(self.angle), np.sin(self.angle)
        x, y = p[..., 0], p[..., 1]
        turned = c * x - s * y + self.shift[0], s * x + c * y + self.shift[1]
        return np.stack([*turned, p[..., 2]], -1)

    def poses(self, q: Array) -> Array:
        """Configurations of a figure with a free root, (..., nq), placed."""
        found = q.copy()
        found[..., :3] = self.points(q[..., :3])
        c, s = np.cos(0.5 * self.angle), np.sin(0.5 * self.angle)
        w, x, y, z = np.moveaxis(q[..., 3:7], -1, 0)
        found[..., 3:7] = np.stack([c * w - s * z, c * x - s * y, c * y + s * x, c * z + s * w], -1)
        return found


def heading(quaternion: Array) -> float:
    """The angle about the vertical of a turn: that of the nearest turn about it alone [rad]."""
    return float(2.0 * np.arctan2(quaternion[3], quaternion[0]))


def bringing(p: Array, angle: float, there: Array) -> PlanarPlacing:
    """The placing that turns by an angle and brings a point to above or below another."""
    turn = PlanarPlacing(angle, np.zeros(2))
    return PlanarPlacing(angle, there[:2] - turn.points(p)[:2])


def fitting(p: Array, there: Array) -> PlanarPlacing:
    """That which brings points, (n, 3), nearest to others, in least squares (KGP02)."""
    a, b = p[:, :2].mean(0), there[:, :2].mean(0)
    u, v = p[:, :2] - a, there[:, :2] - b
    angle = np.arctan2((u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]).sum(), (u * v).sum())
    return bringing(np.append(a, 0.0), float(angle), b)
