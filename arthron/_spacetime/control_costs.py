"""What control costs: squares of distances from a state and of joint forces, and pages of yours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._figure.figure import Array
from .._model.model import Model
from .._pages.inputs import page_parameters
from .._pages.takes import Page, page_name
from .._spatial.scalar import Scalar
from .._tree.configuration import difference
from .._tree.tree import JointCoordinates, JointForces, Tree
from ..errors import ModelError
from .motion_inputs import by_names, weights_of

RUNNING, FINAL = ("q", "qd", "tau", "t"), ("q", "qd", "t")
"""What pages of costs may take."""


@dataclass(frozen=True)
class QuadraticCost:
    """Weighted squares of how far the state is from another one, and of joint forces.

    Weights are numbers of zero or more: one, those of all velocity coordinates, or some by the name
    of a joint, one for the others.

    Attributes:
        q: the other configuration, or coordinates by the name of a joint; neutral when left out.
        qd: the other velocity, likewise; at rest when left out.
        pose: weights of `difference(q, there)`, squared.
        velocity: weights of squared velocities seen from there.
        torque: weights of squared joint forces.
    """

    q: Any = None
    qd: Any = None
    pose: Any = 0.0
    velocity: Any = 0.0
    torque: Any = 0.0

    def numbers(self, model: Model) -> Array:
        """All of it in one row."""
        q = by_names(model, {} if self.q is None else self.q, model.neutral(), model.slice_q)[0]
        still = np.zeros(model.nv)
        qd = by_names(model, {} if self.qd is None else self.qd, still, model.slice_qd)[0]
        weights = [weights_of(model, x) for x in (self.pose, self.velocity, self.torque)]
        return np.concatenate([q, qd, *weights])


CostPart = QuadraticCost | Page


def cost_page(parts: Sequence[CostPart], known: Sequence[str]) -> Page:
    """The sum of costs as a page of a state, joint forces, time and numbers of quadratic ones."""
    quadratic = sum(isinstance(x, QuadraticCost) for x in parts)
    pages = [x for x in parts if not isinstance(x, QuadraticCost)]

    def summed(tree: Tree, numbers: Sequence[Scalar], given: Mapping[str, Any]) -> Scalar:
        width = tree.nq + 4 * tree.nv
        rows = [numbers[k * width : (k + 1) * width] for k in range(quadratic)]
        found = sum((_squares(tree, given, row) for row in rows), start=0.0)
        return found + sum(_number(page, tree, given, known) for page in pages)

    def running_cost(tree: Tree, q, qd, tau, t, numbers) -> Scalar:
        return summed(tree, numbers, {"q": q, "qd": qd, "tau": tau, "t": t})

    def final_cost(tree: Tree, q, qd, t, numbers) -> Scalar:
        return summed(tree, numbers, {"q": q, "qd": qd, "t": t})

    return running_cost if "tau" in known else final_cost


def cost_numbers(parts: Sequence[CostPart], model: Model) -> Array:
    """Numbers of quadratic costs, one behind the other."""
    rows = [x.numbers(model) for x in parts if isinstance(x, QuadraticCost)]
    return np.concatenate([np.zeros(0), *rows])


def checked_costs(name: str, given: Any, known: Sequence[str]) -> tuple[CostPart, ...]:
    """Costs, one or several of which may be given."""
    parts = tuple(given) if isinstance(given, Sequence) else (given,)
    for part in parts:
        if not isinstance(part, QuadraticCost | Callable):
            raise ModelError(
                f"`{name}` has {part!r}. Give an `ar.spacetime.QuadraticCost`, a page of "
                f"{', '.join(known)} that returns one number, or several of these."
            )
        if isinstance(part, QuadraticCost):
            idle = "tau" not in known and np.ndim(part.torque) == 0 and part.torque != 0.0
        else:
            idle = not {p.name for p in page_parameters(part)} <= set(known)
        if idle:
            what = "`torque`" if isinstance(part, QuadraticCost) else f"`{page_name(part)}`"
            raise ModelError(
                f"{what} of `{name}` costs takes what is not known there. These may take "
                f"{', '.join(known)}."
            )
    return parts


def _squares(tree: Tree, given: Mapping[str, Any], numbers: Sequence[Scalar]) -> Scalar:
    """A quadratic cost."""
    nq, nv = tree.nq, tree.nv
    row = list(numbers)
    off = tree.vector(difference(tree, tree.positions(row[:nq]), given["q"]))
    rate = tree.vector(JointCoordinates(given["qd"]))
    off += [x - y for x, y in zip(rate, row[nq : nq + nv], strict=True)]
    if "tau" in given:
        off += tree.vector(JointForces(given["tau"]))
    return sum((w * x * x for w, x in zip(row[nq + nv :], off, strict=False)), start=0.0)


def _number(page: Page, tree: Tree, given: Mapping[str, Any], known: Sequence[str]) -> Scalar:
    """What a page costs."""
    found = page(tree, **{p.name: given[p.name] for p in page_parameters(page)})
    if isinstance(found, list | tuple):
        raise ModelError(
            f"the cost `{page_name(page)}` returned {len(found)} numbers. Return one: a sum of "
            f"squares, say, of {', '.join(known)}."
        )
    return found
