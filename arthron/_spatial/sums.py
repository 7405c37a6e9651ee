"""Sums of scalars and of plain rows of them, so that zeros fold away."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .scalar import Scalar, maximum, where


def total(terms: Iterable[Scalar]) -> Scalar:
    """Sum of terms, without those that are the number zero."""
    result: Scalar = 0.0
    for term in terms:
        result = result + term
    return result


def dot(x: Sequence[Scalar], y: Sequence[Scalar]) -> Scalar:
    """x . y"""
    return total(a * b for a, b in zip(x, y, strict=True))


def axpy(a: Scalar, x: Sequence[Scalar], y: Sequence[Scalar]) -> list[Scalar]:
    """a x + y"""
    return [a * b + c for b, c in zip(x, y, strict=True)]


def scale(a: Scalar, x: Sequence[Scalar]) -> list[Scalar]:
    """a x"""
    return [a * b for b in x]


def select(condition: Scalar, x: Sequence[Scalar], y: Sequence[Scalar]) -> list[Scalar]:
    """x where a condition holds, y elsewhere."""
    return [where(condition, a, b) for a, b in zip(x, y, strict=True)]


def add_blocks(A: Iterable[Sequence[Scalar]], B: Iterable[Sequence[Scalar]]) -> tuple:
    """A + B of two matrices."""
    return tuple(
        tuple(x + y for x, y in zip(*rows, strict=True)) for rows in zip(A, B, strict=True)
    )


def positive_part(x: Scalar) -> Scalar:
    """x, or zero where it is negative."""
    return max(x, 0.0) if isinstance(x, float) else maximum(x, 0.0)
