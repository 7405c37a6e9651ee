"""What the model's dynamics methods compile: the pages, where it pays on a regrouped tree.

Regrouped inertias are rounded, which inverse dynamics does not feel. Forward dynamics of figures
with very light ends would (the mass matrix of some robots has condition 1e9), so it takes them as
given.
"""

from __future__ import annotations

from .._spatial.linear_algebra import Ldl
from .._spatial.scalar import where
from .._spatial.sums import total
from .._tree.aligned import aligned
from .._tree.regrouped import regrouped
from .._tree.tree import BodyList, JointForces, JointMatrix, Tree
from .aba import aba
from .balafoutis_patel import balafoutis_patel
from .crba import crba


def inverse_dynamics(tree: Tree, q, qd, qdd, f_ext) -> JointForces:
    """Joint forces that produce `qdd`."""
    own, turned = aligned(tree)
    f_ext = BodyList(turned[i] @ f if i in turned else f for i, f in enumerate(f_ext))
    return balafoutis_patel(regrouped(own), q, qd, qdd, f_ext)


DEEP = 100
"""Mean square of coordinates up to each body beyond which recursion costs less than factors."""


def forward_dynamics(tree: Tree, q, qd, tau, f_ext) -> BodyList:
    """Accelerations that `tau` produces: by factors of M, or by recursion in long figures."""
    if tree.followers or not deep(tree):  # followers tie branches together: no longer a tree
        return crba_solve(tree, q, qd, tau, f_ext)
    return aba(tree, q, qd, tau, f_ext)


def deep(tree: Tree, limit: float = DEEP) -> bool:
    """Whether bodies have so many joints before them that factors of M cost more than recursion."""
    before = (sum(tree.joint[j].nv for j in tree.ancestors(i)) for i in tree.bodies)
    return sum(n * n for n in before) > limit * tree.nb


def crba_solve(tree: Tree, q, qd, tau, f_ext) -> BodyList:
    """Accelerations from M qdd = tau - C, by factoring the mass matrix (RBDA §6.1, 6.5)."""
    M = Ldl(movable(tree, crba(tree, q)))
    C = tree.vector(bias_forces(tree, q, qd, f_ext))
    forces = (t - c for t, c in zip(tree.vector(tau), C, strict=True))
    return tree.accelerations(M.solve(list(forces)))


NOTHING = 1e-24
"""Inertia of a coordinate beside that of the joints which follow it: it moves none of them."""


def movable(tree: Tree, H: JointMatrix) -> list[list]:
    """M of a mass matrix by joint, not singular where a coordinate that joints follow moves none.

    There its inertia is that of the joints, so that what it does stays finite.
    """
    M = tree.matrix(H)
    if tree.curved:
        whole = total(H[i, i][a][a] for i, n in tree.followers.items() for a in range(n))
        for k in tree.led.index:
            M[k][k] = M[k][k] + where(M[k][k] <= NOTHING * whole, whole, 0.0)
    return M


def mass_matrix(tree: Tree, q) -> JointMatrix:
    """M with tau = M qdd + bias."""
    return crba(regrouped(aligned(tree)[0]), q)


def bias_forces(tree: Tree, q, qd, f_ext) -> JointForces:
    """C(q, qd): joint forces that keep `qd` constant (RBDA Eq. 6.1)."""
    return inverse_dynamics(tree, q, qd, tree.coasting(), f_ext)


def gravity_forces(tree: Tree, q) -> JointForces:
    """g(q): joint forces that hold the figure at rest (G13 6c)."""
    nothing = tree.no_wrenches()
    return inverse_dynamics(tree, q, tree.at_rest(), tree.at_rest(), nothing)
