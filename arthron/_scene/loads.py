"""What acts on a figure at a state, and what a step that is implicit in it solves with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .._algorithms.kinematics import jacobians
from .._spatial.inertia import ArticulatedInertia
from .._spatial.motions import Force
from .._spatial.scalar import Scalar, is_zero
from .._spatial.sums import add_blocks, dot
from .._tree.tree import BodyList, JointForces, JointMatrix, Tree
from .ports import Block, Port, vectors


class PortSlopes(NamedTuple):
    """How the forces of one element change as its ports move.

    Attributes:
        ports: those that move.
        v: how fast each of them moves, in each of its ways.
        K: slope of the forces by motions of the ports.
        D: minus their slope by velocities.
    """

    ports: list[Port]
    v: list[Scalar]
    K: Block
    D: Block

    @property
    def at_joints(self) -> bool:
        """Whether all of its ports are joints."""
        return all(port.X is None for port in self.ports)


class Loads(NamedTuple):
    """Everything that acts on a figure at a state, gravity excepted.

    Attributes:
        f_ext: wrench on each body, in its own axes.
        tau: force at each joint.
        slopes: how they change, element by element.
        energy: potential energy of all elements.
    """

    f_ext: BodyList
    tau: JointForces
    slopes: list[PortSlopes]
    energy: Scalar


def exerted(f_ext: BodyList, tau: BodyList, ports: Sequence[Port], forces: Sequence) -> None:
    """Add forces on ports to wrenches on bodies and forces at joints."""
    for port, force in zip(ports, forces, strict=True):
        if port.X is None:
            tau[port.body] = tuple(a + b for a, b in zip(tau[port.body], force, strict=True))
        elif port.body:
            f_ext[port.body] = f_ext[port.body] + port.X.T @ force


def extrapolated_forces(now: Loads, h: Scalar) -> tuple[BodyList, JointForces]:
    """f_ext and tau with what moving on for a time h would add to them: f + h K v."""
    f_ext, tau = BodyList(now.f_ext), JointForces(now.tau)
    for slopes in now.slopes:
        change = [dot(row, slopes.v) * h for row in slopes.K]
        exerted(f_ext, tau, slopes.ports, on_ports(slopes.ports, change))
    return f_ext, tau


def on_ports(ports: Sequence[Port], numbers: Sequence[Scalar]) -> list:
    """Forces on ports that move, out of one number for each way they do."""
    found, k = [], 0
    for port in ports:
        own = numbers[k : k + port.size]
        found.append(tuple(own) if port.X is None else Force(*vectors(own)))
        k += port.size
    return found


def implicit_matrix(tree: Tree, q, slopes: Sequence[PortSlopes], h: Scalar) -> JointMatrix:
    """What an implicit step adds to M: J^T (h D - h^2 K) J, with J of the elements' ports."""
    total = JointMatrix()
    J = jacobians(tree, q) if any(not s.at_joints for s in slopes) else None
    for each in slopes:
        terms, k, blocks = step_terms(h, each.K, each.D), 0, []
        for port in each.ports:
            blocks.append((slice(k, k + port.size), port_columns(port, J)))
            k += port.size
        for rows, left in blocks:
            for columns, right in blocks:
                _project(total, left, right, [row[columns] for row in terms[rows]])
    return total


def port_columns(port: Port, J: BodyList | None) -> dict[int, list[list[Scalar]]]:
    """How a port moves with each velocity coordinate of each joint, with J of all bodies."""
    if port.X is None or J is None:
        own = range(port.size)
        return {port.body: [[float(i == k) for i in own] for k in own]}
    columns = {j: port.X @ S for j, S in J[port.body].items()} if port.size else {}
    return {j: [[*m.ang, *m.lin] for m in S] for j, S in columns.items()}


def _project(total: JointMatrix, left: dict, right: dict, B: Block) -> None:
    """Add left^T B right to a matrix over joints."""
    for j, columns in right.items():
        F = [[dot(row, column) for row in B] for column in columns]
        for i, rows in left.items():
            block = [[dot(row, column) for column in F] for row in rows]
            known = total.get((i, j))
            total[i, j] = tuple(map(tuple, block)) if known is None else add_blocks(known, block)


def body_and_joint_terms(
    tree: Tree, slopes: Sequence[PortSlopes], h: Scalar
) -> tuple[BodyList, JointForces] | None:
    """The same as terms of single bodies and coordinates, if it is no more than that."""
    bodies = BodyList(ArticulatedInertia.from_array([0.0] * 36) for _ in tree.parent)
    joints = tree.at_rest()
    for each in slopes:
        terms = step_terms(h, each.K, each.D)
        X, i = each.ports[0].X, each.ports[0].body
        if len(each.ports) == 1 and X is not None:
            B = ArticulatedInertia.from_array([x for row in terms for x in row])
            bodies[i] = bodies[i] + X.T @ B @ X
            continue
        diagonal = joint_diagonal(each, terms)
        if diagonal is None:
            return None
        for i, added in diagonal:
            joints[i] = tuple(x + y for x, y in zip(joints[i], added, strict=True))
    return bodies, JointForces(joints)


def joint_diagonal(slopes: PortSlopes, terms: Block) -> list[tuple[int, tuple]] | None:
    """Terms of an element at joints by joint, if they couple no two coordinates."""
    off = (x for a, row in enumerate(terms) for b, x in enumerate(row) if a != b)
    if not slopes.at_joints or not all(map(is_zero, off)):
        return None
    found, k = [], 0
    for port in slopes.ports:
        found.append((port.body, tuple(terms[a][a] for a in range(k, k + port.size))))
        k += port.size
    return found


def step_terms(h: Scalar, K: Block, D: Block) -> Block:
    """h D - h^2 K, and nothing where both are nothing."""
    return [
        [0.0 if is_zero(k) and is_zero(d) else h * (d - h * k) for k, d in zip(*rows, strict=True)]
        for rows in zip(K, D, strict=True)
    ]
