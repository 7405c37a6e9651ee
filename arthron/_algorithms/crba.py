"""Mass matrix by the composite-rigid-body algorithm."""

from __future__ import annotations

from .._model.tree import JointMatrix, Tree
from .._spatial.solve import add_diagonal
from .kinematics import transforms


def crba(tree: Tree, q) -> JointMatrix:
    """Mass matrix H with tau = H qdd + C (RBDA Tab. 6.2, p. 107; R19 Composite Rigid Body)."""
    Xup, S = transforms(tree, q)
    IC, H = list(tree.I), JointMatrix()
    for i in reversed(tree.bodies):
        p = tree.parent[i]
        IC[p] = IC[p] + Xup[i].T @ IC[i] @ Xup[i]
        F = IC[i] @ S[i]
        H[i, i] = add_diagonal(S[i].dot(F), tree.armature[i])
        below = i
        for j in tree.ancestors(p):
            F = Xup[below].T @ F
            H[j, i], H[i, j] = S[j].dot(F), F.dot(S[j])
            below = j
    return H
