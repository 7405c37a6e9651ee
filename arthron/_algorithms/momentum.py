"""Momentum of the whole figure about its centre of mass."""

from __future__ import annotations

from .._spatial.inertia import CoriolisInertia
from .._spatial.motions import Force, Forces
from .._spatial.transform import Transform
from .._spatial.vectors import Mat3
from .._tree.bending import add_bent_columns
from .._tree.subspace_derivatives import subspace_dot
from .._tree.tree import JointColumns, Tree
from .crba import composite_inertias, composites
from .energy import center_of_mass, momentum, per_mass
from .kinematics import poses, transforms, velocities


def momentum_matrix(tree: Tree, q) -> JointColumns:
    """A with momentum = A qd, about the centre of mass in world axes (OG08).

    A joint moves all behind it as one body, whose momentum is its column.
    """
    (Xup, S), X0 = transforms(tree, q), poses(tree, q)
    IC = composite_inertias(tree, Xup)
    to_com = Transform(Mat3.identity(), center_of_mass(tree, q))
    return JointColumns({i: to_com @ (X0[i].T @ (IC[i] @ S[i])) for i in tree.bodies})


def momentum_matrix_dot(tree: Tree, q, qd) -> JointColumns:
    """dA/dt: from d(I S)/dt = I dS/dt + (B + B^T) S in axes that stand still, and moving centre."""
    (Xup, S), X0, v = transforms(tree, q), poses(tree, q), velocities(tree, q, qd)
    IC = composite_inertias(tree, Xup)
    BC = composites(tree, Xup, map(CoriolisInertia.of, tree.I, v))
    to_com = Transform(Mat3.identity(), center_of_mass(tree, q))
    drift = momentum(tree, q, qd).lin * per_mass(tree)
    A = JointColumns()
    for i in tree.bodies:
        to, rates = X0[i].T, subspace_dot(tree.joint[i], q[i], qd[i])
        A[i] = Forces(
            to_com @ (to @ (IC[i] @ (ds + v[i].cross(s)) + BC[i] @ s + BC[i].transpose_apply(s)))
            - Force(drift.cross((to @ (IC[i] @ s)).lin))
            for s, ds in zip(S[i], rates, strict=True)
        )
    return add_bent_columns(tree, A, momentum_matrix(tree, q), tree.led.slope_rates)
