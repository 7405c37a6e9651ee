"""Where a search for a minimum ended, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Optimum:
    """Where a search for a minimum ended, and why.

    Attributes:
        x: the point.
        objective: its value.
        status: "solved", "stalled", "infeasible", "unbounded", "too many iterations" or
            "interrupted".
        message: the same as a sentence, with what is to blame.
        iterations: how many steps it took.
        violation: the most by which a constraint or a bound of an unknown is violated.
        residual: the most by which a condition of optimality is violated, of the program as it was
            scaled.
        multipliers: of constraints, positive where `most` holds back; gradient plus their product
            with the Jacobian is what bounds of unknowns hold.
        lower_multipliers: of lower bounds of unknowns, none negative.
        upper_multipliers: of upper ones.
        barrier: last parameter of the logarithmic barrier.
        worst: names of what is violated most, by more than the tolerance, and by how much.
    """

    x: Array
    objective: float
    status: str
    message: str
    iterations: int
    violation: float
    residual: float
    multipliers: Array
    lower_multipliers: Any = None
    upper_multipliers: Any = None
    barrier: float = 0.0
    worst: tuple[tuple[str, float], ...] = ()

    @property
    def solved(self) -> bool:
        """Whether it is a minimum to the tolerance that was asked for."""
        return self.status == "solved"
