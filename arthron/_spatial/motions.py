"""Spatial vectors: motions, forces, and the subspaces that joints span (RBDA ch. 2; S19 §1.2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, overload

from .scalar import Scalar
from .vectors import Vec3


class Motion(NamedTuple):
    """A twist or a spatial acceleration: angular part, and linear part at the frame's origin."""

    ang: Vec3 = Vec3()
    lin: Vec3 = Vec3()
    __array_ufunc__ = None

    def __add__(self, b: Motion) -> Motion:  # type: ignore[override]
        return Motion(self.ang + b.ang, self.lin + b.lin)

    def __sub__(self, b: Motion) -> Motion:
        return Motion(self.ang - b.ang, self.lin - b.lin)

    def __neg__(self) -> Motion:
        return Motion(-self.ang, -self.lin)

    def __mul__(self, k: Scalar) -> Motion:  # type: ignore[override]
        return Motion(self.ang * k, self.lin * k)

    __rmul__ = __mul__  # type: ignore[assignment]

    def dot(self, f: Force) -> Scalar:
        """m . f, the power of a force in a motion [W]."""
        return self.ang.dot(f.ang) + self.lin.dot(f.lin)

    @overload
    def cross(self, b: Motion) -> Motion: ...
    @overload
    def cross(self, b: Force) -> Force: ...
    def cross(self, b):
        """v x m of a motion, v x* f of a force (RBDA Eq. 2.31, 2.32; S19 1.19).

        (w; v) x (m; n)  = (w x m; w x n + v x m)
        (w; v) x* (n; f) = (w x n + v x f; w x f)
        """
        if isinstance(b, Motion):
            return Motion(self.ang.cross(b.ang), self.ang.cross(b.lin) + self.lin.cross(b.ang))
        return Force(self.ang.cross(b.ang) + self.lin.cross(b.lin), self.ang.cross(b.lin))

    def ad(self) -> tuple[tuple[Scalar, ...], ...]:
        """The 6 x 6 matrix of `cross` on motions, ad = ([w] 0; [v] [w]) (S19 1.19)."""
        w, v, zero = self.ang.tilde, self.lin.tilde, Vec3().tilde
        return tuple((*a, *b) for a, b in [*zip(w, zero, strict=True), *zip(v, w, strict=True)])


class Force(NamedTuple):
    """A wrench: torque about the frame's origin, and force."""

    ang: Vec3 = Vec3()
    lin: Vec3 = Vec3()
    __array_ufunc__ = None

    @staticmethod
    def from_array(six: Sequence[Scalar]) -> Force:
        """[torque; force]"""
        return Force(Vec3(*six[:3]), Vec3(*six[3:]))

    def __add__(self, b: Force) -> Force:  # type: ignore[override]
        return Force(self.ang + b.ang, self.lin + b.lin)

    def __sub__(self, b: Force) -> Force:
        return Force(self.ang - b.ang, self.lin - b.lin)

    def __neg__(self) -> Force:
        return Force(-self.ang, -self.lin)

    def __mul__(self, k: Scalar) -> Force:  # type: ignore[override]
        return Force(self.ang * k, self.lin * k)

    __rmul__ = __mul__  # type: ignore[assignment]


class Subspace(tuple[Motion, ...]):
    """The motions a joint allows: one column of S per degree of freedom."""

    __slots__ = ()
    __array_ufunc__ = None

    def __mul__(self, rates: Iterable[Scalar]) -> Motion:  # type: ignore[override]
        """S qd"""
        total = Motion()
        for column, rate in zip(self, rates, strict=True):
            total = total + column * rate
        return total

    @overload
    def dot(self, f: Force) -> tuple[Scalar, ...]: ...
    @overload
    def dot(self, f: Forces) -> tuple[tuple[Scalar, ...], ...]: ...
    def dot(self, f):
        """S^T f: the joint's share of a force; of several forces, a matrix."""
        if isinstance(f, Force):
            return tuple(column.dot(f) for column in self)
        return tuple(tuple(column.dot(each) for each in f) for column in self)


class Forces(tuple[Force, ...]):
    """One force per degree of freedom: the columns of I S."""

    __slots__ = ()
    __array_ufunc__ = None

    def __mul__(self, weights: Iterable[Scalar]) -> Force:  # type: ignore[override]
        """U x"""
        total = Force()
        for column, weight in zip(self, weights, strict=True):
            total = total + column * weight
        return total

    @overload
    def dot(self, m: Motion) -> tuple[Scalar, ...]: ...
    @overload
    def dot(self, m: Subspace) -> tuple[tuple[Scalar, ...], ...]: ...
    def dot(self, m):
        """U^T m; of several motions, a matrix."""
        if isinstance(m, Motion):
            return tuple(m.dot(column) for column in self)
        return tuple(tuple(each.dot(column) for each in m) for column in self)
