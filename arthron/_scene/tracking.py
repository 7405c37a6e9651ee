"""What controllers that follow a target share: errors, gains, and the damping of joints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._graph.autodiff import jvp
from .._spatial.scalar import Scalar
from .._tree.configuration import difference, integrate
from .._tree.tree import BodyList, JointForces, Tree
from ..errors import ModelError
from .call_user import call_user
from .element import Here, check_numbers, set_floats
from .target_kinematics import target_kinematics

if TYPE_CHECKING:
    from .._model.model import Model

Target = Sequence[float] | Callable[[Scalar], Sequence[Scalar]]


def tracking_errors(here: Here, target: Target) -> tuple[list, list, list]:
    """Where the target is seen from q, its velocity less qd, and its acceleration."""
    tree = here.tree

    def moved(start, step) -> list[Scalar]:
        return tree.vector(integrate(tree, tree.positions(start), tree.rates(step)))

    def between(start, end) -> list[Scalar]:
        return tree.vector(difference(tree, tree.positions(start), tree.positions(end)))

    def place(x: Scalar, near: Any = None) -> list[Scalar]:
        given = call_user("the target of the controller", target, x) if callable(target) else target
        return _coordinates(tree, given)

    at, now = tree.vector(BodyList(here.q)), tree.vector(BodyList(here.qd))
    if not callable(target):
        return between(at, place(here.t)), [-x for x in now], [0.0] * tree.nv
    goal, velocity, acceleration = target_kinematics(moved, between, place, at, here.t)
    return (
        between(at, goal),
        [a - b for a, b in zip(velocity, now, strict=True)],
        list(acceleration),
    )


def reference(here: Here, target: Target, bandwidth: Any) -> tuple[list, list, list]:
    """(qd_ref, qdd_ref, s): a velocity that leads to the target, its rate, and qd less it (SL87).

    The rate is that along the motion, for all joints: where the target is, seen from q, changes
    with qd and with the target's own velocity.
    """
    tree = here.tree
    away, rate, acceleration = tracking_errors(here, target)
    qd = tree.vector(BodyList(here.qd))
    velocity = [x + r for x, r in zip(qd, rate, strict=True)]
    goal = integrate(tree, BodyList(here.q), tree.rates(away))

    def gap(x: Sequence[Scalar]) -> list[Scalar]:
        start = integrate(tree, BodyList(here.q), tree.rates(x[: tree.nv]))
        return tree.vector(difference(tree, start, integrate(tree, goal, tree.rates(x[tree.nv :]))))

    _, away_rate = jvp(gap, [0.0] * (2 * tree.nv), [*qd, *velocity])
    gains = per_coordinate(bandwidth, tree.nv)
    qd_ref = [v + k * x for v, k, x in zip(velocity, gains, away, strict=True)]
    qdd_ref = [a + k * x for a, k, x in zip(acceleration, gains, away_rate, strict=True)]
    return qd_ref, qdd_ref, [x - y for x, y in zip(qd, qd_ref, strict=True)]


def check_gains(controller: Any, *gains: str) -> None:
    """Refuse gains and targets that are no numbers; make numbers parameters."""
    names = [*gains] + ["target"] * (not callable(controller.target))
    check_numbers(controller, **{name: getattr(controller, name) for name in names})
    for name in gains:
        shape = np.shape(getattr(controller, name))
        if len(shape) > 1:
            raise ModelError(
                f"`{name}` of the controller has shape {shape}. Give one number, or a list of them."
            )
    set_floats(controller, *names)


def per_coordinate(gain: Any, n: int) -> list[Scalar]:
    """One number for each of n coordinates."""
    each = list(gain) if isinstance(gain, tuple) else [gain] * n
    if len(each) != n:
        raise ModelError(f"a gain has {len(each)} numbers. Give one, or {n}: one per coordinate.")
    return each


def damping_coefficients(model: Model) -> tuple[tuple[float, ...], ...]:
    """Damping of all joints of a model."""
    return tuple(tuple(map(float, b.damping)) for b in model.bodies)  # type: ignore[arg-type]


def damping_forces(here: Here, coefficients: Sequence[Sequence[Scalar]]) -> JointForces:
    """Joint forces of that damping."""
    found = here.tree.no_forces()
    for i, each in enumerate(coefficients, 1):
        found[i] = tuple(-d * x for d, x in zip(each, here.qd[i], strict=True))
    return found


def _coordinates(tree: Tree, target: Any) -> list[Scalar]:
    each = list(target) if isinstance(target, Iterable) else [target]
    if len(each) != tree.nq:
        raise ModelError(
            f"a controller's target has {len(each)} coordinates, and the figure {tree.nq}."
        )
    return each
