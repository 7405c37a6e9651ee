"""Convex quadratic programs, solved exactly by DAQP's dual active sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..errors import SimulationError

Array = np.ndarray
FEASIBLE = (1e-11, 1e-9, 1e-7)
"""By how much rows of unit length may be broken, beside the largest number in the problem: the
first with which rounding lets the solver end."""
SINGULAR = 1e-7
"""What is added to a singular matrix in each of several solutions, beside its largest entry."""
SETTLED, PUSHES = 1e-11, 1e-9
"""Change of a solution that is none, and multipliers of rows that push, beside the largest."""
ROUNDS = 50
"""Solutions of a singular problem, or rounds of cuts, at most."""
DEPENDENT = 1e-10
"""Rows of equations that are shorter than this beside the others are left out."""


class Minimum(NamedTuple):
    """What a program ends with.

    Attributes:
        x: where it is least.
        forces: multiplier of each inequality, zero or more.
        ties: multiplier of each equation.
        solved: whether the solver says that this is it.
    """

    x: Array
    forces: Array
    ties: Array
    solved: bool


def solver() -> Callable:
    """DAQP's `solve`, if it is there."""
    try:
        import daqp  # type: ignore[import-not-found]
    except ImportError:
        raise SimulationError(
            "this method solves quadratic programs with DAQP, which is not installed. Run "
            '`pip install "arthron[exact]"`, or `pip install daqp`.'
        ) from None
    return daqp.solve


def least_norm(R: Array, r: Array) -> tuple[Array, Array, bool]:
    """The shortest x with R x >= r, and multipliers of these rows: x = R^T forces.

    Rows that are zero are left out: nothing moves what they hold.
    """
    m, n = R.shape
    x, forces = np.zeros(n), np.zeros(m)
    size = np.linalg.norm(R, axis=1)
    rows = np.flatnonzero((size > 1e-12 * max(size.max(initial=0.0), 1e-300)) & (r > -1e29))
    if not rows.size or (r[rows] <= 0.0).all():
        return x, forces, True
    A, b = R[rows] / size[rows, None], r[rows] / size[rows]
    scale = max(float(b.max()), 1e-300)  # then the solution is about as long as one
    given = np.eye(n), np.zeros(n), np.ascontiguousarray(A), np.full(len(rows), 1e30), b / scale
    for tolerance in FEASIBLE:
        found, _, flag, info = solver()(
            *given, np.zeros(len(rows), np.intc), primal_tol=tolerance, dual_tol=tolerance,
            iter_limit=10_000,
        )  # fmt: skip
        found = np.asarray(found) * scale
        if flag == 1 and np.isfinite(found).all():
            forces[rows] = np.maximum(0.0, -np.asarray(info["lam"])) * scale / size[rows]
            return found, forces, True
    return x, forces, False


def minimum(
    A: Array, b: Array, C: Array, c: Array, G: Array | None = None, g: Array | None = None
) -> Minimum:
    """The least of 1/2 x^T A x - b^T x with C x >= c and G x = g; A is positive definite.

    Equations may say the same twice: x moves in what they leave free. There the program is that of
    the shortest vector, in the metric of A.
    """
    n = len(b)
    G, g = (np.zeros((0, n)), np.zeros(0)) if G is None or g is None else (G, g)
    start, Z = affine(G, g)
    L = np.linalg.cholesky(Z.T @ A @ Z)
    way = np.linalg.solve(L, Z.T).T  # x = free + way z, with |z|^2 / 2 to be least
    free = start + way @ (way.T @ (b - A @ start))
    z, forces, solved = least_norm(C @ way, c - C @ free)
    x = free + way @ z
    left = A @ x - b - C.T @ forces
    ties = np.linalg.lstsq(G.T, left, rcond=None)[0] if len(G) else np.zeros(0)
    return Minimum(x, forces, ties, solved)


def affine(G: Array, g: Array) -> tuple[Array, Array]:
    """A solution of G x = g, the nearest if there is none, and an orthonormal basis of G x = 0."""
    n = G.shape[1]
    if not len(G):
        return np.zeros(n), np.eye(n)
    size = np.linalg.norm(G, axis=1)
    size[size == 0.0] = 1.0
    U, s, Vt = np.linalg.svd(G / size[:, None])
    rank = int((s > DEPENDENT * s.max(initial=0.0)).sum())
    start = Vt[:rank].T @ ((U[:, :rank].T @ (g / size)) / s[:rank])
    return start, Vt[rank:].T


def bounded_minimum(Q: Array, u: Array, C: Array, c: Array, start: Array) -> tuple[Array, bool]:
    """The least of 1/2 |Q^T x|^2 - u^T x with C x <= c, from a start.

    Q Q^T may be singular: a small multiple of the distance from the last solution is added until
    Q^T x hardly changes (a proximal point method). Then it is known which rows push, and with these
    as equations the rest is linear.
    """
    D = Q @ Q.T
    more = SINGULAR * max(float(np.abs(np.diag(D)).max(initial=0.0)), 1e-300)
    L = np.linalg.cholesky(D + more * np.eye(len(D)))
    way = np.linalg.solve(L, np.eye(len(D))).T
    x, forces = start, np.zeros(len(C))
    for _ in range(ROUNDS):
        free = way @ (way.T @ (u + more * x))
        z, forces, solved = least_norm(-C @ way, C @ free - c)
        if not solved:
            return start, False
        after = free + way @ z
        before, now = Q.T @ x, Q.T @ after
        x = after
        if np.abs(now - before).max(initial=0.0) <= SETTLED * np.abs(now).max(initial=0.0):
            break
    size = np.abs(C @ u).max(initial=0.0)
    push = forces > PUSHES * size
    offset, Z = affine(C[push], c[push] - C[push] @ x)
    moved = x + offset
    left = Z.T @ (u - Q @ (Q.T @ moved))
    return moved + Z @ np.linalg.lstsq(Z.T @ D @ Z, left, rcond=1e-11)[0], True


def box_minimum(Q: Array, u: Array, most: Array, start: Array) -> tuple[Array, bool]:
    """The same with |x| <= most, the bounds of each unknown by itself, all above zero."""
    D, n = Q @ Q.T, len(most)
    size, scale = max(float(np.abs(np.diag(D)).max(initial=0.0)), 1e-300), float(most.max())
    A, most = D / size + SINGULAR * np.eye(n), most / scale  # numbers about as large as one
    f, x = u / (size * scale), start / scale
    none, kinds = np.zeros((0, n)), np.zeros(n, np.intc)
    for _ in range(ROUNDS):
        for tolerance in FEASIBLE:
            after, _, flag, _ = solver()(
                A, -(f + SINGULAR * x), none, most, -most, kinds, primal_tol=tolerance,
                dual_tol=tolerance, iter_limit=10_000,
            )  # fmt: skip
            if flag == 1 and np.isfinite(after).all():
                break
        else:
            return start, False
        before, now, x = Q.T @ x, Q.T @ after, np.asarray(after)
        if np.abs(now - before).max(initial=0.0) <= SETTLED * np.abs(now).max(initial=0.0):
            break
    return x * scale, True
