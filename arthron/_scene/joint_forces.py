"""What pulls at joints: springs, limits and torques, in a joint's coordinates."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from .._spatial.scalar import Scalar, where
from .._tree.joints import Joint
from ..errors import ModelError
from .call_user import call_user, numbers
from .element import Element, Here, check_numbers, described, floats

if TYPE_CHECKING:
    from .._model.model import Model


@dataclass(frozen=True)
class JointSpring(Element):
    """A spring and a damper at a joint, per coordinate: -k (q - rest) - d qd (S19 2.68, 2.70).

    Attributes:
        joint: its name.
        stiffness: one number, or one per velocity coordinate [N m/rad or N/m].
        damping: likewise [N m s/rad or N s/m].
        rest: coordinates at rest; the joint's neutral ones when left out.
    """

    joint: str
    stiffness: float | Sequence[float] = 0.0
    damping: float | Sequence[float] = 0.0
    rest: float | Sequence[float] | None = None
    conservative = True

    def __post_init__(self) -> None:
        check_numbers(self, stiffness=self.stiffness, damping=self.damping)

    @property
    def joints(self) -> tuple[str, ...]:  # type: ignore[override]
        return (self.joint,)

    def fitted(self, model: Model) -> Self:
        joint = _joint(self, model)
        rest = joint.neutral()
        if self.rest is not None:
            rest = _each(self, "rest", self.rest, joint.nq)
            if not all(math.isfinite(x) for x in joint.normalize(rest, (0.0,) * joint.nv)[0]):
                raise ModelError(
                    f"`rest` of {described(self)} is {self.rest!r}, which is no pose. Give "
                    f"{joint.nq} finite numbers; a quaternion has a length."
                )
        k, d = (_each(self, n, getattr(self, n), joint.nv) for n in ("stiffness", "damping"))
        return replace(self, stiffness=k, damping=d, rest=rest)

    def forces(self, here: Here) -> tuple:
        pairs: Any = zip(self.damping, here.qd[0], strict=True)  # type: ignore[arg-type]
        return (tuple(-d * x for d, x in pairs),)

    def energy(self, here: Here) -> Scalar:
        (joint,) = here.joints
        total: Scalar = 0.0
        off = joint.difference(self.rest, here.q[0])  # type: ignore[arg-type]
        for k, x in zip(self.stiffness, off, strict=True):  # type: ignore[arg-type]
            total = total + 0.5 * (k * x * x)
        return total


@dataclass(frozen=True)
class JointLimit(Element):
    """A stiff spring and a damper that act beyond the limits of a joint (S19 §2.5).

    Attributes:
        joint: its name.
        stiffness: one number, or one per coordinate [N m/rad or N/m].
        damping: likewise, while beyond the limit [N m s/rad or N s/m]. It sets in and ends with a
            jump, at which methods of higher order fall to the first.
        lower: the limits of the model when left out.
        upper: likewise.
    """

    joint: str
    stiffness: float | Sequence[float]
    damping: float | Sequence[float] = 0.0
    lower: float | Sequence[float] | None = None
    upper: float | Sequence[float] | None = None

    def __post_init__(self) -> None:
        check_numbers(self, stiffness=self.stiffness, damping=self.damping)

    @property
    def joints(self) -> tuple[str, ...]:  # type: ignore[override]
        return (self.joint,)

    def fitted(self, model: Model) -> Self:
        joint, who = _joint(self, model), described(self)
        body, n = model.figure.holder(model.joint_number(self.joint)), joint.nv
        if joint.nq != n:
            raise ModelError(
                f"{who} limits {joint.nq} coordinates that have {n} velocities. Limits are for "
                "joints whose coordinates have a velocity each."
            )
        low, high = (
            _each(self, name, getattr(body if given is None else self, name), n)
            for name, given in (("lower", self.lower), ("upper", self.upper))
        )
        if not all(a <= b for a, b in zip(low, high, strict=True)):
            raise ModelError(
                f"{who} is to stay between {low} and {high}. Give lower and upper limits."
            )
        if not any(map(math.isfinite, (*low, *high))):
            raise ModelError(
                f"{who} finds no limit there. Give `lower` and `upper`, here or in the model."
            )
        k, d = (_each(self, name, getattr(self, name), n) for name in ("stiffness", "damping"))
        return replace(self, stiffness=k, damping=d, lower=low, upper=high)

    def forces(self, here: Here) -> tuple:
        rates: Any = zip(self._beyond(here), here.qd[0], self.damping, strict=True)  # type: ignore[arg-type]
        return (tuple(-k * off - d * rate * acts for (k, off, acts), rate, d in rates),)

    def energy(self, here: Here) -> Scalar:
        total: Scalar = 0.0
        for k, off, _ in self._beyond(here):
            total = total + 0.5 * k * off * off
        return total

    def _beyond(self, here: Here) -> Iterator[tuple]:
        """Stiffness of each coordinate, how far it is below or above its limits, and whether."""
        each: Any = zip(here.q[0], self.lower, self.upper, self.stiffness, strict=True)  # type: ignore[arg-type]
        for x, low, high, k in each:
            off = where(x < low, x - low, 0.0) + where(x > high, x - high, 0.0)
            yield k, off, where(x < low, 1.0, where(x > high, 1.0, 0.0))


@dataclass(frozen=True)
class JointTorque(Element):
    """A force at a joint that is yours: `torque(q, qd, t)`, one number or one per coordinate."""

    joint: str
    torque: Callable[..., Any]

    def __post_init__(self) -> None:
        if not callable(self.torque):
            raise ModelError(
                f"the torque at joint {self.joint!r} is {self.torque!r}. Give a function of "
                "(q, qd, t); for a constant, `lambda q, qd, t: 3.0`."
            )

    @property
    def joints(self) -> tuple[str, ...]:  # type: ignore[override]
        return (self.joint,)

    def forces(self, here: Here) -> tuple:
        return (call_user(described(self), self.torque, here.q[0], here.qd[0], here.t),)


@dataclass(frozen=True)
class JointDamping(Element):
    """The viscous friction of a model's joints, those that follow others too: -d qd.

    Attributes:
        joints: their names.
        coefficients: d of each of their coordinates.
    """

    joints: tuple[str, ...] = ()  # type: ignore[misc]
    coefficients: tuple[tuple[float, ...], ...] = ()

    def forces(self, here: Here) -> tuple:
        each = zip(self.coefficients, here.qd, strict=True)
        return tuple(tuple(-d * x for d, x in zip(*joint, strict=True)) for joint in each)


def _joint(element: Any, model: Model) -> Joint:
    return model.tree.joint[model.joint_number(element.joint)]


def _each(element: Any, name: str, given: Any, n: int) -> tuple[float, ...]:
    given = given.tolist() if isinstance(given, np.ndarray) else given
    return floats(numbers(f"`{name}` of {described(element)}", given, n))
