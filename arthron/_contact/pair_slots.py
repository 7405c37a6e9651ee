"""Pairs of bodies that may touch in a step, of all that ever could: as many as have a place.

Most pairs of bodies are far apart, and which are not is known only when a step is made. Those that
are near stand in places of arrays, one behind the other, and all that is done with them is a loop
over the places in use: a program that is short however many pairs there are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .._graph.iterate import iterate
from .._spatial.array import Array, array
from .._spatial.motions import Force, Motion
from .._spatial.scalar import Scalar, absolute, is_zero, lookup, maximum, where
from .._spatial.sums import total
from .._spatial.vectors import Mat3, Vec3
from .contact_stiffness import ContactStiffness
from .contact_sums import ContactSums
from .friction_cone import BALANCE, FrictionCone
from .pair import Pair, Settled
from .paths import Paths, Twists
from .rolling import Rolling
from .vector_arrays import Arrays, put, put_vectors, vectors_at
from .world_columns import WorldColumns

NEVER = -1e9
"""A normal velocity that nothing is below: a point that does nothing wants this much [m/s]."""


class PairSlots(NamedTuple):
    """Pairs in use.

    Attributes:
        columns: how bodies move.
        paths: which coordinates move which pairs.
        count: places in use.
        pairs: in each place, the number of its pair of bodies.
        softness: its coefficient of friction, and how much it gives way across and along normals.
        points: where its points are, their normals, the normal velocities that they want
            and their gaps: eight arrays each, and a ninth where any bounce, of what is wanted for
            that.
        surface: velocity along itself of the world, where that is touched.
        rolling: of friction against rolling and turning, if any, in each place the largest torques
            of both, and how much these give way.
        balance: how velocities count beside impulses in z (`FrictionCone`).
    """

    columns: WorldColumns
    paths: Paths
    count: Scalar
    pairs: Array
    softness: Arrays
    points: Sequence[Arrays]
    surface: Vec3 = Vec3()
    rolling: Arrays | None = None
    balance: Scalar = BALANCE

    @staticmethod
    def empty(
        columns: WorldColumns, paths: Paths, places: int, points: int, bounce: bool = False
    ) -> PairSlots:
        """None in use, with room for as many pairs of as many points."""
        zeros = array([0.0] * places)
        point = (*[zeros] * 6, array([NEVER] * places), *[zeros] * (2 if bounce else 1))
        return PairSlots(columns, paths, 0.0, zeros, (zeros,) * 3, (point,) * points)

    @property
    def to_world(self) -> bool:
        """Whether all that is touched is the world."""
        return all(not b for _, b in self.paths.bodies)

    def pushes(self, impulses: Sequence[Arrays]) -> Scalar:
        """Whether there are any impulses."""

        def one(found: Scalar, k: Scalar, pair: Pair) -> Scalar:
            return maximum(found, pair.pushes(vectors_at(impulses, k)))

        return self._each(one, 0.0, "pushes")

    def pair(self, k: Scalar) -> Pair:
        """What is in a place."""
        mu, Rt, Rn = (x[k] for x in self.softness)
        r, cones, surface = [], [], self.surface
        if not all(map(is_zero, surface)):
            surface = surface * where(self.bodies(k)[1] < 0.5, 1.0, 0.0)
        for each in self.points:
            numbers = [x[k] for x in each]
            r.append(Vec3(*numbers[:3]))
            n = Vec3(*numbers[3:6])
            cones.append(FrictionCone(n, mu, Rt, Rn, numbers[6], surface, *numbers[8:]))
        own = None
        if self.rolling is not None:
            own = Rolling(cones[0].n, *(x[k] for x in self.rolling))
        return Pair(0, 0, r, cones, rolling=own).balanced(self.balance)

    def balanced(self, balance: Scalar) -> PairSlots:
        """The same where velocities count otherwise beside impulses in z."""
        return self._replace(balance=balance)

    def loaded(self, impulses: Sequence[Arrays], free: Sequence[Motion]) -> PairSlots:
        """The same with friction against rolling by impulses of the step before."""
        if self.rolling is None:
            return self
        seen = self._seen(free)

        def one(found: tuple, k: Scalar, pair: Pair) -> tuple:
            own = pair.loaded(vectors_at(impulses, k), [seen(k)]).rolling
            assert own is not None
            return tuple(x.set(k, y) for x, y in zip(found, (own.rolls, own.twists), strict=True))

        limits = self._each(one, self.rolling[:2], "loads")
        return self._replace(rolling=(*limits, self.rolling[2]))

    @property
    def may_bounce(self) -> bool:
        """Whether any of the points ever does."""
        return len(self.points[0]) > 8

    def bounces(self) -> Scalar:
        """Whether any of the points does in this step."""
        return self._each(
            lambda found, k, pair: maximum(found, pair.bounces()), 0.0, "bounces"
        )  # fmt: skip

    def firm(self, impulses: Sequence[Arrays]) -> PairSlots:
        """The same if what bounces does so as fast as is wanted, by about these impulses."""
        return self._wanting(lambda k, pair: pair.firm(vectors_at(impulses, k)), "firm")

    def calm(self) -> PairSlots:
        """The same if nothing bounces."""
        return self._wanting(lambda k, pair: pair.calm(), "calm")

    def _wanting(self, function: Callable[[Scalar, Pair], Pair], name: str) -> PairSlots:
        """The same with the normal velocities that a function's pairs want, and no bounces."""

        def one(points: tuple, k: Scalar, pair: Pair) -> tuple:
            cones = function(k, pair).cones
            return tuple(x.set(k, cone.wanted) for x, cone in zip(points, cones, strict=True))

        wanted = self._each(one, tuple(x[6] for x in self.points), name)
        points = [(*x[:6], y, x[7]) for x, y in zip(self.points, wanted, strict=True)]
        return self._replace(points=points)

    def touches(self, V: Sequence[Motion]) -> Scalar:
        """Whether anything is done at twists of bodies."""
        seen = self._seen(V)
        return self._each(
            lambda found, k, pair: maximum(found, pair.touches([seen(k)])), 0.0, "touching"
        )

    def slips(self, V: Sequence[Motion]) -> list[Array]:
        """How fast points slide, an array for each of a pair."""
        seen = self._seen(V)

        def one(found: list[Array], k: Scalar, pair: Pair) -> list[Array]:
            return put(found, k, pair.slips([seen(k)]))

        return self._each(one, self._nothing, "slips")

    def push(self, V: Sequence[Motion], slips: Sequence[Array], sums: ContactSums) -> list[Array]:
        """Add what the points do; how fast they slide."""
        seen = self._seen(V)

        def one(state: tuple, k: Scalar, pair: Pair) -> tuple:
            F, now = state
            force, speeds = pair.wrench(seen(k), [s[k] for s in slips])
            return self._pushed(F, k, force), put(now, k, speeds)

        F, now = self._each(one, (self._no_wrenches, self._nothing), "forces")
        self._add_wrenches(F, sums)
        return now

    def augmented(self, V: Sequence[Motion], impulses: Sequence[Arrays]) -> list[Arrays]:
        """What says whether points stick or slide, at twists of bodies."""
        seen = self._seen(V)

        def one(found: list[Arrays], k: Scalar, pair: Pair) -> list[Arrays]:
            return put_vectors(found, k, pair.augmented([seen(k)], vectors_at(impulses, k)))

        return self._each(one, self.nothing(), "state of contact")

    def press(self, free: Sequence[Motion], z: Sequence[Arrays], sums: ContactSums) -> None:
        """Add what the points do at twists without contact, and how that changes."""
        seen = self._seen(free)
        self._stiffen(lambda k, pair: pair.pressed(seen(k), vectors_at(z, k)), sums)

    def settle(
        self, free: Sequence[Motion], change: Sequence[Motion], z: Sequence[Arrays]
    ) -> Settled:
        """Impulses at twists that differ from those without contact."""
        seen, differs = self._seen(free), self._seen(change)

        def one(found: Settled, k: Scalar, pair: Pair) -> Settled:
            own = pair.settled(seen(k), differs(k), vectors_at(z, k))
            return Settled(
                put_vectors(found.impulses, k, own.impulses), put_vectors(found.z, k, own.z),
                found.off + own.off, found.work + own.work, maximum(found.worst, own.worst),
            )  # fmt: skip

        nothing = self.nothing()
        return self._each(one, Settled(nothing, list(z), 0.0, 0.0, 0.0), "impulses")

    def excess(
        self, here: tuple[Sequence[Arrays], ...], there: tuple[Sequence[Arrays], ...], part: Scalar
    ) -> Scalar:
        """How far impulses are from the law, as an energy, a part of the way to others."""

        def one(total: Scalar, k: Scalar, pair: Pair) -> Scalar:
            (z, f), (to_z, to_f) = ([vectors_at(x, k) for x in end] for end in (here, there))
            return total + pair.excess((z, f), (to_z, to_f), part)

        return self._each(one, 0.0, "how far")

    def mixed(self, x: Sequence[Arrays], y: Sequence[Arrays], part: Scalar) -> list[Arrays]:
        """A part of the way from what points have to something else."""

        def one(found: list[Arrays], k: Scalar, pair: Pair) -> list[Arrays]:
            return put_vectors(found, k, pair.mixed(vectors_at(x, k), vectors_at(y, k), part))

        return self._each(one, list(x), "a part")

    def nothing(self) -> list[Arrays]:
        """Impulses of points that do nothing."""
        many = len(self.points) + (self.rolling is not None)
        return [(array([0.0] * len(self.pairs)),) * 3] * many

    def exert(self, impulses: Sequence[Arrays], sums: ContactSums) -> None:
        """Add impulses."""

        def one(F: list[Array], k: Scalar, pair: Pair) -> list[Array]:
            return self._pushed(F, k, pair.total(vectors_at(impulses, k)))

        self._add_wrenches(self._each(one, self._no_wrenches, "wrenches"), sums)

    def linearise(self, V: Sequence[Motion], slips: Sequence[Array], sums: ContactSums) -> None:
        """Add what the points do by the convex law, and how that changes."""
        seen = self._seen(V)
        self._stiffen(lambda k, pair: pair.linearised(seen(k), [s[k] for s in slips]), sums)

    def _stiffen(
        self, function: Callable[[Scalar, Pair], tuple[Force, ContactStiffness]], sums: ContactSums
    ) -> None:
        """Add what a function says of each place: a wrench, and minus its slope."""
        if self.to_world:
            return self._stiffen_bodies(function, sums)
        tree = self.columns.tree
        S = Twists.of([m for i in tree.bodies for m in self.columns.S[i]])
        n, length = tree.nv, self.paths.length

        def one(state: tuple, k: Scalar, pair: Pair) -> tuple:
            force, K = function(k, pair)
            first = self.pairs[k] * float(length)
            own = [lookup(self.paths.coordinates, first + float(i)) for i in range(length)]
            signs = [lookup(self.paths.signs, first + float(i)) for i in range(length)]

            def press(state: tuple) -> tuple[tuple, float]:
                F, H = state
                columns = [S(j) * s for j, s in zip(own, signs, strict=True)]
                for i, column in zip(own, columns, strict=True):
                    f = K @ column
                    for j, other in zip(own, columns, strict=True):
                        at = j * float(n) + i
                        H = H.set(at, H[at] + other.dot(f))
                return (self._pushed(F, k, force), H), 1.0

            return iterate(press, state, 1, _acts(force, K), name="place that pushes").values

        H = array([0.0] * (n * n)) if sums.matrix is None else sums.matrix
        F, H = self._each(one, (self._no_wrenches, H), "stiffness")
        self._add_wrenches(F, sums)
        if sums.matrix is None:
            sums.add_entries({(i, j): H[i * n + j] for i, j in self.paths.entries})
        else:
            sums.matrix = H

    def _stiffen_bodies(
        self, function: Callable[[Scalar, Pair], tuple[Force, ContactStiffness]], sums: ContactSums
    ) -> None:
        """The same where all that is touched is the world: what is added is that of bodies."""
        zeros = array([0.0] * len(self.columns.tree.parent))

        def one(state: tuple, k: Scalar, pair: Pair) -> tuple:
            force, own = function(k, pair)
            a, _ = self.bodies(k)

            def press(state: tuple) -> tuple[tuple, float]:
                F, K = state
                entries = [x for block in own for row in block for x in row]
                K = [x.set(a, x[a] + entry) for x, entry in zip(K, entries, strict=True)]
                return (self._pushed(F, k, force), K), 1.0

            return iterate(press, state, 1, _acts(force, own), name="place that pushes").values

        F, K = self._each(one, (self._no_wrenches, [zeros] * 36), "stiffness")
        self._add_wrenches(F, sums)
        for i in sorted({a for a, _ in self.paths.bodies}):
            rows = [Vec3(*(x[i] for x in K[k : k + 3])) for k in range(0, 36, 3)]
            blocks = (Mat3(*rows[k : k + 3]) for k in range(0, 12, 3))
            sums.add_stiffness(i, 0, ContactStiffness(*blocks))

    def along(
        self, V: Sequence[Motion], D: Sequence[Motion], s: Scalar, slips: Sequence[Array]
    ) -> tuple[Scalar, Scalar]:
        """Slope and curvature of what points store, s times as far as D from V."""
        seen, changes = self._seen(V), self._seen(D)

        def one(state: tuple, k: Scalar, pair: Pair) -> tuple:
            more = pair.along([seen(k)], [changes(k)], s, [x[k] for x in slips])
            return tuple(x + y for x, y in zip(state, more, strict=True))

        return self._each(one, (0.0, 0.0), "line search")

    def drifted(
        self, slips: Sequence[Array], now: Sequence[Array], rises: Scalar, same: Scalar
    ) -> Scalar:
        """Whether slips are off by more than a part of what they are, or too large by that."""

        def one(wrong: Scalar, k: Scalar, pair: Pair) -> Scalar:
            each = [x[k] for x in slips], [x[k] for x in now]
            return maximum(wrong, pair.drifted(*each, rises, same))

        return self._each(one, 0.0, "slips that drifted")

    def followed(
        self, slips: Sequence[Array], now: Sequence[Array], wrong: Scalar, rises: Scalar,
        falls: Scalar,
    ) -> list[Array]:  # fmt: skip
        """Slips as they are `now`, if they are `wrong`, only less where they may not rise."""

        def one(found: list[Array], k: Scalar, pair: Pair) -> list[Array]:
            each = [x[k] for x in found], [x[k] for x in now]
            return put(found, k, pair.followed(*each, wrong, rises, falls))

        return self._each(one, list(slips), "slips that follow", wrong)

    def impulses(self, V: Sequence[Motion], slips: Sequence[Array]) -> list[Arrays]:
        """Impulses on the first bodies, three arrays for each point of a pair."""
        seen = self._seen(V)

        def one(found: list[Arrays], k: Scalar, pair: Pair) -> list[Arrays]:
            return put_vectors(found, k, pair.impulses([seen(k)], [x[k] for x in slips]))

        return self._each(one, self.nothing(), "impulses")

    def bodies(self, k: Scalar) -> tuple[Scalar, Scalar]:
        """Numbers of both bodies in a place."""
        a, b = (tuple(float(x[i]) for x in self.paths.bodies) for i in (0, 1))
        return lookup(a, self.pairs[k]), lookup(b, self.pairs[k])

    @property
    def _nothing(self) -> list[Array]:
        return [array([0.0] * len(self.pairs))] * len(self.points)

    @property
    def _no_wrenches(self) -> list[Array]:
        return [array([0.0] * len(self.columns.tree.parent))] * 6

    def _each(
        self, function: Callable[[Any, Scalar, Pair], Any], start: Any, name: str,
        when: Scalar = 1.0,
    ) -> Any:  # fmt: skip
        """What a function makes of a start, one place in use after the other."""

        def one(state: tuple) -> tuple[tuple, Scalar]:
            k, found = state
            return (k + 1.0, function(found, k, self.pair(k))), k + 1.0 >= self.count

        going = when * (self.count > 0.5)
        return iterate(one, (0.0, start), len(self.pairs), going, name=name).values[1]

    def _seen(self, V: Sequence[Motion]) -> Callable[[Scalar], Motion]:
        """How the first body in a place moves, seen from the second."""
        twists = Twists.of(V)

        def seen(k: Scalar) -> Motion:
            a, b = self.bodies(k)
            return twists(a) - twists(b)

        return seen

    def _pushed(self, F: Sequence[Array], k: Scalar, force: Force) -> list[Array]:
        """Wrenches with one on the first body in a place and its reaction on the second."""
        a, b = self.bodies(k)
        found = []
        for x, f in zip(F, [*force.ang, *force.lin], strict=True):
            x = x.set(a, x[a] + f)
            found.append(x.set(b, x[b] - f))
        return found

    def _add_wrenches(self, F: Sequence[Array], sums: ContactSums) -> None:
        for i in sorted({i for pair in self.paths.bodies for i in pair if i}):
            numbers = [x[i] for x in F]
            sums.add_wrench(i, 0, Force(Vec3(*numbers[:3]), Vec3(*numbers[3:])))


def _acts(force: Force, K: ContactStiffness) -> Scalar:
    """Whether a place does anything: most that are near are open."""
    return total(map(absolute, (K.I.trace(), K.M.trace(), *force.ang, *force.lin))) > 0.0
