"""Constraints as targets: solutions with loops closed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from .._scene.check_scene import check_element
from .._scene.element import Element, Here, MovingFrame, described
from .._scene.ports import ports
from .._scene.rows import ConstraintRows, constrains
from .._spatial.scalar import Scalar
from ..errors import ModelError
from .targets import Placed, Rows


@dataclass(frozen=True)
class Closed:
    """A constraint that holds: a loop, a rod, a coupling of joints.

    Attributes:
        constraint: an element of `ar.constraints`, or one of yours that has a `constraint`.
        weight: how much it counts beside other targets; all are met where they can be.
        value: what its rows are to be, (...); zero where it holds.
    """

    constraint: Any
    weight: float = 1.0
    value: ArrayLike = 0.0
    shape = ()
    numbers = 1

    def rows(self, placed: Placed, goal: Sequence[Scalar]) -> Rows:
        """What each row is off, at time zero."""
        element, model, tree = self.constraint, placed.model, placed.tree
        check_element(model, element)
        if element.open_at_start or element.variables or not isinstance(element, Element):
            raise ModelError(
                f"{described(element)} is a target, and the start of a simulation decides what it "
                "keeps. Give its place or length, and a joint whose rows have a closed form."
            )
        if not constrains(element):
            raise ModelError(
                f"{described(element)} is a target, and it keeps nothing at zero. Give one that "
                "does, such as a `Loop` or a `Distance`."
            )
        element = element.fitted(model)
        at = ports(element, model)
        links = [port for port in at if port.X is not None]
        frames = [MovingFrame(port.X @ placed.X0[port.body]) for port in links]
        bodies = [port.body for port in at if port.X is None]
        q, still = ([x[i] for i in bodies] for x in (placed.q, tree.at_rest()))
        here = Here(0.0, frames, q, still, [tree.joint[i] for i in bodies], {}, tree)
        rows = ConstraintRows(element, at, here)
        lines = rows.velocity_rows(tree, placed.q, 1.0)
        n, w = range(tree.nv), self.weight
        return [
            (w * (goal[0] - x), [w * row.G.get(j, 0.0) for j in n])
            for x, row in zip(rows.errors, lines, strict=True)
        ]
