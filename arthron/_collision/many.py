"""Many convex shapes at once: pairs of them one after the other through the same code.

Each is a set of vertices with a disc, an ellipsoid and a layer around all, most of them zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .._figure.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Shape, Sphere
from .._graph.iterate import iterate
from .._spatial.array import Array, array
from .._spatial.scalar import Scalar, lookup, maximum, where
from .._spatial.transform import Transform
from .._spatial.vectors import Mat3, Vec3
from .contact import Contact, choose, nothing, turned, unit
from .convex import between
from .extent import radius_of
from .support import Z, layer, rim

AT_ONCE = 8
"""Vertices that are looked at in one pass."""


class Solids(NamedTuple):
    """Shapes as tables.

    Attributes:
        vertices: coordinates of all vertices, a table each, those of a shape `AT_ONCE` at a time.
        first: where the vertices of each shape begin, in such rows.
        rows: how many it has.
        rims: radii of discs across z.
        radii: half-axes of ellipsoids, a table each.
        layers: what is around it all.
        reaches: radii of balls about the origins of shapes that they are in.
        size: the largest extent of two of them [m].
    """

    vertices: list[tuple[float, ...]]
    first: tuple[float, ...]
    rows: tuple[float, ...]
    rims: tuple[float, ...]
    radii: list[tuple[float, ...]]
    layers: tuple[float, ...]
    reaches: tuple[float, ...]
    size: float


def solids(shapes: Sequence[Shape]) -> Solids:
    """Tables of shapes."""
    points: list[tuple[float, ...]] = []
    first, rows = [], []
    for shape in shapes:
        own = _vertices(shape)
        own += own[-1:] * (-len(own) % AT_ONCE)
        first.append(float(len(points) // AT_ONCE))
        rows.append(float(len(own) // AT_ONCE))
        points += own
    radii = [s.radii if isinstance(s, Ellipsoid) else (0.0, 0.0, 0.0) for s in shapes]
    return Solids(
        [tuple(p[k] for p in points) for k in range(3)],
        tuple(first),
        tuple(rows),
        tuple(s.radius if isinstance(s, Cylinder) else 0.0 for s in shapes),
        [tuple(r[k] for r in radii) for k in range(3)],
        tuple(map(layer, shapes)),
        tuple(map(radius_of, shapes)),
        2.0 * max(map(radius_of, shapes)),
    )


def _vertices(shape: Shape) -> list[tuple[float, ...]]:
    match shape:
        case Sphere() | Ellipsoid():
            return [(0.0, 0.0, 0.0)]
        case Capsule(_, length) | Cylinder(_, length):
            return [(0.0, 0.0, side * length) for side in (-0.5, 0.5)]
        case Box((x, y, z)):
            return [(a * x, b * y, c * z) for a in (-0.5, 0.5) for b in (-0.5, 0.5)
                    for c in (-0.5, 0.5)]  # fmt: skip
        case Mesh():
            return [tuple(map(float, p)) for p in shape.hull().vertices]
    raise NotImplementedError(type(shape).__name__)


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
    first = lookup(table.first, k)

    def look(state: tuple) -> tuple[tuple, Scalar]:
        row, best, most = state
        for i in range(AT_ONCE):
            at = (first + row) * float(AT_ONCE) + float(i)
            p = Vec3(*(lookup(x, at) for x in table.vertices))
            along = p.dot(d)
            best, most = choose(along > most, p, best), maximum(along, most)
        return (row + 1.0, best, most), row + 1.0 >= lookup(table.rows, k)

    _, p, _ = iterate(look, (0.0, Vec3(), -1e30), int(max(table.rows)), name="vertices").values
    p = p + rim(d) * lookup(table.rims, k)
    radii = [lookup(r, k) for r in table.radii]
    _, u = unit(Vec3(*(r * x for r, x in zip(radii, d, strict=True))), Z)
    p = p + Vec3(*(r * x for r, x in zip(radii, u, strict=True)))
    return X.r + turned(X, p)


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
            return between(apart, way, table.size, *layers), 1.0

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
