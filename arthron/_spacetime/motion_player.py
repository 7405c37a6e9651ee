"""A motion that was found, for eyes and for simulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np

from .._figure.figure import Array
from .._model.model import Model
from .._scene.controller import Controller
from .._scene.element import Here
from .._scene.keyframes import Keyframes
from .._scene.tracking import check_gains, per_coordinate, tracking_errors
from .._simulate.trajectory import Trajectory
from .._spatial.scalar import Scalar, less, where
from ..errors import ModelError


def as_trajectory(
    model: Model, t: Array, state: tuple[Array, Array], tau: Array, left: Array
) -> Trajectory:
    """A motion at some times, to be shown, plotted and saved as what simulations leave behind.

    Args:
        model: the figure.
        t: times [s].
        state: q and qd there.
        tau: joint forces there.
        left: forces where no motor is, the largest of each time.
    """
    q, qd = state
    about = {"model": model.name, "integrator": "spacetime", "step": float(t[1] - t[0])}
    return Trajectory(
        t, q, qd, model.kinetic_energy(q, qd), model.potential_energy(q), tau, left,
        about=about, model=model,
    )  # fmt: skip


@dataclass(frozen=True)
class MotionTracking(Controller):
    """The joint forces of a motion, and a PD controller that follows it.

    Before the start and after the end they are those that hold the pose there.

    Attributes:
        target: coordinates in time.
        torque: joint forces in time.
        hold: those at rest at the first pose and at the last.
        stiffness: of the PD controller, one number or one for each velocity coordinate.
        damping: likewise.
    """

    target: Keyframes
    torque: Keyframes
    hold: tuple[Sequence[float], Sequence[float]]
    stiffness: float | Sequence[float]
    damping: float | Sequence[float]

    def __post_init__(self) -> None:
        check_gains(self, "stiffness", "damping")
        for name in ("stiffness", "damping"):
            gains = np.asarray(getattr(self, name))
            if not (gains >= 0.0).all() or gains.size not in (1, len(self.hold[0])):
                raise ModelError(
                    f"`{name}` of the controller is {gains.tolist()}. Give one number of zero or "
                    f"more, or {len(self.hold[0])}: one for each velocity coordinate."
                )

    def forces(self, here: Here) -> list[Scalar]:
        """Joint forces."""
        away, rate, _ = tracking_errors(here, self.target)
        gains = (per_coordinate(self, g, here.tree.nv) for g in ("stiffness", "damping"))
        start, end = self.torque.times[0], self.torque.times[-1]
        early, late = less(here.t, start), less(end, here.t)
        known = [
            where(early, first, where(late, last, moving))
            for moving, first, last in zip(self.torque(here.t), *self.hold, strict=True)
        ]
        each = zip(known, away, rate, *gains, strict=True)
        return [t + k * x + d * r for t, x, r, k, d in each]


def sample_times(duration: float, rate: float) -> Array:
    """Times from 0 to a duration, about as many in a second as a rate [Hz]."""
    if not isinstance(rate, Real) or not 0.0 < rate < np.inf:
        raise ModelError(f"`rate` is {rate!r}. Give how many states a second has, above zero [Hz].")
    return np.linspace(0.0, duration, max(2, round(duration * rate) + 1))
