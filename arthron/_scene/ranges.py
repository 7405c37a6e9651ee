"""What numbers of elements may be: in constructors, and as `parameters=` of simulations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray


class Range(NamedTuple):
    """Which numbers are meant.

    Attributes:
        holds: of an array of a field's numbers, (..., *shape), whether each is one of them.
        wanted: what to give instead.
    """

    holds: Callable[[Array], Any]
    wanted: str

    def bad(self, values: Array) -> int | None:
        """Where in the flat array there is one that is not meant, if there is."""
        found = np.flatnonzero(~np.broadcast_to(self.holds(values), values.shape))
        return int(found[0]) if len(found) else None


NOT_NEGATIVE = Range(lambda x: x >= 0.0, "a number of zero or more")
POSITIVE = Range(lambda x: x > 0.0, "a number of more than zero")
PART = Range(lambda x: (x >= 0.0) & (x <= 1.0), "a number from 0 to 1")
DIRECTION = Range(
    lambda x: (x != 0.0).any(-1, keepdims=True), "three numbers that are not all zero"
)
