"""The Coriolis matrix: joint forces C qd that velocities make, in a form that keeps energy."""

from __future__ import annotations

from .._model.lump import lumped
from .._model.tree import JointMatrix, Tree
from .._model.varied import subspace_dot
from .._spatial.inertia import CoriolisInertia
from .._spatial.motions import Motion
from .coupling import Moved, coupling
from .crba import composite_inertias


def coriolis_matrix(tree: Tree, q, qd) -> JointMatrix:
    """C with tau = M qdd + C qd + g and Mdot = C + C^T (EW21; G13 6b has another).

    C is the sum over particles of J^T m Jdot. Where qd = dq/dt it has the Christoffel symbols of M
    for coefficients.
    """
    tree = lumped(tree)
    Xup, S, v, BC, moved = tree.lists(5)
    v[0] = Motion()
    BC[0] = CoriolisInertia.of(tree.I[0], v[0])
    for i in tree.bodies:
        joint = tree.joint[i]
        XJ, S[i], vJ, _ = joint(q[i], qd[i])
        Xup[i] = XJ @ tree.Xtree[i]
        v[i] = Xup[i] @ v[tree.parent[i]] + vJ
        BC[i] = CoriolisInertia.of(tree.I[i], v[i])
        Sdot = subspace_dot(joint, q[i], qd[i])
        moved[i] = [Moved(ds + v[i].cross(s), s) for s, ds in zip(S[i], Sdot, strict=True)]
    for i in reversed(tree.bodies):
        p = tree.parent[i]
        BC[p] = BC[p] + Xup[i].T @ BC[i] @ Xup[i]
    return coupling(tree, Xup, S, composite_inertias(tree, Xup), BC, [moved])[0]
