"""Contact without friction as a quadratic program, and its dual (S19 §1.11, 1.13)."""

from __future__ import annotations

import numpy as np

from .quadratic_program import affine, bounded_minimum, minimum
from .velocity_program import ProgramSolution, VelocityProgram


def frictionless(problem: VelocityProgram) -> ProgramSolution:
    """Velocities with 1/2 v^T A v - b^T v least while N v >= n (S19 1.79, 2.101).

    Multipliers of the rows N are impulses, zero or more.
    """
    C, c = problem.rows()
    found = minimum(problem.A, problem.b, C, c, problem.G, problem.g)
    pushes, normal = np.split(found.forces, [len(problem.C)])
    nothing = np.zeros(2 * len(normal))
    return ProgramSolution(found.x, normal, nothing, found.ties, pushes, solved=found.solved)


def frictionless_dual(problem: VelocityProgram) -> ProgramSolution:
    """Impulses with 1/2 a^T N A^-1 N^T a + a^T (N v* - n) least, a >= 0 (S19 1.83).

    Then A v = b + N^T a, the sign of which S19 1.84 has wrong. A^-1 is that of motions which the
    equations leave free, and v* what would be without contact.
    """
    C, c = problem.rows()
    free, way = free_motion(problem)
    Q = C @ way
    a, solved = bounded_minimum(
        Q, c - C @ free, -np.eye(len(C)), np.zeros(len(C)), np.zeros(len(C))
    )
    a = np.maximum(a, 0.0)
    v = free + way @ (Q.T @ a)
    left = problem.A @ v - problem.b - C.T @ a
    ties = np.linalg.lstsq(problem.G.T, left, rcond=None)[0] if len(problem.G) else np.zeros(0)
    pushes, normal = np.split(a, [len(problem.C)])
    return ProgramSolution(v, normal, np.zeros(2 * len(normal)), ties, pushes, solved=solved)


def free_motion(problem: VelocityProgram) -> tuple[np.ndarray, np.ndarray]:
    """Velocities without contact, and B with B B^T = A^-1 in what equations leave free."""
    start, Z = affine(problem.G, problem.g)
    L = np.linalg.cholesky(Z.T @ problem.A @ Z)
    way = np.linalg.solve(L, Z.T).T
    return start + way @ (way.T @ (problem.b - problem.A @ start)), way
