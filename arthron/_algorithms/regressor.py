"""Joint forces as linear functions of what is to be identified: inertias, armature, friction."""

from __future__ import annotations

from .._pages.takes import Input, takes
from .._spatial.inertia import CoriolisInertia, Inertia
from .._spatial.motions import Motion, Subspace
from .._spatial.scalar import where
from .._tree.subspace_derivatives import subspace_dot
from .._tree.tree import JointColumns, JointCoordinates, Shaped, Tree
from .kinematics import jacobians

UNITS = tuple(Inertia.from_parameters([float(i == k) for i in range(10)]) for k in range(10))
"""The inertias of which every inertia is a weighted sum."""


def regressor(tree: Tree, q, qd, qdd) -> list[list]:
    """Y with Y p = tau of inverse dynamics, p the inertial parameters (G13 8 to 12).

    Without armature and external forces. The columns of a body are m, m c, and I about its frame's
    origin: xx, yy, zz, xy, xz, yz.
    """
    return _reference_regressor(tree, q, qd, qd, qdd)


@takes(qd_ref=("nv",), qdd_ref=("nv",))
def slotine_li_regressor(tree: Tree, q, qd, qd_ref, qdd_ref) -> list[list]:
    """Y with Y p = M qdd_ref + C qd_ref + g, with C of `coriolis_matrix` (G13 15)."""
    u, a = tree.rates(qd_ref), tree.accelerations(qdd_ref, qd_ref)
    return _reference_regressor(tree, q, qd, u, a)


def _reference_regressor(tree: Tree, q, qd, qd_ref, qdd_ref) -> list[list]:
    """Force on body k with inertia I: I a + B(I, v) u, for reference velocity u and acceleration a.

    The joint force it takes at i is that force times J_k's column of i.
    """
    v, u, a = tree.lists(3)
    v[0], u[0], a[0] = Motion(), Motion(), -tree.gravity
    J, nothing = jacobians(tree, q), [0.0] * (10 * tree.nb)
    Y = JointColumns({i: [list(nothing) for _ in tree.zero(i)] for i in tree.bodies})
    for k in tree.bodies:
        p, joint = tree.parent[k], tree.joint[k]
        XJ, S, vJ, _ = joint(q[k], qd[k])
        Sdot = subspace_dot(joint, q[k], qd[k])
        X = XJ @ tree.Xtree[k]
        v[k] = X @ v[p] + vJ
        u[k] = X @ u[p] + S * qd_ref[k]
        turned = Subspace(ds + v[k].cross(s) for s, ds in zip(S, Sdot, strict=True))
        a[k] = X @ a[p] + S * qdd_ref[k] + turned * qd_ref[k]
        forces = [unit @ a[k] + CoriolisInertia.of(unit, v[k]) @ u[k] for unit in UNITS]
        for i, columns in J[k].items():
            for row, s in zip(Y[i], columns, strict=True):
                row[10 * k - 10 : 10 * k] = [s.dot(f) for f in forces]
    return Shaped(map(list, zip(*tree.matrix(Y), strict=True)), (tree.nv, len(nothing)))


@takes(qd=Input(("nv",), Tree.forces), qdd=Input(("nv",), Tree.forces))
def joint_regressor(tree: Tree, qd, qdd) -> list[list]:
    """Y with Y p = joint forces of armature, viscous and dry friction, p three per coordinate.

    Column 3 j is qdd_j, column 3 j + 1 is qd_j, column 3 j + 2 its sign (zero at rest).
    """
    rates, pushes = (tree.vector(JointCoordinates(x)) for x in (qd, qdd))
    rows = [[0.0] * (3 * tree.nv) for _ in range(tree.nv)]
    for j, (rate, push) in enumerate(zip(rates, pushes, strict=True)):
        sign = where(rate > 0.0, 1.0, where(rate < 0.0, -1.0, 0.0))
        rows[j][3 * j : 3 * j + 3] = [push, rate, sign]
    return Shaped(rows, (tree.nv, 3 * tree.nv))


def inertial_parameters(tree: Tree) -> list[float]:
    """Ten per body: m, m c, and I about the frame's origin, xx, yy, zz, xy, xz, yz."""
    return [x for i in tree.bodies for x in tree.I[i].parameters()]
