"""Two boxes: the axis that separates them most, and the faces that meet along it (GLM96)."""

from __future__ import annotations

from .._figure.shapes import Box
from .._spatial.scalar import Scalar, absolute, maximum, sqrt, where
from .._spatial.transform import Transform
from .._spatial.vectors import AXES, Vec3
from .contact import Contact, choose, sign, turned, world
from .manifold import manifold
from .support import box_face

PARALLEL = 1e-12
"""The squared sine of the angle between edges below which they are parallel."""
EDGES_LAST = 1e-9
"""How much more two edges must separate boxes than faces do, to count [m]."""


def box_box(a: Box, X: Transform, b: Box, Y: Transform) -> list[Contact]:
    """Four points of the faces that meet; one where edges cross or a corner meets a face."""
    n = turned(X, separating_axis(a, b, X, Y))
    bottom = [world(X, p) for p in box_face(a, -(X.E @ n))]
    top = [world(Y, p) for p in box_face(b, Y.E @ n)]
    return manifold(bottom, top, n)


def separating_axis(a: Box, b: Box, X: Transform, Y: Transform) -> Vec3:
    """The unit vector from b to a, in a's axes, along which the gap is largest or overlap least."""
    h, k = (Vec3(*(0.5 * s for s in shape.size)) for shape in (a, b))
    d = -(X @ Y.r)
    R = X.E @ Y.R
    size = [Vec3(*map(absolute, row)) for row in R]
    columns, sizes = R.T, [Vec3(*column) for column in zip(*size, strict=True)]
    best: Scalar = -1e30
    axis = Vec3()
    for i, e in enumerate(AXES.values()):
        gap = absolute(d[i]) - h[i] - size[i].dot(k)
        best, axis = maximum(best, gap), choose(gap > best, e * sign(d[i]), axis)
    for j in range(3):
        along = columns[j].dot(d)
        gap = absolute(along) - k[j] - sizes[j].dot(h)
        best, axis = maximum(best, gap), choose(gap > best, columns[j] * sign(along), axis)
    best = best + EDGES_LAST
    for i, e in enumerate(AXES.values()):
        for j in range(3):
            c = R[i][j]
            square = 1.0 - c * c
            parallel = square < PARALLEL
            L = e.cross(columns[j])
            along = L.dot(d)
            j1, j2 = (j + 1) % 3, (j + 2) % 3
            i1, i2 = (i + 1) % 3, (i + 2) % 3
            reach = (h[i1] * size[i2][j] + h[i2] * size[i1][j]
                     + k[j1] * size[i][j2] + k[j2] * size[i][j1])  # fmt: skip
            scale = 1.0 / sqrt(where(parallel, 1.0, square))
            gap = where(parallel, -1e30, (absolute(along) - reach) * scale)
            best, axis = maximum(best, gap), choose(gap > best, L * (sign(along) * scale), axis)
    return axis
