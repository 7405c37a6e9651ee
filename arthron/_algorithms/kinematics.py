"""Where bodies are, how they move, and how that depends on the joints."""

from __future__ import annotations

from .._spatial.motions import Motion
from .._spatial.transform import Transform
from .._spatial.vectors import Mat3, Vec3
from .._tree.tree import BodyList, JointColumns, Tree


def transforms(tree: Tree, q) -> tuple[BodyList, BodyList]:
    """Xup[i], from parent to body, and S[i], at the configuration `q` (RBDA Eq. 4.3)."""
    Xup, S = tree.lists(2)
    for i in tree.bodies:
        XJ, S[i], _, _ = tree.joint[i](q[i], tree.zero(i))
        Xup[i] = XJ @ tree.Xtree[i]
    return Xup, S


def poses(tree: Tree, q) -> BodyList:
    """X0[i], from the world to each body; as an array, the body's 4 x 4 pose (S19 2.6)."""
    Xup, _ = transforms(tree, q)
    (X0,) = tree.lists(1)
    X0[0] = Transform()
    for i in tree.bodies:
        X0[i] = Xup[i] @ X0[tree.parent[i]]
    return X0


def velocities(tree: Tree, q, qd) -> BodyList:
    """Twist of each body in its own axes (RBDA Eq. 4.7, S19 2.11)."""
    (v,) = tree.lists(1)
    v[0] = Motion()
    for i in tree.bodies:
        XJ, _, vJ, _ = tree.joint[i](q[i], qd[i])
        v[i] = (XJ @ tree.Xtree[i]) @ v[tree.parent[i]] + vJ
    return v


def accelerations(tree: Tree, q, qd, qdd) -> BodyList:
    """Spatial acceleration of each body in its own axes, without gravity (RBDA Eq. 4.8)."""
    v, a = tree.lists(2)
    v[0] = a[0] = Motion()
    for i in tree.bodies:
        p = tree.parent[i]
        XJ, S, vJ, cJ = tree.joint[i](q[i], qd[i])
        Xup = XJ @ tree.Xtree[i]
        v[i] = Xup @ v[p] + vJ
        a[i] = Xup @ a[p] + S * qdd[i] + cJ + v[i].cross(vJ)
    return a


def felt_motion(tree: Tree, q, qd, qdd) -> tuple[BodyList, BodyList, BodyList]:
    """Xup, twists, and accelerations less that of free fall, which is what bodies feel.

    As if the base accelerated upwards (RBDA Tab. 5.1, p. 96).
    """
    Xup, v, a = tree.lists(3)
    v[0], a[0] = Motion(), -tree.gravity
    for i in tree.bodies:
        p = tree.parent[i]
        XJ, S, vJ, cJ = tree.joint[i](q[i], qd[i])
        Xup[i] = XJ @ tree.Xtree[i]
        v[i] = Xup[i] @ v[p] + vJ
        a[i] = Xup[i] @ a[p] + S * qdd[i] + cJ + v[i].cross(vJ)
    return Xup, v, a


def jacobians(tree: Tree, q) -> BodyList:
    """J[i] with v[i] = J[i] qd, in the axes of body i (S19 Alg. 1)."""
    Xup, S = transforms(tree, q)
    (J,) = tree.lists(1)
    J[0] = JointColumns()
    for i in tree.bodies:
        J[i] = JointColumns({j: Xup[i] @ column for j, column in J[tree.parent[i]].items()})
        J[i][i] = S[i]
    return J


def frame_pose(tree: Tree, q, *, body: int, X: Transform) -> Transform:
    """Pose of a frame that sits at X on a body, in the world."""
    return X @ poses(tree, q)[body]


def frame_velocity(tree: Tree, q, qd, *, body: int, X: Transform, axes: str) -> Motion:
    """Twist of a frame that sits at X on a body."""
    X0 = X @ poses(tree, q)[body]
    return seen_in(axes, X0) @ (X @ velocities(tree, q, qd)[body])


def frame_acceleration(
    tree: Tree, q, qd, qdd, *, body: int, X: Transform, axes: str, classical: bool
) -> Motion:
    """Acceleration of a frame that sits at X on a body, spatial or classical (RBDA §2.11)."""
    X0 = X @ poses(tree, q)[body]
    v, a = X @ velocities(tree, q, qd)[body], X @ accelerations(tree, q, qd, qdd)[body]
    if classical:
        a = Motion(a.ang, a.lin + v.ang.cross(v.lin))
    return seen_in(axes, X0) @ a


def seen_in(axes: str, X0: Transform) -> Transform:
    """From a frame at X0 to "local", "world_aligned" or "world" axes.

    World-aligned are at the frame's origin with world axes, world at the world's origin.
    """
    return {"local": Transform(), "world_aligned": Transform(X0.R), "world": X0.inverse()}[axes]


def point_jacobian(tree: Tree, q, point, *, body: int, X: Transform, axes: str) -> JointColumns:
    """J with the twist of a point fixed in a frame = J qd, 6 x nv.

    The frame sits at X on a body. `axes` are "local" (at the point, frame axes), "world_aligned"
    (at the point, world axes) or "world" (at the world's origin, world axes).
    """
    at_point = Transform(Mat3.identity(), Vec3(*point)) @ X
    to = seen_in(axes, at_point @ poses(tree, q)[body]) @ at_point
    return JointColumns({j: to @ S for j, S in jacobians(tree, q)[body].items()})
