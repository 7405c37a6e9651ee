"""Ground with hills against points of shapes: the nearest of the triangles around each."""

from __future__ import annotations

from functools import partial

from .._figure.shapes import Capsule, Cylinder, Mesh, Shape, Sphere
from .._figure.terrain import HeightField, Plane
from .._graph.iterate import iterate
from .._spatial.scalar import Scalar, absolute, floor, lookup, maximum, minimum, where
from .._spatial.transform import Transform
from .._spatial.vectors import Vec3
from .contact import TINY, Contact, Pair, choose, clamp, sign, unit, world
from .spheres import beside
from .support import mesh_corners, once, rim

SLOPE = 0.3
"""How far from straight down the directions to the lowest vertices of a mesh are, about [rad]."""
FLUSH = 1e-9
"""A point nearer to a triangle is on it: the normal is that of the triangle [m]."""


def points_above(flat: Pair) -> Pair:
    """The pair of a kind of shape with a height field, from that with a plane.

    Points of the shape meet the field one by one: those that are lowest above a level plane, or for
    what could touch elsewhere on a slope some around them. Spheres and capsules do with their
    centres and ends, and capsules in the middle, too.
    """
    return partial(_points_above, flat)


def _points_above(
    flat: Pair, a: Shape, X: Transform, b: HeightField, Y: Transform
) -> list[Contact]:
    if isinstance(a, Sphere):
        places, radius = [X.r], a.radius
    elif isinstance(a, Capsule):
        half = X.E.z * (0.5 * a.length)
        places, radius = [X.r + half, X.r - half, X.r], a.radius
    elif isinstance(a, Cylinder | Mesh):
        down = -(X.E @ Y.E.z)
        own = rims(a, down) if isinstance(a, Cylinder) else mesh_corners(a, down, SLOPE)
        places, radius = [world(X, p) for p in own], 0.0
    else:
        places, radius = [c.ends()[0] for c in flat(a, X, Plane(), Y)], 0.0
    found = []
    for place in places:
        p = Y @ place
        found.append(beside(p, from_ground(p, b), Y, radius))
    return once(found, places) if isinstance(a, Mesh) else found


def rims(shape: Cylinder, down: Vec3) -> list[Vec3]:
    """The lowest points of both rims, and four around the lower one that stay where they are."""
    r, half = shape.radius, Vec3(0.0, 0.0, 0.5 * shape.length * sign(down.z))
    w = rim(down) * r
    around = [
        Vec3(x * r, y * r, 0.0) for x, y in ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))
    ]
    return [half + w, w - half, *(half + p for p in around)]


def from_ground(p: Vec3, field: HeightField) -> tuple[Scalar, Vec3]:
    """Signed distance of a point from a height field, and the direction away from it.

    No point of the surface is nearer than one straight above or below, so that only cells within as
    much to the sides are looked at.
    """
    rows, columns = len(field.heights), len(field.heights[0])
    table = tuple(h for row in field.heights for h in row)
    dx, dy = field.size[0] / (rows - 1), field.size[1] / (columns - 1)
    x, y = 0.5 * field.size[0], 0.5 * field.size[1]

    def node(i: Scalar, j: Scalar) -> Vec3:
        return Vec3(i * dx - x, j * dy - y, lookup(table, i * float(columns) + j))

    def cell(u: Scalar, v: Scalar) -> tuple[Scalar, Scalar]:
        return (clamp(floor((u + x) / dx), 0.0, rows - 2.0),
                clamp(floor((v + y) / dy), 0.0, columns - 2.0))  # fmt: skip

    px, py = clamp(p.x, -x, x), clamp(p.y, -y, y)
    i, j = cell(px, py)
    s, t = (px + x) / dx - i, (py + y) / dy - j
    a, b, c, d = (node(i + k, j + l).z for k, l in ((0, 0), (1, 0), (1, 1), (0, 1)))
    z = where(s > t, a + (b - a) * s + (c - b) * t, a + (d - a) * t + (c - d) * s)
    over = (absolute(p.x) <= x) & (absolute(p.y) <= y)
    beside_it = absolute(p.x - px) + absolute(p.y - py)
    window = absolute(p.z - z) + beside_it
    low, high = cell(px - window, py - window), cell(px + window, py + window)
    wide = high[1] - low[1] + 1.0

    def look(state: tuple) -> tuple[tuple, Scalar]:
        k, least, q, n = state
        down = floor((k + 0.5) / wide)
        i, j = low[0] + down, low[1] + (k - down * wide)
        corners = [node(i + k, j + l) for k, l in ((0, 0), (1, 0), (1, 1), (0, 1))]
        for triangle in (corners[:3], [corners[0], *corners[2:]]):
            square, foot, up = on_triangle(p, *triangle)
            nearer = square < least
            least, q, n = minimum(square, least), choose(nearer, foot, q), choose(nearer, up, n)
        return (k + 1.0, least, q, n), k + 1.0 >= wide * (high[0] - low[0] + 1.0)

    start = 0.0, 1e30, Vec3(px, py, z), Vec3(0.0, 0.0, 1.0)
    cells = (rows - 1) * (columns - 1)
    _, _, q, up = iterate(look, start, cells, name="cells of a height field").values
    side = where(over & (p.z < z), -1.0, 1.0)
    length, n = unit((p - q) * side, up)
    return length * side, choose(length < FLUSH, up, n)


def on_triangle(p: Vec3, a: Vec3, b: Vec3, c: Vec3) -> tuple[Scalar, Vec3, Vec3]:
    """Squared distance of a point from a triangle, the nearest point of it, and its normal."""
    _, n = unit((b - a).cross(c - a), Vec3(0.0, 0.0, 1.0))
    height = n.dot(p - a)
    best, foot = height * height, p - n * height
    sides = [(a, b), (b, c), (c, a)]
    inside = [n.cross(end - start).dot(p - start) >= 0.0 for start, end in sides]
    best = where(inside[0] & inside[1] & inside[2], best, 1e30)
    for start, end in sides:
        e = end - start
        q = start + e * clamp(e.dot(p - start) / maximum(e.dot(e), TINY), 0.0, 1.0)
        square = (p - q).dot(p - q)
        nearer = square < best
        best, foot = minimum(square, best), choose(nearer, q, foot)
    return best, foot, n
