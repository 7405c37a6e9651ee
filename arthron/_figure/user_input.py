"""What a user gives, as arrays and generators, or a word on what is wrong with it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError, ShapeError

LARGEST = 1e100
"""Numbers beyond it are taken for mistakes: squares and cubes of them would overflow."""


def as_numbers(value: Any, what: str) -> NDArray[np.floating]:
    """An array of numbers, infinite ones and NaN among them."""
    try:
        return np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ShapeError(f"{what} is {value!r:.80}. Give an array of numbers.") from None


def generator(rng: Any) -> np.random.Generator:
    """A generator of random numbers from a seed."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise ModelError(
            f"`rng` is {rng!r}. Give a seed, a whole number of at least 0, or a generator of NumPy."
        ) from None
