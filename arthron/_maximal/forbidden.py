"""What joints forbid: wrenches on which none of their motions does work."""

from __future__ import annotations

import numpy as np

from .._spatial.motions import Force, Subspace
from .._spatial.scalar import Scalar, divide, sqrt, where
from .._spatial.sums import dot
from .._tree.joints import Joint

PROBES = 8
"""Places at which a joint is asked for its motions, to see whether these are always the same."""
SAME = 1e-9
"""Rounding of those."""


def forbidden(joint: Joint, S: Subspace) -> list[Force]:
    """Wrenches of a basis of those on which motions of a joint do no work.

    Always the same where its motions span the same space everywhere; else made at each pose.
    """
    rng = np.random.default_rng(0)
    spans = []
    for _ in range(PROBES):
        _, probe, _, _ = joint(joint.random(rng), (0.0,) * joint.nv)
        spans += [[*m.ang, *m.lin] for m in probe]
    _, sizes, V = np.linalg.svd(np.array(spans, float).reshape(-1, 6))
    rank = int((sizes > SAME * sizes.max(initial=1.0)).sum())
    return _constant(V[rank:]) if rank == joint.nv else _reflected(S)


def _constant(rows: np.ndarray) -> list[Force]:
    """The space of some rows by rows with as many zeros as they can have."""
    left, found = rows.T @ rows, []
    for _ in rows:
        k = int(np.argmax(np.diag(left).round(9)))
        n = left[k] / np.sqrt(left[k, k])
        left = left - np.outer(n, n)
        found.append(Force.from_array(np.where(abs(n) < SAME, 0.0, n).tolist()))
    return found


def _reflected(S: Subspace) -> list[Force]:
    """The complement of the columns of S by Householder's reflections."""
    columns = [[*m.ang, *m.lin] for m in S]
    mirrors: list[tuple[list[Scalar], Scalar]] = []
    for k, column in enumerate(columns):
        x = column
        for n, w in mirrors:
            x = _mirrored(x, n, w)
        x = [*[0.0] * k, *x[k:]]
        length = sqrt(dot(x, x))
        n = [*x[:k], x[k] + where(x[k] < 0.0, -length, length), *x[k + 1 :]]
        mirrors.append((n, divide(2.0, dot(n, n))))
    found = []
    for j in range(len(S), 6):
        x: list[Scalar] = [float(i == j) for i in range(6)]
        for n, w in reversed(mirrors):
            x = _mirrored(x, n, w)
        found.append(Force.from_array(x))
    return found


def _mirrored(x: list[Scalar], n: list[Scalar], w: Scalar) -> list[Scalar]:
    """x - w n (n . x)"""
    k = w * dot(n, x)
    return [a - k * b for a, b in zip(x, n, strict=True)]
