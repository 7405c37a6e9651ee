"""Bodies one by one: where each is in the world, and how it moves in its own axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .._algorithms.kinematics import poses, velocities
from .._spatial.motions import Motion
from .._spatial.scalar import Scalar
from .._spatial.transform import (
    Transform,
    exp_quaternion,
    left_jacobian,
    quaternion_from_matrix,
    quaternion_product,
    quaternion_rotation,
)
from .._spatial.vectors import Vec3
from .._tree.tree import BodyList, Tree

POSE, TWIST = 7, 6
"""Numbers of a body: position and quaternion; angular and linear velocity."""


class Bodies(NamedTuple):
    """Bodies in the world, the base among them.

    Attributes:
        r: where each is.
        p: how it is turned, a quaternion.
        v: its twist, in its own axes.
    """

    r: BodyList
    p: BodyList
    v: BodyList

    @staticmethod
    def of_joints(tree: Tree, q, qd) -> Bodies:
        """Where joints put them."""
        X, v = poses(tree, q), velocities(tree, q, qd)
        p = BodyList(quaternion_from_matrix(each.R) for each in X)
        return Bodies(BodyList(each.r for each in X), p, v)

    @staticmethod
    def of_numbers(places: Sequence[Scalar], twists: Sequence[Scalar]) -> Bodies:
        """Out of their numbers, body by body."""
        rows = [places[k : k + POSE] for k in range(0, len(places), POSE)]
        rates = [twists[k : k + TWIST] for k in range(0, len(twists), TWIST)]
        return Bodies(
            BodyList([Vec3(), *(Vec3(*x[:3]) for x in rows)]),
            BodyList([(1.0, 0.0, 0.0, 0.0), *(tuple(x[3:]) for x in rows)]),
            BodyList([Motion(), *(Motion(Vec3(*x[:3]), Vec3(*x[3:])) for x in rates)]),
        )

    def numbers(self) -> tuple[list[Scalar], list[Scalar]]:
        """Their numbers, body by body."""
        places = [x for r, p in zip(self.r[1:], self.p[1:], strict=True) for x in (*r, *p)]
        return places, [x for v in self.v[1:] for x in (*v.ang, *v.lin)]

    @property
    def X(self) -> BodyList:
        """From the world to each."""
        pairs = zip(self.r, self.p, strict=True)
        return BodyList(Transform.from_pose(quaternion_rotation(*p), r) for r, p in pairs)

    def moved(self, v: BodyList, h: Scalar) -> Bodies:
        """After moving for a time h with constant twists: E exp(h [v]) (S19 1.29)."""
        r, p = BodyList(self.r[:1]), BodyList(self.p[:1])
        for X, quaternion, twist in zip(self.X[1:], self.p[1:], v[1:], strict=True):
            m = twist * h
            r.append(X.r + X.R @ (left_jacobian(m.ang) @ m.lin))
            p.append(quaternion_product(quaternion, exp_quaternion(m.ang)))
        return Bodies(r, p, v)
