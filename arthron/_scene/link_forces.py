"""What pulls at links: forces between them, and between them and the world."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._spatial.motions import Force
from .._spatial.scalar import Scalar
from .._spatial.vectors import Vec3
from ..errors import ModelError
from .call_user import call_user
from .element import Element, Here, Point, check_numbers, described, set_floats

Place = tuple[str | None, Point]
"""A point of a link: its name, None for the world, and coordinates in its frame [m]."""


def check_points(element: Any, **given: Any) -> None:
    """Refuse what is not a point."""
    check_numbers(element, **given)
    for name, value in given.items():
        if np.shape(value) != (3,):
            raise ModelError(f"`{name}` of {described(element)} is {value!r}. Give three numbers.")


def check_places(name: str, places: Sequence[Any]) -> None:
    """Refuse what is not a point of a link."""
    for place in places:
        if not isinstance(place, tuple | list) or len(place) != 2 or np.shape(place[1]) != (3,):
            raise ModelError(
                f"a place of a {name} is {place!r}. Give a link's name, or None for the world, and "
                'a point in its frame: `("hand", (0, 0, 0.1))`.'
            )


@dataclass(frozen=True)
class BodyDamping(Element):
    """Viscous drag on a link: -c w, and -c v at a point, its origin if left out (S19 §1.9.1)."""

    link: str
    coefficient: float
    point: Point = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        check_numbers(self, coefficient=self.coefficient)
        check_points(self, point=self.point)
        set_floats(self, "coefficient", "point")

    @property
    def links(self) -> tuple[str | None, ...]:  # type: ignore[override]
        return (self.link,)

    def forces(self, here: Here) -> tuple:
        (w, v), x = here.frames[0].v, Vec3(*self.point)
        f = (v + w.cross(x)) * -self.coefficient
        return (Force(w * -self.coefficient + x.cross(f), f),)


@dataclass(frozen=True)
class PointForce(Element):
    """A force of fixed direction in the world, at a point of a link (S19 1.31)."""

    link: str
    force: Point
    point: Point = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        check_points(self, force=self.force, point=self.point)
        if self.link is None:
            raise ModelError("a PointForce acts on the world, which does not move. Name a link.")
        set_floats(self, "force", "point")

    @property
    def links(self) -> tuple[str | None, ...]:  # type: ignore[override]
        return (self.link,)

    def forces(self, here: Here) -> tuple:
        return (here.frames[0].wrench(self.point, Vec3(*self.force)),)

    def energy(self, here: Here) -> Scalar:
        return -Vec3(*self.force).dot(here.frames[0].at(self.point))


@dataclass(frozen=True)
class PointToPoint(Element):
    """A spring of no rest length between two points, and a damper in the middle (S19 1.35).

    The damper works against the difference of both links' velocities at the point midway between a
    and b. Both feel the same force there, so it takes no momentum away, and nothing where they turn
    as one.

    Attributes:
        a: the first point.
        b: the second point.
        stiffness: force per distance [N/m].
        damping: force per velocity of one link seen from the other [N s/m].
    """

    a: Place
    b: Place
    stiffness: float
    damping: float = 0.0

    def __post_init__(self) -> None:
        check_places("PointToPoint", self.points)
        check_numbers(self, stiffness=self.stiffness, damping=self.damping)
        set_floats(self, "a", "b", "stiffness", "damping")

    @property
    def points(self) -> tuple[Place, ...]:
        """Both ends."""
        return (self.a, self.b)

    @property
    def links(self) -> tuple[str | None, ...]:  # type: ignore[override]
        return (self.a[0], self.b[0])

    def forces(self, here: Here) -> tuple:
        one, two = here.frames
        at_one, at_two = one.at(self.a[1]), two.at(self.b[1])
        pull = (at_two - at_one) * self.stiffness
        middle = (at_one + at_two) * 0.5
        a, b = (frame.X.E @ (middle - frame.X.r) for frame in here.frames)
        brake = (two.velocity(b) - one.velocity(a)) * self.damping
        return (
            one.wrench(self.a[1], pull) + one.wrench(a, brake),
            two.wrench(self.b[1], -pull) + two.wrench(b, -brake),
        )

    def energy(self, here: Here) -> Scalar:
        gap = here.frames[1].at(self.b[1]) - here.frames[0].at(self.a[1])
        return 0.5 * self.stiffness * gap.dot(gap)


@dataclass(frozen=True)
class LinkLoad(Element):
    """A force on links that is yours: `wrench(frames, t)` gives one wrench, or one for each link.

    `potential(frames, t)`, a function of where links are, pulls with minus its slope. Both are
    traced, and add up where both are given.

    Attributes:
        links: names of the links; None is the world.
        wrench: wrenches in the links' own axes, as `Force`.
        potential: energy [J].
    """

    links: Sequence[str | None] = ()  # type: ignore[misc]
    wrench: Callable[..., Any] | None = None
    potential: Callable[..., Scalar] | None = None

    def __post_init__(self) -> None:
        links = (self.links,) if isinstance(self.links, str) else tuple(self.links)
        object.__setattr__(self, "links", links)
        given = [f for f in (self.wrench, self.potential) if f is not None]
        if not given or not all(map(callable, given)):
            raise ModelError(
                f"{described(self)} has neither a wrench nor a potential that can be called. Give "
                "`wrench=f` or `potential=f`, f(frames, t)."
            )

    @property
    def conservative(self) -> bool:  # type: ignore[override]
        return self.potential is not None

    def forces(self, here: Here) -> Any:
        if self.wrench is None:
            return ()
        return call_user(f"the wrench of {described(self)}", self.wrench, here.frames, here.t)

    def energy(self, here: Here) -> Scalar:
        if self.potential is None:
            return 0.0
        return call_user(f"the potential of {described(self)}", self.potential, here.frames, here.t)
