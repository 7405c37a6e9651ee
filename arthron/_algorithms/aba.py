"""Forward dynamics by the articulated-body algorithm."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from .._spatial.inertia import ArticulatedInertia
from .._spatial.linear_algebra import NOTHING, Held, Ldl, add_diagonal
from .._spatial.motions import Motion
from .._tree.tree import BodyList, Tree
from ..errors import ModelError

HeldJoints = Mapping[int, Held]
"""Coordinates that are held, by joint and by number in it."""


def aba(tree: Tree, q, qd, tau, f_ext) -> BodyList:
    """Accelerations that `tau` produces (RBDA Tab. 7.1, p. 132; R19 7.32 to 7.42)."""
    Xup, S, v, c, pA, u, a, qdd, U, D = tree.lists(10)
    v[0], a[0], pA[0] = Motion(), -tree.gravity, -f_ext[0]
    for i in tree.bodies:
        XJ, S[i], vJ, cJ = tree.joint[i](q[i], qd[i])
        Xup[i] = XJ @ tree.Xtree[i]
        v[i] = Xup[i] @ v[tree.parent[i]] + vJ
        c[i] = cJ + v[i].cross(vJ)
        pA[i] = v[i].cross(tree.I[i] @ v[i]) - f_ext[i]
    IA = BodyList(I.articulated() for I in tree.I)
    for i, Ia in articulated(tree, Xup, S, IA, U, D):
        p = tree.parent[i]
        u[i] = tuple(t - s for t, s in zip(tau[i], S[i].dot(pA[i]), strict=True))
        if p:
            pA[p] = pA[p] + Xup[i].T @ (pA[i] + Ia @ c[i] + U[i] * D[i].solve(u[i]))
    for i in tree.bodies:
        a[i] = Xup[i] @ a[tree.parent[i]] + c[i]
        qdd[i] = D[i].solve([x - y for x, y in zip(u[i], U[i].dot(a[i]), strict=True)])
        a[i] = a[i] + S[i] * qdd[i]
    return qdd


def articulated(
    tree: Tree,
    Xup: BodyList,
    S: BodyList,
    IA: BodyList,
    U: BodyList,
    D: BodyList,
    rigid: Collection[int] = (),
    held: HeldJoints = NOTHING,
) -> Iterator[tuple[int, ArticulatedInertia]]:
    """Bodies from the leaves on, each with the inertia Ia that its parent feels of it (RBDA 7.43).

    IA, to begin with the inertia of each body, gains what hangs on it; U = IA S and D = S^T U are
    filled in. What else a page sums up from the leaves goes into the same sweep. Joints in `rigid`
    do not give way, and pass on all; nor do coordinates that are `held`.
    """
    if tree.followers:
        raise ModelError(
            "joints that follow others tie branches together, and this page needs a tree. Use "
            "`ar.algorithms.forward_dynamics`, which solves with the mass matrix then."
        )
    for i in reversed(tree.bodies):
        p = tree.parent[i]
        U[i] = IA[i] @ S[i]
        used = {k: free for k, (free, _) in held.get(i, NOTHING).items()}
        D[i] = Ldl(add_diagonal(S[i].dot(U[i]), tree.armature[i]), used=used)
        Ia = IA[i] if i in rigid or not p else IA[i].without(U[i], D[i])
        yield i, Ia
        if p:
            IA[p] = IA[p] + Xup[i].T @ Ia @ Xup[i]
