"""Second derivatives of inverse dynamics, and the functions that make pages of derivatives."""

import functools

import numpy as np
import pytest
from every_joint import FIGURES, STRAIGHT, TURNING, case, difference, each, times, transposed, value
from law_figures import assert_close

import arthron as ar
from arthron.algorithms import (
    center_of_mass,
    crba,
    gravity_forces,
    integrate,
    inverse_dynamics,
    inverse_dynamics_hessian,
    inverse_dynamics_hessian_product,
    inverse_dynamics_vjp,
    kinetic_energy,
    potential_energy,
)

EXACT, BY_DIFFERENCES = 1e-11, 1e-9
STATE = ("q", "qd", "qdd")
QUICK = ["hinges", "slides", "euler", "vectors", "customs", "balls", "bird", "kite", "tied", "hand"]


@functools.cache
def gradient_slopes(name, wrt):
    """Derivatives of (by q, by qd, by qdd) of weights . tau by one of q, qd, qdd; differences."""
    model, given = FIGURES[name], case(name)

    def gradients(q, qd, qdd):
        parts = ar.evaluate(
            inverse_dynamics_vjp, model, q, qd, qdd, given["weights"], given["f_ext"]
        )
        return np.stack(parts, axis=-2)

    by = difference(gradients, model, *(given[n] for n in STATE), wrt=wrt)
    return tuple(np.moveaxis(by, 1, 0))


@each(QUICK)
def test_blocks_against_differences(name):
    """By q moves the state along, so its own block is the symmetric part of what it finds."""
    qq, q_qd, qd_qd, q_qdd = value(inverse_dynamics_hessian, name)
    by_q, by_qd, by_qdd = (gradient_slopes(name, wrt) for wrt in range(3))
    assert_close(qq, 0.5 * (by_q[0] + transposed(by_q[0])), BY_DIFFERENCES)
    assert_close(q_qd, by_qd[0], BY_DIFFERENCES)
    assert_close(q_qd, transposed(by_q[1]), BY_DIFFERENCES)
    assert_close(qd_qd, by_qd[1], BY_DIFFERENCES)
    assert_close(q_qdd, by_qdd[0], BY_DIFFERENCES)
    assert_close(q_qdd, transposed(by_q[2]), BY_DIFFERENCES)
    scale = np.abs(qq).max()
    for left_out in (by_qdd[1], by_qdd[2], by_qd[2]):
        assert_close(left_out, 0.0 * left_out, BY_DIFFERENCES, scale)


@each(FIGURES)
def test_symmetric(name):
    """To the last digit, for quaternions too."""
    qq, _, qd_qd, _ = value(inverse_dynamics_hessian, name)
    assert np.array_equal(qq, transposed(qq))
    assert np.array_equal(qd_qd, transposed(qd_qd))
    assert np.all(np.isfinite(qq))


@each(TURNING)
def test_curvature_along_a_line_of_displacements(name):
    """e . H e is the second derivative along integrate(q, t e), no first derivative trusted."""
    model, given = FIGURES[name], case(name)
    qd, qdd, e = given["qd"], given["qdd"], given["dq"]
    h = 1e-4

    def weighted(t):
        q = np.asarray(given["q"], np.longdouble)
        there = ar.evaluate(integrate, model, q, np.longdouble(t) * e)
        tau = ar.evaluate(inverse_dynamics, model, there, qd, qdd, given["f_ext"])
        return (tau * given["weights"]).sum(-1)

    near, far = ((weighted(k * h) - 2 * weighted(0.0) + weighted(-k * h)) / (k * h) ** 2
                 for k in (1, 2))  # fmt: skip
    second = (4 * near - far) / 3
    qq = value(inverse_dynamics_hessian, name)[0]
    found = np.einsum("ni,nij,nj->n", e, qq, e)
    assert_close(found, second.astype(float), BY_DIFFERENCES, scale=np.abs(qq).max())


@each(FIGURES)
def test_product_is_matrix_times_vector(name):
    given = case(name)
    qq, q_qd, qd_qd, q_qdd = value(inverse_dynamics_hessian, name)
    dq, dqd, dqdd = given["dq"], given["dqd"], given["dqdd"]
    expected = (
        times(qq, dq) + times(q_qd, dqd) + times(q_qdd, dqdd),
        times(transposed(q_qd), dq) + times(qd_qd, dqd),
        times(transposed(q_qdd), dq),
    )
    found = value(inverse_dynamics_hessian_product, name)
    for one, other in zip(found, expected, strict=True):
        assert_close(one, other, EXACT)


@each(["balls", "customs", "tied"])
def test_what_blocks_are_made_of(name):
    """By (qd, qd), twice the Christoffel symbols where qd = dq/dt; by (q, qdd), dM/dq."""
    weights = case(name)["weights"]
    *_, qd_qd, q_qdd = value(inverse_dynamics_hessian, name)
    dM = value(ar.algorithms.mass_matrix_dq, name)
    assert_close(q_qdd, np.einsum("ni,nijk->nkj", weights, dM), EXACT)
    symbols = np.einsum("ni,nijk->njk", weights, value(ar.algorithms.coriolis_matrix_dqd, name))
    assert_close(qd_qd, symbols + transposed(symbols), EXACT)


@pytest.mark.parametrize("name", ["balls", "tied"])
def test_native_second_derivatives(name):
    model, given = FIGURES[name], case(name)
    common = [given[n] for n in (*STATE, "weights")]
    f_ext = given["f_ext"]
    found = model.inverse_dynamics_hessian(*common, f_ext)
    for one, other in zip(found, value(inverse_dynamics_hessian, name), strict=True):
        assert_close(one, other, EXACT)
    moved = [given[n] for n in ("dq", "dqd", "dqdd")]
    found = model.inverse_dynamics_hessian_product(*common, *moved, f_ext)
    for one, other in zip(found, value(inverse_dynamics_hessian_product, name), strict=True):
        assert_close(one, other, EXACT)
    broken = given["qd"].copy()
    broken[1, 0] = np.nan
    spoiled = model.inverse_dynamics_hessian(given["q"], broken, *common[2:], f_ext)
    for one, other in zip(spoiled, value(inverse_dynamics_hessian, name), strict=True):
        assert_close(one[[0, 2]], other[[0, 2]], EXACT)
    assert np.isnan(spoiled[0][1]).any()


# The functions that make such pages, on pages of other results


def weighted(page, model, **given):
    shape = ar.evaluate(page, model, **{n: x[0] for n, x in given.items()}).shape
    weights = np.random.default_rng(6).normal(size=(3, *shape))
    return weights, {**given, "weights": weights, "shapes": {"weights": shape}}


RESULTS = {"scalar": kinetic_energy, "vector": center_of_mass, "matrix": crba}


@pytest.mark.parametrize("page", RESULTS.values(), ids=RESULTS)
def test_vjp_of_any_shape_of_result(page):
    name = "balls"
    model, given = FIGURES[name], case(name)
    names = ("q", "qd") if page is kinetic_energy else ("q",)
    weights, arguments = weighted(page, model, **{n: given[n] for n in names})
    found = ar.evaluate(ar.vjp(page, *names), model, **arguments)
    assert type(found) is tuple
    for one, wrt in zip(found, names, strict=True):
        J = value(ar.jacobian(page, wrt), name)
        expected = (J.reshape(3, -1, model.nv) * weights.reshape(3, -1, 1)).sum(1)
        assert_close(one, expected, EXACT)


@each(["euler", "bird", "tied"])
def test_hessian_of_potential_energy(name):
    """For plain coordinates, dg/dq; for others the symmetric part of it."""
    model, given = FIGURES[name], case(name)
    page = ar.hessian(potential_energy, ("q", "q"))
    weights = np.ones(3)
    (H,) = ar.evaluate(page, model, given["q"], weights, shapes={"weights": ()})
    G = value(ar.jacobian(gravity_forces, "q"), name)
    if name in STRAIGHT:
        assert_close(G, transposed(G), EXACT)
    assert_close(H, 0.5 * (G + transposed(G)), EXACT)


def test_hessian_of_kinetic_energy_by_velocity_is_the_mass_matrix():
    name = "kite"
    model, given = FIGURES[name], case(name)
    page = ar.hessian(kinetic_energy, ("qd", "qd"), ("q", "qd"), ("qd", "q"))
    state = given["q"], given["qd"], np.full(3, 2.0)
    M, mixed, other = ar.evaluate(page, model, *state, shapes={"weights": ()})
    assert_close(M, 2.0 * value(crba, name), EXACT)
    assert_close(mixed, transposed(other), EXACT)
    product = ar.hessian_product(kinetic_energy, "q", "qd")
    moved = given["dq"], given["dqd"]
    by_q, by_qd = ar.evaluate(
        product, model, *state, *moved, shapes={"weights": (), "dqd": (model.nv,)}
    )
    assert_close(by_qd, times(other, moved[0]) + times(M, moved[1]), EXACT)
    assert by_q.shape == (3, model.nv)


@each(FIGURES)
def test_rate_of_energy(name):
    """The rate of kinetic energy is the power of forces; that of potential energy g . qd."""
    given = case(name)
    found = value(ar.rate(potential_energy), name)
    power = (value(gravity_forces, name) * given["qd"]).sum(-1)
    assert_close(found, power, EXACT)
    kinetic = value(ar.rate(kinetic_energy), name)
    tau = ar.evaluate(inverse_dynamics, FIGURES[name], *(given[n] for n in STATE))
    power = ((tau - value(gravity_forces, name)) * given["qd"]).sum(-1)
    assert_close(kinetic, power, EXACT, scale=np.abs(tau).max())


def test_derivative_of_a_derivative():
    """Rates of Jacobians, Jacobians of weighted derivatives: all are pages again."""
    name = "bird"
    given = case(name)
    Jrate = value(ar.rate(ar.jacobian(center_of_mass, "q")), name)
    J2 = value(ar.jacobian(ar.jacobian(center_of_mass, "q"), "q"), name)
    assert_close(Jrate, times(J2, given["qd"][:, None]), EXACT)
    page = ar.jacobian(inverse_dynamics_vjp, "qd")
    by_q, by_qd, by_qdd = value(page, name)
    _, q_qd, qd_qd, _ = value(inverse_dynamics_hessian, name)
    assert_close(by_q, q_qd, EXACT)
    assert_close(by_qd, qd_qd, EXACT)
    assert not by_qdd.any()


@pytest.mark.parametrize("make", [ar.rate, lambda p: ar.vjp(p, "q")], ids=["rate", "vjp"])
def test_pages_with_bound_keywords(make):
    """Frames are bound by keyword: derivatives of such pages are pages, too."""
    model, given = FIGURES["bird"], case("bird")
    frame = vars(model.frame(model.body_names[2]))
    page = functools.partial(ar.algorithms.frame_pose, **frame)
    more = {"qd": given["qd"]} if make is ar.rate else {"weights": np.ones((3, 4, 4))}
    shapes = {} if make is ar.rate else {"weights": (4, 4)}
    found = ar.evaluate(make(page), model, q=given["q"], **more, shapes=shapes)
    J = ar.evaluate(ar.jacobian(page, "q"), model, q=given["q"])
    if make is ar.rate:
        assert_close(found, times(J, given["qd"][:, None]), EXACT)
    else:
        assert_close(found[0], J.sum((1, 2)), EXACT)


def test_pages_that_declare_shapes_keep_them():
    """`@ar.takes` of a page holds for its derivatives, as it does for `ar.jacobian`."""
    name = "hinges"
    model, given = FIGURES[name], case(name)
    page = ar.algorithms.slotine_li_regressor
    by_rate = value(ar.jacobian(page, "qd_ref"), name)
    state = {n: given[n] for n in ("q", "qd", "qd_ref", "qdd_ref")}
    weights = np.random.default_rng(8).normal(size=(3, *by_rate.shape[1:3]))
    (found,) = ar.evaluate(
        ar.vjp(page, "qd_ref"), model, **state, weights=weights,
        shapes={"weights": weights.shape[1:]},
    )  # fmt: skip
    assert_close(found, np.einsum("nij,nijk->nk", weights, by_rate), EXACT)


def energies(tree, q, qd):
    return {"kinetic": kinetic_energy(tree, q, qd), "centre": center_of_mass(tree, q)}


def test_several_results_keep_their_names():
    name = "balls"
    given = case(name)
    rates, slopes = value(ar.rate(energies), name), value(ar.jacobian(energies, "q"), name)
    assert list(rates) == list(slopes) == ["kinetic", "centre"]
    assert_close(rates["kinetic"], value(ar.rate(kinetic_energy), name), EXACT)
    assert_close(rates["centre"], times(slopes["centre"], given["qd"]), EXACT)
    (one,) = value(ar.rate(lambda tree, q, qd: (kinetic_energy(tree, q, qd),)), name)
    assert_close(one, rates["kinetic"], EXACT)


def test_weights_of_several_results_stand_one_behind_the_other():
    name = "balls"
    model, given = FIGURES[name], case(name)
    weights = np.random.default_rng(9).normal(size=(3, 4))
    state = {n: given[n] for n in ("q", "qd")}
    found = ar.compile(ar.vjp(energies, "q", "qd"), model)(**state, weights=weights)
    for one, wrt in zip(found, ("q", "qd"), strict=True):
        J = value(ar.jacobian(energies, wrt), name)
        stacked = np.concatenate([J["kinetic"][:, None], J["centre"]], 1)
        assert_close(one, np.einsum("nij,ni->nj", stacked, weights), EXACT)
    (H,) = ar.compile(ar.hessian(energies, ("qd", "qd")), model)(**state, weights=weights)
    M = value(crba, name)
    assert_close(H, M * weights[:, 0, None, None], EXACT)
