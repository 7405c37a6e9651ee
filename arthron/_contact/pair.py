"""Two bodies that may touch at some points: what these do together, by either law.

All of it is done only where the bodies are near each other, so that those that are not cost next to
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, NamedTuple

from .._graph.iterate import iterate
from .._spatial.motions import Force, Motion
from .._spatial.scalar import Scalar, absolute, is_zero, maximum, minimum, where
from .._spatial.vectors import Mat3, Vec3
from .contact_stiffness import ContactStiffness
from .contact_sums import ContactSums
from .friction_cone import FrictionCone
from .rolling import Rolling

STILL = 1e-8
"""Changes of slips that never matter [m/s]."""


class Settled(NamedTuple):
    """What points come to in a pass.

    Attributes:
        impulses: of each point on a.
        z: what says what they do next.
        off: how far impulses are from Coulomb's law, as an energy.
        work: of the impulses by what they change.
        worst: the square of the largest impulse that is too much.
    """

    impulses: list
    z: list
    off: Scalar
    work: Scalar
    worst: Scalar


class Pair(NamedTuple):
    """Points where body a touches body b, 0 being the world.

    Attributes:
        a: the first body.
        b: the second.
        r: where the points are, from the point that twists are about.
        cones: what each of them does.
        near: whether they may touch in a step.
        rolling: friction against rolling and turning, if any; its torque is behind the impulses of
            the points.
    """

    a: int
    b: int
    r: Sequence[Vec3]
    cones: Sequence[FrictionCone]
    near: Scalar = 1.0
    rolling: Rolling | None = None

    def loaded(self, impulses: Sequence[Vec3], free: Sequence[Motion]) -> Pair:
        """The same with friction against rolling by impulses of the step before.

        There is none where nothing touches at twists without contact.
        """
        if self.rolling is None:
            return self
        load: Scalar = 0.0
        for cone, f in zip(self.cones, impulses, strict=False):
            load = load + cone.n.dot(f)
        load = where(self.touches(free), maximum(load, 0.0), 0.0)
        own = self.rolling
        return self._replace(rolling=own._replace(rolls=own.rolls * load, twists=own.twists * load))

    def balanced(self, balance: Scalar) -> Pair:
        """The same where velocities count otherwise beside impulses in z."""
        own = None if self.rolling is None else self.rolling._replace(balance=balance)
        return self._replace(
            cones=[cone._replace(balance=balance) for cone in self.cones], rolling=own
        )

    @property
    def to_world(self) -> bool:
        """Whether what is touched is the world."""
        return not self.b

    def twist(self, V: Sequence[Motion]) -> Motion:
        """That of a seen from b, of those of all bodies."""
        return V[self.a] if not self.b else V[self.a] - V[self.b]

    def velocities(self, v: Motion) -> list[Vec3]:
        """Those of the points at a twist."""
        return [v.lin + v.ang.cross(r) for r in self.r]

    def touches(self, V: Sequence[Motion]) -> Scalar:
        """Whether anything is done at twists of bodies."""
        found: Scalar = 0.0
        for cone, u in zip(self.cones, self.velocities(self.twist(V)), strict=True):
            found = where(cone.n.dot(u) < cone.wanted, 1.0, found)
        return found

    def pushes(self, impulses: Sequence[Vec3]) -> Scalar:
        """Whether there are any impulses."""
        return reduce(maximum, (f.dot(f) > 0.0 for f in impulses))

    def augmented(self, V: Sequence[Motion], impulses: Sequence[Vec3]) -> list[Vec3]:
        """What says whether points stick or slide (`FrictionCone`), at twists of bodies."""
        v, points = self.twist(V), impulses[: len(self.r)]
        each = zip(self.cones, self.velocities(v), points, strict=True)
        found = [cone.augmented(u, gamma) for cone, u, gamma in each]
        return found + [own.augmented(v.ang, x) for own, x in self._rolling(impulses)]

    def _rolling(self, each: Sequence[Vec3]) -> list[tuple[Rolling, Vec3]]:
        """Friction against rolling with what stands behind that of points."""
        return [] if self.rolling is None else [(self.rolling, each[-1])]

    def press(self, free: Sequence[Motion], z: Sequence[Vec3], sums: ContactSums) -> None:
        """Add what the points do at twists without contact, and how that changes."""
        force, K = self.pressed(self.twist(free), z)
        sums.add_wrench(self.a, self.b, force)
        sums.add_stiffness(self.a, self.b, K)

    def pressed(self, free: Motion, z: Sequence[Vec3]) -> tuple[Force, ContactStiffness]:
        """The wrench of all points on a, and minus its slope by the twist."""

        def found() -> tuple[Force, ContactStiffness]:
            total, K = Force(), ContactStiffness.nothing()
            of_points = z[: len(self.r)]
            each = zip(self.cones, self.r, self.velocities(free), of_points, strict=True)
            for cone, r, u, own in each:
                G = cone.tangent(own)
                f = G @ (cone.target - u)
                total, K = total + Force(r.cross(f), f), K + ContactStiffness.at(r, G)
            for law, own in self._rolling(z):
                G, c = law.law(own)
                total, K = total + Force(c - G @ free.ang, Vec3()), K + ContactStiffness.turning(G)
            return total, K

        return self._if_near(found, (Force(), ContactStiffness.nothing()))

    def settle(
        self, free: Sequence[Motion], change: Sequence[Motion], z: Sequence[Vec3]
    ) -> Settled:
        """Impulses at twists that differ from those without contact."""
        return self.settled(self.twist(free), self.twist(change), z)

    def settled(self, free: Motion, change: Motion, z: Sequence[Vec3]) -> Settled:
        """The same of a alone."""
        nothing = self.nothing()

        def found() -> Settled:
            impulses, after = [], []
            off, work, worst = 0.0, 0.0, 0.0
            rates = self.velocities(free), self.velocities(change)
            for cone, own, u, du in zip(self.cones, z[: len(self.r)], *rates, strict=True):
                gamma = cone.tangent(own) @ (cone.target - u - du)
                new, left = cone.augmented(u + du, gamma), cone.residual(u + du, gamma)
                size = left.dot(left)
                off, worst = off + cone.rho * size, maximum(worst, size)
                work = work + gamma.dot(du)
                impulses.append(gamma)
                after.append(new)
            for law, own in self._rolling(z):
                (G, c), w = law.law(own), free.ang + change.ang
                torque = c - G @ w
                new = law.augmented(w, torque)
                left = torque - law.nearest(new)
                off, work = off + law.rho * left.dot(left), work + torque.dot(change.ang)
                impulses.append(torque)
                after.append(new)
            return Settled(impulses, after, off, work, worst)

        return self._if_near(found, Settled(nothing, nothing, 0.0, 0.0, 0.0))

    def excess(
        self, here: tuple[Sequence[Vec3], ...], there: tuple[Sequence[Vec3], ...], part: Scalar
    ) -> Scalar:
        """How far impulses are from the law, as an energy, a part of the way to others.

        Both ends are (z, impulses) of the points.
        """

        def found() -> Scalar:
            total: Scalar = 0.0
            ends = [*zip(*here, *there, strict=True)]
            for cone, (z, f, to_z, to_f) in zip(self.cones, ends[: len(self.r)], strict=True):
                left = cone.excess(z + (to_z - z) * part, f + (to_f - f) * part)
                total = total + cone.rho * left.dot(left)
            if self.rolling is not None:
                z, f, to_z, to_f = ends[-1]
                left = f + (to_f - f) * part - self.rolling.nearest(z + (to_z - z) * part)
                total = total + self.rolling.rho * left.dot(left)
            return total

        return self._if_near(found, 0.0)

    def mixed(self, x: Sequence[Vec3], y: Sequence[Vec3], part: Scalar) -> list[Vec3]:
        """A part of the way from what points have to something else."""
        return [a + (b - a) * part for a, b in zip(x, y, strict=True)]

    def nothing(self) -> list[Vec3]:
        """Impulses of points that do nothing."""
        return [Vec3()] * (len(self.r) + (self.rolling is not None))

    def exert(self, impulses: Sequence[Vec3], sums: ContactSums) -> None:
        """Add impulses."""
        sums.add_wrench(self.a, self.b, self.total(impulses))

    def total(self, impulses: Sequence[Vec3]) -> Force:
        """The wrench of impulses on a."""
        found = Force(Vec3() if self.rolling is None else impulses[-1], Vec3())
        for r, f in zip(self.r, impulses[: len(self.r)], strict=True):
            found = found + Force(r.cross(f), f)
        return found

    @property
    def may_bounce(self) -> bool:
        """Whether any of the points ever does."""
        return not all(is_zero(cone.bounce) for cone in self.cones)

    def bounces(self) -> Scalar:
        """Whether any of the points does in this step."""
        found: Scalar = 0.0
        for cone in self.cones:
            found = where(cone.bounce > 0.0, self.near, found)
        return found

    def firm(self, impulses: Sequence[Vec3]) -> Pair:
        """The same if what bounces does so as fast as is wanted, by about these impulses."""
        pairs = zip(self.cones, impulses, strict=False)
        return self._replace(cones=[cone.firm(gamma) for cone, gamma in pairs])

    def calm(self) -> Pair:
        """The same if nothing bounces."""
        return self._replace(cones=[cone.calm() for cone in self.cones])

    def slips(self, V: Sequence[Motion]) -> list[Scalar]:
        """How fast each point slides."""
        v = self.twist(V)
        return self._if_near(lambda: self._slips(self.velocities(v)), [0.0] * len(self.r))

    def push(self, V: Sequence[Motion], slips: Sequence[Scalar], sums: ContactSums) -> list[Scalar]:
        """Add what the points do; how fast they slide."""
        force, now = self.wrench(self.twist(V), slips)
        sums.add_wrench(self.a, self.b, force)
        return now

    def linearise(self, V: Sequence[Motion], slips: Sequence[Scalar], sums: ContactSums) -> None:
        """Add what the points do, and how that changes."""
        force, K = self.linearised(self.twist(V), slips)
        sums.add_wrench(self.a, self.b, force)
        sums.add_stiffness(self.a, self.b, K)

    def drifted(
        self, slips: Sequence[Scalar], now: Sequence[Scalar], rises: Scalar, same: Scalar
    ) -> Scalar:
        """Whether slips are off by more than a part of what they are, or too large by that."""
        wrong: Scalar = 0.0
        for s, x in zip(slips, now, strict=True):
            change = where(rises, absolute(x - s), s - x)
            wrong = where(change > same * x + STILL, 1.0, wrong)
        return wrong

    def followed(
        self, slips: Sequence[Scalar], now: Sequence[Scalar], wrong: Scalar, rises: Scalar,
        falls: Scalar,
    ) -> list[Scalar]:  # fmt: skip
        """Slips as they are `now`, if they are `wrong`, only less where they may not rise.

        Where sliding is less, friction has to be more: slips go on by what that makes of them for a
        body that is pushed at its centre.
        """
        found = []
        for cone, s, x in zip(self.cones, slips, now, strict=True):
            ahead = maximum(x + cone.mu * cone.mu * (x - s), 0.0)
            found.append(where(wrong, falls * where(rises, ahead, minimum(ahead, s)), s))
        return found

    def impulses(self, V: Sequence[Motion], slips: Sequence[Scalar]) -> list[Vec3]:
        """The impulse of each point on a."""
        v = self.twist(V)

        def found() -> list[Vec3]:
            own = [] if self.rolling is None else [self.rolling.torque(v.ang)[0]]
            return [gamma for gamma, _ in self._each(self.velocities(v), slips)] + own

        return self._if_near(found, self.nothing())

    def wrench(self, v: Motion, slips: Sequence[Scalar]) -> tuple[Force, list[Scalar]]:
        """That of all points on a, and how fast they slide."""

        def found() -> tuple[Force, list[Scalar]]:
            u = self.velocities(v)
            own = [] if self.rolling is None else [self.rolling.torque(v.ang)[0]]
            return self.total([*(f for f, _ in self._each(u, slips)), *own]), self._slips(u)

        return self._if_near(found, (Force(), [0.0] * len(self.r)))

    def linearised(self, v: Motion, slips: Sequence[Scalar]) -> tuple[Force, ContactStiffness]:
        """The wrench, and minus its slope by the twist: A^T G A with A = (-[r] 1) of each point."""

        def found() -> tuple[Force, ContactStiffness]:
            total, K = Force(), ContactStiffness.nothing()
            for r, (f, G) in zip(self.r, self._each(self.velocities(v), slips), strict=True):
                total = total + Force(r.cross(f), f)
                K = K + ContactStiffness.at(r, G)
            if self.rolling is not None:
                torque, G = self.rolling.torque(v.ang)
                total, K = total + Force(torque, Vec3()), K + ContactStiffness.turning(G)
            return total, K

        return self._if_near(found, (Force(), ContactStiffness.nothing()))

    def along(
        self, V: Sequence[Motion], D: Sequence[Motion], s: Scalar, slips: Sequence[Scalar]
    ) -> tuple[Scalar, Scalar]:
        """Slope and curvature of what points store, s times as far as D from V."""
        v, d = self.twist(V), self.twist(D)

        def found() -> tuple[Scalar, Scalar]:
            slope, curve = 0.0, 0.0
            rates = self.velocities(d)
            there = [u + du * s for u, du in zip(self.velocities(v), rates, strict=True)]
            for du, (f, G) in zip(rates, self._each(there, slips), strict=True):
                slope, curve = slope - du.dot(f), curve + du.dot(G @ du)
            if self.rolling is not None:
                torque, G = self.rolling.torque(v.ang + d.ang * s)
                slope, curve = slope - d.ang.dot(torque), curve + d.ang.dot(G @ d.ang)
            return slope, curve

        return self._if_near(found, (0.0, 0.0))

    def _slips(self, u: Sequence[Vec3]) -> list[Scalar]:
        return [cone.slip(x) for cone, x in zip(self.cones, u, strict=True)]

    def _each(self, u: Sequence[Vec3], slips: Sequence[Scalar]) -> list[tuple[Vec3, Mat3]]:
        each = zip(self.cones, u, slips, strict=True)
        return [cone.impulse(x, slip) for cone, x, slip in each]

    def _if_near(self, function: Callable[[], Any], otherwise: Any) -> Any:
        if isinstance(self.near, float):
            return function() if self.near else otherwise
        return iterate(lambda _: (function(), 1.0), otherwise, 1, self.near, name="pair").values
