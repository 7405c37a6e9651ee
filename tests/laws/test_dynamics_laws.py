"""Forces, accelerations and the mass matrix fit together."""

import numpy as np
import pytest
from law_figures import KINDS, assert_close, for_figures, rebuilt, state, with_armature

import arthron as ar
from arthron._algorithms import dynamics
from arthron._tree.regrouped import regrouped
from arthron.algorithms import aba, balafoutis_patel, crba, jacobians, rnea

INVERSE = [rnea, balafoutis_patel, dynamics.inverse_dynamics]
FORWARD = [aba, dynamics.forward_dynamics]
MASS = [crba, dynamics.mass_matrix]


@for_figures()
def test_forward_undoes_inverse(model):
    q, qd, qdd, _, f_ext = state(model)
    tau = ar.evaluate(rnea, model, q, qd, qdd, f_ext)
    for page in FORWARD:
        assert_close(ar.evaluate(page, model, q, qd, tau, f_ext), qdd, 1e-9)


@for_figures()
def test_inverse_undoes_forward(model):
    q, qd, _, tau, f_ext = state(model)
    qdd = ar.evaluate(aba, model, q, qd, tau, f_ext)
    for page in INVERSE:
        assert_close(ar.evaluate(page, model, q, qd, qdd, f_ext), tau, 1e-9)


@for_figures()
def test_three_inverse_dynamics_are_one(model):
    q, qd, qdd, _, f_ext = state(model)
    tau = ar.evaluate(rnea, model, q, qd, qdd, f_ext)
    for page in INVERSE[1:]:
        assert_close(ar.evaluate(page, model, q, qd, qdd, f_ext), tau, 1e-12)


@for_figures()
def test_mass_matrix_from_unit_accelerations(model):
    q, qd, _, _, f_ext = state(model)
    q, qd, f_ext = q[:1], qd[:1], f_ext[:1]
    moving = ar.evaluate(rnea, model, q, qd, np.eye(model.nv), f_ext)
    still = ar.evaluate(rnea, model, q, qd, np.zeros((1, model.nv)), f_ext)
    for page in MASS:
        M = ar.evaluate(page, model, q)[0]
        assert_close(moving - still, M, 1e-11, scale=still)


@for_figures()
def test_mass_matrix_is_symmetric_and_positive(model):
    q, *_ = state(model)
    for page in MASS:
        M = ar.evaluate(page, model, q)
        assert_close(M, M.swapaxes(-1, -2), 1e-13)
        assert np.linalg.eigvalsh(M).min() > 0.0


@for_figures()
def test_equation_of_motion(model):
    q, qd, qdd, tau, f_ext = state(model)
    M = ar.evaluate(dynamics.mass_matrix, model, q)
    bias = ar.evaluate(dynamics.bias_forces, model, q, qd, f_ext)
    inertial = (M @ qdd[..., None])[..., 0]
    assert_close(ar.evaluate(rnea, model, q, qd, qdd, f_ext), inertial + bias, 1e-12)
    solved = np.linalg.solve(M, (tau - bias)[..., None])[..., 0]
    assert_close(ar.evaluate(dynamics.forward_dynamics, model, q, qd, tau, f_ext), solved, 1e-9)


@for_figures()
def test_bias_at_rest_is_gravity(model):
    q, qd, *_ = state(model)
    g = ar.evaluate(dynamics.gravity_forces, model, q)
    assert_close(ar.evaluate(dynamics.bias_forces, model, q, 0.0 * qd), g, 1e-14)
    weightless = model.replace(gravity=(0, 0, 0))
    assert not np.any(ar.evaluate(dynamics.gravity_forces, weightless, q))


@for_figures()
def test_velocity_terms_are_quadratic(model):
    q, qd, *_ = state(model)
    model = model.replace(gravity=(0, 0, 0))
    once, thrice = (ar.evaluate(dynamics.bias_forces, model, q, k * qd) for k in (1.0, 3.0))
    M = ar.evaluate(crba, model, q)  # one hinge has no such terms: what is left is rounding
    assert_close(thrice, 9.0 * once, 1e-13, scale=9.0 * M)


@for_figures()
def test_external_forces_act_through_jacobians(model):
    q, qd, qdd, _, f_ext = state(model)
    J = ar.evaluate(jacobians, model, q)
    pulled = -np.einsum("...bij,...bi->...j", J, f_ext)
    for page in INVERSE:
        tau = ar.evaluate(page, model, q, qd, qdd)
        change = ar.evaluate(page, model, q, qd, qdd, f_ext) - tau
        assert_close(change, pulled, 1e-12, scale=tau)


@for_figures()
def test_armature_adds_to_the_diagonal(model):
    q, qd, qdd, tau, f_ext = state(model)
    bare = rebuilt(model, lambda body: {"armature": 0.0})
    heavy = with_armature(bare, 0.7)
    k = heavy.armature
    assert k.min() == 0.7
    for page in MASS:
        M, M_bare = (ar.evaluate(page, m, q) for m in (heavy, bare))
        assert_close(M, M_bare + np.diag(k), 1e-13)
    for page in INVERSE:
        with_it, without = (ar.evaluate(page, m, q, qd, qdd, f_ext) for m in (heavy, bare))
        assert_close(with_it, without + k * qdd, 1e-12)
    for page in FORWARD:
        found = ar.evaluate(page, heavy, q, qd, tau, f_ext)
        # the rotor of each joint takes its share of the force
        same = ar.evaluate(page, bare, q, qd, tau - k * found, f_ext)
        assert_close(same, found, 1e-9)


@pytest.mark.parametrize(
    "model",
    [
        ar.random_tree(6, 1.0, rng=1),
        ar.random_tree(6, 1.0, joints=[ar.Revolute(axis) for axis in "xyz"], rng=2),
        ar.random_tree(8, 2.0, joints=KINDS, rng=3),
        ar.random_tree(4, joints=("spherical",), rng=4),
    ],
    ids=["hinges", "hinges along axes", "all kinds", "balls"],
)
@pytest.mark.parametrize(
    ("page", "on_lumped"),
    [
        (balafoutis_patel, dynamics.inverse_dynamics),
        (crba, dynamics.mass_matrix),
    ],
    ids=["inverse", "mass"],
)
def test_lumping_saves_operations(model, page, on_lumped):
    assert regrouped(model.tree).I != model.tree.I
    assert ar.compile(on_lumped, model).op_count < ar.compile(page, model).op_count


def test_boosting_saves_operations():
    model = ar.random_tree(6, rng=1)
    assert ar.compile(balafoutis_patel, model).op_count < ar.compile(rnea, model).op_count


def test_what_a_lumped_body_keeps():
    tree = ar.Model(
        [
            ar.Body("hinge", ar.Revolute("z"), shapes=[ar.Box((1, 2, 3), placement=(1, 2, 3))]),
            ar.Body("slider", ar.Prismatic("z"), shapes=[ar.Box((1, 2, 3), placement=(1, 2, 3))]),
            ar.Body("ball", ar.Spherical(), shapes=[ar.Box((1, 2, 3), placement=(1, 2, 3))]),
            ar.Body("bird", ar.Free(), shapes=[ar.Box((1, 2, 3), placement=(1, 2, 3))]),
        ]
    ).tree
    base, hinge, slider, ball, bird = regrouped(tree).I
    mass = tree.I[1].m
    assert hinge.m == 0.0
    assert hinge.h.z == 0.0
    assert hinge.I[2][2] == tree.I[1].I[2][2]
    assert slider.m == mass
    assert slider.I == ar.Inertia().I
    assert (ball.m, ball.h, ball.I) == (0.0, tree.I[3].h, tree.I[3].I)
    assert bird == tree.I[4]
    assert base.m == 2 * mass  # of the hinge and the ball
