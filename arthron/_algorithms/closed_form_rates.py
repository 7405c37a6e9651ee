"""Rates of change of M, C and g as the figure moves."""

from __future__ import annotations

from .._pages.differentiate import rate as rate_of_page
from .._spatial.gyroscopic import GyroscopicInertia
from .._spatial.motions import Forces, Motion
from .._spatial.sums import add_blocks
from .._tree.subspace_derivatives import subspace_ddot
from .._tree.tree import BodyList, JointForces, JointMatrix, Tree
from .closed_form import Moving, carried, closed_form, coriolis_forces, left_over, moving, rate


def closed_form_and_dot(tree: Tree, q, qd, qdd) -> dict:
    """M, C, g and their rates of change, in one program that shares what they have in common."""
    rates = closed_form_dot(tree, q, qd, qdd)
    return closed_form(tree, q, qd) | {f"{name}_dot": rate for name, rate in rates.items()}


def closed_form_dot(tree: Tree, q, qd, qdd) -> dict:
    """Rates of change of M, C and g (G13 25, with J'' in the third term of 25b).

    The lines of `closed_form`, differentiated in the axes of each body.
    """
    if tree.curved:
        return rate_of_page(closed_form)(tree, q, qd, qdd)
    figure = moving(tree, q, qd)
    Xup, v, vJ, S, Sd, gamma, IC, BC = figure
    a, aJ, Sdd, BCd = accelerating(tree, figure, q, qd, qdd)
    Cd, gd = JointMatrix(), JointForces(() for _ in tree.parent)
    for i in reversed(tree.bodies):
        I, Id, Idd, B, Bd = IC[i], BC[i].rate(), BCd[i].rate(), BC[i], BCd[i]
        Q = GyroscopicInertia.of(I, v[i])
        Qd = GyroscopicInertia.of(I, a[i]) + GyroscopicInertia.of(Id, v[i])
        F, Fd, G = I @ S[i], rate(I, Id, S[i], Sd[i]), coriolis_forces(I, B, v[i], S[i], Sd[i])
        states = list(zip(S[i], Sd[i], Sdd[i], strict=True))
        Fdd = Forces(Idd @ s + (Id @ d) * 2.0 + I @ dd for s, d, dd in states)
        Gd = Forces(
            I @ dd + Id @ d + B @ d + Bd @ s
            + (Q @ d - Q.transpose_apply(d)) + (Qd @ s - Qd.transpose_apply(s))
            for s, d, dd in states
        )  # fmt: skip
        # gamma is at rest in space: (F . gamma)' = F' . gamma - F . (v x gamma)
        gd[i] = tuple(
            x - y for x, y in zip(Fd.dot(gamma[i]), F.dot(v[i].cross(gamma[i])), strict=True)
        )
        Cd[i, i] = add_blocks(S[i].dot(Gd), Sd[i].dot(G))
        below = i
        for j in tree.ancestors(tree.parent[i]):
            X, w = Xup[below], vJ[below]
            Fdd = X.T @ Forces(
                dd + w.cross(d + d + w.cross(f)) + aJ[below].cross(f)
                for f, d, dd in zip(F, Fd, Fdd, strict=True)
            )
            (F, Fd), (G, Gd), below = carried(X, w, F, Fd), carried(X, w, G, Gd), j
            twice = add_blocks(Sd[j].dot(Fd), Sd[j].dot(Fd))
            Mdd = add_blocks(add_blocks(S[j].dot(Fdd), twice), Sdd[j].dot(F))
            Cd[j, i] = add_blocks(S[j].dot(Gd), Sd[j].dot(G))
            Cd[i, j] = left_over(Mdd, Cd[j, i])
    C, Md = closed_form(tree, q, qd)["C"], JointMatrix()
    for (i, j), block in C.items():
        if tree.joint[i].nv and tree.joint[j].nv:
            Md[i, j] = add_blocks(block, zip(*C[j, i], strict=True))
    return {"M": Md, "C": Cd, "g": gd}


def accelerating(tree: Tree, figure: Moving, q, qd, qdd) -> tuple[BodyList, ...]:
    """Rates of change of v, vJ, Sd and BC, each as seen from the body."""
    Xup, v, vJ, S, _, _, IC, BC = figure
    a, aJ, Sdd, BCd = tree.lists(4)
    a[0], BCd[0] = Motion(), GyroscopicInertia()
    for i in tree.bodies:
        joint = tree.joint[i]
        aJ[i] = S[i] * qdd[i] + joint(q[i], qd[i])[3]
        a[i] = Xup[i] @ a[tree.parent[i]] + aJ[i] + v[i].cross(vJ[i])
        Sdd[i], BCd[i] = subspace_ddot(joint, q[i], qd[i], qdd[i]), GyroscopicInertia()
    for i in reversed(tree.bodies):
        p, of = tree.parent[i], GyroscopicInertia.of
        B = BC[i] + of(IC[i], vJ[i])  # as seen from the parent, but for the axes
        Bd = BCd[i] + of(IC[i], aJ[i]) + of(BC[i].rate(), vJ[i]) + B.derivative_along(vJ[i])
        BCd[p] += Bd.pulled_back(*Xup[i])
    return a, aJ, Sdd, BCd
