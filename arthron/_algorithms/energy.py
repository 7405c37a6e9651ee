"""Energy, momentum and the centre of mass."""

from __future__ import annotations

from .._model.tree import JointColumns, Tree
from .._spatial.motions import Force
from .._spatial.scalar import Scalar
from .._spatial.transform import Transform
from .._spatial.vectors import Mat3, Vec3
from .crba import composite_inertias
from .kinematics import poses, transforms, velocities


def kinetic_energy(tree: Tree, q, qd) -> Scalar:
    """Half the sum of v . I v over bodies, and of armature times rate squared [J] (RBDA 2.67)."""
    v = velocities(tree, q, qd)
    twice = 0.0
    for i in tree.bodies:
        twice = twice + v[i].dot(tree.I[i] @ v[i])
        for k, rate in zip(tree.armature[i], qd[i], strict=True):
            twice = twice + k * rate * rate
    return 0.5 * twice


def potential_energy(tree: Tree, q) -> Scalar:
    """Minus the sum of m g . c over bodies, with c their centres of mass in the world [J]."""
    X0 = poses(tree, q)
    total = Vec3()
    for i in tree.bodies:
        total = total + X0[i].R @ tree.I[i].h + X0[i].r * tree.I[i].m
    return -total.dot(tree.gravity.lin)


def center_of_mass(tree: Tree, q) -> Vec3:
    """Centre of mass of all moving bodies, in the world [m]."""
    X0 = poses(tree, q)
    total = Vec3()
    for i in tree.bodies:
        total = total + X0[i].R @ tree.I[i].h + X0[i].r * tree.I[i].m
    return total * (1.0 / total_mass(tree))


def total_mass(tree: Tree) -> float:
    """Mass of all moving bodies [kg]."""
    return sum(tree.I[i].m for i in tree.bodies)


def momentum(tree: Tree, q, qd) -> Force:
    """Momentum about the centre of mass, in world axes, angular first."""
    v, X0 = velocities(tree, q, qd), poses(tree, q)
    total = Force()
    for i in tree.bodies:
        total = total + X0[i].T @ (tree.I[i] @ v[i])
    return Transform(Mat3.identity(), center_of_mass(tree, q)) @ total


def com_jacobian(tree: Tree, q) -> JointColumns:
    """J with the velocity of the centre of mass = J qd, in world axes, 3 x nv (G13 7).

    A joint moves all behind it as one body; the linear momentum of that is its column.
    """
    (Xup, S), X0 = transforms(tree, q), poses(tree, q)
    IC = composite_inertias(tree, Xup)
    k = 1.0 / total_mass(tree)
    return JointColumns(
        {i: tuple(X0[i].R @ (IC[i] @ m).lin * k for m in S[i]) for i in tree.bodies}
    )
