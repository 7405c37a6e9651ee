"""What people give by names of joints and links, as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .._algorithms.planned_motion import BodyPoint
from .._figure.figure import Array
from .._model.model import Model
from ..errors import ModelError, nearest


def by_joint(model: Model, given: Any) -> Array:
    """A number for each velocity coordinate, one of joints that are not named."""
    if not isinstance(given, Mapping) and np.ndim(given) == 0:
        return np.full(model.nv, float(given))
    return by_names(model, given, np.ones(model.nv), model.slice_qd)[0]


def body_point(model: Model, link: str | None, point: Sequence[float]) -> BodyPoint:
    """A point of a link, on the body that it is part of."""
    if link is None:
        x, y, z = point
        return 0, (float(x), float(y), float(z))
    frame = model.frame(link)
    r = frame.X.r + frame.X.R @ type(frame.X.r)(*(float(x) for x in point))
    return frame.body, tuple(float(x) for x in r)  # type: ignore[return-value]


def by_names(model: Model, given: Any, rest: Array, place: Any) -> tuple[Array, Array]:
    """Numbers with those that are given by joint, and which velocity coordinates these are of."""
    if not isinstance(given, Mapping):
        found = np.asarray(given, float)
        if found.shape != rest.shape:
            raise ModelError(
                f"an array of shape {found.shape} is given for {len(rest)} numbers of "
                f"`{model.name}`. Give as many, or a dict by the names of joints."
            )
        if not np.isfinite(found).all():
            raise ModelError(f"{found.tolist()} is given for `{model.name}`. Give finite numbers.")
        return found, np.ones(model.nv, bool)
    found, known = np.array(rest, float), np.zeros(model.nv, bool)
    for name, value in given.items():
        if name not in model.joint_names:
            raise ModelError(
                f"`{model.name}` has no joint {name!r}.{nearest(name, model.joint_names)} "
                "`model.joint_names` lists them."
            )
        known[model.slice_qd(name)] = True
        size = len(found[place(name)])
        try:
            numbers = np.asarray(value, float)
        except (TypeError, ValueError):
            numbers = np.full(0, np.nan)
        one = size == 1 or len(rest) == model.nv  # for all coordinates of a joint
        if numbers.shape not in ((size,), () if one else (size,)) or np.isnan(numbers).any():
            raise ModelError(
                f"{value!r} is given for joint {name!r} of `{model.name}`. Give "
                f"{'a number' if size == 1 else f'{size} numbers'}."
            )
        found[place(name)] = numbers
    return found, known


def weights_of(model: Model, given: Any) -> Array:
    """A weight of zero or more for each velocity coordinate."""
    try:
        found = by_joint(model, given)
    except (TypeError, ValueError):
        found = np.full(1, np.nan)
    if not ((found >= 0.0) & (found < np.inf)).all():
        raise ModelError(f"weights are {given!r}. Give numbers of zero or more.")
    return found


def check_time_in_phases(name: str, who: str, given: Any) -> None:
    """A word on what is no time in phases, or more than one."""
    if np.ndim(given) or np.asarray(given).dtype.kind not in "iuf" or not 0.0 <= given < np.inf:
        raise ModelError(
            f"`{name}` of `{who}` is {given!r}. Give one time in phases: 0 is the start, 1 the end "
            "of the first phase."
        )


def interval_of(at: Any, last: float) -> tuple[float, float]:
    """The start and end of a time in phases, of which there are `last`, or of two of them."""
    try:
        start, end = map(float, at if np.ndim(at) else (at, at))
    except (TypeError, ValueError):
        start = end = np.nan
    if not 0.0 <= start <= end <= last or np.asarray(at).dtype.kind not in "iuf":
        raise ModelError(
            f"`at` of a condition is {at!r}. Give a time in phases, from 0 to {last}, or two of "
            "them that increase."
        )
    return start, end


def pose_of(model: Model, given: Any) -> Array:
    """A configuration, joints that are not named in neutral, whose turns are turns."""
    q = by_names(model, given, model.neutral(), model.slice_q)[0]
    for name in model.joint_names:
        joint, own = model.tree.joint[model.joint_number(name)], q[model.slice_q(name)]
        size = float(np.linalg.norm(own[-4:])) if joint.nq != joint.nv else 1.0
        if abs(size - 1.0) > 1e-6:
            raise ModelError(
                f"the quaternion of joint {name!r} is {own[-4:].tolist()}, of length {size:.6g}. "
                "Give one of length 1."
            )
    return q


def driven_coordinates(model: Model, passive: Sequence[str] | None) -> Array:
    """Of each velocity coordinate, whether a motor is there.

    Args:
        model: the figure.
        passive: joints without a motor. When left out, a joint of several coordinates on the world,
            such as a free root.
    """
    if isinstance(passive, str):
        raise ModelError(f"`passive` is {passive!r}. Give a list of joints: [{passive!r}].")
    if not isinstance(passive, Iterable | None):
        raise ModelError(f"`passive` is {passive!r}. Give a list of the names of joints.")
    for name in passive or ():
        if name not in model.joint_names:
            raise ModelError(
                f"`{model.name}` has no joint {name!r} to be passive."
                f"{nearest(name, model.joint_names)}"
            )
    tree, found = model.tree, np.ones(model.nv, bool)
    for i, name in enumerate(model.joint_names, 1):
        several = tree.parent[i] == 0 and tree.joint[i].nv > 1
        if several if passive is None else name in passive:
            found[model.slice_qd(name)] = False
    return found


def bounds_of(what: str, given: Any, count: int) -> tuple[Array, Array]:
    """Least and most of numbers, None of which is no bound."""
    try:
        pair = isinstance(given, tuple | list) and len(given) == 2 and np.ndim(given[0]) == 1
        rows = given if pair else (given, given)
        least = np.array([-np.inf if x is None else x for x in rows[0]], float)
        most = np.array([np.inf if x is None else x for x in rows[1]], float)
    except (TypeError, ValueError):
        least = most = np.zeros(0)
    if least.shape != (count,) or most.shape != (count,):
        raise ModelError(
            f"{what} is {given!r}. Give {count} numbers, None for one that is open, or two lists "
            "of them, at least and at most."
        )
    return least, most
