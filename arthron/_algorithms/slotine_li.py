"""Joint forces along a reference motion, and what tracking errors tell of the inertias."""

from __future__ import annotations

from .._pages.takes import takes
from .._spatial.motions import Force, Motion
from .._spatial.vectors import Mat3, Vec3
from .._tree.regrouped import regrouped
from .._tree.subspace_derivatives import subspace_dot
from .._tree.tree import BodyList, JointForces, Tree
from .balafoutis_patel import newton_euler
from .regressor import UNITS


@takes(qd_ref=("nv",), qdd_ref=("nv",))
def slotine_li_forces(tree: Tree, q, qd, qd_ref, qdd_ref) -> JointForces:
    """M qdd_ref + C qd_ref + g, with C of `coriolis_matrix` (SL87; G13 15), in one recursion.

    It is `slotine_li_regressor` times the inertial parameters, and armature besides.
    """
    tree = regrouped(tree)
    a_ref = tree.accelerations(qdd_ref, qd_ref)
    A, s, S, Omega, sdd = reference_motion(tree, q, qd, tree.rates(qd_ref), a_ref)
    f, tau = tree.no_wrenches(), tree.no_forces()
    for i in reversed(tree.bodies):
        p = tree.parent[i]
        f[i] = f[i] + newton_euler(tree.I[i], Omega[i], sdd[i])
        share = S[i].dot(f[i])
        tau[i] = tuple(t + k * x for t, k, x in zip(share, tree.armature[i], a_ref[i], strict=True))
        pull = A[i] @ f[i].lin
        f[p] = f[p] + Force(A[i] @ f[i].ang + s[i].cross(pull), pull)
    return tau


@takes(qd_ref=("nv",), qdd_ref=("nv",))
def slotine_li_gradient(tree: Tree, q, qd, qd_ref, qdd_ref) -> list:
    """Y^T (qd - qd_ref), Y that of `slotine_li_regressor`: ten numbers a body (SL87).

    The power of a body's forces when it moves with the error of velocity, by its parameters.
    """
    u_ref, a_ref = tree.rates(qd_ref), tree.accelerations(qdd_ref, qd_ref)
    A, s, S, Omega, sdd = reference_motion(tree, q, qd, u_ref, a_ref)
    found, e = [], BodyList([Motion()])
    for i in tree.bodies:
        w, v = e[tree.parent[i]]
        off = tuple(x - y for x, y in zip(qd[i], u_ref[i], strict=True))
        e.append(Motion(A[i].T @ w, A[i].T @ (v + w.cross(s[i]))) + S[i] * off)
        found += [e[i].dot(newton_euler(unit, Omega[i], sdd[i])) for unit in UNITS]
    return found


def reference_motion(tree: Tree, q, qd, qd_ref, qdd_ref) -> tuple[BodyList, ...]:
    """(A, s, S, Omega, sdd), as in `balafoutis_patel`, of a motion that is not that of the figure.

    A particle of the figure at J(q) has velocity J qd_ref in it, so that its acceleration is
    J qdd_ref + J' qd_ref, with J' due to qd. u is the angular velocity of a body in it, ud the rate
    of that, and w the angular velocity which the body has.
    """
    A, s, S, w, u, ud, Omega, sdd = tree.lists(8)
    w[0] = u[0] = ud[0] = Vec3()
    Omega[0], sdd[0] = Mat3.diagonal(0.0, 0.0, 0.0), -tree.gravity.lin
    for i in tree.bodies:
        p, joint = tree.parent[i], tree.joint[i]
        XJ, S[i], vJ, _ = joint(q[i], qd[i])
        Xup, uJ = XJ @ tree.Xtree[i], S[i] * qd_ref[i]
        aJ = S[i] * qdd_ref[i] + subspace_dot(joint, q[i], qd[i]) * qd_ref[i]
        A[i], s[i] = Xup.R, Xup.r
        up = A[i].T @ u[p]
        w[i], u[i] = A[i].T @ w[p] + vJ.ang, up + uJ.ang
        ud[i] = A[i].T @ ud[p] + w[i].cross(uJ.ang) + aJ.ang
        Omega[i] = ud[i].tilde + u[i].tilde @ w[i].tilde
        moved = up.cross(vJ.lin) + w[i].cross(uJ.lin) + aJ.lin
        sdd[i] = A[i].T @ (sdd[p] + Omega[p] @ s[i]) + moved
    return A, s, S, Omega, sdd
