"""The matrices of dynamics and their derivatives: laws, differences, sums over particles."""

import functools
from pathlib import Path

import numpy as np
import pytest
from every_joint import (
    FIGURES,
    STRAIGHT,
    TIED,
    case,
    difference,
    each,
    identity_like,
    in_time,
    times,
    transposed,
    value,
)
from law_figures import assert_close, rebuilt

import arthron as ar
from arthron._algorithms.constrained import mobility, operational_inertia
from arthron._algorithms.kinematics import point_jacobian
from arthron.algorithms import (
    bias_forces,
    center_of_mass,
    com_jacobian,
    coriolis_matrix,
    coriolis_matrix_dot,
    coriolis_matrix_dq,
    coriolis_matrix_dqd,
    crba,
    gravity_forces,
    gravity_forces_dot,
    inverse_mass_matrix,
    inverse_mass_product,
    inverse_mass_products,
    jacobians,
    mass_matrix,
    mass_matrix_dot,
    mass_matrix_dq,
    momentum,
    momentum_matrix,
    momentum_matrix_dot,
    poses,
)

EXACT, BY_DIFFERENCES = 1e-12, 1e-10
SOME = ["splines", "customs", "balls", "kite", "hand"]
PLAIN = [*STRAIGHT, "tied"]


def of(page, model):
    """A page of q, and qd if it takes that, as a function of both."""
    takes_qd = "qd" in page.__code__.co_varnames[: page.__code__.co_argcount]
    return lambda q, qd: ar.evaluate(page, model, *(q, qd)[: 1 + takes_qd])


def rate_of(page, name, accelerated=True):
    """The derivative of a page by time, by differences."""
    given = case(name)
    qdd = given["qdd"] if accelerated else None
    return in_time(of(page, FIGURES[name]), FIGURES[name], given["q"], given["qd"], qdd)


# The Coriolis matrix


@each(FIGURES)
def test_coriolis_forces(name):
    """C qd is what velocity adds to the forces of gravity."""
    model, given = FIGURES[name], case(name)
    bias = ar.evaluate(bias_forces, model, given["q"], given["qd"])
    found = times(value(coriolis_matrix, name), given["qd"]) + value(gravity_forces, name)
    assert_close(found, bias, EXACT)


@each(FIGURES)
def test_rate_of_the_mass_matrix(name):
    C, Mdot = value(coriolis_matrix, name), value(mass_matrix_dot, name)
    assert_close(C + transposed(C), Mdot, EXACT)
    assert_close(Mdot, rate_of(crba, name, accelerated=False), BY_DIFFERENCES)


@each(PLAIN)
def test_christoffel_symbols(name):
    """Where qd = dq/dt, C is made of the derivatives of M."""
    model, q = FIGURES[name], case(name)["q"]
    dM = difference(lambda q: ar.evaluate(crba, model, q), model, q)
    symbols = 0.5 * (dM + dM.swapaxes(-1, -2) - np.moveaxis(dM, -1, -3))
    assert_close(value(coriolis_matrix_dqd, name), symbols, BY_DIFFERENCES)
    C = times(symbols, case(name)["qd"][:, None])
    assert_close(value(coriolis_matrix, name), C, BY_DIFFERENCES)


def particles(I):
    """(mass, place) of four particles that have a given inertia together."""
    spread = 0.5 * np.trace(I.I) * np.eye(3) - np.array(I.I)
    second = np.block([[spread, np.array(I.h)[:, None]], [np.array(I.h)[None], I.m]])
    mix, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(4, 4)))
    *xyz, s = np.linalg.cholesky(second) @ mix
    return [(m, p) for m, p in zip(s * s, np.transpose(xyz / s), strict=True)]


def particle_jacobians(model, q):
    """Matrices that take qd to the velocity of each particle in the world, (..., n, 3, nv)."""
    R, J = ar.evaluate(poses, model, q)[..., :3, :3], ar.evaluate(jacobians, model, q)
    each = []
    for k in range(model.nb):
        ang, lin = J[..., k, :3, :], J[..., k, 3:, :]
        for _, p in particles(model.tree.I[k + 1]):
            across = np.cross(ang, p[:, None].astype(q.dtype), axisa=-2, axisb=-2, axisc=-2)
            each.append(R[..., k, :, :] @ (lin + across))
    return np.stack(each, axis=-3)


@each(FIGURES)
def test_coriolis_matrix_is_a_sum_over_particles(name):
    """C = sum of J^T m J', and M = sum of J^T m J, for all kinds of joints."""
    model, given = FIGURES[name], case(name)
    m = np.array([m for I in model.tree.I[1:] for m, _ in particles(I)])
    J = particle_jacobians(model, given["q"])
    Jdot = in_time(lambda q, _: particle_jacobians(model, q), model, given["q"], given["qd"])
    C, M = (np.einsum("p,npai,npaj->nij", m, J, other) for other in (Jdot, J))
    motors, F = model.unreduced().armature, joint_slopes(model, given["q"])
    Fdot = in_time(lambda q, _: joint_slopes(model, q), model, given["q"], given["qd"])
    C, M = (x + np.einsum("k,nki,nkj->nij", motors, F, y) for x, y in ((C, Fdot), (M, F)))
    assert_close(value(coriolis_matrix, name), C, BY_DIFFERENCES)
    assert_close(value(crba, name), M, EXACT)


def joint_slopes(model, q):
    """F: velocities of all joints, those that follow others too, by qd."""

    def page(tree, q, qd):
        return [x for i in tree.bodies for x in qd[i]]

    F = ar.evaluate(ar.jacobian(page, "qd"), model, q, np.zeros(model.nv, q.dtype))
    return np.broadcast_to(F, (*q.shape[:-1], *F.shape[-2:]))


def diagonal(x):
    return x[..., None] * np.eye(x.shape[-1])


# Derivatives of M, C and g


@each(SOME)
def test_derivatives_by_state(name):
    model, given = FIGURES[name], case(name)
    q, qd = given["q"], given["qd"]
    for page, derivative, wrt in [
        (mass_matrix, mass_matrix_dq, 0),
        (coriolis_matrix, coriolis_matrix_dq, 0),
        (coriolis_matrix, coriolis_matrix_dqd, 1),
    ]:
        expected = difference(of(page, model), model, q, qd, wrt=wrt)
        assert_close(value(derivative, name), expected, BY_DIFFERENCES)


@each(FIGURES)
def test_rates(name):
    assert_close(value(coriolis_matrix_dot, name), rate_of(coriolis_matrix, name), BY_DIFFERENCES)
    found = value(gravity_forces_dot, name)
    assert_close(found, rate_of(gravity_forces, name), BY_DIFFERENCES)


@each(["balls"])
def test_rates_are_sums_of_derivatives(name):
    qd, qdd = case(name)["qd"][:, None], case(name)["qdd"][:, None]
    C = times(value(coriolis_matrix_dq, name), qd) + times(value(coriolis_matrix_dqd, name), qdd)
    assert_close(value(coriolis_matrix_dot, name), C, EXACT)
    M = times(value(mass_matrix_dq, name), qd)
    assert_close(value(mass_matrix_dot, name), M, EXACT)


# Momentum


@each(FIGURES)
def test_momentum_matrix(name):
    model, given = FIGURES[name], case(name)
    A = value(momentum_matrix, name)
    assert_close(times(A, given["qd"]), value(momentum, name), EXACT)
    assert_close(A[:, 3:] / model.mass, value(com_jacobian, name), EXACT)
    c, J = value(center_of_mass, name), particle_jacobians(model, given["q"])
    T = value(poses, name)
    total = np.zeros_like(A[:, :3])
    for k, I in enumerate(model.tree.I[1:]):
        for j, (m, p) in enumerate(particles(I)):
            arm = m * (times(T[:, k, :3, :3], p) + T[:, k, :3, 3] - c)
            total += np.cross(arm[:, :, None], J[:, 4 * k + j], axisa=1, axisb=1, axisc=1)
    assert_close(A[:, :3], total, EXACT)


@each(FIGURES)
def test_rate_of_the_momentum_matrix(name):
    found = value(momentum_matrix_dot, name)
    assert_close(found, rate_of(momentum_matrix, name), BY_DIFFERENCES)


@each(["bird", "hand"])
def test_only_the_world_changes_momentum(name):
    """A free figure: A qdd + A' qd is its weight, and nothing about the centre of mass."""
    model, given = FIGURES[name], case(name)
    tau = given["tau"].copy()
    tau[:, :6] = 0.0
    mimic = bool(model.tree.followers)
    model = rebuilt(model, lambda body: {"armature": 0.0}, mimic=mimic)  # it stands on the world
    qdd = ar.evaluate(ar.algorithms.forward_dynamics, model, given["q"], given["qd"], tau)
    change = times(value(momentum_matrix, name), qdd)
    change = change + times(value(momentum_matrix_dot, name), given["qd"])
    weight = np.concatenate([np.zeros(3), model.mass * model.gravity])
    assert_close(change, np.broadcast_to(weight, change.shape), 1e-10, scale=np.abs(qdd).max())


# The inverse of M


@each(FIGURES)
def test_inverse_mass_matrix(name):
    M, W = value(crba, name), value(inverse_mass_matrix, name)
    assert_close(W @ M, identity_like(M), 1e-10)
    assert np.array_equal(W, transposed(W))


def random_terms(model, count):
    rng = np.random.default_rng(4)
    joint_terms = rng.uniform(0.0, 2.0, size=(count, model.nv))
    roots = rng.normal(size=(count, model.nb, 6, 6))
    return joint_terms, roots @ transposed(roots)


@each(FIGURES)
@pytest.mark.parametrize("which", ["neither", "joints", "bodies", "both"])
def test_inverse_mass_product(name, which):
    model, given = FIGURES[name], case(name)
    joint_terms, body_terms = random_terms(model, 3)
    terms, A = {}, value(crba, name)
    if which in ("joints", "both"):
        terms["joint_terms"], A = joint_terms, A + diagonal(joint_terms)
    if which in ("bodies", "both"):
        terms["body_terms"], J = body_terms, value(jacobians, name)
        A = A + np.einsum("nbki,nbkl,nblj->nij", J, body_terms, J)
    found = ar.evaluate(inverse_mass_product, model, given["q"], given["x"], **terms)
    assert_close(times(A, found), given["x"], 1e-10)


@each(["balls", "tied"])
def test_native_inverse_mass_product(name):
    model, given = FIGURES[name], case(name)
    terms = random_terms(model, 3)
    found = model.inverse_mass_product(given["q"], given["x"], *terms)
    expected = ar.evaluate(inverse_mass_product, model, given["q"], given["x"], *terms)
    assert_close(found, expected, 1e-11)
    plain = model.inverse_mass_product(given["q"][0], given["x"][0])
    assert_close(times(value(crba, name)[0], plain), given["x"][0], 1e-10)
    assert_close(model.inverse_mass_matrix(given["q"]), value(inverse_mass_matrix, name), 1e-11)


@each(FIGURES)
def test_inverse_mass_products(name):
    """Many at once are one by one, and what the dense matrix gives."""
    model, given = FIGURES[name], case(name)
    (joint_terms, body_terms), J = random_terms(model, 3), value(jacobians, name)
    A = value(crba, name) + diagonal(joint_terms)
    A = A + np.einsum("nbki,nbkl,nblj->nij", J, body_terms, J)
    x = np.stack([given[n] for n in ("x", "tau", "weights", "qd")], 1)
    state = given["q"], x, joint_terms, body_terms
    found = ar.evaluate(inverse_mass_products, model, *state, shapes={"x": x.shape[1:]})
    assert_close(found, np.linalg.solve(A, transposed(x)).swapaxes(-1, -2), 1e-10)


@each(["balls", "tied"])
def test_native_inverse_mass_products(name):
    """With a batch of states, of right-hand sides or of both; with none at all."""
    model, q, M = FIGURES[name], case(name)["q"], value(crba, name)
    x = np.random.default_rng(5).normal(size=(3, 2, model.nv))
    expected = np.linalg.solve(M, transposed(x)).swapaxes(-1, -2)
    assert_close(model.inverse_mass_products(q, x), expected, 1e-10)
    assert_close(model.inverse_mass_products(q[1], x[1]), expected[1], 1e-10)
    stiff = model.inverse_mass_products(q, x[0], np.ones(model.nv))
    A = M + np.eye(model.nv)
    assert_close(stiff, np.linalg.solve(A, x[0].T).swapaxes(-1, -2), 1e-10)
    assert model.inverse_mass_products(q, x[:, :0]).shape == (3, 0, model.nv)


def test_many_right_hand_sides_share_their_factors():
    """Each further one costs a third of the first, and what docs/dynamics.md says."""
    model = ar.load(ar.figures / "humanoid.urdf", root=ar.Free())
    one, six = (
        ar.compile(inverse_mass_products, model, shapes={"x": (m, model.nv)}).op_count
        for m in (1, 6)
    )
    assert one == model.inverse_mass_product.op_count
    assert six < 0.45 * 6 * one
    text = (Path(__file__).parents[2] / "docs/dynamics.md").read_text()
    assert f"{one:,} operations for one, {six:,} for six" in " ".join(text.split())


@pytest.mark.parametrize("axes", ["local", "world_aligned", "world"])
@each(["bird", "kite", "hand"])
def test_operational_space_inertia(name, axes):
    model, q = FIGURES[name], case(name)["q"]
    body, point = model.body_names[1], np.array([0.3, -0.1, 0.2])
    bound = {**vars(model.frame(body)), "axes": axes}

    def of_point(page):
        return ar.evaluate(
            functools.partial(page, **bound), model, q, point, shapes={"point": (3,)}
        )

    J, M = of_point(point_jacobian), value(crba, name)
    felt = J @ np.linalg.solve(M, transposed(J))
    assert_close(of_point(mobility), felt, 1e-11)
    assert_close(of_point(operational_inertia), np.linalg.inv(felt), 1e-9)
    if axes != "world":
        native = model.operational_space_inertia(q, body, point, axes=axes)
        assert_close(native, np.linalg.inv(felt), 1e-9)


def test_operational_space_inertia_without_enough_joints():
    """Infinite or NaN, as it says; not a number that looks right."""
    model, q = FIGURES["hinges"], case("hinges")["q"]
    assert not np.isfinite(model.operational_space_inertia(q, "body1")).all()


# Control


@each(["customs", "balls", "tied"])
def test_passivity_along_a_trajectory(name):
    """With tau = M a + C u + g - K s, s = qd - u, the energy of s falls by s . K s all the way.

    It takes C with dM/dt = C + C^T; C qd alone would not do.
    """
    model, given = FIGURES[name], case(name)
    wave, K = 0.3 * given["x"][0], 3.0
    q, qd, dt = given["q"][0], 0.5 * given["qd"][0], 2e-3

    def reference(t):
        return wave * np.cos(3 * t), -3 * wave * np.sin(3 * t)

    def push(t, q, qd):
        u, a = reference(t)
        s = qd - u
        tau = model.mass_matrix(q) @ a + model.coriolis_matrix(q, qd) @ u
        tau = tau + model.gravity_forces(q) - K * s
        return model.forward_dynamics(q, qd, tau), K * s @ s

    def stored(t, q, qd):
        s = qd - reference(t)[0]
        return 0.5 * s @ model.mass_matrix(q) @ s

    start, lost, t = stored(0.0, q, qd), 0.0, 0.0
    for _ in range(60):  # midpoint rule: errors of dt^2
        qdd, _ = push(t, q, qd)
        middle = model.integrate(q, 0.5 * dt * qd), qd + 0.5 * dt * qdd
        qdd, power = push(t + 0.5 * dt, *middle)
        q, qd = model.integrate(q, dt * middle[1]), qd + dt * qdd
        t, lost = t + dt, lost + dt * power
    assert lost > 0.02 * start
    assert abs(start - lost - stored(t, q, qd)) < 1e-3 * lost


@each(TIED)
def test_free_figure_projected(name):
    """M and C of figures with followers are those of the free figure, projected (S19 2.77)."""
    model, given = FIGURES[name], case(name)
    free = ar.Model(model.bodies, gravity=model.gravity)
    G = np.zeros((free.nv, model.nv))
    for k in model.tree.bodies:
        rows, at = free.slice_qd(free.joint_names[k - 1]), model.tree.v_start[k]
        if k in model.tree.followers:
            (slope,) = model.tree.led.slopes[k]
            G[rows, list(slope)] = list(slope.values())
        else:
            G[rows, at : at + free.tree.joint[k].nv] = np.eye(free.tree.joint[k].nv)
    q = np.concatenate(model.tree.positions(list(given["q"].T))[1:]).T
    qd = given["qd"] @ G.T
    for page in (coriolis_matrix, mass_matrix_dot):
        full = ar.evaluate(page, free, q, qd)
        assert_close(value(page, name), G.T @ full @ G, EXACT)
    A = ar.evaluate(momentum_matrix_dot, free, q, qd)
    assert_close(value(momentum_matrix_dot, name), A @ G, EXACT)
