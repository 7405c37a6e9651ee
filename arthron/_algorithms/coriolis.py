"""The Coriolis matrix: joint forces C qd that velocities make, in a form that keeps energy."""

from __future__ import annotations

from .._spatial.inertia import CoriolisInertia
from .._spatial.motions import Motion
from .._tree.bending import add_bent_blocks
from .._tree.regrouped import regrouped
from .._tree.subspace_derivatives import subspace_dot
from .._tree.tree import JointMatrix, Tree
from .coupling import Variation, coupling
from .crba import composite_inertias, composites, crba


def coriolis_matrix(tree: Tree, q, qd) -> JointMatrix:
    """C with tau = M qdd + C qd + g and Mdot = C + C^T (EW21; G13 6b has another).

    C is the sum over particles of J^T m Jdot. Where qd = dq/dt it has the Christoffel symbols of M
    for coefficients.
    """
    tree = regrouped(tree)
    Xup, S, v, B, variations = tree.lists(5)
    v[0] = Motion()
    B[0] = CoriolisInertia.of(tree.I[0], v[0])
    for i in tree.bodies:
        joint = tree.joint[i]
        XJ, S[i], vJ, _ = joint(q[i], qd[i])
        Xup[i] = XJ @ tree.Xtree[i]
        v[i] = Xup[i] @ v[tree.parent[i]] + vJ
        B[i] = CoriolisInertia.of(tree.I[i], v[i])
        Sdot = subspace_dot(joint, q[i], qd[i])
        variations[i] = [Variation(d + v[i].cross(s), s) for s, d in zip(S[i], Sdot, strict=True)]
    IC, BC = composite_inertias(tree, Xup), composites(tree, Xup, B)
    C = coupling(tree, Xup, S, IC, BC, [variations])[0]
    return add_bent_blocks(tree, C, crba(tree, q), tree.led.slope_rates) if tree.curved else C
