"""Momenta of a figure at both ends of a step, and their slope by where the step ends.

Bodies move steadily, as in `steady_motion.py`. What hangs behind a joint is moved by a displacement
of the joint as one body, so that momenta p and their slopes H add up to composite ones, and the
slope over joint coordinates is a composite-rigid-body algorithm with motions of two ends.
"""

from __future__ import annotations

from .._model.tree import BodyList, JointForces, JointMatrix, Tree
from .._spatial.motions import Forces, Motion
from .._spatial.transform import Transform
from .crba import composites
from .kinematics import transforms
from .steady_motion import changed, steady_inertia, steady_momentum


def discrete_momenta(tree: Tree, q0, q1) -> tuple[JointForces, JointForces]:
    """Momenta taken at q0 and left at q1 by a step in unit time (MW01 1.5, Legendre transforms)."""
    (X0, S0), (X1, S1) = transforms(tree, q0), transforms(tree, q1)
    Y = displacements(tree, X0, X1)
    p = BodyList(map(steady_momentum, tree.I, Y))
    p0, p1 = (JointForces(() for _ in Y) for _ in range(2))
    for i in reversed(tree.bodies):
        p0[i], p1[i] = S0[i].dot(p[i]), S1[i].dot(Y[i] @ p[i])
        p[tree.parent[i]] += X0[i].T @ p[i]
    return p0, p1


def discrete_momentum_slope(tree: Tree, q0, q1) -> JointMatrix:
    """Slope of the momenta taken at q0 by displacements of q1 (RBDA Tab. 6.2, with two ends)."""
    (X0, S0), (X1, S1) = transforms(tree, q0), transforms(tree, q1)
    Y = displacements(tree, X0, X1)
    p = BodyList(map(steady_momentum, tree.I, Y))
    H, J = composites(tree, X0, map(steady_inertia, tree.I, Y)), JointMatrix()
    for i in reversed(tree.bodies):
        p[tree.parent[i]] += X0[i].T @ p[i]
        F0 = Forces(Y[i] @ changed(H[i], -p[i], m) for m in S0[i])  # where body i ends
        F1 = Forces(changed(H[i], p[i], brought_back(Y[i], m)) for m in S1[i])  # where it starts
        J[i, i], below = S0[i].dot(F1), i
        for j in tree.ancestors(tree.parent[i]):
            F0, F1 = X1[below].T @ F0, X0[below].T @ F1
            J[j, i], J[i, j], below = S0[j].dot(F1), F0.dot(S1[j]), j
    return J


def displacements(tree: Tree, X0: BodyList, X1: BodyList) -> BodyList:
    """Y[i]: from where body i starts to where it ends, so that `Y[i].R` is its turn."""
    Y = BodyList(Transform() for _ in tree.parent)
    for i in tree.bodies:
        (E, r), (E0, r0), (E1, r1) = Y[tree.parent[i]], X0[i], X1[i]
        Y[i] = Transform(E1 @ E @ E0.T, E0 @ (r + E.T @ r1 - r0))
    return Y


def brought_back(Y: Transform, m: Motion) -> Motion:
    """Y^-1 m"""
    w = Y.R @ m.ang
    return Motion(w, Y.R @ m.lin + Y.r.cross(w))
