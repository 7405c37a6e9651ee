"""A joint as rows on the twists of two bodies: what its motions leave out (S19 1.69)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .._algorithms.velocity_conversion import normal
from .._spatial.motions import Force, Motion, Subspace
from .._spatial.scalar import Scalar
from .._spatial.transform import Transform
from .._spatial.vectors import Vec3
from .._tree.tree import BodyList, Tree
from .._tree.unattached import unattached_positions
from .forbidden import forbidden


class JointRows(NamedTuple):
    """A joint between a body and its parent, with the relative twist d = v - Xup v_parent.

    Attributes:
        Xup: from the parent to the body, as they are.
        C: wrenches on which its motions do no work: C d is zero.
        W: rows that tell its velocities: qd = W d.
        c: what the rate of d has besides S qdd, with both twists in axes that go with the bodies.
        gap: twist from where the joint could put the body to where it is, to first order.
    """

    Xup: Transform
    C: list[Force]
    W: list[Force]
    c: Motion
    gap: Motion


def joint_rows(tree: Tree, q, X0: BodyList, v: BodyList) -> BodyList:
    """Rows of each joint, of bodies at X0 with twists v, at the coordinates that were found."""
    (rows,) = tree.lists(1)
    rows[0] = JointRows(Transform(), [], [], Motion(), Motion())
    for i in tree.bodies:
        p = tree.parent[i]
        Xup = X0[i] @ X0[p].inverse()
        _, S, _, _ = tree.joint[i](q[i], tree.zero(i))
        W = left_inverse(S)
        XJ, S, vJ, cJ = tree.joint[i](q[i], rates(W, v[i] - Xup @ v[p]))
        off = Xup @ tree.Xtree[i].inverse() @ XJ.inverse()
        C = forbidden(tree.joint[i], S)
        rows[i] = JointRows(Xup, C, W, cJ + v[i].cross(vJ), first_order(off))
    return rows


def found_coordinates(tree: Tree, X0: BodyList, near) -> BodyList:
    """q of bodies at X0, those nearest to others."""
    q = BodyList([near[0], *(() for _ in tree.bodies)])
    for i in tree.bodies:
        XJ = X0[i] @ X0[tree.parent[i]].inverse() @ tree.Xtree[i].inverse()
        q[i] = tree.joint[i].find(XJ, near[i])
    return unattached_positions(tree, q, near)


def rates(W: Sequence[Force], d: Motion) -> tuple[Scalar, ...]:
    """W d"""
    return tuple(d.dot(w) for w in W)


def gaps(tree: Tree, joints: BodyList) -> BodyList:
    """How far joints are apart, along what they forbid, (C; W) gap of those that follow others."""
    return BodyList(
        rates((*each.C, *(each.W if i in tree.followers else ())), each.gap)
        for i, each in enumerate(joints)
    )


def left_inverse(S: Subspace) -> list[Force]:
    """Rows of (S^T S)^-1 S^T."""
    s, StS = normal(S)
    n = range(len(S))
    return [s * StS.solve([float(i == k) for i in n]) for k in n]


def first_order(X: Transform) -> Motion:
    """The twist that reaches X's frame in unit time, up to terms of third order in its angle."""
    R = X.R
    return Motion(Vec3(R.z.y - R.y.z, R.x.z - R.z.x, R.y.x - R.x.y) * 0.5, X.r)
