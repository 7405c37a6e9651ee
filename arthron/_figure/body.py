"""One link of a figure as the user describes it: a body, the joint that moves it, and where."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np

from .._spatial.inertia import Inertia
from .._spatial.transform import Transform
from .._tree.joints import Fixed, Joint, Revolute
from .._tree.placement import as_placement
from ..errors import ModelError
from .shapes import Shape, as_shapes, inertia_of
from .user_input import LARGEST

PER_COORDINATE = {
    "lower": ("nq", -math.inf, math.inf),
    "upper": ("nq", -math.inf, math.inf),
    "velocity": ("nv", 0.0, math.inf),
    "effort": ("nv", 0.0, math.inf),
    "armature": ("nv", 0.0, LARGEST),
    "damping": ("nv", 0.0, LARGEST),
    "friction": ("nv", 0.0, LARGEST),
}
"""Data that a joint has per coordinate: of q or of qd, the least and the most it may be."""


@dataclass(frozen=True)
class Mimic:
    """A joint that follows another: q = multiplier * q[joint] + offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.joint, str):
            raise ModelError(f"a joint mimics joint {self.joint!r}. Give the name of a joint.")
        for name in ("multiplier", "offset"):
            value = getattr(self, name)
            if not isinstance(value, Real) or not math.isfinite(value):
                raise ModelError(
                    f"`{name}` is {value!r} where a joint mimics {self.joint!r}. Give a finite "
                    "number."
                )


@dataclass(frozen=True)
class Body:
    """A link and the joint that moves it in its parent.

    Attributes:
        name: unique name of the link.
        joint: how it moves; `ar.Fixed()` makes it part of its parent and a named frame, or, where
            it is not `merged`, a body of its own.
        parent: name of the parent link; None for the world.
        placement: pose of the joint in the parent: three numbers, a 4 x 4 pose or `ar.pose(...)`.
        inertia: mass properties in the link's frame; the sum over `shapes` when left out.
        shapes: solids that the body is made of, for its mass and for the view.
        joint_name: unique name of the joint; the body's name when left out.
        lower: lower limits of q, one number or one per coordinate [rad or m].
        upper: upper limits of q.
        velocity: greatest speed of each velocity coordinate [rad/s or m/s].
        effort: greatest force of each velocity coordinate [N m or N].
        armature: inertia added to each velocity coordinate [kg m^2 or kg].
        damping: viscous friction, for scenes [N m s/rad or N s/m].
        friction: dry friction, for `ar.contacts.DryFriction` [N m or N].
        mimic: another joint that this one follows, if any.
        merged: whether a fixed link becomes part of its parent; if not, wrenches through its joint
            can be asked for, and forces act on it alone.
        collision: solids that other bodies meet; `shapes` when left out.
        surface_friction: coefficient of friction of its surface, for contact (`Ground`, `Links`)
            that has none of its own.
        line: where in a file the body was described, for messages.
        warnings: what is doubtful about its description, for `model.warnings`.
    """

    name: str
    joint: Joint = field(default_factory=Revolute)
    parent: str | None = None
    placement: Any = field(default_factory=Transform)
    inertia: Inertia | None = None
    shapes: Sequence[Shape] = ()
    joint_name: str | None = None
    lower: float | Sequence[float] = -math.inf
    upper: float | Sequence[float] = math.inf
    velocity: float | Sequence[float] = math.inf
    effort: float | Sequence[float] = math.inf
    armature: float | Sequence[float] = 0.0
    damping: float | Sequence[float] = 0.0
    friction: float | Sequence[float] = 0.0
    mimic: Mimic | None = None
    merged: bool = True
    collision: Sequence[Shape] | None = None
    surface_friction: float | None = None
    line: int | None = None
    warnings: Sequence[str] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise ModelError(f"a body's name is {self.name!r}. Give a string that is not empty.")
        if isinstance(self.joint, type) or not hasattr(self.joint, "integrate"):
            raise ModelError(
                f"the joint of body {self.name!r} is {self.joint!r}. Give a joint, with brackets: "
                '`ar.Revolute("z")`, `ar.Free()` or `ar.Fixed()`.'
            )
        if not (self.parent is None or isinstance(self.parent, str)):
            raise ModelError(
                f"the parent of body {self.name!r} is {self.parent!r}. Give its name, or None."
            )
        if not (self.mimic is None or isinstance(self.mimic, Mimic)):
            raise ModelError(
                f"`mimic` of body {self.name!r} is {self.mimic!r}. Give `ar.Mimic(joint, ...)`."
            )
        if not isinstance(self.merged, bool):
            raise ModelError(
                f"`merged` of body {self.name!r} is {self.merged!r}. Give True or False."
            )
        object.__setattr__(self, "shapes", as_shapes(self.shapes))
        solids = self.shapes if self.collision is None else as_shapes(self.collision, "collision")
        object.__setattr__(self, "collision", solids)
        if self.surface_friction is not None:
            object.__setattr__(self, "surface_friction", self._coefficient(self.surface_friction))
        object.__setattr__(self, "warnings", tuple(self.warnings))
        object.__setattr__(self, "placement", as_placement(self.placement))
        for name, (size, *bounds) in PER_COORDINATE.items():
            object.__setattr__(self, name, self._numbers(name, getattr(self.joint, size), *bounds))
        for low, high in zip(self.lower, self.upper, strict=True):  # type: ignore[arg-type]
            if low > high:
                raise ModelError(
                    f"body {self.name!r} has lower limit {low:g} above upper limit {high:g}. "
                    "Swap them."
                )
        if self.joint_name is None:
            object.__setattr__(self, "joint_name", self.name)
        if self.inertia is None:
            object.__setattr__(self, "inertia", inertia_of(self.shapes))
        elif not isinstance(self.inertia, Inertia):
            raise ModelError(
                f"the inertia of body {self.name!r} is {self.inertia!r}. Give "
                "`ar.Inertia.from_com(mass, com, inertia_about_com)`, or leave it out and give "
                "`shapes`."
            )

    @property
    def part_of_parent(self) -> bool:
        """Whether it is no body of its own, but a frame on its parent."""
        return isinstance(self.joint, Fixed) and self.merged

    def _coefficient(self, value: Any) -> float:
        """What was given for its surface."""
        if not isinstance(value, Real) or not 0.0 <= float(value) <= LARGEST:
            raise ModelError(
                f"`surface_friction` of body {self.name!r} is {value!r}. Give a coefficient of "
                "friction, a number of zero or more, or None."
            )
        return float(value)

    def _numbers(self, name: str, n: int, least: float, most: float) -> tuple[float, ...]:
        """What was given for a joint, as one float per coordinate."""
        value = getattr(self, name)
        try:
            numbers = np.broadcast_to(np.asarray(value, dtype=float), (n,))
        except (TypeError, ValueError):
            raise ModelError(
                f"{name} of body {self.name!r} is {value!r}. Its joint has {n} coordinates: give "
                f"one number for all, or {n}."
            ) from None
        if not np.all((numbers >= least) & (numbers <= most)):
            rule = "zero or more" if least == 0.0 else "numbers"
            rule += f", and at most {most:g}" if most < math.inf else ""
            raise ModelError(f"{name} of body {self.name!r} is {value!r}. It must be {rule}.")
        return tuple(float(x) for x in numbers)
