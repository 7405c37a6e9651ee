"""Friction against rolling and turning where bodies touch: torques that stop, or are all they can.

Two bodies touch on a small area, so that the force between them may be off its middle. Across the
normal the torque is at most `rolling` times the normal force, about it `twisting` times that, and
it opposes how the bodies turn against each other. The normal force is that of the step before: so
limits are known, and what is solved for stays convex.
"""

from __future__ import annotations

from typing import NamedTuple

from .._spatial.scalar import Scalar, maximum, minimum, sqrt, where
from .._spatial.vectors import Mat3, Vec3

NOTHING = 1e-300
"""What is added to squares of lengths that are divided by."""
BALANCE = 1e-4
"""R, in parts of what velocities count beside impulses."""


class Rolling(NamedTuple):
    """The law of one pair of bodies.

    Attributes:
        n: unit normal.
        rolls: the largest torque impulse across it [N m s].
        twists: the largest about it.
        R: angular velocity that one unit of it leaves [1/kg m^2].
        balance: R / rho, with the rho of z.
    """

    n: Vec3
    rolls: Scalar
    twists: Scalar
    R: Scalar
    balance: Scalar = BALANCE

    @property
    def rho(self) -> Scalar:
        """How velocities count beside impulses where it is asked how far off these are."""
        return (1.0 / BALANCE) * self.R

    def augmented(self, w: Vec3, torque: Vec3) -> Vec3:
        """z = torque + s / rho with s = -w - R torque, at a relative angular velocity w."""
        return torque * (1.0 - self.balance) - w * (1.0 / self.R * self.balance)

    def nearest(self, z: Vec3) -> Vec3:
        """P(z): as much of it as there can be."""
        zn, zt, share, _ = self._parts(z)
        return zt * share + self.n * maximum(minimum(zn, self.twists), -self.twists)

    def law(self, z: Vec3) -> tuple[Mat3, Vec3]:
        """(G, c) with torque = c - G w where z says what stops (Newton's method)."""
        n, R, balance = self.n, self.R, self.balance
        zn, zt, share, size = self._parts(z)
        t, slips = zt * (1.0 / size), share < 1.0
        across = share * balance / (R * (1.0 - share + share * balance))
        about = where(zn > self.twists, 0.0, where(zn < -self.twists, 0.0, 1.0 / R))
        full = where(zn > self.twists, self.twists, where(zn < -self.twists, -self.twists, 0.0))
        G = Mat3.diagonal(across, across, across) + n.outer(n * (about - across))
        G = G + t.outer(t * where(slips, -across, 0.0))
        return G, t * where(slips, self.rolls, 0.0) + n * full

    def torque(self, w: Vec3) -> tuple[Vec3, Mat3]:
        """(torque, G = -dtorque/dw) at a relative angular velocity, which is a convex law."""
        n, per = self.n, 1.0 / self.R
        zn, zt, share, size = self._parts(w * -per)
        t, slips = zt * (1.0 / size), share < 1.0
        held = where(zn > self.twists, 0.0, where(zn < -self.twists, 0.0, per))
        across = share * per
        G = Mat3.diagonal(across, across, across) + n.outer(n * (held - across))
        torque = zt * share + n * maximum(minimum(zn, self.twists), -self.twists)
        return torque, G + t.outer(t * where(slips, -across, 0.0))

    def _parts(self, z: Vec3) -> tuple[Scalar, Vec3, Scalar, Scalar]:
        """z_n, z_t, the part of z_t that there can be, and |z_t|."""
        zn = self.n.dot(z)
        zt = z - self.n * zn
        size = sqrt(zt.dot(zt) + NOTHING)
        return zn, zt, minimum(self.rolls / size, 1.0), size
