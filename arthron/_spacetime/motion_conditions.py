"""What has to hold when."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from .._algorithms.kinematics import poses
from .._algorithms.planned_motion import (
    off_acceleration,
    off_pose,
    off_velocity,
    point_places,
    point_rates,
    pose_count,
    pose_numbers,
    pushed_joint_forces,
    squared_distance,
)
from .._collision.candidates import chosen, shape_pairs
from .._collision.pairs import closed
from .._collision.whole_figure import Rows as CollidingRows
from .._collision.whole_figure import nearest_contacts
from .._figure.figure import Array
from .._model.model import Model
from .._pages.takes import Page
from .._spatial.scalar import Scalar
from .._tree.tree import Tree
from ..errors import ModelError, nearest
from .joint_units import in_joint_units
from .motion_costs import Setting
from .motion_inputs import body_point, bounds_of, by_names, check_time_in_phases, pose_of

OFTEN = 4
"""How many times as often as forces distances are looked at: links would slip through else."""


class Wanted(NamedTuple):
    """Numbers of a page that are to be within bounds.

    Attributes:
        name: what they are, of messages, with a unit in brackets where it has one.
        page: of q, qd, qdd, forces and data.
        least: at least.
        most: at most.
        data: further inputs.
        since: a time in phases, if it is the change since then that is to be within bounds.
        often: how many times as often as usual it is looked at over an interval.
    """

    name: str
    page: Page
    least: Array
    most: Array
    data: Mapping[str, Array] = {}
    since: float | None = None
    often: int = 1


class Condition(Protocol):
    """Something that has to hold at a time or over an interval.

    Attributes:
        at: when, in phases: 0 is the start, 1 the end of the first phase, 1.5 the middle of the
            second; (from, to) for an interval.
    """

    at: Any

    def wanted(self, figure: Setting) -> list[Wanted]:
        """What is to be within bounds there."""
        ...


@dataclass(frozen=True)
class Keyframe:
    """A pose, a velocity and an acceleration, of the whole figure or of some joints.

    Attributes:
        at: when, in phases.
        q: configuration, or coordinates by the name of a joint.
        qd: velocity, likewise; at rest when left out; None leaves it open.
        qdd: acceleration, likewise; open when left out.
    """

    at: float
    q: Any = None
    qd: Any = field(default_factory=dict)
    qdd: Any = None

    def __post_init__(self) -> None:
        check_time_in_phases("at", "Keyframe", self.at)

    def known(self, model: Model) -> tuple[Any, Any]:
        """Of which velocity coordinates it says the pose, and the velocity."""
        posed = moved = np.zeros(model.nv, bool)
        if self.q is not None:
            posed = by_names(model, self.q, model.neutral(), model.slice_q)[1]
        if self.qd is not None:
            rest = isinstance(self.qd, Mapping) and not self.qd  # of those whose pose is given
            still = np.zeros(model.nv)
            moved = posed if rest else by_names(model, self.qd, still, model.slice_qd)[1]
        return posed, moved

    def whole(self, model: Model) -> bool:
        """Whether it says all of pose and velocity."""
        return bool(np.all(self.known(model)))

    def pose(self, model: Model) -> Array | None:
        """The pose, joints that are not named in neutral; None where none is given."""
        if self.q is None:
            return None
        return pose_of(model, self.q)

    def wanted(self, figure: Setting) -> list[Wanted]:
        """What is to be within bounds there."""
        model, found = figure.model, []
        posed, moved = self.known(model)
        if posed.any():
            name = in_joint_units("pose", model, posed, "rad")
            found.append(_exactly(name, off_pose, posed, {"q0": self.pose(model)}))
        if moved.any():
            qd = by_names(model, self.qd, np.zeros(model.nv), model.slice_qd)[0]
            name = in_joint_units("velocity", model, moved, "rad/s")
            found.append(_exactly(name, off_velocity, moved, {"wanted": qd}))
        if self.qdd is not None:
            qdd, known = by_names(model, self.qdd, np.zeros(model.nv), model.slice_qd)
            name = in_joint_units("acceleration", model, known, "rad/s^2")
            found.append(_exactly(name, off_acceleration, known, {"wanted": qdd}))
        return found


@dataclass(frozen=True)
class Waypoint:
    """Where a point of a link is, or how fast.

    Attributes:
        link: its name.
        at: when, in phases; (from, to) for an interval.
        position: three numbers, of which None leaves one open [m]; or (least, most) of three each.
        velocity: the same of its velocity [m/s].
        point: in axes of the link [m].
    """

    link: str
    at: Any
    position: Any = None
    velocity: Any = None
    point: Sequence[float] = (0.0, 0.0, 0.0)

    def wanted(self, figure: Setting) -> list[Wanted]:
        """What is to be within bounds there."""
        points = (body_point(figure.model, self.link, self.point),)
        pages = (
            ("position", "m", point_places, self.position),
            ("velocity", "m/s", point_rates, self.velocity),
        )
        found = []
        for name, unit, page, given in pages:
            if given is not None:
                least, most = bounds_of(f"`{name}` of {self.link!r}", given, 3)
                whole = functools.partial(page, points=points)
                found.append(Wanted(f"{name} of {self.link!r} [{unit}]", whole, least, most))
        return found


@dataclass(frozen=True)
class Require:
    """Numbers of a page of yours within bounds, `page(tree, q, qd, qdd, forces)` or of fewer.

    Attributes:
        page: it.
        at: when, in phases; (from, to) for an interval.
        least: at least; None is no bound.
        most: at most.
    """

    page: Page
    at: Any
    least: Any = None
    most: Any = None

    def wanted(self, figure: Setting) -> list[Wanted]:
        """What is to be within bounds there."""
        name = getattr(getattr(self.page, "func", self.page), "__name__", "a page")
        least = np.atleast_1d(np.asarray(-np.inf if self.least is None else self.least, float))
        most = np.atleast_1d(np.asarray(np.inf if self.most is None else self.most, float))
        least, most = np.broadcast_arrays(least, most)
        return [Wanted(name, self.page, least, most)]


@dataclass(frozen=True)
class TorqueLimits:
    """Joint forces within limits: those of the model where none are given.

    Attributes:
        limits: by the name of a joint [N m or N].
        at: when, in phases; (from, to) for an interval; all the time when left out.
    """

    limits: Mapping[str, float] | None = None
    at: Any = None

    def wanted(self, figure: Setting) -> list[Wanted]:
        """What is to be within bounds there."""
        model = figure.model
        most = np.where(figure.driven, model.effort_limit, np.inf)
        if self.limits is not None:
            most = by_names(model, self.limits, np.full(model.nv, np.inf), model.slice_qd)[0]
        _check_most("effort", most)
        page = functools.partial(pushed_joint_forces, points=figure.points)
        name = in_joint_units("torque", model, np.isfinite(most), "N m")
        return [Wanted(name, page, -most, most, often=OFTEN)]


@dataclass(frozen=True)
class VelocityLimits:
    """Velocities of joints within limits: those of the model where none are given.

    Attributes:
        limits: by the name of a joint [rad/s or m/s].
        at: when, in phases; (from, to) for an interval; all the time when left out.
    """

    limits: Mapping[str, float] | None = None
    at: Any = None

    def wanted(self, figure: Setting) -> list[Wanted]:
        """What is to be within bounds there."""
        model = figure.model
        most = np.array(model.velocity_limit, float)
        if self.limits is not None:
            most = by_names(model, self.limits, np.full(model.nv, np.inf), model.slice_qd)[0]
        _check_most("velocity", most)
        still = {"wanted": np.zeros(model.nv)}
        name = in_joint_units("speed", model, np.isfinite(most), "rad/s")
        return [Wanted(name, off_velocity, -most, most, still, often=OFTEN)]


@dataclass(frozen=True)
class Periodic:
    """The same pose and velocity again, but for how far the figure went.

    Attributes:
        at: when, in phases: the number of phases is the end.
        since: as when.
        shift: by how much coordinates of a joint, by its name, grow in between; positions alone of
            a free joint.
    """

    at: float
    since: float = 0.0
    shift: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_time_in_phases("at", "Periodic", self.at)
        check_time_in_phases("since", "Periodic", self.since)
        if not self.since < self.at:
            raise ModelError(
                f"`Periodic` is from {self.since!r} to {self.at!r}. Give an end `at` behind "
                "`since`: the number of phases is the end of the motion."
            )

    def wanted(self, figure: Setting) -> list[Wanted]:
        """What is to be within bounds there."""
        model, still = figure.model, np.zeros(figure.model.nv)
        for name in self.shift:
            if name not in model.joint_names:
                raise ModelError(
                    f"`{model.name}` has no joint {name!r} to shift."
                    f"{nearest(name, model.joint_names)}"
                )
        change = np.concatenate([
            _shifts(self.shift.get(name), model, name) for name in model.joint_names
        ])  # fmt: skip
        every = np.ones(model.nv, bool)
        pose = in_joint_units("pose of a period", model, every, "rad")
        velocity = in_joint_units("velocity of a period", model, every, "rad/s")
        return [
            Wanted(pose, pose_numbers, change, change, {}, self.since),
            Wanted(velocity, off_velocity, still, still, {"wanted": still}, self.since),
        ]


@dataclass(frozen=True)
class Apart:
    """Balls about points of two links that do not meet.

    Attributes:
        links: names of two links, or of one and None for the world.
        radius: the sum of the radii [m].
        at: when, in phases; (from, to) for an interval; all the time when left out.
        points: centres of the balls in axes of the links [m].
    """

    links: tuple[str, str | None]
    radius: float
    at: Any = None
    points: Sequence[Sequence[float]] = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))

    def __post_init__(self) -> None:
        pair = isinstance(self.links, tuple | list) and len(self.links) == 2
        if not pair or self.links[0] == self.links[1] or np.shape(self.points) != (2, 3):
            raise ModelError(
                f"`Apart` has links {self.links!r} and points {self.points!r}. Give two links, "
                "None for the world, and three numbers for each."
            )
        if not self.radius > 0.0:
            raise ModelError(
                f"`radius` of `Apart` is {self.radius!r}. Give a length above zero [m]."
            )

    def wanted(self, figure: Setting) -> list[Wanted]:
        """What is to be within bounds there."""
        pairs = zip(self.links, self.points, strict=True)
        both = tuple(body_point(figure.model, link, point) for link, point in pairs)
        page = functools.partial(squared_distance, points=both)
        name = f"distance of {self.links[0]!r} and {self.links[1] or 'the world'!r}, squared [m^2],"
        least, most = np.array([self.radius**2]), np.array([np.inf])
        return [Wanted(name, page, least, most, often=OFTEN)]


@dataclass(frozen=True)
class Clear:
    """Shapes of links no nearer to each other than a gap.

    Second derivatives are those of closed forms: of balls, capsules, boxes and planes; bodies of
    other shapes can be given some as `collision`.

    Attributes:
        pairs: pairs of links, as `model.distances` has them.
        gap: the least distance [m].
        at: when, in phases; (from, to) for an interval; all the time when left out.
    """

    pairs: Sequence[tuple[str, str]]
    gap: float = 0.0
    at: Any = None

    def wanted(self, figure: Setting) -> list[Wanted]:
        """What is to be within bounds there."""
        own = figure.model.figure
        pairs = chosen(own, self.pairs)
        rows = tuple(tuple(shape_pairs(own, a, b)) for a, b in pairs)
        for (a, b), shapes in zip(pairs, rows, strict=True):
            if not all(closed(x.shape, y.shape) for x, y in shapes):
                raise ModelError(
                    f"the distance of {a!r} and {b!r} is searched for, and has no second "
                    "derivatives. Give them balls, capsules or boxes as `collision`, or `Apart`."
                )
        count = len(rows)
        page = functools.partial(link_gaps, rows=rows)
        least, most = np.full(count, self.gap), np.full(count, np.inf)
        return [Wanted("gap of links [m]", page, least, most, often=OFTEN)]


def link_gaps(tree: Tree, q: Any, *, rows: CollidingRows) -> list[Scalar]:
    """How far pairs of links are apart."""
    return [c.gap for c in nearest_contacts(poses(tree, q), rows)]


def _exactly(name: str, page: Page, known: Any, data: Mapping[str, Any]) -> Wanted:
    """Zero where that is known, no bound elsewhere."""
    return Wanted(name, page, np.where(known, 0.0, -np.inf), np.where(known, 0.0, np.inf), data)


def _shifts(given: Any, model: Model, name: str) -> Array:
    """By how much the numbers of a joint's pose are to change, of `pose_numbers`."""
    joint = model.tree.joint[model.joint_number(name)]
    count, free = pose_count(joint), joint.nq != joint.nv
    change, moved = np.zeros(count), count - 6 if free else count
    if given is not None:
        try:
            numbers = np.atleast_1d(np.asarray(given, float))
        except (TypeError, ValueError):
            numbers = np.zeros(0)
        if numbers.shape != (moved,) or not np.isfinite(numbers).all():
            raise ModelError(f"`shift` of joint {name!r} is {given!r}. Give {moved} numbers.")
        change[:moved] = numbers
    return change


def _check_most(what: str, most: Array) -> None:
    """A word on limits that there are none of, or that are less than zero."""
    if not np.isfinite(most).any() or not (most >= 0.0).all():
        raise ModelError(
            f"{what} limits are {most.tolist()}. Give some of zero or more by the names of joints, "
            "`limits={...}`, where the model has none."
        )
