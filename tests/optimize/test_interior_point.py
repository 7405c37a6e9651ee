"""Programs with known least values, and conditions of optimality checked from their functions."""

from itertools import pairwise

import numpy as np
import pytest
from hock_schittkowski import HOCK
from written_programs import Written, eq, ge, le

from arthron.optimize import minimize

EXACT = {13: 1e-2, 15: 1e-6, 16: 1e-6, 113: 1e-6, 100: 1e-6}
"""How near least values are, of those that are not to 1e-7; 13 has no multipliers."""


def residual(p, found):
    """The most by which a condition of optimality is violated, of bounds and rows of all kinds."""
    x, y = found.x, found.multipliers
    J = np.zeros((len(p.least), p.n))
    np.add.at(J, tuple(np.array(i, int) for i in p.jacobianstructure()), p.jacobian(x))
    pushed = p.gradient(x) + J.T @ y - found.lower_multipliers + found.upper_multipliers
    c = p.constraints(x)
    parts = [pushed, np.maximum(p.least - c, 0), np.maximum(c - p.most, 0),
             np.maximum(p.lower - x, 0), np.maximum(x - p.upper, 0)]  # fmt: skip
    for at, bound, force in (
        (c, p.most, np.maximum(y, 0)), (c, p.least, np.maximum(-y, 0)),
        (x, p.lower, found.lower_multipliers), (x, p.upper, found.upper_multipliers),
    ):  # fmt: skip
        known = np.isfinite(bound)
        assert np.all(force[~known] < 1e-7) and np.all(force >= 0)
        parts.append(force[known] * (at - bound)[known])
    many = max(1, y.size + 2 * p.n)
    forces = np.abs(y).sum() + found.lower_multipliers.sum() + found.upper_multipliers.sum()
    return max(np.max(np.abs(part), initial=0.0) for part in parts) / max(1, forces / many / 100)


@pytest.mark.parametrize("number", HOCK)
def test_hock_and_schittkowski(number):
    p, start, least = HOCK[number]
    found = minimize(p, start)
    most = 100 if number == 13 else 50  # 13 has no multipliers at its optimum
    assert found.solved and found.iterations <= most, found.message
    assert found.objective == pytest.approx(least, rel=1e-7, abs=EXACT.get(number, 1e-7))
    assert found.residual <= 1e-8 and found.violation <= 1e-8
    if number not in EXACT:
        assert residual(p, found) <= 3e-8


def quadratic(seed, n=8):
    """A program whose optimum and multipliers are chosen first."""
    rng = np.random.default_rng(seed)
    A, B = rng.normal(size=(3, n)), rng.normal(size=(4, n))
    Q = rng.normal(size=(n, n))
    Q = Q @ Q.T + np.eye(n)
    x, y, z = rng.normal(size=n), rng.normal(size=3), np.array([2.0, 0.0, 1.0, 0.0])
    b = -Q @ x - A.T @ y - B.T @ z
    slack = np.where(z > 0, 0.0, 1.0)

    def product(a, x):
        return sum((k * v for k, v in zip(a[1:], x[1:], strict=True)), a[0] * x[0])

    rows = [eq(lambda x, a=a: product(a, x), a @ x) for a in A]
    rows += [le(lambda x, a=a: product(a, x), a @ x + s) for a, s in zip(B, slack, strict=True)]

    def f(x):
        return product(b, x) + product([0.5 * product(q, x) for q in Q], x)

    p = Written(n, f, rows)
    p.f = f
    return p, x, np.concatenate([y, z])


@pytest.mark.parametrize("seed", range(3))
def test_quadratic_programs_to_the_last_digits(seed):
    p, x, y = quadratic(seed)
    found = minimize(p, np.zeros(p.n), tolerance=1e-12)
    assert found.solved, found.message
    assert np.allclose(found.x, x, atol=1e-10) and np.allclose(found.multipliers, y, atol=1e-9)


def test_a_linear_program():
    """The diet of three foods; at a corner."""
    rows = [ge(lambda x: 2 * x[0] + x[1] + 3 * x[2], 6), ge(lambda x: x[0] + 4 * x[1], 4),
            eq(lambda x: x[0] + x[1] + x[2], 3)]  # fmt: skip
    p = Written(3, lambda x: 3 * x[0] + x[1] + 4 * x[2], rows, 0.0)
    found = minimize(p, [1, 1, 1], tolerance=1e-12)
    linear = pytest.importorskip("scipy.optimize").linprog(
        [3, 1, 4], [[-2, -1, -3], [-1, -4, 0]], [-6, -4], [[1, 1, 1]], [3]
    )
    assert found.solved and found.objective == pytest.approx(linear.fun, abs=1e-10)
    assert np.allclose(found.x, linear.x, atol=1e-9)


def test_pounce_finds_the_same():
    """The same object is a problem of cyipopt's kind."""
    pounce = pytest.importorskip("pounce")
    ours, theirs = 0, 0
    for number in (11, 43, 60, 71, 76, 100, 113):
        p, start, _ = HOCK[number]
        other = pounce.Problem(n=p.n, m=len(p.least), problem_obj=p, lb=p.lower, ub=p.upper,
                               cl=p.least, cu=p.most)  # fmt: skip
        other.add_option("print_level", 0)
        x, told = other.solve(start)
        found = minimize(p, start)
        assert np.allclose(found.x, x, atol=1e-5)
        assert found.objective == pytest.approx(told["obj_val"], rel=1e-6)
        ours, theirs = ours + found.iterations, theirs + told["iter_count"]
    assert ours <= theirs + 10


class OnSphere:
    """min x^T A x on the unit sphere of 4 numbers, a quaternion's, with tangents of 3."""

    lower, upper = np.full(3, -np.inf), np.full(3, np.inf)
    least = most = np.zeros(0)

    def __init__(self, A, times=None):
        self.A = A

    @staticmethod
    def tangents(x):
        w, a, b, c = x
        return np.array([[-a, -b, -c], [w, -c, b], [c, w, -a], [-b, a, w]])

    def coordinates(self, x):
        return np.zeros(3)

    def move(self, x, step):
        angle = np.linalg.norm(step)
        along = self.tangents(x) @ step
        return np.cos(angle) * x + np.sinc(angle / np.pi) * along

    def objective(self, x):
        return x @ self.A @ x

    def gradient(self, x):
        return 2 * self.tangents(x).T @ self.A @ x

    def jacobianstructure(self):
        return np.zeros(0, int), np.zeros(0, int)

    def hessianstructure(self):
        return np.tril_indices(3)

    def hessian(self, x, multipliers, factor):
        T = self.tangents(x)
        H = 2 * (T.T @ self.A @ T - x @ self.A @ x * np.eye(3))
        return factor * H[self.hessianstructure()]


@pytest.mark.parametrize("seed", range(4))
def test_on_a_sphere(seed):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(4, 4))
    A, start = A + A.T, rng.normal(size=4)
    errors = []
    found = minimize(OnSphere(A), start / np.linalg.norm(start), tolerance=1e-12,
                     progress=lambda count, f, violation, error: errors.append(error))  # fmt: skip
    assert found.solved and found.objective == pytest.approx(np.linalg.eigvalsh(A)[0], abs=1e-12)
    assert np.linalg.norm(found.x) == pytest.approx(1)
    near = [e for e in errors if 1e-13 < e < 1e-2]
    assert all(later <= 10 * e**2 + 1e-13 for e, later in pairwise(near))
