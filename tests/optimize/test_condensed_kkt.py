"""Directions of the condensed equations against those of the whole matrix, and orders of bands."""

import numpy as np
import pytest
from chain_program import ChainProgram
from random_programs import RandomProgram
from scipy.sparse import csr_array

from arthron._optimize.condensed_kkt import CondensedSystem, direction
from arthron._optimize.scaled_program import ScaledProgram
from arthron.optimize import minimize


def whole(system, at, diagonal, slack, equal):
    """The matrix of unknowns, slacks and multipliers; slacks of equations do not move."""
    W, J = csr_array(at.lower + at.strict).toarray(), csr_array(at.jacobian).toarray()
    n, m = len(W), len(J)
    K = np.zeros((n + 2 * m, n + 2 * m))
    K[:n, :n] = W + np.diag(diagonal)
    K[n : n + m, n : n + m] = np.diag(np.where(equal, 1.0, slack))
    K[n + m :, :n] = J
    K[n + m :, n : n + m] = -np.diag(np.where(equal, 0.0, 1.0))
    K[: n + m, n + m :] = K[n + m :, : n + m].T
    return K


def compared(program, x, rng, stiffest=1e4, doubled=0):
    """Both directions of random right sides."""
    scaled = ScaledProgram(program, x)
    system = CondensedSystem(scaled)
    n, m, equal = scaled.n, scaled.m, scaled.equal
    at = system.linearised(scaled.hessian(x, rng.normal(size=m)), scaled.jacobian(x))
    slack = np.where(equal, 0.0, stiffest ** rng.uniform(-1, 1, size=m))
    diagonal = np.where(scaled.fixed[:n], 1.0, stiffest ** rng.uniform(-1, 1, size=n))
    factor = None
    while factor is None:
        diagonal = diagonal + 3.0
        factor = system.factored(at, diagonal, slack)
    a, c = rng.normal(size=n + m), rng.normal(size=m)
    a[scaled.fixed] = 0.0
    c[m - doubled :] = c[:doubled]
    dw, dy = direction(factor, a, c, equal)
    K = whole(system, at, diagonal, slack, equal)
    found = np.linalg.lstsq(K, np.concatenate([a, c]), rcond=1e-13)[0]
    return dw, dy, found[: n + m], found[n + m :], at


@pytest.mark.parametrize("seed", range(6))
def test_directions_of_random_programs(seed):
    rng = np.random.default_rng(seed)
    p = RandomProgram(rng, int(rng.integers(5, 120)), int(rng.integers(1, 5)), 6, 0.3)
    dw, dy, step, slope, _ = compared(p, rng.normal(size=p.n), rng)
    assert np.max(np.abs(dw - step)) <= 1e-8 * np.max(np.abs(step))
    assert np.max(np.abs(dy - slope)) <= 1e-8 * np.max(np.abs(slope))


def test_directions_with_rows_twice():
    rng = np.random.default_rng(3)
    p = RandomProgram(rng, 30, 7, 0, 0.3)
    p.A, p.a = (np.concatenate([x, x[:3]]) for x in (p.A, p.a))
    p.least = p.most = np.concatenate([p.least, p.least[:3]])
    dw, dy, step, slope, at = compared(p, rng.normal(size=30), rng, doubled=3)
    assert np.max(np.abs(dw - step)) <= 1e-8 * np.max(np.abs(step))
    assert np.allclose(at.transposed @ dy, at.transposed @ slope, atol=1e-8 * np.max(np.abs(slope)))


@pytest.mark.parametrize("timed", [True, False])
@pytest.mark.parametrize("N", [20, 60, 150])
def test_directions_of_chains(N, timed):
    rng = np.random.default_rng(N)
    p = ChainProgram(N, timed)
    x = p.start() + 0.3 * rng.normal(size=p.n)
    dw, dy, step, slope, _ = compared(p, x, rng, 10.0)
    assert np.max(np.abs(dw - step)) <= 1e-8 * np.max(np.abs(step))
    assert np.max(np.abs(dy - slope)) <= 1e-8 * np.max(np.abs(slope))


@pytest.mark.parametrize("timed", [True, False])
def test_bands_do_not_grow(timed):
    for N in (30, 100, 400):
        p = ChainProgram(N, timed)
        places = CondensedSystem(ScaledProgram(p, p.start())).places
        assert places.width <= 6 and places.apart == 1


class Summed(ChainProgram):
    """A chain with a row that all forces are in."""

    def __init__(self, N):
        super().__init__(N, timed=False)
        self.least, self.most = np.append(self.least, 0.5), np.append(self.most, 0.5)

    def constraints(self, x):
        return np.append(super().constraints(x), np.mean(x[self.u] ** 2) - 7.0)

    def jacobianstructure(self):
        rows, cols = super().jacobianstructure()
        return np.append(rows, np.full(self.N + 1, 3 * self.N + 1)), np.append(cols, self.u)

    def jacobian(self, x):
        return np.append(super().jacobian(x), 2.0 * x[self.u] / (self.N + 1))

    def hessian(self, x, multipliers, factor):
        values = super().hessian(x, multipliers[:-1], factor)
        values[: self.N + 1] += 2.0 * multipliers[-1] / (self.N + 1)
        return values


def test_rows_that_touch_everything_stay_out_of_the_band():
    rng = np.random.default_rng(0)
    p = Summed(100)
    x = p.start() + 0.3 * rng.normal(size=p.n)
    system = CondensedSystem(ScaledProgram(p, x))
    assert system.places.width <= 6 and list(system.wide) == [301]
    dw, dy, step, slope, _ = compared(p, x, rng, 10.0)
    assert np.max(np.abs(dw - step)) <= 1e-8 * np.max(np.abs(step))
    assert np.max(np.abs(dy - slope)) <= 1e-8 * np.max(np.abs(slope))
    found = minimize(p, x)
    assert found.solved and np.mean(found.x[p.u] ** 2) == pytest.approx(7.5)


def test_iterations_do_not_grow_with_the_chain():
    counts = []
    for N in (20, 50, 100, 200, 400):
        found = minimize(ChainProgram(N), ChainProgram(N).start())
        assert found.solved and found.objective == pytest.approx(3.265, abs=0.08)
        counts.append(found.iterations)
    assert max(counts) < 50
