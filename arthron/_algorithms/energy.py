"""Energy, momentum and the centre of mass."""

from __future__ import annotations

from .._spatial.inertia import Inertia
from .._spatial.motions import Force
from .._spatial.scalar import Scalar, divide
from .._spatial.transform import Transform
from .._spatial.vectors import Mat3, Vec3
from .._tree.tree import PointColumns, Tree
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
    """Minus m g . c, with m all mass and c its centre in the world [J]."""
    return -tree.gravity.lin.dot(whole(tree, q).h)


def center_of_mass(tree: Tree, q) -> Vec3:
    """Centre of mass of all moving bodies, in the world [m]."""
    return whole(tree, q).h * per_mass(tree)


def whole(tree: Tree, q) -> Inertia:
    """Inertia of all moving bodies as one, about the world's origin."""
    Xup, _ = transforms(tree, q)
    return composite_inertias(tree, Xup)[0]


def total_mass(tree: Tree) -> Scalar:
    """Mass of all moving bodies [kg]."""
    m = 0.0
    for i in tree.bodies:  # `sum` rounds otherwise from Python 3.12 on, and so would the graph
        m = m + tree.I[i].m
    return m


def per_mass(tree: Tree) -> Scalar:
    """One over the mass; zero without mass, so that the centre of nothing is the origin."""
    m = total_mass(tree)
    return 0.0 if isinstance(m, float) and m == 0.0 else divide(1.0, m)


def momentum(tree: Tree, q, qd) -> Force:
    """Momentum about the centre of mass, in world axes, angular first."""
    (Xup, _), v = transforms(tree, q), velocities(tree, q, qd)
    (h,) = tree.lists(1)
    h[0] = Force()
    for i in tree.bodies:
        h[i] = tree.I[i] @ v[i]
    for i in reversed(tree.bodies):
        h[tree.parent[i]] += Xup[i].T @ h[i]
    return Transform(Mat3.identity(), center_of_mass(tree, q)) @ h[0]


def com_jacobian(tree: Tree, q) -> PointColumns:
    """J with the velocity of the centre of mass = J qd, in world axes, 3 x nv (G13 7).

    A joint moves all behind it as one body; the linear momentum of that is its column.
    """
    (Xup, S), X0 = transforms(tree, q), poses(tree, q)
    IC = composite_inertias(tree, Xup)
    k = per_mass(tree)
    return PointColumns(
        {i: tuple(X0[i].R @ (IC[i] @ m).lin * k for m in S[i]) for i in tree.bodies}
    )
