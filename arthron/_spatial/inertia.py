"""Rigid and articulated inertias: what turns a motion into a force (RBDA §2.13, 7.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, overload

import numpy as np

from ..errors import ModelError
from .linear_algebra import Ldl
from .motions import Force, Forces, Motion, Subspace
from .scalar import Scalar, divide
from .vectors import Mat3, Vec3, as_floats


class Inertia(NamedTuple):
    """Inertia of a rigid body about its frame's origin, in the frame's axes (RBDA Eq. 2.63).

    Attributes:
        m: mass [kg].
        h: first moment m c, with c the centre of mass [kg m].
        I: rotational inertia about the origin [kg m^2].
    """

    m: Scalar = 0.0
    h: Vec3 = Vec3()
    I: Mat3 = Mat3.diagonal(0.0, 0.0, 0.0)
    __array_ufunc__ = None

    @staticmethod
    def from_com(m: Scalar, c: Any, Ic: Any) -> Inertia:
        """From mass, centre of mass and the inertia about it: I = Ic - m [c]^2.

        Three numbers for `c`, and a 3 x 3 array or three moments for `Ic`, do as well.
        """
        if isinstance(m, str) or m is None:
            raise ModelError(f"the mass is {m!r}. Give a number [kg].")
        if not isinstance(c, Vec3):
            given = as_floats(c)
            if given.shape != (3,):
                raise ModelError(f"the centre of mass is {c!r}. Give three numbers [m].")
            c = Vec3(*given.tolist())
        if not isinstance(Ic, Mat3):
            given = as_floats(Ic)
            if given.shape not in ((3,), (3, 3)):
                raise ModelError(
                    f"the inertia about the centre of mass is {Ic!r}. Give three moments, or 3 x 3 "
                    "numbers [kg m^2]."
                )
            Ic = Mat3.from_rows(given.tolist() if given.ndim == 2 else np.diag(given).tolist())
        return Inertia(m, c * m, Ic + (Mat3.identity() * c.dot(c) - c.outer(c)) * m)

    @staticmethod
    def from_parameters(p: Sequence[Scalar]) -> Inertia:
        """From ten numbers: m, m c, and I about the origin, xx, yy, zz, xy, xz, yz (G13 9)."""
        m, hx, hy, hz, xx, yy, zz, xy, xz, yz = p
        return Inertia(
            m, Vec3(hx, hy, hz), Mat3(Vec3(xx, xy, xz), Vec3(xy, yy, yz), Vec3(xz, yz, zz))
        )

    def parameters(self) -> tuple[Scalar, ...]:
        """The ten numbers of `from_parameters`."""
        I = self.I
        return (self.m, *self.h, I.x.x, I.y.y, I.z.z, I.x.y, I.x.z, I.y.z)

    def com(self) -> Vec3:
        """Centre of mass; the origin when there is no mass."""
        massless = isinstance(self.m, float) and self.m == 0.0
        return Vec3() if massless else self.h * divide(1.0, self.m)

    def about_com(self) -> Mat3:
        """Rotational inertia about the centre of mass."""
        c = self.com()
        return self.I - (Mat3.identity() * c.dot(c) - c.outer(c)) * self.m

    def __add__(self, b: Inertia) -> Inertia:  # type: ignore[override]
        return Inertia(self.m + b.m, self.h + b.h, self.I + b.I)

    def __sub__(self, b: Inertia) -> Inertia:
        return Inertia(self.m - b.m, self.h - b.h, self.I - b.I)

    @overload
    def __matmul__(self, b: Motion) -> Force: ...
    @overload
    def __matmul__(self, b: Subspace) -> Forces: ...
    def __matmul__(self, b):
        """I v: momentum of a motion (I w + h x v; m v - h x w). I S: a force for each column."""
        if isinstance(b, Motion):
            return Force(self.I @ b.ang + self.h.cross(b.lin), b.lin * self.m - self.h.cross(b.ang))
        return Forces(self @ column for column in b) if isinstance(b, Subspace) else NotImplemented

    def pulled_back(self, E: Mat3, r: Vec3) -> Inertia:
        """X^T I X for the transform X = (E, r) (RBDA Eq. 2.66)."""
        h = E.T @ self.h
        mr = r * self.m
        # I' = E^T I E - [r][h] - [h][r] - m [r]^2, and [a][b] = b a^T - (a.b) 1
        g = h + h + mr
        rg, gr = r.outer(g), r.dot(g)
        sym = (rg + rg.T) * 0.5
        return Inertia(self.m, h + mr, E.congruence(self.I) + Mat3.identity() * gr - sym)

    def articulated(self) -> ArticulatedInertia:
        """The same inertia as the start of an articulated one."""
        return ArticulatedInertia(self.I, self.h.tilde, Mat3.diagonal(self.m, self.m, self.m))


class ArticulatedInertia(NamedTuple):
    """Inertia that a body seems to have with its subtree hanging on it (RBDA Eq. 7.2).

    Attributes:
        I: angular to angular, symmetric.
        H: linear motion to torque; its transpose takes angular motion to force.
        M: linear to linear, symmetric.
    """

    I: Mat3
    H: Mat3
    M: Mat3
    __array_ufunc__ = None

    @staticmethod
    def from_array(entries: Sequence[Scalar]) -> ArticulatedInertia:
        """From the 36 entries of a symmetric matrix, of which the upper triangle is read."""
        rows = [entries[k : k + 6] for k in range(0, 36, 6)]
        H = Mat3(*(Vec3(*row[3:]) for row in rows[:3]))
        I, M = (
            Mat3(Vec3(x[k], x[k + 1], x[k + 2]), Vec3(x[k + 1], y[k + 1], y[k + 2]),
                 Vec3(x[k + 2], y[k + 2], z[k + 2]))
            for k, (x, y, z) in ((0, rows[:3]), (3, rows[3:]))
        )  # fmt: skip
        return ArticulatedInertia(I, H, M)

    def __add__(self, b: ArticulatedInertia) -> ArticulatedInertia:  # type: ignore[override]
        return ArticulatedInertia(self.I + b.I, self.H + b.H, self.M + b.M)

    @overload
    def __matmul__(self, b: Motion) -> Force: ...
    @overload
    def __matmul__(self, b: Subspace) -> Forces: ...
    def __matmul__(self, b):
        """I v, and I S column by column."""
        if isinstance(b, Motion):
            return Force(self.I @ b.ang + self.H @ b.lin, self.H.T @ b.ang + self.M @ b.lin)
        return Forces(self @ column for column in b) if isinstance(b, Subspace) else NotImplemented

    def without(self, U: Forces, D: Ldl) -> ArticulatedInertia:
        """I - U D^-1 U^T: what is left when the joint's own motions give way (RBDA Eq. 7.43)."""
        I, H, M = self
        for W, w in D.outer_terms(U):  # U D^-1 U^T is a sum of w W W^T
            n, f = W.ang, W.lin
            wn, wf = n * w, f * w
            I, H, M = I - _outer(n, wn), H - n.outer(wf), M - _outer(f, wf)
        return ArticulatedInertia(I, H, M)

    def pulled_back(self, E: Mat3, r: Vec3) -> ArticulatedInertia:
        """X^T I X for the transform X = (E, r)."""
        M = E.congruence(self.M)
        H = E.T @ self.H @ E
        G = H + r.tilde @ M
        (xx, _, _), (yx, yy, _), (zx, zy, zz) = (r.cross(row) for row in H)
        (XX, XY, XZ), (_, YY, YZ), (_, _, ZZ) = (r.cross(row) for row in G)
        xy, xz, yz = yx + XY, zx + XZ, zy + YZ
        added = Mat3(Vec3(xx + XX, xy, xz), Vec3(xy, yy + YY, yz), Vec3(xz, yz, zz + ZZ))
        return ArticulatedInertia(E.congruence(self.I) + added, G, M)  # + [r] H^T - G [r]


class CoriolisInertia(NamedTuple):
    """What a body's velocity adds to the force it resists other motions with (EW21).

    B = (K 0; -[p] 0) = 1/2 (v x* I - I v x + (I v) x-bar*), so that v x* I v = B v. In terms of
    the particles that make up the body, at r and with velocity u: K = sum of m ((r . u) 1 - u r^T)
    and p = sum of m u. Like inertias, those of bodies that move differently add up.

    Attributes:
        K: angular motion to torque.
        p: linear momentum.
    """

    K: Mat3
    p: Vec3
    __array_ufunc__ = None

    @staticmethod
    def of(I: Inertia, v: Motion) -> CoriolisInertia:
        """That of a rigid body: K = (v . h) 1 - v h^T - [w] (tr(I)/2 1 - I), p = m v - h x w."""
        w, u = v
        turning = Mat3.diagonal(*[0.5 * (I.I.x.x + I.I.y.y + I.I.z.z)] * 3) - I.I
        K = Mat3.identity() * u.dot(I.h) - u.outer(I.h) - w.tilde @ turning
        return CoriolisInertia(K, u * I.m - I.h.cross(w))

    def __add__(self, b: CoriolisInertia) -> CoriolisInertia:  # type: ignore[override]
        return CoriolisInertia(self.K + b.K, self.p + b.p)

    def __matmul__(self, m: Motion) -> Force:
        """B m"""
        return Force(self.K @ m.ang, m.ang.cross(self.p))

    def transpose_apply(self, m: Motion) -> Force:
        """B^T m, a pure torque."""
        return Force(self.K.T @ m.ang + self.p.cross(m.lin))

    def pulled_back(self, E: Mat3, r: Vec3) -> CoriolisInertia:
        """X^T B X for the transform X = (E, r)."""
        p = E.T @ self.p
        K = E.T @ self.K @ E + Mat3.identity() * r.dot(p) - p.outer(r)
        return CoriolisInertia(K, p)

    def articulated(self) -> ArticulatedCoriolis:
        """The same as the start of an articulated one."""
        x, y, z = self.p
        return ArticulatedCoriolis(
            self.K, Mat3(Vec3(0.0, z, -y), Vec3(-z, 0.0, x), Vec3(y, -x, 0.0))
        )


class ArticulatedCoriolis(NamedTuple):
    """B of a body with its subtree hanging on it, as `ArticulatedInertia` is its inertia.

    Attributes:
        K: angular motion to torque.
        G: angular motion to force. Linear motion, the same for all bodies, makes no force.
    """

    K: Mat3
    G: Mat3
    __array_ufunc__ = None

    def __add__(self, b: ArticulatedCoriolis) -> ArticulatedCoriolis:  # type: ignore[override]
        return ArticulatedCoriolis(self.K + b.K, self.G + b.G)

    def __matmul__(self, m: Motion) -> Force:
        """B m"""
        return Force(self.K @ m.ang, self.G @ m.ang)

    def transpose_apply(self, m: Motion) -> Force:
        """B^T m, a pure torque."""
        return Force(self.K.T @ m.ang + self.G.T @ m.lin)

    def without(self, U: Forces, Y: Forces) -> ArticulatedCoriolis:
        """B - U Y^T with torques Y: what is left when the joint's own motions give way."""
        K, G = self
        for f, y in zip(U, Y, strict=True):
            K, G = K - f.ang.outer(y.ang), G - f.lin.outer(y.ang)
        return ArticulatedCoriolis(K, G)

    def pulled_back(self, E: Mat3, r: Vec3) -> ArticulatedCoriolis:
        """X^T B X for the transform X = (E, r)."""
        G = E.T @ self.G @ E
        return ArticulatedCoriolis(E.T @ self.K @ E + r.tilde @ G, G)


def _outer(a: Vec3, b: Vec3) -> Mat3:
    """a b^T when b is a multiple of a, so that the result is symmetric to the last digit."""
    xy, xz, yz = a.x * b.y, a.x * b.z, a.y * b.z
    return Mat3(Vec3(a.x * b.x, xy, xz), Vec3(xy, a.y * b.y, yz), Vec3(xz, yz, a.z * b.z))
