"""B-splines, and motions that are splines, on spheres too."""

import numpy as np
import pytest
from motion_cases import branching
from scipy.interpolate import BSpline

import arthron as ar
from arthron.spacetime import Knots, SplineMotion

BREAKS = np.array([0.0, 0.1, 0.4, 0.45, 1.0])
ROOTS = [ar.Revolute("y"), ar.Free(), ar.Planar("y"), ar.Free("exponential")]


@pytest.mark.parametrize("degree", [3, 4, 5, 7])
def test_basis_functions_are_those_of_scipy(degree):
    knots, t = Knots.between(BREAKS, degree), np.linspace(0.0, 1.0, 23)
    first, B = knots.local(t)
    for order in range(3):
        found = np.zeros((len(t), knots.count))
        for row, k in enumerate(first):
            found[row, k : k + degree + 1] = B[row, order]
        each = [BSpline(knots.times, e, degree)(t, order) for e in np.eye(knots.count)]
        assert np.abs(found - np.transpose(each)).max() < 1e-12 * np.abs(found).max()


def test_integrals_and_quadrature():
    knots = Knots.between(BREAKS, 4)
    t, dt = knots.gauss(3)
    first, B = knots.local(t)
    total = np.zeros(knots.count)
    for k, row, w in zip(first, B, dt, strict=True):
        total[k : k + 5] += w * row[0]
    np.testing.assert_allclose(total, knots.integrals(), atol=1e-15)


@pytest.mark.parametrize("root", ROOTS, ids=repr)
def test_velocities_are_rates_on_every_manifold(root):
    model = branching(root)
    poses = model.random(np.random.default_rng(1), 5)
    motion = SplineMotion.near(model, np.linspace(0.0, 2.0, 5), poses, spans=6)
    t, h = np.linspace(0.1, 1.9, 7), 1e-4
    _, qd, qdd = motion(t)
    (q0, v0, _), (q1, v1, _), (q2, v2, _), (q3, v3, _) = (motion(t + k * h) for k in (-2, -1, 1, 2))
    rate = (8.0 * model.difference(q1, q2) - model.difference(q0, q3)) / (12.0 * h)
    scale = np.abs(qd).max()
    assert np.abs(rate - qd).max() < 1e-6 * scale
    slope = (8.0 * (v2 - v1) - (v3 - v0)) / (12.0 * h)
    assert np.abs(slope - qdd).max() < 1e-8 * np.abs(qdd).max()


def test_splines_end_at_their_first_and_last_pose():
    model = branching(ar.Free())
    poses = model.random(np.random.default_rng(2), 3)
    motion = SplineMotion.near(model, [0.0, 0.5, 1.0], poses, spans=4)
    for t, pose in ((0.0, poses[0]), (1.0, poses[-1])):
        assert np.abs(model.difference(motion(t)[0], pose)).max() < 1e-12


def test_turns_are_not_shorter_for_being_upside_down():
    """A ball that turns about an axis at a rate does so whatever its pose: no chart, no gimbal."""
    ball = ar.Model([ar.Body("ball", ar.Spherical(), shapes=[ar.Sphere(0.1, mass=1.0)])])
    times, axis = np.linspace(0.0, 3.0, 13), np.array([0.6, 0.0, 0.8])
    turned = ball.integrate(ball.neutral(), times[:, None] * axis * 2.0)
    motion = SplineMotion.near(ball, times, turned, spans=12)
    _, w, a = motion(np.linspace(0.5, 2.5, 9))
    assert np.abs(w - 2.0 * axis).max() < 1e-12 and np.abs(a).max() < 1e-10


def test_messages_of_splines():
    model = branching(ar.Free())
    with pytest.raises(ar.ShapeError, match="as many configurations of 14 numbers"):
        SplineMotion.near(model, [0.0, 1.0], np.zeros((2, 3)))
    with pytest.raises(ar.ModelError, match="two or more times that increase"):
        Knots.between(np.array([0.0, 0.0]), 3)
