"""A capsule against a box, in closed form."""

from __future__ import annotations

from .._figure.shapes import Box, Capsule
from .._spatial.scalar import Scalar, absolute, maximum, minimum, sqrt, where
from .._spatial.transform import Transform
from .._spatial.vectors import AXES, Vec3
from .contact import TINY, Contact, choose, clamp, largest, sign
from .spheres import beside, faded, from_box

LEVEL = 1e-8
"""Slope of a segment over a face below which it lies flat."""
PARALLEL = 1e-12
LONG = 1e30


def capsule_box(a: Capsule, X: Transform, b: Box, Y: Transform) -> list[Contact]:
    """The nearest point of the axis, and the other end of where it runs beside the box."""
    c, e = Y @ X.r, Y.E @ X.E.z
    half = 0.5 * a.length
    h = Vec3(*(0.5 * s for s in b.size))
    s = nearest(c, e, half, h)
    p = c + e * s
    gap, n = from_box(p, b.size)
    inside = gap < 1e-12
    m = overlap(c, e, half, h)
    n = choose(inside, m, n)
    near, far = alongside(c, e, half, h, p, s, n, inside)
    reach = Vec3(*map(absolute, m)).dot(h)
    pair = []
    for x in (c + e * near, c + e * far):
        gap, n = from_box(x, b.size)
        found = where(inside, m.dot(x) - reach, gap), choose(inside, m, n)
        pair.append(beside(x, found, Y, a.radius))
    return [pair[0], faded(pair[1], absolute(far - near), a.radius)]


def nearest(c: Vec3, e: Vec3, half: float, h: Vec3) -> Scalar:
    """Where on the segment c + s e the distance from a box about the origin is least.

    Half the squared distance is a convex function of s, and its slope is linear between the places
    where the segment passes the planes of the box's faces: find those next to its zero.
    """

    def slope(s: Scalar) -> Scalar:
        x = c + e * s
        off = Vec3(*(y - clamp(y, -k, k) for y, k in zip(x, h, strict=True)))
        return e.dot(off)

    passes = [-half, half]
    for x, y, k in zip(c, e, h, strict=True):
        still = absolute(y) < PARALLEL
        over = 1.0 / where(still, 1.0, y)
        passes += [clamp((side - x) * over, -half, half) for side in (-k, k)]
    low, below, high, above = -half, -LONG, half, LONG
    for s in passes:
        k = slope(s)
        k = where(absolute(k) < LEVEL, 0.0, k)
        later, sooner = (k <= 0.0) & (s >= low), (k >= 0.0) & (s <= high)
        low, below = where(later, s, low), where(later, k, below)
        high, above = where(sooner, s, high), where(sooner, k, above)
    rise = above - below
    level = rise < TINY
    return where(level | (high <= low), low, low - (high - low) * below / where(level, 1.0, rise))


def alongside(
    c: Vec3, e: Vec3, half: float, h: Vec3, p: Vec3, s: Scalar, n: Vec3, inside: Scalar
) -> tuple[Scalar, Scalar]:
    """Where the first contact is on the segment, and the far end of what is over the same face."""
    main = largest(*map(absolute, n))
    low, high = -half, half
    for x, y, k, at, skip in zip(c, e, h, p, main, strict=True):
        wide = maximum(k, absolute(at)) * (1.0 + 1e-9)
        open_ = (absolute(y) < PARALLEL) | (skip > 0.5)
        over = 1.0 / where(open_, 1.0, y)
        one, two = (-wide - x) * over, (wide - x) * over
        low = maximum(low, where(open_, -LONG, minimum(one, two)))
        high = minimum(high, where(open_, LONG, maximum(one, two)))
    far = where(absolute(low - s) > absolute(high - s), low, high)
    falls = e.dot(n) > 0.0
    near = where(inside, where(falls, low, high), s)
    return near, where(inside, where(falls, high, low), far)


def overlap(c: Vec3, e: Vec3, half: float, h: Vec3) -> Vec3:
    """The axis along which a segment and a box that it meets overlap least, away from the box.

    Those that could be are the axes of the box, and what is across these and the segment.
    """
    best: Scalar = -LONG
    axis = Vec3()
    for k, a in enumerate(AXES.values()):
        found = absolute(c[k]) - half * absolute(e[k]) - h[k]
        best, axis = maximum(best, found), choose(found > best, a * sign(c[k]), axis)
    for a in AXES.values():
        L = e.cross(a)
        square = L.dot(L)
        none = square < PARALLEL
        L = L * (1.0 / sqrt(where(none, 1.0, square)))
        along = c.dot(L)
        found = where(none, -LONG, absolute(along) - Vec3(*map(absolute, L)).dot(h))
        best, axis = maximum(best, found), choose(found > best, L * sign(along), axis)
    return axis
