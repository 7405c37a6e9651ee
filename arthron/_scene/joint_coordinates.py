"""Coordinates of a joint that holds two frames together, followed along with their motion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from .._spatial.motions import Motion
from .._spatial.scalar import Scalar, divide, sqrt, where
from .._spatial.sums import dot
from .._spatial.transform import Transform, log_se3
from .._tree.configuration import rate_columns

BACK = 10.0
"""How fast coordinates that are off come back [1/s]."""


class JointProjection(NamedTuple):
    """Rows and rates for kinds that have no closed form: splines, composites, your own.

    Coordinates q that are close are made those nearest to the pose by a step of Gauss and Newton,
    S^+ log(X XJ(q)^-1); rows are what then is left of that twist across S. Both of first order in
    what q is off: that q is held while slopes are taken changes neither G nor its rate.
    """

    joint: Any

    def rows(self, X: Transform, q: Sequence[Scalar]) -> list[Scalar]:
        """What of the pose the joint forbids."""
        step, _ = self._split(X, q)
        return self._split(X, self.joint.integrate(q, step))[1]

    def rates(self, X: Transform, v: Motion, q: Sequence[Scalar]) -> list[Scalar]:
        """How fast the coordinates change when the pose does with a velocity v."""
        off, _ = self._split(X, q)
        moving, _ = split(self._subspace(q), [*v.ang, *v.lin])
        qd = [a + BACK * b for a, b in zip(moving, off, strict=True)]
        columns = rate_columns(self.joint, q)
        return [dot(row, qd) for row in zip(*columns, strict=True)]

    def _split(self, X: Transform, q: Sequence[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
        XJ, S, _, _ = self.joint(q, (0.0,) * self.joint.nv)
        e = log_se3(X @ XJ.inverse())
        return split([[*m.ang, *m.lin] for m in S], [*e.ang, *e.lin])

    def _subspace(self, q: Sequence[Scalar]) -> list[list[Scalar]]:
        return [[*m.ang, *m.lin] for m in self.joint(q, (0.0,) * self.joint.nv)[1]]


def split(
    columns: Sequence[Sequence[Scalar]], e: Sequence[Scalar]
) -> tuple[list[Scalar], list[Scalar]]:
    """Weights of columns that come closest to e, and what is left across them, by reflections.

    Householder's: each turns a column onto an axis, so that the rest is a basis across them all.
    """
    work, n = [list(column) for column in columns] + [list(e)], len(columns)
    for k in range(n):
        x = work[k][k:]
        length = sqrt(dot(x, x))
        pivot = where(x[0] < 0.0, -length, length)
        v = [x[0] + pivot, *x[1:]]
        scale = divide(1.0, pivot * v[0])
        for column in work[k:]:
            f = dot(v, column[k:]) * scale
            column[k:] = [a - f * b for a, b in zip(column[k:], v, strict=True)]
    weights: list[Scalar] = [0.0] * n
    for k in reversed(range(n)):
        rest = work[n][k] - sum((work[j][k] * weights[j] for j in range(k + 1, n)), 0.0)
        weights[k] = divide(rest, work[k][k])
    return weights, work[n][n:]
