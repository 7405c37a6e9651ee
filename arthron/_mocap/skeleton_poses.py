"""Poses of a file's skeleton, frame by frame, in the file's own units and axes."""

from __future__ import annotations

import numpy as np

from .._figure.figure import Array
from .rotations import from_angles, quaternion_products, quaternions_of, rotation_matrices
from .skeleton import MotionFile


def joint_angles(file: MotionFile, number: int) -> list[Array]:
    """Angles of a joint in the order of its product [rad]."""
    order = file.skeleton.joints[number].rotation_order
    return [np.radians(file.column(number, f"{axis.upper()}rotation")) for axis in order]


def joint_rotations(file: MotionFile, number: int) -> Array:
    """Turns of a joint in its parent, quaternions (frames, 4)."""
    joint = file.skeleton.joints[number]
    q = from_angles(joint.rotation_order, joint_angles(file, number))
    if joint.axis is not None:
        C = quaternions_of(np.array(joint.axis))
        q = quaternion_products(quaternion_products(C, q), C * np.array([1.0, -1.0, -1.0, -1.0]))
    return np.broadcast_to(q, (len(file.values), 4))


def joint_positions(file: MotionFile, frames: slice = slice(None)) -> Array:
    """Where joints are, (frames, joints, 3)."""
    skeleton = file.skeleton
    positions = np.zeros((len(file.values[frames]), len(skeleton.joints), 3))
    turns: list[Array] = []
    for number, joint in enumerate(skeleton.joints):
        R = rotation_matrices(joint_rotations(file, number)[frames])
        if joint.parent < 0:
            positions[:, number] = file.root_positions()[frames]
        else:
            above = turns[joint.parent]
            positions[:, number] = positions[:, joint.parent] + above @ np.array(joint.offset)
            R = above @ R
        turns.append(R)
    return positions
