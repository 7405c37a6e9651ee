"""What is asked of inverse kinematics as arrays, or a word on what is wrong with it."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._figure.figure import Array
from .._figure.user_input import as_numbers, generator
from .._model.model import Model
from .._tree.joints import unit_axis
from ..errors import ModelError, ShapeError
from .targets import Target

EXACT = 1e-6
"""How far a matrix may be from a rotation."""


def check_targets(model: Any, targets: Any) -> list[Target]:
    """The targets, all of which name frames of the model."""
    if not isinstance(model, Model):
        raise ModelError(
            f"the model is a {type(model).__name__}. Give an `ar.Model`, such as `ar.load(file)`."
        )
    wanted = "Give a list such as `[ar.ik.Pose(frame, value)]`"
    if isinstance(targets, str) or not isinstance(targets, Sequence):
        raise ModelError(f"`targets` is a {type(targets).__name__}. {wanted}.")
    if not targets:
        raise ModelError(f"inverse kinematics without targets. {wanted}.")
    for target in targets:
        if not all(hasattr(target, name) for name in ("shape", "numbers", "value", "rows")):
            raise ModelError(
                f"a target is {target!r}. {wanted} of `Pose`, `Point`, `Orientation`, `LookAt`, "
                "`CenterOfMass` and `Clearance`."
            )
        _check_fields(model, target)
    return list(targets)


def _check_fields(model: Model, target: Any) -> None:
    kind = type(target).__name__
    for name in ("weight", "orientation_weight"):
        weight = getattr(target, name, 1.0)
        if not _is_number(weight) or not weight > 0.0:
            raise ModelError(
                f"`{name}` of target `{kind}` is {weight!r}. Give a positive number, or leave out "
                "what does not matter: `Point` and `Orientation` are the halves of `Pose`."
            )
    if hasattr(target, "frame"):
        model.frame(target.frame)
    if hasattr(target, "axis"):
        unit_axis(target.axis)
    point = finite_numbers(getattr(target, "point", [0.0] * 3), f"`point` of target `{kind}`")
    if point.shape != (3,):
        raise ShapeError(
            f"`point` of target `{kind}` has shape {point.shape}. Give three numbers, in the frame."
        )


def _is_number(x: Any) -> bool:
    return isinstance(x, numbers.Real) and not isinstance(x, bool) and math.isfinite(x)


def finite_numbers(value: Any, what: str) -> Array:
    """An array of finite numbers."""
    array = as_numbers(value, what)
    if not np.all(np.isfinite(array)):
        raise ShapeError(f"{what} holds NaN or infinity. Give finite numbers.")
    return array


def goal(target: Target) -> Array:
    """The value of a target: an array of its shape, with rotations that are some."""
    kind = type(target).__name__
    value = finite_numbers(target.value, f"the value of target `{kind}`")
    if value.shape[max(0, value.ndim - len(target.shape)) :] != target.shape:
        shape = ", ".join(map(str, target.shape))
        raise ShapeError(f"target `{kind}` has shape {value.shape} and needs (..., {shape}).")
    if len(target.shape) == 2:
        R = value[..., :3, :3]
        off = np.abs(R @ np.swapaxes(R, -1, -2) - np.eye(3))
        if not np.all(off <= EXACT) or not np.all(np.linalg.det(R) > 0.0):
            raise ShapeError(
                f"the rotation of target `{kind}` is none: its rows are not of length 1 and at "
                f"right angles, to {EXACT:g}, or left-handed. Give a rotation matrix; `ar.pose` "
                "makes poses from angles."
            )
    if target.shape == (4, 4) and not np.all(np.abs(value[..., 3, :] - [0, 0, 0, 1]) <= EXACT):
        raise ShapeError(
            f"the last row of target `{kind}` is {value[..., 3, :].reshape(-1, 4)[0]}. A pose has "
            "(0, 0, 0, 1) there, and the position in its last column."
        )
    return value


def coordinates(model: Model, value: Any, name: str) -> Array:
    """Coordinates of the figure, (..., nq)."""
    array = finite_numbers(value, f"`{name}`")
    if array.shape[-1:] != (model.nq,):
        raise ShapeError(
            f"`{name}` has shape {array.shape} but `{model.name}` needs (..., {model.nq})."
        )
    return array


def check_settings(tolerance: Any, iterations: Any, restarts: Any) -> None:
    """Numbers that make sense."""
    if not _is_number(tolerance) or not tolerance > 0.0:
        raise ShapeError(f"`tolerance` is {tolerance!r}. Give a positive number, such as 1e-6.")
    for name, value, least in (("iterations", iterations, 1), ("restarts", restarts, 0)):
        whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
        if not whole or value < least:
            raise ShapeError(f"`{name}` is {value!r}. Give a whole number, {least} or more.")


def start_generator(rng: Any) -> np.random.Generator:
    """Where random starts come from.

    A seed is not used as it is: targets made from random coordinates of the same seed would meet
    their own solutions as starts.
    """
    used = generator(rng)
    return generator([int(rng), 1]) if isinstance(rng, numbers.Integral) else used
