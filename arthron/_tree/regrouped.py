"""Regrouping of inertial parameters: a tree that moves alike with fewer of them (GK90)."""

from __future__ import annotations

from dataclasses import replace

from .tree import Tree


def regrouped(tree: Tree) -> Tree:
    """The tree with inertial parameters of each body regrouped with those of its parent (GK90).

    What has no effect on the force of a joint, such as a mass on the axis of a hinge, becomes part
    of the parent body. Joint forces, accelerations and the mass matrix are the same for all states;
    inertias of single bodies, energies and momenta are not. More of the parameters that are left,
    the base parameters, are zero. Parameters that are not numbers yet stay where they are.
    """
    if not constant(tree):
        return tree
    I = list(tree.I)
    for i in reversed(tree.bodies):
        part = tree.joint[i].regrouped_inertia(I[i])
        I[i] = I[i] - part
        X = tree.Xtree[i]
        I[tree.parent[i]] = I[tree.parent[i]] + X.T @ part @ X
    return replace(tree, I=tuple(I))


def constant(tree: Tree) -> bool:
    """Whether inertias and placements are numbers."""
    pairs = zip(tree.I, tree.Xtree, strict=True)
    return all(isinstance(x, float) for I, X in pairs for x in (I.m, X.r.x))
