"""Joint kinds. Each is data plus one law of motion, called as `joint(q, qd)`.

A call returns `(XJ, S, vJ, cJ)`: the transform from the frame before the joint to the frame behind
it, the motions it allows, its velocity S qd, and the apparent derivative of S times qd. All are in
the frame behind the joint. `integrate(q, dq)` moves the coordinates by a displacement in S.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from .._spatial.inertia import Inertia
from .._spatial.motions import Motion, Subspace
from .._spatial.rotation_rates import AXES as AXES
from .._spatial.scalar import Scalar, cos, sin
from .._spatial.transform import Transform, clean, rotation
from .._spatial.vectors import Mat3, Vec3
from ..errors import JointError
from .search import nearest_turn, search, turn

Coordinates = Sequence[Scalar]
JointState = tuple[Transform, Subspace, Motion, Motion]


class Joint(Protocol):
    """What pages and the model ask of a joint."""

    @property
    def nq(self) -> int:
        """How many position coordinates it has."""
        ...

    @property
    def nv(self) -> int:
        """How many velocity coordinates it has."""
        ...

    def __call__(self, q: Coordinates, qd: Coordinates) -> JointState:
        """(XJ, S, vJ, cJ) at coordinates `q` and velocity `qd`."""
        ...

    def neutral(self) -> tuple[float, ...]:
        """Coordinates at which the frames on both sides agree."""
        ...

    def random(self, rng: np.random.Generator) -> tuple[float, ...]:
        """Coordinates of a random pose."""
        ...

    def integrate(self, q: Coordinates, dq: Coordinates) -> tuple[Scalar, ...]:
        """Coordinates after moving with constant joint velocity `dq` for unit time."""
        ...

    def difference(self, q0: Coordinates, q1: Coordinates) -> tuple[Scalar, ...]:
        """The `dq` that `integrate` needs to get from q0 to q1."""
        ...

    def find(self, X: Transform, near: Coordinates) -> tuple[Scalar, ...]:
        """Coordinates at which XJ is X, or closest to it; those nearest to others, or from there.

        Several coordinates may have one pose: angles a turn apart, places where a curve meets
        itself. Kinds without a closed form search downhill from `near`.
        """
        ...

    def normalize(self, q: Coordinates, qd: Coordinates) -> tuple[Coordinates, Coordinates]:
        """The same pose and velocity away from coordinate singularities."""
        ...

    def regrouped_inertia(self, I: Inertia) -> Inertia:
        """The part of the moving body's inertia that regroups with that of the parent (GK90).

        Before the joint it is the same however the joint moves, and does not resist that motion.
        """
        ...

    @property
    def label(self) -> str:
        """Short description for the drawn tree."""
        ...


def built_in(joint: Any) -> bool:
    """Whether a joint's law of motion, and of those it is made of, is part of this package."""
    package = __name__.split(".")[0]
    if not type(joint).__module__.startswith(f"{package}."):
        return False
    inner = (*getattr(joint, "joints", ()), *([joint.law] if hasattr(joint, "law") else []))
    return all(built_in(part) for part in inner)


def unit_axis(axis: object) -> Vec3:
    """A unit vector from "x", "y", "z" or three numbers."""
    if isinstance(axis, str):
        if axis not in AXES:
            raise JointError(
                f'axis {axis!r} is not known. Use "x", "y", "z" or three numbers such as (0, 0, 1).'
            )
        return AXES[axis]
    try:
        x, y, z = (float(a) for a in axis)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        raise JointError(
            f'axis is {axis!r}. Use "x", "y", "z" or three numbers such as (0, 0, 1).'
        ) from None
    length = math.sqrt(x * x + y * y + z * z)
    if not math.isfinite(length) or length < 1e-9:
        raise JointError(
            f"axis ({x:g}, {y:g}, {z:g}) has no direction. Give three finite numbers, "
            "not all zero; any length will do."
        )
    unit = Vec3(x / length, y / length, z / length)
    return clean(Mat3(unit, unit, unit)).x


def _axis_label(axis: Vec3) -> str:
    for name, each in AXES.items():
        if axis == each:
            return name
        if axis == -each:
            return f"-{name}"
    return "({:.3g}, {:.3g}, {:.3g})".format(*axis)


def _across(u: Vec3, I: Inertia) -> Mat3:
    """k (1 - u u^T), with k such that taking it from I leaves a zero on the diagonal."""
    unlike = min(AXES.values(), key=lambda axis: abs(axis.dot(u)))
    v = unlike - u * unlike.dot(u)
    k = v.dot(I.I @ v) / v.dot(v)
    return (Mat3.identity() - u.outer(u)) * k


class VectorSpace:
    """Coordinates that are plain numbers: velocity is their rate, displacement their difference."""

    __slots__ = ()
    nq: ClassVar[int]

    def neutral(self) -> tuple[float, ...]:
        return (0.0,) * self.nq

    def integrate(self, q: Coordinates, dq: Coordinates) -> tuple[Scalar, ...]:
        return tuple(a + b for a, b in zip(q, dq, strict=True))

    def difference(self, q0: Coordinates, q1: Coordinates) -> tuple[Scalar, ...]:
        return tuple(b - a for a, b in zip(q0, q1, strict=True))

    def find(self: Joint, X: Transform, near: Coordinates) -> tuple[Scalar, ...]:
        return search(self, X, near)

    def normalize(self, q: Coordinates, qd: Coordinates) -> tuple[Coordinates, Coordinates]:
        return q, qd


@dataclass(frozen=True, slots=True)
class Fixed(VectorSpace):
    """No motion: the link becomes part of its parent, and a frame."""

    nq = 0
    nv = 0

    def __call__(self, q: Coordinates, qd: Coordinates) -> JointState:
        return Transform(), Subspace(), Motion(), Motion()

    def find(self, X: Transform, near: Coordinates) -> tuple[Scalar, ...]:
        return ()

    def random(self, rng: np.random.Generator) -> tuple[float, ...]:
        return ()

    def regrouped_inertia(self, I: Inertia) -> Inertia:
        return I

    @property
    def label(self) -> str:
        return "fixed"


@dataclass(frozen=True, slots=True)
class Revolute(VectorSpace):
    """Rotation by q[0] [rad] about an axis (S19 §2.4.7)."""

    axis: Vec3 = AXES["z"]
    nq = 1
    nv = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit_axis(self.axis))

    def __call__(self, q: Coordinates, qd: Coordinates) -> JointState:
        S = Subspace((Motion(ang=self.axis),))
        return Transform(rotation(self.axis, -q[0])), S, S * qd, Motion()

    def find(self, X: Transform, near: Coordinates) -> tuple[Scalar, ...]:
        return (nearest_turn(turn(self.axis, X.R), near[0]),)

    def random(self, rng: np.random.Generator) -> tuple[float, ...]:
        return (rng.uniform(-math.pi, math.pi),)

    def regrouped_inertia(self, I: Inertia) -> Inertia:
        u = self.axis
        return Inertia(I.m, u * I.h.dot(u), _across(u, I))

    @property
    def label(self) -> str:
        return f"revolute {_axis_label(self.axis)}"


@dataclass(frozen=True, slots=True)
class Prismatic(VectorSpace):
    """Translation by q[0] [m] along an axis (S19 §2.4.2)."""

    axis: Vec3 = AXES["z"]
    nq = 1
    nv = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit_axis(self.axis))

    def __call__(self, q: Coordinates, qd: Coordinates) -> JointState:
        S = Subspace((Motion(lin=self.axis),))
        return Transform(r=self.axis * q[0]), S, S * qd, Motion()

    def find(self, X: Transform, near: Coordinates) -> tuple[Scalar, ...]:
        return (self.axis.dot(X.r),)

    def random(self, rng: np.random.Generator) -> tuple[float, ...]:
        return (rng.uniform(-1.0, 1.0),)

    def regrouped_inertia(self, I: Inertia) -> Inertia:
        return Inertia(I=I.I)

    @property
    def label(self) -> str:
        return f"prismatic {_axis_label(self.axis)}"


@dataclass(frozen=True, slots=True)
class Helical(VectorSpace):
    """A screw: rotation by q[0] [rad] about an axis, and `pitch` times that along it.

    Attributes:
        axis: direction of the screw.
        pitch: advance [m/rad]; positive for a right-handed screw.
    """

    axis: Vec3 = AXES["z"]
    pitch: float = 0.0
    nq = 1
    nv = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit_axis(self.axis))
        if not isinstance(self.pitch, numbers.Real) or not math.isfinite(self.pitch):
            raise JointError(
                f"the pitch of a screw is {self.pitch!r}. Give a finite number [m/rad]."
            )
        object.__setattr__(self, "pitch", float(self.pitch))

    def __call__(self, q: Coordinates, qd: Coordinates) -> JointState:
        S = Subspace((Motion(self.axis, self.axis * self.pitch),))
        XJ = Transform(rotation(self.axis, -q[0]), self.axis * (self.pitch * q[0]))
        return XJ, S, S * qd, Motion()

    def find(self, X: Transform, near: Coordinates) -> tuple[Scalar, ...]:
        """How far it has come along its axis says how many turns it made."""
        turns = self.axis.dot(X.r) / self.pitch if self.pitch else near[0]
        return (nearest_turn(turn(self.axis, X.R), turns),)

    def random(self, rng: np.random.Generator) -> tuple[float, ...]:
        return (rng.uniform(-math.pi, math.pi),)

    def regrouped_inertia(self, I: Inertia) -> Inertia:
        return Inertia(I=_across(self.axis, I))

    @property
    def label(self) -> str:
        return f"helical {_axis_label(self.axis)}"


@dataclass(frozen=True, slots=True)
class Planar(VectorSpace):
    """Motion in the plane across `normal`: q = (x, y, angle), rates of change as velocity.

    The in-plane axes are (x, y) for normal z, (y, z) for normal x, (z, x) for normal y, and the
    image of (x, y) under the shortest rotation from z otherwise.
    """

    normal: Vec3 = AXES["z"]
    nq = 3
    nv = 3

    def __post_init__(self) -> None:
        object.__setattr__(self, "normal", unit_axis(self.normal))

    def axes(self) -> tuple[Vec3, Vec3]:
        """The two in-plane axes."""
        x, y, z = AXES.values()
        for first, second, normal in ((x, y, z), (y, z, x), (z, x, y)):
            if self.normal == normal:
                return first, second
        n = self.normal
        if n.z < 0.0:  # half a turn about x first, so that 1 + n.z below is never small
            first, second = Planar(Vec3(n.x, -n.y, -n.z)).axes()
            return Vec3(first.x, -first.y, -first.z), Vec3(second.x, -second.y, -second.z)
        k = 1.0 / (1.0 + n.z)
        return (Vec3(1.0 - k * n.x * n.x, -k * n.x * n.y, -n.x),
                Vec3(-k * n.x * n.y, 1.0 - k * n.y * n.y, -n.y))  # fmt: skip

    def __call__(self, q: Coordinates, qd: Coordinates) -> JointState:
        a, b = self.axes()
        s, c = sin(q[2]), cos(q[2])
        # a and b seen from the turned frame, and how fast they seem to turn
        a_in, b_in = a * c - b * s, a * s + b * c
        S = Subspace((Motion(lin=a_in), Motion(lin=b_in), Motion(ang=self.normal)))
        drift = (b_in * qd[0] - a_in * qd[1]) * (-qd[2])
        XJ = Transform(rotation(self.normal, -q[2]), a * q[0] + b * q[1])
        return XJ, S, S * qd, Motion(lin=drift)

    def find(self, X: Transform, near: Coordinates) -> tuple[Scalar, ...]:
        a, b = self.axes()
        return a.dot(X.r), b.dot(X.r), nearest_turn(turn(self.normal, X.R), near[2])

    def random(self, rng: np.random.Generator) -> tuple[float, ...]:
        return (*rng.uniform(-1.0, 1.0, 2), rng.uniform(-math.pi, math.pi))

    def regrouped_inertia(self, I: Inertia) -> Inertia:
        return Inertia(I=_across(self.normal, I))

    @property
    def label(self) -> str:
        return f"planar {_axis_label(self.normal)}"
