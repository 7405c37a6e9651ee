"""Derivatives of inverse and forward dynamics by state."""

from __future__ import annotations

from .._model.lump import lumped
from .._model.tree import BodyList, JointMatrix, Shaped, Tree
from .._model.varied import drift_dq, subspace_dot, subspace_dq
from .._spatial.inertia import CoriolisInertia
from .._spatial.motions import Force, Motion
from .._spatial.solve import Ldl, add_diagonal
from .coupling import Moved, coupling, plus
from .crba import composite_inertias, composites, crba
from .dynamics import bias_forces


def rnea_derivatives(tree: Tree, q, qd, qdd, f_ext) -> tuple[JointMatrix, JointMatrix, JointMatrix]:
    """Derivatives of joint forces by q, qd and qdd (SRW22; terms of moving S are ours).

    Move a subtree rigidly by a motion s of its joint: from inside, its parent's velocity v and
    acceleration a change by v x s and a x s. All bodies in the subtree gain the same u = v x s, and
    a force I A + 2 B u with A = a x s + v x u.
    """
    Xup, S, dS, v, a, f, B, by_q, by_qd, by_qdd = tree.lists(10)
    v[0], a[0], f[0] = Motion(), -tree.gravity, Force()
    B[0] = CoriolisInertia.of(tree.I[0], v[0])
    for i in tree.bodies:
        p, joint = tree.parent[i], tree.joint[i]
        XJ, S[i], vJ, cJ = joint(q[i], qd[i])
        dS[i], dc = subspace_dq(joint, q[i]), drift_dq(joint, q[i], qd[i])
        Sdot = subspace_dot(joint, q[i], qd[i])
        Xup[i] = XJ @ tree.Xtree[i]
        vp, ap = Xup[i] @ v[p], Xup[i] @ a[p]
        v[i] = vp + vJ
        a[i] = ap + S[i] * qdd[i] + cJ + v[i].cross(vJ)
        B[i] = CoriolisInertia.of(tree.I[i], v[i])
        f[i] = tree.I[i] @ a[i] + B[i] @ v[i] - f_ext[i]
        by_q[i], by_qd[i], by_qdd[i] = [], [], []
        for s, ds, dcJ, sdot in zip(S[i], dS[i], dc, Sdot, strict=True):
            dv = ds * qd[i]
            u = vp.cross(s) + dv
            A = ap.cross(s) + ds * qdd[i] + dcJ + v[i].cross(dv) + vp.cross(u)
            by_q[i].append(Moved(A, u + u))
            by_qd[i].append(Moved(u + sdot + v[i].cross(s), s + s))
            by_qdd[i].append(Moved(s))
    for i in reversed(tree.bodies):
        f[tree.parent[i]] += Xup[i].T @ f[i]
        by_q[i] = [m._replace(f=s.cross(f[i])) for m, s in zip(by_q[i], S[i], strict=True)]
    IC, BC = composite_inertias(tree, Xup), composites(tree, Xup, B)
    dq, dqd, M = coupling(tree, Xup, S, IC, BC, (by_q, by_qd, by_qdd))
    for i in tree.bodies:
        turned = zip(*(ds.dot(f[i]) for ds in dS[i]), strict=True)
        dq[i, i] = plus(dq[i, i], turned)
        M[i, i] = add_diagonal(M[i, i], tree.armature[i])
    return dq, dqd, M


def inverse_dynamics_derivatives(tree: Tree, q, qd, qdd, f_ext) -> tuple[JointMatrix, JointMatrix]:
    """(dtau/dq, dtau/dqd) of inverse dynamics; dtau/dqdd is the mass matrix."""
    by_q, by_qd, _ = rnea_derivatives(lumped(tree), q, qd, qdd, f_ext)
    return by_q, by_qd


def gravity_forces_dq(tree: Tree, q) -> JointMatrix:
    """dg/dq, symmetric where qd = dq/dt (G13 24d)."""
    rest = BodyList(tree.zero(i) for i in range(tree.nb + 1))
    nothing = BodyList(Force() for _ in tree.parent)
    return rnea_derivatives(lumped(tree), q, rest, rest, nothing)[0]


def forward_dynamics_derivatives(tree: Tree, q, qd, tau, f_ext) -> tuple[list, list, list]:
    """(dqdd/dq, dqdd/dqd, dqdd/dtau): from M dqdd = dtau - d(inverse dynamics) (CM18 eq. 11)."""
    M = tree.dense(crba(tree, q))
    factor = Ldl([[-x for x in row] for row in M])  # -M, so that signs need no operations
    bias = tree.vector(bias_forces(tree, q, qd, f_ext))
    qdd = tree.rates(factor.solve([b - t for b, t in zip(bias, tree.vector(tau), strict=True)]))
    by_q, by_qd, _ = (tree.dense(H) for H in rnea_derivatives(tree, q, qd, qdd, f_ext))
    by_tau = ([-x for x in row] for row in factor.inverse())
    results = factor.solve_many(by_q), factor.solve_many(by_qd), by_tau
    by_q, by_qd, by_tau = (Shaped(rows, (tree.nv, tree.nv)) for rows in results)
    return by_q, by_qd, by_tau
