"""Joints that move as prescribed: where they should be, how fast, and with which acceleration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from numbers import Real
from typing import TYPE_CHECKING, Any, Self

from .._graph.autodiff import jvp
from .._graph.graph import Graph
from .._spatial.scalar import Scalar
from .._tree.joints import Joint
from ..errors import ModelError
from .call_user import call_user, numbers
from .element import FixedCoordinates, set_floats
from .target_kinematics import target_kinematics

if TYPE_CHECKING:
    from .._model.model import Model

LEVELS = ("position", "velocity", "acceleration")


@dataclass(frozen=True)
class Prescribed(FixedCoordinates):
    """A joint that moves as prescribed, or one coordinate of it.

    Exactly one of the three is given, a traced function of time that returns one number, or one for
    each coordinate.

    Attributes:
        joint: its name.
        position: coordinates [rad or m], those of q: a quaternion for a ball.
        velocity: velocity coordinates; the joint starts where the initial state has it.
        acceleration: their rates.
        gain: with `position`, how fast a joint that is off comes back [1/s]: it moves at the rate
            of the position plus gain times how far it is off, from the first step on; with
            "Runge-Kutta" it gets there as if critically damped. When left out, each step ends where
            it should.
        coordinate: which coordinate of the joint, from 0 on; all of them when left out.
    """

    joint: str
    position: Callable[..., Any] | None = None
    velocity: Callable[..., Any] | None = None
    acceleration: Callable[..., Any] | None = None
    gain: float | None = None
    coordinate: int | None = None

    def __post_init__(self) -> None:
        given = [level for level in LEVELS if getattr(self, level) is not None]
        if len(given) != 1:
            raise ModelError(
                f"the motion of joint {self.joint!r} is given by {len(given)} functions. Give one "
                "of `position`, `velocity` and `acceleration`."
            )
        if not callable(self.function):
            raise ModelError(
                f"`{given[0]}` of the motion of joint {self.joint!r} is {self.function!r}. Give a "
                "function of time: `lambda t: 0.5`."
            )
        if self.gain is not None and not (isinstance(self.gain, Real) and 0.0 <= self.gain < inf):
            raise ModelError(
                f"the gain of the motion of joint {self.joint!r} is {self.gain!r}. Give a number, "
                "zero or above [1/s]."
            )
        if self.gain is not None and self.position is None:
            raise ModelError(
                f"the motion of joint {self.joint!r} has a gain, and no position to come back to. "
                "Give `position=`, or leave the gain out."
            )
        set_floats(self, "gain")

    @property
    def function(self) -> Callable[..., Any]:
        """The one that is given."""
        return next(f for f in (self.position, self.velocity, self.acceleration) if f is not None)

    @property
    def joints(self) -> tuple[str, ...]:  # type: ignore[override]
        return (self.joint,)

    def fitted(self, model: Model) -> Self:
        joint, k = model.tree.joint[model.joint_number(self.joint)], self.coordinate
        if self.position is None and _changes(joint):
            raise ModelError(
                f"joint {self.joint!r} changes its coordinates as it turns, and with them what a "
                "velocity means. Give its `position`, or let it have quaternions."
            )
        if k is not None and (joint.nq != joint.nv or _changes(joint)):
            raise ModelError(
                f"coordinate {k!r} of joint {self.joint!r} is prescribed, whose {joint.nq} "
                f"coordinates turn with {joint.nv} velocities together. Prescribe all of them."
            )
        if k is not None and not (isinstance(k, int) and 0 <= k < joint.nv):
            raise ModelError(
                f"coordinate {k!r} of joint {self.joint!r} is prescribed. It has {joint.nv}: give "
                f"a number from 0 to {joint.nv - 1}."
            )
        return self

    @property
    def tracks_position(self) -> bool:
        return self.position is not None and self.gain is None

    def fixed(self, joint: Joint) -> range:
        return range(joint.nv) if self.coordinate is None else range(k := self.coordinate, k + 1)

    def target(self, joint: Joint, q, t: Scalar) -> tuple:
        return self._kinematics(joint, q, t)[0]

    def wanted_rate(self, joint: Joint, q, before, t: Scalar, h: Scalar, mean: Scalar) -> tuple:
        if self.position is not None:
            target, rates, _ = self._kinematics(joint, q, t)
            k = 0.0 if self.gain is None else self.gain
            return tuple(r + k * x for r, x in zip(rates, joint.difference(q, target), strict=True))
        if self.velocity is not None:
            return self._given(joint, before, t)
        given = self._given(joint, (0.0,) * joint.nv, mean)
        return tuple(x + h * a for x, a in zip(before, given, strict=True))

    def wanted_acceleration(self, joint: Joint, q, qd, t: Scalar) -> tuple:
        """A joint with a gain k that is off comes back as a critically damped one does.

        a + 2 k (r - qd) + k^2 (target - q), with r and a the rates of the target.
        """
        if self.position is not None:
            target, rate, acceleration = self._kinematics(joint, q, t)
            off, k = joint.difference(q, target), 0.0 if self.gain is None else self.gain
            each = zip(acceleration, rate, qd, off, strict=True)
            return tuple(a + 2.0 * k * (r - v) + k * k * x for a, r, v, x in each)
        if self.velocity is not None:
            still = (0.0,) * joint.nv
            return tuple(jvp(lambda now: self._given(joint, still, now[0]), [t], [1.0])[1])
        return self._given(joint, (0.0,) * joint.nv, t)

    def consistent_state(self, joint: Joint, q, qd, t: Scalar) -> tuple[tuple, tuple]:
        if self.tracks_position:
            target, rates, _ = self._kinematics(joint, q, t)
            return target, _only(self.fixed(joint), rates, qd)
        if self.velocity is not None:
            return q, self._given(joint, qd, t)
        return q, qd

    def _given(self, joint: Joint, others, t: Scalar) -> tuple:
        """Prescribed velocity coordinates at a time, `others` of those left alone."""
        return self._numbers(t, joint.nv, others)

    def _numbers(self, t: Scalar, n: int, others, *, alone: bool = True) -> tuple:
        """What the function of the user's gives, as `n` numbers."""
        who = f"the motion of joint {self.joint!r}"
        given = call_user(who, self.function, t)
        if self.coordinate is None:
            return numbers(who, given, n, alone=alone)
        (x,) = numbers(who, given, 1)
        return tuple(x if k == self.coordinate else y for k, y in enumerate(others))

    def _kinematics(self, joint: Joint, q, t: Scalar) -> tuple[tuple, tuple, tuple]:
        """Prescribed coordinates at a time, and the velocity and acceleration that go with them."""

        def target(x: Scalar, near) -> tuple:
            return self._numbers(x, joint.nq, near, alone=joint.nq == joint.nv)

        return target_kinematics(joint.integrate, joint.difference, target, q, t)


def _only(which: range, x, others) -> tuple:
    return tuple(a if k in which else b for k, (a, b) in enumerate(zip(x, others, strict=True)))


def _changes(joint: Joint) -> bool:
    """Whether a joint goes over to other coordinates, in which velocities are other numbers."""
    graph = Graph()
    q, qd = graph.inputs(joint.nq), graph.inputs(joint.nv)
    after = joint.normalize(q, qd)[1]
    return any(a is not b for a, b in zip(qd, after, strict=True))
