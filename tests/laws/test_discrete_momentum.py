"""Momenta of steady steps and their slope, against the action that they are slopes of."""

import mpmath
import numpy as np
import pytest
from every_joint import FIGURES, each

import arthron as ar
from arthron._algorithms.discrete_momentum import discrete_momenta
from arthron._algorithms.steady_motion import log_so3_below_pi, steady_momentum
from arthron.algorithms import integrate, poses
from arthron.spatial import Inertia, Mat3, Transform, Vec3, exp_so3, log_so3

SIZES = (0.0, 1e-9, 1e-6, 1e-3, 0.5)
"""Largest displacements of a joint in a step."""

POINTS = ar.Model(
    [
        ar.Body("frame", ar.Free()),
        ar.Body("bead", ar.Revolute("x"), "frame",
                inertia=Inertia.from_com(0.7, (0, 0.2, 0.3), (0, 0, 0))),
        ar.Body("ball", ar.Spherical(), "bead", (0.1, 0, 0.2), shapes=[ar.Sphere(0.1, mass=1)]),
        ar.Body("twig", ar.Revolute((1, 2, 3)), "frame", (0, 0.1, 0)),
        ar.Body("stick", ar.Planar("y"), "twig", (0.3, 0, 0),
                inertia=Inertia.from_com(2.0, (0.1, 0, 0), (1e-9, 0.4, 0.4))),
    ],
    gravity=(0, 0, 0),
)  # fmt: skip
"""Bodies without mass, without extent, all round and all thin."""

EVERY = {**FIGURES, "points": POINTS}


def steps(model, size, count=3):
    """Starts and ends of steps whose largest displacement of a joint is `size`."""
    rng = np.random.default_rng(model.nv)
    q0, way = model.random(rng, size=count), rng.normal(size=(count, model.nv))
    return q0, model.integrate(q0, size * way / np.abs(way).max())


def near(found, expected, tolerance):
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= tolerance * np.abs(expected).max()


@ar.takes(start=("nq",), end=("nq",), e0=("nv",), e1=("nv",))
def action(tree, start, end, e0, e1):
    """Action of a step in unit time from integrate(start, e0) to integrate(end, e1)."""
    ends = ((start, e0), (end, e1))
    first, last = (
        poses(tree, integrate(tree, tree.positions(q), tree.at(q).rates(e))) for q, e in ends
    )
    twice = 0.0
    for I, X, Y in zip(tree.I[1:], first[1:], last[1:], strict=True):
        turn = log_so3(X.E @ Y.R)
        way = (Y.r + Y.R @ I.com()) - (X.r + X.R @ I.com())
        twice = twice + turn.dot(I.about_com() @ turn) + I.m * way.dot(way)
    return 0.5 * twice


@pytest.mark.parametrize("size", SIZES)
@each(EVERY)
def test_momenta_are_slopes_of_the_action(name, size):
    model = EVERY[name]
    q0, q1 = steps(model, size)
    by_ends, zero = ar.vjp(action, "e0", "e1"), np.zeros((3, model.nv))
    start, end = ar.evaluate(by_ends, model, q0, q1, zero, zero, np.ones(3))
    taken, left = ar.evaluate(discrete_momenta, model, q0, q1)
    unit = np.abs(model.mass_matrix(q0)).max()
    for found, expected in ((taken, -start), (left, end)):
        rounding = 1e-12 * np.abs(expected).max() + 1e-15 * unit
        assert np.abs(found - expected).max() <= rounding


def log_and_momentum(R, Ic):
    """The rotation vector of R and L^-T Ic w, in many digits."""
    sine = mpmath.matrix([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2
    angle = mpmath.atan2(mpmath.norm(sine), (R[0, 0] + R[1, 1] + R[2, 2] - 1) / 2)
    w = sine * (angle / mpmath.norm(sine))
    half, W = angle / 2, tilde(w)
    inverse = mpmath.eye(3) - W / 2 + W * W * ((1 - half * mpmath.cot(half)) / angle**2)
    return w, inverse.T * (Ic * w)


def tilde(w):
    return mpmath.matrix([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


@pytest.mark.parametrize("angle", (1e-13, 1e-11, 1e-8, 1e-6, 1e-4, 0.01, 0.3, 1.0, 2.0, 3.0))
def test_momentum_of_a_turn_in_many_digits(angle):
    """Of one body that turns about its centre of mass, with 60 digits."""
    rng = np.random.default_rng(7)
    A, axis = rng.normal(size=(3, 3)), rng.normal(size=3)
    Ic, axis = Mat3.from_rows(A @ A.T), Vec3(*axis / np.linalg.norm(axis))
    I, Y = Inertia(1.0, Vec3(), Ic), Transform(exp_so3(axis * angle).T)
    p = steady_momentum(I, Y)
    with mpmath.workdps(60):
        R, exact, small = (mpmath.matrix(x) for x in (Y.R, Ic, mpmath.eye(3)))
        R = R + R * (small - R.T * R) / 2  # a rotation to 32 digits
        R = R + R * (small - R.T * R) / 2
        w, n = log_and_momentum(R, exact)
        w, n = (np.array(x, float).ravel() for x in (w, n))
    size = np.abs(A @ A.T).max()
    np.testing.assert_allclose(log_so3_below_pi(Y.R).w, w, rtol=0, atol=2e-15 * max(angle, 0.1))
    np.testing.assert_allclose(p.ang, n, rtol=0, atol=1e-14 * size * max(angle, 0.1))
