"""Where bodies are, how they move, and how that depends on the joints."""

from __future__ import annotations

from .._model.tree import BodyList, JointColumns, Tree
from .._spatial.motions import Motion
from .._spatial.transform import Transform
from .._spatial.vectors import Mat3, Vec3


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
    """Twist of each body in its own axes (RBDA Eq. 4.7, S19 2.13)."""
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


def point_jacobian(tree: Tree, q, point, *, body: int, X: Transform, axes: str) -> JointColumns:
    """J with the twist of a point fixed in a frame = J qd, 6 x nv.

    The frame sits at X on a body. `axes` are "local" (at the point, frame axes), "world_aligned"
    (at the point, world axes) or "world" (at the world's origin, world axes).
    """
    X0 = X @ poses(tree, q)[body]
    at_point = Transform(Mat3.identity(), Vec3(*point))
    to = {
        "local": at_point,
        "world_aligned": Transform(X0.R) @ at_point,
        "world": X0.inverse(),
    }[axes]
    J = jacobians(tree, q)[body]
    return JointColumns({j: (to @ X) @ S for j, S in J.items()})
