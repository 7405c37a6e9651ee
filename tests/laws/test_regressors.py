"""Joint forces are linear in what is to be identified: the matrices of that."""

import numpy as np
from every_joint import FIGURES, case, each, times, value
from law_figures import assert_close, rebuilt

import arthron as ar
from arthron.algorithms import (
    coriolis_matrix,
    gravity_forces,
    joint_regressor,
    mass_matrix,
    regressor,
    rnea,
    slotine_li_forces,
    slotine_li_gradient,
    slotine_li_regressor,
)
from arthron.spatial import Inertia, Mat3, Vec3

EXACT = 1e-12


def bare(name):
    """The figure without armature."""
    model = FIGURES[name]
    mimic = bool(model.tree.followers)
    return rebuilt(model, lambda body: {"armature": 0.0}, mimic=mimic)


def with_parameters(model, parameters):
    """The figure with other inertias."""
    each = dict(zip(model.body_names, parameters.reshape(model.nb, 10), strict=True))

    def inertia(body):
        m, hx, hy, hz, xx, yy, zz, xy, xz, yz = each[body.name]
        I = Mat3(Vec3(xx, xy, xz), Vec3(xy, yy, yz), Vec3(xz, yz, zz))
        return {"inertia": Inertia(m, Vec3(hx, hy, hz), I)}

    return rebuilt(model, inertia, mimic=bool(model.tree.followers))


def random_parameters(model, seed=3):
    """Inertias of other bodies, of which all ten numbers differ."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(model.nb):
        A = rng.normal(size=(3, 3))
        Ic = np.trace(A @ A.T) * np.eye(3) - A @ A.T
        c = Vec3(*rng.normal(size=3).tolist())
        rows.append(Inertia.from_com(float(rng.uniform(1, 2)), c, Mat3.from_rows(Ic)).parameters())
    return np.array(rows).ravel()


@each(FIGURES)
def test_regressor_times_parameters(name):
    model, given = bare(name), case(name)
    state = given["q"], given["qd"], given["qdd"]
    tau = ar.evaluate(rnea, model, *state)
    Y = value(regressor, name)
    assert Y.shape == (3, model.nv, 10 * model.nb)
    assert_close(Y @ model.inertial_parameters(), tau, EXACT)


@each(FIGURES)
def test_the_same_matrix_for_other_inertias(name):
    """So that each column is right, and not their sum alone."""
    model, given = bare(name), case(name)
    other = with_parameters(model, random_parameters(model))
    tau = ar.evaluate(rnea, other, given["q"], given["qd"], given["qdd"])
    assert_close(value(regressor, name) @ other.inertial_parameters(), tau, EXACT)
    assert_close(other.inertial_parameters(), random_parameters(model), 1e-14)


@each(["customs", "bird", "tied"])
def test_each_column_is_a_derivative(name):
    """By differences, which are exact up to rounding as tau is linear."""
    model, given = bare(name), case(name)
    Y, p = value(regressor, name), random_parameters(model)
    state = given["q"], given["qd"], given["qdd"]
    before = ar.evaluate(rnea, with_parameters(model, p), *state)
    for k in np.random.default_rng(1).choice(len(p), 12, replace=False):
        changed = p.copy()
        changed[k] += 0.01
        after = ar.evaluate(rnea, with_parameters(model, changed), *state)
        assert_close((after - before) / 0.01, Y[..., k], 1e-10, scale=before / 0.01 * 1e-3)


@each(FIGURES)
def test_slotine_li_regressor(name):
    model, given = bare(name), case(name)
    Y = value(slotine_li_regressor, name)
    M = ar.evaluate(mass_matrix, model, given["q"])
    C = ar.evaluate(coriolis_matrix, model, given["q"], given["qd"])
    expected = times(M, given["qdd_ref"]) + times(C, given["qd_ref"]) + value(gravity_forces, name)
    assert_close(Y @ model.inertial_parameters(), expected, EXACT)
    other = with_parameters(model, random_parameters(model))
    M, C, g = (ar.evaluate(page, other, *state) for page, state in [
        (mass_matrix, [given["q"]]), (coriolis_matrix, [given["q"], given["qd"]]),
        (gravity_forces, [given["q"]]),
    ])  # fmt: skip
    expected = times(M, given["qdd_ref"]) + times(C, given["qd_ref"]) + g
    assert_close(Y @ other.inertial_parameters(), expected, EXACT)


@each(FIGURES)
def test_slotine_li_on_the_trajectory_itself(name):
    model, given = FIGURES[name], case(name)
    state = given["q"], given["qd"], given["qd"], given["qdd"]
    Y = ar.evaluate(slotine_li_regressor, model, *state)
    assert_close(Y, value(regressor, name), EXACT)


@each(FIGURES)
def test_slotine_li_without_the_matrix(name):
    """Joint forces Y p and slopes Y^T s in one recursion each; armature belongs to the forces."""
    model, given = FIGURES[name], case(name)
    M, C = ar.evaluate(mass_matrix, model, given["q"]), value(coriolis_matrix, name)
    expected = times(M, given["qdd_ref"]) + times(C, given["qd_ref"]) + value(gravity_forces, name)
    assert_close(value(slotine_li_forces, name), expected, EXACT)
    Y, s = value(slotine_li_regressor, name), given["qd"] - given["qd_ref"]
    assert_close(value(slotine_li_gradient, name), times(np.swapaxes(Y, -1, -2), s), EXACT)


def test_joint_regressor():
    model, given = FIGURES["balls"], case("balls")
    qd, qdd = given["qd"].copy(), given["qdd"]
    qd[0, 0], qd[1, 1] = 0.0, -0.0
    rng = np.random.default_rng(4)
    Y = ar.evaluate(joint_regressor, model, qd, qdd)
    assert Y.shape == (3, model.nv, 3 * model.nv)
    p = rng.uniform(size=3 * model.nv)
    armature, viscous, dry = p.reshape(-1, 3).T
    assert_close(Y @ p, armature * qdd + viscous * qd + dry * np.sign(qd), 1e-14)
    assert_close(model.joint_regressor(qd, qdd), Y, 1e-15)
    spread = Y.reshape(3, model.nv, model.nv, 3)
    assert not spread[:, ~np.eye(model.nv, dtype=bool)].any()


def test_joint_parameters():
    bodies = [
        ar.Body(n, ar.Revolute("x"), shapes=[ar.Sphere(0.1)], armature=a, damping=d, friction=f)
        for n, a, d, f in [("one", 0.1, 0.2, 0.3), ("two", 0.4, 0.5, 0.6)]
    ]
    model = ar.Model(bodies)
    assert model.joint_parameters().tolist() == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]


@each(["balls", "tied"])
def test_everything_together(name):
    """Both regressors with all parameters: the force of the whole figure, with armature."""
    model, given = FIGURES[name], case(name)
    state = given["q"], given["qd"], given["qdd"]
    total = model.regressor(*state) @ model.inertial_parameters()
    total = total + model.joint_regressor(*state[1:]) @ model.joint_parameters()
    assert_close(total, model.inverse_dynamics(*state), EXACT)


@each(["kite", "hand"])
def test_native_regressors(name):
    model, given = FIGURES[name], case(name)
    found = model.regressor(given["q"], given["qd"], given["qdd"])
    assert_close(found, value(regressor, name), EXACT)
    state = [given[n] for n in ("q", "qd", "qd_ref", "qdd_ref")]
    found = model.slotine_li_regressor(*state)
    assert_close(found, value(slotine_li_regressor, name), EXACT)
    assert_close(model.slotine_li_regressor(*(x[2] for x in state)), found[2], EXACT)


@each(["hinges", "bird"])
def test_placements(name):
    """Poses of the frames before the joints, in the parent body."""
    model = FIGURES[name]
    T = model.body_poses(model.neutral())
    for k, parent in enumerate(model.tree.parent[1:]):
        before = np.eye(4) if parent == 0 else T[parent - 1]
        assert_close(np.linalg.solve(before, T[k]), model.placements()[k], 1e-13)
