"""How deep two convex shapes overlap, and where.

Steps downhill from the best direction that is known come first. Where a pyramid of points of the
difference shows that nothing else is less, as in all shallow overlaps, that is all; elsewhere a
polytope is grown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .._graph.iterate import iterate
from .._spatial.scalar import Scalar, epsilon, maximum, minimum, sqrt, where
from .._spatial.vectors import Vec3
from .contact import TINY, across, choose, clamp, unit
from .epa import FACES, Polytope, count, epa, outermost
from .gjk import Support, gjk
from .manifold import ASKEW

STEPS = 12
FIRST = 3
"""The most steps downhill, and of those before all else."""
LONGEST = 64.0
"""How many times longer a step may be made."""
LEFT = 1000.0
"""What may be left to fall where a step falls no further, beside what that means."""
STARTS = 16
"""The most faces of a polytope that steps downhill start from."""
ALIKE = 0.998
"""The cosine of the angle between normals of faces that need not both be started from."""
OUTSIDE = 0.02
"""How far outside the point is from which the nearest one is looked for; beside the size."""
TILT = 0.5
"""How far directions to the corners of a pyramid are tilted, at most [rad]."""


class Overlap(NamedTuple):
    """How two shapes overlap.

    Attributes:
        depth: the least way that brings them apart [m].
        normal: unit vector along which the second has to go.
        p: the point of the first that is deepest in the second.
        foot: the point of the difference of both that is nearest to the origin.
    """

    depth: Scalar
    normal: Vec3
    p: Vec3
    foot: Vec3


def depth(
    support: Support, start: Vec3, high: Scalar, size: float, guesses: Sequence[Vec3]
) -> Overlap:
    """The least that brings two shapes apart.

    Args:
        support: points of the shapes that are furthest apart along a direction.
        start: a direction to begin with.
        high: what brings them apart in that one [m].
        size: extent of the shapes [m], for tolerances.
        guesses: further directions; where round shapes are nearly coaxial, so many are alike that
            faces run out.
    """
    tolerance = size * sqrt(epsilon(start.x)) * 8.0
    first = _downhill(support, Overlap(high, start, Vec3(), Vec3()), size, FIRST)
    sure = _enclosed(support, first, tolerance)

    def search(found: Overlap) -> tuple[Overlap, Scalar]:
        body, faces, n, low = epa(support, found.normal, found.depth, tolerance)
        best, normal = found.depth, found.normal
        tried = [n, *guesses]
        for m, w in zip(tried, outermost(support, tried), strict=True):
            h = m.dot(w)
            best, normal = minimum(h, best), choose(h < best, m, normal)
        better = best < found.depth
        return _from_faces(support, body, faces, found, better, normal, low, size, tolerance), 1.0

    return Overlap(*iterate(search, first, 1, 1.0 - sure, name="deep overlap").values)


def _along(support: Support, n: Vec3) -> Overlap:
    a, b = support(n)
    return Overlap(n.dot(a - b), n, a, a - b)


def _less(one: Overlap, other: Overlap) -> Overlap:
    """The one with the smaller depth."""
    less = other.depth < one.depth
    vectors = (choose(less, x, y) for x, y in zip(other[1:], one[1:], strict=True))
    return Overlap(minimum(one.depth, other.depth), *vectors)


def _downhill(support: Support, found: Overlap, size: float, most: int = STEPS) -> Overlap:
    """The direction turned downhill: from the point of the surface nearest to one outside to that.

    Where the surface has creases, along which the depth has no gradient, this lands on them. So it
    knows the points that belong together, too. Where the surface is nearly a ball about the origin,
    or a crease a circle, each step is a small part of the way: they are made longer as BB88 has it.
    """
    fine = size * maximum(sqrt(epsilon(found.depth)) / 1024.0, 16.0 * epsilon(found.depth))

    def project(state: tuple) -> tuple[tuple, Scalar]:
        (best, n, p, foot), here, by, before = state
        a, b = support(here)
        outside = here * (here.dot(a - b) + OUTSIDE * size)
        near = gjk(lambda d: _shifted(support, d, outside), -here, fine)
        _, m = unit(-near.v, here)
        a, b = support(m)
        h = m.dot(a - b)
        better, close = h < best, h < best + 1e-6 * size
        found = Overlap(
            where(better, h, best),
            choose(better, m, n),
            choose(close, near.p, p),
            choose(close, near.v + outside, foot),
        )
        turn = m - here
        bend = by.dot(before - turn)
        bent = bend > TINY
        longer = where(bent, clamp(by.dot(by) / where(bent, bend, 1.0), 1.0, LONGEST), 1.0)
        _, ahead = unit(here + turn * longer, m)
        left = best * longer * turn.dot(turn)  # what a quadratic function has left to fall
        done = (best - h < fine) & (left < LEFT * fine)
        return (found, ahead, ahead - here, turn), done

    begin = found, found.normal, Vec3(), Vec3()
    return Overlap(*iterate(project, begin, most, name="downhill").values[0])


def _shifted(support: Support, d: Vec3, by: Vec3) -> tuple[Vec3, Vec3]:
    p, q = support(d)
    return p, q + by


def _enclosed(support: Support, found: Overlap, tolerance: Scalar) -> Scalar:
    """Whether points of the difference enclose a ball of the depth that was found.

    They are its foot, four corners in directions a little off the normal, and one opposite. On a
    round surface, faces between foot and corners cut as much off the ball as the tilt allows; on a
    flat one they are the face itself.
    """
    best, n, _, foot = found
    radius = best - tolerance
    tilt = minimum(sqrt(tolerance / maximum(best, tolerance)), TILT)
    t, u = across(n)
    c, s = ASKEW
    t, u = (t * c + u * s) * tilt, (u * c - t * s) * tilt
    *corners, opposite = outermost(support, [n + t, n + u, n - t, n - u, -n])
    holds, volume = 1.0, 0.0
    for a, b in zip(corners, corners[1:] + corners[:1], strict=True):
        for x, y, z in ((a, b, foot), (b, a, opposite)):
            m = (y - x).cross(z - x)
            along = m.dot(x)
            holds = where(along >= radius * sqrt(m.dot(m)), holds, 0.0)
            volume = volume + along
    return where(radius <= 0.0, 1.0, where(volume > 0.0, holds, 0.0))


def _from_faces(
    support: Support, body: Polytope, faces: Scalar, found: Overlap, better: Scalar, guess: Vec3,
    low: Scalar, size: float, tolerance: Scalar,
) -> Overlap:  # fmt: skip
    """The least of steps downhill from several starts.

    They are a guess, if it is better than what was found before, and faces where these ran out
    before it was certain.
    """

    def another(state: tuple) -> tuple[tuple, Scalar]:
        k, taken, found = state
        from_guess = k < 0.0

        def nearest(f: Scalar, best: tuple) -> tuple:
            n, d = body.normal(f), body.planes[3][f]
            new = d < best[1]
            for m in taken:
                new = new & (n.dot(m) < ALIKE)
            return choose(new, n, best[0]), where(new, d, best[1])

        looked_at = where(from_guess, 0.0, faces)
        n, _ = count(nearest, (Vec3(), found.depth - tolerance), looked_at, FACES)
        none = n.dot(n) < 0.5
        n = choose(from_guess, guess, n)
        start = _along(support, choose(none & (k >= 0.0), found.normal, n))
        found = _less(found, _downhill(support, start, size))
        taken = [choose(k == i, n, m) for i, m in enumerate(taken)]
        done = where(from_guess, where(low < found.depth - tolerance, 0.0, 1.0), none)
        return (k + 1.0, taken, found), done

    begin = where(better, -1.0, 0.0), [Vec3()] * STARTS, found
    unsure = low < found.depth - tolerance
    return Overlap(*iterate(another, begin, STARTS + 1, better | unsure, name="starts").values[2])
