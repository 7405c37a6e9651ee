"""What files of motion capture hold: a skeleton, and the numbers of its channels in time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .._figure.figure import Array

POSITIONS = ("Xposition", "Yposition", "Zposition")
ROTATIONS = ("Xrotation", "Yrotation", "Zrotation")
Offset = tuple[float, float, float]


@dataclass(frozen=True)
class SkeletonJoint:
    """A joint, and where its bones end.

    Frames of all joints are parallel to the file's axes in the rest pose. A joint turns by the
    product of its rotations; where it has an `axis` C, by C R C^T.

    Attributes:
        name: as in the file.
        parent: number of the parent joint; -1 for the root.
        offset: where it is in the parent, in the file's units.
        channels: "Xposition", "Zrotation" and so on, in the order of the file's numbers.
        rotation_order: axes of its rotations as a product from left to right: "zyx" is Rz Ry Rx.
        axis: rotation matrix C of the axes that it turns about, of ASF files.
        limits: least and greatest of each rotation [rad], in the order of the channels, or none.
        ends: where bones end that bear no joint.
    """

    name: str
    parent: int = -1
    offset: Offset = (0.0, 0.0, 0.0)
    channels: tuple[str, ...] = ()
    rotation_order: str = ""
    axis: tuple[Offset, Offset, Offset] | None = None
    limits: tuple[tuple[float, float], ...] = ()
    ends: tuple[Offset, ...] = ()

    @property
    def positions(self) -> tuple[str, ...]:
        """Its channels that move it."""
        return tuple(name for name in self.channels if name in POSITIONS)


@dataclass(frozen=True)
class Skeleton:
    """Joints, parents first: the root is number 0.

    Attributes:
        joints: all of them.
        name: what the file, or its name, calls it.
    """

    joints: tuple[SkeletonJoint, ...]
    name: str = "skeleton"

    @property
    def names(self) -> tuple[str, ...]:
        """Of the joints."""
        return tuple(joint.name for joint in self.joints)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Where the channels of each joint begin among all, and how many there are."""
        return tuple(np.cumsum([0, *(len(joint.channels) for joint in self.joints)]).tolist())

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Numbers of the joints that hang on each."""
        found: list[list[int]] = [[] for _ in self.joints]
        for number, joint in enumerate(self.joints[1:], 1):
            found[joint.parent].append(number)
        return tuple(map(tuple, found))

    def rest_positions(self) -> Array:
        """Where joints are when nothing turns, (joints, 3)."""
        found = np.zeros((len(self.joints), 3))
        for number, joint in enumerate(self.joints):
            found[number] = joint.offset
            if joint.parent >= 0:
                found[number] += found[joint.parent]
        return found


@dataclass(frozen=True, eq=False)
class MotionFile:
    """A skeleton and its motion as they are in a file.

    Attributes:
        skeleton: its joints.
        values: numbers of all channels, angles in degrees, (frames, channels).
        frame_time: seconds from one frame to the next.
        path: the file.
        unit: how many metres one unit of length is, where the file says so.
    """

    skeleton: Skeleton
    values: Array
    frame_time: float
    path: str
    unit: float | None = None

    def column(self, number: int, channel: str) -> Array:
        """What a channel of a joint is in time; zeros where the joint has no such channel."""
        channels = self.skeleton.joints[number].channels
        if channel not in channels:
            return np.zeros(len(self.values))
        return self.values[:, self.skeleton.starts[number] + channels.index(channel)]

    def root_positions(self) -> Array:
        """Where the root is, (frames, 3): what channels say takes the place of its offset."""
        root = self.skeleton.joints[0]
        each = zip(POSITIONS, root.offset, strict=True)
        columns = [
            self.column(0, name) if name in root.channels else np.full(len(self.values), at)
            for name, at in each
        ]
        return np.stack(columns, -1)
