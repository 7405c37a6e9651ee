"""What people give by names of joints and links, as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
        return found, np.ones(model.nv, bool)
    found, known = np.array(rest, float), np.zeros(model.nv, bool)
    for name, value in given.items():
        if name not in model.joint_names:
            raise ModelError(
                f"`{model.name}` has no joint {name!r}.{nearest(name, model.joint_names)} "
                "`model.joint_names` lists them."
            )
        found[place(name)], known[model.slice_qd(name)] = value, True
    return found, known


def driven_coordinates(model: Model, passive: Sequence[str] | None) -> Array:
    """Of each velocity coordinate, whether a motor is there.

    Args:
        model: the figure.
        passive: joints without a motor. When left out, a joint of several coordinates on the world,
            such as a free root.
    """
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
