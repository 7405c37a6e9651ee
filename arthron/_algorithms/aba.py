"""Forward dynamics by the articulated-body algorithm."""

from __future__ import annotations

from .._model.tree import BodyList, Tree
from .._spatial.motions import Motion
from .._spatial.solve import Ldl, add_diagonal
from ..errors import ModelError


def aba(tree: Tree, q, qd, tau, f_ext) -> BodyList:
    """Accelerations that `tau` produces (RBDA Tab. 7.1, p. 132; R19 7.32 to 7.42)."""
    if any(tree.follow):
        raise ModelError(
            "joints that follow others tie branches together, and `aba` needs a tree. Use "
            "`ar.algorithms.forward_dynamics`, which solves with the mass matrix then."
        )
    Xup, S, v, c, IA, pA, U, D, u, a, qdd = tree.lists(11)
    v[0], a[0] = Motion(), -tree.gravity
    for i in tree.bodies:
        XJ, S[i], vJ, cJ = tree.joint[i](q[i], qd[i])
        Xup[i] = XJ @ tree.Xtree[i]
        v[i] = Xup[i] @ v[tree.parent[i]] + vJ
        c[i] = cJ + v[i].cross(vJ)
        IA[i] = tree.I[i].articulated()
        pA[i] = v[i].cross(tree.I[i] @ v[i]) - f_ext[i]
    for i in reversed(tree.bodies):
        p = tree.parent[i]
        U[i] = IA[i] @ S[i]
        D[i] = Ldl(add_diagonal(S[i].dot(U[i]), tree.armature[i]))
        u[i] = tuple(t - s for t, s in zip(tau[i], S[i].dot(pA[i]), strict=True))
        if p:
            Ia = IA[i].without(U[i], D[i])
            pa = pA[i] + Ia @ c[i] + U[i] * D[i].solve(u[i])
            IA[p] = IA[p] + Xup[i].T @ Ia @ Xup[i]
            pA[p] = pA[p] + Xup[i].T @ pa
    for i in tree.bodies:
        a[i] = Xup[i] @ a[tree.parent[i]] + c[i]
        qdd[i] = D[i].solve([x - y for x, y in zip(u[i], U[i].dot(a[i]), strict=True)])
        a[i] = a[i] + S[i] * qdd[i]
    return qdd
