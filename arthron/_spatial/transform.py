"""Changes of frame, and the exponential and logarithm of rotations and rigid motions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar, overload

from .inertia import ArticulatedCoriolis, ArticulatedInertia, CoriolisInertia, Inertia
from .motions import Force, Forces, Motion, Subspace
from .scalar import Scalar, atan2, c, cos, divide, maximum, sin, sqrt, where
from .vectors import Mat3, Vec3

AnyInertia = TypeVar(
    "AnyInertia", Inertia, ArticulatedInertia, CoriolisInertia, ArticulatedCoriolis
)

TINY = 1e-14
"""Entries of constant rotations smaller than this are rounding, and become exact zeros."""


class Transform(NamedTuple):
    """The map X from coordinates in frame A to coordinates in frame B (RBDA Eq. 2.24).

    Attributes:
        E: rotates A-coordinates to B-coordinates.
        r: B's origin, in A-coordinates.

    So the pose of B in A is the rotation E^T and the position r.
    """

    E: Mat3 = Mat3.identity()
    r: Vec3 = Vec3()
    __array_ufunc__ = None

    @staticmethod
    def from_pose(R: Mat3, p: Vec3) -> Transform:
        """To a frame that sits at `p` with axes the columns of `R`, both seen from here."""
        return Transform(R.T, p)

    @property
    def R(self) -> Mat3:
        """Rotation of B seen from A: the columns are B's axes."""
        return self.E.T

    @property
    def T(self) -> Transpose:
        """X^T, which brings forces and inertias in B back to A."""
        return Transpose(self)

    def inverse(self) -> Transform:
        """From B to A."""
        return Transform(self.E.T, -(self.E @ self.r))

    @overload
    def __matmul__(self, b: Transform) -> Transform: ...
    @overload
    def __matmul__(self, b: Motion) -> Motion: ...
    @overload
    def __matmul__(self, b: Force) -> Force: ...
    @overload
    def __matmul__(self, b: Vec3) -> Vec3: ...
    @overload
    def __matmul__(self, b: Subspace) -> Subspace: ...
    @overload
    def __matmul__(self, b: Forces) -> Forces: ...
    def __matmul__(self, b):
        """X Y; X m and X S of motions; X f of a force; X p of a point.

        X (w; v) = (E w; E (v - r x w)),  X (n; f) = (E (n - r x f); E f),  X p = E (p - r)
        """
        E, r = self
        if isinstance(b, Motion):
            return Motion(E @ b.ang, E @ (b.lin - r.cross(b.ang)))
        if isinstance(b, Transform):
            return Transform(E @ b.E, b.r + b.E.T @ r)
        if isinstance(b, Force):
            return Force(E @ (b.ang - r.cross(b.lin)), E @ b.lin)
        if isinstance(b, Vec3):
            return E @ (b - r)
        if isinstance(b, Subspace):
            return Subspace(self @ column for column in b)
        if isinstance(b, Forces):
            return Forces(self @ column for column in b)
        return NotImplemented

    def adjoint(self) -> tuple[tuple[Scalar, ...], ...]:
        """The 6 x 6 matrix of X on motions, (E 0; -E [r] E) (S19 1.14 for the inverse pose)."""
        lower, zero = -(self.E @ self.r.tilde), Vec3().tilde
        return tuple(
            (*a, *b) for a, b in [*zip(self.E, zero, strict=True), *zip(lower, self.E, strict=True)]
        )

    def matrix(self) -> tuple[tuple[Scalar, ...], ...]:
        """The 4 x 4 pose of B in A, (E^T r; 0 1)."""
        rows = zip(self.E.T, self.r, strict=True)
        return (*((*row, p) for row, p in rows), (0.0, 0.0, 0.0, 1.0))


class Transpose(NamedTuple):
    """X^T of a transform X from A to B: what forces in B are in A (RBDA Eq. 2.28)."""

    X: Transform

    @overload
    def __matmul__(self, b: Force) -> Force: ...
    @overload
    def __matmul__(self, b: Forces) -> Forces: ...
    @overload
    def __matmul__(self, b: AnyInertia) -> HalfPulled[AnyInertia]: ...
    def __matmul__(self, b):
        """X^T f; X^T F of several forces; X^T I, to be followed by `@ X`.

        X^T (n; f) = (E^T n + r x E^T f; E^T f)
        """
        E, r = self.X
        if isinstance(b, Force):
            lin = E.T @ b.lin
            return Force(E.T @ b.ang + r.cross(lin), lin)
        if isinstance(b, Forces):
            return Forces(self @ column for column in b)
        if isinstance(b, Inertia | ArticulatedInertia | CoriolisInertia | ArticulatedCoriolis):
            return HalfPulled(b, self.X)  # type: ignore[arg-type]
        return NotImplemented


class HalfPulled(NamedTuple, Generic[AnyInertia]):
    """X^T I, waiting for its X: the two together cost less than one after the other."""

    I: AnyInertia
    X: Transform

    def __matmul__(self, X: Transform) -> AnyInertia:
        if X is not self.X:
            raise TypeError("`X.T @ I @ Y` needs Y to be X: an inertia stays symmetric.")
        return self.I.pulled_back(X.E, X.r)


def rotation(axis: Vec3, angle: Scalar) -> Mat3:
    """exp(angle [u]) about a unit axis u, as (1 + K^2) + sin K - cos K^2 with K = [u].

    In this form the zeros and ones of a coordinate axis fold away.
    """
    K = axis.tilde
    K2 = K @ K
    return (Mat3.identity() + K2) + K * sin(angle) - K2 * cos(angle)


def exp_so3(w: Vec3) -> Mat3:
    """Rotation by the vector w: 1 + c_1 [w] + c_2 [w]^2 with c_k(w.w) (LJ12 53)."""
    s, K = w.dot(w), w.tilde
    return Mat3.identity() + K * c(1, s) + (K @ K) * c(2, s)


def left_jacobian(w: Vec3) -> Mat3:
    """1 + c_2 [w] + c_3 [w]^2: the mean of exp(t w) over t in 0..1 (LJ12 54).

    It takes dw/dt to the angular velocity of exp_so3(w) in parent axes; that of -w, the right
    Jacobian, to the one in the axes of the body (S19 2.44).
    """
    s, K = w.dot(w), w.tilde
    return Mat3.identity() + K * c(2, s) + (K @ K) * c(3, s)


def left_jacobian_inverse(w: Vec3) -> Mat3:
    """1 - [w]/2 + k [w]^2, with k = (c_2 - c_3) / (4 c_1) of the squared half angle.

    That is (1 - h cot h) / (4 h^2) for the half angle h, where nothing cancels. Singular where the
    angle is 2 pi, 4 pi, ...: large numbers close to there.
    """
    s, K = 0.25 * w.dot(w), w.tilde
    k = 0.25 * (c(2, s) - c(3, s)) / c(1, s)
    return Mat3.identity() - K * 0.5 + (K @ K) * k


def exp_se3(m: Motion) -> Transform:
    """To the frame reached by moving with the constant twist m for unit time (S19 1.10)."""
    return Transform(exp_so3(m.ang).T, left_jacobian(m.ang) @ m.lin)


def log_so3(R: Mat3) -> Vec3:
    """The rotation vector of R, with angle in [0, pi]; exp_so3 undoes it."""
    return log_quaternion(quaternion_from_matrix(R))


def log_se3(X: Transform) -> Motion:
    """The constant twist that reaches X's frame in unit time; `exp_se3` undoes it (S19 1.10)."""
    w = log_so3(X.R)
    return Motion(w, left_jacobian_inverse(w) @ X.r)


def quaternion_rotation(w: Scalar, x: Scalar, y: Scalar, z: Scalar) -> Mat3:
    """Rotation of a quaternion of any length: it is divided by |q|^2, so drift is harmless."""
    k = divide(2.0, w * w + x * x + y * y + z * z)
    kx, ky, kz = k * x, k * y, k * z
    xx, yy, zz = kx * x, ky * y, kz * z
    xy, xz, yz = kx * y, kx * z, ky * z
    wx, wy, wz = kx * w, ky * w, kz * w
    return Mat3(Vec3(1.0 - (yy + zz), xy - wz, xz + wy),
                Vec3(xy + wz, 1.0 - (xx + zz), yz - wx),
                Vec3(xz - wy, yz + wx, 1.0 - (xx + yy)))  # fmt: skip


def quaternion_product(a: Sequence[Scalar], b: Sequence[Scalar]) -> tuple[Scalar, ...]:
    """The rotation b, then a: R(a b) = R(a) R(b)."""
    aw, av, bw, bv = a[0], Vec3(*a[1:]), b[0], Vec3(*b[1:])
    return (aw * bw - av.dot(bv), *(bv * aw + av * bw + av.cross(bv)))


def exp_quaternion(w: Vec3) -> tuple[Scalar, ...]:
    """The unit quaternion of the rotation vector w."""
    s = 0.25 * w.dot(w)
    return (c(0, s), *(w * (0.5 * c(1, s))))


def log_quaternion(q: Sequence[Scalar]) -> Vec3:
    """The rotation vector of a quaternion of any length, with angle in [0, pi]."""
    w, v = q[0], Vec3(*q[1:])
    sign = where(w < 0.0, -1.0, 1.0)
    w = w * sign
    n2 = v.dot(v)
    small = n2 <= 1e-16 * w * w  # there 2 atan(n/w)/n = 2/w to the last digit
    n = sqrt(where(small, 1.0, n2))
    return v * (sign * where(small, 2.0 / where(small, w, 1.0), 2.0 * atan2(n, w) / n))


def quaternion_from_matrix(R: Mat3) -> tuple[Scalar, ...]:
    """A unit quaternion of R, from whichever component is largest (so nothing cancels)."""
    (a, b, c_), (d, e, f), (g, h, i) = R
    squares = (1.0 + a + e + i, 1.0 + a - e - i, 1.0 - a + e - i, 1.0 - a - e + i)  # 4 w^2, 4 x^2..
    rows = (
        (squares[0], h - f, c_ - g, d - b),
        (h - f, squares[1], b + d, c_ + g),
        (c_ - g, b + d, squares[2], f + h),
        (d - b, c_ + g, f + h, squares[3]),
    )
    best, row = squares[0], rows[0]
    for square, other in zip(squares[1:], rows[1:], strict=True):
        larger = square > best
        best = maximum(best, square)
        row = tuple(where(larger, x, y) for x, y in zip(other, row, strict=True))
    k = 0.5 / sqrt(best)
    return tuple(x * k for x in row)


def from_rpy(roll: float, pitch: float, yaw: float) -> Mat3:
    """Rotation by roll about x, then pitch about y, then yaw about z, all fixed axes (URDF)."""
    x, y, z = Vec3(1.0), Vec3(0.0, 1.0), Vec3(0.0, 0.0, 1.0)
    return clean(rotation(z, yaw) @ rotation(y, pitch) @ rotation(x, roll))


def clean(R: Mat3) -> Mat3:
    """A constant rotation with entries within `TINY` of 0 and +-1 made exact, so that they fold."""

    def snap(x: float) -> float:
        nearest = round(x)
        return float(nearest) if math.fabs(x - nearest) < TINY else x

    return Mat3(*(Vec3(*(snap(x) for x in row)) for row in R))
