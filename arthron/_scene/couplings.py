"""Constraints without a joint: distances, ropes, couplings of joints, functions of yours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

from .._spatial.scalar import Scalar, sqrt, where
from ..errors import ModelError
from .call_user import call_user
from .element import Element, Here, check_numbers, described, set_floats
from .link_forces import Place, check_places
from .loop import on_link

if TYPE_CHECKING:
    from .._model.model import Model


@dataclass(frozen=True)
class Between(Element):
    """Two points, and a length."""

    a: Place
    b: Place
    length: float | None = None
    relative: ClassVar[bool] = True
    units: ClassVar[Sequence[str]] = ("m",)

    def __post_init__(self) -> None:
        for name in ("a", "b"):
            object.__setattr__(self, name, on_link(getattr(self, name)))
        check_places(type(self).__name__, (self.a, self.b))
        if self.length is not None:
            check_numbers(self, length=self.length)
            if self.length <= 0.0:
                raise ModelError(
                    f"the length of {described(self)} is {self.length!r}. Give one above zero [m]; "
                    "points that meet are a `Loop` with an `ar.Spherical()` joint."
                )
        set_floats(self, "a", "b", "length")

    @property
    def links(self) -> tuple[str | None, ...]:  # type: ignore[override]
        return (self.a[0], self.b[0])

    @property
    def open_at_start(self) -> tuple[str, ...]:
        return ("length",) if self.length is None else ()

    def at_start(self, here: Here) -> Mapping[str, Scalar]:
        return {"length": self.apart(here)}

    def apart(self, here: Here) -> Scalar:
        """How far the points are apart."""
        gap = here.frames[1].at(self.b[1]) - here.frames[0].at(self.a[1])
        square = gap.dot(gap)
        apart = square > 0.0  # points that meet have no direction between them
        return where(apart, sqrt(where(apart, square, 1.0)), 0.0)


@dataclass(frozen=True)
class Distance(Between):
    """Two points that stay as far apart as they are: a rod without mass, with a ball at each end.

    Attributes:
        a: the first point: a link, None for the world, and a point in its frame; or a link's name
            for its origin.
        b: the second point.
        length: how far apart [m]; as far as at the start when left out.
    """

    def constraint(self, here: Here) -> Scalar:
        return self.apart(here) - self.length


@dataclass(frozen=True)
class Rope(Between):
    """Two points that are never farther apart than a rope is long; it pulls, and never pushes.

    Attributes:
        a: the first point, as of a `Distance`.
        b: the second point.
        length: how far apart they may be [m]; taut at the start when left out.
    """

    def inequality(self, here: Here) -> Scalar:
        return self.length - self.apart(here)


@dataclass(frozen=True)
class Coupling(Element):
    """Joints whose coordinates, each times a factor, add up to a constant: gears, differentials.

    `Coupling(("wheel", "pinion"), (3.0, 1.0))` turns the pinion three times as fast the other way.

    Attributes:
        joints: their names, of joints with one coordinate each.
        factors: one for each.
        offset: what they add up to [rad or m]; what they do at the start for None.
    """

    joints: Sequence[str] = ()  # type: ignore[misc]
    factors: Sequence[float] = ()
    offset: float | None = 0.0

    def __post_init__(self) -> None:
        several = all(isinstance(x, tuple | list) for x in (self.joints, self.factors))
        if not several or len(self.joints) != len(self.factors) or not self.joints:
            raise ModelError(
                f"a Coupling of joints {self.joints!r} has factors {self.factors!r}. Give a tuple "
                'of names and as many numbers: `Coupling(("wheel", "pinion"), (3.0, 1.0))`.'
            )
        check_numbers(self, factors=self.factors)
        if self.offset is not None:
            check_numbers(self, offset=self.offset)
        object.__setattr__(self, "joints", tuple(self.joints))
        set_floats(self, "factors", "offset")

    def fitted(self, model: Model) -> Self:
        for name in self.joints:
            joint = model.tree.joint[model.joint_number(name)]
            if joint.nq != 1:
                raise ModelError(
                    f"{described(self)} couples joint {name!r}, which has {joint.nq} coordinates. "
                    "Couple joints that have one; `ar.constraints.Constraint` takes any function."
                )
        return self

    @property
    def open_at_start(self) -> tuple[str, ...]:
        return ("offset",) if self.offset is None else ()

    def at_start(self, here: Here) -> Mapping[str, Scalar]:
        return {"offset": self._sum(here)}

    def constraint(self, here: Here) -> Scalar:
        return self._sum(here) - self.offset

    def _sum(self, here: Here) -> Scalar:
        found: Scalar = 0.0
        for factor, (x,) in zip(self.factors, here.q, strict=True):
            found = found + factor * x
        return found


@dataclass(frozen=True)
class Constraint(Element):
    """What a function of yours returns is kept at zero: one number, or several.

    Attributes:
        function: `function(here)`, traced, of `here.frames` of the links, `here.q` of the joints
            and `here.t`; as `constraint` of an element is.
        links: names of links; None is the world.
        joints: names of joints.
    """

    function: Callable[[Here], Any]
    links: Sequence[str | None] = field(default=(), kw_only=True)  # type: ignore[misc]
    joints: Sequence[str] = field(default=(), kw_only=True)  # type: ignore[misc]

    def __post_init__(self) -> None:
        for name in ("links", "joints"):
            given = getattr(self, name)
            each = (given,) if isinstance(given, str) else tuple(given)
            object.__setattr__(self, name, each)
        if not callable(self.function):
            raise ModelError(
                f"{described(self)} has the function {self.function!r}. Give one of `here` that "
                "returns what is to be zero."
            )

    def constraint(self, here: Here) -> Any:
        return call_user(f"the function of {described(self)}", self.function, here)
