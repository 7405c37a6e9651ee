"""What motions are asked for: joint forces while points are pushed, poses, velocities."""

from __future__ import annotations

from collections.abc import Sequence

from .._spatial.motions import Force
from .._spatial.scalar import Scalar, maximum
from .._spatial.transform import quaternion_rotation
from .._spatial.vectors import Vec3
from .._tree.configuration import difference
from .._tree.joints import Joint
from .._tree.tree import JointCoordinates, JointForces, Tree
from .dynamics import inverse_dynamics
from .kinematics import poses, velocities
from .products import of_wrenches

BodyPoint = tuple[int, tuple[float, float, float]]
"""A body and a point of it, in its own axes."""


def pushed_joint_forces(tree: Tree, q, qd, qdd, forces, *, points: Sequence[BodyPoint]):
    """Joint forces of a motion while forces in world axes act on points of bodies."""
    X0, wrenches = poses(tree, q), tree.no_wrenches()
    for (body, place), f in zip(points, forces, strict=True):
        own = X0[body].E @ Vec3(*f)
        wrenches[body] = wrenches[body] + Force(Vec3(*place).cross(own), own)
    return inverse_dynamics(tree, q, qd, qdd, wrenches)


def supported_joint_forces(tree: Tree, q, qd, qdd, shares, *, feet: Sequence[BodyPoint]):
    """Joint forces of a figure whose feet bear what its free root lacks (R96).

    Each foot has its share of the force, at its point, and of the torque about the point between
    all that divides them as the shares do. With shares of one in all nothing is left at the root.
    """
    tau = inverse_dynamics(tree, q, qd, qdd, tree.no_wrenches())
    X0, wrenches = poses(tree, q), tree.no_wrenches()
    root, lacking = X0[1], tau[1]
    force, torque = root.R @ Vec3(*lacking[3:]), root.R @ Vec3(*lacking[:3])
    places = [X0[body].r + X0[body].R @ Vec3(*place) for body, place in feet]
    between = sum((p * s for p, s in zip(places, shares, strict=True)), Vec3())
    torque = torque + (root.r - between).cross(force)
    for (body, _), place, share in zip(feet, places, shares, strict=True):
        push = force * share
        turn = torque * share + (place - X0[body].r).cross(push)
        wrenches[body] = wrenches[body] + Force(X0[body].E @ turn, X0[body].E @ push)
    borne = tree.vector(of_wrenches(tree, q, wrenches))
    return [t - b for t, b in zip(tree.vector(tau), borne, strict=True)]


def joint_powers(tree: Tree, q, qd, qdd, forces, *, points: Sequence[BodyPoint]) -> list[Scalar]:
    """Power of each joint force [W]."""
    tau = tree.vector(JointForces(pushed_joint_forces(tree, q, qd, qdd, forces, points=points)))
    return [t * rate for t, rate in zip(tau, tree.vector(JointCoordinates(qd)), strict=True)]


def joint_accelerations(tree: Tree, qdd) -> JointCoordinates:
    """qdd itself."""
    return JointCoordinates(qdd)


def point_places(tree: Tree, q, *, points: Sequence[BodyPoint]) -> list[Vec3]:
    """Where points of bodies are in the world."""
    X0 = poses(tree, q)
    return [X0[body].r + X0[body].R @ Vec3(*place) for body, place in points]


def off_places(tree: Tree, q, places, held, *, points: Sequence[BodyPoint]) -> list[Vec3]:
    """How far points of bodies are from places in the world, each times a number."""
    here = point_places(tree, q, points=points)
    return [(p - Vec3(*place)) * x for p, place, x in zip(here, places, held, strict=True)]


def point_rates(tree: Tree, q, qd, *, points: Sequence[BodyPoint]) -> list[Vec3]:
    """Velocities of points of bodies, in world axes."""
    X0, V = poses(tree, q), velocities(tree, q, qd)
    return [X0[b].R @ (V[b].lin + V[b].ang.cross(Vec3(*place))) for b, place in points]


def off_pose(tree: Tree, q, q0) -> JointCoordinates:
    """How far q is from another configuration, as a displacement of joints."""
    return difference(tree, q0, q)


def beyond_limits(tree: Tree, q, *, limits: Sequence[tuple[int, float, float]]) -> list[Scalar]:
    """How far joints of one coordinate are beyond their limits: body, lower and upper."""
    each = [(q[body][0], lower, upper) for body, lower, upper in limits]
    return [maximum(x - upper, 0.0) + maximum(lower - x, 0.0) for x, lower, upper in each]


def off_velocity(tree: Tree, qd, wanted) -> list[Scalar]:
    """How far qd is from another velocity."""
    return [x - y for x, y in zip(tree.vector(JointCoordinates(qd)), wanted, strict=True)]


def off_acceleration(tree: Tree, qdd, wanted) -> list[Scalar]:
    """How far qdd is from another acceleration."""
    return [x - y for x, y in zip(tree.vector(JointCoordinates(qdd)), wanted, strict=True)]


def squared_distance(tree: Tree, q, *, points: Sequence[BodyPoint]) -> Scalar:
    """Of two points of bodies."""
    a, b = point_places(tree, q, points=points)
    return (a - b).dot(a - b)


def pose_numbers(tree: Tree, q) -> list[Scalar]:
    """Numbers of a pose that say the same of the same pose: of turns two columns of a matrix."""
    found: list[Scalar] = []
    for i in (i for i in tree.bodies if i not in tree.followers):
        joint = tree.joint[i]
        if joint.nq == joint.nv:
            found.extend(q[i])
        else:
            found.extend(q[i][:-4])
            R = quaternion_rotation(*q[i][-4:])
            found += [*(R @ Vec3(1.0, 0.0, 0.0)), *(R @ Vec3(0.0, 1.0, 0.0))]
    return found


def pose_count(joint: Joint) -> int:
    """How many of these a joint has."""
    return joint.nq if joint.nq == joint.nv else joint.nq + 2
