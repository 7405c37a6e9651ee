"""What small changes of state do to the bodies behind a joint: Psidot and Psiddot of SRW22."""

from __future__ import annotations

from .._spatial.inertia import CoriolisInertia
from .._spatial.motions import Force, Motion
from .._tree.subspace_derivatives import drift_dq, subspace_dot, subspace_dq
from .._tree.tree import BodyList, Tree
from .coupling import Variation


def state_variations(tree: Tree, q, qd, qdd, f_ext) -> tuple[BodyList, ...]:
    """Xup, S, dS/dq, f, B, and the variations by each coordinate of q, qd and qdd.

    Move a subtree rigidly by a motion s of its joint: from inside, its parent's velocity v and
    acceleration a change by v x s and a x s. All bodies in the subtree gain the same velocity
    Psidot = v x s, and a force I Psiddot + 2 B Psidot with Psiddot = a x s + v x Psidot (SRW22);
    terms of S that changes with q are ours.
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
        a[i] = ap + (cJ + v[i].cross(vJ)) + S[i] * qdd[i]
        B[i] = CoriolisInertia.of(tree.I[i], v[i])
        f[i] = tree.I[i] @ a[i] + B[i] @ v[i] - f_ext[i]
        by_q[i], by_qd[i], by_qdd[i] = [], [], []
        for s, ds, dcJ, sdot in zip(S[i], dS[i], dc, Sdot, strict=True):
            dv = ds * qd[i]
            Psidot = vp.cross(s) + dv
            Psiddot = ap.cross(s) + ds * qdd[i] + dcJ + v[i].cross(dv) + vp.cross(Psidot)
            by_q[i].append(Variation(Psiddot, Psidot + Psidot))
            by_qd[i].append(Variation(Psidot + sdot + v[i].cross(s), s + s))
            by_qdd[i].append(Variation(s))
    for i in reversed(tree.bodies):
        f[tree.parent[i]] += Xup[i].T @ f[i]
        by_q[i] = [d._replace(f=s.cross(f[i])) for d, s in zip(by_q[i], S[i], strict=True)]
    return Xup, S, dS, f, B, by_q, by_qd, by_qdd
