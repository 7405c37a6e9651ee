"""Contact and friction as a complementarity problem, by projected Gauss-Seidel (S19 §1.13).

Each impulse in turn is what ends the velocity along it, the others given, and is cut to what it
may be: pushes and normals are zero or more, tangents within friction times their normal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._graph.iterate import iterate
from .._pages.compiled import HasTree, compile
from .._spatial.scalar import Scalar, absolute, maximum, minimum, where
from .._spatial.sums import dot
from .._tree.tree import Tree
from .frictionless import free_motion
from .velocity_program import ProgramSolution, VelocityProgram


def projected_gauss_seidel(
    D: Sequence[Sequence[Scalar]], u: Sequence[Scalar], friction: Sequence[Scalar],
    start: Sequence[Scalar], sweeps: int, tolerance: Scalar,
) -> tuple[list[Scalar], Scalar, Scalar]:  # fmt: skip
    """Impulses x with u + D x complementary to them; sweeps, and the last change of velocity.

    Args:
        D: velocities that impulses change by (the Delassus matrix N A^-1 N^T).
        u: velocities without impulses, less the least there may be.
        friction: of the points, which have the last impulses, normal and two tangents each.
        start: impulses to begin with.
        sweeps: how many at most.
        tolerance: of velocities.
    """
    others = len(u) - 3 * len(friction)

    def sweep(carried: Any) -> tuple[Any, Scalar]:
        x, _ = carried
        x, worst = list(x), 0.0
        for i, row in enumerate(D):
            point, k = divmod(i - others, 3)
            least, most = 0.0, 1e300
            if i >= others and k:
                most = friction[point] * x[others + 3 * point]
                least = -most
            d = where(row[i] > 0.0, row[i], 1.0)
            free = x[i] - (u[i] + dot(row, x)) / d
            after = minimum(maximum(free, least), most)
            worst, x[i] = maximum(worst, absolute(after - x[i]) * d), after
        return (x, worst), worst < tolerance

    (x, worst), count, _ = iterate(sweep, (list(start), 0.0), sweeps, name="sweep")
    return x, count, worst


def compiled(model: HasTree, pushes: int, points: int, sweeps: int) -> Callable:
    """The page for so many inequalities and points, as native code."""
    n = pushes + 3 * points

    def gauss_seidel(tree: Tree, D, u, friction, start, tolerance) -> tuple:
        return projected_gauss_seidel(D, u, friction, start, sweeps, tolerance)

    shapes = {"D": (n, n), "u": (n,), "friction": (points,), "start": (n,), "tolerance": ()}
    return compile(gauss_seidel, model, shapes=shapes)


def by_gauss_seidel(problem: VelocityProgram, page: Callable, tolerance: float) -> ProgramSolution:
    """The solution of a step, from impulses of zero."""
    free, way = free_motion(problem)
    others, k = len(problem.C), len(problem.N)
    along = np.concatenate([problem.N[:, None], problem.T.reshape(k, 2, len(free))], 1)
    wanted = np.column_stack([problem.n, problem.t.reshape(k, 2)])
    rows = np.concatenate([problem.C, along.reshape(3 * k, len(free))])
    Q, u = rows @ way, rows @ free - np.concatenate([problem.c, wanted.ravel()])
    x, sweeps, worst = page(Q @ Q.T, u, problem.friction, np.zeros(len(u)), tolerance)
    v = free + way @ (Q.T @ x)
    left = problem.A @ v - problem.b - rows.T @ x
    ties = np.linalg.lstsq(problem.G.T, left, rcond=None)[0] if len(problem.G) else np.zeros(0)
    three = x[others:].reshape(k, 3)
    return ProgramSolution(
        v, three[:, 0], three[:, 1:].ravel(), ties, x[:others], int(sweeps), float(worst),
        bool(np.isfinite(x).all()),
    )  # fmt: skip
