"""What acts in a scene: the protocol, the same for arthron's elements and for yours.

An element says which links and joints it touches, which numbers it has, which states of its own,
and, of all that at a moment, the forces it exerts, the energy it stores, the rates of its states
and what it keeps at zero. How forces change with the state, which implicit steps need, is taken
from the graph.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, fields
from types import EllipsisType
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .._graph.expr import is_scalar
from .._spatial.motions import Force, Motion
from .._spatial.scalar import Scalar
from .._spatial.transform import Transform
from .._spatial.vectors import Vec3
from .._tree.joints import Joint
from .._tree.tree import Tree
from ..errors import ModelError
from .call_user import call_user
from .ranges import Range

Point = Sequence[Scalar]
BACK = 10.0
"""How fast what is off comes back where steps have no end, and from beyond limits [1/s]."""
NEAR = 0.1
"""What is off by little comes back as fast as what is off by so much more: steps bend."""


class MovingFrame(NamedTuple):
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


@dataclass(frozen=True)
class Variable:
    """A state that an element has besides the figure's: one number, or several.

    Attributes:
        start: where it starts, a number or a tuple of them.
        tidy: what is made of it after each step, if anything: a traced function of it, which keeps
            it between limits, or of unit length.
        scale: size of an error in it that matters as much as one in a coordinate.
        saved: whether trajectories keep it.
    """

    start: float | Sequence[float] = 0.0
    tidy: Callable[[Any], Any] | None = None
    scale: float = 1.0
    saved: bool = True

    @property
    def size(self) -> int:
        """How many numbers it is."""
        return len(self.start) if isinstance(self.start, tuple | list) else int(np.size(self.start))

    def tidied(self, scalars: Sequence[Scalar]) -> list[Scalar]:
        """Its numbers after a step."""
        if self.tidy is None:
            return list(scalars)
        given = call_user("the `tidy` of a state", self.tidy, self.shaped(scalars))
        each = list(given) if isinstance(given, tuple | list) else [given]
        if len(each) != self.size:
            raise ModelError(
                f"the `tidy` of a state returned {given!r}. Return as many numbers as the state "
                f"has: {self.size}."
            )
        return each

    def shaped(self, scalars: Sequence[Scalar]) -> Any:
        """Its numbers as an element sees them: one, or a tuple."""
        several = isinstance(self.start, tuple | list) or np.ndim(self.start)
        return tuple(scalars) if several else scalars[0]


class Here(NamedTuple):
    """What an element sees of a scene at a moment.

    Attributes:
        t: time [s].
        frames: its links, in its order; the world stands still.
        q: coordinates of its joints, a tuple each; of the whole figure where its joints are `...`.
        qd: their velocities, likewise.
        joints: the joints themselves, for `difference` and `integrate` of their coordinates.
        states: its own states, by name.
        tree: the figure, for pages.
    """

    t: Scalar
    frames: Sequence[MovingFrame]
    q: Sequence[Any]
    qd: Sequence[Any]
    joints: Sequence[Joint]
    states: Mapping[str, Any]
    tree: Tree


@dataclass(frozen=True)
class Element:
    """Something that acts in a scene. Derive a frozen dataclass from it, and say what it does.

    Fields that are floats are parameters: inputs of the compiled step, called "name.field".

    Attributes:
        name: what to call it in parameters, states and messages.
        links: names of the links it touches; None is the world.
        joints: names of the joints it touches; `...` for all of them, as controllers do.
        variables: states of its own.
        conservative: whether minus the slope of its energy acts, besides its forces.
        implicit: whether steps that are implicit in forces take the slopes of its forces.
        relative: whether what it keeps depends only on how its links are to one another: joints
            that move all of them together are left out of its rows.
        reads_states: whether its constraint may read its states, by which it has no slope.
        back: how fast what it keeps above zero comes back from below [1/s].
        ahead: whether that is kept from passing zero; else it is stopped where it has.
        near: what comes back does so as if it were farther below by so much.
        rubs_inside: whether it is friction inside a joint, by the load that this carries.
        units: of what its constraint keeps at zero, "m" or "rad" each; none where that is unknown.
        ranges: what the numbers in some fields may be, there and as `parameters` of simulations.
    """

    name: str = field(default="", kw_only=True)

    links: ClassVar[Sequence[str | None]] = ()
    joints: ClassVar[Sequence[str] | EllipsisType] = ()
    variables: ClassVar[Mapping[str, Variable]] = {}
    conservative: ClassVar[bool] = False
    implicit: ClassVar[bool] = True
    relative: ClassVar[bool] = False
    reads_states: ClassVar[bool] = False
    rubs_inside: ClassVar[bool] = False
    back = BACK  # without types: they may be fields of a derived class
    ahead = True
    near = NEAR
    units: ClassVar[Sequence[str]] = ()
    ranges: ClassVar[Mapping[str, Range]] = {}

    @property
    def exerts_forces(self) -> bool:
        """Whether it exerts forces."""
        return self.conservative or type(self).forces is not Element.forces

    def forces(self, here: Here) -> Any:
        """A `Force` on each link, then a number or a tuple of them for each joint."""
        return ()

    def energy(self, here: Here) -> Scalar:
        """Potential energy [J]."""
        return 0.0

    def rates(self, here: Here) -> Mapping[str, Any]:
        """How fast each of its states changes, by name."""
        return {}

    def constraint(self, here: Here) -> Sequence[Scalar]:
        """What is kept at zero: functions of where links and joints are, and of time."""
        return ()

    def velocity_constraint(self, here: Here) -> Sequence[Scalar]:
        """What is kept at zero of velocities, in which it is linear; also of pose and time."""
        return ()

    def inequality(self, here: Here) -> Sequence[Scalar]:
        """What is kept at zero or above: functions of the same."""
        return ()

    def contacts(self, here: Here) -> Sequence[Any]:
        """Where links touch the world or each other, or may soon: points, always as many."""
        return ()

    def fitted(self, model: Any) -> Element:
        """The same with what it leaves open filled in from a model."""
        return self

    @property
    def open_at_start(self) -> Sequence[str]:
        """Fields that are what they are at the start of a simulation."""
        return ()

    def at_start(self, here: Here) -> Mapping[str, Any]:
        """Those fields, and what they are there: a number, or all of a field's in a row."""
        return {}

    def states_at_start(self, here: Here) -> Mapping[str, Sequence[Scalar]]:
        """States that go with the pose a simulation starts from, where they are not given."""
        return {}


class FixedCoordinates(Element, ABC):
    """An element that says how some velocity coordinates of a joint move.

    Attributes:
        joint: its name.
        tracks_position: whether steps end where the joint should be; else it is as fast as it
            should be.
    """

    joint: str

    @property
    @abstractmethod
    def tracks_position(self) -> bool: ...

    @abstractmethod
    def fixed(self, joint: Joint) -> Sequence[int]:
        """Which velocity coordinates of the joint."""
        ...

    @abstractmethod
    def target(self, joint: Joint, q, t: Scalar) -> tuple:
        """Coordinates that a joint which tracks a position should have; others as in `q`."""
        ...

    @abstractmethod
    def wanted_rate(self, joint: Joint, q, before, t: Scalar, h: Scalar, mean: Scalar) -> tuple:
        """Velocity that a joint should have at time t at `q`, `before` being that a time h ago.

        An acceleration is that at the time `mean`.
        """
        ...

    @abstractmethod
    def wanted_acceleration(self, joint: Joint, q, qd, t: Scalar) -> tuple:
        """Acceleration that it should have."""
        ...

    @abstractmethod
    def consistent_state(self, joint: Joint, q, qd, t: Scalar) -> tuple[tuple, tuple]:
        """(q, qd) of a joint that is where it should be, and as fast."""
        ...


def rates_of(element: Element, here: Here) -> dict[str, list[Scalar]]:
    """How fast each state of an element changes, checked."""
    if not element.variables:
        return {}
    who, found = described(element), {}
    given = call_user(f"`rates` of {who}", element.rates, here)
    if not isinstance(given, Mapping) or set(given) != set(element.variables):
        raise ModelError(
            f"`rates` of {who} returned {given!r}. Return a dict with the rate of each of its "
            f"states: {', '.join(map(repr, element.variables))}."
        )
    for n, variable in element.variables.items():
        x = given[n]
        each = list(x) if isinstance(x, tuple | list) else [x]
        if len(each) != variable.size or not all(map(is_scalar, each)):
            raise ModelError(
                f"the rate of {n!r} of {who} is {x!r}. Return as many numbers as the state has: "
                f"{variable.size}."
            )
        found[n] = each
    return found


def described(element: Any) -> str:
    """What an element is called in messages."""
    kind = type(element).__name__
    if element.name:
        return f"the {kind} {element.name!r}"
    if isinstance(getattr(element, "joint", None), str):
        return f"the {kind} at joint {element.joint!r}"
    if element.joints is ...:
        return "the controller"
    ends = [*("the world" if x is None else repr(x) for x in element.links),
            *map(repr, element.joints)]  # fmt: skip
    if len(ends) > 4:
        ends = [*ends[:2], f"{len(ends) - 2} others"]
    return f"the {kind} on {', '.join(ends)}" if ends else f"the {kind}"


def check_numbers(element: Any, **given: Any) -> None:
    """Refuse what is not a finite number, or several."""
    for name, value in given.items():
        try:
            text = np.asarray(value).dtype.kind in "SU"  # which float() would read
            fine = not text and np.isfinite(np.asarray(value, float)).all()
        except (TypeError, ValueError):
            fine = False
        if not fine:
            raise ModelError(f"`{name}` of {described(element)} is {value!r}. Give finite numbers.")


def check_ranges(element: Element, who: str) -> None:
    """Refuse what is no number, or outside of its range; None is what is left out, if it may be."""
    for name, own in element.ranges.items():
        value = getattr(element, name)
        if value is None and getattr(type(element), name) is None:
            continue
        check_numbers(element, **{name: value})
        if own.bad(np.asarray(value, float)) is not None:
            raise ModelError(f"`{name}` of {who} is {value!r}. Give {own.wanted}.")


def floats(value: Any) -> Any:
    """Numbers as floats, in nested tuples."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, tuple | list):
        return tuple(floats(x) for x in value)
    return float(value) if isinstance(value, int | np.number) else value


def set_floats(element: Any, *names: str) -> None:
    """Make numbers of some fields floats, so that they are parameters."""
    for name in names:
        object.__setattr__(element, name, floats(getattr(element, name)))


def with_floats(element: Element) -> Element:
    """The same with floats for whole numbers, in fields that are annotated as floats."""
    changed = copy(element)
    set_floats(changed, *(x.name for x in fields(element) if "float" in str(x.type)))
    return changed
