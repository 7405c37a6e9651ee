"""Options that searches have in common."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from ..errors import ModelError


def check_options(tolerance: Any, most: Any, progress: Any) -> None:
    """Refuse tolerances, numbers of iterations and progress that are none."""
    if not isinstance(tolerance, int | float | np.number) or not 0.0 < tolerance < float("inf"):
        raise ModelError(f"`tolerance` is {tolerance!r}. Give a number above zero, such as 1e-8.")
    if not isinstance(most, Integral) or most < 0:
        raise ModelError(f"`most` is {most!r}. Give a whole number of iterations, zero or more.")
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise ModelError(
            f"`progress` is {progress!r}. Give False for no line on the terminal, or a function "
            "that is called with iteration, objective, violation and residual."
        )
