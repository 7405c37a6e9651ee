"""What numbers of joints are measured in, of messages."""

from __future__ import annotations

import math

import numpy as np

from .._figure.figure import Array
from .._model.model import Model
from .._tree.joints import Joint

ONE = {"rad": "m", "rad/s": "m/s", "rad/s^2": "m/s^2", "N m": "N"}
"""What turns are measured in, and slides instead."""


def in_joint_units(name: str, model: Model, known: Array, turns: str) -> str:
    """The name of numbers of velocity coordinates, with the unit of those that are known.

    Args:
        name: what they are.
        model: the figure.
        known: of each velocity coordinate, whether it is one of them.
        turns: unit of those that turn.
    """
    tree = model.tree
    own = [joint for i, joint in enumerate(tree.joint) if i not in tree.followers]
    turning = np.concatenate([_turning(joint) for joint in own])
    same = len(turning) == len(known)  # coordinates that others are functions of may be anything
    some = turning[np.flatnonzero(known)] if same else np.array([True, False])
    units = [turns] * bool(some.any()) + [ONE[turns]] * (not some.all())
    return f"{name} [{' or '.join(units)}]"


def _turning(joint: Joint) -> Array:
    """Of each velocity coordinate of a joint, whether it turns."""
    columns = joint(joint.neutral(), (0.0,) * joint.nv)[1]
    return np.array([math.dist(column.ang, (0, 0, 0)) > 0.0 for column in columns], bool)
