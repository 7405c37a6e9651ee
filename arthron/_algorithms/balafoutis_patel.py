"""Inverse dynamics with the angular acceleration tensor of each body."""

from __future__ import annotations

from .._spatial.inertia import Inertia
from .._spatial.motions import Force
from .._spatial.vectors import Mat3, Vec3
from .._tree.tree import JointForces, Tree


def balafoutis_patel(tree: Tree, q, qd, qdd, f_ext) -> JointForces:
    """Joint forces that produce `qdd` (GR00, recursive dynamics and torque equations).

    Vectors are in the axes of their own body. A[i] and s[i] are the axes and the origin of body i
    seen from its parent; w its angular velocity, wd the rate of that, and sdd the acceleration of
    its origin, less gravity. The report has hinges; what other joints add is in vJ and aJ. There is
    no linear velocity in it, so it is the cheapest form, and what `inverse_dynamics` compiles.
    """
    A, s, S, w, wd, Omega, sdd, f, eta, tau = tree.lists(10)
    w[0] = wd[0] = f[0] = eta[0] = Vec3()
    Omega[0], sdd[0] = Vec3().tilde, -tree.gravity.lin
    for i in tree.bodies:
        p = tree.parent[i]
        XJ, S[i], vJ, cJ = tree.joint[i](q[i], qd[i])
        Xup, aJ = XJ @ tree.Xtree[i], S[i] * qdd[i] + cJ
        A[i], s[i] = Xup.R, Xup.r
        wp = A[i].T @ w[p]
        w[i] = wp + vJ.ang
        wd[i] = A[i].T @ wd[p] + wp.cross(vJ.ang) + aJ.ang
        Omega[i] = wd[i].tilde + w[i].tilde @ w[i].tilde
        sdd[i] = A[i].T @ (sdd[p] + Omega[p] @ s[i]) + (wp + w[i]).cross(vJ.lin) + aJ.lin
        eta[i], f[i] = newton_euler(tree.I[i], Omega[i], sdd[i]) - f_ext[i]
    for i in reversed(tree.bodies):
        p = tree.parent[i]
        share = S[i].dot(Force(eta[i], f[i]))
        tau[i] = tuple(t + k * x for t, k, x in zip(share, tree.armature[i], qdd[i], strict=True))
        Af = A[i] @ f[i]
        f[p] = f[p] + Af
        eta[p] = eta[p] + A[i] @ eta[i] + s[i].cross(Af)
    return JointForces(tau)


def newton_euler(I: Inertia, Omega: Mat3, sdd: Vec3) -> Force:
    """Moment about the origin and force that move a body so (GR00, r'', F_c and M_c).

    The report has moments about the centre of mass r, r x F_c + M_c here; about the origin they are
    the same in form. Linear in Omega and sdd, so it takes their derivatives to those of the force.
    """
    OJ = Omega @ euler_tensor(I.I)
    return Force(I.h.cross(sdd) + dual(OJ - OJ.T), sdd * I.m + Omega @ I.h)


def euler_tensor(I: Mat3) -> Mat3:
    """J = 1/2 trace(I) 1 - I, the second moments of mass (GR00)."""
    return Mat3.identity() * (0.5 * I.trace()) - I


def dual(A: Mat3) -> Vec3:
    """The vector whose `tilde` the skew matrix A is (GR00)."""
    return Vec3(A.z.y, A.x.z, A.y.x)
