"""The convex hull of points, by quickhull (BDH96) in whole numbers: no rounding, no confusion."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..errors import ModelError
from .mesh_file import Surface

GRID, FLAT = 2.0**40, 1e-9
"""Steps of the grid in the size of all; beside that size, points nearer to a plane are on it."""
SLANTED = np.array([0.5281, 0.6703, 0.5214])
"""A direction that no face or edge of a mesh is square to, but by chance."""

Whole = tuple[int, int, int]


class Facet(NamedTuple):
    """A triangle of the hull: points x outside of it have normal . x > offset."""

    corners: tuple[int, int, int]
    normal: Whole
    offset: int


def convex_hull(points: np.ndarray) -> Surface:
    """The corners of the smallest convex solid around points, and triangles between them.

    Corners are some of the points; those on a plane or an edge between others are none.
    """
    x = np.rint(GRID * _whitened(points))
    x, first = np.unique(x, axis=0, return_index=True)
    facets = _Hull(x).grown()
    used, numbers = np.unique([facet.corners for facet in facets], return_inverse=True)
    return Surface(points[first[used]], numbers.reshape(-1, 3))


def _whitened(points: np.ndarray) -> np.ndarray:
    """Points squeezed to be as thick as they are long, which changes no corner; of size one."""
    away = points - points.sum(0) / max(1, len(points))
    x, sizes, axes = np.linalg.svd(away, full_matrices=False)
    if len(points) < 4 or sizes[2] <= FLAT * sizes[0]:
        raise ModelError(
            f"the hull of {len(points)} points has no volume: they are all at one place, on one "
            "line or in one plane. Give points around a volume."
        )
    x = x * (np.sign(np.linalg.det(axes)), 1.0, 1.0)
    return x / np.linalg.norm(np.ptp(x, axis=0))


class _Hull:
    """A hull that grows: the facet on the left of each directed edge between points x."""

    def __init__(self, x: np.ndarray) -> None:
        self.x, self.slanted = x, x @ SLANTED
        self.whole: list[Whole] = [(int(a), int(b), int(c)) for a, b, c in x.tolist()]
        self.left: dict[tuple[int, int], Facet] = {}

    def grown(self) -> list[Facet]:
        """The facets, once no point is outside of any."""
        todo = self._simplex()
        while todo:
            facet = todo.pop()
            if self.left.get(facet.corners[:2]) is not facet:
                continue  # taken away since
            normal = np.array(facet.normal, dtype=float)
            heights = (self.x - self.x[facet.corners[0]]) @ (normal / np.linalg.norm(normal))
            far = _furthest(heights, self.slanted)
            if heights[far] > FLAT * GRID and self._outside(facet, far):
                todo += self._raised(facet, far)
        return list({id(facet): facet for facet in self.left.values()}.values())

    def _simplex(self) -> list[Facet]:
        """The first four facets: a tetrahedron of corners of the hull."""
        x = self.x
        a = int(np.argmin(self.slanted))
        b = int(np.argmax(np.linalg.norm(x - x[a], axis=1)))
        along = (x[b] - x[a]) / np.linalg.norm(x[b] - x[a])
        across = x - x[a] - np.outer((x - x[a]) @ along, along)
        c = _furthest(np.linalg.norm(across, axis=1), x @ along)
        normal = np.cross(along, across[c] / np.linalg.norm(across[c]))
        heights = (x - x[a]) @ normal
        top, bottom = (_furthest(h, self.slanted) for h in (heights, -heights))
        d = top if heights[top] > -heights[bottom] else bottom
        if heights[d] > 0.0:
            b, c = c, b
        return [self._added(*corners) for corners in ((a, b, c), (b, a, d), (c, b, d), (a, c, d))]

    def _outside(self, facet: Facet, point: int) -> bool:
        return _dot(facet.normal, self.whole[point]) > facet.offset

    def _added(self, a: int, b: int, c: int) -> Facet:
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = (self.whole[k] for k in (a, b, c))
        ux, uy, uz, vx, vy, vz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
        normal = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        facet = Facet((a, b, c), normal, _dot(normal, self.whole[a]))
        for edge in ((a, b), (b, c), (c, a)):
            self.left[edge] = facet
        return facet

    def _raised(self, start: Facet, far: int) -> list[Facet]:
        """The facets that replace all those that a point is outside of, `start` among them."""
        seen, front = {id(start)}, [start]
        inside: list[tuple[int, int]] = []
        rim: list[tuple[int, int]] = []
        while front:
            a, b, c = front.pop().corners
            for edge in ((a, b), (b, c), (c, a)):
                other = self.left[edge[1], edge[0]]
                if id(other) not in seen and self._outside(other, far):
                    seen.add(id(other))
                    front.append(other)
                (inside if id(other) in seen else rim).append(edge)
        for edge in inside:
            del self.left[edge]
        return [self._added(a, b, far) for a, b in rim]


def _furthest(distances: np.ndarray, then: np.ndarray) -> int:
    """The point with the greatest distance; of several, that with the greatest number in `then`.

    Such a point is a corner of the hull, not just somewhere in a face of it.
    """
    ties = np.flatnonzero(distances >= distances.max() - FLAT * GRID)
    return int(ties[np.argmax(then[ties])])


def _dot(a: Whole, b: Whole) -> int:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
