"""How deep two convex shapes overlap, and where, by a polytope that grows (VB01)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from .._graph.iterate import iterate
from .._spatial.array import Array, array
from .._spatial.scalar import Scalar, epsilon, maximum, minimum, sqrt, where
from .._spatial.vectors import Vec3
from .contact import TINY, across, choose, either, unit
from .gjk import Support, gjk

VERTICES = 128
FACES = 2 * VERTICES - 4
SEEN = 48
"""The most vertices and faces of the polytope, and faces that one vertex may replace."""
TURNS = 16
PROJECTIONS = 8
"""The most steps downhill, and of those the other way, at the end."""
NOWHERE = 1e30


class Overlap(NamedTuple):
    """How two shapes overlap.

    Attributes:
        depth: the least way that brings them apart [m].
        normal: unit vector along which the first has to go.
        p: the point of the first that is deepest in the second.
    """

    depth: Scalar
    normal: Vec3
    p: Vec3


class Polytope(NamedTuple):
    """Triangles around part of the difference of two shapes, as arrays.

    Attributes:
        points: coordinates of vertices and of their points on the first shape, an array each.
        corners: numbers of the corners of faces, an array each.
        planes: components of the normals of faces, and their distances from the origin.
    """

    points: tuple[Array, ...]
    corners: tuple[Array, ...]
    planes: tuple[Array, ...]

    def vertex(self, k: Scalar) -> Vec3:
        """A vertex."""
        return Vec3(*(x[k] for x in self.points[:3]))

    def on_a(self, k: Scalar) -> Vec3:
        """Its point on the first shape."""
        return Vec3(*(x[k] for x in self.points[3:]))

    def normal(self, f: Scalar) -> Vec3:
        """The normal of a face."""
        return Vec3(*(x[f] for x in self.planes[:3]))

    def with_vertex(self, k: Scalar, w: Vec3, p: Vec3) -> Polytope:
        """One vertex more."""
        points = tuple(x.set(k, y) for x, y in zip(self.points, (*w, *p), strict=True))
        return self._replace(points=points)

    def with_face(self, f: Scalar, *corners: Scalar) -> Polytope:
        """One face more, or another one; one without area is nowhere."""
        a, b, c = (self.vertex(k) for k in corners)
        n = (b - a).cross(c - a)
        square = n.dot(n)
        none = square < TINY * TINY
        n = choose(none, Vec3(), n * (1.0 / sqrt(where(none, 1.0, square))))
        plane = (*n, where(none, NOWHERE, n.dot(a)))
        return self._replace(
            corners=tuple(x.set(f, k) for x, k in zip(self.corners, corners, strict=True)),
            planes=tuple(x.set(f, y) for x, y in zip(self.planes, plane, strict=True)),
        )


def count(body: Any, state: Any, n: Scalar, most: int) -> Any:
    """`body(k, state)` for k from 0 to n - 1."""

    def each(carried: tuple) -> tuple[tuple, Scalar]:
        k, state = carried
        return (k + 1.0, body(k, state)), k + 1.0 >= n

    return iterate(each, (0.0, state), most, n > 0.0).values[1]


def epa(
    support: Support, start: Vec3, size: float, when: Scalar, guesses: Sequence[Vec3] = ()
) -> Overlap:
    """The point of the surface of the difference of two shapes that is nearest to the origin.

    Each pass takes the face that is nearest, and puts the vertex furthest beyond it in the place of
    all faces that see it. Faces behind the origin are at negative distances, so that it may start
    with any tetrahedron.

    Args:
        support: points of the shapes that are furthest apart along a direction.
        start: a direction to begin with.
        size: largest extent of the shapes [m], for tolerances.
        when: whether to do it at all.
        guesses: further directions; where round shapes are nearly coaxial, so many are alike that
            faces run out.
    """
    tetrahedron = _tetrahedron(support, start)
    tolerance = size * sqrt(epsilon(start.x)) * 8.0

    def grow(state: tuple) -> tuple[tuple, Scalar]:
        body, vertices, faces, n, p, best = state

        def nearest(f: Scalar, found: tuple) -> tuple:
            nearer = body.planes[3][f] < found[1]
            return where(nearer, f, found[0]), where(nearer, body.planes[3][f], found[1])

        f, low = count(nearest, (0.0, NOWHERE), faces, FACES)
        m = body.normal(f)
        a, b = support(m)
        w = a - b
        high = m.dot(w)  # no less than the depth
        tighter = high < best
        n, best = choose(tighter, m, n), where(tighter, high, best)
        p = choose(tighter, _foot(body, f, low), p)

        def look(f: Scalar, found: tuple) -> tuple:
            seen, many = found
            sees = body.normal(f).dot(w) > body.planes[3][f] + 1e-4 * tolerance
            return seen.set(many, where(sees, f, seen[many])), where(sees, many + 1.0, many)

        seen, many = count(look, (array([0.0] * (SEEN + 1)), 0.0), faces, FACES)
        body = body.with_vertex(vertices, w, a)
        body, edges = _replace(body, vertices, faces, seen, many)
        full = (vertices >= VERTICES - 1.0) | (many >= SEEN - 2.0) | (edges != many + 2.0)
        done = (high - low <= tolerance) | full
        state = body, vertices + 1.0, faces + (edges - many), n, p, best
        return state, done

    begin = tetrahedron, 4.0, 4.0, start, Vec3(), NOWHERE
    _, _, _, n, p, best = iterate(grow, begin, VERTICES, when, name="epa").values
    for guess in guesses:
        a, b = support(guess)
        h = guess.dot(a - b)
        n, best = choose(h < best, guess, n), minimum(h, best)
    n, best = _turned(support, n, best, tolerance, when)
    return _projected(support, n, p, best, size, when)


def _projected(
    support: Support, n: Vec3, p: Vec3, best: Scalar, size: float, when: Scalar
) -> Overlap:
    """The direction to the surface from the point of it that is nearest to one a little outside.

    Where the surface has creases, along which the depth has no gradient, this lands on them. So it
    knows the points that belong together, too.
    """

    def project(state: tuple) -> tuple[tuple, Scalar]:
        n, p, best = state
        outside = n * (best + 0.02 * size)
        near = gjk(lambda d: _shifted(support, d, outside), n, 16.0 * size * epsilon(best))
        _, m = unit(-near.v, n)
        a, b = support(m)
        h = m.dot(a - b)
        better, close = h < best, h < best + 1e-6 * size
        gained = best - h
        state = choose(better, m, n), choose(close, near.p, p), where(better, h, best)
        return state, gained < 16.0 * size * epsilon(best)

    n, p, best = iterate(project, (n, p, best), PROJECTIONS, when, name="epa projections").values
    return Overlap(best, -n, p)


def _shifted(support: Support, d: Vec3, by: Vec3) -> tuple[Vec3, Vec3]:
    p, q = support(d)
    return p, q + by


def _turned(
    support: Support, n: Vec3, best: Scalar, tolerance: Scalar, when: Scalar
) -> tuple[Vec3, Scalar]:
    """The direction turned downhill, where the surface is round and more faces bring little.

    Steps along the gradient of the depth h(n), which is the part of the vertex w across n, have the
    lengths of BB88; where the surface is flat nothing gets better, and nothing changes.
    """

    def turn(state: tuple) -> tuple[tuple, Scalar]:
        n, best, m, slope, step = state
        _, new = unit(m - slope * step, m)
        a, b = support(new)
        h = new.dot(a - b)
        change, by = a - b - new * h - slope, new - m
        bend = by.dot(change)
        step = where(bend > TINY, by.dot(by) / where(bend > TINY, bend, 1.0), step)
        better = h < best
        slope = slope + change
        state = choose(better, new, n), where(better, h, best), new, slope, step
        return state, slope.dot(slope) <= 1e-4 * tolerance * tolerance

    a, b = support(n)
    w = a - b
    slope = w - n * n.dot(w)
    begin = n, best, n, slope, 0.1 / maximum(best, tolerance)
    worth = (when > 0.5) & (best > 0.0) & (slope.dot(slope) > 1e-4 * tolerance * tolerance)
    return iterate(turn, begin, TURNS, worth, name="epa turns").values[:2]


def _foot(body: Polytope, f: Scalar, d: Scalar) -> Vec3:
    """The point on the first shape that belongs to the point of a face nearest to the origin."""
    numbers = [x[f] for x in body.corners]
    a, b, c = (body.vertex(k) for k in numbers)
    x = body.normal(f) * d
    u, v, w = (x - each for each in (a, b, c))
    n = (b - a).cross(c - a)
    area = n.dot(n)
    k = 1.0 / where(area < TINY * TINY, 1.0, area)
    weights = [maximum(n.dot(s.cross(t)) * k, 0.0) for s, t in ((v, w), (w, u), (u, v))]
    total = weights[0] + weights[1] + weights[2]
    total = where(total < 1e-12, 1.0, total)
    on_a = Vec3()
    for k, m in zip(numbers, weights, strict=True):
        on_a = on_a + body.on_a(k) * (m / total)
    return on_a


def _replace(
    body: Polytope, vertex: Scalar, faces: Scalar, seen: Array, many: Scalar
) -> tuple[Polytope, Scalar]:
    """A vertex in the place of faces that see it; the polytope, and how many faces it has got.

    Edges around the faces are those that no other of them has, the other way round.
    """

    def around(i: Scalar, found: tuple) -> tuple:
        ends, starts, edges = found
        mine = [x[seen[i]] for x in body.corners]
        sides = list(zip(mine, mine[1:] + mine[:1], strict=True))

        def shared(j: Scalar, twice: list) -> list:
            other = [x[seen[j]] for x in body.corners]
            back = list(zip(other[1:] + other[:1], other, strict=True))
            return [
                maximum(t, where(either((a == c) & (b == d) for c, d in back), 1.0, 0.0))
                for t, (a, b) in zip(twice, sides, strict=True)
            ]

        twice = count(shared, [0.0] * 3, many, SEEN)
        for (a, b), t in zip(sides, twice, strict=True):
            starts, ends = starts.set(edges, a), ends.set(edges, b)
            edges = edges + (1.0 - t)
        return ends, starts, edges

    blank = array([0.0] * (SEEN + 3))
    ends, starts, edges = count(around, (blank, blank, 0.0), many, SEEN)

    def put(k: Scalar, body: Polytope) -> Polytope:
        at = where(k < many, seen[k], faces + (k - many))
        return body.with_face(at, starts[k], ends[k], vertex)

    return count(put, body, edges, SEEN + 3), edges


def _tetrahedron(support: Support, start: Vec3) -> Polytope:
    """Four points of the difference that enclose some of it, with faces that look outwards."""

    def furthest(d: Vec3) -> tuple[Vec3, Vec3]:
        p, q = support(d)
        return p - q, p

    a, b = furthest(start), furthest(-start)
    _, e = unit(b[0] - a[0], start)
    t, _ = across(e)
    c, other = furthest(t), furthest(-t)
    lower = abs(t.dot(other[0] - a[0])) > abs(t.dot(c[0] - a[0]))
    c = tuple(choose(lower, x, y) for x, y in zip(other, c, strict=True))
    _, m = unit((b[0] - a[0]).cross(c[0] - a[0]), t)
    d, other = furthest(m), furthest(-m)
    lower = abs(m.dot(other[0] - a[0])) > abs(m.dot(d[0] - a[0]))
    d = tuple(choose(lower, x, y) for x, y in zip(other, d, strict=True))
    b, c = (
        tuple(choose(lower, y, x) for x, y in zip(u, v, strict=True)) for u, v in ((b, c), (c, b))
    )
    blank, empty = array([0.0] * VERTICES), array([0.0] * FACES)
    body = Polytope((blank,) * 6, (empty,) * 3, (empty,) * 4)
    for k, (w, p) in enumerate((a, b, c, d)):
        body = body.with_vertex(k, w, p)
    for f, corners in enumerate(((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3))):
        body = body.with_face(f, *(float(k) for k in corners))
    return body
