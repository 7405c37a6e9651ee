"""Forces and impulses that keep to given constraints, and the inertia felt at a point."""

from __future__ import annotations

from collections.abc import Sequence

from .._spatial.linear_algebra import Ldl, add_diagonal
from .._spatial.scalar import Scalar
from .._tree.tree import JointForces, Tree
from .crba import crba
from .dynamics import bias_forces
from .kinematics import point_jacobian

Rows = Sequence[Sequence[Scalar]]


def constrained_dynamics(
    tree: Tree, q, qd, tau, G, b, f_ext, *, damping: float
) -> tuple[list, list]:
    """(qdd, forces): M qdd + bias = tau + G^T forces, with G qdd = b (S19 2.94, 2.96; RBDA §8.1).

    `damping` softens the constraints, G qdd + damping * forces = b, so that rows which say the same
    twice do no harm.
    """
    M, bias = Ldl(tree.matrix(crba(tree, q))), tree.vector(bias_forces(tree, q, qd, f_ext))
    free = M.solve([t - c for t, c in zip(tree.vector(JointForces(tau)), bias, strict=True)])
    off = [x - y for x, y in zip(b, _times(G, free), strict=True)]
    return _corrected(M, G, free, off, damping)


def constraint_impulse(tree: Tree, q, qd, G, *, restitution: float, damping: float) -> tuple:
    """(qd, impulses) just after an impact, from qd before (S19 2.97; RBDA §11.7).

    M (qd after - qd before) = G^T impulses, and G qd after = -restitution G qd before.
    """
    M, before = Ldl(tree.matrix(crba(tree, q))), tree.vector(qd)
    off = [-(1.0 + restitution) * x for x in _times(G, before)]
    return _corrected(M, G, before, off, damping)


def mobility(tree: Tree, q, point, *, body: int, X, axes: str) -> list[list]:
    """J M^-1 J^T of a point fixed in a frame: twist gained per impulse, 6 x 6."""
    J = point_jacobian(tree, q, point, body=body, X=X, axes=axes)
    G = tree.matrix(J)
    M = Ldl(tree.matrix(crba(tree, q)))
    return _gram(G, [M.solve(row) for row in G])


def operational_inertia(tree: Tree, q, point, *, body: int, X, axes: str) -> list[list]:
    """(J M^-1 J^T)^-1: the inertia felt at a point; infinite where joints cannot move it."""
    return Ldl(mobility(tree, q, point, body=body, X=X, axes=axes)).inverse()


def _corrected(M: Ldl, G: Rows, x: Sequence[Scalar], off: list, damping: float) -> tuple:
    """x + M^-1 G^T f with G M^-1 G^T f + damping f = off, and f."""
    Y = [M.solve(row) for row in G]
    f = Ldl(add_diagonal(_gram(G, Y), [damping] * len(G))).solve(off)
    turned = zip(*Y, strict=True) if Y else [()] * len(x)
    return [a + b for a, b in zip(x, _times(turned, f), strict=True)], list(f)


def _times(A, x: Sequence[Scalar]) -> list[Scalar]:
    return [sum((a * b for a, b in zip(row, x, strict=True)), 0.0) for row in A]


def _gram(G: Rows, Y: Rows) -> list[list[Scalar]]:
    """G Y^T, symmetric to the last digit."""
    lower = [_times(Y[: i + 1], row) for i, row in enumerate(G)]
    return [[lower[max(i, j)][min(i, j)] for j in range(len(G))] for i in range(len(G))]
