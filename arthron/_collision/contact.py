"""A point of contact, and small words that pairs of shapes are written in."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from operator import or_
from typing import NamedTuple

from .._spatial.scalar import Scalar, maximum, minimum, sqrt, where
from .._spatial.transform import Transform
from .._spatial.vectors import AXES, Vec3

FAR = 1e6
"""The gap of a place in a manifold that nothing is found for [m]."""
TINY = 1e-30
"""Squares of lengths below this are of no direction [m^2]."""


class Contact(NamedTuple):
    """A place where two shapes touch, or would next.

    Attributes:
        gap: signed distance [m]; less than zero where they overlap.
        point: half way between the two surfaces, in the world.
        normal: unit vector from the second shape to the first, in the world.
    """

    gap: Scalar
    point: Vec3
    normal: Vec3

    def flipped(self) -> Contact:
        """The same, of the second shape and the first."""
        return Contact(self.gap, self.point, -self.normal)

    def ends(self) -> tuple[Vec3, Vec3]:
        """The points on the first and on the second surface."""
        half = self.normal * (0.5 * self.gap)
        return self.point + half, self.point - half


def choose(condition: Scalar, a: Vec3, b: Vec3) -> Vec3:
    """`where` of each component."""
    return Vec3(*(where(condition, x, y) for x, y in zip(a, b, strict=True)))


def either(conditions: Iterable[Scalar]) -> Scalar:
    """Whether any of them holds."""
    return reduce(or_, conditions)


def clamp(x: Scalar, low: Scalar, high: Scalar) -> Scalar:
    """The nearest number to x from low to high."""
    return minimum(maximum(x, low), high)


def unit(v: Vec3, other: Vec3) -> tuple[Scalar, Vec3]:
    """Length and direction of a vector; `other` is the direction of one that has none."""
    square = v.dot(v)
    none = square < TINY
    length = sqrt(where(none, 1.0, square))
    return where(none, 0.0, length), choose(none, other, v * (1.0 / length))


def across(n: Vec3) -> tuple[Vec3, Vec3]:
    """Two unit vectors that make a right-handed frame with a third one, n (D17)."""
    side = where(n.z < 0.0, -1.0, 1.0)
    a = -1.0 / (side + n.z)
    b = n.x * n.y * a
    return (
        Vec3(1.0 + side * n.x * n.x * a, side * b, -side * n.x),
        Vec3(b, side + n.y * n.y * a, -n.y),
    )


def sign(x: Scalar) -> Scalar:
    """1 or -1, also of zero."""
    return where(x < 0.0, -1.0, 1.0)


def largest(x: Scalar, y: Scalar, z: Scalar) -> Vec3:
    """1 for the largest of three and 0 for the others, whatever ties there are."""
    third = where(z > maximum(x, y), 1.0, 0.0)
    second = where(y > x, 1.0 - third, 0.0)
    return Vec3(1.0 - second - third, second, third)


def world(X: Transform, p: Vec3) -> Vec3:
    """A point of a frame, in the world."""
    return X.r + turned(X, p)


def turned(X: Transform, v: Vec3) -> Vec3:
    """A direction of a frame, in the world."""
    return X.E.x * v.x + X.E.y * v.y + X.E.z * v.z


def balls(p: Vec3, radius: float, q: Vec3, other: float, along: Vec3 = AXES["z"]) -> Contact:
    """Of a ball about p with one about q; with one centre, `along` says where they come apart."""
    return apart(*unit(p - q, along), q, radius, other)


def apart(gap: Scalar, normal: Vec3, q: Vec3, radius: float, other: float = 0.0) -> Contact:
    """Of a core that is `gap` beyond the point q of another, and the layers around both."""
    gap = gap - (radius + other)
    return Contact(gap, q + normal * (other + 0.5 * gap), normal)


def deepest(contacts: list[Contact]) -> Contact:
    """The one with the smallest gap."""
    best = contacts[0]
    for each in contacts[1:]:
        nearer = each.gap < best.gap
        best = Contact(
            minimum(each.gap, best.gap),
            choose(nearer, each.point, best.point),
            choose(nearer, each.normal, best.normal),
        )
    return best


def nothing(count: int = 1) -> list[Contact]:
    """As many places without a contact."""
    return [Contact(FAR, Vec3(), AXES["z"])] * count


Pair = Callable[..., list[Contact]]
"""Contacts of (shape, X, shape, X)."""
