"""The integral of squared joint forces over a motion, and its gradient."""

from itertools import pairwise

import numpy as np
import pytest
from law_figures import assert_close, with_armature

import arthron as ar
from arthron._pages.trace import run
from arthron._spacetime.torque_energy import spline_basis, torque_energy
from arthron.algorithms import rnea

KINDS = ("revolute", "prismatic", "universal", "planar", "exponential")
FIGURE = with_armature(ar.random_tree(5, 2.0, joints=KINDS, rng=2))
TIME = 1.3


def coefficients(degree, *batch):
    rng = np.random.default_rng(degree)
    return 0.5 * rng.normal(size=(*batch, FIGURE.nv, degree + 3))


def by_definition(theta, duration, degree, points=8):
    """P through `rnea`, on numbers that may be complex."""
    count = theta.shape[-1]
    x, weight = np.polynomial.legendre.leggauss(points)
    edges = np.linspace(0.0, 1.0, count - degree + 1)
    s = np.concatenate([a + (b - a) * (x + 1) / 2 for a, b in pairwise(edges)])
    basis = spline_basis(s, 1.0, count, degree)
    arrays = {name: basis[k] @ theta.T / duration**k for k, name in enumerate(("q", "qd", "qdd"))}
    tau = run(rnea, FIGURE.tree, arrays, dict.fromkeys(arrays, (FIGURE.nv,)), s.shape)
    return duration * np.tile(weight, count - degree) @ (tau**2).sum(-1) / (2 * (count - degree))


@pytest.mark.parametrize("degree", [3, 5])
def test_against_complex_steps(degree):
    theta, h = coefficients(degree), 1e-30
    found = torque_energy(FIGURE, theta, TIME, degree=degree)
    assert_close(found.P, by_definition(theta, TIME, degree), 1e-12)
    gradient = np.zeros_like(theta)
    for entry in np.ndindex(theta.shape):
        step = np.zeros_like(theta, complex)
        step[entry] = 1j * h
        gradient[entry] = by_definition(theta + step, TIME, degree).imag / h
    assert_close(found.gradient, gradient, 1e-11)
    by_duration = by_definition(theta, TIME + 1j * h, degree).imag / h
    assert_close(found.dP_dduration, by_duration, 1e-11)


def test_more_points_change_nothing():
    theta = 0.2 * coefficients(3)
    coarse, fine = (torque_energy(FIGURE, theta, TIME, points=n) for n in (8, 20))
    for name in ("P", "gradient", "dP_dduration"):
        assert_close(getattr(coarse, name), getattr(fine, name), 1e-6)


def test_a_batch_of_motions():
    theta = coefficients(3, 2, 3)
    found = torque_energy(FIGURE, theta, TIME)
    assert found.P.shape == found.dP_dduration.shape == (2, 3)
    for at in np.ndindex(2, 3):
        alone = torque_energy(FIGURE, theta[at], TIME)
        assert_close(found.P[at], alone.P, 1e-13)
        assert_close(found.gradient[at], alone.gradient, 1e-12)
        assert_close(found.dP_dduration[at], alone.dP_dduration, 1e-12)


def test_a_slide_that_speeds_up_evenly():
    """x = t^2 takes the force 2 m all the time; over c T the same path takes P / c^3."""
    mass, time = 3.0, 0.8
    slide = ar.Model([ar.Body("block", ar.Prismatic("x"), shapes=[ar.Sphere(0.1, mass=mass)])])
    samples = np.linspace(0.0, time, 20)
    basis, *_ = spline_basis(samples, time, 6)
    theta = np.linalg.lstsq(basis, samples**2, rcond=None)[0][None]
    found = torque_energy(slide, theta, time)
    assert_close(found.P, (2.0 * mass) ** 2 * time, 1e-10)
    assert_close(found.dP_dduration, -3.0 * found.P / time, 1e-10)
    assert_close(torque_energy(slide, theta, 2.0 * time).P, found.P / 8.0, 1e-12)


@pytest.mark.parametrize("degree", [3, 4, 5])
@pytest.mark.parametrize("spans", [1, 2, 5])
def test_splines_reproduce_polynomials(degree, spans):
    times = np.linspace(0.0, TIME, 41)
    basis = spline_basis(times, TIME, degree + spans, degree)
    assert all(B.shape == (41, degree + spans) for B in basis)
    power = np.polynomial.Polynomial.fromroots([0.1, 0.5, -0.7])
    theta, *_ = np.linalg.lstsq(basis[0], power(times), rcond=None)
    for k, B in enumerate(basis):
        assert_close(B @ theta, power.deriv(k)(times), 1e-11, scale=1.0)


@pytest.mark.parametrize("degree", [3, 5])
def test_splines_are_a_partition_of_unity(degree):
    times = np.random.default_rng(1).uniform(0.0, TIME, (4, 9))
    B, Bd, Bdd = spline_basis(times, TIME, 9, degree)
    assert B.min() >= 0.0 and np.all(np.count_nonzero(B, axis=-1) == degree + 1)
    assert_close(B.sum(-1), np.ones((4, 9)), 1e-14)
    assert_close(Bd.sum(-1), np.zeros((4, 9)), 1e-13, scale=Bd)
    assert_close(Bdd.sum(-1), np.zeros((4, 9)), 1e-13, scale=Bdd)
    first, last = (spline_basis(t, TIME, 9, degree)[0] for t in (0.0, TIME))
    assert first.tolist() == np.eye(9)[0].tolist()
    assert last.tolist() == np.eye(9)[-1].tolist()


@pytest.mark.parametrize("degree", [3, 5])
def test_spline_derivatives_against_differences(degree):
    """At knots too: both derivatives are continuous."""
    times, h = np.linspace(0.02, TIME - 0.02, 21), 1e-6
    times[10] = TIME / 2  # a knot, with six spans
    later, sooner = (spline_basis(times + way, TIME, degree + 6, degree) for way in (h, -h))
    _, Bd, Bdd = spline_basis(times, TIME, degree + 6, degree)
    assert_close((later[0] - sooner[0]) / (2 * h), Bd, 1e-8)
    assert_close((later[1] - sooner[1]) / (2 * h), Bdd, 1e-4)
    assert_close(later[2] - sooner[2], np.zeros_like(Bdd), 1e-4, scale=Bdd)


def test_figures_it_is_not_for():
    floating = ar.random_tree(2, joints=("free",), rng=1)
    with pytest.raises(ar.ModelError, match=r'joint "free" with 7 .* 6 .*Free\("exponential"\)'):
        torque_energy(floating, np.zeros((12, 5)), 1.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"theta": np.zeros((2, 5))},
            r"shape \(2, 5\) but `.*` needs \(..., \d+, n\) with n > 3",
        ),
        ({"theta": np.zeros((FIGURE.nv, 3))}, "n > 3"),
        ({"theta": np.zeros(FIGURE.nv)}, "n > 3"),
        ({"duration": 0.0}, "`duration` is 0.0"),
        ({"duration": np.nan}, "`duration` is nan"),
        ({"degree": 2}, "degree 2 have jumps in qdd"),
    ],
)
def test_arguments_that_make_no_sense(change, message):
    given = {"theta": coefficients(3), "duration": TIME, "degree": 3} | change
    with pytest.raises(ar.ArthronError, match=message):
        torque_energy(FIGURE, **given)
