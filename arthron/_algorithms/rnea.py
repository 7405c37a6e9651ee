"""Inverse dynamics by the recursive Newton-Euler algorithm."""

from __future__ import annotations

from .._spatial.motions import Force, Motion
from .._tree.tree import JointForces, Tree


def rnea(tree: Tree, q, qd, qdd, f_ext) -> JointForces:
    """Joint forces that produce `qdd` (RBDA Tab. 5.1, p. 96; R19 Recursive Newton-Euler)."""
    Xup, S, v, a, f, tau = tree.lists(6)
    v[0], a[0], f[0] = Motion(), -tree.gravity, Force()
    for i in tree.bodies:
        p = tree.parent[i]
        XJ, S[i], vJ, cJ = tree.joint[i](q[i], qd[i])
        Xup[i] = XJ @ tree.Xtree[i]
        v[i] = Xup[i] @ v[p] + vJ
        a[i] = Xup[i] @ a[p] + S[i] * qdd[i] + cJ + v[i].cross(vJ)
        f[i] = tree.I[i] @ a[i] + v[i].cross(tree.I[i] @ v[i]) - f_ext[i]
    for i in reversed(tree.bodies):
        tau[i] = tuple(
            t + k * x for t, k, x in zip(S[i].dot(f[i]), tree.armature[i], qdd[i], strict=True)
        )
        f[tree.parent[i]] += Xup[i].T @ f[i]
    return JointForces(tau)
