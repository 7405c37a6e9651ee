"""A step with contact as a problem in velocities, in reduced or in maximal coordinates.

    least of 1/2 v^T A v - b^T v,   G v = g,   C v >= c,   N v >= n

N v are normal velocities of points (S19 1.76) and T v, two of each, tangential ones. In maximal
coordinates v are twists of all bodies, less what they change by while qd does not, h dJ/dt qd:
joints are rows of G then (S19 1.69), and both have the same solution and the same impulses.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._scene.rows import Approach
from ..errors import SimulationError
from .step_data import Array, StepData, StepPages

SLOW = 0.01
"""What meets more slowly does not bounce [m/s]."""
RECOVERY = Approach(near=1e-3)
"""How what overlaps comes apart, unless at a given rate."""


@dataclass(frozen=True, eq=False)
class VelocityProgram:
    """A step with contact.

    Attributes:
        A: matrix of the step.
        b: momentum at its end without contact.
        G: equations.
        g: what they are equal to.
        C: inequalities other than contact: limits of joints, ropes.
        c: what they are not to be below.
        N: normals of the points that are near.
        n: least normal velocities.
        T: two tangents of each of them.
        t: velocities of surfaces along these.
        friction: coefficients.
        rates: velocity coordinates are this times v.
    """

    A: Array
    b: Array
    G: Array
    g: Array
    C: Array
    c: Array
    N: Array
    n: Array
    T: Array
    t: Array
    friction: Array
    rates: Array

    def rows(self) -> tuple[Array, Array]:
        """All inequalities, those of contact behind the others."""
        return np.concatenate([self.C, self.N]), np.concatenate([self.c, self.n])


@dataclass(frozen=True, eq=False)
class ProgramSolution:
    """What a method finds.

    Attributes:
        v: velocities of the problem.
        normal: normal impulse of each point.
        tangential: two impulses along the tangents of each.
        ties: impulse of each equation.
        pushes: impulse of each inequality other than contact.
        iterations: passes.
        residual: what they left over, as the method measures it.
        solved: whether it is a solution.
    """

    v: Array
    normal: Array
    tangential: Array
    ties: Array
    pushes: Array
    iterations: int = 1
    residual: float = 0.0
    solved: bool = True


def near_points(data: StepData, pages: StepPages, gamma: float | None) -> tuple[Array, Array]:
    """Which points may touch in a step, and their least normal velocities.

    With a rate gamma these are points that overlap, and they come apart at that rate (S19 1.81).
    """
    gap, h = data.gap, data.h
    if gamma is not None:
        near = np.flatnonzero(gap < 0.0)
        return near, -gamma * gap[near]
    free = np.linalg.solve(data.A, data.momentum)
    u, later = (point_velocities(data, pages, v) for v in (data.qd, free))
    reach = 2.0 * (np.linalg.norm(u, axis=1) + np.linalg.norm(later, axis=1)) + 1.0
    near = np.flatnonzero(gap < h * reach)
    least = np.array([float(RECOVERY.least_rate(x, h)) for x in gap[near]])
    approach = np.einsum("ki,ki->k", data.normal[near], u[near])
    meets = (gap[near] + h * approach < 0.0) & (approach < -SLOW)
    back = -data.restitution[near] * approach
    return near, np.where(meets & (data.restitution[near] > 0.0), np.maximum(least, back), least)


def point_wrenches(data: StepData, body: int, point: Array, direction: Array) -> Array:
    """The wrench of a unit force at a point of the world on a body, in the body's axes."""
    d, r = data.R[body].T @ direction, data.R[body].T @ (point - data.p[body])
    return np.concatenate([np.cross(r, d), d])


def point_rows(data: StepData, pages: StepPages, which: Array, directions: Array) -> Array:
    """Rows over twists of all bodies: velocities of points along directions, (k, nb, 6)."""
    rows = np.zeros((len(which), len(data.J), 6))
    for row, k, direction in zip(rows, which, directions, strict=True):
        for body, sign in zip(pages.bodies[k], (1.0, -1.0), strict=True):
            if body >= 0:
                row[body] += sign * point_wrenches(data, body, data.point[k], direction)
    return rows


def point_velocities(data: StepData, pages: StepPages, qd: Array) -> Array:
    """Velocities of all points in the world, of one body as seen from the other."""
    every = np.arange(len(data.gap))
    twists = data.J @ qd
    along = [point_rows(data, pages, every, np.tile(e, (len(every), 1))) for e in np.eye(3)]
    return np.stack([np.einsum("kbi,bi->k", rows, twists) for rows in along], 1)


def tangents(normal: Array) -> Array:
    """Two unit vectors across each normal, (k, 2, 3)."""
    found = np.zeros((len(normal), 2, 3))
    for two, n in zip(found, normal, strict=True):
        e = np.eye(3)[np.argmin(np.abs(n))]
        two[0] = e - (e @ n) * n
        two[0] /= np.linalg.norm(two[0])
        two[1] = np.cross(n, two[0])
    return found


@dataclass(frozen=True, eq=False)
class ContactRows:
    """Points that are near, as rows over twists of bodies.

    Attributes:
        which: their numbers.
        least: least normal velocities.
        N: rows of normals, (k, nb, 6).
        T: rows of tangents, (2 k, nb, 6).
        axes: normal and tangents in the world, (k, 3, 3).
        friction: coefficients.
        surface: velocities of surfaces along tangents, (2 k).
    """

    which: Array
    least: Array
    N: Array
    T: Array
    axes: Array
    friction: Array
    surface: Array

    @staticmethod
    def of(data: StepData, pages: StepPages, gamma: float | None = None) -> ContactRows:
        """The points of a state."""
        which, least = near_points(data, pages, gamma)
        normal = data.normal[which]
        two = tangents(normal)
        N = point_rows(data, pages, which, normal)
        T = point_rows(data, pages, np.repeat(which, 2), two.reshape(-1, 3))
        surface = np.einsum("kti,ki->kt", two, data.surface[which]).ravel()
        axes = np.concatenate([normal[:, None], two], 1)
        return ContactRows(which, least, N, T, axes, data.friction[which], surface)

    def forces(self, solution: ProgramSolution, h: float) -> Array:
        """Mean force at each point over a step, in the world."""
        impulses = np.column_stack([solution.normal, solution.tangential.reshape(-1, 2)])
        return np.einsum("ka,kai->ki", impulses, self.axes) / h


def problem(
    data: StepData, pages: StepPages, contacts: ContactRows, coordinates: str = "reduced"
) -> VelocityProgram:
    """The problem of a step, in "reduced" or "maximal" coordinates."""
    above = np.array([row.above for row in pages.rows], bool)
    nb, nv = len(data.J), len(data.qd)
    maximal = coordinates == "maximal"
    if maximal:
        W = joint_rates(data, pages)
        A = block_diagonal(data.inertia) + W.T * data.axial @ W
        own = np.einsum("bij,bj->bi", data.inertia, data.J @ data.qd - data.h * data.c)
        b = (own + data.h * data.f).ravel() + W.T @ (data.axial * data.qd + data.h * data.tau)
        rows = row_wrenches(data, pages).reshape(-1, 6 * nb)
        K = joint_constraints(data, pages)
        A = A + np.trace(A) / len(A) * K.T @ K  # which is zero, and bodies may have no mass
    else:
        A, b, W, rows, K = data.A, data.momentum, np.eye(nv), data.G, np.zeros((0, nv))

    def across(over: Array) -> Array:
        flat = over.reshape(-1, 6 * nb)
        return flat if maximal else flat @ data.J.reshape(-1, nv)

    return VelocityProgram(
        A, b, np.concatenate([K, rows[~above]]), np.concatenate([np.zeros(len(K)), data.b[~above]]),
        rows[above], data.b[above], across(contacts.N), contacts.least, across(contacts.T),
        contacts.surface, contacts.friction, W,
    )  # fmt: skip


def block_diagonal(blocks: Array) -> Array:
    """Blocks of bodies as one matrix."""
    nb = len(blocks)
    found = np.zeros((nb, 6, nb, 6))
    for i, block in enumerate(blocks):
        found[i, :, i] = block
    return found.reshape(6 * nb, 6 * nb)


def relative(data: StepData, pages: StepPages) -> Array:
    """Rows that tell how each body moves as its parent sees it, (nb, 6, 6 nb)."""
    nb = len(data.J)
    L = np.zeros((nb, 6, nb, 6))
    for i, parent in enumerate(pages.parent):
        L[i, :, i] = np.eye(6)
        if parent >= 0:
            L[i, :, parent] = -data.Xup[i]
    return L.reshape(nb, 6, 6 * nb)


def motions(data: StepData, pages: StepPages) -> list[Array]:
    """S of each joint over its own coordinates: over others it is nothing but rounding."""
    over = relative(data, pages) @ data.J.reshape(-1, len(data.qd))
    return [S[:, own] for S, own in zip(over, pages.own, strict=True)]


def joint_rates(data: StepData, pages: StepPages) -> Array:
    """W, with qd = W v of twists v of all bodies."""
    W = np.zeros((len(data.qd), 6 * len(data.J)))
    for L, S, own in zip(relative(data, pages), motions(data, pages), pages.own, strict=True):
        W[own] = np.linalg.pinv(S) @ L
    return W


def row_wrenches(data: StepData, pages: StepPages) -> Array:
    """Wrenches of each row on bodies (rows, nb, 6), also of what acts along coordinates alone."""
    rows = data.on_bodies.reshape(-1, 6 * len(data.J))
    at_joints = data.G - rows @ data.J.reshape(-1, len(data.qd))
    return (rows + at_joints @ joint_rates(data, pages)).reshape(data.on_bodies.shape)


def joint_constraints(data: StepData, pages: StepPages) -> Array:
    """Rows of all joints over twists of bodies: what their motions leave out (S19 1.69)."""
    L, S = relative(data, pages), motions(data, pages)
    found = []
    for rows, columns in zip(L, S, strict=True):
        U, s, _ = np.linalg.svd(columns)
        found.append(U[:, int((s > 1e-9).sum()) :].T @ rows)
    return np.concatenate(found) if found else np.zeros((0, L.shape[-1]))


def check_tree(setup, who: str) -> None:
    """Refuse joints that follow others, which have no rows between two bodies."""
    tree = setup.scene.model.tree
    if tree.followers or tree.joint[0].nv:
        raise SimulationError(
            f"{who} has each joint between two bodies, and in this figure joints follow others. "
            "Use reduced coordinates without friction inside joints, or another integrator."
        )
