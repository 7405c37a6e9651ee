"""A tree that moves in the same way with less inertia to compute with."""

from __future__ import annotations

from dataclasses import replace

from .tree import Tree


def lumped(tree: Tree) -> Tree:
    """The tree with every inertia moved to the parent as far as its joint does not feel it.

    A mass on the axis of a hinge, say, might as well be part of what the hinge hangs on. Joint
    forces, accelerations and the mass matrix are the same for all states; inertias of single
    bodies, energies and momenta are not. What is left has more zeros (the base parameters of
    GK90). Inertias and placements that are not numbers yet stay where they are.
    """
    constants = (x for I, X in zip(tree.I, tree.Xtree, strict=True) for x in (I.m, X.r.x))
    if not all(isinstance(x, float) for x in constants):
        return tree
    I = list(tree.I)
    for i in reversed(tree.bodies):
        carried = tree.joint[i].carried(I[i])
        I[i] = I[i] - carried
        X = tree.Xtree[i]
        I[tree.parent[i]] = I[tree.parent[i]] + X.T @ carried @ X
    return replace(tree, I=tuple(I))
