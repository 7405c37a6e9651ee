"""Functions of scalars against NumPy's: on floats, arrays and traced, with their derivatives."""

import math

import numpy as np
import pytest

import arthron as ar

X = np.concatenate([np.linspace(-0.99, 0.99, 67), [1e-9, -1e-300, 0.0]])
CASES = {
    "tan": (np.tan, lambda x: 1.0 + np.tan(x) ** 2, 3.0),
    "asin": (np.arcsin, lambda x: 1.0 / np.sqrt(1.0 - x * x), 1.0),
    "acos": (np.arccos, lambda x: -1.0 / np.sqrt(1.0 - x * x), 1.0),
    "tanh": (np.tanh, lambda x: 1.0 - np.tanh(x) ** 2, 20.0),
    "sign": (np.sign, lambda x: 0.0 * x, 3.0),
}


@pytest.mark.parametrize("name", CASES)
def test_values(name):
    known, _, reach = CASES[name]
    function, x = getattr(ar, name), reach * X
    np.testing.assert_allclose(function(x), known(x), rtol=1e-15, atol=1e-15)
    for value in x[::9].tolist():
        found = function(value)
        assert type(found) is float
        assert math.isclose(found, known(value), rel_tol=1e-15, abs_tol=1e-15)


@pytest.mark.parametrize("name", CASES)
def test_traced_with_derivatives(name):
    known, slope, reach = CASES[name]
    function, x = getattr(ar, name), reach * X
    model = ar.random_tree(1, rng=1)

    @ar.takes(x=())
    def page(tree, x):
        return function(x)

    np.testing.assert_allclose(ar.compile(page, model)(x), known(x), rtol=1e-14, atol=1e-15)
    found = ar.compile(ar.jacobian(page, "x"), model)(x)
    np.testing.assert_allclose(found, slope(x), rtol=1e-12, atol=1e-14)


def test_outside_they_are_nan():
    for function in (ar.asin, ar.acos):
        assert math.isnan(function(1.5))
        assert np.isnan(function(np.array([-2.0, 1.1]))).all()
    assert ar.tanh(800.0) == 1.0
    assert ar.tanh(-np.inf) == -1.0
