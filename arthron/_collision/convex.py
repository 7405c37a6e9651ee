"""Two convex shapes of any kind, by their support functions."""

from __future__ import annotations

from .._graph.iterate import iterate
from .._spatial.scalar import Scalar, epsilon, sqrt, where
from .._spatial.transform import Transform
from .._spatial.vectors import Vec3
from .contact import Contact, choose, unit
from .depth import Overlap, depth
from .gjk import Support, gjk


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
