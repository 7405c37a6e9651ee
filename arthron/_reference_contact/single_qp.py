"""Contact and friction in a single quadratic program, with pyramids (S19 §1.13)."""

from __future__ import annotations

import numpy as np

from .quadratic_program import minimum
from .velocity_program import ProgramSolution, VelocityProgram


def single_qp(problem: VelocityProgram, sides: int) -> ProgramSolution:
    """The program of S19 1.88, in velocities: that one is its dual.

    Impulses of a point are sums of those along the edges n + mu d of its pyramid, each zero or
    more, with d in `sides` directions across the normal n. What slides lifts off with mu times its
    speed, which is what comes of one convex program.
    """
    angle = 2.0 * np.pi * np.arange(sides) / sides
    d = np.column_stack([np.cos(angle), np.sin(angle)])  # (sides, 2)
    k = len(problem.N)
    T = problem.T.reshape(k, 2, len(problem.b))
    mu = problem.friction[:, None]
    edges = problem.N[:, None] + mu[..., None] * np.einsum("sd,kdv->ksv", d, T)
    least = problem.n[:, None] + mu * (problem.t.reshape(k, 2) @ d.T)
    C = np.concatenate([problem.C, edges.reshape(k * sides, len(problem.b))])
    c = np.concatenate([problem.c, least.ravel()])
    found = minimum(problem.A, problem.b, C, c, problem.G, problem.g)
    pushes, along = np.split(found.forces, [len(problem.C)])
    along = along.reshape(k, sides)
    tangential = (mu * along) @ d
    return ProgramSolution(
        found.x, along.sum(1), tangential.ravel(), found.ties, pushes, solved=found.solved
    )
