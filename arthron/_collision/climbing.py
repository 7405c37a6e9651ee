"""The vertex of a convex body that is furthest along a direction, by climbing along its edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .._figure.mesh_file import Surface
from .._graph.iterate import iterate
from .._graph.table import Table
from .._spatial.scalar import Scalar, absolute, floor, lookup, maximum, where
from .._spatial.vectors import Vec3
from .contact import choose, clamp, largest, sign

AT_ONCE = 8
"""Neighbours of a vertex that are looked at in one pass."""
GRID = 4
"""Squares along a side of a cube around a body: where a direction meets it says where to begin."""


class VertexTables(NamedTuple):
    """Vertices and edges of convex bodies as tables.

    Attributes:
        starts: a vertex to begin with, for each body and square of directions.
        points: coordinates of vertices, a table each.
        first: where the neighbours of each vertex begin, in rows of `AT_ONCE`.
        rows: how many rows of them there are.
        neighbours: numbers of the neighbours.
        places: their coordinates, a table each.
    """

    starts: tuple[float, ...]
    points: list[tuple[float, ...]]
    first: tuple[float, ...]
    rows: tuple[float, ...]
    neighbours: tuple[float, ...]
    places: list[tuple[float, ...]]


def vertex_tables(surfaces: Sequence[Surface]) -> VertexTables:
    """Tables of bodies. Each surface has all edges; triangles of two corners are edges alone."""
    starts: list[int] = []
    first: list[int] = []
    rows: list[int] = []
    neighbours: list[int] = []
    offset = 0
    for vertices, triangles in surfaces:
        edges: list[set[int]] = [set() for _ in vertices]
        for corners in triangles.tolist():
            for a in corners:
                edges[a].update(corners)
        starts += [offset + int(k) for k in np.argmax(_squares() @ np.asarray(vertices).T, axis=1)]
        for k, ends in enumerate(edges):
            near = sorted(ends - {k}) or [k]
            near += near[-1:] * (-len(near) % AT_ONCE)
            first.append(len(neighbours) // AT_ONCE)
            rows.append(len(near) // AT_ONCE)
            neighbours += [offset + n for n in near]
        offset += len(vertices)
    points = np.concatenate([vertices for vertices, _ in surfaces])
    return VertexTables(
        _floats(starts),
        [_floats(points[:, k]) for k in range(3)],
        _floats(first),
        _floats(rows),
        _floats(neighbours),
        [_floats(points[neighbours, k]) for k in range(3)],
    )


def _floats(numbers: Sequence[float] | np.ndarray) -> Table:
    return Table(float(x) for x in numbers)


def _squares() -> np.ndarray:
    """Directions of the middles of squares: both sides along x, then y, then z."""
    middles = (np.arange(GRID) + 0.5) * (2.0 / GRID) - 1.0
    found = []
    for axis in range(3):
        for side in (-1.0, 1.0):
            for u in middles:
                for v in middles:
                    found.append(np.roll([side, u, v], axis))
    return np.array(found)


def climb(tables: VertexTables, body: Scalar, d: Vec3) -> tuple[Scalar, Vec3]:
    """Number and place of the vertex of a body furthest along d: no neighbour of it is further."""
    x, y, z = largest(*map(absolute, d))
    main = d.x * x + d.y * y + d.z * z
    k = 0.5 * GRID / maximum(absolute(main), 1e-300)
    u, v = d.y * x + d.z * y + d.x * z, d.z * x + d.x * y + d.y * z  # as np.roll has them
    at = [clamp(floor((w * k) + 0.5 * GRID), 0.0, GRID - 1.0) for w in (u, v)]
    side = 2.0 * (y + 2.0 * z) + 0.5 * (1.0 + sign(main))
    square = (side * float(GRID) + at[0]) * float(GRID) + at[1]
    start = lookup(tables.starts, body * float(6 * GRID * GRID) + square)
    p = Vec3(*(lookup(table, start) for table in tables.points))

    def step(state: tuple) -> tuple[tuple, Scalar]:
        n, row, p, most = state
        before = most
        place = (lookup(tables.first, n) + row) * float(AT_ONCE)
        last = row + 1.0 >= lookup(tables.rows, n)
        for i in range(AT_ONCE):
            q = Vec3(*(lookup(table, place + float(i)) for table in tables.places))
            along = q.dot(d)
            further = along > most
            n = where(further, lookup(tables.neighbours, place + float(i)), n)
            p, most = choose(further, q, p), maximum(along, most)
        moved = most > before
        return (n, where(moved, 0.0, row + 1.0), p, most), last & (most <= before)

    passes = len(tables.points[0]) + int(max(tables.rows))
    n, _, p, _ = iterate(step, (start, 0.0, p, p.dot(d)), passes, name="climb").values
    return n, p
