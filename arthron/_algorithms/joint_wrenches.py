"""What joints transmit: the wrench that each body gets from its parent."""

from __future__ import annotations

from collections.abc import Collection

from .._tree.tree import BodyList, JointForces, Tree
from .hybrid import hybrid_sweep
from .kinematics import felt_motion, poses, seen_in


def joint_wrenches(tree: Tree, q, qd, qdd, f_ext, *, axes: str = "local") -> BodyList:
    """Wrench on each body through its joint, [torque; force] (GR00 eta, f; LJ12 72, 73; R19 5.10).

    f of the recursive Newton-Euler algorithm, with tau = S^T f, plus armature times qdd. `axes` are
    "local" (at the body's frame and in its axes), "world_aligned" (there, in world axes) or "world"
    (at the world's origin).
    """
    (Xup, v, a), f = felt_motion(tree, q, qd, qdd), tree.no_wrenches()
    for i in tree.bodies:
        f[i] = tree.I[i] @ a[i] + v[i].cross(tree.I[i] @ v[i]) - f_ext[i]
    for i in reversed(tree.bodies):
        f[tree.parent[i]] += Xup[i].T @ f[i]
    return _in_axes(tree, q, f, axes)


def hybrid_joint_wrenches(
    tree: Tree, q, qd, qdd, tau, f_ext, *, prescribed: Collection[int], axes: str
) -> tuple[BodyList, JointForces, BodyList]:
    """(qdd, tau, wrenches) with some of the motion given (S19 Alg. 9, where they are F_j).

    The first two are those of `hybrid_dynamics`, the wrenches those of `joint_wrenches`.
    """
    qdd, tau, f, _ = hybrid_sweep(tree, q, qd, qdd, tau, f_ext, prescribed)
    return qdd, tau, _in_axes(tree, q, f, axes)


def _in_axes(tree: Tree, q, f: BodyList, axes: str) -> BodyList:
    """Wrenches at the bodies' own frames, seen in other axes."""
    if axes == "local":
        return f
    return BodyList(seen_in(axes, X) @ each for X, each in zip(poses(tree, q), f, strict=True))
