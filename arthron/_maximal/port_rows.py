"""Rows of a scene's constraints on links and joints, as bodies one by one take them."""

from __future__ import annotations

from collections.abc import Sequence

from .._algorithms.kinematics import accelerations
from .._scene.ports import Port
from .._scene.rows import Row
from .._scene.system import State, System
from .._spatial.scalar import Scalar
from .._spatial.sums import dot
from .._tree.tree import BodyList, Tree
from .joint_rows import rates


def velocity_rows(
    system: System, state: State, joints: BodyList, h: Scalar, gamma: Scalar
) -> list[Row]:
    """Rows on velocities at the end of a step of length h; what joints are off goes at a rate."""
    rows = _at_ports(system.tree, system.velocity_rows(state, state.t + h, h))
    back = [[-gamma * x for x in rates(each.W, each.gap)] for each in joints]
    return rows + _following(system.tree, back)


def acceleration_rows(system: System, state: State, joints: BodyList) -> list[Row]:
    """Rows on accelerations of bodies at a state."""
    tree, found = system.tree, []
    still = accelerations(tree, state.q, state.qd, tree.at_rest())
    for row in _at_ports(tree, system.acceleration_rows(state)):
        b = row.b
        for port, slopes in row.at_ports:
            if (
                port.X is not None
            ):  # the rows were for accelerations of joints, where bodies had some
                m = port.X @ still[port.body]
                b = b + dot(slopes, (*m.ang, *m.lin))
        found.append(row._replace(b=b))
    found += _following(tree, [() for _ in joints])
    return [row._replace(b=row.b + _curved(row, joints)) for row in found]


def _curved(row: Row, joints: BodyList) -> Scalar:
    """What joints accelerate by in a row when bodies do not, with its sign turned: W c."""
    b: Scalar = 0.0
    for port, slopes in row.at_ports:
        if port.X is None:
            b = b + dot(slopes, rates(joints[port.body].W, joints[port.body].c))
    return b


def _at_ports(tree: Tree, rows: Sequence[Row]) -> list[Row]:
    """Rows with those that fix a coordinate on the port of its joint."""
    found = []
    for row in rows:
        if row.fixes:
            (j,) = row.G
            i = next(i for i in tree.bodies if tree.v_start[i] <= j < tree.v_start[i + 1])
            row = row._replace(at_ports=[_coordinate(tree, i, j - tree.v_start[i], 1.0)])
        found.append(row)
    return found


def _following(tree: Tree, back: Sequence[Sequence[Scalar]]) -> list[Row]:
    """Joints that follow others: velocity less a multiple of the leader's is what is given."""
    found = []
    for i in tree.bodies:
        follow = tree.follow[i]
        if follow is None:
            continue
        for k in range(tree.joint[i].nv):
            ports = [_coordinate(tree, i, k, 1.0),
                     _coordinate(tree, follow.leader, k, -follow.multiplier)]  # fmt: skip
            found.append(Row({}, back[i][k] if back[i] else 0.0, at_ports=ports))
    return found


def _coordinate(tree: Tree, i: int, k: int, factor: Scalar) -> tuple[Port, list[Scalar]]:
    """The port of a joint, and slopes that take one of its coordinates."""
    n = tree.joint[i].nv
    return Port(i, None, n), [factor if k == j else 0.0 for j in range(n)]
