"""Spheres and capsules against each other, and spheres against boxes and cylinders."""

from __future__ import annotations

from .._figure.shapes import Box, Capsule, Cylinder, Sphere
from .._spatial.scalar import Scalar, absolute, maximum, minimum, sqrt, where
from .._spatial.transform import Transform
from .._spatial.vectors import Vec3
from .contact import TINY, Contact, apart, balls, choose, clamp, largest, sign, turned, unit
from .support import rim

PARALLEL = 1e-12
"""The squared sine of the angle between segments below which they are parallel."""


def sphere_sphere(a: Sphere, X: Transform, b: Sphere, Y: Transform) -> list[Contact]:
    """One point."""
    return [balls(X.r, a.radius, Y.r, b.radius)]


def sphere_capsule(a: Sphere, X: Transform, b: Capsule, Y: Transform) -> list[Contact]:
    """One point."""
    half = 0.5 * b.length
    t = clamp(Y.E.z.dot(X.r - Y.r), -half, half)
    return [balls(X.r, a.radius, Y.r + Y.E.z * t, b.radius, Y.E.x)]


def capsule_capsule(a: Capsule, X: Transform, b: Capsule, Y: Transform) -> list[Contact]:
    """The nearest points of the axes, and both ends of where they run side by side."""
    e, f, d = X.E.z, Y.E.z, Y.r - X.r
    h, k = 0.5 * a.length, 0.5 * b.length
    c, p, q = e.dot(f), e.dot(d), f.dot(d)
    sine2 = 1.0 - c * c
    parallel = sine2 < PARALLEL
    s = where(parallel, h, (p - c * q) / where(parallel, 1.0, sine2))
    t = clamp(c * clamp(s, -h, h) - q, -k, k)
    s = clamp(p + c * t, -h, h)
    _, crossing = unit(e.cross(f), X.E.x)

    def at(s: Scalar, t: Scalar) -> Contact:
        return balls(X.r + e * s, a.radius, Y.r + f * t, b.radius, crossing)

    ends = [clamp(p + c * side, -h, h) for side in (-k, k)]
    thin = minimum(a.radius, b.radius)
    others = [faded(at(end, clamp(c * end - q, -k, k)), absolute(end - s), thin) for end in ends]
    return [at(s, t), *others]


def faded(other: Contact, distance: Scalar, radius: Scalar) -> Contact:
    """A further contact, which is none where it comes near to the first.

    Its gap grows by what the distance from the first is short of a radius: capsules that cross have
    one point, those side by side two, and there is no step between.
    """
    return Contact(other.gap + maximum(radius - distance, 0.0), other.point, other.normal)


def sphere_box(a: Sphere, X: Transform, b: Box, Y: Transform) -> list[Contact]:
    """One point."""
    p = Y @ X.r
    return [beside(p, from_box(p, b.size), Y, a.radius)]


def sphere_cylinder(a: Sphere, X: Transform, b: Cylinder, Y: Transform) -> list[Contact]:
    """One point."""
    p = Y @ X.r
    return [beside(p, from_cylinder(p, b.radius, 0.5 * b.length), Y, a.radius)]


def beside(p: Vec3, found: tuple[Scalar, Vec3], Y: Transform, radius: float) -> Contact:
    """Of a ball about p, in a frame, with what is at a distance and a direction from p there."""
    gap, n = found
    normal = turned(Y, n)
    return apart(gap, normal, Y.r + turned(Y, p) - normal * gap, radius)


def from_box(p: Vec3, size: tuple[float, float, float]) -> tuple[Scalar, Vec3]:
    """Signed distance of a point from a box, and the direction away from it; in the box's axes."""
    beyond = Vec3(*(absolute(x) - 0.5 * s for x, s in zip(p, size, strict=True)))
    side = Vec3(*map(sign, p))
    out = Vec3(*(maximum(x, 0.0) for x in beyond))
    square = out.dot(out)
    inside = square < TINY
    length = sqrt(where(inside, 1.0, square))
    n = choose(inside, largest(*beyond), out * (1.0 / length))
    gap = where(inside, maximum(maximum(*beyond[:2]), beyond.z), length)
    return gap, Vec3(*(x * s for x, s in zip(n, side, strict=True)))


def from_cylinder(p: Vec3, radius: float, half: float) -> tuple[Scalar, Vec3]:
    """Signed distance of a point from a cylinder about z, and the direction away from it."""
    w = rim(p)
    along, up = w.x * p.x + w.y * p.y - radius, absolute(p.z) - half
    a, b = maximum(along, 0.0), maximum(up, 0.0)
    square = a * a + b * b
    inside = square < TINY
    length = sqrt(where(inside, 1.0, square))
    flat = where(up > along, 1.0, 0.0)
    k = where(inside, 1.0 - flat, a / length)
    m = where(inside, flat, b / length) * sign(p.z)
    return where(inside, maximum(along, up), length), Vec3(w.x * k, w.y * k, m)
