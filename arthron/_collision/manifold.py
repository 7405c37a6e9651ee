"""Two faces that meet, cut to where both are and reduced to four points."""

from __future__ import annotations

from typing import NamedTuple

from .._spatial.scalar import Scalar, maximum, minimum, where
from .._spatial.vectors import Vec3
from .contact import FAR, Contact, across, choose, either

STEEP = 1000.0
"""Beside a metre further out, how many metres of depth count when four points are chosen."""
ASKEW = (0.9, 0.4)
"""One of the four directions: along no side or diagonal of a square, so that none is met twice."""
THIN = 1e-12
"""A face that covers less is a line or a point [m^2]."""


class Flat(NamedTuple):
    """A face seen along a normal.

    Attributes:
        corners: four points, (x, y) across the normal and z along it, counter-clockwise.
        wide: whether they enclose anything.
        slope: how z changes with x and y over the face.
    """

    corners: list[Vec3]
    wide: Scalar
    slope: tuple[Scalar, Scalar]

    def height(self, x: Scalar, y: Scalar) -> Scalar:
        """z of the face above a place."""
        o = self.corners[0]
        return o.z + self.slope[0] * (x - o.x) + self.slope[1] * (y - o.y)


def manifold(face_a: list[Vec3], face_b: list[Vec3], normal: Vec3) -> list[Contact]:
    """Four contacts, or places without one, of faces of a above faces of b.

    Corners of the region that both cover are where an edge of either comes in over the other:
    eight at most. Of these the ones furthest out in four directions are kept, where depth counts
    much more than place.
    """
    o = face_b[0]
    t, u = across(normal)
    A = _flat([p - o for p in face_a], t, u, normal)
    B = _flat([p - o for p in face_b], t, u, normal)
    places = []
    for x, y, z, over in _entries(A, B):
        places.append((x, y, B.height(x, y), where(over, z - B.height(x, y), FAR)))
    for x, y, z, over in _entries(B, A):
        places.append((x, y, z, where(over, A.height(x, y) - z, FAR)))
    c, s = ASKEW
    scores = [(c * x + s * y, c * y - s * x, STEEP * gap) for x, y, _, gap in places]
    kept: list[tuple[Scalar, ...]] = []
    for way in (0, 1):
        for side in (1.0, -1.0):
            best, most = places[0], side * scores[0][way] - scores[0][2]
            for place, each in zip(places[1:], scores[1:], strict=True):
                score = side * each[way] - each[2]
                better, most = score > most, maximum(score, most)
                best = tuple(where(better, n, o) for n, o in zip(place, best, strict=True))
            kept.append(best)
    for i, (x, y, z, gap) in enumerate(kept[1:], 1):
        again = either((x == other[0]) & (y == other[1]) for other in kept[:i])
        kept[i] = x, y, z, where(again, FAR, gap)
    return [
        Contact(gap, o + t * x + u * y + normal * (z + 0.5 * gap), normal) for x, y, z, gap in kept
    ]


def _flat(points: list[Vec3], t: Vec3, u: Vec3, n: Vec3) -> Flat:
    corners = [Vec3(t.dot(p), u.dot(p), n.dot(p)) for p in points]
    c = (corners[2] - corners[0]).cross(corners[3] - corners[1])
    wide = c.z * c.z > THIN * THIN
    k = -1.0 / where(wide, c.z, 1.0)
    left, right = (choose(c.z < 0.0, corners[3 - i], corners[1 + i]) for i in (0, 2))
    return Flat(
        [corners[0], left, corners[2], right],
        wide,
        (where(wide, c.x * k, 0.0), where(wide, c.y * k, 0.0)),
    )


def _entries(P: Flat, Q: Flat) -> list[tuple[Scalar, ...]]:
    """Where each edge of P comes in over Q or starts there: (x, y, z, whether it ever does)."""
    sides = []
    for p, q in zip(Q.corners, Q.corners[1:] + Q.corners[:1], strict=True):
        a, b = p.y - q.y, q.x - p.x
        c = a * p.x + b * p.y
        sides.append([a * x.x + b * x.y - c for x in P.corners])
    found = []
    for i in range(4):
        j = (i + 1) % 4
        start, end = 0.0, 1.0
        for within in sides:
            x, y = within[i], within[j]
            change = x - y
            s = x / where(change == 0.0, 1e-300, change)
            enters = y > x
            start, end = maximum(start, where(enters, s, 0.0)), minimum(end, where(enters, 1.0, s))
        p, q, s = P.corners[i], P.corners[j], minimum(start, 1.0)
        found.append((*(p + (q - p) * s), Q.wide & (start <= end)))
    return found
