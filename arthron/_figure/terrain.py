"""Ground that bodies meet: shapes without end or mass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._spatial.inertia import Inertia
from ..errors import ModelError
from .shapes import Shape


@dataclass(frozen=True)
class Terrain(Shape):
    """What has no end, and no mass."""

    sizes = ()

    def __post_init__(self) -> None:
        if self.mass:
            raise ModelError(
                f"{type(self).__name__} has mass = {self.mass!r}. It has none: leave `mass` out, "
                "or give the body its `inertia`."
            )
        object.__setattr__(self, "mass", 0.0)
        super().__post_init__()

    def volume(self) -> float:
        return 0.0

    def own_inertia(self, m: float) -> Inertia:
        return Inertia()


@dataclass(frozen=True)
class Plane(Terrain):
    """All that is below z = 0 of its own axes: a floor, or a wall when `placement` turns it."""


@dataclass(frozen=True)
class HeightField(Terrain):
    """Ground with hills: all that is below a surface over a rectangle of its x and y axes.

    Attributes:
        heights: z at the nodes of a grid [m], rows along x and columns along y, two or more each.
        size: extents of the rectangle along x and y [m]; its middle is the origin. Each cell of
            the grid is two triangles, cut from its node of least x and y to the opposite one.
    """

    heights: Any
    size: Any

    def __post_init__(self) -> None:
        try:
            z = np.array(self.heights, dtype=float)
        except (TypeError, ValueError):
            z = np.empty(())
        if z.ndim != 2 or min(z.shape) < 2 or not np.all(np.isfinite(z)):
            raise ModelError(
                f"HeightField has heights of shape {z.shape}. Give rows of finite numbers: two "
                "rows and columns or more."
            )
        try:
            x, y = (float(extent) for extent in self.size)
        except (TypeError, ValueError):
            x = y = 0.0
        if not (0.0 < x < np.inf and 0.0 < y < np.inf):
            raise ModelError(
                f"HeightField has size = {self.size!r}. Give two extents [m], more than zero."
            )
        object.__setattr__(self, "heights", tuple(tuple(float(h) for h in row) for row in z))
        object.__setattr__(self, "size", (x, y))
        super().__post_init__()
