"""The nearest points of two convex shapes, by their support functions (GJK88)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from .._graph.iterate import iterate
from .._spatial.scalar import Scalar, maximum, minimum, sqrt, where
from .._spatial.vectors import Vec3
from .contact import TINY, choose

PASSES = 128
FLAT = 1e-14
"""Beside the product of its edges, the squared area of a triangle that has none; of volumes too."""

SHARP = 1e-7
"""How much nearer shapes may be, beside their distance: half the square of the normal's error."""

Support = Callable[[Vec3], tuple[Vec3, Vec3]]
"""Of a direction: points of the first shape furthest along it, of the second furthest against."""


class Vertex(NamedTuple):
    """A point w = p - q of the difference of two shapes, with its points p of the first."""

    w: Vec3
    p: Vec3


class Nearest(NamedTuple):
    """What the search ends with.

    Attributes:
        v: from the second shape to the first where they are nearest; zero where they overlap.
        p: the nearest point of the first.
        overlap: whether no direction was found that separates them.
        normal: of directions that were looked along, the one in which least brings them apart.
        high: how much that is, no less than the depth.
    """

    v: Vec3
    p: Vec3
    overlap: Scalar
    normal: Vec3
    high: Scalar


def gjk(support: Support, start: Vec3, tolerance: Scalar, when: Scalar = 1.0) -> Nearest:
    """The point of the difference of two shapes that is nearest to the origin.

    Three vertices with weights are carried; those without weight count for nothing. Each pass adds
    the vertex furthest towards the origin, and keeps the corners of the part of the tetrahedron
    that is nearest, as long as that is nearer than what was.

    Args:
        support: points of the shapes that are furthest apart along a direction.
        start: a direction to begin with, say from the second shape to the first.
        tolerance: how much nearer the shapes may be than what is found [m].
        when: whether to do it at all.
    """
    p, q = support(-start)
    first = Vertex(p - q, p)

    def add(state: tuple) -> tuple[tuple, Scalar]:
        corners, weights, v, p, overlap, normal, high = state
        a, b = support(-v)
        new = Vertex(a - b, a)
        square = v.dot(v)
        length = sqrt(square)
        along = v.dot(new.w)
        ahead = square - along  # |v| times how much nearer the shapes may be
        reach = where(length > TINY, -along / maximum(length, TINY), high)
        less = reach < high
        near, mu, inside = nearest_part(new.w, [c.w for c in corners], weights)
        touching = near.dot(near) <= 1e6 * tolerance * tolerance  # no direction to trust
        overlaps = where((inside > 0.5) | touching, 1.0, 0.0)
        settled = (ahead <= minimum(tolerance * length, SHARP * square)) | (
            near.dot(near) >= square
        )
        stay = settled & (overlaps < 0.5)
        left = 1.0 - mu[0] - mu[1] - mu[2]
        on_a, placed, kept, shares = new.p * left, 0.0, [], []
        for corner, m in zip(corners, mu, strict=True):
            on_a = on_a + corner.p * m
            free = (m <= 0.0) & (placed < 0.5)  # the new one goes to the first place without weight
            placed = where(free, 1.0, placed)
            kept.append(Vertex(*(choose(free, n, o) for n, o in zip(new, corner, strict=True))))
            shares.append(where(free, left, m))
        state = (
            kept,
            shares,
            choose(stay, v, near),
            choose(stay, p, on_a),
            where(stay, overlap, overlaps),
            choose(less, v * (-1.0 / maximum(length, TINY)), normal),
            minimum(reach, high),
        )
        return state, settled | (overlaps > 0.5)

    begin = [first] * 3, [1.0, 0.0, 0.0], first.w, first.p, 0.0, -start, -start.dot(first.w)
    return Nearest(*iterate(add, begin, PASSES, when, name="gjk").values[2:])


def nearest_part(
    w: Vec3, corners: list[Vec3], weights: list[Scalar]
) -> tuple[Vec3, tuple[Scalar, ...], Scalar]:
    """The point nearest to the origin of a tetrahedron that has it on a part with its corner w.

    It is w + sum of m_i y_i with y from w to the other corners, those without weight left out, and
    the least over all parts with w. Returned are the point, m, and whether it is the origin itself.
    """
    y = [choose(m > 0.0, c, w) - w for c, m in zip(corners, weights, strict=True)]
    G = [[y[i].dot(y[j]) for j in range(i + 1)] for i in range(3)]
    r = [-w.dot(each) for each in y]
    best, mu = 0.0, (0.0, 0.0, 0.0)  # how much shorter the square is than that of w
    for i in range(3):
        none = G[i][i] <= 0.0
        m = where(none, 0.0, minimum(maximum(r[i] / where(none, 1.0, G[i][i]), 0.0), 1.0))
        gain = m * (2.0 * r[i] - m * G[i][i])
        better, best = gain > best, maximum(gain, best)
        mu = tuple(where(better, m if k == i else 0.0, mu[k]) for k in range(3))
    for i, j in ((0, 1), (0, 2), (1, 2)):
        det = G[i][i] * G[j][j] - G[j][i] * G[j][i]
        flat = det <= FLAT * G[i][i] * G[j][j]
        k = 1.0 / where(flat, 1.0, det)
        a = (r[i] * G[j][j] - r[j] * G[j][i]) * k
        b = (r[j] * G[i][i] - r[i] * G[j][i]) * k
        gain = where(flat, 0.0, a * r[i] + b * r[j])
        better = (gain > best) & (a > 0.0) & (b > 0.0) & (a + b < 1.0)
        best = where(better, gain, best)
        share = {i: a, j: b}
        mu = tuple(where(better, share.get(k, 0.0), mu[k]) for k in range(3))
    volume = y[0].dot(y[1].cross(y[2]))
    flat = volume * volume <= FLAT * G[0][0] * G[1][1] * G[2][2]
    k = -1.0 / where(flat, 1.0, volume)
    a, b, c = (w.dot(y[(i + 1) % 3].cross(y[(i + 2) % 3])) * k for i in range(3))
    inside = (a > 0.0) & (b > 0.0) & (c > 0.0) & (a + b + c < 1.0)
    inside = where(flat, 0.0, where(inside, 1.0, 0.0))
    mu = tuple(where(inside, new, old) for new, old in zip((a, b, c), mu, strict=True))
    return w + y[0] * mu[0] + y[1] * mu[1] + y[2] * mu[2], mu, inside
