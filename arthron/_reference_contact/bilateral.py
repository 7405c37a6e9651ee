"""Bilateral staggered projections: friction inside joints, by their reactions (S19 Alg. 8).

The contact of joints needs no program: the step in reduced coordinates says which wrenches joints
carried, and each joint's points share its own. Loops and ground are rows of that step (S19 2.115,
2.116), and friction of all of them is one program over maximal coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .frictionless import frictionless
from .joint_friction import Bearing
from .quadratic_program import minimum
from .staggered import friction_impulses
from .step_data import Array, StepData, StepPages
from .velocity_program import (
    ContactRows,
    ProgramSolution,
    VelocityProgram,
    block_diagonal,
    row_wrenches,
)


@dataclass(frozen=True)
class Turns:
    """How turns are made and when they end.

    Attributes:
        cones: "box", a number of sides, or "exact", of points with two tangents.
        tolerance: of |change of reactions|^2 / |reactions|^2, in the metric of masses.
        limit: how many at most.
        regularization: what S19 2.114 adds [1/kg]; None for the shortest loads there are.
        felt: what is in velocities that friction sees, of "all", "reactions" and "difference".
    """

    cones: str | int
    tolerance: float
    limit: int
    regularization: float | None = None
    felt: str = "all"


def bilateral(
    data: StepData, pages: StepPages, problem: VelocityProgram, contacts: ContactRows,
    joints: Sequence[Bearing], start: Array, turns: Turns,
) -> tuple[ProgramSolution, Array]:  # fmt: skip
    """Velocities at the end of a step, and impulses of friction on bodies (nb, 6).

    The quadratic velocity term h dJ/dt qd is part of the velocities that reactions come from: S19
    2.113 leaves it out and counts it twice (S19 Alg. 8).
    """
    nb, inverse = len(data.J), np.linalg.inv(data.inertia)
    momentum = np.einsum("bij,bj->bi", data.inertia, data.J @ data.qd) + data.h * data.f
    rows = row_wrenches(data, pages)
    rows[[row.fixes for row in pages.rows]] = 0.0  # these are reactions of the joints they fix
    T = np.concatenate([contacts.T, *(_over(x.points.tangents, x, nb) for x in joints)])
    pairs, single, order = _order(len(contacts.T), joints)
    Q = np.einsum("kbi,bij->kbj", T, np.linalg.cholesky(inverse)).reshape(len(T), 6 * nb)
    surface = np.concatenate([contacts.surface, np.zeros(len(T) - len(contacts.surface))])
    push, beta = start, np.zeros(len(T))
    before, turn = np.zeros((nb, 6)), 0
    while True:
        turn += 1
        on_joints = np.einsum("bij,bi->j", data.J, push)
        found = frictionless(replace(problem, b=problem.b + on_joints))
        outside = _outside(pages, rows, contacts, found)
        twists = data.J @ found.v + data.h * data.c
        reaction = np.einsum("bij,bj->bi", data.inertia, twists) - momentum - push - outside
        if turns.felt == "difference":
            apart, solved = _apart(data, pages, rows, contacts, momentum + push)
            reaction, found = (
                reaction + outside - apart,
                replace(found, solved=found.solved and solved),
            )
        felt = reaction + outside if turns.felt == "all" else reaction
        size, change = (np.einsum("bi,bij,bj->", x, inverse, x) for x in (felt, felt - before))
        residual = float(change / size) if size > 0.0 else 0.0
        if not found.solved or residual < turns.tolerance or turn >= turns.limit:
            break
        before = felt
        loads = _loads(data, pages, joints, reaction, found, rows, inverse, turns)
        slip = np.einsum("kbi,bij,bj->k", T, inverse, momentum + felt) - surface
        bounds = [problem.friction * found.normal]
        bounds += [x.friction * (x.points.loads @ a) for x, a in zip(joints, loads, strict=True)]
        each = np.concatenate([np.repeat(bounds[0], 2), *bounds[1:]])
        radius = np.concatenate([each[pairs[::2]], each[single]])
        part, solved = friction_impulses(Q[order], slip[order], radius, turns.cones, beta[order],
                                         len(single))  # fmt: skip
        beta[order] = part
        push = -np.einsum("k,kbi->bi", beta, T)
        if not solved:
            return replace(found, solved=False), push
    tangential = -beta[: len(contacts.T)]
    return replace(found, tangential=tangential, iterations=turn, residual=residual), push


def reactions(data: StepData, pages: StepPages, on_bodies: Array) -> Array:
    """Wrench through each joint out of what constraints do to bodies: leaves first."""
    F = on_bodies.copy()
    for i in reversed(range(len(F))):
        if pages.parent[i] >= 0:
            F[pages.parent[i]] += data.Xup[i].T @ F[i]
    return F


def _loads(
    data: StepData, pages: StepPages, joints: Sequence[Bearing], reaction: Array,
    found: ProgramSolution, rows: Array, inverse: Array, turns: Turns,
) -> list[Array]:  # fmt: skip
    """Normal impulses of the points of each joint, the least that carry its wrench (S19 2.114)."""
    F = reactions(data, pages, reaction)
    equal = np.array([not row.above for row in pages.rows], bool)
    owners = [row.owner for row in pages.rows if not row.above]
    result = []
    for x in joints:
        L = x.L.reshape(6, -1, 6)
        if x.loop is None:
            f = F[x.body]
            if turns.felt != "difference":
                f = x.held @ f  # without motors and springs
            on_bodies = np.einsum("abi,a->bi", L, f)
        else:
            own = [owner == x.loop for owner in owners]
            on_bodies = np.einsum("k,kbi->bi", found.ties[own], rows[equal][own])
            f = np.linalg.solve(L[:, x.body].T, on_bodies[x.body])
        if turns.regularization is None:
            a = [share @ f for share in x.points.shares]
        else:
            P = np.einsum("abi,bij,cbj->ac", L, inverse, L)
            moved = np.einsum("abi,bij,bj->a", L, inverse, on_bodies)
            more = turns.regularization
            a = [np.linalg.solve(n @ P @ n.T + more * np.eye(len(n)), n @ moved)
                 for n in x.points.normals]  # fmt: skip
        result.append(np.abs(np.concatenate(a)))
    return result


def _outside(pages: StepPages, rows: Array, contacts: ContactRows, found: ProgramSolution) -> Array:
    """Impulses on bodies of rows and normals of contact, which joints do not carry."""
    above = np.array([row.above for row in pages.rows], bool)
    impulses = np.zeros(len(above))
    impulses[~above], impulses[above] = found.ties, found.pushes
    total = np.einsum("k,kbi->bi", impulses, rows)
    return total + np.einsum("k,kbi->bi", found.normal, contacts.N)


def _apart(
    data: StepData, pages: StepPages, rows: Array, contacts: ContactRows, momentum: Array
) -> tuple[Array, bool]:
    """The same impulses if bodies had no joints but kept to rows and contact (S19 2.115)."""
    above = np.array([row.above for row in pages.rows], bool)
    some = np.abs(rows).max((1, 2), initial=0.0) > 0.0
    flat, N = (x.reshape(len(x), momentum.size) for x in (rows, contacts.N))
    equal, other = some & ~above, some & above
    A, C = block_diagonal(data.inertia), np.concatenate([flat[other], N])
    c = np.concatenate([data.b[other], contacts.least])
    found = minimum(A, momentum.ravel(), C, c, flat[equal], data.b[equal])
    return (A @ found.x - momentum.ravel()).reshape(momentum.shape), found.solved


def _over(rows: Array, joint: Bearing, nb: int) -> Array:
    """Wrenches in a joint's axes as rows over bodies."""
    return (rows @ joint.L).reshape(-1, nb, 6)


def _order(outside: int, joints: Sequence[Bearing]) -> tuple[Array, Array, Array]:
    """Tangents by twos, those by themselves, and all in this order."""
    pairs, single, k = list(range(outside)), list[int](), outside
    for x in joints:
        n, two = len(x.points.tangents), x.points.pairs
        pairs += range(k, k + two)
        single += range(k + two, k + n)
        k += n
    return np.array(pairs, int), np.array(single, int), np.array(pairs + single, int)
