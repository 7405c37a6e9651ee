"""Small linear systems, unrolled: one degree of freedom folds to a single division."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from .scalar import Scalar, absolute, divide, is_zero, less, where
from .sums import total
from .vectors import Mat3, Vec3

TINY = 1e-9
"""A row of constraints that says nothing new has a pivot this small beside what it gives alone."""
NOISE = 1e-22
"""A row that moves nothing has one this small: roundings of zero, squared, by mass [1/kg]."""
NOTHING: Mapping[int, Any] = MappingProxyType({})
Held = Mapping[int, tuple[Scalar, Scalar]]
"""(free, x) of unknowns that may be held, by number: 1 and 0 of one that is free, 0 and where."""


class Ldl:
    """Factor D = L^T d L of a symmetric positive definite matrix (RBDA §6.5, Tab. 6.3).

    The last row is eliminated first, so that a matrix over the joints of a tree keeps its zeros.
    Zeros that are plain floats are taken to be always there and cost nothing.

    The matrix may be bordered by rows of constraints, G with zeros on the diagonal, whose numbers
    are the `multipliers`: each before all columns that it has entries in. One that says what those
    behind it do is left out, with w = 0, unless rows are `softened` by a little on their diagonal;
    so is any row where the number given as `used` is zero. Else that is one.

    Attributes:
        L: unit lower triangle, by rows; without its diagonal.
        w: reciprocals of the pivots d.
        U: d L, by rows; without its diagonal.
        d: the pivots, those of rows that are left out too.
    """

    __slots__ = ("L", "U", "d", "w")

    def __init__(
        self,
        D: Sequence[Sequence[Scalar]],
        multipliers: Collection[int] = (),
        used: Mapping[int, Scalar] = NOTHING,
        softened: Mapping[int, Scalar] = NOTHING,
    ) -> None:
        n = len(D)
        alone: dict[int, Scalar] = dict.fromkeys(multipliers, 0.0)
        rest = [{j: row[j] for j in range(i + 1) if not is_zero(row[j])} for i, row in enumerate(D)]
        self.L: list[dict[int, Scalar]] = [{} for _ in range(n)]
        self.w: list[Scalar] = [0.0] * n
        self.d: list[Scalar] = [0.0] * n
        self.U = rest
        for k in reversed(range(n)):
            d = self.d[k] = rest[k].pop(k, 0.0)
            if k in alone and k not in softened:
                w = _reciprocal(d, alone[k])
            else:
                w = divide(1.0, d - softened.get(k, 0.0))
            self.w[k] = used[k] * w if k in used else w
            for i, x in rest[k].items():
                self.L[k][i] = x * self.w[k]
                if i in alone and k not in alone:
                    alone[i] = alone[i] - self.L[k][i] * x
                for j, y in rest[k].items():
                    if j <= i:
                        rest[i][j] = rest[i].get(j, 0.0) - self.L[k][i] * y

    def solve(self, b: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """x with D x = b."""
        return tuple(self._from_first(self._to_first(b)))

    def solve_held(
        self, b: Sequence[Scalar], held: Held
    ) -> tuple[tuple[Scalar, ...], dict[int, Scalar]]:
        """x with D x = b + f, where some x are held, and f there; they are `used` where free.

        Of those that are free, f is nothing that means anything.
        """
        if not held:
            return self.solve(b), {}
        y, f = list(b), {}
        for k in reversed(range(len(y))):
            x = y[k] * self.w[k] + (held[k][1] if k in held else 0.0)
            for i, u in self.U[k].items():
                y[i] = y[i] - u * x
        x: list[Scalar] = []
        for k, t in enumerate(y):
            t = t - total(u * x[i] for i, u in self.U[k].items())
            x.append(t * self.w[k])
            if k in held:
                x[k] = x[k] + held[k][1]
                f[k] = self.d[k] * held[k][1] - t
        return tuple(x), f

    def solve_many(self, B: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
        """X with D X = B by way of L^-1: it skips more zeros than column after column would."""
        K, Kw = self._inverse()
        columns = []
        for b in zip(*B, strict=True):
            y: list[Scalar] = [0.0] * len(K)
            for row, x in zip(K, b, strict=True):
                if not is_zero(x):
                    for i, k in row.items():
                        y[i] = y[i] + k * x
            columns.append(y)
        return [[total(k * y[i] for i, k in row.items()) for y in columns] for row in Kw]

    def inverse(self) -> list[list[Scalar]]:
        """The inverse of D, L^-1 d^-1 L^-T, symmetric to the last digit."""
        K, Kw = self._inverse()
        n = range(len(K))
        half = [
            [total(k * K[j][m] for m, k in Kw[i].items() if m in K[j]) for j in range(i + 1)]
            for i in n
        ]
        return [[half[max(i, j)][min(i, j)] for j in n] for i in n]

    def _inverse(self) -> tuple[list[dict[int, Scalar]], list[dict[int, Scalar]]]:
        """Rows of L^-1, which has the zeros of L in a tree, and of L^-1 d^-1."""
        K: list[dict[int, Scalar]] = []
        for i, row in enumerate(self.L):
            K.append({i: 1.0})
            for m, l in row.items():
                for j, k in K[m].items():
                    K[i][j] = K[i].get(j, 0.0) - l * k
        return K, [{j: k * self.w[j] for j, k in row.items()} for row in K]

    def _to_first(self, b: Sequence[Scalar]) -> list[Scalar]:
        """d^-1 L^-T b"""
        y = list(b)
        for k in reversed(range(len(y))):
            if not is_zero(y[k]):
                for i, x in self.L[k].items():
                    y[i] = y[i] - x * y[k]
        return [x * w for x, w in zip(y, self.w, strict=False)]

    def _from_first(self, y: Sequence[Scalar]) -> list[Scalar]:
        """L^-1 y"""
        x = list(y)
        for k in range(len(x)):
            for i, l in self.L[k].items():
                if not is_zero(x[i]):
                    x[k] = x[k] - l * x[i]
        return x

    def outer_terms(self, U: Sequence) -> Iterator[tuple]:
        """Pairs (W, w) with U D^-1 U^T = sum of w W W^T; W are the columns of U L^-1."""
        W = list(U)
        for k in reversed(range(len(W))):
            for i, l in self.L[k].items():
                W[i] = W[i] - W[k] * l
        return zip(W, self.w, strict=True)


def _reciprocal(pivot: Scalar, alone: Scalar) -> Scalar:
    """1 / pivot of a row of constraints, or zero where rows before it leave next to nothing.

    `alone` is what its pivot would be without those: negative, as all pivots of such rows are.
    """
    fine = less(pivot, -NOISE if pivot is alone else TINY * alone - NOISE)
    return where(fine, divide(1.0, where(fine, pivot, 1.0)), 0.0)


def eliminated(
    A: Sequence[Sequence[Scalar]], b: Sequence[Scalar], multipliers: Collection[int] = ()
) -> list[Scalar]:
    """x with A x = b for a matrix near a symmetric positive definite one, without pivoting.

    From the last row to the first, as `Ldl`, with the same zeros and the same `multipliers`.
    """
    rows = [{j: x for j, x in enumerate(row) if not is_zero(x)} for row in A]
    x, n = list(b), len(b)
    alone: dict[int, Scalar] = dict.fromkeys(multipliers, 0.0)
    w: dict[int, Scalar] = {}
    for k in reversed(range(n)):
        if k in alone:
            w[k] = _reciprocal(rows[k].get(k, 0.0), alone[k])
        for i in range(k):
            if k in rows[i]:
                entry = rows[i].pop(k)
                f = entry * w[k] if k in alone else divide(entry, rows[k][k])
                if i in alone and k not in alone:
                    alone[i] = alone[i] - f * rows[k].get(i, 0.0)
                for j, a in rows[k].items():
                    if j < k:
                        rows[i][j] = rows[i].get(j, 0.0) - f * a
                x[i] = x[i] - f * x[k]
    for k in range(n):
        for j, a in rows[k].items():
            if j < k:
                x[k] = x[k] - a * x[j]
        x[k] = x[k] * w[k] if k in alone else divide(x[k], rows[k][k])
    return x


def tree_order(G: Sequence[Mapping[int, Scalar]], n: int) -> list[int]:
    """Rows of constraints, from 0 on, and n columns behind them, in the order `Ldl` takes.

    It goes from the last to the first. Each row is just before all columns that it has entries in,
    so that rows far apart on a figure do not meet; of equal ones the first is behind.
    """
    order: list[int] = []
    for k in range(n):
        order += [i for i in reversed(range(len(G))) if min(G[i]) == k]
        order.append(len(G) + k)
    return order


def bordered_matrix(
    A: Sequence[Sequence[Scalar]], G: Sequence[Mapping[int, Scalar]], order: Sequence[int]
) -> tuple[list[list[Scalar]], list[int]]:
    """[[0, G], [G^T, A]] in an order, and which of its rows are those of G."""
    m = len(G)
    K = [[0.0] * m + [g.get(j, 0.0) for j in range(len(A))] for g in G]
    K += [[g.get(j, 0.0) for g in G] + list(row) for j, row in enumerate(A)]
    return [[K[i][j] for j in order] for i in order], [p for p, i in enumerate(order) if i < m]


def add_diagonal(
    D: Sequence[Sequence[Scalar]], diagonal: Sequence[Scalar]
) -> tuple[tuple[Scalar, ...], ...]:
    """D + diag(diagonal)"""
    return tuple(
        tuple(x + diagonal[i] if i == j else x for j, x in enumerate(row))
        for i, row in enumerate(D)
    )


def solve3(A: Mat3, b: Vec3) -> Vec3:
    """x with A x = b, by Cramer's rule."""
    x, y, z = A.T
    k = divide(1.0, x.dot(y.cross(z)))
    return Vec3(b.dot(y.cross(z)) * k, x.dot(b.cross(z)) * k, x.dot(y.cross(b)) * k)


def pivoted(A: Sequence[Sequence[Scalar]], b: Sequence[Scalar]) -> list[Scalar]:
    """x with A x = b for any regular matrix: elimination that takes the largest pivot."""
    rows, n = [[*row, x] for row, x in zip(A, b, strict=True)], len(b)
    for k in range(n):
        for i in range(k + 1, n):
            swap = less(absolute(rows[k][k]), absolute(rows[i][k]))
            pairs = list(zip(rows[k][k:], rows[i][k:], strict=True))
            rows[k][k:] = [where(swap, y, x) for x, y in pairs]
            rows[i][k:] = [where(swap, x, y) for x, y in pairs]
        for i in range(k + 1, n):
            f = divide(rows[i][k], rows[k][k])
            rows[i][k:] = [x - f * y for x, y in zip(rows[i][k:], rows[k][k:], strict=True)]
    x: list[Scalar] = [0.0] * n
    for k in reversed(range(n)):
        rest = total(rows[k][j] * x[j] for j in range(k + 1, n))
        x[k] = divide(rows[k][n] - rest, rows[k][k])
    return x
