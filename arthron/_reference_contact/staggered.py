"""Staggered projections: contact and friction in turn, each a quadratic program (S19 Alg. 7)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .frictionless import free_motion, frictionless
from .quadratic_program import Array, bounded_minimum
from .velocity_program import ProgramSolution, VelocityProgram

NOTHING = 1e-13
"""Loads below this, beside the largest, are none."""
ROUND, STEPS = 1e-13, 20_000
"""Change of impulses in exact cones at which steps end, beside the largest radius, and the most."""


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
    if not loaded.any():
        return np.zeros(len(slip)), True
    if not loaded.all():
        rows, beta = np.concatenate([np.repeat(loaded[:k], 2), loaded[k:]]), np.zeros(len(slip))
        beta[rows], solved = friction_impulses(
            Q[rows], slip[rows], radius[loaded], cones, start[rows], int(loaded[k:].sum())
        )
        return beta, solved
    if cones == "exact":
        return within_circles(Q, slip, radius, start, single), True
    angles, first = [np.arange(4) * np.pi / 2.0] * k, radius
    if isinstance(cones, int):
        angles = [(2.0 * np.arange(cones) + 1.0) * np.pi / cones] * k
        first = np.concatenate([radius[:k] * np.cos(np.pi / cones), radius[k:]])
    return bounded_minimum(Q, slip, *_planes(angles, first, single), start)


def within_circles(Q: Array, slip: Array, radius: Array, start: Array, single: int) -> Array:
    """The same within circles, which is no quadratic program: steps down, and back into cones.

    Each starts from where the last two lead, unless that leads up again (an accelerated projected
    gradient with restarts).
    """
    k = len(radius) - single
    D = Q @ Q.T
    rate = 1.0 / max(float(np.linalg.eigvalsh(D)[-1]), 1e-300)
    x = y = start
    speed = 1.0
    for _ in range(STEPS):
        z = y + rate * (slip - D @ y)
        two = z[: 2 * k].reshape(k, 2)
        size = np.maximum(np.hypot(*two.T), 1e-300)
        inside = (two * np.minimum(1.0, radius[:k] / size)[:, None]).ravel()
        after = np.concatenate([inside, np.clip(z[2 * k :], -radius[k:], radius[k:])])
        if np.abs(after - y).max() <= ROUND * radius.max():
            return after
        again = (y - after) @ (after - x) > 0.0
        faster = 1.0 if again else 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * speed * speed))
        y = after if again else after + (speed - 1.0) / faster * (after - x)
        x, speed = after, faster
    return x


def _planes(angles: list[Array], radius: Array, single: int) -> tuple[Array, Array]:
    """Half-planes that touch circles at such angles, and intervals, as rows C beta <= c."""
    k, many = len(angles), [len(x) for x in angles]
    n = sum(many)
    C = np.zeros((n + 2 * single, 2 * k + single))
    point, every = np.repeat(np.arange(k), many), np.concatenate([*angles, np.zeros(0)])
    C[np.arange(n), 2 * point], C[np.arange(n), 2 * point + 1] = np.cos(every), np.sin(every)
    C[n:, 2 * k :] = np.concatenate([np.eye(single), -np.eye(single)])
    return C, np.concatenate([np.repeat(radius[:k], many), np.tile(radius[k:], 2)])
