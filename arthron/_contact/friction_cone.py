"""Impulses at a point of contact: Coulomb's law, and the convex one that is near to it.

A point gives way a little: R is how much velocity u one unit of impulse does not take away. By
Coulomb's law, with what is left of the velocity that is wanted, s = wanted - u - R gamma,

    gamma_n >= 0, s_n <= 0 and one of them zero;  |gamma_t| <= mu gamma_n,
    and where s_t is not zero gamma_t = mu gamma_n s_t / |s_t|.

That is gamma = P(z) with z = gamma + s / rho for any rho, where P takes the normal part that is not
negative and as much of the tangential one as friction can take (Alart and Curnier, AC91). What z
says of a point, whether it is open, sticks or slides and where to, makes the law linear.

The convex law takes the point of the cone nearest to y = R^-1 (wanted - u), where distances are
measured by R, in place of gamma. It is the slope of a convex function of u (CPH22), and lifts what
slides unless the wanted normal velocity is less by mu times the slip |s_t| (DSF98): then both have
the same solutions.
"""

from __future__ import annotations

from typing import NamedTuple

from .._spatial.scalar import Scalar, maximum, minimum, sqrt, where
from .._spatial.vectors import Mat3, Vec3

NOTHING = 1e-300
"""What is added to squares of lengths that are divided by."""
FINE = 0.01
"""The same, beside rho, where it is asked whether impulses obey the law."""
BALANCE = 1e-4
"""Rt, in parts of rho: that is about what an impulse moves, so both count alike."""


class FrictionCone(NamedTuple):
    """What a point of contact does to velocities there.

    Attributes:
        n: unit normal, from the second body to the first.
        mu: coefficient of friction.
        Rt: tangential velocity that one unit of impulse leaves [1/kg].
        Rn: normal velocity that it leaves [1/kg].
        wanted: normal velocity below which it pushes [m/s].
        surface: velocity of the surface along itself [m/s].
        bounce: part of `wanted` that is there because it bounces [m/s].
        balance: Rt / rho, with the rho of z.
    """

    n: Vec3
    mu: Scalar
    Rt: Scalar
    Rn: Scalar
    wanted: Scalar
    surface: Vec3 = Vec3()
    bounce: Scalar = 0.0
    balance: Scalar = BALANCE

    def calm(self) -> FrictionCone:
        """The same if it does not bounce."""
        return self._replace(wanted=self.wanted - self.bounce, bounce=0.0)

    def firm(self, gamma: Vec3) -> FrictionCone:
        """The same if it bounces as fast as is wanted by an impulse of about gamma."""
        yields = where(self.bounce > 0.0, self.Rn * self.n.dot(gamma), 0.0)
        return self._replace(wanted=self.wanted + yields)

    @property
    def rho(self) -> Scalar:
        """How velocities count beside impulses where it is asked how far off these are [1/kg]."""
        return (1.0 / BALANCE) * self.Rt

    @property
    def target(self) -> Vec3:
        """The velocity that is wanted."""
        return self.n * self.wanted + self.surface - self.n * self.n.dot(self.surface)

    def augmented(self, u: Vec3, gamma: Vec3) -> Vec3:
        """z, of an impulse at a relative velocity u."""
        return gamma + self._rest(u, gamma) * (1.0 / self.Rt * self.balance)

    def excess(self, z: Vec3, gamma: Vec3) -> Vec3:
        """gamma - P(z): how far an impulse is from the law."""
        zn, zt, share, _ = self._parts(z)
        return gamma - zt * share - self.n * maximum(zn, 0.0)

    def residual(self, u: Vec3, gamma: Vec3) -> Vec3:
        """The same where velocities count more: what hardly slides does so straight."""
        return self.excess(gamma + self._rest(u, gamma) * (1.0 / (FINE * self.rho)), gamma)

    def _rest(self, u: Vec3, gamma: Vec3) -> Vec3:
        """s = wanted - u - R gamma"""
        gn = self.n.dot(gamma)
        return self.target - u - gamma * self.Rt - self.n * (gn * (self.Rn - self.Rt))

    def tangent(self, z: Vec3) -> Mat3:
        """G, with gamma = G (target - u) where z says what the point does (Newton's method)."""
        n, mu, Rt = self.n, self.mu, self.Rt
        zn, zt, share, size = self._parts(z)
        t, normal = zt * (1.0 / size), where(zn > 0.0, 1.0 / self.Rn, 0.0)
        across = share * self.balance / (Rt * (1.0 - share + share * self.balance))
        slides = share < 1.0
        along, lean = where(slides, -across, 0.0), where(slides, mu * normal, 0.0)
        G = Mat3.diagonal(across, across, across) + n.outer(n * (normal - across))
        return G + t.outer(t * along + n * lean)

    def _parts(self, z: Vec3) -> tuple[Scalar, Vec3, Scalar, Scalar]:
        """z_n, z_t, the part of z_t that friction can take, and |z_t|."""
        zn = self.n.dot(z)
        zt = z - self.n * zn
        size = sqrt(zt.dot(zt) + NOTHING)
        return zn, zt, minimum(self.mu * maximum(zn, 0.0) / size, 1.0), size

    def slip(self, u: Vec3) -> Scalar:
        """How fast the bodies slide along each other, without what sticking gives way."""
        t = self._tangential(u)
        push = maximum(self.wanted - self.n.dot(u), 0.0) * (1.0 / self.Rn)
        return maximum(sqrt(t.dot(t) + NOTHING) - self.mu * self.Rt * push, 0.0)

    def _tangential(self, u: Vec3) -> Vec3:
        rest = u - self.surface
        return rest - self.n * self.n.dot(rest)

    def impulse(self, u: Vec3, slip: Scalar) -> tuple[Vec3, Mat3]:
        """(gamma, G = -dgamma/du) by the convex law, at a relative velocity u and a given slip."""
        n, mu, Rt, Rn = self.n, self.mu, self.Rt, self.Rn
        yt = self._tangential(u) * (-1.0 / Rt)
        yn = (self.wanted - mu * slip - n.dot(u)) * (1.0 / Rn)
        size = sqrt(yt.dot(yt) + NOTHING)
        t, lower = yt * (1.0 / size), mu * Rt / Rn
        part = 1.0 / (1.0 + mu * lower)
        sticks, slides = size <= mu * yn, yn > -lower * size

        sliding = maximum((yn + lower * size) * part, 0.0)
        gn = where(sticks, yn, sliding)
        share = where(sticks, 1.0, mu * sliding / size)  # of yt that friction can take
        gamma = yt * share + n * gn

        across = share / Rt
        between = where(sticks, 0.0, where(slides, mu * part / Rn, 0.0))
        along = where(sticks, 0.0, mu * between - across)
        normal = where(sticks, 1.0 / Rn, where(slides, part / Rn, 0.0))
        G = Mat3.diagonal(across, across, across)
        G = G + t.outer(t * along + n * between) + n.outer(t * between + n * (normal - across))
        return gamma, G
