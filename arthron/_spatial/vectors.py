"""Three-vectors and three-by-three matrices of any scalar."""

from __future__ import annotations

from typing import NamedTuple, overload

import numpy as np

from ..errors import TraceError
from .scalar import Scalar, sqrt


def as_floats(value: object) -> np.ndarray:
    """An array of floats from what a user gives; one without axes from what is none."""
    try:
        return np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return np.empty(())


def _not_a_vector(b: object) -> TraceError:
    return TraceError(
        f"a Vec3 met {b!r} of type {type(b).__name__}. Vectors add to vectors: write `Vec3(*b)`."
    )


class Vec3(NamedTuple):
    """A vector (x, y, z)."""

    x: Scalar = 0.0
    y: Scalar = 0.0
    z: Scalar = 0.0
    __array_ufunc__ = None  # an array times a Vec3 is a Vec3 of arrays

    def __add__(self, b: Vec3) -> Vec3:  # type: ignore[override]
        if not isinstance(b, Vec3):
            raise _not_a_vector(b)
        return Vec3(self.x + b.x, self.y + b.y, self.z + b.z)

    def __sub__(self, b: Vec3) -> Vec3:
        if not isinstance(b, Vec3):
            raise _not_a_vector(b)
        return Vec3(self.x - b.x, self.y - b.y, self.z - b.z)

    def __neg__(self) -> Vec3:
        return Vec3(-self.x, -self.y, -self.z)

    def __mul__(self, k: Scalar) -> Vec3:  # type: ignore[override]
        return Vec3(self.x * k, self.y * k, self.z * k)

    __rmul__ = __mul__  # type: ignore[assignment]

    def dot(self, b: Vec3) -> Scalar:
        """a . b"""
        return self.x * b.x + self.y * b.y + self.z * b.z

    def cross(self, b: Vec3) -> Vec3:
        """a x b"""
        return Vec3(self.y * b.z - self.z * b.y,
                    self.z * b.x - self.x * b.z,
                    self.x * b.y - self.y * b.x)  # fmt: skip

    def outer(self, b: Vec3) -> Mat3:
        """a b^T"""
        return Mat3(b * self.x, b * self.y, b * self.z)

    def norm(self) -> Scalar:
        """|a|"""
        return sqrt(self.dot(self))

    @property
    def tilde(self) -> Mat3:
        """The matrix [a] with [a] b = a x b."""
        return Mat3(Vec3(0.0, -self.z, self.y),
                    Vec3(self.z, 0.0, -self.x),
                    Vec3(-self.y, self.x, 0.0))  # fmt: skip


class Mat3(NamedTuple):
    """A matrix by its rows."""

    x: Vec3
    y: Vec3
    z: Vec3
    __array_ufunc__ = None

    @staticmethod
    def identity() -> Mat3:
        """The unit matrix."""
        return Mat3.diagonal(1.0, 1.0, 1.0)

    @staticmethod
    def diagonal(a: Scalar, b: Scalar, c: Scalar) -> Mat3:
        """The matrix with (a, b, c) on its diagonal."""
        return Mat3(Vec3(a, 0.0, 0.0), Vec3(0.0, b, 0.0), Vec3(0.0, 0.0, c))

    @staticmethod
    def from_rows(rows: object) -> Mat3:
        """A matrix of floats from anything that looks like a 3 x 3 array."""
        return Mat3(*(Vec3(*(float(x) for x in row)) for row in rows))  # type: ignore[attr-defined]

    @property
    def T(self) -> Mat3:
        """The transpose."""
        return Mat3(*(Vec3(*column) for column in zip(*self, strict=True)))

    def __add__(self, b: Mat3) -> Mat3:  # type: ignore[override]
        return Mat3(self.x + b.x, self.y + b.y, self.z + b.z)

    def __sub__(self, b: Mat3) -> Mat3:
        return Mat3(self.x - b.x, self.y - b.y, self.z - b.z)

    def __neg__(self) -> Mat3:
        return Mat3(-self.x, -self.y, -self.z)

    def __mul__(self, k: Scalar) -> Mat3:  # type: ignore[override]
        return Mat3(self.x * k, self.y * k, self.z * k)

    __rmul__ = __mul__  # type: ignore[assignment]

    @overload
    def __matmul__(self, b: Vec3) -> Vec3: ...
    @overload
    def __matmul__(self, b: Mat3) -> Mat3: ...
    def __matmul__(self, b):
        """M v for a vector, M N for a matrix."""
        if isinstance(b, Vec3):
            return Vec3(self.x.dot(b), self.y.dot(b), self.z.dot(b))
        if isinstance(b, Mat3):
            columns = b.T
            return Mat3(*(Vec3(*(row.dot(column) for column in columns)) for row in self))
        return NotImplemented

    def congruence(self, A: Mat3) -> Mat3:
        """E^T A E of a symmetric A, computed so that the result is symmetric to the last digit."""
        EtA = self.T @ A
        ex, ey, ez = self.T
        xx, yy, zz = EtA.x.dot(ex), EtA.y.dot(ey), EtA.z.dot(ez)
        xy, xz, yz = EtA.x.dot(ey), EtA.x.dot(ez), EtA.y.dot(ez)
        return Mat3(Vec3(xx, xy, xz), Vec3(xy, yy, yz), Vec3(xz, yz, zz))

    def trace(self) -> Scalar:
        """Sum of the diagonal."""
        return self.x.x + self.y.y + self.z.z


AXES = dict(zip("xyz", Mat3.identity(), strict=True))
"""Unit vectors along the three axes, by their letters."""
