"""What a hand that holds a point of a body has to know."""

from __future__ import annotations

from .._algorithms.kinematics import poses, transforms
from .._pages.takes import takes
from .._spatial.motions import Force
from .._spatial.vectors import Vec3
from .._tree.tree import Tree


@takes(held=("nb",), point=(3,), force=(3,))
def hand(tree: Tree, q, held, point, force) -> dict:
    """Joint forces of a force at a point of a body, and where that point is, in the world.

    `held` is one for the body that the hand holds and zero for all others, so that one program does
    for any of them.
    """
    X, (_, S) = poses(tree, q), transforms(tree, q)
    at = Vec3()
    for i, one in zip(tree.bodies, held, strict=True):
        at = at + (X[i].r + X[i].R @ Vec3(*point)) * one
    pull = Force(at.cross(Vec3(*force)), Vec3(*force))
    tau, carries = tree.no_forces(), [0.0, *held]
    for i in reversed(tree.bodies):  # the force goes through each joint between it and the base
        tau[i] = S[i].dot(X[i] @ pull * carries[i])
        carries[tree.parent[i]] = carries[tree.parent[i]] + carries[i]
    return {"tau": tau, "at": at}
