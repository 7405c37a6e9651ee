"""How the wrench of contact on a body changes with its velocity: any 6 x 6 matrix.

Of what slides it is not symmetric: friction changes with the normal force, and not the reverse.
"""

from __future__ import annotations

from typing import NamedTuple

from .._spatial.inertia import ArticulatedInertia
from .._spatial.motions import Force, Motion
from .._spatial.scalar import Scalar
from .._spatial.vectors import Mat3, Vec3


class ContactStiffness(NamedTuple):
    """Minus the slope of a wrench by a twist.

    Attributes:
        I: angular motion to torque.
        H: linear motion to torque.
        L: angular motion to force.
        M: linear motion to force.
    """

    I: Mat3
    H: Mat3
    L: Mat3
    M: Mat3

    @staticmethod
    def nothing() -> ContactStiffness:
        """Of what does not touch."""
        return ContactStiffness(*[Mat3.diagonal(0.0, 0.0, 0.0)] * 4)

    @staticmethod
    def at(r: Vec3, G: Mat3) -> ContactStiffness:
        """A^T G A with A = (-[r] 1): that of a point whose force has the slope -G."""
        H, turned = r.tilde @ G, -r.tilde
        return ContactStiffness(H @ turned, H, G @ turned, G)

    @staticmethod
    def turning(G: Mat3) -> ContactStiffness:
        """That of a torque which has the slope -G by angular velocity."""
        none = Mat3.diagonal(0.0, 0.0, 0.0)
        return ContactStiffness(G, none, none, none)

    @staticmethod
    def of(inertia: ArticulatedInertia) -> ContactStiffness:
        """The same as an inertia."""
        I, H, M = inertia
        return ContactStiffness(I, H, H.T, M)

    def __add__(self, b: ContactStiffness) -> ContactStiffness:  # type: ignore[override]
        return ContactStiffness(*(x + y for x, y in zip(self, b, strict=True)))

    def __matmul__(self, m: Motion) -> Force:
        """K m"""
        return Force(self.I @ m.ang + self.H @ m.lin, self.L @ m.ang + self.M @ m.lin)

    @property
    def T(self) -> ContactStiffness:
        """Its transpose."""
        return ContactStiffness(self.I.T, self.L.T, self.H.T, self.M.T)

    def without(self, U: Force, W: Force, w: Scalar) -> ContactStiffness:
        """K - U w W^T: what is left when a motion gives way."""
        n, f = U.ang * -w, U.lin * -w
        more = n.outer(W.ang), n.outer(W.lin), f.outer(W.ang), f.outer(W.lin)
        return ContactStiffness(*(x + y for x, y in zip(self, more, strict=True)))
