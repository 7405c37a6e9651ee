"""Sparse matrices of one pattern, made of values some of which share a place."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

Array = np.ndarray

DENSE = 20_000
"""Matrices of no more entries are plain arrays."""


class SummedEntries:
    """Entries by row and column, where values of the same place add up.

    Attributes:
        rows: rows of the places, in order.
        cols: columns of the places.
        shape: rows and columns of the matrix.
    """

    def __init__(self, rows: Array, cols: Array, shape: tuple[int, int], kept: Array) -> None:
        """Places of values.

        Args:
            rows: rows of the values.
            cols: columns of the values.
            shape: rows and columns of the matrix.
            kept: which values count.
        """
        keys = rows.astype(np.int64) * shape[1] + cols
        self.given, self.kept = len(keys), None if kept.all() else np.flatnonzero(kept)
        places, slots = np.unique(keys[kept], return_inverse=True)
        plain = len(places) == len(slots) and bool(np.all(np.diff(slots) > 0))
        self.slots = None if plain else slots
        self.rows, self.cols = (x.astype(np.int32) for x in divmod(places, max(1, shape[1])))
        self.shape = shape
        self.starts = np.searchsorted(self.rows, np.arange(shape[0] + 1)).astype(np.int32)

    def summed(self, values: Array) -> Array:
        """One value of each place."""
        values = values if self.kept is None else values[self.kept]
        if self.slots is None:
            return values
        return np.bincount(self.slots, values, len(self.rows))

    def matrix(self, summed: Array) -> Any:
        """The matrix with these values at its places; a plain array where that is faster."""
        if self.shape[0] * self.shape[1] <= DENSE:
            found = np.zeros(self.shape)
            found[self.rows, self.cols] = summed
            return found
        return csr_array((summed, self.cols, self.starts), self.shape)
