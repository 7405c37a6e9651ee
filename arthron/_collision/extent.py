"""How far shapes reach, and whether two of them can be near at all."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .._figure.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Shape, Sphere, unknown
from .._figure.terrain import HeightField, Plane
from .._spatial.scalar import Scalar, sqrt
from .._spatial.transform import Transform
from .._spatial.vectors import Vec3
from .contact import TINY, world


class BoundingBall(NamedTuple):
    """A ball that a shape is in, in the shape's own axes."""

    centre: Vec3
    radius: float


def bound(shape: Shape) -> BoundingBall:
    """A ball around a shape that is not ground."""
    if isinstance(shape, Mesh):
        points = shape.hull().vertices
        centre = 0.5 * (points.min(axis=0) + points.max(axis=0))
        radius = np.linalg.norm(points - centre, axis=1).max()
        return BoundingBall(Vec3(*map(float, centre)), float(radius))
    match shape:
        case Sphere(radius):
            reach = radius
        case Capsule(radius, length):
            reach = radius + 0.5 * length
        case Cylinder(radius, length):
            reach = math.hypot(radius, 0.5 * length)
        case Box(size):
            reach = 0.5 * math.hypot(*size)
        case Ellipsoid(radii):
            reach = max(radii)
        case _:
            raise unknown(shape)
    return BoundingBall(Vec3(), float(reach))


def radius_of(shape: Shape) -> float:
    """Radius of a ball about the shape's own origin that it is in."""
    centre, radius = bound(shape)
    return radius + float(centre.norm())


def least_gap(a: Shape, X: Transform, b: Shape, Y: Transform) -> Scalar:
    """What the gap of two shapes is at least, in some twenty operations."""
    if isinstance(a, Plane | HeightField):
        return least_gap(b, Y, a, X)
    own = bound(a)
    centre = world(X, own.centre)
    if isinstance(b, Plane | HeightField):
        top = max(map(max, b.heights)) if isinstance(b, HeightField) else 0.0
        return Y.E.z.dot(centre - Y.r) - (own.radius + top)
    other = bound(b)
    way = centre - world(Y, other.centre)
    return sqrt(way.dot(way) + TINY) - (own.radius + other.radius)
