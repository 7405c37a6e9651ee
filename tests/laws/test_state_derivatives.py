"""Derivatives of inverse and forward dynamics by state: the pages against graph and differences."""

import dataclasses

import numpy as np
import pytest
from every_joint import (
    FIGURES,
    STRAIGHT,
    TURNING,
    case,
    difference,
    each,
    identity_like,
    inputs_of,
    slope,
    times,
    transposed,
    value,
)
from law_figures import PUPPET, assert_close, state

import arthron as ar
from arthron._algorithms.state_derivatives import MANY, behind_one_another
from arthron.algorithms import (
    articulated_derivatives,
    crba,
    forward_dynamics,
    forward_dynamics_derivatives,
    forward_dynamics_vjp,
    gravity_forces,
    gravity_forces_dq,
    inverse_dynamics,
    inverse_dynamics_derivatives,
    inverse_dynamics_vjp,
    rnea,
    rnea_derivatives,
)

EXACT = 1e-12
SOLVED = 1e-10  # behind M^-1, whose condition is a thousand or so
SOME = ["balls", "customs", "tied"]
PAGES = [
    inverse_dynamics_derivatives,
    forward_dynamics_derivatives,
    inverse_dynamics_vjp,
    forward_dynamics_vjp,
]


def assert_all_close(found, expected, tolerance, scale=0.0):
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert_close(one, other, tolerance, scale)


@each(FIGURES)
def test_inverse_dynamics_against_the_graph(name):
    expected = [slope(rnea, wrt, name) for wrt in ("q", "qd", "qdd")]
    tau = value(rnea, name)
    assert_all_close(value(inverse_dynamics_derivatives, name), expected[:2], EXACT, tau)
    assert_all_close(value(rnea_derivatives, name), expected, EXACT, tau)


@pytest.mark.parametrize(
    "model", [PUPPET, FIGURES["vectors"], *TURNING.values()], ids=lambda m: m.name
)
def test_inverse_dynamics_at_the_neutral_pose(model):
    """And very near it, where formulas may divide by zero."""
    q, qd, qdd, _, f_ext = state(model, count=0)
    found = ar.evaluate(inverse_dynamics_derivatives, model, q, qd, qdd, f_ext)
    for one, wrt in zip(found, ("q", "qd"), strict=True):
        expected = ar.evaluate(ar.jacobian(rnea, wrt), model, q, qd, qdd, f_ext)
        assert_close(one, expected, EXACT)


@each(FIGURES)
def test_forward_dynamics_against_the_graph(name):
    expected = [slope(forward_dynamics, wrt, name) for wrt in ("q", "qd", "tau")]
    assert_all_close(value(forward_dynamics_derivatives, name), expected, SOLVED)


@each([name for name, model in FIGURES.items() if not model.tree.followers])
def test_forward_dynamics_by_recursion_against_the_graph(name):
    expected = [slope(forward_dynamics, wrt, name) for wrt in ("q", "qd", "tau")]
    found = value(articulated_derivatives, name)
    assert_all_close(found, expected, SOLVED)
    np.testing.assert_array_equal(found[2], np.swapaxes(found[2], -1, -2))


def test_joints_that_follow_others_are_no_tree():
    with pytest.raises(ar.ModelError, match="follow others"):
        value(articulated_derivatives, "tied")


@pytest.mark.parametrize("kinds", [("revolute",), ("universal", "prismatic", "spherical")])
def test_long_figures_by_recursion_and_by_factors(kinds):
    """The method goes the first way for a chain."""
    model = ar.random_tree(24, joints=kinds, taper=1.0, rng=5)
    assert behind_one_another(model.tree) > MANY
    q, qd, qdd, tau, f_ext = state(model, count=0)
    found = ar.evaluate(forward_dynamics_derivatives, model, q, qd, tau, f_ext)
    again = ar.evaluate(articulated_derivatives, model, q, qd, tau, f_ext)
    for one, other in zip(found, again, strict=True):
        np.testing.assert_array_equal(one, other)
    M = ar.evaluate(crba, model, q)
    forces = tau - ar.evaluate(rnea, model, q, qd, 0.0 * qd, f_ext)
    qdd = np.linalg.solve(M, forces[..., None])[..., 0]
    by_q, by_qd, _ = ar.evaluate(rnea_derivatives, model, q, qd, qdd, f_ext)
    expected = -np.linalg.solve(M, by_q), -np.linalg.solve(M, by_qd), np.linalg.inv(M)
    assert_all_close(found, expected, 1e-8)


def test_moving_a_free_figure_as_a_whole():
    """Only its base feels it, and that only turning, since gravity stays: to the last bit."""
    bare = ar.random_tree(4, 1.7, rng=3)
    first = dataclasses.replace(bare.bodies[0], joint=ar.Free())
    model = ar.Model([first, *bare.bodies[1:]])
    q, qd, _, tau, f_ext = state(model, count=2)
    by_q, by_qd, _ = ar.evaluate(articulated_derivatives, model, q, qd, tau, f_ext)
    assert not by_q[:, 6:, :6].any()
    assert not by_q[:, :, 3:6].any()
    assert not by_qd[:, 6:, 3:6].any()
    falling = model.replace(gravity=(0.0, 0.0, 0.0))
    assert not ar.evaluate(articulated_derivatives, falling, q, qd, tau)[0][:, :, :6].any()
    expected = ar.evaluate(ar.jacobian(forward_dynamics, "q"), model, q, qd, tau, f_ext)
    assert_close(by_q, expected, SOLVED)


@each(FIGURES)
def test_gravity_against_the_graph(name):
    expected, scale = slope(gravity_forces, "q", name), value(gravity_forces, name)
    assert_close(value(gravity_forces_dq, name), expected, EXACT, scale)


@each(FIGURES)
def test_inverse_dynamics_against_differences(name):
    """Of the plain algorithm, so that no derivative of a formula is trusted."""
    model, given = FIGURES[name], case(name)

    def plain(q, qd):
        return ar.evaluate(rnea, model, q, qd, given["qdd"], given["f_ext"])

    by_q, by_qd = value(inverse_dynamics_derivatives, name)
    assert_close(by_q, difference(plain, model, given["q"], given["qd"]), 1e-9)
    assert_close(by_qd, difference(plain, model, given["q"], given["qd"], wrt=1), 1e-9)


@each(SOME)
def test_forward_dynamics_against_differences(name):
    model, given = FIGURES[name], case(name)

    def plain(q, qd, tau):
        return ar.evaluate(forward_dynamics, model, q, qd, tau, given["f_ext"])

    arrays = [given[each] for each in ("q", "qd", "tau")]
    expected = [difference(plain, model, *arrays, wrt=k) for k in range(3)]
    assert_all_close(value(forward_dynamics_derivatives, name), expected, 1e-8)


@each(FIGURES)
def test_forward_and_inverse_derivatives_belong_together(name):
    """M dqdd = dtau - d(inverse dynamics), and the last of the three is the inverse of M."""
    model, given = FIGURES[name], case(name)
    state = given["q"], given["qd"], value(forward_dynamics, name), given["f_ext"]
    dq, dqd, dtau = value(forward_dynamics_derivatives, name)
    by_q, by_qd = ar.evaluate(inverse_dynamics_derivatives, model, *state)
    M = value(crba, name)
    assert_close(M @ dq, -by_q, SOLVED)
    assert_close(M @ dqd, -by_qd, SOLVED)
    assert_close(M @ dtau, identity_like(M), SOLVED)
    assert np.array_equal(dtau, transposed(dtau))


@each(FIGURES)
def test_weighted_derivatives(name):
    weights = case(name)["weights"]
    of_tau = *value(inverse_dynamics_derivatives, name), value(crba, name)
    expected = [times(transposed(A), weights) for A in of_tau]
    assert_all_close(value(inverse_dynamics_vjp, name), expected, EXACT)
    expected = [times(transposed(A), weights) for A in value(forward_dynamics_derivatives, name)]
    assert_all_close(value(forward_dynamics_vjp, name), expected, SOLVED)


@each(STRAIGHT)
def test_gravity_has_a_potential(name):
    G = value(gravity_forces_dq, name)
    assert_close(G, transposed(G), EXACT)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.__name__)
def test_external_forces_may_be_left_out(page):
    name = "bird"
    model, given = FIGURES[name], inputs_of(page, name)
    f_ext = given.pop("f_ext")
    without = ar.evaluate(page, model, **given)
    assert_all_close(without, ar.evaluate(page, model, **given, f_ext=0.0 * f_ext), EXACT)
    assert np.abs(value(page, name)[0] - without[0]).max() > 1e-3


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.__name__)
@each(["balls", "tied"])
def test_native_methods(name, page):
    model, inputs = FIGURES[name], inputs_of(page, name)
    method = getattr(model, page.__name__)
    expected = value(page, name)
    found = method(**inputs)
    assert type(found) is tuple
    assert_all_close(found, expected, SOLVED)
    single = method(**{n: x[0] for n, x in inputs.items()})
    assert_all_close(single, [x[0] for x in expected], SOLVED)
    broken = {**inputs, "qd": inputs["qd"].copy()}
    broken["qd"][1, 0] = np.nan
    for bad in (method(**broken), ar.evaluate(page, model, **broken)):
        assert np.isnan(bad[0][1]).any()
        for one, other in zip(bad, expected, strict=True):  # the other rows are as they were
            assert_close(one[[0, 2]], other[[0, 2]], SOLVED)


def test_unit_weights_give_the_rows_of_the_matrices():
    model, given = FIGURES["bird"], case("bird")
    state = [given[each][:1] for each in ("q", "qd", "qdd")]
    rows = ar.evaluate(inverse_dynamics_vjp, model, *state, np.eye(model.nv))
    matrices = ar.evaluate(inverse_dynamics_derivatives, model, *state)
    assert_all_close(rows[:2], [A[0] for A in matrices], EXACT)


def test_vjp_by_other_inputs():
    model, given = FIGURES["kite"], case("kite")
    page = ar.vjp(inverse_dynamics, "f_ext", "q")
    inputs = {n: given[n] for n in ("q", "qd", "qdd", "weights", "f_ext")}
    by_f, by_q = ar.evaluate(page, model, **inputs, shapes={"weights": (model.nv,)})
    J = value(ar.algorithms.jacobians, "kite")
    assert_close(by_f, -np.einsum("nbij,nj->nbi", J, given["weights"]), EXACT)
    assert_close(by_q, value(inverse_dynamics_vjp, "kite")[0], EXACT)
