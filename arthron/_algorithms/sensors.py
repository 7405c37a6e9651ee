"""What instruments on a figure read, and points of it: each of one frame, or one joint."""

from __future__ import annotations

from .._spatial.motions import Force, Motion
from .._spatial.transform import Transform
from .._spatial.vectors import Vec3
from .._tree.tree import BodyList, Tree
from .kinematics import poses, velocities


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
    _, v, a = _less_gravity(tree, q, qd, qdd)
    v, a = X @ v[body], X @ a[body]
    return a.lin + v.ang.cross(v.lin)


def joint_wrench(tree: Tree, q, qd, qdd, f_ext, *, body: int) -> Force:
    """Wrench on a body through its joint, at its frame and in its axes (RBDA Tab. 5.1, p. 96).

    f of the recursive Newton-Euler algorithm: tau = S^T f, plus armature times qdd.
    """
    Xup, v, a = _less_gravity(tree, q, qd, qdd)
    (f,) = tree.lists(1)
    f[0] = Force()
    for i in tree.bodies:
        f[i] = tree.I[i] @ a[i] + v[i].cross(tree.I[i] @ v[i]) - f_ext[i]
    for i in reversed(tree.bodies):
        f[tree.parent[i]] += Xup[i].T @ f[i]
    return f[body]


def _less_gravity(tree: Tree, q, qd, qdd) -> tuple[BodyList, BodyList, BodyList]:
    """Xup, v, and a less gravity: the base accelerates upwards (RBDA Tab. 5.1, p. 96)."""
    Xup, v, a = tree.lists(3)
    v[0], a[0] = Motion(), -tree.gravity
    for i in tree.bodies:
        p = tree.parent[i]
        XJ, S, vJ, cJ = tree.joint[i](q[i], qd[i])
        Xup[i] = XJ @ tree.Xtree[i]
        v[i] = Xup[i] @ v[p] + vJ
        a[i] = Xup[i] @ a[p] + S * qdd[i] + cJ + v[i].cross(vJ)
    return Xup, v, a
