"""Vectors that are read and written at a number: an array for each of their parts."""

from __future__ import annotations

from collections.abc import Sequence

from .._spatial.array import Array
from .._spatial.scalar import Scalar
from .._spatial.vectors import Vec3

Arrays = tuple[Array, ...]


def vectors_at(arrays: Sequence[Arrays], k: Scalar) -> list[Vec3]:
    """One of each, as they are at a number."""
    return [Vec3(*(x[k] for x in each)) for each in arrays]


def put_vectors(found: Sequence[Arrays], k: Scalar, values: Sequence[Vec3]) -> list[Arrays]:
    """The same with others there."""
    return [tuple(put(x, k, value)) for x, value in zip(found, values, strict=True)]


def put(arrays: Sequence[Array], k: Scalar, values: Sequence[Scalar]) -> list[Array]:
    """Arrays with an entry changed in each."""
    return [x.set(k, value) for x, value in zip(arrays, values, strict=True)]
