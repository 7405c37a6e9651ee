"""Impulses at a point of contact: the projection on its friction cone, and how that changes.

A point gives way a little. Without friction's bound and without a lower bound of zero its impulse
would be y = R^-1 (wanted - u), with R small: how much velocity u one unit of impulse does not take
away. The impulse gamma is the point of the cone |gamma_t| <= mu gamma_n that is nearest to y where
distances are measured by R. That is the slope of a convex function of u (CPH22).
"""

from __future__ import annotations

from typing import NamedTuple

from .._spatial.scalar import Scalar, maximum, sqrt, where
from .._spatial.vectors import Mat3, Vec3

NOTHING = 1e-300
"""What is added to squares of lengths that are divided by."""


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
    """

    n: Vec3
    mu: Scalar
    Rt: Scalar
    Rn: Scalar
    wanted: Scalar
    surface: Vec3 = Vec3()
    bounce: Scalar = 0.0

    def calm(self) -> FrictionCone:
        """The same if it does not bounce."""
        return self._replace(wanted=self.wanted - self.bounce, bounce=0.0)

    def slip(self, u: Vec3) -> Scalar:
        """How fast the bodies slide along each other where they touch."""
        t = self._tangential(u)
        return sqrt(t.dot(t) + NOTHING)

    def _tangential(self, u: Vec3) -> Vec3:
        rest = u - self.surface
        return rest - self.n * self.n.dot(rest)

    def impulse(self, u: Vec3, slip: Scalar) -> tuple[Vec3, Mat3]:
        """(gamma, G = -dgamma/du) at a relative velocity u.

        The projection would push points apart by mu times as fast as they slide; what is `wanted`
        is less by that of a given slip (DSF98).
        """
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
