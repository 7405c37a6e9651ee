"""The flat faces of a convex body: triangles that lie in one plane are one face."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

import numpy as np

from .._figure.mesh_file import Surface
from .._graph.iterate import iterate
from .._spatial.scalar import Scalar, lookup, maximum, where
from .._spatial.vectors import Vec3
from .contact import choose

FLAT = 1e-5
"""Vertices this near to a plane are on it, beside the size of the body."""


class FaceTables(NamedTuple):
    """Faces around each vertex, as tables.

    Attributes:
        first: where the faces of each vertex begin.
        last: where those of the next do.
        normals: of each face of each vertex, a table a coordinate.
        beside: likewise the corners before and after the vertex, two points.
        corners: likewise up to four corners far apart, again and again if there are fewer.
    """

    first: tuple[float, ...]
    last: tuple[float, ...]
    normals: list[tuple[float, ...]]
    beside: list[tuple[float, ...]]
    corners: list[tuple[float, ...]]

    def at(self, n: Scalar, d: Vec3) -> tuple[list[Vec3], list[Vec3]]:
        """Of the face at a vertex that looks along d most: corners, and those beside the vertex."""

        def step(state: tuple) -> tuple[tuple, Scalar]:
            k, best, most = state
            along = d.dot(_points(self.normals, k)[0])
            state = k + 1.0, where(along > most, k, best), maximum(along, most)
            return state, k + 1.0 >= lookup(self.last, n)

        first = lookup(self.first, n)
        passes = int(max(b - a for a, b in zip(self.first, self.last, strict=True)))
        _, best, _ = iterate(step, (first, first, -2.0), passes, name="faces").values
        return _points(self.corners, best), _points(self.beside, best)


def _points(tables: list[tuple[float, ...]], k: Scalar) -> list[Vec3]:
    numbers = [lookup(table, k) for table in tables]
    return [Vec3(*numbers[i : i + 3]) for i in range(0, len(numbers), 3)]


def lower(a: Vec3, b: Vec3, d: Vec3) -> Vec3:
    """The one of two points that is further along d."""
    return choose(a.dot(d) > b.dot(d), a, b)


def face_tables(surface: Surface) -> FaceTables:
    """Tables of a convex body."""
    vertices = np.asarray(surface.vertices, dtype=float)
    around: list[list[list[float]]] = [[] for _ in vertices]
    for normal, members in _faces(vertices, np.asarray(surface.triangles)):
        loop = _loop(vertices[members], normal)
        corners = [members[k] for k in loop]
        spread = vertices[[corners[k] for k in _spread(vertices[corners])]].ravel()
        for n in members:
            k = corners.index(n) if n in corners else 0
            beside = vertices[[corners[k - 1], corners[(k + 1) % len(corners)]]].ravel()
            around[n].append([*normal, *beside, *spread])
    ends = np.cumsum([len(rows) for rows in around])
    columns = [tuple(map(float, c)) for c in np.array([r for rows in around for r in rows]).T]
    starts = ends - [len(rows) for rows in around]
    return FaceTables(
        tuple(map(float, starts)), tuple(map(float, ends)), columns[:3], columns[3:9], columns[9:]
    )  # fmt: skip


def _faces(vertices: np.ndarray, triangles: np.ndarray) -> list[tuple[np.ndarray, list[int]]]:
    """Normal and vertices of each face, grown from the largest triangles."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    normals *= np.sign(np.sum(normals * (a - vertices.mean(0)), axis=1))[:, None]
    areas = np.linalg.norm(normals, axis=1)
    thin = FLAT * float(np.linalg.norm(np.ptp(vertices, axis=0)))
    sharing: dict[frozenset[int], list[int]] = defaultdict(list)
    for t, corners in enumerate(triangles.tolist()):
        for k in range(3):
            sharing[frozenset((corners[k - 1], corners[k]))].append(t)
    left, found = set(range(len(triangles))), []
    for seed in np.argsort(-areas).tolist():
        if seed not in left:
            continue
        normal = normals[seed] / areas[seed]
        level = (vertices - vertices[triangles[seed, 0]]) @ normal
        flat = (np.abs(level[triangles]).max(1) <= thin) & (normals @ normal > 0.0)
        own, todo = {seed}, [seed]
        while todo:
            corners = triangles[todo.pop()].tolist()
            near = {t for k in range(3) for t in sharing[frozenset((corners[k - 1], corners[k]))]}
            more = {t for t in near & left - own if flat[t]}
            own |= more
            todo += more
        left -= own
        found.append((normal, sorted({int(n) for t in own for n in triangles[t]})))
    return found


def _loop(points: np.ndarray, normal: np.ndarray) -> list[int]:
    """Numbers of the points that are corners of their hull seen along a normal, one around."""
    u = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    x = points @ np.stack([u, np.cross(normal, u)], axis=1)
    order = np.lexsort((x[:, 1], x[:, 0])).tolist()
    chains = []
    for way in (order, order[::-1]):
        chain: list[int] = []
        for k in way:
            while len(chain) > 1 and _turn(x[chain[-2]], x[chain[-1]], x[k]) <= 0.0:
                chain.pop()
            chain.append(k)
        chains += chain[:-1]
    return chains


def _turn(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def _spread(corners: np.ndarray) -> list[int]:
    """Four of a loop of corners that are far apart: the farthest two, and those to their sides."""
    apart = np.linalg.norm(corners[:, None] - corners, axis=2)
    i, j = sorted(divmod(int(np.argmax(apart)), len(corners)))
    way = corners[j] - corners[i]
    aside = np.linalg.norm(np.cross(corners - corners[i], way), axis=1)
    sides = (
        [k for k in range(len(corners)) if i < k < j],
        [k for k in range(len(corners)) if not i <= k <= j],
    )
    return [i, j, *(max(side, key=lambda k: aside[k]) if side else i for side in sides)]
