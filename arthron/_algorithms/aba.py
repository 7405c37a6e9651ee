"""Forward dynamics by the articulated-body algorithm."""

from __future__ import annotations

from collections.abc import Collection

from .._model.tree import BodyList, Tree
from .._spatial.inertia import ArticulatedInertia
from .._spatial.motions import Motion
from .._spatial.solve import Ldl, add_diagonal
from ..errors import ModelError


def aba(tree: Tree, q, qd, tau, f_ext) -> BodyList:
    """Accelerations that `tau` produces (RBDA Tab. 7.1, p. 132; R19 7.32 to 7.42)."""
    Xup, S, v, c, pA, u, a, qdd = tree.lists(8)
    v[0], a[0], pA[0] = Motion(), -tree.gravity, -f_ext[0]
    for i in tree.bodies:
        XJ, S[i], vJ, cJ = tree.joint[i](q[i], qd[i])
        Xup[i] = XJ @ tree.Xtree[i]
        v[i] = Xup[i] @ v[tree.parent[i]] + vJ
        c[i] = cJ + v[i].cross(vJ)
        pA[i] = v[i].cross(tree.I[i] @ v[i]) - f_ext[i]
    _, Ia, U, D = articulated_inertias(tree, Xup, S, [I.articulated() for I in tree.I])
    for i in reversed(tree.bodies):
        p = tree.parent[i]
        u[i] = tuple(t - s for t, s in zip(tau[i], S[i].dot(pA[i]), strict=True))
        if p:
            pA[p] = pA[p] + Xup[i].T @ (pA[i] + Ia[i] @ c[i] + U[i] * D[i].solve(u[i]))
    for i in tree.bodies:
        a[i] = Xup[i] @ a[tree.parent[i]] + c[i]
        qdd[i] = D[i].solve([x - y for x, y in zip(u[i], U[i].dot(a[i]), strict=True)])
        a[i] = a[i] + S[i] * qdd[i]
    return qdd


def articulated_inertias(
    tree: Tree,
    Xup: BodyList,
    S: BodyList,
    I: Collection[ArticulatedInertia],
    rigid: Collection[int] = (),
) -> tuple[BodyList, BodyList, BodyList, BodyList]:
    """(IA, Ia, U, D): inertia that bodies seem to have with what hangs on them (RBDA 7.43).

    Ia is what the parent feels of it; joints in `rigid` do not give way, and pass on all.
    """
    if any(tree.follow):
        raise ModelError(
            "joints that follow others tie branches together, and this page needs a tree. Use "
            "`ar.algorithms.forward_dynamics`, which solves with the mass matrix then."
        )
    IA, (Ia, U, D) = BodyList(I), tree.lists(3)
    for i in reversed(tree.bodies):
        p = tree.parent[i]
        U[i] = IA[i] @ S[i]
        D[i] = Ldl(add_diagonal(S[i].dot(U[i]), tree.armature[i]))
        if p:
            Ia[i] = IA[i] if i in rigid else IA[i].without(U[i], D[i])
            IA[p] = IA[p] + Xup[i].T @ Ia[i] @ Xup[i]
    return IA, Ia, U, D
