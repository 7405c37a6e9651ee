"""Controllers that follow a target without cancelling the figure's dynamics, and may learn it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from .._algorithms.slotine_li import slotine_li_forces, slotine_li_gradient
from .._spatial.inertia import Inertia
from .._spatial.natural_gradient import natural_gradient, pseudo_rows
from .._spatial.scalar import Scalar
from .._tree.regrouped import regrouped
from .._tree.tree import Tree
from ..errors import ModelError, nearest
from .controller import Controller, check_model, floating
from .element import Here, Variable
from .tracking import (
    Target,
    check_gains,
    damping_coefficients,
    damping_forces,
    per_coordinate,
    reference,
)

if TYPE_CHECKING:
    from .._model.model import Model

Gain = float | Sequence[float]


def passivity_based(
    target: Target, bandwidth: Gain, damping: Gain,
    *, root: bool = False, effort_limits: bool = False, model: Model | None = None,
) -> Controller:  # fmt: skip
    """M qdd_ref + C qd_ref + g - K s, with qd_ref = qd_target + L e and s = qd - qd_ref (SL87).

    e is where the target is seen from q. The energy of the error, V = s M s / 2, falls as
    V' = -s K s, at all states and for all joints, where nothing acts besides but gravity and the
    damping of the model's joints. Where s is zero, e' = -L e for plain coordinates; balls come
    nearer from everywhere but half a turn away, and joints that turn and shift if they are near.

    Args:
        target: coordinates (nq,), or a function of time that returns them.
        bandwidth: L [1/s], one number or one for each velocity coordinate.
        damping: K [N s/m or N m s/rad], likewise.
        root: whether it may push a floating root; a figure that has one is refused without.
        effort_limits: whether its forces stay within the effort limits of the model.
        model: the figure it computes with, where that is not the simulated one.
    """
    more: Any = {"root": root, "effort_limits": effort_limits, "model": model}
    return _PassivityBased(target, bandwidth, damping, **more)


def adaptive(
    target: Target, bandwidth: Gain, damping: Gain, adaptation: Gain,
    *, learns: Sequence[str] | None = None, natural: bool = False, root: bool = False,
    effort_limits: bool = False, model: Model | None = None,
) -> Controller:  # fmt: skip
    """`passivity_based` with inertial parameters p of links that it learns, p' = -G Y^T s (SL87).

    Y is `slotine_li_regressor`. V = s M s / 2 + (p - true p) G^-1 (p - true p) / 2 falls as
    V' = -s K s: the figure comes to its target whatever the masses are. The parameters come to
    those that make the same forces along the motion, which are the true ones if it moves all there
    is to move. They are the state "controller.inertia", ten numbers a link as in
    `model.inertial_parameters()`, and start as those of the model.

    Args:
        target: coordinates (nq,), or a function of time that returns them.
        bandwidth: L [1/s], one number or one for each velocity coordinate.
        damping: K [N s/m or N m s/rad], likewise.
        adaptation: the diagonal of G: one number, ten, for m, m c and I of each link, or ten for
            every link. Zero for what is known.
        learns: names of links; all if left out. What is fixed to a link is learned with it.
        natural: whether estimates stay those of a real body (LKP18); G is one number, then, which
            depends neither on units nor on where the link's frame is.
        root: whether it may push a floating root; a figure that has one is refused without.
        effort_limits: whether its forces stay within the effort limits of the model.
        model: the figure it computes with, where that is not the simulated one. Without, it knows
            all of that but the links that it learns.
    """
    alone = isinstance(learns, str) or not np.iterable(learns)
    names: Any = None if learns is None else ((learns,) if alone else tuple(learns))
    more: Any = {"root": root, "effort_limits": effort_limits, "model": model}
    return _Adaptive(target, bandwidth, damping, adaptation, names, natural, **more)


@dataclass(frozen=True)
class _PassivityBased(Controller):
    """What `passivity_based` makes."""

    target: Any
    bandwidth: Any
    damping: Any
    joint_damping: tuple[tuple[float, ...], ...] = ()

    def __post_init__(self) -> None:
        _check(self, "bandwidth", "damping")

    def fitted(self, model: Model) -> Self:
        _check_figure(self, "a passivity-based controller", model)
        return replace(self, joint_damping=damping_coefficients(self.model or model))

    def forces(self, here: Here) -> list[Scalar]:
        return _tracking_forces(self, here, here.tree)


@dataclass(frozen=True)
class _Adaptive(Controller):
    """What `adaptive` makes.

    Attributes:
        learned: numbers of the bodies that it learns.
        prior: their inertial parameters at the start.
    """

    target: Any
    bandwidth: Any
    damping: Any
    adaptation: Any
    learns: tuple[str, ...] | None
    natural: bool
    learned: tuple[int, ...] = ()
    prior: tuple[float, ...] = ()
    joint_damping: tuple[tuple[float, ...], ...] = ()

    def __post_init__(self) -> None:
        _check(self, "bandwidth", "damping", "adaptation")

    def fitted(self, model: Model) -> Self:
        _check_figure(self, "an adaptive controller", model)
        known = self.model or model
        learned = tuple(dict.fromkeys(_learned(known, self.learns)))
        prior = known.inertial_parameters().reshape(-1, 10)[[i - 1 for i in learned]]
        _check_adaptation(self.adaptation, self.natural, len(learned))
        if self.natural:
            _check_bodies(known, learned, prior)
        return replace(self, learned=learned, prior=tuple(prior.ravel().tolist()),
                       joint_damping=damping_coefficients(known))  # fmt: skip

    @property
    def variables(self) -> Mapping[str, Variable]:  # type: ignore[override]
        return {"inertia": Variable(self.prior)} if self.prior else {}

    def forces(self, here: Here) -> list[Scalar]:
        if "inertia" not in here.states:
            raise ModelError(
                "an adaptive controller was called by another one, which keeps no state for it. "
                "Give it to the scene itself: `ar.Scene(model, controller=...)`."
            )
        estimates = _tens(here.states["inertia"])
        # known inertias are regrouped, which makes them fewer, and estimates are not
        I = list(here.tree.I)
        for i in self.learned:
            I[i] = Inertia()
        known = regrouped(replace(here.tree, I=tuple(I)))
        I = list(known.I)
        for i, each in zip(self.learned, estimates, strict=True):
            I[i] = I[i] + Inertia.from_parameters(each)
        return _tracking_forces(self, here, replace(known, I=tuple(I)))

    def rates(self, here: Here) -> dict[str, list[Scalar]]:
        qd_ref, qdd_ref, _ = reference(here, self.target, self.bandwidth)
        all_bodies = slotine_li_gradient(here.tree, here.q, here.qd, qd_ref, qdd_ref)
        slopes = [all_bodies[10 * i - 10 : 10 * i] for i in self.learned]
        gains = self.adaptation if isinstance(self.adaptation, tuple) else (self.adaptation,)
        if self.natural:
            each = zip(_tens(here.states["inertia"]), slopes, strict=True)
            steps = (x for p, y in each for x in natural_gradient(p, y))
            return {"inertia": [-gains[0] * x for x in steps]}
        gains *= 10 * len(slopes) // len(gains)
        rates = zip(gains, (x for y in slopes for x in y), strict=True)
        return {"inertia": [-k * x for k, x in rates]}


def _tracking_forces(controller: Any, here: Here, tree: Tree) -> list[Scalar]:
    """M qdd_ref + C qd_ref + g - K s of a tree, and what makes up for the damping of joints."""
    qd_ref, qdd_ref, s = reference(here, controller.target, controller.bandwidth)
    tau = tree.vector(slotine_li_forces(tree, here.q, here.qd, qd_ref, qdd_ref))
    loss = tree.vector(damping_forces(here, controller.joint_damping))
    K = per_coordinate(controller.damping, tree.nv)
    return [t - k * x - d for t, k, x, d in zip(tau, K, s, loss, strict=True)]


def _tens(numbers: Sequence[Scalar]) -> list[Sequence[Scalar]]:
    return [numbers[k : k + 10] for k in range(0, len(numbers), 10)]


def _learned(model: Model, names: Sequence[str] | None) -> list[int]:
    """Numbers of the bodies that links are part of."""
    if names is None:
        return list(model.tree.bodies)
    if not names:
        raise ModelError(
            "an adaptive controller learns no link. Name some in `learns`, or use "
            "`ar.controllers.passivity_based`, which takes the model's masses for true."
        )
    found = []
    for name in names:
        if name not in model.frame_names:
            raise ModelError(
                f"an adaptive controller learns link {name!r}, which `{model.name}` does not have."
                f"{nearest(str(name), model.frame_names)} `model.frame_names` lists all."
            )
        found.append(model.frame(name).body)
        if not any(model.tree.joint[k].nv for k in model.tree.ancestors(found[-1])):
            raise ModelError(
                f"an adaptive controller learns link {name!r}, which is fixed to the world, so "
                "that no force tells of its mass. Name links that move."
            )
    return found


def _check(controller: Any, *gains: str) -> None:
    check_gains(controller, *gains)
    for name in gains:
        given = getattr(controller, name)
        if np.any(np.asarray(given) < 0.0):
            raise ModelError(
                f"`{name}` of the controller is {given!r}, with which errors would grow. Give "
                "numbers that are positive, or zero."
            )


def _check_figure(controller: _PassivityBased | _Adaptive, who: str, model: Model) -> None:
    check_model(controller, model)
    for gain in (controller.bandwidth, controller.damping):
        per_coordinate(gain, model.nv)
    loose = [b.name for i, b in enumerate(model.bodies, 1) if floating(model.tree, i)]
    if loose and not controller.root:
        raise ModelError(
            f"{who} has to push at every joint of `{model.name}`, and {loose[0]!r} floats, where "
            "no motor is. Let it push there, `root=True`, or use `ar.controllers.computed_torque`, "
            "which reckons with that."
        )


def _check_adaptation(gain: Any, natural: bool, links: int) -> None:
    given = np.size(gain)
    if natural and given != 1:
        raise ModelError(
            f"natural adaptation has one gain, and {given} numbers were given. Give one."
        )
    if given not in (1, 10, 10 * links):
        raise ModelError(
            f"`adaptation` has {given} numbers. Give one, ten (m, m c, and I: xx, yy, zz, xy, xz, "
            f"yz), or {10 * links}: ten for every link that is learned."
        )


def _check_bodies(model: Model, learned: Sequence[int], prior: np.ndarray) -> None:
    for i, p in zip(learned, prior, strict=True):
        if np.linalg.eigvalsh(np.array(pseudo_rows(p.tolist()))).min() <= 0.0:
            raise ModelError(
                f"link {model.body_names[i - 1]!r} of `{model.name}` has an inertia that no solid "
                "body could have, and natural adaptation starts from one that could. Give it mass "
                "and size, or leave `natural` out."
            )
