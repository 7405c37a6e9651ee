"""Two convex shapes of any kind, by their support functions."""

from __future__ import annotations

from .._figure.shapes import Ellipsoid, Shape, Sphere
from .._graph.iterate import iterate
from .._spatial.scalar import Scalar, epsilon, sqrt, where
from .._spatial.transform import Transform
from .._spatial.vectors import Vec3
from .contact import Contact, choose, unit, world
from .depth import Overlap, depth
from .extent import radius_of
from .gjk import Support, gjk
from .manifold import manifold
from .support import face, layer, support


def closest(a: Shape, X: Transform, b: Shape, Y: Transform) -> Contact:
    """Where two shapes are nearest, or overlap most."""

    def furthest(d: Vec3) -> tuple[Vec3, Vec3]:
        return world(X, support(a, X.E @ d)), world(Y, support(b, -(Y.E @ d)))

    size = radius_of(a) + radius_of(b)
    return between(furthest, X, Y, size, layer(a), layer(b))


def between(
    furthest: Support, X: Transform, Y: Transform, size: float, thick: Scalar, other: Scalar
) -> Contact:
    """Where two cores are nearest or overlap most, with the layers around them.

    Args:
        furthest: points of the cores that are furthest apart along a direction.
        X: where the first is.
        Y: where the second is.
        size: extent of both [m].
        thick: layer around the first.
        other: layer around the second.
    """
    way = X.r - Y.r
    _, start = unit(way, Vec3(0.0, 0.0, 1.0))
    near = gjk(furthest, start, size * sqrt(epsilon(start.x)) / 16.0)
    guesses = [unit(axis * axis.dot(way) - way, start)[1] for axis in (X.E.z, Y.E.z)]

    def overlap(_: Overlap) -> tuple[Overlap, Scalar]:
        return depth(furthest, near.normal, near.high, size, guesses), 1.0

    none = Overlap(0.0, start, Vec3(), Vec3())
    deep = Overlap(*iterate(overlap, none, 1, near.overlap, name="depth").values)
    n = -choose(near.overlap, deep.normal, near.normal)
    gap = -where(near.overlap, deep.depth, near.high)
    q = choose(near.overlap, deep.p, near.p) - n * gap
    gap = gap - (thick + other)
    return Contact(gap, q + n * (other + 0.5 * gap), n)


def convex_convex(a: Shape, X: Transform, b: Shape, Y: Transform) -> list[Contact]:
    """The nearest point, and four of the faces that meet there if both have any."""
    near = closest(a, X, b, Y)
    if isinstance(a, Sphere | Ellipsoid) or isinstance(b, Sphere | Ellipsoid):
        return [near]
    n = near.normal
    bottom = [world(X, p) for p in face(a, -(X.E @ n))]
    top = [world(Y, p) for p in face(b, Y.E @ n)]
    return [near, *manifold(bottom, top, n)]
