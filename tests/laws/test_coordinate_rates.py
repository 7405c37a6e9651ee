"""Rates of coordinates and velocities of joints, on figures of every kind of joint."""

import numpy as np
from every_joint import FIGURES, STRAIGHT, case, each, in_time, times, wide

import arthron as ar
from arthron.algorithms import coordinate_rates, difference, joint_velocities, poses


def rates_of(name):
    """States of a figure, velocities, and rates of their coordinates."""
    q, qd = case(name)["q"], case(name)["qd"]
    return q, qd, ar.evaluate(coordinate_rates, FIGURES[name], q, qd)


@each(FIGURES)
def test_coordinates_that_change_so_move_bodies_so(name):
    """Adding rates to q, without the joints' own geometry, moves bodies as qd does."""
    model = FIGURES[name]
    q, qd, rates = rates_of(name)
    assert rates.shape == (3, model.nq)
    h = np.longdouble(5e-7)
    (wide_q, wide_rates) = wide(q, rates)
    ahead, behind = (ar.evaluate(poses, model, wide_q + k * wide_rates) for k in (h, -h))
    moving = ar.evaluate(ar.rate(poses), model, q, qd)
    np.testing.assert_allclose((ahead - behind) / (2 * h), moving, atol=1e-9)


@each(FIGURES)
def test_rates_are_those_of_integrate(name):
    q, qd, rates = rates_of(name)
    np.testing.assert_allclose(in_time(lambda x, v: x, FIGURES[name], q, qd), rates, atol=1e-9)


@each(STRAIGHT)
def test_rates_of_plain_coordinates_are_the_velocities(name):
    _, qd, rates = rates_of(name)
    assert np.array_equal(rates, qd)
    assert ar.compile(coordinate_rates, FIGURES[name]).op_count == 0
    assert ar.compile(joint_velocities, FIGURES[name]).op_count == 0


@each(FIGURES)
def test_there_and_back(name):
    model = FIGURES[name]
    q, qd, rates = rates_of(name)
    back = ar.evaluate(joint_velocities, model, q, rates)
    np.testing.assert_allclose(back, qd, atol=1e-12)


@each(FIGURES)
def test_velocities_of_any_rates_are_those_of_difference(name):
    """Also of rates that make quaternions longer, which is no motion; whatever their length."""
    model, q = FIGURES[name], case(name)["q"].copy()
    for joint, i in zip(model.joint_names, model.figure.leaders.values(), strict=True):
        if isinstance(model.tree.joint[i], ar.Spherical) and model.tree.joint[i].nq == 4:
            q[:, model.slice_q(joint)] *= 3.0
    rates = np.random.default_rng(1).normal(size=q.shape)
    by_place = ar.evaluate(ar.jacobian(difference, "q1"), model, q, q)
    found = ar.evaluate(joint_velocities, model, q, rates)
    np.testing.assert_allclose(found, times(by_place, rates), atol=1e-12)


def test_methods_of_models():
    """Compiled, in batches and alone, with a joint that follows another; and the derivative."""
    model, (q, qd, rates) = FIGURES["hand"], rates_of("hand")
    assert (model.nq, model.nv) == (12, 10)
    np.testing.assert_allclose(model.coordinate_rates(q, qd), rates, atol=1e-14)
    np.testing.assert_allclose(model.coordinate_rates(q[1], qd), model.coordinate_rates(q[[1]], qd))
    back = np.empty_like(qd)
    assert model.joint_velocities(q, rates, out=back) is back
    np.testing.assert_allclose(back, qd, atol=1e-13)
    gamma = ar.evaluate(ar.jacobian(coordinate_rates, "qd"), model, q, qd)
    np.testing.assert_allclose(times(gamma, qd), rates, atol=1e-14)
