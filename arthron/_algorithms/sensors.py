"""What instruments on a figure read, and points of it: each of one frame, or one joint."""

from __future__ import annotations

from .._spatial.motions import Force
from .._spatial.transform import Transform
from .._spatial.vectors import Vec3
from .._tree.tree import Tree
from .joint_wrenches import joint_wrenches
from .kinematics import felt_motion, poses, velocities


def position(tree: Tree, q, *, body: int, X: Transform) -> Vec3:
    """Where the origin of a frame at X on a body is in the world [m]."""
    return (X @ poses(tree, q)[body]).r


def velocity(tree: Tree, q, qd, *, body: int, X: Transform) -> Vec3:
    """Velocity of the origin of a frame at X on a body, in world axes [m/s]."""
    X0 = X @ poses(tree, q)[body]
    return X0.R @ (X @ velocities(tree, q, qd)[body]).lin


def gyroscope(tree: Tree, q, qd, *, body: int, X: Transform) -> Vec3:
    """Angular velocity of a frame at X on a body, in the frame's axes [rad/s]."""
    return (X @ velocities(tree, q, qd)[body]).ang


def accelerometer(tree: Tree, q, qd, qdd, *, body: int, X: Transform) -> Vec3:
    """Classical acceleration of a frame's origin less gravity, in its axes [m/s^2] (RBDA §2.11).

    The frame sits at X on a body.
    """
    _, v, a = felt_motion(tree, q, qd, qdd)
    v, a = X @ v[body], X @ a[body]
    return a.lin + v.ang.cross(v.lin)


def joint_wrench(tree: Tree, q, qd, qdd, f_ext, *, body: int) -> Force:
    """Wrench on a body through its joint, at its frame and in its axes (RBDA Tab. 5.1, p. 96)."""
    return joint_wrenches(tree, q, qd, qdd, f_ext, axes="local")[body]
