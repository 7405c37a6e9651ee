"""The laws of motion hold on figures that mix every kind of joint, compiled and interpreted."""

import functools

import numpy as np
import pytest
from joint_cases import CASES, SMALL, body_of, error, inside, stencil

import arthron as ar
from arthron._algorithms import dynamics
from arthron._tree.regrouped import regrouped
from arthron.algorithms import (
    aba,
    balafoutis_patel,
    crba,
    integrate,
    jacobians,
    kinetic_energy,
    potential_energy,
    rnea,
    velocities,
)


def figure(names, branching, seed):
    """A random tree whose joints are the named ones, with armature on some."""
    bare = ar.random_tree(len(names), branching, taper=0.97, rng=seed)
    rng = np.random.default_rng(seed)
    called = dict(zip(bare.body_names, names, strict=True))
    return ar.Model(
        [
            ar.Body(name, CASES[name], parent=called.get(body.parent),
                    placement=body.placement, inertia=body.inertia,
                    armature=rng.uniform(0.1, 0.3) if k % 3 == 0 else 0.0)
            for k, (name, body) in enumerate(zip(names, bare.bodies, strict=True))
        ],
        gravity=rng.normal(size=3) * 5.0,
    )  # fmt: skip


ORDER = [SMALL[k] for k in np.random.default_rng(1).permutation(len(SMALL))]
FIGURES = {
    "chain": figure(ORDER[:11], 1.0, 2),
    "tree": figure(ORDER[11:22], 1.7, 3),
    "bush": figure(ORDER[22:], 3.0, 4),
}

COMPILED = ("tree", "bush")
"""Those that are compiled too; the chain is told apart by nothing but its depth."""


def test_every_kind_is_there():
    present = [name for model in FIGURES.values() for name in model.body_names]
    assert sorted(present) == sorted(SMALL)
    kinds = {type(joint) for model in FIGURES.values() for joint in model.tree.joint[1:]}
    assert {ar.Custom, ar.SplineCurve, ar.SplineSurface, ar.Composite, ar.Helical} <= kinds


@functools.cache
def case(figure):
    """(model, state): a batch of states, splines away from knots, and all inputs of the laws."""
    model = FIGURES[figure]
    rng = np.random.default_rng(5)
    q = np.stack([model.random(rng) for _ in range(3)])
    for name in model.joint_names:
        at = model.slice_q(name)
        q[:, at] = [inside(name, row) for row in q[:, at]]
        if name.startswith("euler"):  # away from the poles, so that M can be solved with
            middle = 0.5 * np.pi if name == "euler xzx" else 0.0
            q[:, at.start + 1] = middle + rng.uniform(-1, 1, size=3)
    qd, qdd, tau = rng.normal(size=(3, 3, model.nv))
    return model, {"q": q, "qd": qd, "qdd": qdd, "tau": tau,
                   "f_ext": rng.normal(size=(3, model.nb, 6))}  # fmt: skip


def given(state, *names):
    return [state[name] for name in names]


def interpreted(page, model, *arrays):
    return ar.evaluate(page, model, *arrays)


def one_by_one(page, model, *arrays):
    return np.array([ar.evaluate(page, model, *row) for row in zip(*arrays, strict=True)])


def compiled(page, model, *arrays):
    return getattr(model, METHODS[page])(*arrays)


def compiled_one_by_one(page, model, *arrays):
    function = getattr(model, METHODS[page])
    return np.array([function(*row) for row in zip(*arrays, strict=True)])


METHODS = {
    dynamics.inverse_dynamics: "inverse_dynamics",
    dynamics.forward_dynamics: "forward_dynamics",
    dynamics.mass_matrix: "mass_matrix",
}
INPUTS = ("q", "qd", "f_ext")
WAYS = [
    *((figure, way) for figure in FIGURES for way in (interpreted, one_by_one)),
    *((figure, compiled) for figure in COMPILED),
    ("tree", compiled_one_by_one),
]
EACH_WAY = pytest.mark.parametrize(
    ("figure", "way"), [pytest.param(*pair, id=f"{pair[0]}-{pair[1].__name__}") for pair in WAYS]
)
EACH = pytest.mark.parametrize("figure", FIGURES)


@EACH_WAY
def test_forward_undoes_inverse(figure, way):
    model, state = case(figure)
    tau = way(dynamics.inverse_dynamics, model, *given(state, "q", "qd", "qdd", "f_ext"))
    found = way(dynamics.forward_dynamics, model, *given(state, "q", "qd"), tau, state["f_ext"])
    assert error(found, state["qdd"]) < 1e-9


@EACH_WAY
def test_inverse_undoes_forward(figure, way):
    model, state = case(figure)
    qdd = way(dynamics.forward_dynamics, model, *given(state, "q", "qd", "tau", "f_ext"))
    tau = way(dynamics.inverse_dynamics, model, *given(state, "q", "qd"), qdd, state["f_ext"])
    assert error(tau, state["tau"], np.abs(qdd).max()) < 1e-9


@EACH_WAY
def test_mass_matrix(figure, way):
    """Symmetric, positive, twice the energy, and what unit accelerations cost."""
    model, state = case(figure)
    q, qd = given(state, "q", "qd")
    M = way(dynamics.mass_matrix, model, q)
    assert error(M, M.swapaxes(-1, -2)) < 1e-13
    assert np.linalg.eigvalsh(M).min() > 0.0
    energy = 0.5 * np.einsum("ni,nij,nj->n", qd, M, qd)
    assert error(ar.evaluate(kinetic_energy, model, q, qd), energy) < 1e-12
    some = np.eye(model.nv)[::5]
    rows = [np.broadcast_to(state[n][1], (len(some), *state[n].shape[1:])) for n in INPUTS]
    moving, still = (
        way(dynamics.inverse_dynamics, model, *rows[:2], x, rows[2]) for x in (some, 0.0 * some)
    )
    assert error(moving - still, M[1, ::5], np.abs(still).max()) < 1e-12


@EACH
@pytest.mark.parametrize(
    ("page", "book", "names"),
    [
        (balafoutis_patel, rnea, ("q", "qd", "qdd", "f_ext")),
        (dynamics.inverse_dynamics, rnea, ("q", "qd", "qdd", "f_ext")),
        (dynamics.forward_dynamics, aba, ("q", "qd", "tau", "f_ext")),
        (dynamics.mass_matrix, crba, ("q",)),
    ],
    ids=["tensor", "inverse", "forward", "mass"],
)
def test_lumped_is_the_book(figure, page, book, names):
    model, state = case(figure)
    arrays = given(state, *names)
    expected = ar.evaluate(book, model, *arrays)
    assert error(ar.evaluate(page, model, *arrays), expected) < 1e-11
    if page in METHODS and figure in COMPILED:
        assert error(compiled(page, model, *arrays), expected) < 1e-11


@EACH
def test_lumping_changes_something(figure):
    model, _ = case(figure)
    assert regrouped(model.tree).I != model.tree.I


@EACH
def test_power_becomes_energy(figure):
    model, state = case(figure)
    q, qd, qdd, f_ext = given(state, "q", "qd", "qdd", "f_ext")
    tau = ar.evaluate(rnea, model, q, qd, qdd, f_ext)
    v = ar.evaluate(velocities, model, q, qd)
    power = (qd * tau).sum(-1) + (v * f_ext).sum((-1, -2))
    t, first, _ = stencil(h=0.002)  # along any path with the right velocity
    later = ar.evaluate(integrate, model, q[:, None], qd[:, None] * t[:, None])
    energy = ar.evaluate(kinetic_energy, model, later, qd[:, None] + qdd[:, None] * t[:, None])
    energy = energy + ar.evaluate(potential_energy, model, later)
    assert error(energy @ first, power, np.abs(qd * tau).max()) < 1e-8


@EACH
def test_external_forces_act_through_jacobians(figure):
    model, state = case(figure)
    q, qd, qdd, f_ext = given(state, "q", "qd", "qdd", "f_ext")
    J = ar.evaluate(jacobians, model, q)
    pulled = np.einsum("nbij,nbi->nj", J, f_ext)
    for way in (interpreted, compiled) if figure in COMPILED else (interpreted,):
        free, held = (way(dynamics.inverse_dynamics, model, q, qd, qdd, f)
                      for f in (np.zeros_like(f_ext), f_ext))  # fmt: skip
        assert error(free - held, pulled, np.abs(free).max()) < 1e-12


@EACH
def test_equation_of_motion(figure):
    model, state = case(figure)
    q, qd, tau, f_ext = given(state, "q", "qd", "tau", "f_ext")
    M = ar.evaluate(crba, model, q)
    bias = ar.evaluate(dynamics.bias_forces, model, q, qd, f_ext)
    solved = np.linalg.solve(M, (tau - bias)[..., None])[..., 0]
    assert error(ar.evaluate(aba, model, q, qd, tau, f_ext), solved) < 1e-9


@EACH
def test_gravity_is_the_slope_of_potential_energy(figure):
    model, state = case(figure)
    slope = ar.evaluate(ar.jacobian(potential_energy, "q"), model, state["q"])
    found = ar.evaluate(dynamics.gravity_forces, model, state["q"])
    assert error(found, slope) < 1e-12


@pytest.mark.parametrize("seed", range(8))
def test_random_trees_of_any_joints(seed):
    """Single states, interpreted: forces, accelerations and the mass matrix fit together."""
    rng = np.random.default_rng(seed)
    joints = [CASES[name] for name in rng.permutation(SMALL)[:6]]
    model = ar.random_tree(5, rng.choice([1.0, 2.0]), skew=2.0, joints=joints, rng=rng)
    q = model.random(rng)
    qd, qdd, f_ext = rng.normal(size=model.nv), rng.normal(size=model.nv), rng.normal(size=(5, 6))
    tau = ar.evaluate(rnea, model, q, qd, qdd, f_ext)
    M = ar.evaluate(crba, model, q)
    assert np.linalg.eigvalsh(M).min() > 0.0
    accuracy = 1e-13 * np.linalg.cond(M)
    assert error(ar.evaluate(aba, model, q, qd, tau, f_ext), qdd) < max(accuracy, 1e-10)
    bias = ar.evaluate(dynamics.bias_forces, model, q, qd, f_ext)
    assert error(M @ qdd + bias, tau) < 1e-11
    assert error(ar.evaluate(dynamics.inverse_dynamics, model, q, qd, qdd, f_ext), tau) < 1e-11
    assert error(ar.evaluate(dynamics.mass_matrix, model, q), M) < 1e-11


@pytest.mark.parametrize(
    ("names", "kept"),
    [
        (["translational", "planar translation"], "m h"),  # turning inertia is passed on
        (["euler zyx", "charts xyz", "universal", "exponential", "spherical"], "h I"),  # mass is
        (["free exponential", "composite", "nested", "knee", "curve", "patch"], "m h I"),
    ],
    ids=["that slide", "that turn", "that do both"],
)
def test_what_joints_leave_to_the_body(names, kept):
    tree = ar.Model([body_of(CASES[name], name) for name in names]).tree
    passed = 0.0
    for before, after in zip(tree.I[1:], regrouped(tree).I[1:], strict=True):
        for part in ("m", "h", "I"):
            left, all_of_it = (np.array(getattr(I, part)) for I in (after, before))
            assert np.array_equal(left, all_of_it if part in kept.split() else 0.0 * all_of_it)
        passed += before.m - after.m
    assert regrouped(tree).I[0].m == pytest.approx(passed, abs=1e-15)
