"""Sums of coordinates that are listed by body, and of plain rows."""

from __future__ import annotations

from collections.abc import Sequence

from .._spatial.scalar import Scalar, maximum, where
from .._tree.tree import BodyList


def times(x: BodyList, k: Scalar) -> BodyList:
    """k x"""
    return BodyList([(), *(tuple(a * k for a in entry) for entry in x[1:])])


def moved(x: BodyList, rate: BodyList, h: Scalar) -> BodyList:
    """x + h rate"""
    pairs = zip(x[1:], rate[1:], strict=True)
    return BodyList([(), *(tuple(a + b * h for a, b in zip(*p, strict=True)) for p in pairs)])


def added(x: BodyList, y: BodyList) -> BodyList:
    """x + y"""
    return moved(x, y, 1.0)


def dot(row: Sequence[Scalar], x: Sequence[Scalar]) -> Scalar:
    """row . x"""
    total: Scalar = 0.0
    for a, b in zip(row, x, strict=True):
        total = total + a * b
    return total


def axpy(a: Scalar, x: Sequence[Scalar], y: Sequence[Scalar]) -> list[Scalar]:
    """a x + y"""
    return [a * b + c for b, c in zip(x, y, strict=True)]


def scaled(a: Scalar, x: Sequence[Scalar]) -> list[Scalar]:
    """a x"""
    return [a * b for b in x]


def chosen(condition: Scalar, x: Sequence[Scalar], y: Sequence[Scalar]) -> list[Scalar]:
    """x where something is so, y elsewhere."""
    return [where(condition, a, b) for a, b in zip(x, y, strict=True)]


def positive(x: Scalar) -> Scalar:
    """x, or zero where it is negative."""
    return max(x, 0.0) if isinstance(x, float) else maximum(x, 0.0)
