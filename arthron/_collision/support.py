"""The points and faces of shapes that are furthest along a direction, in the shape's own axes."""

from __future__ import annotations

from functools import lru_cache

from .._figure.shapes import Box, Capsule, Ellipsoid, Mesh, Shape, Sphere
from .._spatial.scalar import absolute, maximum, sqrt, where
from .._spatial.vectors import Vec3
from .climbing import VertexTables, climb, vertex_tables
from .contact import FAR, TINY, Contact, across, choose, either, largest, sign, unit
from .hull_faces import FaceTables, face_tables, lower

Z = Vec3(0.0, 0.0, 1.0)
TILT = 0.01
"""How far a face of a mesh may be tilted and still be met as a whole [rad]."""
FEW = 24
"""Vertices of a mesh that are all looked at, without a loop."""


def layer(shape: Shape) -> float:
    """Thickness of what is around the core of a shape: balls and capsules are all layer.

    That of an ellipsoid is its least radius of curvature: what is left inside is convex.
    """
    if isinstance(shape, Ellipsoid):
        return min(shape.radii) ** 2 / max(shape.radii)
    return shape.radius if isinstance(shape, Sphere | Capsule) else 0.0


def ellipsoid_point(shape: Ellipsoid, d: Vec3) -> Vec3:
    """D^2 d / |D d|, with the half-axes on the diagonal of D."""
    scaled = Vec3(*(r * x for r, x in zip(shape.radii, d, strict=True)))
    _, u = unit(scaled, Z)
    return Vec3(*(r * x for r, x in zip(shape.radii, u, strict=True)))


def rim(d: Vec3) -> Vec3:
    """The unit vector across z that is nearest to d; x for those along z."""
    square = d.x * d.x + d.y * d.y
    none = square < TINY
    k = 1.0 / sqrt(where(none, 1.0, square))
    return Vec3(where(none, 1.0, d.x * k), where(none, 0.0, d.y * k), 0.0)


def vertex(shape: Mesh, d: Vec3) -> Vec3:
    """The vertex of the convex hull that is furthest along d."""
    hull = shape.hull()
    if len(hull.vertices) > FEW:
        return climb(_tables(shape), 0.0, d)[1]
    best, *others = (Vec3(*(float(x) for x in p)) for p in hull.vertices)
    most = best.dot(d)
    for p in others:
        along = p.dot(d)
        best, most = choose(along > most, p, best), maximum(along, most)
    return best


@lru_cache(maxsize=64)
def _tables(shape: Mesh) -> VertexTables:
    return vertex_tables([shape.hull()])


def mesh_corners(shape: Mesh, d: Vec3, tilt: float = TILT) -> list[Vec3]:
    """Four vertices around what is furthest along the unit vector d, and last that one itself."""
    t, u = across(d)
    around = [vertex(shape, d + way * tilt) for way in (t + u, u - t, -t - u, t - u)]
    return [*around, vertex(shape, d)]


def lowest_face(shape: Mesh, d: Vec3) -> tuple[list[Vec3], list[Vec3]]:
    """What a mesh lies on that is pressed along d: corners of a face, and the edge of it there.

    The face is that of the vertex furthest along d which looks along d most: four corners far
    apart, or fewer and some again. The edge is that vertex and one beside it.
    """
    n, p = climb(_tables(shape), 0.0, d)
    corners, beside = _faces(shape).at(n, d)
    return corners, [p, lower(beside[0], beside[1], d)]


@lru_cache(maxsize=64)
def _faces(shape: Mesh) -> FaceTables:
    return face_tables(shape.hull())


def once(contacts: list[Contact], corners: list[Vec3]) -> list[Contact]:
    """Contacts of corners, where a corner that comes again is far away."""
    found = list(contacts)
    for i, p in enumerate(corners[1:], 1):
        again = either((p.x == q.x) & (p.y == q.y) & (p.z == q.z) for q in corners[:i])
        found[i] = found[i]._replace(gap=where(again, FAR, found[i].gap))
    return found


def box_face(shape: Box, d: Vec3) -> list[Vec3]:
    """The corners of the face that looks along d most; the one furthest along d is among them."""
    x, y, z = (0.5 * h for h in shape.size)
    is_x, is_y, is_z = largest(*map(absolute, d))
    out = Vec3(x * sign(d.x) * is_x, y * sign(d.y) * is_y, z * sign(d.z) * is_z)
    f = Vec3((1.0 - is_x) * x, is_x * y, 0.0)  # along x; y for the faces that x is across
    g = Vec3(0.0, is_z * y, (1.0 - is_z) * z)
    return [out + f + g, out - f + g, out - f - g, out + f - g]
