"""The method of Broyden, Fletcher, Goldfarb and Shanno, on plain programs and on a sphere."""

from itertools import pairwise

import numpy as np
import pytest
from test_interior_point import OnSphere
from written_programs import Written

from arthron.optimize import bfgs, minimize


@pytest.mark.parametrize("n", [2, 10])
def test_rosenbrock(n):
    def f(x):
        return sum((100 * (b - a**2) ** 2 + (1 - a) ** 2 for a, b in pairwise(x[1:])),
                   100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2)  # fmt: skip

    found = bfgs(Written(n, f), np.tile([-1.2, 1.0], n // 2))
    assert found.solved and found.residual <= 1e-8 and found.iterations < 150
    assert np.allclose(found.x, 1) or found.objective > 1  # it has a second minimum


def test_a_quadratic_takes_few_iterations():
    A = np.diag([1.0, 10.0, 100.0, 1000.0])
    p = Written(4, lambda x: sum((a * v**2 for a, v in zip((10, 100, 1000), x[1:], strict=True)),
                                 x[0] ** 2))  # fmt: skip
    found = bfgs(p, np.ones(4))
    assert found.solved and found.iterations < 40 and np.max(np.abs(A @ found.x)) < 1e-7


def test_on_a_sphere():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(4, 4))
    p, start = OnSphere(A + A.T), np.array([0.6, 0.0, 0.8, 0.0])
    first, second = bfgs(p, start), minimize(p, start)
    assert first.solved and first.objective == pytest.approx(second.objective, abs=1e-10)


def test_too_few_iterations():
    found = bfgs(Written(2, lambda x: 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2),
                 [-1.2, 1.0], most=3)  # fmt: skip
    assert found.status == "too many iterations" and "after 3 iterations" in found.message
