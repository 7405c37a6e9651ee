"""What a motion costs: integrals over time."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from .._algorithms.planned_motion import (
    BodyPoint,
    joint_accelerations,
    joint_powers,
    off_pose,
    pushed_joint_forces,
)
from .._figure.figure import Array
from .._model.model import Model
from .._pages.takes import Page
from .motion_inputs import weights_of
from .splined_motion import SplineMotion


class Setting(NamedTuple):
    """What terms are made for.

    Attributes:
        model: the figure.
        points: all points that may be pushed, by body.
        driven: of each velocity coordinate, whether a motor is there.
        exact: whether pages have second derivatives.
    """

    model: Model
    points: tuple[BodyPoint, ...]
    driven: Array
    exact: bool = True


class Asked(NamedTuple):
    """A page to be sampled.

    Attributes:
        page: of q, qd, qdd, forces and data.
        weights: of its numbers.
        data: times -> further inputs, a row for each time.
    """

    page: Page
    weights: Array
    data: Any = None


class CostTerm(Protocol):
    """A part of the objective: an integral over time."""

    @property
    def squared(self) -> bool:
        """Whether the numbers of the page are squared."""
        ...

    def asked(self, figure: Setting) -> Asked:
        """The page and the weights of its numbers."""
        ...


@dataclass(frozen=True)
class TorqueEnergy:
    """The integral of the sum of squared joint forces (WK88; GR00 P) [N^2 m^2 s].

    Attributes:
        weights: of each joint by name, one of those that are not named; or one number for all.
        root: weight of what acts on coordinates that no motor drives (GR00). On average about each
            time that is bound to be nothing; with a weight it is little at every time.
    """

    weights: float | Mapping[str, float] = 1.0
    root: float = 1.0
    squared = True

    def asked(self, figure: Setting) -> Asked:
        """The page and the weights of its numbers."""
        each = weights_of(figure.model, self.weights)
        page = functools.partial(pushed_joint_forces, points=figure.points)
        return Asked(page, np.where(figure.driven, each, weights_of(figure.model, self.root)))


@dataclass(frozen=True)
class Power:
    """The integral of the sum of squared powers of joint forces [W^2 s].

    Attributes:
        weights: of each joint by name, or one number for all.
    """

    weights: float | Mapping[str, float] = 1.0
    squared = True

    def asked(self, figure: Setting) -> Asked:
        """The page and the weights of its numbers."""
        page = functools.partial(joint_powers, points=figure.points)
        return Asked(page, weights_of(figure.model, self.weights) * figure.driven)


@dataclass(frozen=True)
class Smoothness:
    """The integral of the sum of squared accelerations of joints.

    Attributes:
        weights: of each joint by name, or one number for all.
    """

    weights: float | Mapping[str, float] = 1.0
    squared = True

    def asked(self, figure: Setting) -> Asked:
        """The page and the weights of its numbers."""
        return Asked(joint_accelerations, weights_of(figure.model, self.weights))


@dataclass(frozen=True)
class Near:
    """The integral of squared distances of joints from another motion.

    Attributes:
        motion: the other one, or what `solve` found.
        weights: of each joint by name, or one number for all.
    """

    motion: Any
    weights: float | Mapping[str, float] = 1.0
    squared = True

    def asked(self, figure: Setting) -> Asked:
        """The page and the weights of its numbers."""
        each, other = weights_of(figure.model, self.weights), self.motion
        other = other if isinstance(other, SplineMotion) else other.motion
        return Asked(off_pose, each, lambda t: {"q0": other(t)[0]})


@dataclass(frozen=True)
class Cost:
    """The integral of a page of yours, `page(tree, q, qd, qdd, forces)` or of fewer of these.

    Attributes:
        page: it.
        weights: of its numbers, or one for all.
        squared: whether they are squared. Sums of squares are easier to minimise.
    """

    page: Page
    weights: Any = 1.0
    squared: bool = True

    def asked(self, figure: Setting) -> Asked:
        """The page and the weights of its numbers."""
        return Asked(self.page, np.asarray(self.weights, float))
