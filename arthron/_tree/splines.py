"""Joints on splines: along a curve of frames, over a surface (LT08)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from .._spatial.motions import Motion
from .._spatial.scalar import Scalar, floor, lookup, maximum, minimum
from .._spatial.transform import Transform, exp_se3, log_se3, rotation
from .._spatial.vectors import Mat3, Vec3
from ..errors import JointError
from .joints import AXES, Coordinates


def place(q: Scalar, segments: int, cyclic: bool) -> tuple[Scalar, Scalar]:
    """(segment, how far into it) of a parameter that counts segments.

    Beyond its ends an open spline goes on with its last polynomial.
    """
    if cyclic:
        k = floor(q)
        return k - segments * floor((k + 0.5) * (1.0 / segments)), q - k
    k = minimum(maximum(floor(q), 0.0), segments - 1.0)
    return k, q - k


def basis(u: Scalar) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    """The four uniform cubic B-spline functions on a segment (S19 2.57)."""
    u2 = u * u
    u3 = u2 * u
    sixth = 1.0 / 6.0
    return (
        (1.0 - 3.0 * u + 3.0 * u2 - u3) * sixth,
        (4.0 - 6.0 * u2 + 3.0 * u3) * sixth,
        (1.0 + 3.0 * u + 3.0 * u2 - 3.0 * u3) * sixth,
        u3 * sixth,
    )


def segment_count(n: int, cyclic: bool, what: str) -> int:
    """Segments of a cubic spline with n control values along an axis."""
    if n < 4:
        raise JointError(f"{what} has {n} control frames. A cubic spline needs at least four.")
    return n if cyclic else n - 3


@dataclass(frozen=True)
class CurvePose:
    """Pose on a cubic B-spline of frames, in cumulative form (S19 2.63).

    Q = C_i exp(D_(i+1) B~_2) exp(D_(i+2) B~_3) exp(D_(i+3) B~_4), with D_i = log(C_(i-1)^-1 C_i).
    """

    frames: tuple[Transform, ...]
    cyclic: bool
    segments: int = field(init=False)

    def __post_init__(self) -> None:
        n = segment_count(len(self.frames), self.cyclic, "a spline curve")
        object.__setattr__(self, "segments", n)

    @cached_property
    def steps(self) -> list[Motion]:
        """The twist from each control frame to the next."""
        following = (*self.frames[1:], self.frames[0]) if self.cyclic else self.frames[1:]
        pairs = zip(self.frames, following, strict=False)
        return [log_se3(b @ a.inverse()) for a, b in pairs]

    def __call__(self, q: Coordinates) -> Transform:
        k, u = place(q[0], self.segments, self.cyclic)
        _, b2, b3, b4 = basis(u)
        X = _choose(self.frames, k, self.segments)
        for ahead, weight in enumerate((b2 + b3 + b4, b3 + b4, b4)):
            step = [self.steps[(i + ahead) % len(self.steps)] for i in range(self.segments)]
            X = exp_se3(_choose(step, k, self.segments) * weight) @ X
        return X


def _choose(values: Sequence[Any], k: Scalar, n: int) -> Any:
    """The k-th of some spatial things, by looking up each of its numbers."""
    first = values[0]
    if isinstance(first, tuple):
        parts = zip(*(values[i] for i in range(n)), strict=True)
        return type(first)(*(_choose(part, k, n) for part in parts))
    return lookup(tuple(float(values[i]) for i in range(n)), k)


@dataclass(frozen=True)
class SurfacePose:
    """Pose over a cubic B-spline surface: translation, then turns about x, y and z (S19 2.67).

    Attributes:
        values: control values, (n1, n2, 6) as nested tuples: x, y, z [m] and three angles [rad].
        cyclic: whether each of the two directions closes on itself.
    """

    values: tuple[tuple[tuple[float, ...], ...], ...]
    cyclic: tuple[bool, bool]
    segments: tuple[int, int] = field(init=False)

    def __post_init__(self) -> None:
        sizes = (len(self.values), len(self.values[0]) if self.values else 0)
        n = tuple(
            segment_count(a, b, "a spline surface") for a, b in zip(sizes, self.cyclic, strict=True)
        )
        object.__setattr__(self, "segments", n)

    def __call__(self, q: Coordinates) -> tuple[Mat3, Vec3]:
        (n1, n2), grid = self.segments, np.array(self.values)
        (k1, u1), (k2, u2) = (
            place(x, n, c) for x, n, c in zip(q, (n1, n2), self.cyclic, strict=True)
        )
        b1, b2 = basis(u1), basis(u2)
        cell = k1 * float(n2) + k2
        totals: list[Scalar] = [0.0] * 6
        for i in range(4):
            rows = (np.arange(n1) + i) % len(grid)
            for j in range(4):
                columns = (np.arange(n2) + j) % len(grid[0])
                weight = b1[i] * b2[j]
                patch = grid[np.ix_(rows, columns)].reshape(n1 * n2, 6)
                totals = [t + weight * lookup(tuple(patch[:, m].tolist()), cell)
                          for m, t in enumerate(totals)]  # fmt: skip
        R = Mat3.identity()
        for axis, angle in zip(AXES.values(), totals[3:], strict=True):
            R = R @ rotation(axis, angle)
        return R, Vec3(*totals[:3])
