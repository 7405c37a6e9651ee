"""The joints by the names a user knows, each made of one of the laws of motion beside this file."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._spatial.inertia import Inertia
from .._spatial.rotation_rates import euler_axes
from .._spatial.scalar import Scalar
from .._spatial.transform import Transform
from .._spatial.vectors import AXES
from ..errors import JointError
from .balls import Ball, EulerCharts, Exponential, Floating
from .chain import Chain
from .from_pose import FromPose
from .joints import Coordinates, Joint, JointState, Planar, Prismatic, Revolute, unit_axis
from .placement import as_placement
from .search import euler_angles, nearest_turn, search_among, turn_between
from .spline_bases import Spline, as_knots, cubic_spline
from .splines import CurvePose, SurfacePose

TRIES = 64
"""Random poses of a composite among which a search begins."""


class Delegating:
    """A joint whose work is done by another one, `law`."""

    law: Joint

    def _make(self, law: Joint) -> None:
        object.__setattr__(self, "law", law)

    @property
    def nq(self) -> int:
        return self.law.nq

    @property
    def nv(self) -> int:
        return self.law.nv

    @property
    def label(self) -> str:
        return self.law.label

    def __call__(self, q: Coordinates, qd: Coordinates) -> JointState:
        return self.law(q, qd)

    def neutral(self) -> tuple[float, ...]:
        return self.law.neutral()

    def random(self, rng: np.random.Generator) -> tuple[float, ...]:
        return self.law.random(rng)

    def integrate(self, q: Coordinates, dq: Coordinates) -> tuple[Scalar, ...]:
        return self.law.integrate(q, dq)

    def difference(self, q0: Coordinates, q1: Coordinates) -> tuple[Scalar, ...]:
        return self.law.difference(q0, q1)

    def find(self, X: Transform, near: Coordinates) -> tuple[Scalar, ...]:
        return self.law.find(X, near)

    def normalize(self, q: Coordinates, qd: Coordinates) -> tuple[Coordinates, Coordinates]:
        return self.law.normalize(q, qd)

    def regrouped_inertia(self, I: Inertia) -> Inertia:
        return self.law.regrouped_inertia(I)


def _one_of(what: str, value: Any, laws: dict[str, Joint]) -> Joint:
    if not isinstance(value, str) or value not in laws:
        listed = " or ".join(f'"{name}"' for name in laws)
        raise JointError(f"coordinates of a {what} joint are {value!r}. Use {listed}.")
    return laws[value]


@dataclass(frozen=True)
class Spherical(Delegating):
    """A ball joint.

    "quaternion": q = (w, x, y, z), velocity the angular velocity of the body in its own axes; never
    singular. "exponential": q the rotation vector [rad], velocity its rate; singular at |q| = 2 pi,
    which `normalize` keeps away from. For angles see `Euler`.
    """

    coordinates: str = "quaternion"

    def __post_init__(self) -> None:
        laws: dict[str, Joint] = {"quaternion": Ball(), "exponential": Exponential()}
        self._make(_one_of("spherical", self.coordinates, laws))


@dataclass(frozen=True)
class Free(Delegating):
    """No restraint: a floating base.

    "quaternion": q = (x, y, z, qw, qx, qy, qz), velocity the twist (w; v) of the body in its own
    axes. "exponential": q = (x, y, z, r), with r the rotation vector, velocity its rate.
    """

    coordinates: str = "quaternion"

    def __post_init__(self) -> None:
        slides = tuple(Prismatic(axis) for axis in AXES.values())
        by_vector = Chain((*slides, Exponential()), "free exponential")
        laws: dict[str, Joint] = {"quaternion": Floating(), "exponential": by_vector}
        self._make(_one_of("free", self.coordinates, laws))


@dataclass(frozen=True)
class Euler(Delegating):
    """A ball joint by three turns about body axes, such as "xyz", "zyx" or "zxz" [rad].

    Three different letters are singular where the second angle is an odd multiple of pi/2; a
    repeated letter where it is a multiple of pi, so that its neutral is (0, pi/2, 0). With `charts`
    q has the number of the chart behind the angles, and `normalize` changes to the other chart
    before a singularity is reached.
    """

    sequence: str = "xyz"
    charts: bool = False

    def __post_init__(self) -> None:
        s = self.sequence
        turns = tuple(Revolute(axis) for axis in euler_axes(s))
        proper = s[0] == s[2]
        if self.charts and proper:
            raise JointError(f"charts need three different letters, such as 'xyz', not {s!r}.")
        rest = (0.0, np.pi / 2, 0.0) if proper else None
        self._make(EulerCharts(s) if self.charts else Chain(turns, f"euler {s}", rest))

    def find(self, X: Transform, near: Coordinates) -> tuple[Scalar, ...]:
        if self.charts:
            return self.law.find(X, near)
        return euler_angles(euler_axes(self.sequence), X.R, near)


@dataclass(frozen=True)
class Universal(Delegating):
    """Two turns about axes that meet: q = angles about the first, then the second [rad].

    Singular when the axes are in line, never for perpendicular ones.
    """

    first: Any = "x"
    second: Any = "y"

    def __post_init__(self) -> None:
        object.__setattr__(self, "first", unit_axis(self.first))
        object.__setattr__(self, "second", unit_axis(self.second))
        self._make(Chain((Revolute(self.first), Revolute(self.second)), "universal"))

    def find(self, X: Transform, near: Coordinates) -> tuple[Scalar, ...]:
        a, b, R = self.first, self.second, X.R
        angles = turn_between(a, b, R @ b), turn_between(b, R.T @ a, a)
        return tuple(nearest_turn(x, y) for x, y in zip(angles, near, strict=True))


@dataclass(frozen=True)
class Translational(Delegating):
    """Translation without turning: q = (x, y, z) [m]. Never singular."""

    def __post_init__(self) -> None:
        self._make(Chain(tuple(Prismatic(axis) for axis in AXES.values()), "translational"))


@dataclass(frozen=True)
class PlanarTranslation(Delegating):
    """Translation in the plane across `normal`: q along its two axes [m]. Never singular.

    The axes are those of `Planar` (S19 §2.4.3).
    """

    normal: Any = "z"

    def __post_init__(self) -> None:
        object.__setattr__(self, "normal", unit_axis(self.normal))
        axes = Planar(self.normal).axes()
        self._make(Chain(tuple(Prismatic(axis) for axis in axes), "planar translation"))


@dataclass(frozen=True)
class Composite(Delegating):
    """Joints one behind the other, without bodies between: their coordinates in a row (S19 2.51).

    Singular where the motions of its joints line up.
    """

    joints: Sequence[Joint]

    def __post_init__(self) -> None:
        joints = tuple(self.joints) if hasattr(self.joints, "__iter__") else self.joints
        object.__setattr__(self, "joints", joints)
        self._make(Chain(joints, "composite"))  # type: ignore[arg-type]

    def find(self, X: Transform, near: Coordinates) -> tuple[Scalar, ...]:
        """Searched for from `near`, and from where it is closest of some random poses."""
        rng = np.random.default_rng(0)
        return search_among(self, X, near, [self.random(rng) for _ in range(TRIES)])


@dataclass(frozen=True)
class Custom(Delegating):
    """A joint from nothing but the child's pose in the parent as a function of q.

    Attributes:
        pose: `pose(q)` returns the child's rotation `Mat3` and position `Vec3` in the parent, or a
            `Transform`. It is run on traced scalars: use arthron's `sin`, `where`, ...
        coordinates: how many q takes; velocity is their rate.
        start: the neutral coordinates; zeros when left out.
    """

    pose: Callable[[Coordinates], Any] = field(repr=False)
    coordinates: int = 1
    start: Sequence[float] | None = None

    def __post_init__(self) -> None:
        start = None
        if self.start is not None:
            try:
                start = tuple(float(x) for x in self.start)
            except (TypeError, ValueError):
                start = ()
            if not start or not all(np.isfinite(start)):
                raise JointError(f"`start` is {self.start!r}. Give finite numbers, one each.")
        self._make(FromPose(self.pose, self.coordinates, "custom", start))

    def __repr__(self) -> str:
        return f"Custom({self.law!r}, start={self.start!r})"


@dataclass(frozen=True)
class SplineCurve(Delegating):
    """A frame that rides on a smooth curve through space (S19 §2.4.11): q counts its segments.

    Singular where the curve stands still.

    Attributes:
        frames: control frames, at least four: positions, 4 x 4 poses or `ar.pose(...)`.
        cyclic: whether the curve closes; q starts again where it ends.
        basis: "b-spline" comes close to its frames, and acceleration has no jumps. "catmull-rom"
            goes through all but the first and last, "bezier" through every third and steered by
            those between; both have jumps in acceleration, and "bezier" in velocity too unless the
            step to a frame is that from it.
        knots: of a nonuniform B-spline, four more than frames, from the fourth of which q runs to
            the fourth from the end; of a cyclic one, one more than frames.
    """

    frames: Sequence[Any]
    cyclic: bool = False
    basis: str = "b-spline"
    knots: Sequence[float] | None = None

    def __post_init__(self) -> None:
        if not hasattr(self.frames, "__iter__"):
            raise JointError(f"`frames` is {self.frames!r}. Give at least four control frames.")
        frames = tuple(as_placement(frame) for frame in self.frames)
        object.__setattr__(self, "frames", frames)
        what, knots = "a spline curve", as_knots("a spline curve", self.knots)
        spline = cubic_spline(what, len(frames), self.cyclic, self.basis, knots)
        object.__setattr__(self, "cyclic", spline.cyclic)
        object.__setattr__(self, "knots", knots)
        self._make(_along((spline,), CurvePose(frames, spline), "spline curve"))


@dataclass(frozen=True)
class SplineSurface(Delegating):
    """A frame that rides on a smooth surface of poses: q = (q1, q2) count its segments.

    Singular where a direction stands still, and at angles about y of pi/2 (S19 §2.4.12).

    Attributes:
        values: (n1, n2, 6): x, y, z [m] and angles about x, y, z [rad] at each control point.
        cyclic: whether each of the two directions closes on itself.
        basis: as in `SplineCurve`, one for both directions or two.
        knots: as in `SplineCurve`, for two directions; None for one that has none.
    """

    values: Any
    cyclic: tuple[bool, bool] = (False, False)
    basis: str | tuple[str, str] = "b-spline"
    knots: tuple[Sequence[float] | None, Sequence[float] | None] = (None, None)

    def __post_init__(self) -> None:
        array: np.ndarray = np.empty(0)
        with contextlib.suppress(TypeError, ValueError):
            array = np.asarray(self.values, dtype=float)
        if array.ndim != 3 or array.shape[2] != 6 or not np.all(np.isfinite(array)):
            raise JointError(
                f"control values of a spline surface have shape {array.shape}. Give finite numbers "
                "of shape (n1, n2, 6): a position and three angles per control point."
            )
        table = tuple(tuple(tuple(point) for point in row) for row in array.tolist())
        object.__setattr__(self, "values", table)
        what, basis = "a spline surface", self.basis
        cyclic = _two("cyclic", self.cyclic, "(True, False)")
        bases = _two(
            "basis", (basis, basis) if isinstance(basis, str) else basis, '("bezier", "b-spline")'
        )
        knots = _two("knots", self.knots, "(None, (0, 0, 0, 0, 1, 1, 1, 1))")
        knots = tuple(as_knots(what, t) for t in knots)
        each = zip(array.shape, cyclic, bases, knots, strict=False)
        first, second = (cubic_spline(what, *direction) for direction in each)
        object.__setattr__(self, "cyclic", (first.cyclic, second.cyclic))
        object.__setattr__(self, "basis", bases)
        object.__setattr__(self, "knots", knots)
        pose = SurfacePose(table, (first, second))
        self._make(_along((first, second), pose, "spline surface"))


def _two(name: str, value: Any, example: str) -> tuple[Any, Any]:
    """What is given for each of two directions."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise JointError(f"`{name}` is {value!r}. Give two, such as {example}: one a direction.")
    return value[0], value[1]


def _along(splines: Sequence[Spline], pose: Callable[[Coordinates], Any], label: str) -> FromPose:
    """A joint that starts where its splines do, and sensibly goes as far as they do."""
    starts = tuple(spline.breaks[0] for spline in splines)
    spans = tuple(spline.breaks[-1] - spline.breaks[0] for spline in splines)
    grid = tuple(spline.grid() for spline in splines)
    return FromPose(pose, len(splines), label, starts, spans, grid)
