"""Points of contact that elements say there are, and what they do to velocities in a step."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .._contact.friction_cone import FrictionCone
from .._contact.pair import Pair
from .._contact.rolling import Rolling
from .._contact.softness import Mobility, mobilities
from .._contact.world_columns import WorldColumns
from .._spatial.motions import Motion
from .._spatial.scalar import Scalar, absolute, is_zero, maximum, where
from .._spatial.vectors import Vec3
from ..errors import ModelError
from .call_user import call_user
from .element import Element, described
from .rows import Approach

if TYPE_CHECKING:
    from .system import System

RIGID = 0.1**2 / (4.0 * math.pi**2)
"""Normal velocity that is left by an impulse on a contact that is as good as rigid, beside what the
impulse changes: as of a spring and a mass that swing ten times in a step (CPH22)."""
STICKING = 2e-4
"""Tangential velocity that is left, likewise: four points that carry a box on a slope let it creep
by less than a micrometre a second."""
SLOW = 0.01
"""What meets more slowly does not bounce [m/s]."""
RECOVERY = Approach(near=1e-3)
"""How what overlaps comes apart: never at once, as that would throw it."""
LEAP = 1.0
"""What other contact may make of the speed of a point that is not near yet [m/s]."""
WIDTH = 7
"""Numbers of a point in trajectories: its force, where it is, and its gap."""


class ContactPoint(NamedTuple):
    """A point where a link of an element touches another one or the world, or may soon.

    Attributes:
        link: which of the element's links.
        gap: how far apart they are there [m]; less than zero where they overlap.
        point: where that is, in the world.
        normal: unit vector towards the link, in the world.
        other: which of the element's links it touches; None is the world.
        friction: coefficient of friction.
        restitution: part of the velocity that comes back, without a stiffness.
        stiffness: force per overlap [N/m]; None for as good as rigid.
        dissipation: seconds by which an overlap that grows pushes as if it were larger [s].
        velocity: that of the surface that is touched, along itself [m/s].
        rolling_friction: the largest torque against rolling, by the normal force [m].
        torsional_friction: the same against turning about the normal [m].
    """

    link: int
    gap: Scalar
    point: Vec3
    normal: Vec3
    other: int | None = None
    friction: Scalar = 0.8
    restitution: Scalar = 0.0
    stiffness: Scalar | None = None
    dissipation: Scalar = 0.0
    velocity: Vec3 = Vec3()
    rolling_friction: Scalar = 0.0
    torsional_friction: Scalar = 0.0

    @property
    def rolls(self) -> bool:
        """Whether there is friction against rolling or turning."""
        return not (is_zero(self.rolling_friction) and is_zero(self.torsional_friction))

    def cone(self, mobility: Scalar, approach: Scalar, h: Scalar) -> FrictionCone:
        """What it does in a step of length h, its bodies approaching at a normal velocity before.

        One that gives way is a spring and a damper side by side (Kelvin and Voigt's), of overlaps
        x = max(-gap, 0), which do not pull:

            f = max(k (x + d x'), 0)    with x at the end of the step, x' = (x - x before) / h.

        There x = -(gap + h u) with the normal velocity u then. Where there is no overlap before,
        f = k (1 + d/h) x pushes only what overlaps at the end; else f = -k (gap + (h + d) u). Both
        are h f = (wanted - u) / R with R = 1 / (h (h + d) k), which falls with u: the slope of a
        convex function, as the law needs, and implicit, so that no stiffness is too much for h.
        """
        Rt = STICKING * mobility
        if self.stiffness is None:
            Rn, wanted = RIGID * mobility, RECOVERY.least_rate(self.gap, h)
        else:
            late = h + self.dissipation
            Rn = 1.0 / (h * late * self.stiffness)
            wanted = -self.gap / where(self.gap > 0.0, h, late)
        bounce: Scalar = 0.0
        if not is_zero(self.restitution):
            if self.stiffness is not None:
                raise ModelError(
                    "contact has a `stiffness` and a `restitution`, and what comes back from a "
                    "spring goes by its `dissipation`. Leave one of both out."
                )
            meets = where(self.gap + h * approach < 0.0, where(approach < -SLOW, 1.0, 0.0), 0.0)
            bounce = where(meets, maximum(-self.restitution * approach - wanted, 0.0), 0.0)
            wanted = wanted + bounce
        return FrictionCone(self.normal, self.friction, Rt, Rn, wanted, self.velocity, bounce)


class FoundPoint(NamedTuple):
    """A point of contact on bodies: 0 is the world.

    Attributes:
        a: body that is touched.
        b: the other body.
        point: what its element says.
        owner: the name of that element.
        links: names of both links; None is the world.
    """

    a: int
    b: int
    point: ContactPoint
    owner: str
    links: tuple[str | None, str | None]


def touches(element: Element) -> bool:
    """Whether an element has points of contact."""
    return type(element).contacts is not Element.contacts


def points_of(element: Any, here: Any, ports: Sequence, owner: str) -> list[FoundPoint]:
    """The points of contact of an element, checked; without those that nothing can move."""
    who = f"`contacts` of {described(element)}"
    given = call_user(who, element.contacts, here)
    if not isinstance(given, tuple | list) or not all(isinstance(x, ContactPoint) for x in given):
        raise ModelError(
            f"{who} returned {given!r}. Return a list of `ar.contacts.ContactPoint(...)`, as many "
            "wherever the figure is; a large gap where there is none."
        )
    bodies, names = [port.body for port in ports if port.X is not None], element.links
    found = []
    for x in given:
        a, b = bodies[x.link], 0 if x.other is None else bodies[x.other]
        one, two = names[x.link], None if x.other is None else names[x.other]
        if not a and b:
            a, b, one, two = b, a, two, one
            x = x._replace(normal=-x.normal, velocity=-x.velocity)
        found += [FoundPoint(a, b, x, owner, (one, two))] if a != b else []
    return found


def pairs_of(
    system: System, found: Sequence[FoundPoint], columns: WorldColumns, before: Sequence[Motion],
    after: Sequence[Motion], h: Scalar,
) -> list[Pair]:  # fmt: skip
    """Points by elements and pairs of bodies, with twists before a step and without contact.

    Pairs are near if a point may meet at twice the speed that it has, or would without contact.
    Torques against rolling are those of one unit of load.
    """
    tree = system.tree
    mobility = {0: Mobility()} | mobilities(tree, {i: None for x in found for i in (x.a, x.b) if i})
    pairs = []
    for (a, b, _), each in itertools.groupby(found, lambda x: (x.a, x.b, x.owner)):
        points = [x.point for x in each]
        pair = Pair(a, b, [x.point - columns.origin for x in points], ())
        cones, near = [], 0.0
        speeds = zip(*(pair.velocities(pair.twist(V)) for V in (before, after)), strict=True)
        for x, (u, later) in zip(points, speeds, strict=True):
            cone = x.cone(mobility[a].moves + mobility[b].moves, x.normal.dot(u), h)
            fastest = 2.0 * (size_of(u) + size_of(later)) + LEAP
            near = where(cone.wanted + fastest > 0.0, 1.0, near)
            cones.append(cone)
        first = points[0]
        own = None
        if first.rolls:
            R = STICKING * (mobility[a].turns + mobility[b].turns)
            own = Rolling(first.normal, first.rolling_friction, first.torsional_friction, R)
        pairs.append(pair._replace(cones=cones, near=near, rolling=own))
    return pairs


def size_of(u: Vec3) -> Scalar:
    """A number not below the length of a vector."""
    return absolute(u.x) + absolute(u.y) + absolute(u.z)
