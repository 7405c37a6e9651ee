"""Joints on splines: along a curve of frames, over a surface (LT08)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .._spatial.motions import Motion
from .._spatial.scalar import Scalar, lookup
from .._spatial.transform import Transform, exp_se3, log_se3, rotation
from .._spatial.vectors import AXES, Mat3, Vec3
from .joints import Coordinates
from .spline_bases import Spline


@dataclass(frozen=True)
class CurvePose:
    """Pose on a cubic spline of frames, in cumulative form (S19 2.63).

    Q = C_i exp(D_(i+1) B~_2) exp(D_(i+2) B~_3) exp(D_(i+3) B~_4), with D_i = log(C_(i-1)^-1 C_i).
    It asks of a basis nothing but weights that sum to one, and is at least as smooth as they are.
    """

    frames: tuple[Transform, ...]
    spline: Spline

    @cached_property
    def steps(self) -> list[Motion]:
        """The twist from each control frame to the next."""
        following = (*self.frames[1:], self.frames[0])
        return [log_se3(b @ a.inverse()) for a, b in zip(self.frames, following, strict=True)]

    def __call__(self, q: Coordinates) -> Transform:
        k, weights = self.spline(q[0])
        columns = [*zip(*self.spline.controls, strict=True)]
        X = _choose([self.frames[i] for i in columns[0]], k)
        for column, weight in zip(columns, weights, strict=False):
            X = exp_se3(_choose([self.steps[i] for i in column], k) * weight) @ X
        return X


def _choose(values: Sequence[Any], k: Scalar) -> Any:
    """The k-th of some spatial things, by looking up each of its numbers."""
    first = values[0]
    if isinstance(first, tuple):
        parts = zip(*values, strict=True)
        return type(first)(*(_choose(part, k) for part in parts))
    return lookup(tuple(float(x) for x in values), k)


@dataclass(frozen=True)
class SurfacePose:
    """Pose over a cubic spline surface: translation, then turns about x, y and z (S19 2.67).

    Attributes:
        values: control values, (n1, n2, 6) as nested tuples: x, y, z [m] and three angles [rad].
        splines: of the two directions.
    """

    values: tuple[tuple[tuple[float, ...], ...], ...]
    splines: tuple[Spline, Spline]

    def __call__(self, q: Coordinates) -> tuple[Mat3, Vec3]:
        grid = np.array(self.values)
        (k1, b1), (k2, b2) = (spline.weights(x) for spline, x in zip(self.splines, q, strict=True))
        rows, columns = (np.array(spline.controls).T for spline in self.splines)
        cell = k1 * float(columns.shape[1]) + k2
        totals: list[Scalar] = [0.0] * 6
        for i in range(4):
            for j in range(4):
                weight = b1[i] * b2[j]
                patch = grid[np.ix_(rows[i], columns[j])].reshape(-1, 6)
                totals = [t + weight * lookup(tuple(patch[:, m].tolist()), cell)
                          for m, t in enumerate(totals)]  # fmt: skip
        R = Mat3.identity()
        for axis, angle in zip(AXES.values(), totals[3:], strict=True):
            R = R @ rotation(axis, angle)
        return R, Vec3(*totals[:3])
