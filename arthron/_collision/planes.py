"""A plane against all that is convex: the points of a shape that are lowest above it."""

from __future__ import annotations

import math
from functools import reduce

from .._figure.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Sphere
from .._figure.terrain import Plane
from .._spatial.scalar import Scalar, maximum, where
from .._spatial.transform import Transform
from .._spatial.vectors import Vec3
from .contact import FAR, Contact, apart, either, sign, world
from .support import box_face, ellipsoid_point, lowest_face, mesh_corners, rim


def above(p: Vec3, X: Transform, radius: float = 0.0) -> Contact:
    """Of a ball about p with a plane."""
    n = X.E.z
    height = n.dot(p - X.r)
    return apart(height, n, p - n * height, radius)


def sphere_plane(a: Sphere, X: Transform, _: Plane, Y: Transform) -> list[Contact]:
    """One point."""
    return [above(X.r, Y, a.radius)]


def capsule_plane(a: Capsule, X: Transform, _: Plane, Y: Transform) -> list[Contact]:
    """Both ends."""
    half = X.E.z * (0.5 * a.length)
    return [above(X.r + half, Y, a.radius), above(X.r - half, Y, a.radius)]


def box_plane(a: Box, X: Transform, _: Plane, Y: Transform) -> list[Contact]:
    """The four corners of the face that looks down most; the lowest corner is among them."""
    return [above(world(X, p), Y) for p in box_face(a, -(X.E @ Y.E.z))]


def cylinder_plane(a: Cylinder, X: Transform, _: Plane, Y: Transform) -> list[Contact]:
    """Three points of the lower rim, the lowest among them, and the lowest of the other rim."""
    down = -(X.E @ Y.E.z)
    w = rim(down)
    v = Vec3(-w.y, w.x, 0.0)
    half = Vec3(0.0, 0.0, 0.5 * a.length * sign(down.z))
    r, side = a.radius, 0.5 * math.sqrt(3.0)
    around = [half + w * r, half + w * (-0.5 * r) + v * (side * r),
              half + w * (-0.5 * r) - v * (side * r), w * r - half]  # fmt: skip
    return [above(world(X, p), Y) for p in around]


def ellipsoid_plane(a: Ellipsoid, X: Transform, _: Plane, Y: Transform) -> list[Contact]:
    """The lowest point."""
    return [above(world(X, ellipsoid_point(a, -(X.E @ Y.E.z))), Y)]


def mesh_plane(a: Mesh, X: Transform, _: Plane, Y: Transform) -> list[Contact]:
    """Six points of the face it lies on and around it, the lowest vertex among them."""
    return [contact for contact, _ in _around(a, X, Y)]


def lying_mesh(a: Mesh, X: Transform, _: Plane, Y: Transform) -> list[Contact]:
    """The same as steps take them: what is not a corner of a flat face is late."""
    return [contact._replace(gap=contact.gap + late) for contact, late in _around(a, X, Y)]


SPARE = 1e-5
"""How far below the corners of its face other vertices of a mesh may be before they carry [m].

Of a flat face with many corners the lowest is now this one, now that, as rounding has it: what
stands on it would never come to rest. Where the face is tilted by as much, nothing is late: what
rolls on its rim meets no step."""
KEPT = 6
"""Points of a mesh."""


def with_slack(found: list[Contact]) -> list[Contact]:
    """Contacts of a mesh with hills as steps take them: the last, its lowest vertex, is late."""
    return [*found[:-1], found[-1]._replace(gap=found[-1].gap + SPARE)]


def _around(a: Mesh, X: Transform, Y: Transform) -> list[tuple[Contact, Scalar]]:
    """Six points, and by how much they are late.

    Corners of the face it lies on and the ends of the lowest edge of that; and where some of these
    are one, the lowest of the vertices far out that would be the lowest after a small turn: soles
    of feet are rounded a little, and lie on a small face between these.
    """
    down = -(X.E @ Y.E.z)
    corners, edge = lowest_face(a, down)
    low = edge[0].dot(down)
    rise = reduce(maximum, (low - p.dot(down) for p in corners))
    late = maximum(SPARE - rise, 0.0)
    points = [*corners, *edge, *mesh_corners(a, down)[:4]]
    pool = []
    for i, p in enumerate(points):
        first = 0.0 if i < KEPT else low - p.dot(down)
        again = either((p.x == q.x) & (p.y == q.y) & (p.z == q.z) for q in points[:i]) if i else 0.0
        pool.append((where(again, FAR, first), late if i >= len(corners) else 0.0, *p))
    kept = []
    for _ in range(KEPT):
        best, *rest = pool
        pool = []
        for other in rest:
            sooner = other[0] < best[0]
            pool.append(tuple(where(sooner, x, y) for x, y in zip(best, other, strict=True)))
            best = tuple(where(sooner, x, y) for x, y in zip(other, best, strict=True))
        order, own, *p = best
        contact = above(world(X, Vec3(*p)), Y)
        kept.append((contact._replace(gap=where(order < FAR, contact.gap, FAR)), own))
    return kept
