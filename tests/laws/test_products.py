"""Products in O(n) are those with the whole Jacobian."""

import numpy as np
import pytest
from law_figures import assert_close, difference_in_time, for_figures, rate, state
from test_liu_jain import EVERY, FIGURES

import arthron as ar
from arthron._algorithms.products import (
    jacobian_dot_product,
    jacobian_product,
    jacobian_transpose_product,
)
from arthron.algorithms import accelerations, jacobians, velocities


def times(J, x):
    """J x for all bodies."""
    return np.einsum("nbij,nj->nbi", J, x)


def product(page, model, *args):
    """A product with rates x or wrenches y."""
    shapes = {"x": (model.nv,), "y": (model.nb, 6)}
    name = "y" if page is jacobian_transpose_product else "x"
    return ar.evaluate(page, model, *args, shapes={name: shapes[name]})


@EVERY
def test_jacobian_product(model):
    q, _, x, *_ = state(model)
    J = ar.evaluate(jacobians, model, q)
    assert_close(product(jacobian_product, model, q, x), times(J, x), 1e-13)


@EVERY
def test_transpose_product(model):
    q, _, _, _, y = state(model)
    J = ar.evaluate(jacobians, model, q)
    Jty = product(jacobian_transpose_product, model, q, y)
    assert_close(Jty, np.einsum("nbij,nbi->nj", J, y), 1e-13)


@for_figures()
def test_power_is_the_same_on_both_sides(model):
    q, qd, _, _, y = state(model)
    moved = (product(jacobian_product, model, q, qd) * y).sum((-1, -2))
    pushed = (product(jacobian_transpose_product, model, q, y) * qd).sum(-1)
    assert_close(moved, pushed, 1e-12, scale=np.abs(qd).sum())


@EVERY
def test_dot_product_is_the_rate_of_the_jacobian(model):
    """For x other than qd, so that the motions of joints have to be differentiated themselves."""
    q, qd, x, *_ = state(model)
    z = product(jacobian_dot_product, model, q, qd, x)
    assert_close(z, times(rate(jacobians, model, q, qd), x), 1e-12)
    numerical = difference_in_time(
        lambda q, qd: ar.evaluate(jacobians, model, q), model, q, qd, 0.0 * qd
    )
    assert_close(z, times(numerical, x), 1e-6)


@EVERY
def test_dot_product_with_qd_is_an_acceleration(model):
    q, qd, qdd, *_ = state(model)
    z = product(jacobian_dot_product, model, q, qd, qd)
    assert_close(z, ar.evaluate(accelerations, model, q, qd, 0.0 * qdd), 1e-12)
    total = z + product(jacobian_product, model, q, qdd)
    assert_close(total, ar.evaluate(accelerations, model, q, qd, qdd), 1e-12)


def test_product_with_qd_is_a_velocity():
    model = FIGURES["tied"]
    q, qd, *_ = state(model)
    assert_close(
        product(jacobian_product, model, q, qd), ar.evaluate(velocities, model, q, qd), 1e-14
    )


def test_compiled():
    model = FIGURES["tree"]
    q, qd, x, _, y = state(model)
    dot = ar.compile(jacobian_dot_product, model, shapes={"x": (model.nv,)})
    assert_close(dot(q, qd, x), product(jacobian_dot_product, model, q, qd, x), 1e-12)
    transposed = ar.compile(jacobian_transpose_product, model, shapes={"y": (model.nb, 6)})
    assert_close(transposed(q, y), product(jacobian_transpose_product, model, q, y), 1e-13)


@pytest.mark.parametrize("page", [
    jacobian_product, jacobian_dot_product, jacobian_transpose_product,
    ar.algorithms.rnea, ar.algorithms.liu_jain, ar.algorithms.balafoutis_patel,
    ar.algorithms.aba, ar.algorithms.inverse_mass_product,
], ids=lambda page: page.__name__)  # fmt: skip
def test_cost_grows_with_the_number_of_bodies(page):
    """Twice the chain, twice the operations, as their documents say."""

    def count(nb):
        return ar.compile(page, ar.random_tree(nb, rng=0)).op_count

    more, again = count(16) - count(8), count(24) - count(16)
    assert abs(again - more) < 0.02 * more
