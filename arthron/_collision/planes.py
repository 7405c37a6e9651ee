"""A plane against all that is convex: the points of a shape that are lowest above it."""

from __future__ import annotations

import math

from .._figure.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Sphere
from .._figure.terrain import Plane
from .._spatial.transform import Transform
from .._spatial.vectors import Vec3
from .contact import Contact, apart, sign, world
from .support import box_face, ellipsoid_point, mesh_corners, once, rim


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
    """Those of the face that looks down most, and last the lowest vertex if it is none of them."""
    down = -(X.E @ Y.E.z)
    corners = mesh_corners(a, down)
    return once([above(world(X, p), Y) for p in corners], corners)


SPARE = 1e-5
"""How far below the corners of its face the lowest vertex of a mesh may be before it carries [m].

Of a flat face with many corners it is now this one, now that, as rounding has it: what stands on it
would never come to rest."""


def with_slack(found: list[Contact]) -> list[Contact]:
    """Contacts of a mesh with ground as steps take them: the last, its lowest vertex, is late."""
    return [*found[:-1], found[-1]._replace(gap=found[-1].gap + SPARE)]
