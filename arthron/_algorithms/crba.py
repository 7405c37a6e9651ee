"""Mass matrix by the composite-rigid-body algorithm."""

from __future__ import annotations

from collections.abc import Iterable

from .._spatial.linear_algebra import add_diagonal
from .._tree.tree import BodyList, JointMatrix, Tree
from .kinematics import transforms


def crba(tree: Tree, q) -> JointMatrix:
    """Mass matrix H with tau = H qdd + C (RBDA Tab. 6.2, p. 107; R19 Composite Rigid Body)."""
    Xup, S = transforms(tree, q)
    IC, H = composite_inertias(tree, Xup), JointMatrix()
    if tree.joint[0].nv:  # coordinates of no joint move nothing by themselves
        n = range(tree.joint[0].nv)
        H[0, 0] = tuple(tuple(tree.armature[0][a] if a == b else 0.0 for b in n) for a in n)
    for i in reversed(tree.bodies):
        F = IC[i] @ S[i]
        H[i, i] = add_diagonal(S[i].dot(F), tree.armature[i])
        below = i
        for j in tree.ancestors(tree.parent[i]):
            F = Xup[below].T @ F
            H[j, i], H[i, j] = S[j].dot(F), F.dot(S[j])
            below = j
    return H


def composite_inertias(tree: Tree, Xup: BodyList) -> BodyList:
    """IC[i]: inertia of body i and all behind it, as one rigid body (RBDA Eq. 6.10)."""
    return composites(tree, Xup, tree.I)


def composites(tree: Tree, Xup: BodyList, parts: Iterable) -> BodyList:
    """For each body, the sum of its part and those of all behind it, seen from there."""
    total = BodyList(parts)
    for i in reversed(tree.bodies):
        p = tree.parent[i]
        total[p] = total[p] + Xup[i].T @ total[i] @ Xup[i]
    return total
