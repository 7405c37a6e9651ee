"""The points and faces of shapes that are furthest along a direction, in the shape's own axes."""

from __future__ import annotations

from functools import lru_cache

from .._figure.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Shape, Sphere, unknown
from .._spatial.scalar import absolute, maximum, sqrt, where
from .._spatial.vectors import Vec3
from .climbing import VertexTables, climb, vertex_tables
from .contact import TINY, across, choose, largest, sign, unit

Z = Vec3(0.0, 0.0, 1.0)
NARROW = 0.05
"""Angle that a line of a round shape counts as a face for [rad]."""
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


def support(shape: Shape, d: Vec3) -> Vec3:
    """The point of a shape's core that is furthest along d, of any length."""
    match shape:
        case Sphere():
            return Vec3()
        case Capsule(_, length):
            return Vec3(0.0, 0.0, 0.5 * length * sign(d.z))
        case Box(size):
            return Vec3(*(0.5 * h * sign(x) for h, x in zip(size, d, strict=True)))
        case Cylinder(radius, length):
            w = rim(d)
            return Vec3(radius * w.x, radius * w.y, 0.5 * length * sign(d.z))
        case Ellipsoid():
            return ellipsoid_point(shape, d) - unit(d, Z)[1] * layer(shape)
        case Mesh():
            return vertex(shape, d)
    raise unknown(shape)


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
        return climb(_tables(shape), 0.0, d)
    best, *others = (Vec3(*(float(x) for x in p)) for p in hull.vertices)
    most = best.dot(d)
    for p in others:
        along = p.dot(d)
        best, most = choose(along > most, p, best), maximum(along, most)
    return best


@lru_cache(maxsize=64)
def _tables(shape: Mesh) -> VertexTables:
    return vertex_tables([shape.hull()])


def face(shape: Shape, d: Vec3) -> list[Vec3]:
    """Four points around what is furthest along the unit vector d: a face, an edge or a point.

    They are on the shape, and those of a face that looks along d are its corners. A line of a round
    side is a narrow face.
    """
    match shape:
        case Box():
            return box_face(shape, d)
        case Capsule(radius, length):
            return _strip(radius, length, d)
        case Cylinder(radius, length):
            w = rim(d)
            v = Vec3(-w.y, w.x, 0.0)
            top = Vec3(0.0, 0.0, 0.5 * length * sign(d.z))
            cap = [top + x * radius for x in (w, v, -w, -v)]
            flat = absolute(d.z) > 0.7
            strip = _strip(radius, length, Vec3(w.x, w.y, 0.0))
            return [choose(flat, p, q) for p, q in zip(cap, strip, strict=True)]
        case Mesh():
            t, u = across(d)
            ways = (t + u, u - t, -t - u, t - u)
            return [vertex(shape, d + way * TILT) for way in ways]
    raise unknown(shape)


def _strip(radius: float, length: float, d: Vec3) -> list[Vec3]:
    """A narrow face along a round side."""
    half = Vec3(0.0, 0.0, 0.5 * length)
    _, v = unit(Vec3(-d.y, d.x, 0.0), Vec3(0.0, 1.0, 0.0))
    out, side = d * (radius * (1.0 - 0.5 * NARROW**2)), v * (radius * NARROW)
    return [half + out + side, out + side - half, out - side - half, half + out - side]


def box_face(shape: Box, d: Vec3) -> list[Vec3]:
    """The corners of the face that looks along d most; the one furthest along d is among them."""
    x, y, z = (0.5 * h for h in shape.size)
    is_x, is_y, is_z = largest(*map(absolute, d))
    out = Vec3(x * sign(d.x) * is_x, y * sign(d.y) * is_y, z * sign(d.z) * is_z)
    f = Vec3((1.0 - is_x) * x, is_x * y, 0.0)  # along x; y for the faces that x is across
    g = Vec3(0.0, is_z * y, (1.0 - is_z) * z)
    return [out + f + g, out - f + g, out - f - g, out + f - g]
