"""Momenta of a figure at both ends of a step.

Bodies move steadily, as in `steady_motion.py`. What hangs behind a joint is moved by a displacement
of the joint as one body, so that momenta add up to composite ones.
"""

from __future__ import annotations

from .._spatial.transform import Transform
from .._tree.tree import BodyList, JointForces, Tree
from .kinematics import transforms
from .steady_motion import steady_momentum


def discrete_momenta(tree: Tree, q0, q1) -> tuple[list, list]:
    """Momenta taken at q0 and left at q1 by a step in unit time (MW01 §1.5, Legendre transform)."""
    (X0, S0), (X1, S1) = transforms(tree, q0), transforms(tree, q1)
    Y = displacements(tree, X0, X1)
    p = BodyList(map(steady_momentum, tree.I, Y))
    p0, p1 = (JointForces(() for _ in Y) for _ in range(2))
    for i in reversed(tree.bodies):
        p0[i], p1[i] = S0[i].dot(p[i]), S1[i].dot(Y[i] @ p[i])
        p[tree.parent[i]] += X0[i].T @ p[i]
    return tree.at(q0).vector(p0), tree.at(q1).vector(p1)


def displacements(tree: Tree, X0: BodyList, X1: BodyList) -> BodyList:
    """Y[i]: from where body i starts to where it ends, so that `Y[i].R` is its turn."""
    Y = BodyList(Transform() for _ in tree.parent)
    for i in tree.bodies:
        (E, r), (E0, r0), (E1, r1) = Y[tree.parent[i]], X0[i], X1[i]
        Y[i] = Transform(E1 @ E @ E0.T, E0 @ (r + E.T @ r1 - r0))
    return Y
