"""M, C and g as linear functions of the inertias, and the regressor that comes of it."""

from __future__ import annotations

from .._pages.takes import takes
from .._spatial.gyroscopic import GyroscopicInertia
from .._spatial.motions import Forces, Motion
from .._tree.bending import add_bent_blocks
from .._tree.tree import JointMatrix, Tree
from .closed_form import moving
from .regressor import UNITS


def closed_form_by_parameters(tree: Tree, q, qd) -> dict:
    """Derivatives of M, C and g by the inertial parameters, which are the last axis (G13 13).

    Ten per body, in the order of `inertial_parameters`. Column h of A(m) in (8) is the momentum of
    a body of which parameter h is one and the others zero. Armature is not among them.
    """
    figure = moving(tree, q, qd)
    J, Jdot = figure.columns(tree)
    M, C, g = [], [], []
    for k in tree.bodies:
        pairs = [(i, j) for i in J[k] for j in J[k]]
        for I in UNITS:
            B = GyroscopicInertia.of(I, figure.v[k])
            F, G = {}, {}
            for j in J[k]:
                columns = zip(J[k][j], Jdot[k][j], strict=True)
                F[j], G[j] = I @ J[k][j], Forces(I @ sdot + B @ s for s, sdot in columns)
            both = (JointMatrix({(i, j): J[k][i].dot(X[j]) for i, j in pairs}) for X in (F, G))
            M_k, C_k = both
            M.append(tree.matrix(M_k))
            C.append(tree.matrix(add_bent_blocks(tree, C_k, M_k, tree.led.slope_rates)))
            weights = tree.no_forces()
            for j in J[k]:
                weights[j] = F[j].dot(figure.gamma[k])
            g.append(tree.vector(weights))
    return {"M": _last(M, 2), "C": _last(C, 2), "g": _last(g, 1)}


@takes(qd_ref=("nv",), qdd_ref=("nv",))
def closed_form_regressor(tree: Tree, q, qd, qd_ref, qdd_ref) -> list[list]:
    """Y with Y p = M qdd_ref + C qd_ref + g, of M, C and g in `closed_form` (G13 15, 16).

    p are the inertial parameters; armature is not among them. adj is made of the velocity itself,
    not of the reference. Forces are carried to the joints instead of multiplied with J.
    """
    u_ref, a_ref = tree.rates(qd_ref), tree.accelerations(qdd_ref, qd_ref)
    figure = moving(tree, q, qd)
    u, alpha = tree.lists(2)
    u[0], alpha[0] = Motion(), -tree.gravity
    Y = []
    for k in tree.bodies:
        p, S, v = tree.parent[k], figure.S[k], figure.v[k]
        u[k] = figure.Xup[k] @ u[p] + S * u_ref[k]
        alpha[k] = figure.Xup[k] @ alpha[p] + S * a_ref[k] + figure.Sdot(k) * u_ref[k]
        for I in UNITS:
            tau, f = tree.no_forces(), I @ alpha[k] + v.cross(I @ u[k])
            for j in tree.ancestors(k):
                tau[j] = figure.S[j].dot(f)
                f = figure.Xup[j].T @ f
            Y.append(tree.vector(tau))
    return _last(Y, 1)


def _last(tables: list, axes: int) -> list:
    """The first axis, that of parameters, behind the others."""
    if axes == 0:
        return tables
    return [_last(list(rows), axes - 1) for rows in zip(*tables, strict=True)]
