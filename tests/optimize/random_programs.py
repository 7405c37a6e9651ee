"""Random nonconvex programs that have a feasible point, and are bounded below."""

import numpy as np


class RandomProgram:
    """Quadratic objectives with quartics, and quadratic constraints through a known point.

    f = x^T Q x / 2 + b^T x + sum of x^4 / 4,   c_k = x^T A_k x / 2 + a_k^T x
    """

    def __init__(self, rng, n, equations, inequalities, bounded):
        def symmetric(density):
            A = np.where(rng.random((n, n)) < density, rng.normal(size=(n, n)), 0.0)
            return A + A.T

        self.n, m = n, equations + inequalities
        self.Q, self.b = 3.0 * symmetric(0.4), 3.0 * rng.normal(size=n)
        self.A = np.array([symmetric(2.0 / n) for _ in range(m)]).reshape(m, n, n)
        self.a = rng.normal(size=(m, n))
        inside = rng.normal(size=n)
        self.least = self.constraints(inside)
        self.most = self.least.copy()
        self.least[equations:] -= rng.exponential(size=inequalities)
        self.most[equations:] += np.where(rng.random(inequalities) < 0.5, np.inf, 0.1)
        self.lower = np.where(rng.random(n) < bounded, inside - rng.exponential(size=n), -np.inf)
        self.upper = np.where(rng.random(n) < bounded, inside + rng.exponential(size=n), np.inf)
        self.tri = np.tril_indices(n)

    def objective(self, x):
        return x @ self.Q @ x / 2 + self.b @ x + np.sum(x**4) / 4

    def gradient(self, x):
        return self.Q @ x + self.b + x**3

    def constraints(self, x):
        return np.einsum("kij,i,j->k", self.A, x, x) / 2 + self.a @ x

    def jacobianstructure(self):
        m = len(self.a)
        return np.repeat(np.arange(m), self.n), np.tile(np.arange(self.n), m)

    def jacobian(self, x):
        return (self.A @ x + self.a).ravel()

    def hessianstructure(self):
        return self.tri

    def hessian(self, x, multipliers, factor):
        H = factor * (self.Q + np.diag(3.0 * x**2)) + np.tensordot(multipliers, self.A, 1)
        return H[self.tri]


def random_program(seed):
    """A program of 2 to 25 unknowns, and a start."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 26))
    equations = int(rng.integers(0, max(1, n // 2)))
    program = RandomProgram(rng, n, equations, int(rng.integers(0, n)), rng.choice([0.0, 0.3, 1.0]))
    return program, 2.0 * rng.normal(size=n)


class LinearProgram:
    """min c^T x with rows A x, whose optimum is degenerate, and an equation that is there twice."""

    def __init__(self, rng, n, equations, inequalities):
        m = equations + inequalities
        self.n, self.A = n, rng.normal(size=(m, n)) * (rng.random((m, n)) < 0.4)
        x = np.where(rng.random(n) < 0.5, rng.exponential(size=n), 0.0)
        y = rng.normal(size=m)
        y[equations:] = np.abs(y[equations:]) * (rng.random(inequalities) < 0.5)
        self.c = -self.A.T @ y + np.where(x > 0, 0, rng.exponential(size=n))
        self.most = self.A @ x + (y == 0)
        self.least = np.where(np.arange(m) < equations, self.most, -np.inf)
        again = slice(0, min(equations, 1))
        self.A = np.concatenate([self.A, 2 * self.A[again]])
        self.least, self.most = (np.append(b, 2 * b[again]) for b in (self.least, self.most))
        self.lower, self.upper = np.zeros(n), np.full(n, np.inf)

    def objective(self, x):
        return self.c @ x

    def gradient(self, x):
        return self.c

    def constraints(self, x):
        return self.A @ x

    def jacobianstructure(self):
        return np.divmod(np.arange(self.A.size), self.n)

    def jacobian(self, x):
        return self.A.ravel()

    def hessianstructure(self):
        return np.zeros(0, int), np.zeros(0, int)

    def hessian(self, x, multipliers, factor):
        return np.zeros(0)


def linear_program(seed):
    """A program of 3 to 60 unknowns."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 60))
    return LinearProgram(rng, n, int(rng.integers(0, n // 2 + 1)), int(rng.integers(0, n)))
