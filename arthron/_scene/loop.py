"""Loops: two links of a figure that a joint holds together, besides those of its tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import Any, ClassVar

from .._spatial.motions import Motion
from .._spatial.scalar import Scalar
from .._spatial.transform import Transform
from .._spatial.vectors import Mat3, Vec3
from .._tree.placement import as_placement
from ..errors import ModelError
from .element import Element, Here, MovingFrame, Variable
from .joint_coordinates import JointProjection
from .joint_rows import forbidden, units_of

Placed = tuple[str | None, tuple[tuple[float, ...], ...]]
"""A frame on a link: its name, None for the world, and the rows of E and r of the transform."""
OPEN = ((nan,) * 3,) * 4


def on_link(given: Any) -> Any:
    """A link and where on it: at its origin for a name alone."""
    return (given, (0.0, 0.0, 0.0)) if given is None or isinstance(given, str) else given


def placed(kind: str, given: Any, *, may_be_open: bool = False) -> Placed:
    """A frame on a link, from its name, or that and a point, a placement or a 4 x 4 pose."""
    given = on_link(given)
    if not isinstance(given, tuple | list) or len(given) != 2 or isinstance(given[0], tuple | list):
        raise ModelError(
            f"an end of a {kind} is {given!r}. Give a link's name, or None for the world, and a "
            'point in its frame or a placement: `("rod", (0, 0, 0.1))`, `("rod", ar.pose(...))`.'
        )
    link, place = given
    if place is None and may_be_open:
        return link, OPEN
    if isinstance(place, tuple) and len(place) == 4 and all(len(row) == 3 for row in place):
        return link, place  # what this made before
    X = as_placement(place)
    return link, (*map(tuple, X.E), tuple(X.r))


def transform(end: Placed) -> Transform:
    """From the link to the frame on it."""
    *E, r = (Vec3(*row) for row in end[1])
    return Transform(Mat3(*E), r)


@dataclass(frozen=True)
class Loop(Element):
    """Two links that a joint holds together, as if the second hung behind it on the first.

    Rows are what the joint forbids: five of a hinge, three of a ball, six of a weld.

    Attributes:
        a: the frame before the joint: a link, None for the world, and a point or placement on it;
            or a link's name for its own frame.
        b: the frame behind it; `(link, None)` for where a is at the start of a simulation.
        joint: any kind of joint; `ar.Fixed()` is a weld.
    """

    a: Any
    b: Any
    joint: Any

    relative: ClassVar[bool] = True
    reads_states: ClassVar[bool] = True

    def __post_init__(self) -> None:
        kind = type(self.joint)
        if isinstance(self.joint, type) or not hasattr(self.joint, "integrate"):
            raise ModelError(
                f"the joint of a Loop is {self.joint!r}. Give a joint such as "
                '`ar.Revolute("y")`; `ar.Fixed()` is a weld.'
            )
        if self.joint.nv == 6:
            raise ModelError(f"the joint of a Loop is {kind.__name__}, which forbids nothing.")
        object.__setattr__(self, "a", placed("Loop", self.a))
        object.__setattr__(self, "b", placed("Loop", self.b, may_be_open=True))

    @property
    def links(self) -> tuple[str | None, ...]:  # type: ignore[override]
        return (self.a[0], self.b[0])

    @property
    def units(self) -> Sequence[str]:  # type: ignore[override]
        return units_of(self.joint)

    @property
    def open_at_start(self) -> tuple[str, ...]:
        at = self.b[1][0][0]
        return ("b",) if isinstance(at, float) and isnan(at) else ()

    def at_start(self, here: Here) -> Mapping[str, Any]:
        """The frame behind the joint is where the one before it is."""
        A, B = (frame.X for frame in here.frames)
        neutral, _, _, _ = self.joint(self.joint.neutral(), (0.0,) * self.joint.nv)
        X = neutral @ transform(self.a) @ A @ B.inverse()
        return {"b": [*(x for row in X.E for x in row), *X.r]}

    @property
    def variables(self) -> Mapping[str, Variable]:  # type: ignore[override]
        """Coordinates of a joint whose rows have no closed form."""
        if forbidden(self.joint) is not None:
            return {}
        return {"q": Variable(tuple(map(float, self.joint.neutral())), self._tidy)}

    def states_at_start(self, here: Here) -> Mapping[str, Sequence[Scalar]]:
        if not self.variables:
            return {}
        return {"q": self.joint.find(self._across(here.frames)[0], self.joint.neutral())}

    def constraint(self, here: Here) -> list[Scalar]:
        X, _ = self._across(here.frames)
        rows = forbidden(self.joint)
        return rows(X) if rows else JointProjection(self.joint).rows(X, here.states["q"])

    def rates(self, here: Here) -> Mapping[str, Sequence[Scalar]]:
        X, v = self._across(here.frames)
        return {"q": JointProjection(self.joint).rates(X, v, here.states["q"])}

    def _across(self, frames: Sequence[MovingFrame]) -> tuple[Transform, Motion]:
        """The transform across the joint, and the velocity of b as seen from a, in b's axes."""
        A, B = frames
        Xa, Xb = transform(self.a), transform(self.b)
        X = (Xb @ B.X) @ (Xa @ A.X).inverse()
        return X, Xb @ B.v - X @ (Xa @ A.v)

    def _tidy(self, q: Sequence[Scalar]) -> Sequence[Scalar]:
        return self.joint.normalize(q, (0.0,) * self.joint.nv)[0]
