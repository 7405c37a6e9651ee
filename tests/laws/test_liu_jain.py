"""Dynamics from link Jacobians and in link frames agree with the spatial pages."""

import numpy as np
import pytest
from law_figures import PUPPET, assert_close, for_figures, rebuilt, state

import arthron as ar
from arthron._algorithms.liu_jain import (
    link_jacobians,
    liu_jain,
    liu_jain_coriolis,
    liu_jain_mass_matrix,
)
from arthron._figure.random import KINDS
from arthron.algorithms import bias_forces, crba, jacobians, poses, rnea


def knee(q):
    """A shin that rolls as it turns."""
    R = ar.spatial.rotation(ar.spatial.Vec3(0.0, 1.0, 0.0), q[0] + 0.1 * q[0] * q[0])
    return R, ar.spatial.Vec3(0.06 * q[0], 0.1 * ar.sin(q[0]), -0.3 * ar.cos(q[0]))


def figure(names, branching, seed):
    """A random tree with one joint of each named kind, armature on some, gravity askew."""
    rng = np.random.default_rng(seed)
    kinds = {
        **KINDS,
        "knee": lambda axis: ar.Custom(knee),
        "curve": lambda axis: ar.SplineCurve(3.0 * rng.normal(size=(6, 3))),
    }
    bare = ar.random_tree(len(names), branching, 1.0, 0.97, rng=seed)
    joints = {
        body.name: kinds[k](rng.normal(size=3)) for body, k in zip(bare.bodies, names, strict=True)
    }
    return rebuilt(
        bare,
        lambda body: {
            "joint": joints[body.name],
            "armature": 0.1 * rng.uniform(size=joints[body.name].nv),
        },
        gravity=5.0 * rng.normal(size=3),
    )


def tied():
    """A branching figure with joints that follow those of other branches, bodies behind them."""
    bare = ar.random_tree(6, 1.7, joints=("revolute", "prismatic", "helical"), rng=4)
    mimic = {"body2": ar.Mimic("joint3", -1.5, 0.3), "body6": ar.Mimic("joint4", 0.7, -0.2)}
    return rebuilt(bare, lambda body: {"armature": 0.1, "mimic": mimic.get(body.name)}, mimic=True)


NAMES = [str(k) for k in np.random.default_rng(0).permutation([*KINDS, "knee", "curve"])]
FIGURES = {
    "chain": figure(NAMES[:6], 1.0, 2),
    "tree": figure(NAMES[6:], 1.7, 3),
    "puppet": PUPPET,
    "tied": tied(),
}
EVERY = pytest.mark.parametrize("model", FIGURES.values(), ids=FIGURES.keys())


def centres(model, q):
    """Poses of bodies, and their centres of mass in their own frames and in the world."""
    T = ar.evaluate(poses, model, q)
    c = np.array([[*I.com()] for I in model.tree.I[1:]])
    return T, c, (T[..., :3, :3] @ c[..., None])[..., 0] + T[..., :3, 3]


@EVERY
def test_link_jacobians(model):
    q, *_ = state(model)
    Jv, Jw = ar.evaluate(link_jacobians, model, q)
    J = ar.evaluate(jacobians, model, q)
    T, c, _ = centres(model, q)
    R = T[..., :3, :3]
    assert_close(Jw, R @ J[..., :3, :], 1e-13)
    arm = np.cross(J[..., :3, :], c[:, :, None], axis=-2)
    assert_close(Jv, R @ (J[..., 3:, :] + arm), 1e-13)


def test_linear_jacobian_is_the_slope_of_the_centre_of_mass():
    def places(tree, q):
        return [X.r + X.R @ I.com() for X, I in list(zip(poses(tree, q), tree.I, strict=True))[1:]]

    model = FIGURES["tree"]
    q, *_ = state(model)
    assert_close(
        ar.evaluate(link_jacobians, model, q)[0],
        ar.evaluate(ar.jacobian(places, "q"), model, q),
        1e-12,
    )


@EVERY
def test_mass_matrix(model):
    q, *_ = state(model)
    M = ar.evaluate(liu_jain_mass_matrix, model, q)
    assert_close(M, ar.evaluate(crba, model, q), 1e-12)


@EVERY
def test_coriolis_is_the_bias_without_gravity(model):
    q, qd, *_ = state(model)
    C = ar.evaluate(liu_jain_coriolis, model, q, qd)
    assert_close(C, ar.evaluate(bias_forces, model.replace(gravity=(0, 0, 0)), q, qd), 1e-12)


def test_coriolis_from_derivatives_of_the_mass_matrix():
    """LJ12 17, for joints whose velocity is the rate of their coordinates."""
    plain = ["euler", "prismatic", "universal", "exponential", "planar", "helical", "knee"]
    model = figure(plain, 1.5, 7)
    q, qd, *_ = state(model)
    dM = ar.evaluate(ar.jacobian(liu_jain_mass_matrix, "q"), model, q)
    C = np.einsum("nijk,nj,nk->ni", dM, qd, qd) - 0.5 * np.einsum("nijk,ni,nj->nk", dM, qd, qd)
    assert_close(ar.evaluate(liu_jain_coriolis, model, q, qd), C, 1e-12)


@EVERY
def test_inverse_dynamics(model):
    q, qd, qdd, _, f_ext = state(model)
    tau = ar.evaluate(liu_jain, model, q, qd, qdd, f_ext)
    assert_close(tau, ar.evaluate(rnea, model, q, qd, qdd, f_ext), 1e-12)


@for_figures()
def test_inverse_dynamics_of_any_figure(model):
    q, qd, qdd, _, f_ext = state(model)
    tau = ar.evaluate(liu_jain, model, q, qd, qdd, f_ext)
    assert_close(tau, ar.evaluate(rnea, model, q, qd, qdd, f_ext), 1e-12)


@for_figures()
def test_equation_of_motion(model):
    q, qd, qdd, *_ = state(model)
    M = ar.evaluate(liu_jain_mass_matrix, model, q)
    C = ar.evaluate(liu_jain_coriolis, model, q, qd)
    weightless = model.replace(gravity=(0, 0, 0))
    tau = ar.evaluate(liu_jain, weightless, q, qd, qdd)
    assert_close((M @ qdd[..., None])[..., 0] + C, tau, 1e-12)


def test_joints_of_other_branches_do_not_couple():
    model = ar.random_tree(6, 2.0, rng=1)
    tree = model.tree
    M = ar.evaluate(liu_jain_mass_matrix, model, model.random(0))
    related = [
        [i in tree.ancestors(j) or j in tree.ancestors(i) for i in tree.bodies] for j in tree.bodies
    ]
    assert np.array_equal(M != 0.0, related)


@pytest.mark.parametrize("page", [liu_jain, liu_jain_coriolis, liu_jain_mass_matrix])
def test_compiled(page):
    model = FIGURES["tree"]
    q, qd, qdd, *_ = state(model)
    inputs = (q, qd, qdd)[: {liu_jain: 3, liu_jain_coriolis: 2}.get(page, 1)]
    assert_close(ar.compile(page, model)(*inputs), ar.evaluate(page, model, *inputs), 1e-13)
