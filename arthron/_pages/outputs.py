"""The results of a page: how they become arrays."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._graph.expr import is_scalar
from .._graph.iterate import Iterated
from .._graph.program import Shape, Structure
from .._graph.root import Root
from .._spatial.motions import Force, Forces, Motion, Subspace
from .._spatial.transform import Transform
from .._tree.tree import (
    BodyList,
    JointColumns,
    JointCoordinates,
    JointForces,
    JointMatrix,
    OfJoint,
    Shaped,
    Tree,
)
from ..errors import TraceError


@dataclass(frozen=True)
class Output:
    """One result of a page: its scalars in array order, and the array's shape."""

    shape: Shape
    scalars: list[Any]


def page_outputs(tree: Tree, result: Any) -> tuple[Structure, list[Output]]:
    """Results of a page as flat outputs, and their structure.

    A dict or a tuple of results is several arrays; a list is one array.
    """
    if isinstance(result, dict) and not isinstance(result, JointMatrix | JointColumns):
        for key in result:
            if not isinstance(key, str):
                raise TraceError(f"a page returned a dict with the key {key!r}. Keys are text.")
        return tuple(result), [_output(tree, value) for value in result.values()]
    if type(result) is tuple or isinstance(result, Iterated | Root):
        return len(result), [_output(tree, value) for value in result]
    return None, [_output(tree, result)]


class _Nothing(list):
    """No entries, of the shape of an example."""

    def __init__(self, example: Any) -> None:
        super().__init__()
        self.example = example


def _output(tree: Tree, value: Any) -> Output:
    if isinstance(value, Shaped) and math.prod(value.shape) == 0:
        return Output(value.shape, [])
    table = _table(tree, value)
    shape: list[int] = []
    level = table
    while isinstance(level, list):
        shape.append(len(level))
        level = level.example if isinstance(level, _Nothing) else (level or [None])[0]
    flat = [table]
    for extent in shape:
        if any(not isinstance(row, list) or len(row) != extent for row in flat):
            raise TraceError("a result has rows of unequal length; they cannot form an array.")
        flat = [x for row in flat for x in row]
    if any(isinstance(x, list) for x in flat):
        raise TraceError("a result has rows of unequal length; they cannot form an array.")
    return Output(tuple(shape), flat)


def _by_joint(tree: Tree, value: BodyList) -> BodyList:
    """A list by joint, if it has as many numbers for each joint as that has coordinates."""
    forces = isinstance(value, JointForces)
    wrong = [
        x
        for x, joint in zip(value[1:], tree.joint[1:], strict=False)
        if not isinstance(x, tuple | list)
        or len(x) not in ((joint.nv,) if forces else (joint.nq, joint.nv))
    ]
    if len(value) == len(tree.parent) and not wrong:
        return value
    short = len(value) != len(tree.parent)
    came = f"{len(value)} entries" if short else f"{wrong[0]!r} for a joint"
    raise TraceError(
        f"`ar.{type(value).__name__}` of a page holds {came}. Give an entry for the base and one "
        f"for each of the {tree.nb} bodies, a tuple of as many numbers as its joint has "
        f"coordinates. `tree.forces(x)` and `tree.rates(x)` make such lists of {tree.nv} numbers."
    )


def _without_followers(tree: Tree, value: BodyList) -> BodyList:
    """A list by joint that does not say what it holds, which matters where joints follow others."""
    if tree.followers:
        raise TraceError(
            "a page returned a list with a tuple for each joint, and some joints follow others. "
            "Return `ar.JointForces(x)` if these are forces, which then act on the joints that are "
            "followed, or `ar.JointCoordinates(x)` if they are positions or their rates."
        )
    return value


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 80 else f"{text[:77]}..."


def _table(tree: Tree, value: Any) -> Any:
    """Nested lists of scalars, shaped like the array they will fill."""
    if is_scalar(value):
        return value
    if isinstance(value, Transform):
        return _table(tree, value.matrix())
    if isinstance(value, Motion | Force):
        return [*value.ang, *value.lin]
    if isinstance(value, JointForces | JointCoordinates):
        return tree.vector(_by_joint(tree, value))
    if isinstance(value, BodyList):
        if all(type(e) in (tuple, OfJoint) or e is None for e in value[1:] or value):
            return tree.vector(_without_followers(tree, value))
        return [_table(tree, entry) for entry in value[1:]] or _Nothing(_table(tree, value[0]))
    if isinstance(value, JointMatrix | JointColumns):
        return tree.matrix(value) or _Nothing([])
    if isinstance(value, Subspace | Forces | tuple | list):
        return [_table(tree, entry) for entry in value]
    if isinstance(value, np.ndarray):
        return value.tolist()
    forgot = " Did you forget `return`?" if value is None else ""
    raise TraceError(
        f"a page returned {_short(value)} of type {type(value).__name__}. Return scalars, vectors, "
        f"spatial vectors, lists of them per body, or a dict of these.{forgot}"
    )
