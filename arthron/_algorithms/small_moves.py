"""What small changes of state do to the bodies behind a joint."""

from __future__ import annotations

from .._spatial.inertia import CoriolisInertia
from .._spatial.motions import Force, Motion
from .._tree.subspace_derivatives import drift_dq, subspace_dot, subspace_dq
from .._tree.tree import BodyList, Tree
from .coupling import Moved


def small_moves(tree: Tree, q, qd, qdd, f_ext) -> tuple[BodyList, ...]:
    """Xup, S, dS/dq, f, B, and what changes of each coordinate of q, qd and qdd do (`Moved`).

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
        a[i] = ap + (cJ + v[i].cross(vJ)) + S[i] * qdd[i]
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
    return Xup, S, dS, f, B, by_q, by_qd, by_qdd
