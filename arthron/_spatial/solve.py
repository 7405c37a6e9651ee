"""Small symmetric systems, unrolled: one degree of freedom folds to a single division."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .scalar import Scalar, divide
from .vectors import Mat3, Vec3


class Ldl:
    """Factor D = L d L^T of a symmetric positive definite matrix (RBDA 6.5).

    Attributes:
        L: unit lower triangle, by rows.
        w: reciprocals of the pivots d.
    """

    __slots__ = ("L", "w")

    def __init__(self, D: Sequence[Sequence[Scalar]]) -> None:
        n = len(D)
        self.L: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
        self.w: list[Scalar] = []
        Ld: list[list[Scalar]] = [[0.0] * n for _ in range(n)]  # L times d
        for i in range(n):
            for j in range(i):
                Ld[i][j] = D[i][j]
                for k in range(j):
                    Ld[i][j] = Ld[i][j] - Ld[i][k] * self.L[j][k]
                self.L[i][j] = Ld[i][j] * self.w[j]
            pivot = D[i][i]
            for k in range(i):
                pivot = pivot - Ld[i][k] * self.L[i][k]
            self.w.append(divide(1.0, pivot))

    def solve(self, b: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """x with D x = b."""
        x = list(b)
        n = len(x)
        for i in range(n):
            for k in range(i):
                x[i] = x[i] - self.L[i][k] * x[k]
        x = [xi * wi for xi, wi in zip(x, self.w, strict=True)]
        for i in reversed(range(n)):
            for k in range(i + 1, n):
                x[i] = x[i] - self.L[k][i] * x[k]
        return tuple(x)

    def outer_terms(self, U: Sequence) -> Iterator[tuple]:
        """Pairs (W, w) with U D^-1 U^T = sum of w W W^T; W are the columns of U L^-T."""
        W: list = []
        for i, column in enumerate(U):
            for k in range(i):
                column = column - W[k] * self.L[i][k]
            W.append(column)
        return zip(W, self.w, strict=True)


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
