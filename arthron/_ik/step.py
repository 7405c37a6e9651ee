"""One step of damped least squares within joint limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .._model.model import Model
from .._spatial.linear_algebra import Ldl
from .._spatial.scalar import Scalar, is_zero, minimum, where
from .._spatial.sums import dot, total
from .targets import Rows

DAMPING = 0.05
"""Damping over half the squared error: much of it far away, none at the target (S11)."""


class Limit(NamedTuple):
    """Limits of a coordinate.

    Attributes:
        v: which velocity coordinate.
        q: which entry of q.
        low: least value.
        high: greatest value.
    """

    v: int
    q: int
    low: float
    high: float


def limits(model: Model) -> list[Limit]:
    """Limits of coordinates whose rates are velocities; quaternions and charts have none."""
    tree, low, high = model.tree, model.q_lower, model.q_upper
    found = []
    for i in tree.own:
        joint = tree.joint[i]
        if joint.nq == joint.nv:
            for v, q in enumerate(range(tree.q_start[i], tree.q_start[i + 1]), tree.v_start[i]):
                if np.isfinite(low[q]) or np.isfinite(high[q]):
                    found.append(Limit(v, q, float(low[q]), float(high[q])))
    return found


def step(
    rows: Rows,
    q: Sequence[Scalar],
    dq0: Sequence[Scalar],
    limit_gradient: Sequence[Scalar] | None,
    within: Sequence[Limit],
    damping: Scalar,
) -> tuple[list[Scalar], list[Scalar]]:
    """The displacement dq, and where coordinates with limits would go without them.

    min |r - J dq|^2 + damping |dq - dq0|^2 over the coordinates that are not at an active limit:
    dq = dq0 + J^T (J J^T + damping)^-1 (r - J dq0), or the same by way of J^T J where that is
    smaller. Limits are active where `limit_gradient`, or else J^T r, points beyond them.

    Args:
        rows: residuals r and their derivatives J.
        q: coordinates.
        dq0: displacement that coordinates should have which the residuals leave open.
        limit_gradient: where coordinates with limits would have gone in the step before.
        within: the limits.
        damping: how much displacements cost; no more than `DAMPING` times the squares of J.
    """
    r = [x for x, _ in rows]
    columns = {k: [J[k] for _, J in rows] for k in range(len(dq0))}
    columns = {k: c for k, c in columns.items() if any(not is_zero(x) for x in c)}
    still = [0.0] * len(r)
    if limit_gradient is None:
        limit_gradient = [dot(columns.get(limit.v, still), r) for limit in within]
    free: dict[int, Scalar] = dict.fromkeys(range(len(dq0)), 1.0)
    for (v, at, low, high), x in zip(within, limit_gradient, strict=True):
        active = ((q[at] <= low) & (x < 0.0)) | ((q[at] >= high) & (x > 0.0))
        free[v] = where(active, 0.0, 1.0)
    loose = {k: [x * free[k] for x in c] for k, c in columns.items()}
    b = [x - total(c[i] * dq0[k] for k, c in loose.items()) for i, x in enumerate(r)]
    if len(r) <= len(columns):
        wanted = list(dq0)
        A = [[total(loose[k][i] * c[j] for k, c in columns.items()) if j <= i else 0.0
              for j in range(len(r))] for i in range(len(r))]  # fmt: skip
        A, _ = _damped(A, damping)
        y = Ldl(A).solve(b)
        for k, c in columns.items():
            wanted[k] = dq0[k] + dot(c, y)
        return [x * free[k] for k, x in enumerate(wanted)], [wanted[k] for k, *_ in within]
    A = [[dot(c, d) if j <= k else 0.0 for j, d in loose.items()] for k, c in loose.items()]
    A, extra = _damped(A, damping)
    x = dict(zip(loose, Ldl(A).solve([dot(c, b) for c in loose.values()]), strict=True))
    left = [e - total(c[i] * x[k] for k, c in loose.items()) for i, e in enumerate(b)]
    against = {k: extra * dq0[k] + dot(columns.get(k, still), left) for k, *_ in within}
    limit_gradient = [where(free[k], dq0[k] + x.get(k, 0.0), against[k]) for k, *_ in within]
    return [(dq0[k] + x.get(k, 0.0)) * free[k] for k in range(len(dq0))], limit_gradient


def _damped(A: list[list[Scalar]], damping: Scalar) -> tuple[list[list[Scalar]], Scalar]:
    """A with damping on its diagonal, bounded by the sum of that, and how much it was."""
    trace = total(A[i][i] for i in range(len(A)))
    extra = minimum(damping, DAMPING * trace) + 1e-12 * trace + 1e-30
    return [[x + extra if i == j else x for j, x in enumerate(row)]
            for i, row in enumerate(A)], extra  # fmt: skip
