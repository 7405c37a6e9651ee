"""Many convex shapes at once: pairs of them one after the other through the same code.

Each is a set of vertices with a disc, an ellipsoid and a layer around all, most of them zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .._figure.mesh_file import Surface
from .._figure.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Shape, Sphere, unknown
from .._graph.iterate import iterate
from .._spatial.array import Array, array
from .._spatial.scalar import Scalar, absolute, lookup, where
from .._spatial.transform import Transform
from .._spatial.vectors import Mat3, Vec3
from .climbing import VertexTables, climb, vertex_tables
from .contact import Contact, across, nothing, unit, world
from .convex import between
from .extent import radius_of
from .manifold import manifold
from .support import TILT, Z, layer, rim

NARROW = 1e-4
"""Angle that a line of a round side counts as a face for [rad]."""


class Solids(NamedTuple):
    """Shapes as tables.

    Attributes:
        vertices: vertices and edges of all.
        rims: radii of discs across z.
        radii: half-axes of ellipsoids, a table each.
        insets: how much less of them is core.
        layers: what is around it all.
        reaches: radii of balls about the origins of shapes that they are in.
        size: the largest extent of two of them [m].
    """

    vertices: VertexTables
    rims: tuple[float, ...]
    radii: list[tuple[float, ...]]
    insets: tuple[float, ...]
    layers: tuple[float, ...]
    reaches: tuple[float, ...]
    size: float


def solids(shapes: Sequence[Shape]) -> Solids:
    """Tables of shapes."""
    radii = [s.radii if isinstance(s, Ellipsoid) else (0.0, 0.0, 0.0) for s in shapes]
    return Solids(
        vertex_tables([_surface(shape) for shape in shapes]),
        tuple(s.radius if isinstance(s, Cylinder) else 0.0 for s in shapes),
        [tuple(r[k] for r in radii) for k in range(3)],
        tuple(layer(s) if isinstance(s, Ellipsoid) else 0.0 for s in shapes),
        tuple(map(layer, shapes)),
        tuple(map(radius_of, shapes)),
        2.0 * max(map(radius_of, shapes)),
    )


def _surface(shape: Shape) -> Surface:
    """Vertices, with what has an edge to what."""
    match shape:
        case Sphere() | Ellipsoid():
            return Surface(np.zeros((1, 3)), np.zeros((0, 2), int))
        case Capsule(_, length) | Cylinder(_, length):
            return Surface(np.array([[0, 0, -0.5], [0, 0, 0.5]]) * length, np.array([[0, 1]]))
        case Box(size):
            corners = np.array([[i >> 2 & 1, i >> 1 & 1, i & 1] for i in range(8)]) - 0.5
            edges = [[i, i ^ bit] for i in range(8) for bit in (1, 2, 4)]
            return Surface(corners * size, np.array(edges))
        case Mesh():
            return shape.hull()
    raise unknown(shape)


class Poses(NamedTuple):
    """Transforms from the world to shapes, a number of each in an array."""

    numbers: tuple[Array, ...]

    @staticmethod
    def of(transforms: Sequence[Transform]) -> Poses:
        """Of as many shapes."""
        rows = [[*X.E.x, *X.E.y, *X.E.z, *X.r] for X in transforms]
        return Poses(tuple(array([row[k] for row in rows]) for k in range(12)))

    def __call__(self, k: Scalar) -> Transform:
        """That of one of them."""
        n = [each[k] for each in self.numbers]
        return Transform(Mat3(Vec3(*n[:3]), Vec3(*n[3:6]), Vec3(*n[6:9])), Vec3(*n[9:]))


def furthest(table: Solids, k: Scalar, X: Transform, d: Vec3) -> Vec3:
    """The point of a core that is furthest along d, in the world."""
    d = X.E @ d
    p = climb(table.vertices, k, d)[1] + rim(d) * lookup(table.rims, k) + _round_part(table, k, d)
    return world(X, p - unit(d, Z)[1] * lookup(table.insets, k))


def _round_part(table: Solids, k: Scalar, d: Vec3) -> Vec3:
    """The point of an ellipsoid that is furthest along d: D^2 d / |D d|."""
    radii = [lookup(r, k) for r in table.radii]
    _, u = unit(Vec3(*(r * x for r, x in zip(radii, d, strict=True))), Z)
    return Vec3(*(r * x for r, x in zip(radii, u, strict=True)))


def searched_contacts(
    table: Solids, i: Scalar, X: Transform, j: Scalar, Y: Transform
) -> list[Contact]:
    """The nearest point of two shapes, and four of the faces that meet there."""

    def apart(d: Vec3) -> tuple[Vec3, Vec3]:
        return furthest(table, i, X, d), furthest(table, j, Y, -d)

    thick, other = lookup(table.layers, i), lookup(table.layers, j)
    near = between(apart, X, Y, table.size, thick, other)
    n = near.normal
    return [near, *manifold(face(table, i, X, -n), face(table, j, Y, n), n)]


def face(table: Solids, k: Scalar, X: Transform, n: Vec3) -> list[Vec3]:
    """Four points around what of a shape is furthest along the unit vector n, in the world.

    They are the corners of a face that looks along n, or of four at the rim of a disc. A line of a
    round side is a face so narrow that it rolls.
    """
    d = X.E @ n
    t, u = across(d)
    tilt = where(absolute(d.z) > 0.7, TILT, NARROW)
    out = _round_part(table, k, d) + d * (lookup(table.layers, k) - lookup(table.insets, k))
    disc = lookup(table.rims, k)
    return [
        world(X, climb(table.vertices, k, d + way * TILT)[1] + rim(d + way * tilt) * disc + out)
        for way in (t + u, u - t, -t - u, t - u)
    ]


def convex_convex(a: Shape, X: Transform, b: Shape, Y: Transform) -> list[Contact]:
    """The nearest point, and four of the faces that meet there."""
    return searched_contacts(solids([a, b]), 0.0, X, 1.0, Y)


def each_pair(
    shapes: Sequence[Shape],
    transforms: Sequence[Transform],
    pairs: Sequence[tuple[int, int]],
    slots: Sequence[int],
    found: Sequence[Contact],
    margin: Scalar | None = None,
) -> list[Contact]:
    """The deepest contact in each of some places, of pairs and of what was found before.

    Args:
        shapes: convex shapes.
        transforms: from the world to each of them.
        pairs: numbers of two shapes each.
        slots: the place of each pair among the contacts.
        found: contacts to begin with.
        margin: where balls around two shapes are no nearer than this, they are not looked at.
    """
    table, poses = solids(shapes), Poses.of(transforms)
    one, two = (tuple(float(p[k]) for p in pairs) for k in (0, 1))
    places = tuple(map(float, slots))
    numbers = [[c.gap, *c.point, *c.normal] for c in found]
    columns = [array([row[k] for row in numbers]) for k in range(7)]

    def meet(state: tuple) -> tuple[tuple, Scalar]:
        k, columns = state
        i, j, at = (lookup(t, k) for t in (one, two, places))
        X, Y = poses(i), poses(j)

        def apart(d: Vec3) -> tuple[Vec3, Vec3]:
            return furthest(table, i, X, d), furthest(table, j, Y, -d)

        layers = lookup(table.layers, i), lookup(table.layers, j)
        way = X.r - Y.r

        def look(_: Contact) -> tuple[Contact, Scalar]:
            return between(apart, X, Y, table.size, *layers), 1.0

        reach = lookup(table.reaches, i) + lookup(table.reaches, j)
        near = 1.0 if margin is None else way.dot(way) < (reach + margin) * (reach + margin)
        gap, p, n = iterate(look, nothing()[0], 1, near, name="pair").values
        nearer = gap < columns[0][at]
        new = [
            c.set(at, where(nearer, x, c[at])) for c, x in zip(columns, (gap, *p, *n), strict=True)
        ]
        return (k + 1.0, new), k + 1.0 >= len(pairs)

    columns = iterate(meet, (0.0, columns), len(pairs), name="pairs").values[1]
    rows = [[c[k] for c in columns] for k in range(len(found))]
    return [Contact(r[0], Vec3(*r[1:4]), Vec3(*r[4:])) for r in rows]
