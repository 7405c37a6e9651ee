"""Coordinates of a joint from where it has taken its frame.

Angles come from closed forms, those nearest to given ones; what has none is searched for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .._graph.iterate import iterate
from .._spatial.linear_algebra import Ldl, add_diagonal
from .._spatial.motions import Force, Forces, Motion, Subspace
from .._spatial.scalar import Scalar, atan2, epsilon, floor, lookup, maximum, minimum, where
from .._spatial.sums import dot
from .._spatial.transform import Transform, log_se3, rotation
from .._spatial.vectors import Mat3, Vec3

if TYPE_CHECKING:
    from .joints import Coordinates, Joint

LIMIT = 100
"""Steps of a search."""
SHORT = 256.0
"""A step this many roundings long is as good as none."""


def turn(axis: Vec3, R: Mat3) -> Scalar:
    """The angle about an axis whose rotation is nearest to R."""
    w = Vec3(R.z.y - R.y.z, R.x.z - R.z.x, R.y.x - R.x.y)
    return atan2(axis.dot(w), R.x.x + R.y.y + R.z.z - axis.dot(R @ axis))


def turn_between(axis: Vec3, a: Vec3, b: Vec3) -> Scalar:
    """The angle about an axis that takes a to b, or to above it."""
    return atan2(axis.dot(a.cross(b)), a.dot(b) - axis.dot(a) * axis.dot(b))


def nearest_turn(angle: Scalar, near: Scalar) -> Scalar:
    """The same angle, whole turns away, within half a turn of another."""
    return angle + 2.0 * math.pi * floor((near - angle) * (0.5 / math.pi) + 0.5)


def euler_angles(axes: Sequence[Vec3], R: Mat3, near: Coordinates) -> tuple[Scalar, ...]:
    """Turns about three axes, each square to the next, that make R: the nearest of two ways.

    Where the outer axes are in line, the first angle is as it was.
    """
    e1, e2, e3 = axes
    d, n = R @ e3, e1.cross(e2)
    away, up = d.dot(e2), d.dot(n)  # the first turn takes e2 across R e3
    in_line = away * away + up * up <= (SHORT * epsilon(away)) ** 2
    first = where(in_line, near[0], atan2(-away, where(in_line, 1.0, up)))
    ways = []
    for a in (first, first + math.pi):
        rest = rotation(e1, a).T @ R
        angles = (a, turn_between(e2, e3, rest @ e3), turn_between(e3, rest.T @ e2, e2))
        ways.append([nearest_turn(x, y) for x, y in zip(angles, near, strict=True)])
    one, two = (sum((x - y) * (x - y) for x, y in zip(way, near, strict=True)) for way in ways)
    return tuple(where(one <= two, x, y) for x, y in zip(*ways, strict=True))


def search(joint: Joint, X: Transform, near: Coordinates) -> tuple[Scalar, ...]:
    """Coordinates at which a joint comes closest to X, by least squares of the twist between.

    Levenberg's and Marquardt's method, downhill from coordinates that are near.
    """

    def step(values: Any) -> tuple[Any, Scalar]:
        q, damping = values
        e, S = _between(joint, q, X)
        normal = add_diagonal(S.dot(Forces(Force(*m) for m in S)), [damping] * joint.nv)
        dq = Ldl(normal).solve(S.dot(Force(*e)))
        there = joint.integrate(q, dq)
        short = dot(dq, dq) <= (SHORT * epsilon(q[0])) ** 2 * (1.0 + dot(q, q))
        closer = _off(joint, there, X) < _square(e)
        kept = tuple(where(closer, a, b) for a, b in zip(there, q, strict=True))
        more, less = maximum(4.0 * damping, 0.01), where(damping > 1e-6, 0.1 * damping, 0.0)
        return (kept, where(closer, less, more)), short

    found, _ = iterate(step, (tuple(near), 0.0), LIMIT, name="search").values
    return found


def search_among(
    joint: Joint, X: Transform, near: Coordinates, grid: Sequence[Sequence[float]]
) -> tuple[Scalar, ...]:
    """Searched for from coordinates that are near, and from the closest of some others."""
    found, other = search(joint, X, near), search(joint, X, _closest(joint, X, grid))
    here = _off(joint, found, X) <= _off(joint, other, X) + epsilon(X.r.x)
    return tuple(where(here, a, b) for a, b in zip(found, other, strict=True))


def _closest(joint: Joint, X: Transform, grid: Sequence[Sequence[float]]) -> tuple[Scalar, ...]:
    """Where of some coordinates a joint is closest to X."""
    columns = [tuple(column) for column in zip(*grid, strict=True)]

    def look(values: Any) -> tuple[Any, Scalar]:
        k, best, least = values
        q = tuple(lookup(column, k) for column in columns)
        far = _off(joint, q, X)
        kept = tuple(where(far < least, a, b) for a, b in zip(q, best, strict=True))
        return (k + 1.0, kept, minimum(far, least)), 0.0

    start = (0.0, tuple(grid[0]), _off(joint, grid[0], X))
    return iterate(look, start, len(grid), name="closest").values[1]


def _between(joint: Joint, q: Coordinates, X: Transform) -> tuple[Motion, Subspace]:
    """The twist from where a joint is to X, and the motions it allows."""
    XJ, S, _, _ = joint(q, (0.0,) * joint.nv)
    return log_se3(X @ XJ.inverse()), S


def _off(joint: Joint, q: Coordinates, X: Transform) -> Scalar:
    """Square of the twist from where a joint is to X."""
    return _square(_between(joint, q, X)[0])


def _square(e: Motion) -> Scalar:
    return e.ang.dot(e.ang) + e.lin.dot(e.lin)
