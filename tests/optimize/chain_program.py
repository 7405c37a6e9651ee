"""A cart pushed from rest to rest, in N steps of a duration that is looked for."""

import numpy as np


class ChainProgram:
    """min T + h sum of u^2 with q' = v, v' = u (trapezoids), |u| <= 8 and v^2 + q^2 <= 2.

    Unknowns are q, v, u of N + 1 times and then the duration T = N h.
    """

    def __init__(self, N, timed=True):
        self.N, M = N, N + 1
        n = 3 * M + 1
        self.n = n
        self.q, self.v, self.u = (np.arange(i * M, i * M + M) for i in range(3))
        self.lower, self.upper = np.full(n, -np.inf), np.full(n, np.inf)
        self.lower[self.u], self.upper[self.u] = -8.0, 8.0
        for k, x in ((0, 0.0), (N, 1.0), (M, 0.0), (M + N, 0.0)):
            self.lower[k] = self.upper[k] = x
        self.lower[-1] = 0.05
        self.least = np.concatenate([np.zeros(2 * N), np.full(M, -np.inf)])
        self.most = np.concatenate([np.zeros(2 * N), np.full(M, 2.0)])
        t = np.arange(M) / N
        if timed:
            self.times = np.concatenate([t, t, t, [np.nan], t[:-1], t[:-1], t])

    def start(self):
        x = np.zeros(self.n)
        x[self.q], x[-1] = np.linspace(0.0, 1.0, self.N + 1), 1.0
        return x

    def names(self, k):
        kind, at = divmod(k, self.N)
        return f"{('speed', 'force', 'room')[min(kind, 2)]} at {at}"

    def objective(self, x):
        return x[-1] + x[-1] / self.N * np.sum(x[self.u] ** 2)

    def gradient(self, x):
        g = np.zeros(self.n)
        g[self.u] = 2.0 * x[-1] / self.N * x[self.u]
        g[-1] = 1.0 + np.sum(x[self.u] ** 2) / self.N
        return g

    def constraints(self, x):
        q, v, u, h = x[self.q], x[self.v], x[self.u], x[-1] / self.N
        return np.concatenate([
            np.diff(q) - h * (v[1:] + v[:-1]) / 2, np.diff(v) - h * (u[1:] + u[:-1]) / 2,
            v**2 + q**2,
        ])  # fmt: skip

    def jacobianstructure(self):
        N, k = self.N, np.arange(self.N)
        first = [self.q[1:], self.q[:-1], self.v[1:], self.v[:-1], np.full(N, self.n - 1)]
        then = [self.v[1:], self.v[:-1], self.u[1:], self.u[:-1], np.full(N, self.n - 1)]
        last = 2 * N + np.arange(N + 1)
        rows = np.concatenate([np.tile(k, 5), N + np.tile(k, 5), last, last])
        return rows, np.concatenate([*first, *then, self.v, self.q])

    def jacobian(self, x):
        v, u, N, h = x[self.v], x[self.u], self.N, np.full(self.N, x[-1] / self.N)
        one = np.ones(N)
        return np.concatenate([
            one, -one, -h / 2, -h / 2, -(v[1:] + v[:-1]) / 2 / N,
            one, -one, -h / 2, -h / 2, -(u[1:] + u[:-1]) / 2 / N, 2.0 * v, 2.0 * x[self.q],
        ])  # fmt: skip

    def hessianstructure(self):
        last = np.full(self.N, self.n - 1)
        every = np.full(self.N + 1, self.n - 1)
        rows = [self.u, every, last, last, last, last, self.v, self.q]
        cols = [self.u, self.u, self.v[1:], self.v[:-1], self.u[1:], self.u[:-1], self.v, self.q]
        return np.concatenate(rows), np.concatenate(cols)

    def hessian(self, x, multipliers, factor):
        N = self.N
        y1, y2, y3 = np.split(multipliers, [N, 2 * N])
        one = np.ones(N + 1)
        return np.concatenate([
            factor * 2.0 * x[-1] / N * one, factor * 2.0 / N * x[self.u],
            -y1 / 2 / N, -y1 / 2 / N, -y2 / 2 / N, -y2 / 2 / N, 2.0 * y3, 2.0 * y3,
        ])  # fmt: skip
