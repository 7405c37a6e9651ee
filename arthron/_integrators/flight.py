"""What flies: floating bodies move straight, and a figure in flight keeps its momentum."""

from __future__ import annotations

from collections.abc import Sequence

from .._algorithms.energy import center_of_mass, momentum, per_mass, total_mass, whole
from .._scene.system import State, System
from .._spatial.linear_algebra import solve3
from .._spatial.scalar import Scalar
from .._spatial.transform import exp_quaternion, quaternion_product, quaternion_rotation
from .._spatial.vectors import Mat3, Vec3
from .._tree.balls import Floating
from .._tree.body_lists import add_lists, scale_list
from .._tree.configuration import integrate
from .._tree.tree import BodyList, JointCoordinates, Tree


def drift(
    tree: Tree, q: BodyList, v: BodyList, h: Scalar, more: BodyList | None = None
) -> tuple[BodyList, BodyList]:
    """q and v after moving on at constant velocity for a time h, q by some `more`.

    The velocity of floating bodies is in their own axes, and constant in those of the world: they
    move straight, whatever they turn by.
    """
    step = scale_list(v, h)
    q1 = integrate(tree, q, step if more is None else add_lists(step, more))
    v1 = JointCoordinates(v)
    for i in floating_bodies(tree):
        p, Q, w = Vec3(*q[i][:3]), q[i][3:], Vec3(*v[i][:3])
        u = quaternion_rotation(*Q) @ Vec3(*v[i][3:])
        turned = quaternion_product(Q, exp_quaternion(w * h))
        q1[i] = (*(p + u * h), *turned)
        v1[i] = (*w, *(quaternion_rotation(*turned).T @ u))
    return q1, v1


def turning(tree: Tree, v: BodyList) -> BodyList:
    """What a velocity changes by besides qdd, seen from a pose that stands still.

    w x v of floating bodies, whose axes turn; of joints that follow others, whose slopes change,
    minus what that gives; zero of others.
    """
    found = scale_list(tree.coasting(), -1.0) if tree.curved else tree.at_rest()
    for i in floating_bodies(tree):
        found[i] = (0.0, 0.0, 0.0, *Vec3(*v[i][:3]).cross(Vec3(*v[i][3:])))
    return found


def floating_bodies(tree: Tree) -> list[int]:
    """Bodies whose coordinates are a position and a quaternion."""
    laws = (getattr(joint, "law", joint) for joint in tree.joint)
    return [i for i, law in enumerate(laws) if isinstance(law, Floating)]


def in_flight(system: System) -> bool:
    """Whether all of a figure hangs on one floating body, which nothing but forces acts on."""
    tree = system.tree
    alone = [i for i in tree.bodies if tree.parent[i] == 0] == [1] and 1 in floating_bodies(tree)
    return alone and not any(tree.armature[1]) and not system.holds(1)


def with_momentum(
    tree: Tree, start: State, q_middle: BodyList, q: BodyList, v: BodyList,
    wrench: Sequence[Scalar], h: Scalar,
) -> tuple[BodyList, BodyList]:  # fmt: skip
    """q and v at the end of a step, the root moved such that momentum is what forces make it.

    `wrench` is that on the root, half way, of all that acts from outside but gravity: it
    changes linear momentum, and angular momentum about the centre of mass, which itself moves with
    the mean momentum.
    """
    m, per = total_mass(tree), per_mass(tree)
    P, c = momentum(tree, start.q, start.qd), center_of_mass(tree, start.q)
    P1, c1, I = momentum(tree, q, v), center_of_mass(tree, q), whole(tree, q).about_com()
    torque, force = _about_center(tree, q_middle, wrench)
    p, L = P.lin + (force + tree.gravity.lin * m) * h, P.ang + torque * h
    R, r = _root_pose(tree, q)
    turn = solve3(I, L - P1.ang)
    shift = (p - P1.lin) * per + turn.cross(r - c1)
    place = r - c1 + c + (P.lin + p) * (0.5 * h * per)
    q, v = JointCoordinates(q), JointCoordinates(v)
    X = tree.Xtree[1]
    q[1] = (*(X.R.T @ (place - X.r)), *q[1][3:])
    v[1] = tuple(a + b for a, b in zip(v[1], (*(R.T @ turn), *(R.T @ shift)), strict=True))
    return q, v


def _about_center(tree: Tree, q: BodyList, push: Sequence[Scalar]) -> tuple[Vec3, Vec3]:
    """Torque about the centre of mass and force, in world axes, of a wrench on the root."""
    if all(isinstance(x, float) and x == 0.0 for x in push):
        return Vec3(), Vec3()
    R, r = _root_pose(tree, q)
    force = R @ Vec3(*push[3:])
    return R @ Vec3(*push[:3]) + (r - center_of_mass(tree, q)).cross(force), force


def _root_pose(tree: Tree, q: BodyList) -> tuple[Mat3, Vec3]:
    """Rotation and position of the root in the world."""
    X = tree.Xtree[1]
    return X.R @ quaternion_rotation(*q[1][3:]), X.r + X.R @ Vec3(*q[1][:3])
