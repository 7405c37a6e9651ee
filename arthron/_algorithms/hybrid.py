"""Dynamics with some of the motion given."""

from __future__ import annotations

from collections.abc import Collection

from .._spatial.linear_algebra import NOTHING
from .._spatial.motions import Motion
from .._tree.tree import BodyList, JointForces, Tree
from ..errors import ModelError
from .aba import HeldJoints, articulated


def hybrid_dynamics(
    tree: Tree, q, qd, qdd, tau, f_ext, *, prescribed: Collection[int]
) -> tuple[BodyList, JointForces]:
    """(qdd, tau), both complete, with qdd given at prescribed joints and tau at the others.

    The articulated-body algorithm, where prescribed joints pass on their inertia as if they were
    rigid (RBDA §9.2, S19 Alg. 9).
    """
    return hybrid_sweep(tree, q, qd, qdd, tau, f_ext, prescribed)[:2]


def hybrid_sweep(
    tree: Tree, q, qd, qdd, tau, f_ext, prescribed: Collection[int], held: HeldJoints = NOTHING
) -> tuple[BodyList, JointForces, BodyList, dict[int, dict]]:
    """(qdd, tau, f, r): the same, and the wrench through each joint, in the axes of its body.

    Single coordinates may be `held`: r are the further forces that this takes, by joint.
    """
    unknown = set(prescribed) - set(tree.bodies)
    if unknown:
        raise ModelError(
            f"`prescribed` holds {min(unknown, key=str)!r}. Give numbers of bodies, 1 to {tree.nb}."
        )
    if tree.followers:
        raise ModelError(
            "joints that follow others tie branches together, and hybrid dynamics needs a tree. "
            "Use `constrained_dynamics` with a row of G for each prescribed coordinate."
        )
    Xup, S, v, c, pA, u, a, U, D = tree.lists(9)
    v[0], a[0], pA[0] = Motion(), -tree.gravity, -f_ext[0]
    qdd, tau, f, r = BodyList(qdd), JointForces(tau), tree.no_wrenches(), {}
    for i in tree.bodies:
        XJ, S[i], vJ, cJ = tree.joint[i](q[i], qd[i])
        Xup[i] = XJ @ tree.Xtree[i]
        v[i] = Xup[i] @ v[tree.parent[i]] + vJ
        c[i] = cJ + v[i].cross(vJ)
        if i in prescribed:
            c[i] = c[i] + S[i] * qdd[i]
        pA[i] = v[i].cross(tree.I[i] @ v[i]) - f_ext[i]
    IA = BodyList(I.articulated() for I in tree.I)
    for i, Ia in articulated(tree, Xup, S, IA, U, D, prescribed, held):
        p = tree.parent[i]
        u[i] = tuple(t - s for t, s in zip(tau[i], S[i].dot(pA[i]), strict=True))
        if p:
            pa = pA[i] + Ia @ c[i]
            if i not in prescribed:
                pa = pa + U[i] * D[i].solve_held(u[i], held.get(i, NOTHING))[0]
            pA[p] = pA[p] + Xup[i].T @ pa
    for i in tree.bodies:
        a[i] = Xup[i] @ a[tree.parent[i]] + c[i]
        if i not in prescribed:
            rest = [x - y for x, y in zip(u[i], U[i].dot(a[i]), strict=True)]
            qdd[i], r[i] = D[i].solve_held(rest, held.get(i, NOTHING))
            a[i] = a[i] + S[i] * qdd[i]
        f[i] = IA[i] @ a[i] + pA[i]
        if i in prescribed:
            own = zip(S[i].dot(f[i]), tree.armature[i], qdd[i], strict=True)
            tau[i] = tuple(t + k * x for t, k, x in own)
    return qdd, tau, f, r
