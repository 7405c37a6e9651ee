"""Inverse dynamics with each body seen from the inertial frame that moves with its origin."""

from __future__ import annotations

from .._model.tree import JointForces, Tree
from .._spatial.motions import Force, Motion


def boosted_rnea(tree: Tree, q, qd, qdd, f_ext) -> JointForces:
    """The same as `rnea`, in fewer operations.

    Forces do not depend on the inertial frame they are seen from. Seen from the one that moves
    with a body's origin at this instant, the body has no linear velocity, and its spatial
    acceleration is the classical one (RBDA 2.11): half of the velocity terms are zero.
    """
    Xup, S, v, a, f, tau = tree.lists(6)
    v[0], a[0], f[0] = Motion(), -tree.gravity, Force()
    for i in tree.bodies:
        p = tree.parent[i]
        XJ, S[i], vJ, cJ = tree.joint[i](q[i], qd[i])
        Xup[i] = XJ @ tree.Xtree[i]
        v[i] = Xup[i] @ v[p] + vJ
        a[i] = Xup[i] @ a[p] + S[i] * qdd[i] + cJ + v[i].cross(vJ)
        v[i], a[i] = boost(v[i], a[i])
        f[i] = tree.I[i] @ a[i] + v[i].cross(tree.I[i] @ v[i]) - f_ext[i]
    for i in reversed(tree.bodies):
        tau[i] = tuple(
            t + k * x for t, k, x in zip(S[i].dot(f[i]), tree.armature[i], qdd[i], strict=True)
        )
        f[tree.parent[i]] += Xup[i].T @ f[i]
    return JointForces(tau)


def boost(v: Motion, a: Motion) -> tuple[Motion, Motion]:
    """Velocity and spatial acceleration seen from the frame that moves with the origin."""
    return Motion(v.ang), Motion(a.ang, a.lin + v.ang.cross(v.lin))
