"""Which two shapes meet how: the table of pairs."""

from __future__ import annotations

from .._figure.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Shape, Sphere
from .._figure.terrain import HeightField, Plane
from .._graph.iterate import iterate
from .._spatial.scalar import Scalar
from .._spatial.transform import Transform
from . import planes, spheres
from .box_box import box_box
from .capsule_box import capsule_box
from .contact import Contact, Pair, nothing
from .extent import least_gap
from .height_fields import points_above
from .many import convex_convex

PAIRS: dict[tuple[type[Shape], type[Shape]], Pair] = {
    (Sphere, Plane): planes.sphere_plane,
    (Capsule, Plane): planes.capsule_plane,
    (Box, Plane): planes.box_plane,
    (Cylinder, Plane): planes.cylinder_plane,
    (Ellipsoid, Plane): planes.ellipsoid_plane,
    (Mesh, Plane): planes.mesh_plane,
    (Sphere, Sphere): spheres.sphere_sphere,
    (Sphere, Capsule): spheres.sphere_capsule,
    (Capsule, Capsule): spheres.capsule_capsule,
    (Sphere, Box): spheres.sphere_box,
    (Sphere, Cylinder): spheres.sphere_cylinder,
    (Capsule, Box): capsule_box,
    (Box, Box): box_box,
}
"""Pairs that have a way of their own; all others go by support functions."""
PAIRS |= {
    (kind, HeightField): points_above(pair)
    for (kind, other), pair in PAIRS.items()
    if other is Plane
}


def contacts(a: Shape, X: Transform, b: Shape, Y: Transform) -> list[Contact]:
    """The contacts of two shapes, as many as their kinds have.

    Args:
        a: the first shape.
        X: transform from the world to its own axes, `shape.placement @ X_body`.
        b: the second shape.
        Y: transform to that one's axes.
    """
    there = PAIRS.get((type(a), type(b)))
    back = PAIRS.get((type(b), type(a)))
    if there is None and back is not None:
        return [each.flipped() for each in back(b, Y, a, X)]
    return (there or convex_convex)(a, X, b, Y)


def near_contacts(a: Shape, X: Transform, b: Shape, Y: Transform, margin: Scalar) -> list[Contact]:
    """The contacts of two shapes, looked for only where balls around them are within a margin.

    Elsewhere they are far away, and cost what the balls cost.
    """
    count = len(contacts(a, Transform(), b, Transform()))
    near = least_gap(a, X, b, Y) < margin
    return iterate(
        lambda _: (contacts(a, X, b, Y), 1.0), nothing(count), 1, near, name="contacts"
    ).values


def closed(a: Shape, b: Shape) -> bool:
    """Whether the deepest of the contacts is the distance, without a search."""
    kinds = {(type(a), type(b)), (type(b), type(a))}
    return bool(kinds & PAIRS.keys() - {(Box, Box)})  # boxes that are apart have more than corners
