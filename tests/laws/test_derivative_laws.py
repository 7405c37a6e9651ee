"""Derivatives of pages: against differences, among themselves, and where a formula may divide 0."""

import numpy as np
import pytest
from law_figures import KINDS, PUPPET, assert_close, for_figures, state

import arthron as ar
from arthron._algorithms import dynamics
from arthron.algorithms import (
    aba,
    balafoutis_patel,
    center_of_mass,
    crba,
    difference,
    integrate,
    kinetic_energy,
    momentum,
    poses,
    potential_energy,
    rnea,
    velocities,
)

PAGES = {
    poses: ("q",),
    velocities: ("q", "qd"),
    crba: ("q",),
    rnea: ("q", "qd", "qdd", "f_ext"),
    dynamics.inverse_dynamics: ("q", "qd", "qdd", "f_ext"),
    aba: ("q", "qd", "tau", "f_ext"),
    momentum: ("q", "qd"),
    kinetic_energy: ("q", "qd"),
}
BALLS = ar.random_tree(2, joints=("spherical", "free"), rng=2)
FIGURES = {kind: ar.random_tree(2, joints=(kind,), rng=1) for kind in KINDS}


def inputs(model, names, **options):
    given = dict(zip(("q", "qd", "qdd", "tau", "f_ext"), state(model, **options), strict=True))
    return {name: given[name] for name in names}


def differences(page, model, wrt, given, h=1e-5):
    """Derivative of a page by one of its inputs, by central differences along each direction."""
    flat = given[wrt].reshape(len(given[wrt]), -1)
    columns = []
    for e in h * np.eye(model.nv if wrt == "q" else flat.shape[-1]):
        results = []
        for way in (e, -e):
            if wrt == "q":
                moved = ar.evaluate(integrate, model, given["q"], way)
            else:
                moved = (flat + way).reshape(given[wrt].shape)
            results.append(ar.evaluate(page, model, **{**given, wrt: moved}))
        columns.append((results[0] - results[1]) / (2 * h))
    result = np.stack(columns, axis=-1)
    extent = (model.nv,) if wrt == "q" else given[wrt].shape[1:]
    return result.reshape(*result.shape[:-1], *extent)


@pytest.mark.parametrize("figure", KINDS)
@pytest.mark.parametrize(
    ("page", "wrt"),
    [pytest.param(p, w, id=f"{p.__name__}-{w}") for p, names in PAGES.items() for w in names],
)
def test_against_differences(figure, page, wrt):
    model = FIGURES[figure]
    given = inputs(model, PAGES[page])
    found = ar.evaluate(ar.jacobian(page, wrt), model, **given)
    expected = differences(page, model, wrt, given)
    size = ar.evaluate(page, model, **given)
    assert_close(found, expected, 1e-7, scale=size)


@for_figures(count=6, most=4)
def test_against_differences_on_trees(model):
    given = inputs(model, PAGES[rnea])
    found = ar.evaluate(ar.jacobian(rnea, "q"), model, **given)
    assert_close(found, differences(rnea, model, "q", given), 1e-7)


@for_figures(count=6, most=4)
def test_forward_and_inverse_derivatives(model):
    """From tau = ID(q, qd, FD(q, qd, tau)): M dFD/dx = -dID/dx, and M dFD/dtau = 1."""
    q, qd, _, tau, f_ext = state(model)
    qdd = ar.evaluate(aba, model, q, qd, tau, f_ext)
    M = ar.evaluate(crba, model, q)
    for wrt in ("q", "qd"):
        forward = ar.evaluate(ar.jacobian(aba, wrt), model, q, qd, tau, f_ext)
        inverse = ar.evaluate(ar.jacobian(balafoutis_patel, wrt), model, q, qd, qdd, f_ext)
        assert_close(M @ forward, -inverse, 1e-8, scale=1e-3)
    by_tau = ar.evaluate(ar.jacobian(aba, "tau"), model, q, qd, tau, f_ext)
    assert_close(M @ by_tau, np.broadcast_to(np.eye(model.nv), M.shape), 1e-9)
    by_qdd = ar.evaluate(ar.jacobian(rnea, "qdd"), model, q, qd, qdd, f_ext)
    assert_close(by_qdd, M, 1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_order_does_not_matter(kind):
    model = FIGURES[kind]
    given = inputs(model, ("q", "qd", "qdd"))
    one = ar.evaluate(ar.jacobian(ar.jacobian(balafoutis_patel, "q"), "qd"), model, **given)
    other = ar.evaluate(ar.jacobian(ar.jacobian(balafoutis_patel, "qd"), "q"), model, **given)
    assert np.abs(one).max() > 1e-3 or kind == "prismatic"
    assert_close(one, other.swapaxes(-1, -2), 1e-12, scale=1e-3)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("page", [potential_energy, center_of_mass], ids=lambda p: p.__name__)
def test_second_derivative_by_q(kind, page):
    """Symmetric but for the turning of balls: H[i, j] - H[j, i] = slope along [e_j, e_i]."""
    model = FIGURES[kind]
    q, *_ = state(model)
    slope = ar.evaluate(ar.jacobian(page, "q"), model, q)
    H = ar.evaluate(ar.jacobian(ar.jacobian(page, "q"), "q"), model, q)
    assert np.all(np.isfinite(H))
    expected = np.zeros_like(H)
    for name, joint in zip(model.joint_names, model.tree.joint[1:], strict=True):
        a = model.slice_qd(name).start
        for i, j, bracket in brackets(joint):
            along = slope[..., a : a + joint.nv] @ bracket
            expected[..., a + i, a + j] += along
    assert_close(H - H.swapaxes(-1, -2), expected, 1e-12, scale=slope)


def brackets(joint):
    """(i, j, [e_j, e_i]) for each pair of directions of a joint that do not commute."""
    if not isinstance(joint, ar.Spherical | ar.Free):
        return
    basis = np.eye(6)
    for i in range(joint.nv):
        for j in range(joint.nv):
            (w, v), (m, n) = basis[j].reshape(2, 3), basis[i].reshape(2, 3)
            bracket = np.concatenate([np.cross(w, m), np.cross(w, n) + np.cross(v, m)])
            if np.any(bracket):
                yield i, j, bracket[: joint.nv]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("page", [rnea, aba, kinetic_energy], ids=lambda p: p.__name__)
def test_finite_and_right_at_the_neutral_pose(kind, page):
    model = ar.random_tree(1 if kind == "free" else 2, joints=(kind,), rng=1)
    given = inputs(model, PAGES[page], count=0)
    assert np.array_equal(given["q"][0], model.neutral())
    first = ar.jacobian(page, "q")
    second = ar.evaluate(ar.jacobian(first, "q"), model, **given)
    assert np.all(np.isfinite(second))
    scale = ar.evaluate(first, model, **given)
    assert_close(second, differences(first, model, "q", given), 1e-6, scale=scale)


@pytest.mark.parametrize("wrt", ["q0", "q1"])
def test_difference_has_derivatives_where_nothing_differs(wrt):
    q = np.stack([BALLS.random(1), BALLS.neutral()])
    J = ar.evaluate(ar.jacobian(difference, wrt), BALLS, q, q)
    assert np.all(np.isfinite(J))
    h = 1e-6 * np.random.default_rng(1).normal(size=q.shape)
    ends = [{"q0": q, "q1": q, wrt: q + way} for way in (h, -h)]
    change = [ar.evaluate(difference, BALLS, **end) for end in ends]
    along = np.einsum("nij,nj->ni", J, h)
    assert_close((change[0] - change[1]) / 2, along, 1e-7)


def test_integrate_has_derivatives_at_zero():
    q = PUPPET.random(3)[None]
    zero = np.zeros((1, PUPPET.nv))
    J = ar.evaluate(ar.jacobian(integrate, "dq"), PUPPET, q, zero)
    dq = 1e-6 * np.random.default_rng(1).normal(size=zero.shape)
    change = ar.evaluate(integrate, PUPPET, q, dq) - ar.evaluate(integrate, PUPPET, q, -dq)
    assert_close(np.einsum("nij,nj->ni", J, dq), change / 2, 1e-9)


def test_native_derivative():
    model = BALLS
    given = inputs(model, PAGES[rnea])
    page = ar.jacobian(rnea, "q")
    native = ar.compile(page, model)(**given)
    assert_close(native, ar.evaluate(page, model, **given), 1e-12)
    assert_close(native, differences(rnea, model, "q", given), 1e-7)
