"""What can be asked of a figure: frames, points, directions and the centre of mass at places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from numpy.typing import ArrayLike

from .._algorithms import energy, kinematics
from .._graph.program import Shape
from .._model.model import Model
from .._spatial.motions import Motion
from .._spatial.scalar import Scalar, atan2, sqrt, where
from .._spatial.transform import Transform, log_so3
from .._spatial.vectors import Mat3, Vec3
from .._tree.joints import unit_axis
from .._tree.tree import JointColumns, Tree

Rows = list[tuple[Scalar, list[Scalar]]]
"""Residuals, each with its derivatives by the velocity coordinates."""


class Placed:
    """A figure at coordinates q: where its frames are, and how joints move them.

    Attributes:
        tree: the figure as pages see it.
        model: the figure with its names.
        q: coordinates by body.
        X0: from the world to each body.
        S: motions that each joint allows, in its body.
    """

    def __init__(self, tree: Tree, model: Model, q: Any) -> None:
        self.tree, self.model, self.q = tree, model, q
        Xup, self.S = kinematics.transforms(tree, q)
        (self.X0,) = tree.lists(1)
        self.X0[0] = Transform()
        for i in tree.bodies:
            self.X0[i] = Xup[i] @ self.X0[tree.parent[i]]

    def frame(self, name: str) -> Transform:
        """From the world to a frame."""
        frame = self.model.frame(name)
        return frame.X @ self.X0[frame.body]

    def twists(self, name: str, point: Vec3) -> dict[int, list[Motion]]:
        """By joint, how a point that is in the world at `point` moves with a frame, world axes."""
        twists = {}
        for j in self.tree.ancestors(self.model.frame(name).body):
            X, twists[j] = self.X0[j], []
            for m in self.S[j]:
                ang = X.R @ m.ang
                twists[j].append(Motion(ang, X.R @ m.lin + ang.cross(point - X.r)))
        return twists

    def rows(self, off: Sequence[Scalar], columns: dict, weight: float) -> Rows:
        """Residuals with what joints do to them."""
        J = self.tree.matrix(JointColumns(columns))  # has more rows where no joint moves it
        return [(x * weight, [y * weight for y in row]) for x, row in zip(off, J, strict=False)]


class Target(Protocol):
    """Something to be reached: where it should be, and how much that matters."""

    shape: ClassVar[Shape]
    """Shape of `value` without a batch."""
    numbers: ClassVar[int]
    """Entries of it that say something, from the first."""

    @property
    def value(self) -> Any:
        """Where it should be; leading axes are a batch of targets."""
        ...

    def rows(self, placed: Placed, goal: Sequence[Scalar]) -> Rows:
        """Weighted residuals (goal minus where it is) and how joints move what is there.

        `goal` has the entries of one value, end to end.
        """
        ...


def _position(
    placed: Placed, frame: str, point: Vec3, goal: Sequence[Scalar], weight: float
) -> Rows:
    X0 = placed.frame(frame)
    at = X0.r + X0.R @ point
    columns = {j: [m.lin for m in S] for j, S in placed.twists(frame, at).items()}
    return placed.rows(Vec3(*goal) - at, columns, weight)


def _orientation(placed: Placed, frame: str, goal: Sequence[Scalar], weight: float) -> Rows:
    X0 = placed.frame(frame)
    off = log_so3(Mat3(*(Vec3(*goal[k : k + 3]) for k in (0, 3, 6))) @ X0.E)
    columns = {j: [m.ang for m in S] for j, S in placed.twists(frame, X0.r).items()}
    return placed.rows(off, columns, weight)


@dataclass(frozen=True)
class Pose:
    """A frame at a pose, (..., 4, 4) in the world.

    Attributes:
        frame: body or frame.
        value: its pose.
        weight: how much this target counts beside others.
        orientation_weight: metres that a radian counts for within this target [m/rad].
    """

    frame: str
    value: ArrayLike
    weight: float = 1.0
    orientation_weight: float = 1.0
    shape = (4, 4)
    numbers = 12

    def rows(self, placed: Placed, goal: Sequence[Scalar]) -> Rows:
        """Position, then the rotation vector that is missing, both in the world."""
        place, turn = goal[3:12:4], [x for k in (0, 4, 8) for x in goal[k : k + 3]]
        turning = self.weight * self.orientation_weight
        return [
            *_position(placed, self.frame, Vec3(), place, self.weight),
            *_orientation(placed, self.frame, turn, turning),
        ]


@dataclass(frozen=True)
class Point:
    """A point fixed in a frame at a position, (..., 3) in the world."""

    frame: str
    value: ArrayLike
    point: Sequence[float] = (0.0, 0.0, 0.0)
    weight: float = 1.0
    shape = (3,)
    numbers = 3

    def rows(self, placed: Placed, goal: Sequence[Scalar]) -> Rows:
        """Position in the world."""
        point = Vec3(*(float(x) for x in self.point))
        return _position(placed, self.frame, point, goal, self.weight)


@dataclass(frozen=True)
class Orientation:
    """A frame turned as a rotation matrix says, (..., 3, 3) in the world."""

    frame: str
    value: ArrayLike
    weight: float = 1.0
    shape = (3, 3)
    numbers = 9

    def rows(self, placed: Placed, goal: Sequence[Scalar]) -> Rows:
        """The rotation vector that is missing, in the world."""
        return _orientation(placed, self.frame, goal, self.weight)


@dataclass(frozen=True)
class LookAt:
    """An axis of a frame points from its origin at a position, (..., 3) in the world."""

    frame: str
    value: ArrayLike
    axis: Any = (1.0, 0.0, 0.0)
    weight: float = 1.0
    shape = (3,)
    numbers = 3

    def rows(self, placed: Placed, goal: Sequence[Scalar]) -> Rows:
        """The rotation vector from axis to direction, along two axes across the former [rad]."""
        X0 = placed.frame(self.frame)
        axis = unit_axis(self.axis)
        ahead = X0.E @ (Vec3(*goal) - X0.r)
        far = ahead.dot(ahead)
        near = far < 1e-24  # the point is the origin: any direction is as good
        far = where(near, 1.0, sqrt(where(near, 1.0, far)))
        d = ahead * (1.0 / far)
        least = min((abs(axis[k]), k) for k in range(3))[1]
        u = axis.cross(Vec3(*(float(k == least) for k in range(3))))
        u = u * (1.0 / float(u.dot(u)) ** 0.5)
        v = axis.cross(u)
        turn = axis.cross(d)
        sine2, cosine = turn.dot(turn), axis.dot(d)
        straight = sine2 < 1e-28
        sine = sqrt(where(straight, 1.0, sine2))
        scale = where(straight, 1.0, atan2(sine, cosine) / sine)
        behind = where(straight & (cosine < 0.0), 3.141592653589793, 0.0)
        off = [turn.dot(u) * scale + behind, turn.dot(v) * scale]
        columns = {}
        for j, S in placed.twists(self.frame, X0.r).items():
            turns = [X0.E @ m.ang + d.cross(X0.E @ m.lin) * (1.0 / far) for m in S]
            columns[j] = [(w.dot(u), w.dot(v)) for w in turns]
        return placed.rows(off, columns, self.weight)


@dataclass(frozen=True)
class CenterOfMass:
    """The centre of mass at a position, (..., 3) in the world."""

    value: ArrayLike
    weight: float = 1.0
    shape = (3,)
    numbers = 3

    def rows(self, placed: Placed, goal: Sequence[Scalar]) -> Rows:
        """Position in the world."""
        off = Vec3(*goal) - energy.center_of_mass(placed.tree, placed.q)
        return placed.rows(off, energy.com_jacobian(placed.tree, placed.q), self.weight)
