"""Frames of bodies turned so that axes of their joints are axes of theirs."""

from __future__ import annotations

from dataclasses import replace

from .._spatial.transform import Transform, clean
from .._spatial.vectors import AXES, Mat3, Vec3
from .joints import Helical, Prismatic, Revolute
from .regrouped import constant
from .tree import Tree

ALONG = (Revolute, Prismatic, Helical)
"""Joints that are known by an axis alone."""
PARALLEL = 1e-6
"""Axes with a smaller squared sine between them have no direction across both."""


def aligned(tree: Tree) -> tuple[Tree, dict[int, Transform]]:
    """The tree with frames in which joint axes have zeros, and the way into those that are others.

    Joint forces, coordinates and the mass matrix are the same for all states; what is in the axes
    of a body is not. Products with the zeros vanish: of hinges with any axes a third of inverse
    dynamics, and of its derivatives. Figures with parameters that are not numbers yet stay as they
    are.
    """
    turned: dict[int, Transform] = {}
    if constant(tree):
        for i in tree.bodies:
            joint = tree.joint[i]
            if isinstance(joint, ALONG) and joint.axis.count(0.0) < 2:
                turned[i] = Transform(_frame(joint.axis, _next_axes(tree, i)))
    if not turned:
        return tree, turned
    joints, Xtree, I = list(tree.joint), list(tree.Xtree), list(tree.I)
    for i in tree.bodies:
        if tree.parent[i] in turned:
            Xtree[i] = Xtree[i] @ turned[tree.parent[i]].inverse()
        if i in turned:
            back = turned[i].inverse()
            joints[i] = replace(joints[i], axis=AXES["z"])  # type: ignore[type-var]
            E, r = turned[i] @ Xtree[i]
            Xtree[i], I[i] = Transform(clean(E), r), back.T @ I[i] @ back
    return replace(tree, joint=tuple(joints), Xtree=tuple(Xtree), I=tuple(I)), turned


def _next_axes(tree: Tree, i: int) -> list[Vec3]:
    """Joint axes of the bodies behind body i, in its frame."""
    behind = (j for j in tree.bodies if tree.parent[j] == i)
    return [tree.Xtree[j].R @ x.axis for j in behind if isinstance(x := tree.joint[j], ALONG)]


def _frame(z: Vec3, others: list[Vec3]) -> Mat3:
    """Rows of axes: the first is across another joint's axis, if there is one, the last is z."""
    unlike = min(AXES.values(), key=lambda axis: abs(axis.dot(z)))
    *_, across = (y for x in (unlike, *others[:1]) if (y := x.cross(z)).dot(y) > PARALLEL)
    x = across * (1.0 / across.dot(across) ** 0.5)
    return Mat3(x, z.cross(x), z)
