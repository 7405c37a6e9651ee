"""Newton's and Euler's equations of all bodies, with joints and other constraints as rows.

(M + h D - h^2 K) a = f + h K v - v x* M v + G^T lambda,   G a = b        (S19 1.21, 1.30, 1.73)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .._scene.loads import (
    Loads,
    PortSlopes,
    exerted,
    extrapolated_forces,
    on_ports,
    step_terms,
)
from .._scene.ports import Port, vectors
from .._scene.rows import Row
from .._spatial.motions import Force, Forces, Motion
from .._spatial.scalar import Scalar, is_zero
from .._spatial.sums import dot, total
from .._tree.body_lists import add_lists
from .._tree.tree import BodyList, JointForces, Tree
from .joint_rows import rates
from .kkt import BodyMatrix, BodyRow, solve_kkt

UNITS = [[float(i == k) for i in range(6)] for k in range(6)]
Covector = Mapping[int, Force]
"""A row over motions of bodies."""


class BodySolution(NamedTuple):
    """What bodies do under forces and rows.

    Attributes:
        a: acceleration of each body, in its own axes.
        wrenches: on each from its parent, through its joint (S19 1.74).
        f_ext: wrench on each body of constraints on links.
        tau: forces of constraints at joints.
    """

    a: BodyList
    wrenches: BodyList
    f_ext: BodyList
    tau: JointForces


class Equations(NamedTuple):
    """The equations of a figure's bodies at a state.

    Attributes:
        tree: the figure.
        X0: from the world to each body.
        v: twist of each.
        joints: rows of joints there.
    """

    tree: Tree
    X0: BodyList
    v: BodyList
    joints: BodyList

    def solve(
        self, loads: Loads, rows: Sequence[Row], held: BodyList, h: Scalar = None
    ) -> BodySolution:
        """Accelerations under loads and rows, `held` being what rows of joints are to be.

        With h, those of a step of that length, at whose end rows are on velocities.
        """
        f_ext, tau = extrapolated_forces(loads, 0.0 if h is None else h)
        own = self.body_rows(rows, held)
        if h is not None:
            own = [row._replace(b=(row.b - row(self.v)) / h) for row in own]
        a, multipliers = solve_kkt(self.matrix(loads.slopes, h), self._forces(f_ext, tau), own)
        on_links, at_joints = self.tree.no_wrenches(), self.tree.no_forces()
        for row, x in zip(rows, multipliers, strict=False):
            exerted(on_links, at_joints, *row.forces(x))
        for each in loads.slopes:
            exerted(f_ext, tau, each.ports, self._change(each, a, h))
        wrenches = self._wrenches(a, add_lists(tau, at_joints), multipliers[len(rows) :])
        return BodySolution(a, wrenches, on_links, at_joints)

    def body_rows(self, rows: Sequence[Row], held: BodyList) -> list[BodyRow]:
        """Rows on ports, then those of joints, over motions of bodies."""
        own = [self._row(row) for row in rows]
        for i in self.tree.bodies:
            each = zip(self.joints[i].C, held[i], strict=True)
            own += [BodyRow(self.between(i, w), b, i) for w, b in each]
        return own

    def port_rows(self, port: Port) -> list[Covector]:
        """How a port moves in each of its ways as bodies do."""
        if port.X is None:
            return [self.between(port.body, w) for w in self.joints[port.body].W]
        return [{port.body: port.X.T @ Force.from_array(x)} for x in UNITS[: port.size]]

    def between(self, i: int, w: Force) -> Covector:
        """w . (v - Xup v_parent) of a joint."""
        p = self.tree.parent[i]
        return {i: w, p: -(self.joints[i].Xup.T @ w)} if p else {i: w}

    def _row(self, row: Row) -> BodyRow:
        """A row on ports over bodies. It stands before the first joint that moves its ports."""
        slopes = [x for _, each in row.at_ports for x in each]
        J = [each for port, _ in row.at_ports for each in self.port_rows(port)]
        movers = [port.body if port.X is None else min(self.tree.ancestors(port.body))
                  for port, _ in row.at_ports]  # fmt: skip
        return BodyRow(combined(slopes, J), row.b, min(movers))

    def _forces(self, f_ext: BodyList, tau: BodyList) -> BodyList:
        """All that acts on each body: gravity, velocity products, elements, forces at joints."""
        tree, f = self.tree, BodyList(f_ext)
        for i in tree.bodies:
            I, rows, p = tree.I[i], self.joints[i], tree.parent[i]
            f[i] = f[i] + I @ (self.X0[i] @ tree.gravity) - self.v[i].cross(I @ self.v[i])
            felt = zip(tau[i], tree.armature[i], rates(rows.W, rows.c), strict=True)
            push = Forces(rows.W) * [x + m * c for x, m, c in felt]
            f[i], f[p] = f[i] + push, f[p] - rows.Xup.T @ push
        return f

    def matrix(self, slopes: Sequence[PortSlopes] = (), h: Scalar = None) -> BodyMatrix:
        """M, with armature at joints, and what slopes of forces add to it."""
        A = BodyMatrix()
        for i in self.tree.bodies:
            I = self.tree.I[i]
            A.add([{i: Force.from_array(x)} for x in UNITS],
                  [{i: I @ Motion(*vectors(x))} for x in UNITS])  # fmt: skip
            J = [self.between(i, w) for w in self.joints[i].W]
            A.add(
                J, [combined([m], [row]) for m, row in zip(self.tree.armature[i], J, strict=True)]
            )
        for each in slopes:
            J = [row for port in each.ports for row in self.port_rows(port)]
            A.add(J, [combined(line, J) for line in step_terms(h, each.K, each.D)])
        return A

    def _change(self, slopes: PortSlopes, a: BodyList, h: Scalar) -> list:
        """What forces on ports have changed by at the end of a step, besides h K v."""
        moved = [total(a[i].dot(g) for i, g in row.items())
                 for port in slopes.ports for row in self.port_rows(port)]  # fmt: skip
        change = [-dot(line, moved) for line in step_terms(h, slopes.K, slopes.D)]
        return on_ports(slopes.ports, change)

    def _wrenches(self, a: BodyList, tau: BodyList, multipliers: Sequence[Scalar]) -> BodyList:
        """What joints transmit: forces at them, less those on armatures, and of constraints."""
        (found,), left = self.tree.lists(1), iter(multipliers)
        found[0] = Force()
        for i in self.tree.bodies:
            rows = self.joints[i]
            qdd = rates(rows.W, a[i] - rows.Xup @ a[self.tree.parent[i]] - rows.c)
            felt = zip(tau[i], self.tree.armature[i], qdd, strict=True)
            held = Forces(rows.C) * [next(left) for _ in rows.C]
            found[i] = held + Forces(rows.W) * [x - m * y for x, m, y in felt]
        return found


def combined(weights: Sequence[Scalar], rows: Sequence[Covector]) -> Covector:
    """The weighted sum of rows."""
    found: dict[int, Force] = {}
    for k, row in zip(weights, rows, strict=True):
        if not is_zero(k):
            for i, g in row.items():
                found[i] = found[i] + g * k if i in found else g * k
    return found
