"""Derivatives of inverse and forward dynamics by state."""

from __future__ import annotations

from .._spatial.linear_algebra import Ldl, add_diagonal
from .._spatial.sums import add_blocks
from .._tree.regrouped import regrouped
from .._tree.tree import JointMatrix, Shaped, Tree
from .articulated_derivatives import articulated_derivatives
from .by_coordinates import by_coordinates
from .coupling import coupling
from .crba import composite_inertias, composites, crba
from .dynamics import bias_forces
from .state_variations import state_variations


def rnea_derivatives(tree: Tree, q, qd, qdd, f_ext) -> tuple[JointMatrix, JointMatrix, JointMatrix]:
    """Derivatives of joint forces by q, qd and qdd (SRW22; terms of moving S are ours).

    M, the last one, comes with them.
    """
    Xup, S, dS, f, B, by_q, by_qd, by_qdd = state_variations(tree, q, qd, qdd, f_ext)
    IC, BC = composite_inertias(tree, Xup), composites(tree, Xup, B)
    dq, dqd, M = coupling(tree, Xup, S, IC, BC, (by_q, by_qd, by_qdd))
    for i in tree.bodies:
        turned = zip(*(ds.dot(f[i]) for ds in dS[i]), strict=True)
        dq[i, i] = add_blocks(dq[i, i], turned)
        M[i, i] = add_diagonal(M[i, i], tree.armature[i])
    return by_coordinates(tree.at(q, qd, qdd), (dq, dqd, M), S, f, qdd)


def inverse_dynamics_derivatives(tree: Tree, q, qd, qdd, f_ext) -> tuple[JointMatrix, JointMatrix]:
    """(dtau/dq, dtau/dqd) of inverse dynamics; dtau/dqdd is the mass matrix."""
    by_q, by_qd, _ = rnea_derivatives(regrouped(tree), q, qd, qdd, f_ext)
    return by_q, by_qd


def gravity_forces_dq(tree: Tree, q) -> JointMatrix:
    """dg/dq, symmetric where qd = dq/dt (G13 24d)."""
    rest = tree.at_rest()
    nothing = tree.no_wrenches()
    return rnea_derivatives(regrouped(tree), q, rest, rest, nothing)[0]


MANY = 7.5
"""Coordinates behind one another, in the mean, beyond which recursion costs less than factors."""


def behind_one_another(tree: Tree) -> float:
    """How many coordinates there are from the base up to a coordinate, in the mean."""
    n = [joint.nv for joint in tree.joint]
    return sum(n[i] * n[j] for i in tree.bodies for j in tree.ancestors(i)) / max(1, sum(n[1:]))


def forward_dynamics_derivatives(tree: Tree, q, qd, tau, f_ext) -> tuple[list, list, list]:
    """(dqdd/dq, dqdd/dqd, dqdd/dtau): from M dqdd = dtau - d(inverse dynamics) (CM18 eq. 11).

    By factors of M, or by recursion in floating and long figures.
    """
    if not tree.followers and behind_one_another(tree) > MANY:
        return articulated_derivatives(tree, q, qd, tau, f_ext)
    M = tree.matrix(crba(tree, q))
    factor = Ldl([[-x for x in row] for row in M])  # -M, so that signs need no operations
    bias = tree.vector(bias_forces(tree, q, qd, f_ext))
    qdd = tree.accelerations(
        factor.solve([b - t for b, t in zip(bias, tree.vector(tau), strict=True)])
    )
    by_q, by_qd, _ = (tree.matrix(H) for H in rnea_derivatives(tree, q, qd, qdd, f_ext))
    by_tau = ([-x for x in row] for row in factor.inverse())
    results = factor.solve_many(by_q), factor.solve_many(by_qd), by_tau
    by_q, by_qd, by_tau = (Shaped(rows, (tree.nv, tree.nv)) for rows in results)
    return by_q, by_qd, by_tau
