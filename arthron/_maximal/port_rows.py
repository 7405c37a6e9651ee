"""Rows of a scene's constraints on links and joints, as bodies one by one take them."""

from __future__ import annotations

from collections.abc import Sequence

from .._algorithms.kinematics import accelerations
from .._scene.ports import Port
from .._scene.rows import Row
from .._scene.system import State, System
from .._spatial.scalar import Scalar
from .._spatial.sums import dot, total
from .._tree.tree import BodyList, Tree
from .joints_as_rows import rates


def velocity_rows(
    system: System, state: State, joints: BodyList, end: Scalar, h: Scalar, gamma: Scalar
) -> list[Row]:
    """Rows on velocities at the end of a step of length h; what joints are off goes at a rate."""
    rows = _at_ports(system.tree, system.velocity_rows(state, end, h))
    back = [[-gamma * x for x in rates(each.W, each.gap)] for each in joints]
    return rows + _following(system.tree, back)


def acceleration_rows(system: System, state: State, joints: BodyList) -> list[Row]:
    """Rows on accelerations of bodies at a state: those for joints, without what these had then."""
    tree, found = system.tree, []
    coasting = tree.coasting()
    still = accelerations(tree, state.q, state.qd, coasting)
    for row in _at_ports(tree, system.acceleration_rows(state)):
        b = row.b
        for port, slopes in row.at_ports:
            m = None if port.X is None else port.X @ still[port.body]
            b = b + dot(slopes, (*m.ang, *m.lin) if m else coasting[port.body])
        found.append(row._replace(b=b))
    found += _following(tree, coasting)
    return [row._replace(b=row.b + _curved(row, joints)) for row in found]


def _curved(row: Row, joints: BodyList) -> Scalar:
    """W c of its joints, minus what they accelerate by when bodies do not."""
    return total(
        dot(slopes, rates(joints[port.body].W, joints[port.body].c))
        for port, slopes in row.at_ports
        if port.X is None and port.body
    )


def _at_ports(tree: Tree, rows: Sequence[Row]) -> list[Row]:
    """Rows with those that fix a coordinate on the port of its joint."""
    found = []
    for row in rows:
        if row.fixes:
            (j,) = row.G
            row = row._replace(at_ports=[_coordinate(tree, j, 1.0)])
        found.append(row)
    return found


def _following(tree: Tree, back: Sequence[Sequence[Scalar]]) -> list[Row]:
    """Joints that follow others: velocities less those that the others make are what is given."""
    found = []
    for i, slopes in tree.led.slopes.items():
        port = Port(i, None, len(slopes))
        for k, (row, b) in enumerate(zip(slopes, back[i], strict=True)):
            own = [float(k == j) for j in range(len(slopes))]
            others = [_coordinate(tree, j, -slope) for j, slope in row.items()]
            found.append(Row({}, b, at_ports=[(port, own), *others]))
    return found


def _coordinate(tree: Tree, j: int, factor: Scalar) -> tuple[Port, list[Scalar]]:
    """The port of the joint that a velocity coordinate belongs to, and slopes that take it."""
    i = next(i for i in range(tree.nb + 1) if tree.v_start[i] <= j < tree.v_start[i + 1])
    n, k = tree.joint[i].nv, j - tree.v_start[i]
    return Port(i, None, n), [factor if k == a else 0.0 for a in range(n)]
