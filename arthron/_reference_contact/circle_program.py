"""Friction within circles, which is no quadratic program: by an interior point method."""

from __future__ import annotations

import numpy as np

from .quadratic_program import Array

STEPS = 60
"""At most; some twenty are usual."""
SOLVED, EXACT = 1e-10, 1e-14
"""Sizes of lam s beside the square of the slip: what is a solution, which rounding need not let
fall any further, and where steps end at once."""
STILL = 1e-4
"""Slip below this, beside what the largest friction there may be changes, counts as this much."""
SINGULAR = 1e-14
"""What is added to the matrix of a step, beside its largest entry without circles."""


def within_circles(Q: Array, slip: Array, radius: Array, single: int) -> tuple[Array, bool]:
    """beta with 1/2 |Q^T beta|^2 - beta^T slip least and |beta| <= radius at each point.

    The last `single` points have one tangent and not two. With x = beta / radius each circle is
    s = (1 - |x|^2) / 2 >= 0, with a multiplier lam: D x - u + lam x = 0 and lam s = 0. Newton's
    steps lead to lam s equal at all points, and to less and less of it.
    """
    k, many = len(radius) - single, len(radius)
    point = np.concatenate([np.repeat(np.arange(k), 2), np.arange(k, many)])
    r, at = radius[point], np.eye(many)[point]  # sums over points are x @ at
    D, u = (Q @ Q.T) * np.outer(r, r), slip * r
    size = max(np.abs(np.diag(D)).max(), np.abs(u).max(), 1e-300)
    D, u = D / size, u / size
    slow, more = max(np.abs(u).max(), STILL), SINGULAR * np.eye(len(u))
    x, s, lam = np.zeros(len(u)), np.full(many, 0.5), np.ones(many)
    step, gap, before, left = 0.0, 0.5, np.inf, -u
    for _ in range(STEPS):
        gap, left = float(lam @ s) / many, D @ x - u + lam[point] * x
        if gap <= EXACT * slow**2 or (gap <= SOLVED * slow**2 and gap > 0.5 * before):
            break
        before = gap
        middle = (0.01 if step > 0.9 else 0.1) * max(gap, 0.1 * np.abs(left).max())
        X, missing = at * x[:, None], middle / s - lam
        A = D + more + np.diag(lam[point]) + (X * (lam / s)) @ X.T
        dx = np.linalg.solve(A, -left - missing[point] * x)
        a, b = (dx * dx) @ at, (x * dx) @ at
        dlam, root = missing + lam / s * b, np.sqrt(b * b + 2.0 * a * s)
        out, back = 2.0 * s / np.maximum(b + root, 1e-300), (root - b) / np.maximum(a, 1e-300)
        far = np.where(a > 0.0, np.where(b > 0.0, out, back), np.inf)  # to the circle
        fall = np.where(dlam < 0.0, lam / np.maximum(-dlam, 1e-300), np.inf)
        step = min(1.0, 0.99 * float(far.min()), 0.99 * float(fall.min()))
        x, lam, s = x + step * dx, lam + step * dlam, s - step * b - 0.5 * step * step * a
    solved = gap <= SOLVED * slow**2 and np.abs(left).max() <= 1e2 * SOLVED * slow
    return r * x, bool(solved)
