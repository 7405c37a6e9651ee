"""Dynamics from the Jacobians of links, and inverse dynamics in the frames of links (LJ12)."""

from __future__ import annotations

from .._spatial.inertia import Inertia
from .._spatial.linear_algebra import add_diagonal
from .._spatial.motions import Force, Motion, Subspace
from .._spatial.sums import add_blocks
from .._spatial.vectors import Vec3
from .._tree.tree import BodyList, JointForces, JointMatrix, PointColumns, Tree
from .kinematics import accelerations, poses, transforms, velocities


def link_jacobians(tree: Tree, q) -> tuple[BodyList, BodyList]:
    """Jv and Jw: what takes `qd` to each link's velocity, in world axes (LJ12 51, 57).

    Jv is for the velocity of the centre of mass, Jw for the angular velocity: nb x 3 x nv both.
    """
    Jv, Jw = (BodyList(PointColumns() for _ in tree.parent) for _ in range(2))
    for k, columns in enumerate(_columns(tree, q)):
        for j, S in columns.items():
            Jv[k][j], Jw[k][j] = tuple(m.lin for m in S), tuple(m.ang for m in S)
    return Jv, Jw


def liu_jain_mass_matrix(tree: Tree, q) -> JointMatrix:
    """M, the sum of J_k^T M_ck J_k over links k (LJ12 59)."""
    J, X0, M = _columns(tree, q), poses(tree, q), JointMatrix()
    for k in tree.bodies:
        I = tree.I[k]
        Mc = Inertia(I.m, I=X0[k].E.congruence(I.about_com()))
        path = list(tree.ancestors(k))
        for at, j in enumerate(path):
            P = Mc @ J[k][j]
            for i in path[at:]:  # the other half is the transpose
                block = J[k][i].dot(P)
                M[i, j] = add_blocks(M[i, j], block) if (i, j) in M else block
    for i, j in list(M):
        if i == j:
            M[i, i] = add_diagonal(M[i, i], tree.armature[i])
        else:
            M[j, i] = tuple(zip(*M[i, j], strict=True))
    return M


def liu_jain_coriolis(tree: Tree, q, qd) -> JointForces:
    """C(q, qd), the sum of J_k^T (M_ck J_k' qd + (0; w_k x I_ck w_k)), a vector (LJ12 59).

    J_k' qd is the acceleration that link k has when qdd = 0.
    """
    J, X0, v = _columns(tree, q), poses(tree, q), velocities(tree, q, qd)
    a = accelerations(tree, q, qd, tree.coasting())
    C = tree.no_forces()
    for k in tree.bodies:
        c, Ic, R = tree.I[k].com(), tree.I[k].about_com(), X0[k].R
        w, wd = v[k].ang, a[k].ang
        vd = a[k].lin + w.cross(v[k].lin) + wd.cross(c) + w.cross(w.cross(c))
        f = Force(R @ (Ic @ wd + w.cross(Ic @ w)), R @ (vd * tree.I[k].m))
        for j in tree.ancestors(k):
            C[j] = tuple(x + y for x, y in zip(C[j], J[k][j].dot(f), strict=True))
    return C


def liu_jain(tree: Tree, q, qd, qdd, f_ext) -> JointForces:
    """Joint forces that produce `qdd`, in the frames of links (LJ12 72 to 85).

    All is in the axes of the link itself: w and wd its angular velocity and acceleration, vd the
    acceleration of its centre of mass c, (n, f) the torque at its origin and the force that it gets
    from its parent. What the tutorial says of the joint in the parent's axes, R w^ and so on, is
    vJ and aJ here; joints may slide and turn at once.
    """
    Xup, S, c, w, wd, vd, n, f, tau = tree.lists(9)
    c[0] = w[0] = wd[0] = n[0] = f[0] = Vec3()
    vd[0] = -tree.gravity.lin  # 85
    for k in tree.bodies:
        p = tree.parent[k]
        XJ, S[k], vJ, cJ = tree.joint[k](q[k], qd[k])
        Xup[k] = XJ @ tree.Xtree[k]
        (E, d), aJ = Xup[k], S[k] * qdd[k] + cJ
        c[k], rho, wp = tree.I[k].com(), d - c[p], E @ w[p]
        w[k] = wp + vJ.ang  # 78
        wd[k] = E @ wd[p] + aJ.ang + wp.cross(vJ.ang)  # 80
        vd[k] = (
            E @ (vd[p] + wd[p].cross(rho) + w[p].cross(w[p].cross(rho)))  # 79
            + (wp + w[k]).cross(vJ.lin)  # 84: 2 wp x vJ, and vJ turns with the link
            + aJ.lin
            + w[k].cross(w[k].cross(c[k]))
            + wd[k].cross(c[k])
        )
        Ic = tree.I[k].about_com()
        f[k] = vd[k] * tree.I[k].m - f_ext[k].lin  # 72
        n[k] = Ic @ wd[k] + w[k].cross(Ic @ w[k]) - f_ext[k].ang + c[k].cross(f_ext[k].lin)  # 73
    for k in reversed(tree.bodies):
        p, (E, d) = tree.parent[k], Xup[k]
        n[k] = n[k] + c[k].cross(f[k])
        share = S[k].dot(Force(n[k], f[k]))
        tau[k] = tuple(t + i * x for t, i, x in zip(share, tree.armature[k], qdd[k], strict=True))
        up = E.T @ f[k]
        f[p] = f[p] + up
        n[p] = n[p] + E.T @ n[k] + (d - c[p]).cross(up)
    return JointForces(tau)


def _columns(tree: Tree, q) -> BodyList:
    """J[k][j]: columns of joint j for link k, in world axes at its centre of mass."""
    (_, S), X0 = transforms(tree, q), poses(tree, q)
    J = BodyList({} for _ in tree.parent)
    for j in tree.bodies:
        S[j] = Subspace(Motion(X0[j].R @ m.ang, X0[j].R @ m.lin) for m in S[j])
    for k in tree.bodies:
        x = X0[k].r + X0[k].R @ tree.I[k].com()
        for j in tree.ancestors(k):
            arm = x - X0[j].r
            J[k][j] = Subspace(Motion(m.ang, m.lin + m.ang.cross(arm)) for m in S[j])
    return J
