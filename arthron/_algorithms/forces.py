"""Forces that hold a figure where it is, and as it moves."""

from __future__ import annotations

from .._model.tree import BodyList, Tree
from .._spatial.motions import Force
from .boosted import boosted_rnea


def bias_forces(tree: Tree, q, qd, f_ext) -> BodyList:
    """C(q, qd): joint forces that keep `qd` constant (RBDA Eq. 6.1)."""
    return boosted_rnea(tree, q, qd, BodyList(tree.zero(i) for i in range(tree.nb + 1)), f_ext)


def gravity_forces(tree: Tree, q) -> BodyList:
    """g(q): joint forces that hold the figure at rest (G13 6c)."""
    rest = BodyList(tree.zero(i) for i in range(tree.nb + 1))
    return boosted_rnea(tree, q, rest, rest, BodyList(Force() for _ in tree.parent))
