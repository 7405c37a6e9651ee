"""Controllers for scenes: traced functions `(tree, t, q, qd)` that return joint forces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ._algorithms.configuration import difference, integrate
from ._algorithms.dynamics import gravity_forces, inverse_dynamics
from ._model.tree import BodyList, Tree
from ._scene.prescribed import moving_place
from ._spatial.motions import Force
from ._spatial.scalar import Scalar
from .errors import ModelError

__all__ = ("computed_torque", "gravity_compensation", "pd")

Controller = Callable[..., Any]
Target = Sequence[float] | Callable[[Scalar], Sequence[Scalar]]


def gravity_compensation(tree: Tree, t: Scalar, q, qd) -> list[Scalar]:
    """Joint forces that hold the figure against gravity."""
    return tree.vector(gravity_forces(tree, q))


def pd(target: Target, stiffness: float | Sequence[float], damping: float | Sequence[float],
       *, compensate: bool = False) -> Controller:  # fmt: skip
    """k times how far q is from a target, less d times qd; with gravity taken care of if wanted.

    The target is coordinates (nq,), or a function of time that returns them.
    """

    def control(tree: Tree, t: Scalar, q, qd) -> list[Scalar]:
        away, rate, _ = _errors(tree, target, t, q, qd)
        k, d = _each(stiffness, tree.nv), _each(damping, tree.nv)
        tau = [a * x + b * r for a, x, b, r in zip(k, away, d, rate, strict=True)]
        if compensate:
            tau = [x + g for x, g in zip(tau, tree.vector(gravity_forces(tree, q)), strict=True)]
        return tau

    return control


def computed_torque(
    target: Target, stiffness: float | Sequence[float], damping: float | Sequence[float]
) -> Controller:
    """Inverse dynamics at the target's acceleration, so that errors obey e'' = -d e' - k e.

    That is so where nothing but gravity acts besides; of the damping of joints and of a scene's
    forces it knows nothing. For ball joints it is so as long as errors are small.
    """

    def control(tree: Tree, t: Scalar, q, qd) -> list[Scalar]:
        away, rate, push = _errors(tree, target, t, q, qd)
        gains = zip(_each(stiffness, tree.nv), _each(damping, tree.nv), strict=True)
        errors = zip(push, away, rate, gains, strict=True)
        qdd = tree.rates([a + k * x + d * r for a, x, r, (k, d) in errors])
        nothing = BodyList(Force() for _ in tree.parent)
        return tree.vector(inverse_dynamics(tree, q, qd, qdd, nothing))

    return control


def _errors(tree: Tree, target: Target, t: Scalar, q, qd) -> tuple[list, list, list]:
    """Where the target is seen from q, its velocity less qd, and its acceleration."""

    def moved(start, way) -> list[Scalar]:
        return tree.vector(integrate(tree, tree.positions(start), tree.rates(way)))

    def between(start, end) -> list[Scalar]:
        return tree.vector(difference(tree, tree.positions(start), tree.positions(end)))

    def place(x: Scalar) -> list[Scalar]:
        return _coordinates(tree, target(x) if callable(target) else target)

    here, now = tree.vector(q), tree.vector(qd)
    if not callable(target):
        return between(here, place(t)), [-x for x in now], [0.0] * tree.nv
    goal, velocity, push = moving_place(moved, between, place, here, t)
    return between(here, goal), [a - b for a, b in zip(velocity, now, strict=True)], list(push)


def _coordinates(tree: Tree, target: Any) -> list[Scalar]:
    each = list(target) if isinstance(target, Iterable) else [target]
    if len(each) != tree.nq:
        raise ModelError(
            f"a controller's target has {len(each)} coordinates, and the figure {tree.nq}."
        )
    return each


def _each(x: float | Sequence[float], n: int) -> list[float]:
    each = [float(a) for a in np.atleast_1d(np.asarray(x, float))]
    each = each * n if np.ndim(x) == 0 else each
    if len(each) != n:
        raise ModelError(f"a gain has {len(each)} numbers. Give one, or {n}: one per coordinate.")
    return each
