"""The matrices of the equation of motion M qdd + C qd + g = tau, each by itself."""

from __future__ import annotations

from typing import NamedTuple

from .._spatial.gyroscopic import GyroscopicInertia
from .._spatial.linear_algebra import add_diagonal
from .._spatial.motions import Forces, Motion, Subspace
from .._spatial.sums import add_blocks
from .._spatial.transform import Transform
from .._tree.bending import add_bent_blocks
from .._tree.subspace_derivatives import subspace_dot
from .._tree.tree import BodyList, JointColumns, JointForces, JointMatrix, Tree
from .crba import composite_inertias


class Moving(NamedTuple):
    """A figure in motion: for each body, in its own axes.

    Attributes:
        Xup: transform from the parent.
        v: velocity of the body.
        vJ: velocity of the joint.
        S: motions of the joint.
        Sd: their rate of change as seen from the body; zero for hinges.
        gamma: minus the acceleration of free fall.
        IC: inertia of the body and all behind it.
        BC: sum of (v_k - v) x* I_k over the bodies k behind it; BC + BC^T is the rate of IC.
    """

    Xup: BodyList
    v: BodyList
    vJ: BodyList
    S: BodyList
    Sd: BodyList
    gamma: BodyList
    IC: BodyList
    BC: BodyList

    def Sdot(self, i: int) -> Subspace:
        """Rate of change of S as vectors in space: v x S and what is seen from the body."""
        return Subspace(d + self.v[i].cross(s) for s, d in zip(self.S[i], self.Sd[i], strict=True))

    def columns(self, tree: Tree) -> tuple[BodyList, BodyList]:
        """S and Sdot of all joints before a body, in its axes: J and v x J + J' (G13 27, 28)."""
        J, Jdot = (BodyList(JointColumns() for _ in tree.parent) for _ in range(2))
        for i in tree.bodies:
            for K, own in ((J, self.S[i]), (Jdot, self.Sdot(i))):
                K[i].update({j: self.Xup[i] @ before for j, before in K[tree.parent[i]].items()})
                K[i][i] = own
        return J, Jdot


def moving(tree: Tree, q, qd) -> Moving:
    """Motion of the bodies (G13 26) and, from the leaves, inertias and how they change."""
    Xup, v, vJ, S, Sd, gamma = tree.lists(6)
    v[0], gamma[0] = Motion(), -tree.gravity
    for i in tree.bodies:
        p, joint = tree.parent[i], tree.joint[i]
        XJ, S[i], vJ[i], _ = joint(q[i], qd[i])
        Sd[i] = subspace_dot(joint, q[i], qd[i])
        Xup[i] = XJ @ tree.Xtree[i]
        v[i] = Xup[i] @ v[p] + vJ[i]
        gamma[i] = Xup[i] @ gamma[p]
    IC, BC = composite_inertias(tree, Xup), BodyList(GyroscopicInertia() for _ in tree.parent)
    for i in reversed(tree.bodies):
        p = tree.parent[i]
        BC[p] += (BC[i] + GyroscopicInertia.of(IC[i], vJ[i])).pulled_back(*Xup[i])
    return Moving(Xup, v, vJ, S, Sd, gamma, IC, BC)


def closed_form(tree: Tree, q, qd) -> dict:
    """M, C and g with tau = M qdd + C qd + g and Mdot = C + C^T (G13 6).

    (6) sums over bodies, M = J^T I J and C = J^T (I (v x J + J') + v x* I J). Column j of J is S_j
    and that of v x J + J' its rate of change Sdot_j, both carried to the body, so that the sums are
    over inertias alone: of all behind body i, M = S_j . F and C = S_j . G for every j before i,
    with F = I S_i and G = I Sdot_i + B S_i, where B sums v x* I. C of i, j is what Mdot leaves.
    """
    Xup, v, vJ, S, Sd, gamma, IC, BC = moving(tree, q, qd)
    M, C, g = JointMatrix(), JointMatrix(), JointForces(() for _ in tree.parent)
    for i in reversed(tree.bodies):
        F, Fd = IC[i] @ S[i], rate(IC[i], BC[i].rate(), S[i], Sd[i])
        G = coriolis_forces(IC[i], BC[i], v[i], S[i], Sd[i])
        M[i, i] = add_diagonal(S[i].dot(F), tree.armature[i])
        C[i, i] = S[i].dot(G)
        g[i] = F.dot(gamma[i])
        below = i
        for j in tree.ancestors(tree.parent[i]):
            (F, Fd), G = carried(Xup[below], vJ[below], F, Fd), Xup[below].T @ G
            below = j
            M[j, i], M[i, j] = S[j].dot(F), F.dot(S[j])
            C[j, i] = S[j].dot(G)
            C[i, j] = left_over(add_blocks(S[j].dot(Fd), Sd[j].dot(F)), C[j, i])
    return {"M": M, "C": add_bent_blocks(tree, C, M, tree.led.slope_rates), "g": g}


def coriolis_forces(I, B: GyroscopicInertia, v: Motion, S: Subspace, Sd: Subspace) -> Forces:
    """G = I Sdot + (B + v x* I) S, with Sdot = v x S + S'; I v x is the transpose of -v x* I."""
    Q = GyroscopicInertia.of(I, v)
    return Forces(
        I @ d + B @ s + (Q @ s - Q.transpose_apply(s)) for s, d in zip(S, Sd, strict=True)
    )


def rate(I, I_dot, S: Subspace, Sd: Subspace) -> Forces:
    """Rate of change of I S, as seen from the body."""
    return Forces(I_dot @ s + I @ d for s, d in zip(S, Sd, strict=True))


def carried(X: Transform, vJ: Motion, F: Forces, Fd: Forces) -> tuple[Forces, Forces]:
    """Forces and their rate of change, seen from the parent: (X^T F)' = X^T (F' + vJ x* F)."""
    return X.T @ F, X.T @ Forces(d + vJ.cross(f) for f, d in zip(F, Fd, strict=True))


def left_over(whole, part):
    """(whole - part)^T of two blocks."""
    columns = zip(zip(*whole, strict=True), zip(*part, strict=True), strict=True)
    return tuple(tuple(x - y for x, y in zip(*pair, strict=True)) for pair in columns)
