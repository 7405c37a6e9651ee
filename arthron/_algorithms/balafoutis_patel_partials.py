"""Derivatives of inverse dynamics by recursion, with the angular acceleration tensor."""

from __future__ import annotations

from itertools import product

from .._spatial.linear_algebra import add_diagonal
from .._spatial.motions import Force, Forces, Motion
from .._spatial.sums import add_blocks
from .._spatial.vectors import Vec3
from .._tree.subspace_derivatives import drift_dq, subspace_dot, subspace_dq
from .._tree.tree import JointMatrix, Tree
from .balafoutis_patel import newton_euler
from .by_coordinates import by_coordinates

Q, QD, QDD = range(3)


def balafoutis_patel_partials(
    tree: Tree, q, qd, qdd, f_ext
) -> tuple[JointMatrix, JointMatrix, JointMatrix]:
    """Derivatives of joint forces by q, qd and qdd (GR00, recursive partials).

    Symbols are those of `balafoutis_patel`, with f the moment and the force through a joint.
    Derivatives by coordinate k of joint j stand under (Q, j, k), (QD, j, k) and (QDD, j, k). How a
    body moves depends on the joints above it, f also on those below; derivatives by others are
    zero. Hinges and slides have dS = 0.
    """
    Xup, S, dS, w, wd, Omega, sdd, f, dw, dwd, dOmega, dsdd, df = tree.lists(13)
    w[0] = wd[0] = zero = Vec3()
    Omega[0], sdd[0], f[0] = zero.tilde, -tree.gravity.lin, Force()
    dw[0], dwd[0], dOmega[0], dsdd[0], df[0] = {}, {}, {}, {}, {}
    for i in tree.bodies:
        p, joint = tree.parent[i], tree.joint[i]
        XJ, S[i], vJ, cJ = joint(q[i], qd[i])
        Xup[i], aJ = XJ @ tree.Xtree[i], S[i] * qdd[i] + cJ
        A, s = Xup[i].R, Xup[i].r
        wp, wdp, sddp = A.T @ w[p], A.T @ wd[p], A.T @ (sdd[p] + Omega[p] @ s)
        w[i] = wp + vJ.ang
        wd[i] = wdp + wp.cross(vJ.ang) + aJ.ang
        Omega[i] = wd[i].tilde + w[i].tilde @ w[i].tilde
        sdd[i] = sddp + (wp + w[i]).cross(vJ.lin) + aJ.lin
        f[i] = newton_euler(tree.I[i], Omega[i], sdd[i]) - f_ext[i]

        by = {}  # derivatives of wp, wdp, sddp, vJ and aJ
        for x in dw[p]:
            dsddp = A.T @ (dsdd[p][x] + dOmega[p][x] @ s)
            by[x] = A.T @ dw[p][x], A.T @ dwd[p][x], dsddp, Motion(), Motion()
        dS[i], Sdot = subspace_dq(joint, q[i]), subspace_dot(joint, q[i], qd[i])
        dc = drift_dq(joint, q[i], qd[i])
        for k, (z, e) in enumerate(S[i]):  # the coordinate turns and shifts: dA = A [z], ds = A e
            dvJ, daJ = dS[i][k] * qd[i], dS[i][k] * qdd[i] + dc[k]
            dsddp = sddp.cross(z) + A.T @ (Omega[p] @ (A @ e))
            by[Q, i, k] = wp.cross(z), wdp.cross(z), dsddp, dvJ, daJ
            by[QD, i, k] = zero, zero, zero, S[i][k], dvJ + Sdot[k]
            by[QDD, i, k] = zero, zero, zero, Motion(), S[i][k]
        dw[i], dwd[i], dOmega[i], dsdd[i], df[i] = {}, {}, {}, {}, {}
        for x, (dwp, dwdp, dsddp, dvJ, daJ) in by.items():
            dw[i][x] = dwp + dvJ.ang
            dwd[i][x] = dwdp + dwp.cross(vJ.ang) + wp.cross(dvJ.ang) + daJ.ang
            dww = dw[i][x].tilde @ w[i].tilde
            dOmega[i][x] = dwd[i][x].tilde + dww + dww.T
            turning = (dwp + dw[i][x]).cross(vJ.lin) + (wp + w[i]).cross(dvJ.lin)
            dsdd[i][x] = dsddp + turning + daJ.lin
            df[i][x] = newton_euler(tree.I[i], dOmega[i][x], dsdd[i][x])
    dtau = JointMatrix(), JointMatrix(), JointMatrix()
    for i in reversed(tree.bodies):
        p = tree.parent[i]
        for x, j in product((Q, QD, QDD), {i, *(j for _, j, _ in df[i])}):
            dtau[x][i, j] = S[i].dot(Forces(df[i][x, j, k] for k in range(len(S[j]))))
        turned = zip(*(each.dot(f[i]) for each in dS[i]), strict=True)
        dtau[Q][i, i] = add_blocks(dtau[Q][i, i], turned)
        dtau[QDD][i, i] = add_diagonal(dtau[QDD][i, i], tree.armature[i])
        for k, m in enumerate(S[i]):  # dA eta + (ds) x A f and dA f, in the axes of the child
            df[i][Q, i, k] += m.cross(f[i])
        for x in df[i]:
            df[p][x] = df[p].get(x, Force()) + Xup[i].T @ df[i][x]
        f[p] += Xup[i].T @ f[i]
    return by_coordinates(tree.at(q, qd, qdd), dtau, S, f, qdd)
