"""Linear equations by blocks of six, in loops: a short program, however large they are.

For matrices near symmetric positive definite ones, A = L U without pivoting. Blocks are dense, rows
of L begin at their first that is not zero and so do columns of U (the envelope, GL81): what does
not hang together is never met, whichever bodies those are in a step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._spatial.array import Array, array
from .._spatial.scalar import absolute, divide, maximum, minimum, where
from .iterate import iterate

SIDE = 6
"""Rows of a block."""

Blocks = list[list[Array]]
"""An array for each entry of a block, over all blocks of a triangle: lower ones row by row, upper
ones, which are kept transposed, column by column."""


def solved_by_blocks(A: Sequence[Sequence[Any]], b: Sequence[Any]) -> list[Any]:
    """x with A x = b."""
    n = len(b)
    many = -(-n // SIDE)
    L, U = _blocks(A, many), _blocks([*zip(*A, strict=True)], many)
    first = _first_blocks(L, U, many)

    def row(state: tuple) -> tuple[tuple, Any]:
        i, L, U = state

        def block(state: tuple) -> tuple[tuple, Any]:
            j, L, U = state
            S, T = _rest(L, U, i, j, maximum(first[i], first[j]))
            diagonal = absolute(i - j) < 0.5
            S, T = iterate(
                lambda _: (_factors(S), 1.0), (S, T), 1, diagonal, name="diagonal"
            ).values
            S, T = iterate(
                lambda _: (_divided(S, T, _read(L, j, j), _read(U, j, j)), 1.0), (S, T), 1,
                1.0 - diagonal, name="beside",
            ).values  # fmt: skip
            return (j + 1.0, _write(L, i, j, S), _write(U, i, j, T)), j + 0.5 >= i

        _, L, U = iterate(block, (first[i], L, U), many, name="blocks of a row").values
        return (i + 1.0, L, U), i + 1.5 >= many

    _, L, U = iterate(row, (0.0, L, U), many, name="factors").values
    return _substituted(L, U, first, [*b, *[0.0] * (many * SIDE - n)], many)[:n]


def _place(i: Any, j: Any) -> Any:
    return 0.5 * i * (i + 1.0) + j


def _blocks(A: Sequence[Sequence[Any]], many: int) -> Blocks:
    """The lower triangle by blocks, with ones on the diagonal beyond the end."""
    n = len(A)

    def entry(i: int, j: int) -> Any:
        return A[i][j] if max(i, j) < n else float(i == j)

    places = [(i, j) for i in range(many) for j in range(i + 1)]
    return [
        [array([entry(SIDE * i + r, SIDE * j + c) for i, j in places]) for c in range(SIDE)]
        for r in range(SIDE)
    ]


def _first_blocks(L: Blocks, U: Blocks, many: int) -> Array:
    """The first block of each row or column that is not zero."""

    def look(state: tuple) -> tuple[tuple, Any]:
        i, j, found = state
        at = _place(i, j)
        size: Any = 0.0
        for row in (*L, *U):
            for entry in row:
                size = size + absolute(entry[at])
        here = size > 0.0
        found = found.set(i, where(here, minimum(j, found[i]), found[i]))
        ends = where(here, 1.0, j + 0.5 >= i)
        return (where(ends, i + 1.0, i), where(ends, 0.0, j + 1.0), found), ends * (i + 1.5 >= many)

    start = 0.0, 0.0, array([float(i) for i in range(many)])
    return iterate(look, start, many * (many + 1), name="envelope").values[2]


def _read(L: Blocks, i: Any, j: Any) -> list[list[Any]]:
    at = _place(i, j)
    return [[entry[at] for entry in row] for row in L]


def _write(L: Blocks, i: Any, j: Any, T: Sequence[Sequence[Any]]) -> Blocks:
    at = _place(i, j)
    return [
        [entry.set(at, x) for entry, x in zip(*rows, strict=True)]
        for rows in zip(L, T, strict=True)
    ]


def _rest(L: Blocks, U: Blocks, i: Any, j: Any, start: Any) -> tuple:
    """Block (i, j) of A and (j, i), transposed, less the products of those before them."""

    def product(state: tuple) -> tuple[tuple, Any]:
        k, S, T = state
        S = _less_products(S, _read(L, i, k), _read(U, j, k))
        T = _less_products(T, _read(U, i, k), _read(L, j, k))
        return (k + 1.0, S, T), k + 1.5 >= j

    begin = start, _read(L, i, j), _read(U, i, j)
    return iterate(product, begin, _count(L), start + 0.5 < j, name="products").values[1:]


def _less_products(S: Sequence, P: Sequence, Q: Sequence) -> list[list[Any]]:
    """S - P Q^T"""
    return [[_less(x, p, q) for x, q in zip(row, Q, strict=True)]
            for row, p in zip(S, P, strict=True)]  # fmt: skip


def _count(L: Blocks) -> int:
    return len(L[0][0])


def _less(x: Any, p: Sequence[Any], q: Sequence[Any]) -> Any:
    """x - p . q"""
    for a, b in zip(p, q, strict=True):
        x = x - a * b
    return x


def _factors(S: Sequence[Sequence[Any]]) -> tuple:
    """(L, U^T) of a block; inverses stand on the diagonal of L, and ones on that of U."""
    L, U = ([[0.0] * SIDE for _ in range(SIDE)] for _ in range(2))
    for c in range(SIDE):
        for r in range(c, SIDE):
            L[r][c] = _less(S[r][c], L[r][:c], U[c][:c])
        L[c][c] = divide(1.0, L[c][c])
        U[c][c] = 1.0
        for r in range(c + 1, SIDE):
            U[r][c] = _less(S[c][r], L[c][:c], U[r][:c]) * L[c][c]
    return L, U


def _divided(S: Sequence, T: Sequence, L: Sequence, U: Sequence) -> tuple:
    """(S U^-1, T L^-T) for blocks (i, j) of A and (j, i), transposed, by factors of (j, j)."""
    below, beside = [], []
    for row, column in zip(S, T, strict=True):
        x: list[Any] = []
        y: list[Any] = []
        for c in range(SIDE):
            x.append(_less(row[c], x, U[c][:c]))
            y.append(_less(column[c], y, L[c][:c]) * L[c][c])
        below.append(x)
        beside.append(y)
    return below, beside


def _substituted(L: Blocks, U: Blocks, first: Array, b: Sequence[Any], many: int) -> list[Any]:
    """x with L U x = b."""
    y = [array(b[r::SIDE]) for r in range(SIDE)]

    def forth(state: tuple) -> tuple[tuple, Any]:
        i, y = state

        def less(state: tuple) -> tuple[tuple, Any]:
            k, x = state
            P, z = _read(L, i, k), [part[k] for part in y]
            return (k + 1.0, [_less(a, p, z) for a, p in zip(x, P, strict=True)]), k + 1.5 >= i

        begin = first[i], [part[i] for part in y]
        x = iterate(less, begin, many, first[i] + 0.5 < i, name="less").values[1]
        T, z = _read(L, i, i), []
        for r in range(SIDE):
            z.append(_less(x[r], T[r][:r], z) * T[r][r])
        return (i + 1.0, _put(y, i, z)), i + 1.5 >= many

    _, y = iterate(forth, (0.0, y), many, name="forward substitution").values

    def back(state: tuple) -> tuple[tuple, Any]:
        i, y = state
        T, x = _read(U, i, i), [part[i] for part in y]
        z: list[Any] = [0.0] * SIDE
        for r in reversed(range(SIDE)):
            behind = range(r + 1, SIDE)
            z[r] = _less(x[r], [T[s][r] for s in behind], [z[s] for s in behind])
        y = _put(y, i, z)

        def less(state: tuple) -> tuple[tuple, Any]:
            k, y = state
            P = _read(U, i, k)
            new = [_less(y[c][k], [row[c] for row in P], z) for c in range(SIDE)]
            return (k + 1.0, _put(y, k, new)), k + 1.5 >= i

        _, y = iterate(less, (first[i], y), many, first[i] + 0.5 < i, name="less").values
        return (i - 1.0, y), i < 0.5

    _, y = iterate(back, (many - 1.0, y), many, name="back substitution").values
    return [y[r][k] for k in range(many) for r in range(SIDE)]


def _put(arrays: Sequence[Array], k: Any, values: Sequence[Any]) -> list[Array]:
    return [x.set(k, value) for x, value in zip(arrays, values, strict=True)]
