"""Elimination as loops: a short program, however large the matrix is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._spatial.array import Array, array
from .._spatial.scalar import absolute, divide, less, where
from .iterate import iterate


def eliminated_in_loops(A: Sequence[Sequence[Any]], b: Sequence[Any]) -> list[Any]:
    """x with A x = b for any regular matrix, with the largest pivot of each column.

    Where speed does not matter and the length of the program does; `pivoted` is the same without
    loops.
    """
    n, last = len(b), len(b) - 1.0

    def column(state: tuple) -> tuple[tuple, Any]:
        k, a = state
        p = _largest_below(a, k, n)

        def swap(state: tuple) -> tuple[tuple, Any]:
            j, a = state
            upper, lower = a[p, j], a[k, j]
            return (j + 1.0, a.set((k, j), upper).set((p, j), lower)), j > last

        _, a = iterate(swap, (k, a), n + 1, name="swap").values

        def row(state: tuple) -> tuple[tuple, Any]:
            i, a = state
            f = divide(a[i, k], a[k, k])

            def entry(state: tuple) -> tuple[tuple, Any]:
                j, a = state
                return (j + 1.0, a.set((i, j), a[i, j] - f * a[k, j])), j > last

            _, a = iterate(entry, (k, a), n + 1, name="entry").values
            return (i + 1.0, a), i >= last

        _, a = iterate(row, (k + 1.0, a), n, less(k, last), name="row").values
        return (k + 1.0, a), k >= last

    rows = array([[*row, x] for row, x in zip(A, b, strict=True)])
    _, rows = iterate(column, (0.0, rows), n, name="column").values

    def back(state: tuple) -> tuple[tuple, Any]:
        k, x = state

        def rest(state: tuple) -> tuple[tuple, Any]:
            j, total = state
            return (j + 1.0, total - rows[k, j] * x[j]), j >= last

        _, total = iterate(rest, (k + 1.0, rows[k, n]), n, less(k, last), name="rest").values
        return (k - 1.0, x.set(k, divide(total, rows[k, k]))), k < 0.5

    _, x = iterate(back, (last, array([0.0] * n)), n, name="back").values
    return list(x)


def _largest_below(a: Array, k: Any, n: int) -> Any:
    """The row, from k on, with the largest entry in column k."""

    def look(state: tuple) -> tuple[tuple, Any]:
        i, p = state
        larger = less(absolute(a[p, k]), absolute(a[i, k]))
        return (i + 1.0, where(larger, i, p)), i >= n - 1.0

    _, p = iterate(look, (k + 1.0, k), n, less(k, n - 1.0), name="look").values
    return p
