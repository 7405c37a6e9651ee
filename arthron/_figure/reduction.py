"""Joints that follow others: how that is said, and the map that comes of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._tree.coordinate_map import CoordinateMap, Unattached, as_coordinates
from .._tree.tree import Tree
from ..errors import ModelError, nearest
from .body import Body, Mimic

MOST = 100
"""Coordinates that a map may be found to ask for."""


@dataclass(frozen=True)
class Reduction:
    """Coordinates y that belong to no joint, and the joints that follow them: q = f(y).

    Attributes:
        function: f, which takes y and returns coordinates by the names of joints.
        coordinates: name, limits and neutral values of y.
    """

    function: Callable[[tuple], Mapping[str, Any]]
    coordinates: Body


def reduction(
    function: Callable[[tuple], Mapping[str, Any]], size: int, name: str, neutral: Any,
    lower: Any, upper: Any,
) -> Reduction:  # fmt: skip
    """What a user says of q = f(y), checked as far as it can be without a figure."""
    if not callable(function) or isinstance(function, type):
        raise ModelError(
            f"the map is {function!r}. Give a function of y that returns a dict: coordinates by "
            "the names of joints."
        )
    whole = isinstance(size, int | np.integer) and not isinstance(size, bool)
    if not whole or size < 1:
        raise ModelError(f"`size` is {size!r}. Give how many coordinates y has: 1 or more.")
    try:
        rest = np.broadcast_to(np.asarray(neutral, dtype=float), (int(size),))
    except (TypeError, ValueError):
        rest = np.array([math.nan])
    if not np.all(np.isfinite(rest)):
        raise ModelError(
            f"`neutral` is {neutral!r}. Give one finite number for all coordinates, or {size}."
        )
    joint = Unattached(tuple(float(x) for x in rest))
    return Reduction(function, Body(name, joint, lower=lower, upper=upper))


def coordinate_map(
    moving: Sequence[Body], name: str, mimic: bool, given: Reduction | None
) -> CoordinateMap | None:
    """How joints follow others: by `mimic`, if that counts, and by what was given."""
    followed = _mimics(moving, name) if mimic else {}
    numbers = {str(body.joint_name): i for i, body in enumerate(moving, start=1)}
    if not followed and given is None:
        return None
    if given is not None and given.coordinates.name in numbers:
        raise ModelError(
            f"`{name}` has a joint called {given.coordinates.name!r}, and so are the coordinates "
            "that joints are to follow. Give these another `name`."
        )

    def function(y: Mapping[int, Sequence[Any]]) -> dict[int, Sequence[Any]]:
        found = {} if given is None else _called(given, y[0], moving, numbers, name)
        for i in found.keys() & followed.keys():
            raise ModelError(
                f"joint {moving[i - 1].joint_name!r} of `{name}` mimics another one, and the map "
                "says where it is, too. Leave it out of what the map returns."
            )
        for i, (leader, multiplier, offset) in followed.items():
            (x,) = found[leader] if leader in found else y[leader]
            found[i] = (x * multiplier + offset,)
        return found

    own = {} if given is None else {0: given.coordinates.joint.nv}
    heads = {leader: 1 for leader, _, _ in followed.values()}
    if given is not None:
        led = _called(given, given.coordinates.joint.neutral(), moving, numbers, name)
        heads = {leader: 1 for leader in heads if leader not in led}
    return CoordinateMap(function, own | dict(sorted(heads.items())))


def _suffices(given: Reduction, size: int) -> bool:
    """Whether the user's function asks for no more than so many coordinates."""
    try:
        given.function((0.0,) * size)
    except IndexError:
        return False
    except Exception:  # whatever zeros lead to, they were enough
        return True
    return True


def _called(
    given: Reduction,
    y: Sequence[Any],
    moving: Sequence[Body],
    numbers: Mapping[str, int],
    name: str,
) -> dict[int, Sequence[Any]]:
    """What the user's function returns, by number of the joint."""
    try:
        result = given.function(tuple(y))
    except IndexError:
        needed = next((n for n in range(len(y) + 1, len(y) + MOST) if _suffices(given, n)), None)
        if needed is None:
            raise
        raise ModelError(
            f"the map of `{name}` asks for more of y than there is, which is {len(y)}. Give "
            f"`size={needed}`."
        ) from None
    if not isinstance(result, Mapping) or not result:
        raise ModelError(
            f"the map of `{name}` returned {result!r}. Return a dict of coordinates by the names "
            "of joints."
        )
    found = {}
    for joint, value in result.items():
        if joint not in numbers:
            raise ModelError(
                f"the map of `{name}` says where joint {joint!r} is, which there is not."
                f"{nearest(str(joint), numbers)} Name joints that move."
            )
        i = numbers[joint]
        kind = moving[i - 1].joint
        if kind.nq != kind.nv:
            raise ModelError(
                f"joint {joint!r} of `{name}` has {kind.nq} coordinates and {kind.nv} velocities, "
                "as quaternions and charts have, and no map says where it is. Use a joint whose "
                "coordinates have a velocity each, such as `ar.Euler()`."
            )
        each = as_coordinates(value, kind.nq)
        if each is None:
            raise ModelError(
                f"the map of `{name}` returned {value!r} for joint {joint!r}. Return as many "
                f"numbers as it has coordinates: {kind.nq}."
            )
        found[i] = each
    return found


def _mimics(moving: Sequence[Body], name: str) -> dict[int, tuple[int, float, float]]:
    """Joints that mimic another: (leader, multiplier, offset), chains resolved to their heads."""
    numbers = {body.joint_name: i for i, body in enumerate(moving, start=1)}
    links: dict[int, tuple[int, float, float]] = {}
    for i, body in enumerate(moving, start=1):
        if body.mimic is None:
            continue
        leader = numbers.get(body.mimic.joint)
        if leader is None or body.joint.nv != 1 or moving[leader - 1].joint.nv != 1:
            raise ModelError(
                f"joint {body.joint_name!r} of `{name}` mimics {body.mimic.joint!r}, which is not "
                "a moving joint, or one of the two has not exactly one coordinate. Load without "
                f"`mimic=True`, or mend the name.{nearest(body.mimic.joint, map(str, numbers))}"
            )
        links[i] = leader, body.mimic.multiplier, body.mimic.offset
    for i in links:
        for _ in links:
            leader, k, c = links[i]
            if leader not in links:
                break
            head, multiplier, offset = links[leader]
            links[i] = head, k * multiplier, k * offset + c
        else:
            raise ModelError(
                f"joint {moving[i - 1].joint_name!r} of `{name}` follows itself through others. "
                "Let one joint of the circle lead."
            )
    return links


def map_complaints(tree: Tree, y: Sequence[float], name: str) -> list[str]:
    """What to say of a map that is singular at its neutral coordinates; NaN there is refused."""
    n = tree.joint[0].nv
    if not n:
        return []
    values = [x for each in tree.positions(list(y)) for x in each]
    slopes = tree.at(list(y)).led.slopes.values()
    rows = np.array(
        [[row.get(k, 0.0) for k in range(n)] for each in slopes for row in each], float
    ).reshape(-1, n)
    if not (np.all(np.isfinite(values)) and np.all(np.isfinite(rows))):
        raise ModelError(
            f"the map of `{name}` is not finite, or has no finite slope, at its neutral "
            f"coordinates {tree.joint[0].neutral()}. Give `neutral` where it is smooth."
        )
    if np.linalg.matrix_rank(rows, tol=1e-9 * max(1.0, np.abs(rows).max(initial=0.0))) == n:
        return []
    idle = [k for k in range(n) if not rows[:, k].any()]
    elsewhere = tree.at([x + 0.3 + 0.1 * k for k, x in enumerate(y)]).led.slopes.values()
    idle = [k for k in idle if not any(row.get(k, 0.0) for each in elsewhere for row in each)]
    if idle:
        return [f"no joint of `{name}` follows y[{idle[0]}]: it moves nothing, and has no inertia. "
                f"Give `size={n - len(idle)}`, or let a joint follow it."]  # fmt: skip
    return [
        f"the map of `{name}` is singular at its neutral coordinates {tree.joint[0].neutral()}: "
        "there is a way to change them that moves no joint, and no inertia. Give `neutral` "
        "elsewhere, and start there."
    ]


def with_mimics(tree: Tree, links: Sequence[Body], moving: Sequence[Body]) -> tuple[Body, ...]:
    """The links, with joints that follow one coordinate y linearly as mimics of the first such.

    What URDF can say of a map; what it cannot is refused.
    """
    said: dict[str, Mimic | None] = {}
    leaders: dict[int, tuple[str, float, float]] = {}
    offsets = tree.positions([0.0] * tree.nq)
    for i in tree.followers:
        body, rows = moving[i - 1], () if tree.curved else tree.led.slopes[i]
        if len(rows) != 1 or len(rows[0]) != 1:
            raise ModelError(
                f"joint {body.joint_name!r} follows others by a map that URDF cannot say: it knows "
                "joints with one coordinate that is a multiple of another's, and an offset. Save "
                "`model.unreduced()`, and reduce it again when it is loaded."
            )
        ((at, k),), (offset,) = rows[0].items(), offsets[i]
        if at >= tree.joint[0].nv:
            continue  # it mimics a joint already
        if at not in leaders:
            leaders[at], said[body.name] = (str(body.joint_name), k, offset), None  # type: ignore
            continue
        name, first, start = leaders[at]
        said[body.name] = Mimic(name, k / first, offset - k / first * start)  # type: ignore
    return tuple(replace(b, mimic=said[b.name]) if b.name in said else b for b in links)
