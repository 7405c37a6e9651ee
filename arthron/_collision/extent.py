"""How far shapes reach."""

from __future__ import annotations

import math

import numpy as np

from .._figure.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Shape, Sphere


def radius_of(shape: Shape) -> float:
    """Radius of a ball about the shape's own origin that it is in; infinite for ground."""
    match shape:
        case Sphere(radius):
            return radius
        case Capsule(radius, length):
            return radius + 0.5 * length
        case Cylinder(radius, length):
            return math.hypot(radius, 0.5 * length)
        case Box(size):
            return 0.5 * math.hypot(*size)
        case Ellipsoid(radii):
            return max(radii)
        case Mesh():
            return float(np.linalg.norm(shape.hull().vertices, axis=1).max())
    return math.inf
