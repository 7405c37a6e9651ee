"""What a motion on planted feet costs: torque while the ground bears it, and slipping."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from .._algorithms.planned_motion import beyond_limits, off_places, supported_joint_forces
from .._figure.figure import Array
from .._model.model import Model
from .._spacetime.motion_costs import Asked, Setting
from .support_plan import Planted, SupportPlan


@dataclass(frozen=True, eq=False)
class SupportedTorque:
    """The integral of squared joint forces, while feet bear what the root lacks (R96).

    Attributes:
        plan: who stands when.
        root: weight of what is left at the root, where nobody stands.
        scale: of all weights.
    """

    plan: SupportPlan
    root: float = 1.0
    scale: float = 1.0
    squared = True

    def asked(self, figure: Setting) -> Asked:
        """The page and the weights of its numbers."""
        page = functools.partial(supported_joint_forces, feet=self.plan.feet)
        weights = np.where(np.arange(figure.model.nv) < 6, self.root, 1.0)
        return Asked(page, self.scale * weights, lambda t: {"shares": self.plan.shares(t)})


@dataclass(frozen=True, eq=False)
class Slip:
    """The integral of squared distances of planted points from where they are to be.

    Attributes:
        planted: the foot.
        weight: of a square metre.
    """

    planted: Planted
    weight: float
    squared = True

    def asked(self, figure: Setting) -> Asked:
        """The page and the weights of its numbers."""
        page = functools.partial(off_places, points=self.planted.points)

        def data(t: Array) -> dict[str, Array]:
            return {
                "places": self.planted.places(t),
                "held": 1.0 * np.outer(self.planted.holds(t), self.planted.low),
            }

        return Asked(page, np.full(3 * len(self.planted.points), self.weight), data)


@dataclass(frozen=True)
class BeyondLimits:
    """The integral of squared angles by which joints of one coordinate pass their limits.

    Attributes:
        limits: body, lower and upper of each joint that has some.
        weight: of a square.
    """

    limits: tuple[tuple[int, float, float], ...]
    weight: float
    squared = True

    @staticmethod
    def of(model: Model, weight: float) -> BeyondLimits:
        """Those of a figure."""
        found = []
        for name in model.joint_names:
            place = model.slice_q(name)
            lower, upper = model.q_lower[place], model.q_upper[place]
            if len(lower) == 1 and np.isfinite([lower, upper]).any():
                found.append((model.joint_number(name), float(lower[0]), float(upper[0])))
        return BeyondLimits((*found,), weight)

    def asked(self, figure: Setting) -> Asked:
        """The page and the weights of its numbers."""
        page = functools.partial(beyond_limits, limits=self.limits)
        return Asked(page, np.full(len(self.limits), self.weight))
