"""Controllers for scenes: joint forces as a function of the state, traced into the step.

A controller is a function `(tree, t, q, qd)`, or derives from `Controller`. None pushes a floating
root, where no motor is, unless it is made with `root=True`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from .._algorithms.dynamics import gravity_forces, inverse_dynamics
from .._algorithms.hybrid import hybrid_dynamics
from .._spatial.scalar import Scalar
from .._tree.tree import BodyList, Tree
from ..errors import ModelError
from .controller import Controller as Controller
from .controller import FunctionController, check_model, floating
from .element import Here
from .tracking import (
    Target,
    check_gains,
    damping_coefficients,
    damping_forces,
    per_coordinate,
    tracking_errors,
)

if TYPE_CHECKING:
    from .._model.model import Model

__all__ = ("Controller", "computed_torque", "custom", "gravity_compensation", "pd")


def gravity_compensation(tree: Tree, t: Scalar, q, qd) -> list[Scalar]:
    """Joint forces that hold the figure against gravity."""
    return tree.vector(gravity_forces(tree, q))


def custom(
    function: Callable[..., Any], *, root: bool = False, effort_limits: bool = False,
    implicit: bool = True, model: Model | None = None,
) -> Controller:  # fmt: skip
    """A controller that is a function `(tree, t, q, qd)`, with options.

    Args:
        function: returns nv joint forces.
        root: whether it may push a floating root.
        effort_limits: whether its forces stay within the effort limits of the model.
        implicit: whether steps that have room for it take its own stiffness and damping at joints,
            which are differentiated from the function; without, a large one costs less.
        model: the figure whose tree the function is given, where that is not the simulated one.
    """
    return FunctionController(
        function, root=root, effort_limits=effort_limits, implicit=implicit, model=model
    )


def pd(target: Target, stiffness: float | Sequence[float], damping: float | Sequence[float],
       *, compensate: bool = False, root: bool = False, effort_limits: bool = False,
       model: Model | None = None) -> Controller:  # fmt: skip
    """k times how far q is from a target, less d times qd; with gravity taken care of if wanted.

    Args:
        target: coordinates (nq,), or a function of time that returns them.
        stiffness: k, one number or one for each velocity coordinate.
        damping: d, likewise.
        compensate: whether to add the joint forces that hold the figure against gravity.
        root: whether it may push a floating root.
        effort_limits: whether its forces stay within the effort limits of the model.
        model: the figure whose gravity is taken care of, where that is not the simulated one: with
            the scene's own model the controller knows nothing of masses that `parameters=` gives.
    """
    if model is not None and not compensate:
        raise ModelError(
            "a PD controller has a `model`, and nothing to compute with it. Give "
            "`compensate=True`, or leave the model out."
        )
    more: Any = {"root": root, "effort_limits": effort_limits, "model": model}
    return _PD(target, stiffness, damping, compensate, **more)


def computed_torque(
    target: Target, stiffness: float | Sequence[float], damping: float | Sequence[float],
    *, root: bool = False, effort_limits: bool = False, model: Model | None = None,
) -> Controller:  # fmt: skip
    """Inverse dynamics at the target's acceleration, so that errors obey e'' = -d e' - k e.

    That is so where nothing acts besides but gravity and the damping of the model's joints; of a
    scene's elements it knows nothing. For ball joints it is so as long as errors are small. A
    floating root that it may not push goes where the other joints take it, which is reckoned with.

    Args:
        target: coordinates (nq,), or a function of time that returns them.
        stiffness: k, one number or one for each velocity coordinate.
        damping: d, likewise.
        root: whether it may push a floating root.
        effort_limits: whether its forces stay within the effort limits of the model.
        model: the figure it computes with, where that is not the simulated one: with the scene's
            own model it knows nothing of inertias, placements and gravity that `parameters=` gives.
    """
    more: Any = {"root": root, "effort_limits": effort_limits, "model": model}
    return _ComputedTorque(target, stiffness, damping, **more)


@dataclass(frozen=True)
class _PD(Controller):
    """What `pd` makes."""

    target: Any
    stiffness: Any
    damping: Any
    compensate: bool

    def __post_init__(self) -> None:
        check_gains(self, "stiffness", "damping")

    def forces(self, here: Here) -> list[Scalar]:
        tree = here.tree
        away, rate, _ = tracking_errors(here, self.target)
        k, d = (per_coordinate(self, gain, tree.nv) for gain in ("stiffness", "damping"))
        tau = [a * x + b * r for a, x, b, r in zip(k, away, d, rate, strict=True)]
        if self.compensate:
            hold = tree.vector(gravity_forces(tree, BodyList(here.q)))
            tau = [x + g for x, g in zip(tau, hold, strict=True)]
        return tau


@dataclass(frozen=True)
class _ComputedTorque(Controller):
    """What `computed_torque` makes."""

    target: Any
    stiffness: Any
    damping: Any
    joint_damping: tuple[tuple[float, ...], ...] = ()

    def __post_init__(self) -> None:
        check_gains(self, "stiffness", "damping")

    def fitted(self, model: Model) -> Self:
        check_model(self, model)
        return replace(self, joint_damping=damping_coefficients(self.model or model))

    def forces(self, here: Here) -> list[Scalar]:
        tree = here.tree
        away, rate, acceleration = tracking_errors(here, self.target)
        each = (per_coordinate(self, gain, tree.nv) for gain in ("stiffness", "damping"))
        gains = zip(*each, strict=True)
        errors = zip(acceleration, away, rate, gains, strict=True)
        qdd = tree.accelerations([a + k * x + d * r for a, x, r, (k, d) in errors])
        nothing = tree.no_wrenches()
        led = tuple(i for i in tree.bodies if self.root or not floating(tree, i))
        loss = damping_forces(here, self.joint_damping)
        if len(led) == tree.nb:
            tau = inverse_dynamics(tree, here.q, here.qd, qdd, nothing)
        else:  # the root goes where that takes it
            given = here.q, here.qd, qdd, loss, nothing
            tau = hybrid_dynamics(tree, *given, prescribed=led)[1]
        return [x - y for x, y in zip(tree.vector(tau), tree.vector(loss), strict=True)]
