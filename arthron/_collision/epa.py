"""The surface of the difference of two shapes near the origin, by a polytope that grows (VB01)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from .._graph.iterate import iterate
from .._spatial.array import Array, array
from .._spatial.scalar import Scalar, maximum, minimum, sqrt, where
from .._spatial.vectors import Vec3
from .contact import TINY, across, choose, either, unit
from .gjk import Support

VERTICES = 64
FACES = 2 * VERTICES - 4
SEEN = 48
"""The most vertices and faces of the polytope, and faces that one vertex may replace."""
NOWHERE = 1e30


class Polytope(NamedTuple):
    """Triangles around part of the difference of two shapes, as arrays.

    Attributes:
        points: coordinates of vertices, an array each.
        corners: numbers of the corners of faces, an array each.
        planes: components of the normals of faces, and their distances from the origin.
    """

    points: tuple[Array, ...]
    corners: tuple[Array, ...]
    planes: tuple[Array, ...]

    def vertex(self, k: Scalar) -> Vec3:
        """A vertex."""
        return Vec3(*(x[k] for x in self.points))

    def normal(self, f: Scalar) -> Vec3:
        """The normal of a face."""
        return Vec3(*(x[f] for x in self.planes[:3]))

    def with_vertex(self, k: Scalar, w: Vec3) -> Polytope:
        """One vertex more."""
        points = tuple(x.set(k, y) for x, y in zip(self.points, w, strict=True))
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


def outermost(support: Support, ways: Sequence[Vec3]) -> list[Vec3]:
    """The points of the difference that are furthest along each of some directions."""
    along = [array([way[k] for way in ways]) for k in range(3)]

    def look(i: Scalar, found: list[Array]) -> list[Array]:
        p, q = support(Vec3(*(x[i] for x in along)))
        return [x.set(i, w) for x, w in zip(found, p - q, strict=True)]

    blank = [array([0.0] * len(ways))] * 3
    found = count(look, blank, float(len(ways)), len(ways))
    return [Vec3(*(x[k] for x in found)) for k in range(len(ways))]


def epa(
    support: Support, start: Vec3, high: Scalar, tolerance: Scalar
) -> tuple[Polytope, Scalar, Vec3, Scalar]:
    """A polytope in the difference of two shapes, with the part of its surface nearest the origin.

    Each pass takes the face that is nearest, and puts the vertex furthest beyond it in the place of
    all faces that see it. Faces behind the origin are at negative distances, so that it may start
    with any tetrahedron.

    Args:
        support: points of the shapes that are furthest apart along a direction.
        start: a direction to begin with.
        high: what is known to be no less than the distance of the surface from the origin [m].
        tolerance: how much less it may be [m].

    Returns:
        The polytope, how many faces it has, the direction along which the shapes end nearest, and
        the distance of the face that was nearest when that was enough or faces ran out.
    """

    def grow(state: tuple) -> tuple[tuple, Scalar]:
        body, vertices, faces, n, best, _ = state

        def nearest(f: Scalar, found: tuple) -> tuple:
            nearer = body.planes[3][f] < found[1]
            return where(nearer, f, found[0]), where(nearer, body.planes[3][f], found[1])

        f, low = count(nearest, (0.0, NOWHERE), faces, FACES)
        m = body.normal(f)
        a, b = support(m)
        w = a - b
        beyond = m.dot(w)  # no less than the depth
        n, best = choose(beyond < best, m, n), minimum(beyond, best)

        def look(f: Scalar, found: tuple) -> tuple:
            seen, many = found
            sees = body.normal(f).dot(w) > body.planes[3][f] + 1e-4 * tolerance
            return seen.set(many, where(sees, f, seen[many])), where(sees, many + 1.0, many)

        seen, many = count(look, (array([0.0] * (SEEN + 1)), 0.0), faces, FACES)
        body = body.with_vertex(vertices, w)
        body, edges = _replace(body, vertices, faces, seen, many)
        full = (vertices >= VERTICES - 1.0) | (many >= SEEN - 2.0) | (edges != many + 2.0)
        done = (best - low <= tolerance) | full
        state = body, vertices + 1.0, faces + (edges - many), n, best, low
        return state, done

    begin = _tetrahedron(support, start), 4.0, 4.0, start, high, -NOWHERE
    body, _, faces, n, _, low = iterate(grow, begin, VERTICES, name="epa").values
    return body, faces, n, low


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
    a, b = outermost(support, [start, -start])
    _, e = unit(b - a, start)
    t, _ = across(e)
    c, other = outermost(support, [t, -t])
    c = choose(abs(t.dot(other - a)) > abs(t.dot(c - a)), other, c)
    _, m = unit((b - a).cross(c - a), t)
    d, other = outermost(support, [m, -m])
    lower = abs(m.dot(other - a)) > abs(m.dot(d - a))
    d = choose(lower, other, d)
    b, c = choose(lower, c, b), choose(lower, b, c)
    blank, empty = array([0.0] * VERTICES), array([0.0] * FACES)
    body = Polytope((blank,) * 3, (empty,) * 3, (empty,) * 4)
    for k, w in enumerate((a, b, c, d)):
        body = body.with_vertex(k, w)
    for f, corners in enumerate(((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3))):
        body = body.with_face(f, *(float(k) for k in corners))
    return body
