"""Inequalities of velocities beside contact: limits of joints, ropes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .._spatial.scalar import Scalar, where
from .._spatial.sums import dot
from .contact_sums import ContactSums

BALANCE = 1e5
"""What velocities count beside impulses, in parts of R."""


class Bound(NamedTuple):
    """G v >= least, by an impulse that is never negative.

    Attributes:
        G: coefficients, by coordinate.
        least: the least that G v should be.
        R: how much it gives way for one unit of impulse.
    """

    G: Mapping[int, Scalar]
    least: Scalar
    R: Scalar

    @property
    def rho(self) -> Scalar:
        """How velocities count beside impulses, as of points."""
        return BALANCE * self.R

    def along(self, v: Sequence[Scalar]) -> Scalar:
        """G v"""
        return dot(list(self.G.values()), [v[j] for j in self.G])

    def impulse(self, u: Scalar) -> tuple[Scalar, Scalar]:
        """The impulse at G v = u, and minus its slope."""
        on = u < self.least
        return where(on, self.least - u, 0.0) * (1.0 / self.R), where(on, 1.0 / self.R, 0.0)

    def augmented(self, u: Scalar, impulse: Scalar) -> Scalar:
        """What is positive where it pushes, as z of points."""
        return impulse + (self.least - u - self.R * impulse) * (1.0 / self.rho)

    def exert(self, forces: list[Scalar], f: Scalar) -> None:
        """Add G^T f to joint forces."""
        for j, x in self.G.items():
            forces[j] = forces[j] + x * f

    def stiffen(self, sums: ContactSums, k: Scalar) -> None:
        """Add G^T k G."""
        sums.add_entries({(i, j): k * x * y for i, x in self.G.items() for j, y in self.G.items()})
