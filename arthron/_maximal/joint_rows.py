"""A joint as rows on the twists of two bodies: what its motions leave out (S19 1.69)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .._algorithms.velocity_conversion import normal
from .._spatial.motions import Force, Motion, Subspace
from .._spatial.scalar import Scalar, divide, sqrt, where
from .._spatial.sums import dot
from .._spatial.transform import Transform
from .._spatial.vectors import Vec3
from .._tree.joints import Joint
from .._tree.tree import BodyList, Tree

PROBES = 8
"""Places at which a joint is asked for its motions, to see whether these are always the same."""
SAME = 1e-9
"""Rounding of those."""


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
    q = BodyList(() for _ in tree.parent)
    for i in tree.bodies:
        XJ = X0[i] @ X0[tree.parent[i]].inverse() @ tree.Xtree[i].inverse()
        q[i] = near[i] if tree.follow[i] else tree.joint[i].find(XJ, near[i])
    return tree.positions(tree.vector(q))


def rates(W: Sequence[Force], d: Motion) -> tuple[Scalar, ...]:
    """W d"""
    return tuple(d.dot(w) for w in W)


def gaps(tree: Tree, joints: BodyList) -> BodyList:
    """How far joints are apart, along what they forbid, (C; W) gap of those that follow others."""
    return BodyList(
        rates((*each.C, *(each.W if follow else ())), each.gap)
        for each, follow in zip(joints, tree.follow, strict=True)
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


def forbidden(joint: Joint, S: Subspace) -> list[Force]:
    """Wrenches of a basis of those on which motions of a joint do no work.

    Always the same where its motions span the same space everywhere; else made at each pose.
    """
    rng = np.random.default_rng(0)
    spans = []
    for _ in range(PROBES):
        _, probe, _, _ = joint(joint.random(rng), (0.0,) * joint.nv)
        spans += [[*m.ang, *m.lin] for m in probe]
    _, sizes, V = np.linalg.svd(np.array(spans, float).reshape(-1, 6))
    rank = int((sizes > SAME * max(1.0, *sizes)).sum())
    return _constant(V[rank:]) if rank == joint.nv else _reflected(S)


def _constant(rows: np.ndarray) -> list[Force]:
    """The space of some rows by rows with as many zeros as they can have."""
    left, found = rows.T @ rows, []
    for _ in rows:
        k = int(np.argmax(np.diag(left).round(9)))
        n = left[k] / np.sqrt(left[k, k])
        left = left - np.outer(n, n)
        found.append(Force.from_array(np.where(abs(n) < SAME, 0.0, n).tolist()))
    return found


def _reflected(S: Subspace) -> list[Force]:
    """The complement of the columns of S by Householder's reflections."""
    columns = [[*m.ang, *m.lin] for m in S]
    mirrors: list[tuple[list[Scalar], Scalar]] = []
    for k, column in enumerate(columns):
        x = column
        for n, w in mirrors:
            x = _mirrored(x, n, w)
        x = [*[0.0] * k, *x[k:]]
        length = sqrt(dot(x, x))
        n = [*x[:k], x[k] + where(x[k] < 0.0, -length, length), *x[k + 1 :]]
        mirrors.append((n, divide(2.0, dot(n, n))))
    found = []
    for j in range(len(S), 6):
        x: list[Scalar] = [float(i == j) for i in range(6)]
        for n, w in reversed(mirrors):
            x = _mirrored(x, n, w)
        found.append(Force.from_array(x))
    return found


def _mirrored(x: list[Scalar], n: list[Scalar], w: Scalar) -> list[Scalar]:
    """x - w n (n . x)"""
    k = w * dot(n, x)
    return [a - k * b for a, b in zip(x, n, strict=True)]
