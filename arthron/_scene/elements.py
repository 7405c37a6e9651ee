"""What pulls at links: forces between them, and between them and the world.

An element says what it does in the simplest terms, the wrench on each of its links as a function of
where they are and how they move. How it changes with either, which implicit steps need, is taken
from the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from .._spatial.motions import Force, Motion
from .._spatial.scalar import Scalar, divide, maximum, sqrt, where
from .._spatial.transform import Transform
from .._spatial.vectors import Vec3
from ..errors import ModelError
from .ask import ask

Point = Sequence[float]
Place = tuple[str | None, Point]
"""A point of a link: its name, None for the world, and coordinates in its frame [m]."""


class Frame(NamedTuple):
    """A link in motion: X leads from the world to it, v is its twist in its own axes."""

    X: Transform = Transform()
    v: Motion = Motion()

    def at(self, point: Point) -> Vec3:
        """A point of the link, in the world."""
        return self.X.r + self.X.R @ Vec3(*point)

    def velocity(self, point: Point) -> Vec3:
        """Velocity of a point of the link, in world axes."""
        return self.X.R @ (self.v.lin + self.v.ang.cross(Vec3(*point)))

    def wrench(self, point: Point, force: Sequence[Scalar]) -> Force:
        """A force at a point, in world axes, as a wrench in the link's own."""
        f = self.X.E @ Vec3(*force)
        return Force(Vec3(*point).cross(f), f)


class LinkForce(Protocol):
    """A force on links."""

    @property
    def links(self) -> tuple[str | None, ...]:
        """Names of the links it acts on; None is the world."""
        ...

    def wrenches(self, frames: Sequence[Frame], t: Scalar) -> Sequence[Force]:
        """The wrench on each link, in its own axes."""
        ...

    def energy(self, frames: Sequence[Frame], t: Scalar) -> Scalar:
        """Potential energy [J]; zero for forces that have none."""
        ...


def described(element: Any) -> str:
    """What an element is called in messages."""
    name = type(element).__name__
    if hasattr(element, "joint"):
        return f"the {name} at joint {element.joint!r}"
    return (
        f"the {name} on {', '.join('the world' if x is None else repr(x) for x in element.links)}"
    )


def check_numbers(element: Any, **given: Any) -> None:
    """Refuse what is not a finite number, or several."""
    for name, value in given.items():
        try:
            fine = np.isfinite(np.asarray(value, float)).all()
        except (TypeError, ValueError):
            fine = False
        if not fine:
            raise ModelError(f"`{name}` of {described(element)} is {value!r}. Give finite numbers.")


def _check_points(element: Any, **given: Any) -> None:
    check_numbers(element, **given)
    for name, value in given.items():
        if np.shape(value) != (3,):
            raise ModelError(f"`{name}` of {described(element)} is {value!r}. Give three numbers.")


def _check_places(name: str, places: Sequence[Any]) -> None:
    for place in places:
        if not isinstance(place, tuple | list) or len(place) != 2 or np.shape(place[1]) != (3,):
            raise ModelError(
                f"a place of a {name} is {place!r}. Give a link's name, or None for the world, and "
                'a point in its frame: `("hand", (0, 0, 0.1))`.'
            )


@dataclass(frozen=True)
class BodyDamping:
    """Viscous drag on a link: -c w, and -c v at a point, its origin if left out (S19 1.31)."""

    link: str
    coefficient: float
    point: Point = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        check_numbers(self, coefficient=self.coefficient)
        _check_points(self, point=self.point)

    @property
    def links(self) -> tuple[str | None, ...]:
        return (self.link,)

    def wrenches(self, frames: Sequence[Frame], t: Scalar) -> Sequence[Force]:
        (w, v), x = frames[0].v, Vec3(*self.point)
        f = (v + w.cross(x)) * -self.coefficient
        return (Force(w * -self.coefficient + x.cross(f), f),)

    def energy(self, frames: Sequence[Frame], t: Scalar) -> Scalar:
        return 0.0


@dataclass(frozen=True)
class PointForce:
    """A force of fixed direction in the world, at a point of a link (S19 1.34)."""

    link: str
    force: Point
    point: Point = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        _check_points(self, force=self.force, point=self.point)
        if self.link is None:
            raise ModelError("a PointForce acts on the world, which does not move. Name a link.")

    @property
    def links(self) -> tuple[str | None, ...]:
        return (self.link,)

    def wrenches(self, frames: Sequence[Frame], t: Scalar) -> Sequence[Force]:
        return (frames[0].wrench(self.point, Vec3(*self.force)),)

    def energy(self, frames: Sequence[Frame], t: Scalar) -> Scalar:
        return -Vec3(*self.force).dot(frames[0].at(self.point))


@dataclass(frozen=True)
class PointToPoint:
    """A spring of no rest length between two points, and a damper in the middle (S19 1.36).

    The damper works against how one link moves past the other at the middle of the gap: there both
    feel the same force, so it takes no momentum away, and nothing where they turn as one.

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
        _check_places("PointToPoint", (self.a, self.b))
        check_numbers(self, stiffness=self.stiffness, damping=self.damping)

    @property
    def points(self) -> tuple[Place, ...]:
        """Both ends."""
        return (self.a, self.b)

    @property
    def links(self) -> tuple[str | None, ...]:
        return (self.a[0], self.b[0])

    def wrenches(self, frames: Sequence[Frame], t: Scalar) -> Sequence[Force]:
        one, two = frames
        at_one, at_two = one.at(self.a[1]), two.at(self.b[1])
        pull = (at_two - at_one) * self.stiffness
        middle = (at_one + at_two) * 0.5
        a, b = (frame.X.E @ (middle - frame.X.r) for frame in frames)
        brake = (two.velocity(b) - one.velocity(a)) * self.damping
        return (
            one.wrench(self.a[1], pull) + one.wrench(a, brake),
            two.wrench(self.b[1], -pull) + two.wrench(b, -brake),
        )

    def energy(self, frames: Sequence[Frame], t: Scalar) -> Scalar:
        gap = frames[1].at(self.b[1]) - frames[0].at(self.a[1])
        return 0.5 * self.stiffness * gap.dot(gap)


class _Line:
    """A line through points of links, under tension k e + d de/dt with e = (l - L) / L."""

    points: tuple[Place, ...]
    stiffness: float
    rest: float
    damping: float
    pushes: ClassVar[bool]

    def __post_init__(self) -> None:
        name = type(self).__name__
        _check_places(name, self.points)
        if len(self.points) < 2:
            raise ModelError(f"a {name} has {len(self.points)} points. Give two or more.")
        check_numbers(self, stiffness=self.stiffness, rest=self.rest, damping=self.damping)
        if not self.rest > 0.0:
            raise ModelError(
                f"the rest length of {described(self)} is {self.rest!r}. Give a length above zero "
                "[m]; without one there is `PointToPoint`."
            )

    @property
    def links(self) -> tuple[str | None, ...]:
        return tuple(link for link, _ in self.points)

    def wrenches(self, frames: Sequence[Frame], t: Scalar) -> Sequence[Force]:
        at = [frame.at(p) for frame, (_, p) in zip(frames, self.points, strict=True)]
        rates = [frame.velocity(p) for frame, (_, p) in zip(frames, self.points, strict=True)]
        length, rate, along = _line(at, rates)
        strain, strain_rate = (length - self.rest) / self.rest, rate / self.rest
        tension = self.stiffness * strain + self.damping * strain_rate
        if not self.pushes:
            tension = where(strain > 0.0, maximum(tension, 0.0), 0.0)
        forces = [Vec3() for _ in at]
        for k, u in enumerate(along):
            forces[k], forces[k + 1] = forces[k] + u * tension, forces[k + 1] - u * tension
        return tuple(
            frame.wrench(p, f) for frame, (_, p), f in zip(frames, self.points, forces, strict=True)
        )

    def energy(self, frames: Sequence[Frame], t: Scalar) -> Scalar:
        at = [frame.at(p) for frame, (_, p) in zip(frames, self.points, strict=True)]
        length, _, _ = _line(at, [Vec3() for _ in at])
        longer = length - self.rest
        stretch = longer if self.pushes else maximum(longer, 0.0)
        return 0.5 * self.stiffness / self.rest * stretch * stretch


@dataclass(frozen=True)
class Cable(_Line):
    """A line through points of links that pulls when taut: k e + d de/dt, e = (l - L) / L.

    Attributes:
        points: at least two, the ends and those it runs through without friction.
        stiffness: tension per strain k [N].
        rest: rest length L [m].
        damping: tension per rate of strain d [N s].
    """

    points: tuple[Place, ...]
    stiffness: float
    rest: float
    damping: float = 0.0
    pushes: ClassVar[bool] = False


@dataclass(frozen=True)
class SpringDamper(_Line):
    """A spring with rest length between two points, and a damper along it.

    It pulls and pushes with k e + d de/dt, e = (l - L) / L (S19 1.65, with the sign that damps).

    Attributes:
        a: the first point.
        b: the second point.
        stiffness: tension per strain k [N].
        rest: rest length L [m].
        damping: tension per rate of strain d [N s].
    """

    a: Place
    b: Place
    stiffness: float
    rest: float
    damping: float = 0.0
    pushes: ClassVar[bool] = True

    @property
    def points(self) -> tuple[Place, ...]:  # type: ignore[override]
        """Both ends."""
        return (self.a, self.b)


def _line(at: list[Vec3], rates: list[Vec3]) -> tuple[Scalar, Scalar, list[Vec3]]:
    """Length of a line through points, its rate, and the direction of each part."""
    length, rate, along = 0.0, 0.0, []
    for k in range(len(at) - 1):
        gap = at[k + 1] - at[k]
        square = gap.dot(gap)
        apart = square > 0.0  # points that meet have no direction between them
        part = sqrt(where(apart, square, 1.0))
        u = gap * divide(1.0, part)
        length = length + where(apart, part, 0.0)
        rate = rate + u.dot(rates[k + 1] - rates[k])
        along.append(u)
    return length, rate, along


@dataclass(frozen=True)
class LinkLoad:
    """A force on links that is yours: `wrench(frames, t)` gives one wrench, or one for each link.

    `potential(frames, t)`, a function of where links are, pulls with minus its slope. Both are
    traced, and add up where both are given.

    Attributes:
        links: names of the links; None is the world.
        wrench: wrenches in the links' own axes, as `Force`.
        potential: energy [J].
    """

    links: tuple[str | None, ...]
    wrench: Callable[..., Any] | None = None
    potential: Callable[..., Scalar] | None = None

    def __post_init__(self) -> None:
        if isinstance(self.links, str):
            object.__setattr__(self, "links", (self.links,))
        given = [f for f in (self.wrench, self.potential) if f is not None]
        if not given or not all(map(callable, given)):
            raise ModelError(
                f"{described(self)} has neither a wrench nor a potential that can be called. Give "
                "`wrench=f` or `potential=f`, f(frames, t)."
            )

    def wrenches(self, frames: Sequence[Frame], t: Scalar) -> Sequence[Force]:
        if self.wrench is None:
            return ()
        result: Any = ask(f"the wrench of {described(self)}", self.wrench, frames, t)
        alone = isinstance(result, Force) or result is None
        given: tuple[Any, ...] = (result,) if alone else tuple(result)  # type: ignore[arg-type]
        if len(given) != len(self.links) or not all(isinstance(f, Force) for f in given):
            raise ModelError(
                f"the wrench of {described(self)} is {result!r}. Return `frame.wrench(point, "
                "force)` or a `Force` for each link."
            )
        return given

    def energy(self, frames: Sequence[Frame], t: Scalar) -> Scalar:
        if self.potential is None:
            return 0.0
        energy = ask(f"the potential of {described(self)}", self.potential, frames, t)
        if energy is None or isinstance(energy, tuple):
            raise ModelError(
                f"the potential of {described(self)} is {energy!r}. Return one number. Did you "
                "forget `return`?"
            )
        return energy
