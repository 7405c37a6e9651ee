"""Accelerations and reactions at one state, by way of bodies one by one."""

from __future__ import annotations

from .._algorithms.kinematics import poses, velocities
from .._scene.system import State, System
from .._tree.tree import BodyList, JointCoordinates
from .joints_as_rows import rates
from .newton_euler import Equations
from .port_rows import acceleration_rows


def maximal_acceleration(system: System, state: State) -> tuple[JointCoordinates, BodyList]:
    """(qdd, wrenches) at a state, from the KKT matrix of all bodies and joints (S19 1.73, 1.74).

    The same as `system.acceleration` by another way. Wrenches are those on each body from its
    parent through its joint, in its own axes: the reactions of joints.
    """
    system, state = system.at(state)
    tree = system.tree
    X0, v = poses(tree, state.q), velocities(tree, state.q, state.qd)
    equations = Equations(tree, state.q, state.qd, X0, v)
    joints = equations.joints
    held = BodyList(rates(each.C, each.c) for each in joints)
    rows = acceleration_rows(system, state, joints)
    found = equations.solve(system.loads(state), rows, held)
    (qdd,) = tree.lists(1)
    qdd[0] = found.y
    for i in tree.bodies:
        each = joints[i]
        qdd[i] = rates(each.W, found.a[i] - each.Xup @ found.a[tree.parent[i]] - each.c)
    return tree.accelerations(tree.vector(qdd)), found.wrenches
