"""From poses of bodies to coordinates of joints: the inverse of kinematics, joint by joint."""

from __future__ import annotations

import math

from .._pages.takes import Input, takes
from .._spatial.scalar import Scalar, where
from .._spatial.transform import Transform, log_se3
from .._spatial.vectors import Mat3, Vec3
from .._tree.tree import BodyList, JointCoordinates, Tree
from .._tree.unattached import unattached_positions
from .kinematics import poses as reached


@takes(poses=("nb", 4, 4), near=Input(("nq",), Tree.positions))
def generalized_coordinates(tree: Tree, poses, near) -> tuple[JointCoordinates, BodyList]:
    """The q of given body poses, joint by joint, and what they miss (LJ12 §6).

    Each joint takes the pose of its body seen from that of the parent. `poses` are nb x 4 x 4, as
    `poses` gives them. Where a joint has several coordinates for a pose, those nearest to `near`
    are found: angles within half a turn, quaternions on the same side; and joints without a closed
    form (custom, spline, composite) search downhill from there. The residual, nb x 6, is the
    twist, in the body's axes, that takes each body from the given pose to where q has it: zero if
    and only if joints can put bodies so, and NaN where a matrix is far from a rotation. A joint
    that follows another is where that one takes it.
    """
    X0 = [Transform(), *(_transform(pose) for pose in poses)]
    q = JointCoordinates([near[0], *(() for _ in tree.bodies)])
    for i in tree.bodies:
        XJ = X0[i] @ X0[tree.parent[i]].inverse() @ tree.Xtree[i].inverse()
        q[i] = tree.joint[i].find(XJ, near[i])
    q = unattached_positions(tree, q, near)
    there = zip(reached(tree, q), X0, strict=True)
    return q, BodyList(log_se3(X @ given.inverse()) * _turns(given.E) for X, given in there)


def _turns(R: Mat3) -> Scalar:
    """One for a rotation, which measured ones nearly are; NaN for a mirror, or for zeros."""
    x, y, z = R
    off = x.cross(y).dot(z) - 1.0
    return where(off * off < 0.25, 1.0, math.nan)


def _transform(pose) -> Transform:
    """To a frame with the given 4 x 4 pose."""
    x, y, z, _ = pose
    return Transform.from_pose(
        Mat3(Vec3(*x[:3]), Vec3(*y[:3]), Vec3(*z[:3])), Vec3(x[3], y[3], z[3])
    )
