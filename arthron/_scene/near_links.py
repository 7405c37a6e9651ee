"""Pairs of shapes that may touch in a step, found and put into places of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from .._collision.candidates import GROUND, Collider, shape_pairs
from .._collision.contact import Contact
from .._collision.extent import bound
from .._collision.near_pairs import each_near, kinds, points_of
from .._contact.pair_slots import NEVER, PairSlots
from .._contact.paths import Paths, Twists
from .._contact.softness import Mobility
from .._contact.world_columns import WorldColumns
from .._graph.iterate import iterate
from .._spatial.array import Array, array
from .._spatial.motions import Motion
from .._spatial.scalar import Scalar, absolute, is_zero, lookup, maximum, minimum, where
from .._spatial.transform import Transform
from .._spatial.vectors import Vec3
from .._tree.tree import BodyList, Tree
from .contact_points import LEAP, STICKING, WIDTH, ContactPoint, size_of

if TYPE_CHECKING:
    from .._model.model import Model

NONE = 1e9
"""The rank of a place that is not used."""
PLACES = 16
"""How many pairs of shapes have a place at least, if there are so many; four a body else."""


@dataclass(frozen=True)
class LinkPairs:
    """What may meet in a figure.

    Attributes:
        colliders: shapes on bodies.
        pairs: numbers of two of them each.
        bodies: numbers of bodies that the pairs are on.
        of_bodies: which of these each pair of shapes is on.
        points: how many points a pair has at most.
    """

    colliders: tuple[Collider, ...]
    pairs: tuple[tuple[int, int], ...]
    bodies: tuple[tuple[int, int], ...]
    of_bodies: tuple[int, ...]
    points: int

    @staticmethod
    def of(model: Model, names: Sequence[tuple[str, str]]) -> LinkPairs:
        """Of pairs of links."""
        return LinkPairs.among([both for a, b in names for both in shape_pairs(model.figure, a, b)])

    @staticmethod
    def among(shapes: Sequence[tuple[Collider, Collider]]) -> LinkPairs:
        """Of pairs of shapes."""
        numbers: dict[Collider, int] = {}
        pairs, bodies, of_bodies = [], {}, []
        for both in shapes:
            x, y = both if both[0].body else both[::-1]
            pairs.append(tuple(numbers.setdefault(c, len(numbers)) for c in (x, y)))
            of_bodies.append(bodies.setdefault((x.body, y.body), len(bodies)))
        points = max(map(points_of, kinds([c.shape for c in numbers], pairs)))
        return LinkPairs(tuple(numbers), tuple(pairs), tuple(bodies), tuple(of_bodies), points)

    def points_in_all(self) -> int:
        """How many points of contact there could be at once."""
        return sum(
            points_of(kind) * len(kind.ends)
            for kind in kinds([c.shape for c in self.colliders], self.pairs)
        )

    def places(self, most: int | None = None) -> int:
        """How many pairs of shapes have a place: so many at most, and if nobody says it, a few."""
        moving = {i for pair in self.bodies for i in pair if i}
        return min(len(self.pairs), most or max(PLACES, 4 * len(moving)))

    def ranks(self) -> tuple[float, ...]:
        """Where each pair comes when they are looked at one after the other."""
        order = [n for kind in kinds([c.shape for c in self.colliders], self.pairs)
                 for n in kind.numbers]  # fmt: skip
        return tuple(float(order.index(n)) for n in range(len(order)))

    def columns(self, name: str, places: int) -> LinkColumns:
        """How what steps say of them is laid out, for an element of a name."""
        links = [c.link for c in self.colliders]
        return LinkColumns(name, [(links[i], links[j]) for i, j in self.pairs], places, self.points)


def near_links(
    element: Any, own: LinkPairs, ground: Transform | None, X0: BodyList, columns: WorldColumns,
    mobility: Sequence[Mobility], before: Sequence[Motion], after: Sequence[Motion], h: Scalar,
) -> LinkContacts:  # fmt: skip
    """Pairs of an element that may touch in a step of length h.

    Args:
        element: whose friction and softness it is.
        own: what may meet.
        ground: where the world's own shapes are, if not where they say.
        X0: from the world to bodies.
        columns: how bodies move.
        mobility: how fast each body moves by an impulse, about.
        before: twists of bodies before the step.
        after: those at its end, without contact.
        h: its length.
    """
    paths = Paths.of(columns.tree, own.bodies)
    bounces = not is_zero(element.restitution)
    slots = PairSlots.empty(columns, paths, element.max_contacts, own.points, bounces)
    slots = slots._replace(surface=Vec3(*element.velocity))
    coefficients = element.rolling_friction, element.torsional_friction
    rolls = not all(map(is_zero, coefficients))
    seen = [Twists.of(V) for V in (before, after)]
    room, turns = (array([getattr(m, x) for m in mobility]) for x in ("moves", "turns"))
    first, second = (tuple(float(b[k]) for b in own.bodies) for k in (0, 1))
    numbers = tuple(map(float, own.of_bodies))
    mu = array(element.frictions())

    def found(state: tuple, k: Scalar, contacts: list[Contact]) -> tuple:
        pair = lookup(numbers, k)
        a, b = lookup(first, pair), lookup(second, pair)
        V = [twists(a) - twists(b) for twists in seen]
        mobile, near, points, softness = room[a] + room[b], 0.0, [], []
        for x in contacts:
            r = x.point - columns.origin
            u, later = (v.lin + v.ang.cross(r) for v in V)
            point = ContactPoint(
                0, x.gap, x.point, x.normal, None, mu[k], element.restitution,
                element.stiffness, element.dissipation,
            )  # fmt: skip
            cone = point.cone(mobile, x.normal.dot(u), h)
            fastest = 2.0 * (size_of(u) + size_of(later)) + LEAP
            near = where(cone.wanted + fastest > 0.0, 1.0, near)
            points.append([*r, *x.normal, cone.wanted, x.gap, *[cone.bounce] * bounces])
            softness = [cone.mu, cone.Rt, cone.Rn]
        softness += [STICKING * (turns[a] + turns[b])] * rolls
        nothing = [0.0] * 6 + [NEVER, 0.0] + [0.0] * bounces
        points += [nothing] * (own.points - len(points))
        return _kept(state, near, [k, pair, *softness], points)

    if rolls:
        slots = slots._replace(softness=(*slots.softness, slots.pairs))
    state = LinkContacts(slots, array([0.0] * element.max_contacts), 0.0, own.ranks())
    transforms = [
        c.X @ X0[c.body] if c.body or ground is None else ground for c in own.colliders
    ]  # fmt: skip
    motions = [_apart_from_all(columns.tree, own.colliders, V) for V in (before, after)]
    margins = [_margin(c, X0[c.body], columns.origin, motions, h) for c in own.colliders]
    shapes = [c.shape for c in own.colliders]
    state = state.with_numbers(
        each_near(shapes, transforms, own.pairs, margins, state.numbers(), found)
    )
    if not rolls:
        return state
    slots, (*softness, R) = state.slots, state.slots.softness
    each = (array([x] * element.max_contacts) for x in coefficients)
    return state._replace(slots=slots._replace(softness=tuple(softness), rolling=(*each, R)))


class LinkContacts(NamedTuple):
    """Pairs of shapes that may touch in a step.

    Attributes:
        slots: them, by place.
        which: the number of the pair of shapes in each place.
        total: how many there were, with those that had no place.
        ranks: where each pair of shapes comes, of all.
    """

    slots: PairSlots
    which: Array
    total: Scalar
    ranks: tuple[float, ...]

    def numbers(self) -> tuple:
        """All that a loop over pairs changes."""
        s = self.slots
        return s.count, self.total, (self.which, s.pairs, *s.softness), s.points

    def with_numbers(self, numbers: tuple) -> LinkContacts:
        """The same with what a loop left."""
        count, total, (which, pairs, *softness), points = numbers
        own = self.slots._replace(
            count=count, pairs=pairs, softness=tuple(softness), points=points
        )  # fmt: skip
        return self._replace(slots=own, which=which, total=total)

    def remembered(self, memory: Sequence[Scalar]) -> list[tuple[Array, ...]]:
        """Impulses of the step before, of pairs that had a place then.

        Places are in the order of ranks in both steps, so that one walk through both finds them.
        """
        if not memory:
            return self.slots.nothing()
        n, none = len(self.which), [NONE]
        known, rest = array([*memory[:n], *none]), memory[n:]
        old = [array([*rest[k : k + n], 0.0]) for k in range(0, len(rest), n)]

        def one(state: tuple) -> tuple[tuple, Scalar]:
            k, at, found = state
            rank = lookup(self.ranks, self.which[k])
            at, _, _ = iterate(
                lambda p: (p + 1.0, known[p + 1.0] >= rank), at, n, known[at] < rank, name="walk"
            )
            same = absolute(known[at] - rank) < 0.5
            found = [x.set(k, where(same, y[at], 0.0)) for x, y in zip(found, old, strict=True)]
            return (k + 1.0, at, found), k + 1.0 >= self.slots.count

        flat = [x for each in self.slots.nothing()[: len(self.slots.points)] for x in each]
        begin = 0.0, 0.0, flat
        found = iterate(one, begin, n, self.slots.count > 0.5, name="impulses before").values[2]
        points = [tuple(found[k : k + 3]) for k in range(0, len(found), 3)]
        return points + self.slots.nothing()[len(points) :]

    def memory(self, impulses: Sequence[tuple[Array, ...]]) -> list[Scalar]:
        """What the next step is to know: ranks of pairs in their places, and impulses."""
        used = [where(float(k) < self.slots.count, lookup(self.ranks, x), NONE)
                for k, x in enumerate(self.which)]  # fmt: skip
        own = impulses[: len(self.slots.points)]
        return [*used, *(x for point in own for part in point for x in part)]

    def report(self, impulses: Sequence[tuple[Array, ...]], per: Scalar) -> list[Scalar]:
        """How many pairs there were; of each place its pair, and force, place and gap of points."""
        found, origin = [self.total], self.slots.columns.origin
        for k in range(len(self.which)):
            used = float(k) < self.slots.count
            found.append(where(used, self.which[k], -1.0))
            for point, impulse in zip(self.slots.points, impulses, strict=False):
                r = Vec3(*(x[k] for x in point[:3])) + origin
                found += [*(x[k] * per for x in impulse), *r, point[7][k]]
        return found


class LinkColumns(NamedTuple):
    """How what a step says of links that touch each other is laid out.

    Attributes:
        element: the name of the element.
        pairs: names of the links of each pair of shapes.
        places: how many pairs may touch at once.
        points: points of each.
    """

    element: str
    pairs: Sequence[tuple[str | None, str | None]]
    places: int
    points: int

    @property
    def width(self) -> int:
        """How many numbers that is."""
        return 1 + self.places * (1 + WIDTH * self.points)

    @property
    def memory(self) -> int:
        """How many numbers steps remember."""
        return self.places * (1 + 3 * self.points)


def _kept(
    state: tuple, near: Scalar, own: Sequence[Scalar], points: Sequence[Sequence[Scalar]]
) -> tuple:
    """The state with a pair in the next place if it is near, or in that of the shallowest one."""
    count, total, arrays, kept = state
    places = len(arrays[0])
    full = where(count < places, 0.0, near)
    wanted = points[0][6]
    for each in points[1:]:
        wanted = maximum(wanted, each[6])

    def shallowest(state: tuple) -> tuple[tuple, Scalar]:
        k, at, least = state
        own = kept[0][6][k]
        for each in kept[1:]:
            own = maximum(own, each[6][k])
        return (k + 1.0, where(own < least, k, at), minimum(own, least)), k + 1.0 >= places

    begin = 0.0, 0.0, 1e300
    _, at, least = iterate(shallowest, begin, places, full, name="shallowest").values
    use = where(full, where(wanted > least, 1.0, 0.0), near)

    def put(state: tuple) -> tuple[tuple, float]:
        arrays, kept = state
        place = where(full, at, count)
        arrays = tuple(x.set(place, value) for x, value in zip(arrays, own, strict=True))
        kept = tuple(
            tuple(x.set(place, value) for x, value in zip(*each, strict=True))
            for each in zip(kept, points, strict=True)
        )
        return (arrays, kept), 1.0

    arrays, kept = iterate(put, (arrays, kept), 1, use, name="place").values
    return minimum(count + near, float(places)), total + near, arrays, kept


def _apart_from_all(
    tree: Tree, colliders: Sequence[Collider], V: Sequence[Motion]
) -> Sequence[Motion]:
    """Twists of bodies, seen from the first of them where all are links of one figure.

    What all do together brings none nearer to another.
    """
    first = {0 if not c.body else list(tree.ancestors(c.body))[-1] for c in colliders}
    if len(first) > 1 or 0 in first:
        return V
    (root,) = first
    return [v - V[root] for v in V]


def _margin(
    collider: Collider, X: Any, origin: Vec3, motions: Sequence[Sequence[Motion]], h: Scalar
) -> Scalar:
    """How far a shape may come in a step, as other contact may throw it."""
    if not collider.body:
        return 0.5 * LEAP * h
    ground = isinstance(collider.shape, GROUND)
    ball = bound(collider.shape) if not ground else None
    Y = collider.X @ X
    centre = Y.r if ball is None else Y.r + Y.R @ ball.centre
    r = centre - origin
    speed: Scalar = 0.0
    for V in motions:
        v = V[collider.body]
        speed = speed + size_of(v.lin + v.ang.cross(r))
        speed = speed + size_of(v.ang) * (ball.radius if ball else 1.0)
    return h * (2.0 * speed + 0.5 * LEAP)
