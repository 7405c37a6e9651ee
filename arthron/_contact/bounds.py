"""Scalar laws beside contact: limits of joints, ropes, dry friction of joints.

Each is of a velocity u = G v, and has an impulse f along it. What says where it is, as z does of
points, is y = u + R f - rho f: of a limit f = P(y) pushes where y is beyond it, and of friction f
opposes y as far as it can.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .._spatial.scalar import Scalar, maximum, minimum, where
from .._spatial.sums import dot
from .contact_sums import ContactSums

BALANCE = 1e5
"""What velocities count beside impulses, in parts of R."""


class Along(NamedTuple):
    """A velocity G v that something acts along.

    Attributes:
        G: coefficients, by coordinate.
        R: how much velocity an impulse of one leaves.
    """

    G: Mapping[int, Scalar]
    R: Scalar

    @property
    def rho(self) -> Scalar:
        """How velocities count beside impulses, as of points."""
        return BALANCE * self.R

    def velocity(self, v: Sequence[Scalar]) -> Scalar:
        """G v"""
        return dot(list(self.G.values()), [v[j] for j in self.G])

    def exert(self, forces: list[Scalar], f: Scalar) -> None:
        """Add G^T f to joint forces."""
        for j, x in self.G.items():
            forces[j] = forces[j] + x * f

    def stiffen(self, sums: ContactSums, k: Scalar) -> None:
        """Add G^T k G."""
        sums.add_entries({(i, j): k * x * y for i, x in self.G.items() for j, y in self.G.items()})

    def augmented(self, u: Scalar, f: Scalar) -> Scalar:
        """y"""
        return u - f * (self.rho - self.R)


class Bound(NamedTuple):
    """least <= G v <= most.

    Attributes:
        along: the velocity.
        least: the least that it should be.
        most: the most; no bound when left out.
    """

    along: Along
    least: Scalar
    most: Scalar | None = None

    def law(self, y: Scalar) -> tuple[Scalar, Scalar]:
        """(k, c) with f = c - k u where y says what is pushed (Newton's method)."""
        low, k = y < self.least, 1.0 / self.along.R
        if self.most is None:
            on = where(low, k, 0.0)
            return on, on * self.least
        on = where(low, k, where(y > self.most, k, 0.0))
        return on, on * where(low, self.least, self.most)

    def nearest(self, y: Scalar) -> Scalar:
        """P(y)"""
        per = 1.0 / self.along.rho
        low = maximum(self.least - y, 0.0)
        if self.most is None:
            return low * per
        return (low + minimum(self.most - y, 0.0)) * per

    def impulse(self, u: Scalar) -> tuple[Scalar, Scalar]:
        """The impulse at a velocity u, and minus its slope."""
        k, c = self.law(u)
        return c - k * u, k

    def touches(self, u: Scalar) -> Scalar:
        """Whether it does anything at a velocity."""
        return u < self.least if self.most is None else maximum(u < self.least, u > self.most)


class Brake(NamedTuple):
    """An impulse against G v, up to some, which is as large as it has to be to stop it.

    Attributes:
        along: the velocity.
        most: the largest impulse [N s or N m s].
    """

    along: Along
    most: Scalar

    def law(self, y: Scalar) -> tuple[Scalar, Scalar]:
        """(k, c) with f = c - k u where y says whether it slips (Newton's method)."""
        most = self.most * self.along.rho
        slips = where(y > most, -self.most, where(y < -most, self.most, 0.0))
        return where(y > most, 0.0, where(y < -most, 0.0, 1.0 / self.along.R)), slips

    def nearest(self, y: Scalar) -> Scalar:
        """P(y)"""
        return maximum(minimum(y * (-1.0 / self.along.rho), self.most), -self.most)

    def impulse(self, u: Scalar) -> tuple[Scalar, Scalar]:
        """The impulse at a velocity u, and minus its slope."""
        per = 1.0 / self.along.R
        f = maximum(minimum(u * -per, self.most), -self.most)
        return f, where(f < self.most, where(f > -self.most, per, 0.0), 0.0)

    def touches(self, u: Scalar) -> Scalar:
        """Whether it does anything at a velocity."""
        return where(u > 0.0, 1.0, u < 0.0) * where(self.most > 0.0, 1.0, 0.0)
