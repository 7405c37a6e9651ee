"""Newton's and Euler's equations of all bodies, with joints and other constraints as rows.

(M + h D - h^2 K) a = f + h K v - v x* M v + G^T lambda,   G a = b        (S19 1.21, 1.30, 1.73)

or G a >= b and lambda >= 0 for what is kept above zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .._scene.loads import (
    Loads,
    PortSlopes,
    exerted,
    extrapolated_forces,
    on_ports,
    step_terms,
)
from .._scene.rows import Row
from .._spatial.motions import Force, Forces, Motion
from .._spatial.scalar import Scalar
from .._spatial.sums import dot
from .._tree.body_lists import add_lists
from .._tree.tree import BodyList, JointForces, Tree
from .body_rows import UNITS, BodyRows
from .inequalities import with_inequalities
from .joints_as_rows import joint_rows, rates
from .kkt import BodyMatrix, motion, solve_kkt, stiffen


class BodySolution(NamedTuple):
    """What bodies do under forces and rows.

    Attributes:
        a: acceleration of each body, in its own axes.
        y: that of coordinates that belong to no joint.
        wrenches: on each from its parent, through its joint (S19 1.74).
        f_ext: wrench on each body of constraints on links.
        tau: forces of constraints at joints.
        multipliers: of the rows.
    """

    a: BodyList
    y: tuple[Scalar, ...]
    wrenches: BodyList
    f_ext: BodyList
    tau: JointForces
    multipliers: list[Scalar]


class Equations:
    """The equations of a figure's bodies, at X0 with twists v and the coordinates q found there.

    Attributes:
        joints: rows of its joints.
    """

    def __init__(self, tree: Tree, q, qd, X0: BodyList, v: BodyList) -> None:
        self._tree, self._X0, self._v = tree, X0, v
        self._moving = BodyList([motion(qd[0]), *v[1:]])
        self.joints = joint_rows(tree, q, X0, v)
        self._rows = BodyRows(tree, self.joints)

    def solve(
        self, loads: Loads, rows: Sequence[Row], held: BodyList, h: Scalar = None
    ) -> BodySolution:
        """Accelerations under loads and rows, `held` being what joints forbid.

        With h, those of a step of that length, at whose end rows are on velocities.
        """
        f_ext, tau = extrapolated_forces(loads, 0.0 if h is None else h)
        own, joints = [self._rows.of_row(row) for row in rows], self._rows.held(held)
        if h is not None:
            own, joints = ([row._replace(b=(row.b - row.of(self._moving)) / h) for row in each]
                           for each in (own, joints))  # fmt: skip
        A, f = self._matrix(loads.slopes, h), self._forces(f_ext, tau)
        stiffen(A, f, joints, self._tree)
        above = [k for k, row in enumerate(rows) if row.gap is not None]
        loose = self._tree.joint[0].nv
        a, multipliers = with_inequalities(
            lambda active: solve_kkt(A, f, own, joints, loose, active),
            len(f),
            [*own, *joints],
            above,
        )
        on_links, at_joints = self._tree.no_wrenches(), self._tree.no_forces()
        for row, x in zip(rows, multipliers, strict=False):
            exerted(on_links, at_joints, *row.forces(x))
        for each in loads.slopes:
            exerted(f_ext, tau, each.ports, self._change(each, a, h))
        y = (*a[0].ang, *a[0].lin)[:loose]
        a[0] = Motion()
        wrenches = self._wrenches(a, add_lists(tau, at_joints), multipliers[len(rows) :])
        return BodySolution(a, y, wrenches, on_links, at_joints, multipliers[: len(rows)])

    def displacement(self, rows: Sequence[Row], held: BodyList) -> BodyList:
        """The smallest motion, measured by masses, that does what rows and joints say."""
        A, f, joints = self._matrix(), self._tree.no_wrenches(), self._rows.held(held)
        stiffen(A, f, joints, self._tree)
        own = [self._rows.of_row(row) for row in rows]
        return solve_kkt(A, f, own, joints, self._tree.joint[0].nv)[0]

    def _forces(self, f_ext: BodyList, tau: BodyList) -> BodyList:
        """All that acts on each body: gravity, velocity products, elements, forces at joints."""
        tree, f = self._tree, BodyList(f_ext)
        for i in tree.bodies:
            I, rows, p = tree.I[i], self.joints[i], tree.parent[i]
            f[i] = f[i] + I @ (self._X0[i] @ tree.gravity) - self._v[i].cross(I @ self._v[i])
            felt = zip(tau[i], tree.armature[i], rates(rows.W, rows.c), strict=True)
            push = Forces(rows.W) * [x + m * c for x, m, c in felt]
            f[i], f[p] = f[i] + push, f[p] - rows.Xup.T @ push
        f[0] = Force(*motion(tau[0]))
        return f

    def _matrix(self, slopes: Sequence[PortSlopes] = (), h: Scalar = None) -> BodyMatrix:
        """M, with armature at joints, and what slopes of forces add to it."""
        A = BodyMatrix()
        for f, m in zip(UNITS, self._tree.armature[0], strict=False):
            A.add_product({0: f}, {0: f * m})
        for i in self._tree.bodies:
            for f in UNITS:
                A.add_product({i: f}, {i: self._tree.I[i] @ Motion(*f)})
            for m, w in zip(self._tree.armature[i], self.joints[i].W, strict=True):
                A.add([self._rows.between(i, w)], [[m]])
        for each in slopes:
            J = [row for port in each.ports for row in self._rows.of_port(port)]
            A.add(J, step_terms(h, each.K, each.D))
        return A

    def _change(self, slopes: PortSlopes, a: BodyList, h: Scalar) -> list:
        """What forces on ports have changed by at the end of a step, besides h K v."""
        moved = [row.of(a) for port in slopes.ports for row in self._rows.of_port(port)]
        change = [-dot(line, moved) for line in step_terms(h, slopes.K, slopes.D)]
        return on_ports(slopes.ports, change)

    def _wrenches(self, a: BodyList, tau: BodyList, multipliers: Sequence[Scalar]) -> BodyList:
        """What joints transmit: forces at them, less those on armatures, and of constraints."""
        found, left = self._tree.no_wrenches(), iter(multipliers)
        for i in self._tree.bodies:
            rows = self.joints[i]
            qdd = rates(rows.W, a[i] - rows.Xup @ a[self._tree.parent[i]] - rows.c)
            felt = zip(tau[i], self._tree.armature[i], qdd, strict=True)
            held = Forces(rows.C) * [next(left) for _ in rows.C]
            found[i] = held + Forces(rows.W) * [x - m * y for x, m, y in felt]
        return found
