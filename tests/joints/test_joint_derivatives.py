"""Derivatives through every joint, first and second, where a formula might divide zero by zero."""

import numpy as np
import pytest
from joint_cases import (
    CASES,
    OF_ROTATION_VECTOR,
    SMALL,
    error,
    model_of,
    moved,
    states,
    stencil,
)

import arthron as ar
from arthron._tree.configuration import normalize
from arthron.algorithms import difference, integrate, kinetic_energy, poses, rnea

MODELS = {name: model_of(joint) for name, joint in CASES.items()}


def rates(model, count=2):
    return np.random.default_rng(5).normal(size=(count, model.nv))


def differences(page, name, places, *given):
    """Derivative of a page by q at each (q, side), by differences along each joint direction."""
    joint, weights, q = CASES[name], [], []
    for place, side in places:
        t, first, _ = stencil(side, h=0.01 if side else 0.004)
        weights.append(first)
        q.append([moved(joint, place, unit, t) for unit in np.eye(joint.nv)])
    values = ar.evaluate(page, MODELS[name], np.array(q), *given)  # (place, direction, t, ...)
    return np.moveaxis(np.einsum("nt,nkt...->nk...", np.array(weights), values), 1, -1)


def check(page, name, tolerance, *given):
    """The derivative of a page is what differences say, in all states of a case."""
    model = MODELS[name]
    where, q, side = zip(*states(name), strict=True)
    found = ar.evaluate(ar.jacobian(page, "q"), model, np.stack(q), *given)
    expected = differences(page, name, zip(q, side, strict=True), *given)
    size = ar.evaluate(page, model, np.stack(q), *given)
    for k, each in enumerate(where):
        assert error(found[k], expected[k], np.abs(size[k]).max()) < tolerance, each


@pytest.mark.parametrize("name", CASES)
def test_first_derivatives(name):
    check(poses, name, 1e-9)
    check(rnea, name, 1e-8, *rates(MODELS[name]))


REPEATS = {"curve of four", "long curve", "long cyclic curve", "points only", "patch", "tube",
           "catmull-rom", "bezier loop", "knotted tube"}  # fmt: skip


@pytest.mark.parametrize("name", [name for name in SMALL if name not in REPEATS])
def test_second_derivatives(name):
    check(ar.jacobian(poses, "q"), name, 1e-8)
    check(ar.jacobian(rnea, "q"), name, 1e-7, *rates(MODELS[name]))


@pytest.mark.parametrize("name", CASES)
def test_derivatives_by_velocity(name):
    """From the kinetic energy: momentum, mass matrix; and mixed derivatives in either order."""
    model = MODELS[name]
    (_, q, _), *_ = states(name)
    qd, _ = rates(model)
    M = ar.evaluate(ar.algorithms.crba, model, q)
    by_qd = ar.jacobian(kinetic_energy, "qd")
    assert error(ar.evaluate(by_qd, model, q, qd), M @ qd) < 1e-13
    assert error(ar.evaluate(ar.jacobian(by_qd, "qd"), model, q, qd), M) < 1e-13
    one = ar.evaluate(ar.jacobian(by_qd, "q"), model, q, qd)
    other = ar.evaluate(ar.jacobian(ar.jacobian(kinetic_energy, "q"), "qd"), model, q, qd)
    assert error(one, other.T) < 1e-13


def test_exponential_joint_at_zero_has_the_known_series():
    """S = 1 - [q]/2 + [q]^2/6 about zero, so S' = -[q']/2 there and not 0."""
    joint = ar.Spherical("exponential")
    model = ar.Model([ar.Body("ball", joint, shapes=[ar.Sphere(0.1)])])
    zero, qd = np.zeros(3), np.array([0.3, -0.2, 0.5])
    page = ar.algorithms.jacobians
    S_by_q = ar.evaluate(ar.jacobian(page, "q"), model, zero)[0, :3]  # (3, nv, by q)
    a, b, c = qd
    turning = np.array([[0, -c, b], [c, 0, -a], [-b, a, 0]])
    assert error(S_by_q @ qd, -0.5 * turning) < 1e-15
    twice = ar.evaluate(ar.jacobian(ar.jacobian(page, "q"), "q"), model, zero)[0, :3]
    assert error(twice @ qd @ qd, turning @ turning / 3.0) < 1e-15


@pytest.mark.parametrize("name", OF_ROTATION_VECTOR)
def test_third_derivative_at_zero(name):
    model, at = MODELS[name], OF_ROTATION_VECTOR[name]
    q = np.array(CASES[name].random(np.random.default_rng(1)))
    q[at : at + 3] = 0.0
    twice = ar.jacobian(ar.jacobian(poses, "q"), "q")
    found = ar.evaluate(ar.jacobian(twice, "q"), model, q)
    assert error(found, differences(twice, name, [(q, 0)])[0]) < 1e-9


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("wrt", ["q0", "q1", "q", "dq"])
def test_moving_has_derivatives_where_nothing_moves(name, wrt):
    model = MODELS[name]
    for q in (model.neutral(), next(states(name))[1]):
        zero = np.zeros(model.nv)
        given = {"q": q, "dq": zero} if wrt in ("q", "dq") else {"q0": q, "q1": q}
        page = integrate if wrt in ("q", "dq") else difference
        J = ar.evaluate(ar.jacobian(page, wrt), model, **given)
        assert np.all(np.isfinite(J))
        h = 1e-6 * np.random.default_rng(2).normal(size=J.shape[-1])
        changes = []
        for way in (h, -h):
            step = ar.evaluate(integrate, model, q, way) if wrt == "q" else given[wrt] + way
            changes.append(ar.evaluate(page, model, **{**given, wrt: step}))
        if name.startswith("charts") and wrt in ("q0", "q1"):
            J, h = J[:, :3], h[:3]  # the number of the chart has no derivative
        assert error((changes[0] - changes[1]) / 2e-6, J @ h / 1e-6) < 1e-8


@pytest.mark.parametrize("name", CASES)
def test_normalize_has_derivatives(name):
    """Where coordinates stay as they are, the derivative is that of doing nothing."""
    model = MODELS[name]
    qd, _ = rates(model)
    for q in (model.neutral(), next(states(name))[1]):
        by_q, v_by_q = ar.evaluate(ar.jacobian(normalize, "q"), model, q, qd)
        by_qd, v_by_qd = ar.evaluate(ar.jacobian(normalize, "qd"), model, q, qd)
        new, rate = ar.evaluate(normalize, model, q, qd)
        if np.array_equal(new, q):
            moving = ar.evaluate(ar.jacobian(integrate, "dq"), model, q, 0 * qd)
            assert error(by_q, moving) < 1e-12
            assert error(v_by_q, 0 * v_by_q) < 1e-12
            assert error(v_by_qd, np.eye(model.nv)) < 1e-12
        assert error(by_qd, np.zeros((model.nq, model.nv))) < 1e-12
        assert error(v_by_qd @ qd, rate) < 1e-10  # linear in qd


@pytest.mark.parametrize("name", ["exponential", "charts xyz", "knee", "cyclic curve", "torus"])
def test_native_second_derivative(name):
    model = MODELS[name]
    page = ar.jacobian(ar.jacobian(kinetic_energy, "q"), "q")
    q = np.stack([q for _, q, _ in states(name)])
    qd = np.broadcast_to(rates(model)[0], (len(q), model.nv))
    assert error(ar.compile(page, model)(q, qd), ar.evaluate(page, model, q, qd)) < 1e-11
