"""The way back of iLQR: from the end to the start, the best change of controls and its gains."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dposv  # type: ignore[attr-defined]

from .._figure.figure import Array
from .box_newton import box_newton


class LinearQuadratic(NamedTuple):
    """A motion's steps to first order and its cost to second, by displacement, velocity, control.

    Attributes:
        F: derivatives of the end of each step, (N, n, n + nu).
        g: gradient of each step's cost, (N, n + nu).
        L: its second derivatives, (N, n + nu, n + nu).
        end: gradient of the final cost, (n,).
        end_second: its second derivatives, (n, n).
    """

    F: Array
    g: Array
    L: Array
    end: Array
    end_second: Array

    def costates(self) -> Array:
        """How much more it costs to begin each step a little off, under the same controls."""
        n = len(self.end)
        p = np.empty((len(self.F) + 1, n))
        p[-1] = self.end
        for k in reversed(range(len(self.F))):
            p[k] = self.g[k, :n] + p[k + 1] @ self.F[k, :, :n]
        return p

    def control_gradient(self, p: Array) -> Array:
        """Gradient of the cost of the whole motion by controls, (N, nu)."""
        n = len(self.end)
        return self.g[:, n:] + np.einsum("ki,kij->kj", p[1:], self.F[:, :, n:])


class Feedback(NamedTuple):
    """The best change of controls.

    Attributes:
        change: of each control, (N, nu).
        gains: by how far the state is off, (N, nu, n).
        slope: of the cost along the change.
    """

    change: Array
    gains: Array
    slope: float


def feedback(along: LinearQuadratic, room: Array, damping: float) -> Feedback | None:
    """The change and its gains (TET12), within limits (TMT14); None where costs have no least.

    Args:
        along: the motion.
        room: how far controls may go down and up, (2, N, nu).
        damping: a cost of squared changes, which makes these and gains smaller.
    """
    F, L, V = _homogeneous(along)
    N, n = len(F), len(along.end)
    m, bounded = n + 1, bool(np.isfinite(room).any())
    nu = F.shape[2] - m
    ridge = damping * np.eye(nu, m + nu, m)
    X = np.empty((N, nu, m))
    slope = 0.0
    for k in reversed(range(N)):
        Q = L[k] + F[k].T @ (V @ F[k])
        rows = Q[m:]
        damped = rows + ridge
        _, x, failed = dposv(damped[:, m:], -damped[:, :m])
        if failed:
            return None
        if bounded and not ((room[0, k] <= x[:, n]) & (x[:, n] <= room[1, k])).all():
            x = _bounded(damped, room[:, k], x[:, n])
        X[k] = x
        slope += x[:, n] @ rows[:, n]
        across = x.T @ (rows[:, :m] + 0.5 * (rows[:, m:] @ x))
        V = Q[:m, :m] + across
        V = V + V.T - Q[:m, :m]
    return Feedback(X[:, :, n].copy(), np.ascontiguousarray(X[:, :, :n]), slope)


def _homogeneous(along: LinearQuadratic) -> tuple[Array, Array, Array]:
    """Steps and costs as linear maps and forms of (state, 1, control), and that of the end."""
    N, n, width = along.F.shape
    linear = [*range(n), *range(n + 1, width + 1)]
    F, L = np.zeros((N, n + 1, width + 1)), np.zeros((N, width + 1, width + 1))
    F[:, :n, linear], F[:, n, n] = along.F, 1.0
    L[:, np.array(linear)[:, None], linear] = along.L
    L[:, n, linear] = L[:, linear, n] = along.g
    V = np.zeros((n + 1, n + 1))
    V[:n, :n], V[n, :n], V[:n, n] = along.end_second, along.end, along.end
    return F, L, V


def _bounded(rows: Array, room: Array, best: Array) -> Array:
    """Gains and change within limits, where the best change is not: no gains of what is held."""
    m = rows.shape[1] - len(rows)
    x, free = box_newton(rows[:, m:], rows[:, m - 1], room[0], room[1], best)
    found = np.zeros((len(rows), m))
    if free.any():
        _, found[free], _ = dposv(rows[free][:, m:][:, free], -rows[free, :m])
    found[:, m - 1] = x
    return found
