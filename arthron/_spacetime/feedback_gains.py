"""The way back of iLQR: from the end to the start, the best change of controls and its gains."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dposv, dpotrf

from .._figure.figure import Array
from .box_newton import box_newton


class LinearQuadratic(NamedTuple):
    """A motion's steps to first order and its cost to second, by displacement, velocity, control.

    Attributes:
        F: derivatives of the end of each step, (N, n, n + nu).
        g: gradient of each step's cost, (N, n + nu).
        L: its second derivatives, (N, n + nu, n + nu); with those of steps, times costates, where
            these are taken.
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
        bend: second derivative of the cost along it.
    """

    change: Array
    gains: Array
    slope: float
    bend: float


def feedback(model: LinearQuadratic, room: Array, damping: float) -> Feedback | None:
    """The change and its gains (TET12 10, 11), within limits (TMT14); None where there is none.

    Args:
        model: the motion.
        room: how far controls may go down and up, (2, N, nu).
        damping: of states: a cost of leaving the motion (TET12 10), which makes changes smaller.
    """
    n, N = len(model.end), len(model.F)
    nu = model.g.shape[1] - n
    Vx, Vxx = model.end, model.end_second
    change, gains = np.zeros((N, nu)), np.zeros((N, nu, n))
    slope = bend = 0.0
    bounded = bool(np.isfinite(room).any())
    for k in reversed(range(N)):
        F, B = model.F[k], model.F[k][:, n:]
        q = model.g[k] + Vx @ F
        Q = model.L[k] + F.T @ (Vxx @ F)
        damped = Q[n:] + damping * (B.T @ F) if damping else Q[n:]
        step = _step(damped[:, n:], damped[:, :n], q[n:])
        if bounded and (step is None or (step[0] < room[0, k]).any() or (step[0] > room[1, k]).any()):
            near = change[min(k + 1, N - 1)]
            step = _bounded(damped[:, n:], damped[:, :n], q[n:], room[:, k], near)
        if step is None:
            return None
        d, K = change[k], gains[k] = step
        Quu, Qux = Q[n:, n:], Q[n:, :n]
        slope, bend = slope + d @ q[n:], bend + d @ Quu @ d
        Vx = q[:n] + K.T @ (Quu @ d + q[n:]) + d @ Qux
        across = K.T @ Qux
        Vxx = Q[:n, :n] + K.T @ (Quu @ K) + across + across.T
        Vxx = 0.5 * (Vxx + Vxx.T)
    return Feedback(change, gains, slope, bend)


def _step(Quu: Array, Qux: Array, qu: Array) -> tuple[Array, Array] | None:
    """Change and gains where nothing bounds them."""
    _, x, failed = dposv(Quu, -np.column_stack([qu, Qux]))
    return None if failed else (x[:, 0], x[:, 1:])


def _bounded(
    Quu: Array, Qux: Array, qu: Array, room: Array, near: Array
) -> tuple[Array, Array] | None:
    """Change and gains within limits: none of controls that a limit holds."""
    found = None if dpotrf(Quu)[1] else box_newton(Quu, qu, *room, near)
    if found is None:
        return None
    K, free = np.zeros_like(Qux), found.free
    if free.any():
        _, K[free], failed = dposv(Quu[np.ix_(free, free)], -Qux[free])
    return found.x, K
