"""Arrays that pages make: read and written at an index that is a scalar like any other."""

from __future__ import annotations

import numbers
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import TraceError
from .scalar import Scalar, entries, floor, maximum, minimum, read, solve, write

Index = Any
"""A scalar, or a tuple of as many as the array has axes."""


class Array:
    """Scalars in rows and columns. Arrays do not change: `set` makes another one.

    Indices are whole numbers. A traced one is cut to a whole number, and beyond an end means the
    first or last entry, as does NaN the first. Indices that are known cost nothing.

    Attributes:
        shape: entries along each axis.
    """

    __slots__ = ("_entries", "shape")

    def __init__(self, held: Any, shape: tuple[int, ...]) -> None:
        self._entries, self.shape = held, shape

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(self.shape[0]))

    def __repr__(self) -> str:
        return f"<array of {' x '.join(map(str, self.shape))} scalars>"

    def __getitem__(self, index: Index) -> Any:
        """The entry at an index, or the tuple of those along the axes left open."""
        given = index if isinstance(index, tuple) else (index,)
        if len(given) < len(self.shape):
            return tuple(self[(*given, k)] for k in range(self.shape[len(given)]))
        return read(self._entries, self._place(given))

    def __setitem__(self, index: Index, value: Scalar) -> None:
        raise TraceError("an array does not change. Write `a = a.set(i, x)`.")

    def set(self, index: Index, value: Scalar) -> Array:
        """This array with the entry at an index changed."""
        place = self._place(index if isinstance(index, tuple) else (index,))
        return Array(write(self._entries, place, value), self.shape)

    def _place(self, index: tuple) -> Scalar:
        """Where an entry is when rows stand end to end."""
        axes = len(self.shape)
        if len(index) != axes:
            raise TraceError(
                f"an array of {' x '.join(map(str, self.shape))} entries met {len(index)} indices. "
                f"Give {axes}, as in `a[{', '.join('ijkl'[:axes])}]`."
            )
        known = [_known(k, n) for k, n in zip(index, self.shape, strict=True)]
        if axes == 1:
            return known[0]
        place: Scalar = 0.0
        for k, n in zip(known, self.shape, strict=True):
            place = place * float(n) + floor(minimum(maximum(k, 0.0), n - 1.0))
        return place


def _known(index: Any, size: int) -> Scalar:
    """An index along one axis; a whole number that is known must be in range."""
    if isinstance(index, slice):
        raise TraceError("an array was sliced. Take entries one by one: `[a[k] for k in ...]`.")
    if not isinstance(index, numbers.Integral):
        return index
    if not 0 <= int(index) < size:
        raise TraceError(
            f"index {index} of an array with {size} entries along that axis. Indices go from 0 to "
            f"{size - 1}."
        )
    return float(index)


def solved(matrix: Array, right: Array) -> Array:
    """x with A x = b, by elimination without pivoting, for matrices near positive definite ones."""
    return Array(solve(matrix._entries, right._entries), right.shape)


ROWS = (list, tuple, Array)


def array(rows: Any) -> Array:
    """An array of scalars, or of rows of them; numbers, traced scalars, or both."""
    shape: list[int] = []
    level = [rows.tolist() if isinstance(rows, np.ndarray) else rows]
    while isinstance(level[0], ROWS):  # an array of NumPy's inside is one scalar of a batch
        extent = len(level[0])
        if any(not isinstance(row, ROWS) or len(row) != extent for row in level) or not extent:
            raise TraceError("the rows of an array have unequal lengths, or there are none.")
        shape.append(extent)
        level = [x for row in level for x in row]
    if not shape:
        raise TraceError(f"an array was made of {rows!r}. Give a list of scalars, or of rows.")
    return Array(entries(float(x) if isinstance(x, int) else x for x in level), tuple(shape))
