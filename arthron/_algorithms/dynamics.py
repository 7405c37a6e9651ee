"""What the model's dynamics methods compile: the pages, on a tree with less inertia in it."""

from __future__ import annotations

from .._model.lump import lumped
from .._model.tree import BodyList, JointMatrix, Tree
from .._spatial.motions import Force
from .aba import aba
from .boosted import boosted_rnea
from .crba import crba


def inverse_dynamics(tree: Tree, q, qd, qdd, f_ext) -> BodyList:
    """Joint forces that produce `qdd`."""
    return boosted_rnea(lumped(tree), q, qd, qdd, f_ext)


def forward_dynamics(tree: Tree, q, qd, tau, f_ext) -> BodyList:
    """Accelerations that `tau` produces."""
    return aba(lumped(tree), q, qd, tau, f_ext)


def mass_matrix(tree: Tree, q) -> JointMatrix:
    """M with tau = M qdd + bias."""
    return crba(lumped(tree), q)


def bias_forces(tree: Tree, q, qd, f_ext) -> BodyList:
    """C(q, qd): joint forces that keep `qd` constant (RBDA Eq. 6.1)."""
    return inverse_dynamics(tree, q, qd, _rest(tree), f_ext)


def gravity_forces(tree: Tree, q) -> BodyList:
    """g(q): joint forces that hold the figure at rest (G13 6c)."""
    nothing = BodyList(Force() for _ in tree.parent)
    return inverse_dynamics(tree, q, _rest(tree), _rest(tree), nothing)


def _rest(tree: Tree) -> BodyList:
    return BodyList(tree.zero(i) for i in range(tree.nb + 1))
