"""What is done about constraints that are off, because steps bend: chosen for a scene."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ..errors import ModelError


@dataclass(frozen=True)
class Baumgarte:
    """What is off comes back at a rate (S19 1.81, 1.82).

    Attributes:
        gamma: of rows on velocities, Euler's: G v = -gamma g [1/s]; 1/h when left out, which takes
            it to zero within a step.
        alpha: of rows on accelerations, those of "leapfrog" and "Runge-Kutta": with beta,
            g'' = -2 alpha g' - beta^2 g [1/s]; 1/(2h) and 10 when left out.
        beta: likewise. Both of them 1/h make steps unstable.
    """

    gamma: float | None = None
    alpha: float | None = None
    beta: float | None = None

    def __post_init__(self) -> None:
        for name in ("gamma", "alpha", "beta"):
            x = getattr(self, name)
            if x is not None and not (_is_number(x) and 0.0 <= x < math.inf):
                raise ModelError(f"`{name}` is {x!r}. Give a rate, zero or above [1/s].")
        if (self.alpha is None) != (self.beta is None):
            raise ModelError(
                f"`alpha` is {self.alpha!r} and `beta` is {self.beta!r}. Give both, or none."
            )


USUAL = Baumgarte()
"""What is off goes as fast as steps allow."""


@dataclass(frozen=True)
class Projection:
    """After each step, positions and velocities are moved to where constraints hold.

    By as little as possible in the metric of the mass matrix: Gauss-Newton for positions, one solve
    for velocities.

    Attributes:
        tolerance: how far constraints may be off.
    """

    tolerance: float = 1e-12

    def __post_init__(self) -> None:
        x = self.tolerance
        if not (_is_number(x) and 0.0 < x < 1.0):
            raise ModelError(f"`tolerance` is {x!r}. Give a small number: 1e-12, say.")


def _is_number(x: Any) -> bool:
    return isinstance(x, int | float) and not isinstance(x, bool)
