"""Work becomes energy, forces become momentum, and the centre of mass follows."""

import numpy as np
from law_figures import assert_close, difference_in_time, floating, for_figures, rate, state

import arthron as ar
from arthron.algorithms import (
    aba,
    center_of_mass,
    com_jacobian,
    crba,
    gravity_forces,
    kinetic_energy,
    momentum,
    poses,
    potential_energy,
    rnea,
    velocities,
)


@for_figures()
def test_kinetic_energy_is_half_qd_M_qd(model):
    q, qd, *_ = state(model)
    M = ar.evaluate(crba, model, q)
    half = 0.5 * np.einsum("...i,...ij,...j", qd, M, qd)
    assert_close(ar.evaluate(kinetic_energy, model, q, qd), half, 1e-12)


@for_figures()
def test_power_becomes_energy(model):
    q, qd, qdd, _, f_ext = state(model)
    tau = ar.evaluate(rnea, model, q, qd, qdd, f_ext)
    v = ar.evaluate(velocities, model, q, qd)
    power = (qd * tau).sum(-1) + (v * f_ext).sum((-1, -2))
    gain = rate(kinetic_energy, model, q, qd, qdd) + rate(potential_energy, model, q, qd)
    assert_close(gain, power, 1e-11, scale=np.abs(qd * tau).max())


@for_figures()
def test_gravity_forces_are_the_slope_of_potential_energy(model):
    q, *_ = state(model)
    slope = ar.evaluate(ar.jacobian(potential_energy, "q"), model, q)
    assert_close(ar.evaluate(gravity_forces, model, q), slope, 1e-12)


@for_figures()
def test_mass_matrix_is_the_curvature_of_kinetic_energy(model):
    q, qd, *_ = state(model)
    by_qd = ar.jacobian(kinetic_energy, "qd")
    M = ar.evaluate(crba, model, q)
    assert_close(ar.evaluate(by_qd, model, q, qd), (M @ qd[..., None])[..., 0], 1e-12)
    curvature = ar.evaluate(ar.jacobian(by_qd, "qd"), model, q, qd)
    assert_close(curvature, M, 1e-12)


@for_figures(count=8, most=4)
def test_lagrange(model):
    """Lagrange's equation, in Poincare's form where velocities are not rates of coordinates.

    Rotors, which armature stands for, do not turn with the body.
    """
    q, qd, qdd, *_ = state(model)
    by_q = ar.evaluate(ar.jacobian(kinetic_energy, "q"), model, q, qd)
    by_q = by_q - ar.evaluate(ar.jacobian(potential_energy, "q"), model, q)
    p = ar.evaluate(ar.jacobian(kinetic_energy, "qd"), model, q, qd)
    left = rate(ar.jacobian(kinetic_energy, "qd"), model, q, qd, qdd) - by_q
    for name, joint in zip(model.joint_names, model.tree.joint[1:], strict=True):
        at = model.slice_qd(name)
        v = qd[:, at]
        n = p[:, at] - model.armature[at] * v
        if isinstance(joint, ar.Spherical):
            left[:, at] += np.cross(v, n)
        elif isinstance(joint, ar.Free):
            turning = np.cross(v[:, :3], n[:, :3]) + np.cross(v[:, 3:], n[:, 3:])
            left[:, at] += np.concatenate([turning, np.cross(v[:, :3], n[:, 3:])], axis=-1)
    assert_close(left, ar.evaluate(rnea, model, q, qd, qdd), 1e-11)


@for_figures()
def test_linear_momentum_is_that_of_the_centre_of_mass(model):
    q, qd, *_ = state(model)
    p = ar.evaluate(momentum, model, q, qd)[:, 3:]
    v = (ar.evaluate(com_jacobian, model, q) @ qd[..., None])[..., 0]
    assert_close(p, model.mass * v, 1e-12)
    assert_close(rate(center_of_mass, model, q, qd), v, 1e-12)
    numerical = difference_in_time(
        lambda q, qd: ar.evaluate(center_of_mass, model, q), model, q, qd, 0 * qd
    )
    assert_close(numerical, v, 1e-6)


@for_figures()
def test_potential_energy_is_that_of_the_centre_of_mass(model):
    q, *_ = state(model)
    c = ar.evaluate(center_of_mass, model, q)
    assert_close(ar.evaluate(potential_energy, model, q), -model.mass * c @ model.gravity, 1e-12)


@for_figures()
def test_forces_become_momentum(model):
    model = floating(model)
    q, qd, _, tau, f_ext = state(model)
    tau[:, model.slice_qd(model.joint_names[0])] = 0.0  # nothing holds the root
    qdd = ar.evaluate(aba, model, q, qd, tau, f_ext)
    c = ar.evaluate(center_of_mass, model, q)
    T = ar.evaluate(poses, model, q)
    R, p = T[..., :3, :3], T[..., :3, 3]
    torque = np.einsum("...bij,...bj->...bi", R, f_ext[..., :3])
    force = np.einsum("...bij,...bj->...bi", R, f_ext[..., 3:])
    about_com = (torque + np.cross(p - c[:, None], force)).sum(-2)
    total = np.concatenate([about_com, force.sum(-2) + model.mass * model.gravity], axis=-1)
    assert_close(rate(momentum, model, q, qd, qdd), total, 1e-9, scale=np.abs(qdd).max())


@for_figures()
def test_momentum_is_the_sum_over_bodies(model):
    q, qd, *_ = state(model)
    c = ar.evaluate(center_of_mass, model, q)
    T, v = ar.evaluate(poses, model, q), ar.evaluate(velocities, model, q, qd)
    total = np.zeros((len(q), 6))
    for i in model.tree.bodies:
        m, h, I = (np.array(x) for x in model.tree.I[i])
        R, p = T[:, i - 1, :3, :3], T[:, i - 1, :3, 3]
        w, u = v[:, i - 1, :3], v[:, i - 1, 3:]
        linear = m * u + np.cross(w, h)
        spin = w @ I.T + np.cross(h, u)
        linear, spin = (np.einsum("...ij,...j->...i", R, x) for x in (linear, spin))
        total += np.concatenate([spin + np.cross(p - c, linear), linear], axis=-1)
    assert_close(ar.evaluate(momentum, model, q, qd), total, 1e-11)
