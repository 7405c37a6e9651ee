"""Friction inside joints: where the parts of a joint touch each other (S19 §2.11)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .._scene.element import Element, check_numbers, set_floats
from .._scene.loop import placed, transform
from .._scene.ranges import NOT_NEGATIVE, Range
from .._scene.system import System
from .._tree.joints import Prismatic, Revolute
from .._tree.kinds import Euler, Spherical, Universal
from ..errors import ModelError, SimulationError, nearest
from .step_data import Array, StepData, StepPages
from .velocity_program import motions, relative


@dataclass(frozen=True)
class JointFriction(Element):
    """Friction inside a joint that grows with the load on it, as that of a pin in its hole.

    The parts of the joint touch each other at points: of a revolute joint, or each pin of a
    universal one, at the ends of a cylinder about its axis; of a prismatic joint at the corners of
    a box; of a spherical one at the six poles of a ball. Load of a point is the least that carries
    the wrench through the joint. Steps are those of `ar.integrators.BilateralStaggeredProjections`.

    Attributes:
        joint: name of a joint, or of a loop.
        friction: coefficient of friction.
        radius: of the cylinder or the ball [m].
        length: of the cylinder [m]; twice the radius when left out.
        sides: of the box, the first along the axis [m].
    """

    joint: str
    friction: float = 0.2
    radius: float = 0.01
    length: float | None = None
    sides: Sequence[float] = (0.02, 0.02, 0.02)

    rubs_inside: ClassVar[bool] = True
    ranges: ClassVar[Mapping[str, Range]] = dict.fromkeys(
        ("friction", "radius", "length", "sides"), NOT_NEGATIVE
    )

    def __post_init__(self) -> None:
        if self.length is None:
            object.__setattr__(self, "length", 2.0 * self.radius)
        check_numbers(self, friction=self.friction, radius=self.radius, length=self.length)
        check_numbers(self, sides=self.sides)
        least = min(self.friction, self.radius, self.length or 0.0, *self.sides)
        if least < 0.0 or len(self.sides) != 3:
            raise ModelError(
                f"friction inside joint {self.joint!r} has a size or coefficient of {least:g} and "
                f"{len(self.sides)} sides. Give numbers of zero or more, and three sides."
            )
        set_floats(self, "friction", "radius", "length", "sides")


class Points(NamedTuple):
    """Where the parts of a joint touch, as wrenches in the joint's axes.

    Attributes:
        normals: of unit forces along normals, one array for each part that carries all of a load.
        shares: of these, the least impulses that carry a wrench are this times it.
        tangents: wrenches along tangents, and
        loads: which normals, of all parts in a row, load each of them, (tangents, normals).
        pairs: how many of the tangents, the first ones, go by twos at one point.
    """

    normals: tuple[Array, ...]
    shares: tuple[Array, ...]
    tangents: Array
    loads: Array
    pairs: int = 0


class Bearing(NamedTuple):
    """A joint as points that touch, at a state.

    Attributes:
        L: how the link moves as seen from the other one, by twists of all bodies, (6, 6 nb).
        loop: the name of the loop whose rows carry its wrench; None for a joint of the tree.
        body: the body that the joint moves, or that has the loop's first end.
        held: what of a wrench is not along its motions, (6, 6).
        points: where it touches.
        friction: coefficient.
    """

    L: Array
    loop: str | None
    body: int
    held: Array
    points: Points
    friction: float


def bearings(system: System, data: StepData, pages: StepPages) -> list[Bearing]:
    """All joints and loops with friction inside."""
    every = [x for x in system.elements if isinstance(x, JointFriction)]
    if not every:
        return []
    model, L, motion = system.model, relative(data, pages), motions(data, pages)
    numbers = {body.joint_name: i for i, body in enumerate(model.bodies)}
    named = zip(system.names, system.elements, strict=True)
    loops: dict[str, Any] = {
        name: x for name, x in named if hasattr(x, "a") and hasattr(x, "joint")
    }
    found = []
    for x in every:
        if x.joint in numbers:
            i = numbers[x.joint]
            S = motion[i]
            points, held = _points(x, model.tree.joint[i + 1], S), np.eye(6) - S @ np.linalg.pinv(S)
            found.append(Bearing(L[i], None, i, held, points, x.friction))
        elif x.joint in loops:
            rows, body = _across(system, data, loops[x.joint])
            points = _points(x, loops[x.joint].joint, np.zeros((6, 0)))
            found.append(Bearing(rows, x.joint, body, np.eye(6), points, x.friction))
        else:
            known = [*numbers, *loops]
            raise SimulationError(
                f"friction is inside joint {x.joint!r}, and there is none."
                f"{nearest(x.joint, known)} Joints and loops are {', '.join(map(repr, known))}."
            )
    return found


def _points(x: JointFriction, joint: Any, S: Array) -> Points:
    """Where the parts of a joint with these motions touch."""
    if isinstance(joint, Revolute):
        return _pin(tuple(joint.axis), x.radius, x.length or 0.0)
    if isinstance(joint, Prismatic):
        return _slider(tuple(joint.axis), tuple(x.sides))
    if isinstance(joint, Spherical | Euler):
        return _ball(x.radius)
    if isinstance(joint, Universal) and S.size:
        axes = (S[:3] / np.linalg.norm(S[:3], axis=0)).T
        pins = [_pin(tuple(axis.tolist()), x.radius, x.length or 0.0) for axis in axes]
        normals, shares = (sum(each, ()) for each in zip(*(p[:2] for p in pins), strict=True))
        couples = x.radius * np.linalg.pinv(S)  # one for all points of a pin, along its coordinate
        return Points(normals, shares, couples, np.kron(np.eye(2), np.ones(16)))
    raise SimulationError(
        f"friction is inside joint {x.joint!r}, which is a {type(joint).__name__}. It can be "
        "inside revolute, prismatic, universal and spherical joints, and inside loops by all of "
        "these but universal ones."
    )


def wrench(point: Array, direction: Array) -> Array:
    """The wrench of a unit force at a point."""
    return np.concatenate([np.cross(point, direction), direction])


def frame(axis: Array) -> tuple[Array, Array, Array]:
    """An axis and two across it."""
    e = np.eye(3)[np.argmin(np.abs(axis))]
    first = e - (e @ axis) * axis
    first /= np.linalg.norm(first)
    return axis, first, np.cross(axis, first)


@lru_cache(256)
def _pin(axis: tuple[float, float, float], radius: float, length: float) -> Points:
    """Four points at each end of a cylinder: pushed inwards and along, sliding round."""
    a, e1, e2 = frame(np.array(axis))
    normals, tangents = [], []
    for out in (e1, e2, -e1, -e2):
        for end in (-0.5, 0.5):
            p = radius * out + end * length * a
            normals += [wrench(p, -out), wrench(p, -np.sign(end) * a)]
            tangents.append(wrench(p, np.cross(a, out)))
    return _one_part(normals, tangents, np.kron(np.eye(8), np.ones(2)))


@lru_cache(256)
def _slider(axis: tuple[float, float, float], sides: tuple[float, float, float]) -> Points:
    """Corners of a box, pushed inwards from both sides, sliding along."""
    a, e1, e2 = frame(np.array(axis))
    normals, tangents = [], []
    for x in (-0.5, 0.5):
        for y in (-0.5, 0.5):
            for z in (-0.5, 0.5):
                p = x * sides[0] * a + y * sides[1] * e1 + z * sides[2] * e2
                normals += [wrench(p, -np.sign(y) * e1), wrench(p, -np.sign(z) * e2)]
                tangents.append(wrench(p, a))
    return _one_part(normals, tangents, np.kron(np.eye(8), np.ones(2)))


@lru_cache(256)
def _ball(radius: float) -> Points:
    """Six poles, pushed inwards, sliding across."""
    normals, tangents = [], []
    for out in (*np.eye(3), *-np.eye(3)):
        _, e1, e2 = frame(out)
        normals.append(wrench(radius * out, -out))
        tangents += [wrench(radius * out, e1), wrench(radius * out, e2)]
    return _one_part(normals, tangents, np.repeat(np.eye(6), 2, axis=0), 12)


def _one_part(normals: list[Array], tangents: list[Array], loads: Array, pairs: int = 0) -> Points:
    N = np.array(normals)
    return Points((N,), (np.linalg.pinv(N.T),), np.array(tangents), loads, pairs)


def _across(system: System, data: StepData, loop: Any) -> tuple[Array, int]:
    """How the first end of a loop moves as seen from the second, and the body it is on.

    In axes of the first, and at its origin: the second may be apart by what the loop is off, and
    what two bodies do to each other is at one place all the same.
    """
    first, second = (_on_body(system, data, placed("loop", end)) for end in (loop.a, loop.b))
    L = np.zeros((6, len(data.J), 6))
    for body, sign in ((first[0], 1.0), (second[0], -1.0)):
        if body >= 0:
            E, r = first[1].T @ data.R[body], data.R[body].T @ (first[2] - data.p[body])
            tilde = np.cross(np.eye(3), r).T  # w x r = tilde w
            L[:, body] += sign * np.block([[E, np.zeros((3, 3))], [E @ tilde, E]])
    if first[0] < 0:
        raise SimulationError(
            "friction is inside a loop whose first end does not move. Give its ends the other way "
            "round."
        )
    return L.reshape(6, -1), first[0]


def _on_body(system: System, data: StepData, end: Any) -> tuple[int, Array, Array]:
    """The body that a frame is on, from 0 on, and the frame's axes and place in the world."""
    place = None if end[0] is None else system.model.frame(end[0])
    X = transform(end) if place is None else transform(end) @ place.X
    E, r = np.array([[*row] for row in X.E]), np.array([*X.r])
    if place is None or not place.body:
        return -1, E.T, r
    body = place.body - 1
    return body, data.R[body] @ E.T, data.p[body] + data.R[body] @ r
