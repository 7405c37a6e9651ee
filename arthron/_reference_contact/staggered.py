"""Staggered projections: contact and friction in turn, each a quadratic program (S19 Alg. 7)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .circle_program import within_circles
from .frictionless import free_motion, frictionless
from .quadratic_program import Array, bounded_minimum, box_minimum
from .velocity_program import ProgramSolution, VelocityProgram

NOTHING = 1e-13
"""Loads below this, beside the largest, are none."""


def staggered(
    problem: VelocityProgram, cones: str | int, start: Array, tolerance: float, limit: int
) -> ProgramSolution:
    """Contact with the impulses of friction given, friction with those of contact, and again.

    Args:
        problem: the step.
        cones: "box", a number of sides, or "exact".
        start: impulse of friction on v to begin with, that of the step before say.
        tolerance: of |change of contact|^2 / |contact|^2, in the metric of A^-1.
        limit: turns at most.
    """
    _, way = free_motion(problem)
    Q = problem.T @ way
    push, beta = start, np.zeros(len(problem.T))
    before, residual, turn = np.zeros(len(problem.b)), np.inf, 0
    while True:
        turn += 1
        found = frictionless(replace(problem, b=problem.b + push))
        contact = problem.A @ found.v - problem.b - push  # of equations and limits, too
        size, change = (np.sum((way.T @ x) ** 2) for x in (contact, contact - before))
        residual = float(change / size) if size > 0.0 else 0.0
        if not found.solved or residual < tolerance or turn >= limit:
            break
        before = contact
        slip = problem.T @ (found.v - way @ (way.T @ push)) - problem.t  # friction taken away
        radius = problem.friction * found.normal
        beta, solved = friction_impulses(Q, slip, radius, cones, beta)
        push = -problem.T.T @ beta
        if not solved:
            return replace(found, solved=False)
    return replace(found, tangential=-beta, iterations=turn, residual=residual)


def friction_impulses(
    Q: Array, slip: Array, radius: Array, cones: str | int, start: Array, single: int = 0
) -> tuple[Array, bool]:
    """beta with 1/2 |Q^T beta|^2 - beta^T slip least within cones of such radii (S19 2.110).

    Args:
        Q: tangents times B, with B B^T = A^-1.
        slip: tangential velocities without friction, two of each point.
        radius: friction times the normal impulse of each point.
        cones: "box" for |beta| <= radius along each tangent, which is up to sqrt(2) too much;
            a number of sides for a polygon inside of the circle; "exact" for the circle.
        start: where to begin.
        single: how many points, the last ones, have one tangent and not two.
    """
    k = len(radius) - single
    loaded = radius > NOTHING * radius.max(initial=0.0)
    if not loaded.all() or not loaded.size:
        rows = np.concatenate([np.repeat(loaded[:k], 2), loaded[k:]])
        beta, solved = np.zeros(len(slip)), True
        if rows.any():
            beta[rows], solved = friction_impulses(
                Q[rows], slip[rows], radius[loaded], cones, start[rows], int(loaded[k:].sum())
            )
        return beta, solved
    if cones == "box" or not k:
        return box_minimum(Q, slip, np.concatenate([np.repeat(radius[:k], 2), radius[k:]]), start)
    if isinstance(cones, int):
        angles = [(2.0 * np.arange(cones) + 1.0) * np.pi / cones] * k
        inner = np.concatenate([radius[:k] * np.cos(np.pi / cones), radius[k:]])
        return bounded_minimum(Q, slip, *_planes(angles, inner, single), start)
    return within_circles(Q, slip, radius, single)


def _planes(angles: list[Array], radius: Array, single: int) -> tuple[Array, Array]:
    """Half-planes that touch circles at such angles, and intervals, as rows C beta <= c."""
    k, many = len(angles), [len(x) for x in angles]
    n = sum(many)
    C = np.zeros((n + 2 * single, 2 * k + single))
    point, every = np.repeat(np.arange(k), many), np.concatenate([*angles, np.zeros(0)])
    C[np.arange(n), 2 * point], C[np.arange(n), 2 * point + 1] = np.cos(every), np.sin(every)
    C[n:, 2 * k :] = np.concatenate([np.eye(single), -np.eye(single)])
    return C, np.concatenate([np.repeat(radius[:k], many), np.tile(radius[k:], 2)])
