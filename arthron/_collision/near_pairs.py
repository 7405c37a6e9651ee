"""Contacts of all pairs of shapes that are near each other, of many that could be.

Balls around shapes are compared for all pairs; those that are near are looked at one after the
other, all of one kind through the same code, with sizes out of tables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import groupby
from typing import Any, NamedTuple

from .._figure.shapes import Mesh, Shape
from .._figure.terrain import HeightField, Plane
from .._graph.iterate import iterate
from .._spatial.array import Array, array
from .._spatial.scalar import Scalar, lookup, minimum
from .._spatial.transform import Transform
from .contact import Contact, Pair, either, world
from .extent import bound
from .many import Poses, Solids, searched_contacts, solids
from .pairs import PAIRS
from .planes import lying_mesh, with_slack

GROUND = (Plane, HeightField)

Found = Callable[[Any, Scalar, list[Contact]], Any]
"""What is made of a state by the contacts of a pair of a number."""


class Kind(NamedTuple):
    """Pairs that one code does for.

    Attributes:
        first: the shape that is first in all of them, or one of its kind.
        second: the other.
        numbers: of the pairs, among all.
        ends: numbers of the two shapes of each pair.
    """

    first: Shape
    second: Shape
    numbers: list[int]
    ends: list[tuple[int, int]]


def kinds(shapes: Sequence[Shape], pairs: Sequence[tuple[int, int]]) -> list[Kind]:
    """Pairs of shapes by kind: those with a closed form, and all others together."""
    found: dict[Any, Kind] = {}
    for number, (i, j) in enumerate(pairs):
        if not _closed(shapes[i], shapes[j]) and _closed(shapes[j], shapes[i]):
            i, j = j, i
        a, b = shapes[i], shapes[j]
        key = (_key(a), _key(b)) if _closed(a, b) else None
        kind = found.setdefault(key, Kind(a, b, [], []))
        kind.numbers.append(number)
        kind.ends.append((i, j))
    return list(found.values())


def _closed(a: Shape, b: Shape) -> bool:
    return (type(a), type(b)) in PAIRS


def _key(shape: Shape) -> Any:
    """What shapes must have in common for one code: their kind, or all there is to them."""
    return shape if isinstance(shape, Mesh | HeightField) else type(shape)


def points_of(kind: Kind) -> int:
    """How many contacts each pair of a kind has."""
    if not _closed(kind.first, kind.second):
        return 5
    here = Transform()
    return len(PAIRS[type(kind.first), type(kind.second)](kind.first, here, kind.second, here))


def each_near(
    shapes: Sequence[Shape], transforms: Sequence[Transform], pairs: Sequence[tuple[int, int]],
    margins: Sequence[Scalar], state: Any, found: Found,
) -> Any:  # fmt: skip
    """What `found` makes of a state, one pair that is near after the other.

    Args:
        shapes: all of them.
        transforms: from the world to each.
        pairs: numbers of two shapes each.
        margins: how far from a shape another one is near; both count.
        state: what to begin with.
        found: what comes of the state and of the contacts of a pair, given by number.
    """
    poses, each = Poses.of(transforms), kinds(shapes, pairs)
    table = _table(shapes, each)
    near, room = _nearness(shapes, transforms, margins), array(margins)
    for kind in each:
        listed, count = _near_ones([near(i, j) for i, j in kind.ends], kind.ends)
        numbers = tuple(map(float, kind.numbers))
        one, two = (tuple(float(ends[k]) for ends in kind.ends) for k in (0, 1))
        meet = _meeting(kind, shapes, table)
        flipped = [pairs[n] != ends for n, ends in zip(kind.numbers, kind.ends, strict=True)]
        signs = tuple(-1.0 if x else 1.0 for x in flipped)

        def next_pair(
            values: tuple, listed=listed, count=count, numbers=numbers, one=one, two=two,
            meet=meet, signs=signs,
        ) -> tuple[tuple, Scalar]:  # fmt: skip
            k, inner = values
            at = listed[k]
            i, j, sign = (lookup(t, at) for t in (one, two, signs))
            contacts = [c._replace(normal=c.normal * sign) for c in meet(i, poses(i), j, poses(j))]
            gap = reduce(minimum, (c.gap for c in contacts))
            inner = iterate(
                lambda inner: (found(inner, lookup(numbers, at), contacts), 1.0), inner, 1,
                gap < room[i] + room[j], name="pair that is near",
            ).values  # fmt: skip
            return (k + 1.0, inner), k + 1.0 >= count

        start = 0.0, state
        state = iterate(
            next_pair, start, len(kind.ends), count > 0.5, name="pairs that are near"
        ).values[1]
    return state


def _nearness(
    shapes: Sequence[Shape], transforms: Sequence[Transform], margins: Sequence[Scalar]
) -> Callable[[int, int], Scalar]:
    """Whether two shapes are near each other, by balls around them."""
    balls = [None if isinstance(s, GROUND) else bound(s) for s in shapes]
    centres = [X.r if b is None else world(X, b.centre)
               for X, b in zip(transforms, balls, strict=True)]  # fmt: skip

    def near(i: int, j: int) -> Scalar:
        a, b = balls[i], balls[j]
        room = margins[i] + margins[j] + (a.radius if a else 0.0) + (b.radius if b else 0.0)
        if a is None or b is None:
            ground, centre = (i, centres[j]) if a is None else (j, centres[i])
            shape = shapes[ground]
            top = max(map(max, shape.heights)) if isinstance(shape, HeightField) else 0.0
            Y = transforms[ground]
            return Y.E.z.dot(centre - Y.r) < room + top
        way = centres[i] - centres[j]
        return way.dot(way) < room * room

    return near


def _near_ones(
    near: Sequence[Scalar], ends: Sequence[tuple[int, int]]
) -> tuple[Array, Scalar]:  # fmt: skip
    """Numbers of those that are near, and how many these are; first shapes without any are left."""
    state = array([0.0] * len(near)), 0.0
    for _, row in groupby(range(len(near)), lambda k: ends[k][0]):
        own = [*row]

        def add(state: tuple, own: list[int] = own) -> tuple[tuple, float]:
            listed, count = state
            for k in own:
                listed, count = listed.set(count, float(k)), count + near[k]
            return (listed, count), 1.0

        any_near = either(near[k] for k in own)
        state = iterate(add, state, 1, any_near, name="near").values
    return state


def _table(
    shapes: Sequence[Shape], each: Sequence[Kind]
) -> tuple[Solids, tuple[float, ...]] | None:
    """All shapes that are searched for, as tables, and where each of them stands there."""
    searched = [kind for kind in each if not _closed(kind.first, kind.second)]
    own = sorted({i for kind in searched for ends in kind.ends for i in ends})
    if not own:
        return None
    places = tuple(float(own.index(i)) if i in own else 0.0 for i in range(len(shapes)))
    return solids([shapes[i] for i in own]), places


def _meeting(
    kind: Kind, shapes: Sequence[Shape], table: tuple[Solids, tuple[float, ...]] | None
) -> Callable[..., list[Contact]]:
    """The contacts of two shapes, given by number, with their poses."""
    if not _closed(kind.first, kind.second):
        assert table is not None

        def search(i: Scalar, X: Transform, j: Scalar, Y: Transform) -> list[Contact]:
            solid, places = table
            return searched_contacts(solid, lookup(places, i), X, lookup(places, j), Y)

        return search
    pair: Pair = PAIRS[type(kind.first), type(kind.second)]
    one, two = (_sized(kind, shapes, k) for k in (0, 1))
    if isinstance(kind.first, Mesh) and isinstance(kind.second, Plane):
        pair = lying_mesh
    elif isinstance(kind.first, Mesh) and isinstance(kind.second, HeightField):
        return lambda i, X, j, Y: with_slack(pair(one(i), X, two(j), Y))
    return lambda i, X, j, Y: pair(one(i), X, two(j), Y)


def _sized(kind: Kind, shapes: Sequence[Shape], side: int) -> Callable[[Scalar], Shape]:
    """The shape of a number with its sizes out of tables, of one side of a kind."""
    example = kind.second if side else kind.first
    if isinstance(example, Mesh | HeightField | Plane):
        return lambda _: example
    used = {ends[side] for ends in kind.ends}
    tables: dict[str, list[tuple[float, ...]]] = {}
    for name in example.sizes:
        numbers = [getattr(s, name) if k in used else getattr(example, name)
                   for k, s in enumerate(shapes)]  # fmt: skip
        wide = isinstance(numbers[0], tuple)
        tables[name] = [tuple(float(x[c]) if wide else float(x) for x in numbers)
                        for c in range(3 if wide else 1)]  # fmt: skip

    def sized(k: Scalar) -> Shape:
        shape = object.__new__(type(example))
        for name, own in tables.items():
            values = tuple(lookup(t, k) for t in own)
            object.__setattr__(shape, name, values if len(own) > 1 else values[0])  # type: ignore
        return shape

    return sized
