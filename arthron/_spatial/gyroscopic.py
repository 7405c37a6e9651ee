"""What a velocity does to the momenta of bodies, kept as inertias are: in parts that add up."""

from __future__ import annotations

from typing import NamedTuple

from .inertia import Inertia
from .motions import Force, Motion
from .vectors import Mat3, Vec3

ZERO = Mat3.diagonal(0.0, 0.0, 0.0)


class GyroscopicInertia(NamedTuple):
    """B = v x* I, or a sum of such for bodies that move differently (-adj^T Lambda of G13 6b).

    B = (A, P + [l]; -P, [p]), angular first. B + B^T is the rate of change of I.

    Attributes:
        A: angular motion to torque.
        P: angular motion to force, with a minus.
        l: m v of all bodies, with v the velocity of each at the frame's origin.
        p: m w of all bodies.
    """

    A: Mat3 = ZERO
    P: Mat3 = ZERO
    l: Vec3 = Vec3()
    p: Vec3 = Vec3()
    __array_ufunc__ = None

    @staticmethod
    def of(I: Inertia, v: Motion) -> GyroscopicInertia:
        """v x* I: A = [w] I - [v] [h], P = [w] [h], l = m v, p = m w."""
        w, h = v.ang.tilde, I.h.tilde
        return GyroscopicInertia(w @ I.I - v.lin.tilde @ h, w @ h, v.lin * I.m, v.ang * I.m)

    def __add__(self, b: GyroscopicInertia) -> GyroscopicInertia:  # type: ignore[override]
        return GyroscopicInertia(self.A + b.A, self.P + b.P, self.l + b.l, self.p + b.p)

    def __matmul__(self, m: Motion) -> Force:
        """B m"""
        A, P, l, p = self
        return Force(A @ m.ang + P @ m.lin + l.cross(m.lin), p.cross(m.lin) - P @ m.ang)

    def transpose_apply(self, m: Motion) -> Force:
        """B^T m"""
        A, P, l, p = self
        return Force(A.T @ m.ang - P.T @ m.lin, P.T @ m.ang - l.cross(m.ang) - p.cross(m.lin))

    def rate(self) -> Inertia:
        """B + B^T = v x* I - I v x: how I changes as its bodies move. Mass does not."""
        twice = self.P - self.P.T
        return Inertia(h=self.l + Vec3(twice.z.y, twice.x.z, twice.y.x), I=self.A + self.A.T)

    def derivative_along(self, s: Motion) -> GyroscopicInertia:
        """s x* B - B s x: how B changes as its bodies are moved along s as one."""
        (w, u), (A, P, l, p) = (s.ang.tilde, s.lin.tilde), self
        return GyroscopicInertia(
            w @ A - A @ w - u @ P - (P + l.tilde) @ u,
            w @ P - P @ w + p.tilde @ u,
            s.ang.cross(l) + s.lin.cross(p),
            s.ang.cross(p),
        )

    def pulled_back(self, E: Mat3, r: Vec3) -> GyroscopicInertia:
        """X^T B X for the transform X = (E, r)."""
        A, P, l, p = E.T @ self.A @ E, E.T @ self.P @ E, E.T @ self.l, E.T @ self.p
        l, P_r = l + r.cross(p), P + p.tilde @ r.tilde
        return GyroscopicInertia(A - r.tilde @ P - (P_r + l.tilde) @ r.tilde, P_r, l, p)
