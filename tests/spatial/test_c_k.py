"""The entire functions c_k: values, derivatives of both modes, and none of them NaN at zero."""

import functools
import math

import mpmath as mp
import numpy as np
import pytest

import arthron as ar
from arthron._graph.autodiff import forward, reverse
from arthron._graph.evaluate import evaluate
from arthron._graph.graph import Graph
from arthron._spatial.scalar import c, closed_form, series, series_limit
from arthron.spatial import Vec3, exp_so3

ORDERS = range(9)
ARGUMENTS = [0.0, 5e-324, 1e-300, 1e-16, 1e-8, 1e-4, 0.1, 0.5, 1.0, 2.0, 5.0, 9.0, 10.0, 30.0,
             50.0, 123.4, 1e3, 3456.7, 1e4]  # fmt: skip
ARGUMENTS += [series_limit(k) * f for k in ORDERS for f in (1.0, 1 + 1e-15, 1 - 1e-15, 1.01)]


@functools.cache
def exact(k, s):
    """c_k by its power series, with enough digits that nothing is lost for s up to 1e4."""
    with mp.workdps(80):
        s, term, i = mp.mpf(s), 1 / mp.factorial(k), 0
        total = term
        while abs(term) > mp.mpf(10) ** -70 or i < 3:
            i += 1
            term *= -s / ((k + 2 * i) * (k + 2 * i - 1))
            total += term
        return total


def slope(k, s):
    return (k * exact(k + 2, s) - exact(k + 1, s)) / 2


def traced(k, s):
    graph = Graph()
    return evaluate(graph, [c(k, graph.input()).position], [s])[0]


@pytest.mark.parametrize("k", ORDERS)
@pytest.mark.parametrize("value", [c, lambda k, s: c(k, np.array([s]))[0], traced],
                         ids=["float", "array", "traced"])  # fmt: skip
def test_values(k, value):
    for s in ARGUMENTS:
        true = exact(k, s)
        allowed = 1e-14 * (abs(true) + abs(s * slope(k, s)))  # s itself is rounded
        assert abs(value(k, s) - true) <= allowed, s


@pytest.mark.parametrize("k", ORDERS)
def test_both_forms_agree_where_they_meet(k):
    s = series_limit(k)
    assert series(k, s) == pytest.approx(closed_form(k, s), rel=2e-14)


@pytest.mark.parametrize("k", ORDERS)
def test_negative_arguments_are_served_near_zero_and_refused_beyond(k):
    s = -0.9 * series_limit(k)
    assert c(k, s) == pytest.approx(float(exact(k, s)), rel=1e-14)
    for bad in (-1.1 * series_limit(k), -math.inf, math.nan):
        assert math.isnan(c(k, bad))
        assert np.isnan(c(k, np.array([bad, 1.0]))).tolist() == [True, False]


def derivatives(mode, k, s):
    """First and second derivative of c_k, by one mode twice."""
    graph = Graph()
    x = graph.input()
    values, y = [], c(k, x)
    for _ in range(2):
        if mode == "forward":
            (dy,) = forward(graph, [y.position], {x.position: 1.0})
        else:
            (dy,) = reverse(graph, [y.position], [1.0], [x.position])
        values.append(dy.position)
        y = dy
    return evaluate(graph, values, [s])


@pytest.mark.parametrize("mode", ["forward", "reverse"])
@pytest.mark.parametrize("k", ORDERS)
def test_derivatives(mode, k):
    for s in (0.0, 1e-300, 1e-8, 0.3, 1.0, 4.0, 20.0, 100.0):
        first = slope(k, s)
        second = (k * slope(k + 2, s) - slope(k + 1, s)) / 2
        got = derivatives(mode, k, s)
        assert got == pytest.approx([float(first), float(second)], rel=1e-12, abs=1e-15), s
    with mp.workdps(40):  # the rule itself
        numeric = mp.diff(lambda s: exact(k, s), mp.mpf(2))
    assert float(slope(k, 2.0)) == pytest.approx(float(numeric), rel=1e-15)


def turn(tree, w):
    return exp_so3(Vec3(*w))


@pytest.mark.parametrize("run", [
    lambda page, model, w: ar.evaluate(page, model, w, shapes={"w": (3,)}),
    lambda page, model, w: ar.compile(page, model, shapes={"w": (3,)})(w),
], ids=["floats", "compiled"])  # fmt: skip
def test_second_derivatives_of_a_rotation_at_zero(run):
    model = ar.random_tree(1)
    E = np.array([Vec3(*row).tilde for row in np.eye(3)])
    first, second = ar.jacobian(turn, "w"), ar.jacobian(ar.jacobian(turn, "w"), "w")
    np.testing.assert_allclose(run(first, model, np.zeros(3)), np.moveaxis(E, 0, -1), atol=0)
    products = np.einsum("iab,jbc->acij", E, E)
    symmetric = 0.5 * (products + np.swapaxes(products, 2, 3))
    np.testing.assert_allclose(run(second, model, np.zeros(3)), symmetric, rtol=0, atol=1e-16)


@pytest.mark.parametrize("joint", ["spherical", "free"])
def test_hessian_by_a_quaternion_joint(joint):
    model = ar.random_tree(2, joints=(joint,), rng=3)
    page = ar.jacobian(ar.jacobian(ar.algorithms.potential_energy))
    h = 1e-4
    for q in (model.neutral(), model.random(0)):
        H = ar.compile(page, model)(q)
        np.testing.assert_allclose(ar.evaluate(page, model, q), H, rtol=1e-12, atol=1e-13)
        steps = h * np.eye(model.nv)
        for i, e in enumerate(steps):  # the second derivative along a displacement
            along = [model.potential_energy(model.integrate(q, k * e)) for k in (-1, 0, 1)]
            assert (along[0] - 2 * along[1] + along[2]) / h**2 == pytest.approx(H[i, i], abs=2e-6)
