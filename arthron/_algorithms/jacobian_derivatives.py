"""How the Jacobians of bodies change: by time, twice by time, by coordinates, and by both."""

from __future__ import annotations

from .._pages.differentiate import jacobian
from .._spatial.motions import Motion, Subspace
from .._tree.bending import add_bent_columns
from .._tree.subspace_derivatives import (
    subspace_ddot,
    subspace_dot,
    subspace_dot_dq,
    subspace_dq,
)
from .._tree.tree import BodyList, JointColumns, JointMatrix, Tree
from .kinematics import jacobians, transforms


def jacobians_dot(tree: Tree, q, qd) -> BodyList:
    """Jd[i], the rate of change of J[i] in the axes of body i (G13 28; S' of the joint is ours)."""
    J, Jd, slopes = jacobians(tree, q), _by_joint_dot(tree, q, qd), tree.led.slope_rates
    return BodyList(add_bent_columns(tree, *each, slopes) for each in zip(Jd, J, strict=True))


def _by_joint_dot(tree: Tree, q, qd) -> BodyList:
    """The same before joints that follow others are taken together with those."""
    J, Jd = jacobians(tree, q), _columns(tree)
    for i in tree.bodies:
        p, joint = tree.parent[i], tree.joint[i]
        XJ, _, vJ, _ = joint(q[i], qd[i])
        Xup = XJ @ tree.Xtree[i]
        for j in J[p]:
            columns = zip(Jd[p][j], J[i][j], strict=True)
            Jd[i][j] = Subspace(Xup @ d - vJ.cross(c) for d, c in columns)
        Jd[i][i] = subspace_dot(joint, q[i], qd[i])
    return Jd


def jacobians_ddot(tree: Tree, q, qd, qdd) -> BodyList:
    """Jdd[i], the second rate of change of J[i] in the axes of body i (G13 29).

    With a second dot on the first J_p, and the third adj made of the rate of change of vJ.
    """
    J, Jd, Jdd = jacobians(tree, q), _by_joint_dot(tree, q, qd), _columns(tree)
    for i in tree.bodies:
        p, joint = tree.parent[i], tree.joint[i]
        XJ, S, vJ, cJ = joint(q[i], qd[i])
        Xup, aJ = XJ @ tree.Xtree[i], S * qdd[i] + cJ
        for j in J[p]:
            columns = zip(Jdd[p][j], Jd[p][j], J[i][j], Jd[i][j], strict=True)
            Jdd[i][j] = Subspace(
                Xup @ dd - vJ.cross(Xup @ dp) - aJ.cross(c) - vJ.cross(d)
                for dd, dp, c, d in columns
            )
        Jdd[i][i] = subspace_ddot(joint, q[i], qd[i], qdd[i])
    first, second = tree.led.slope_rates, tree.led.slope_second_rates
    return BodyList(
        add_bent_columns(tree, add_bent_columns(tree, dd, d, first, 2.0), each, second)
        for dd, d, each in zip(Jdd, Jd, J, strict=True)
    )


def jacobians_dq(tree: Tree, q) -> BodyList:
    """Derivative of J[i] by q, in the axes of body i: nb x 6 x nv x nv (G13 31, 33).

    The last axis is the coordinate by which J is differentiated. That J' depends on qd in the same
    way as J on q (30) makes it the derivative of `jacobians_dot` by qd as well.
    """
    if tree.curved:
        return jacobian(jacobians, "q")(tree, q)
    return _arrays(_blocks_dq(tree, q))


def jacobians_dot_dq(tree: Tree, q, qd) -> BodyList:
    """Derivative of Jd[i] by q, in the axes of body i: nb x 6 x nv x nv (G13 32).

    The last axis is the coordinate by which Jd is differentiated. Terms of joints whose S changes
    are ours.
    """
    if tree.curved:
        return jacobian(jacobians_dot, "q")(tree, q, qd)
    J, Jd, dJ = jacobians(tree, q), jacobians_dot(tree, q, qd), _blocks_dq(tree, q)
    dJd: list[Blocks] = [{} for _ in tree.parent]
    for i in tree.bodies:
        p, joint = tree.parent[i], tree.joint[i]
        XJ, S, vJ, _ = joint(q[i], qd[i])
        Xup, dvJ = XJ @ tree.Xtree[i], [dS * qd[i] for dS in subspace_dq(joint, q[i])]
        for jh, block in dJd[p].items():
            both = zip(block, dJ[i][jh], strict=True)
            dJd[i][jh] = [
                [Xup @ dd - vJ.cross(d) for dd, d in zip(*row, strict=True)] for row in both
            ]
        for j in J[p]:
            columns = zip(Jd[p][j], J[i][j], dJ[i][j, i], strict=True)
            dJd[i][j, i] = [
                [(Xup @ d).cross(s) + c.cross(dv) - vJ.cross(dc)
                 for s, dv, dc in zip(S, dvJ, row, strict=True)]
                for d, c, row in columns
            ]  # fmt: skip
        dJd[i][i, i] = _transposed(subspace_dot_dq(joint, q[i], qd[i]))
    return _arrays(dJd)


Blocks = dict[tuple[int, int], list[list[Motion]]]
"""Derivatives of columns of joint j by coordinates of joint h, by (j, h)."""


def _blocks_dq(tree: Tree, q) -> list[Blocks]:
    (Xup, S), J = transforms(tree, q), jacobians(tree, q)
    dJ: list[Blocks] = [{} for _ in tree.parent]
    for i in tree.bodies:
        p = tree.parent[i]
        for jh, block in dJ[p].items():
            dJ[i][jh] = [[Xup[i] @ d for d in row] for row in block]
        for j in J[p]:
            dJ[i][j, i] = [[c.cross(s) for s in S[i]] for c in J[i][j]]
        dJ[i][i, i] = _transposed(subspace_dq(tree.joint[i], q[i]))
    return dJ


def _transposed(slopes: list[Subspace]) -> list[list[Motion]]:
    """Derivatives of each column of S by all coordinates, from those of all columns by each."""
    return list(map(list, zip(*slopes, strict=True)))


def _arrays(dJ: list[Blocks]) -> BodyList:
    return BodyList([_component(blocks, k) for k in range(6)] for blocks in dJ)


def _columns(tree: Tree) -> BodyList:
    return BodyList(JointColumns() for _ in tree.parent)


def _component(blocks: Blocks, k: int) -> JointMatrix:
    """Row k of all the columns."""
    return JointMatrix(
        {jh: [[(*d.ang, *d.lin)[k] for d in row] for row in block] for jh, block in blocks.items()}
    )
