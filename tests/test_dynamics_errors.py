"""Messages of the dynamics methods, of derivatives of pages, and of free parameters."""

import dataclasses
import functools

import numpy as np
import pytest

import arthron as ar
from arthron import algorithms as pages
from arthron._pages.inputs import page_parameters

CRAB = ar.random_tree(4, joints=["revolute", "prismatic"], rng=2).replace(name="crab")
TIED = ar.Model(
    [
        dataclasses.replace(body, mimic=ar.Mimic("joint1", 2.0) if k == 2 else None)
        for k, body in enumerate(CRAB.bodies)
    ],
    mimic=True,
    name="tied",
)
ROCK = ar.Model([], name="rock")
Z, TWO = np.zeros(4), np.zeros((2, 4))
NONE = np.zeros(0)


def own_weights(tree, q, weights):
    return q[1][0] * weights[0]


def own_inertia(tree, q, inertia):
    return q[1][0] * inertia[0]


def integer_keys(tree, q):
    return {0: q[1][0], 1: q[2][0]}


def weighted(page, weights, *pairs):
    """A weighted derivative of a page at rest, evaluated."""
    make = ar.hessian if pairs and isinstance(pairs[0], tuple) else ar.vjp
    names = [p.name for p in page_parameters(page) if p.name != "f_ext"]
    derived, shapes = make(page, *(pairs or ("q",))), {"weights": np.shape(weights)}
    return ar.evaluate(derived, CRAB, *[Z] * len(names), weights=weights, shapes=shapes)


def constrained(G=TWO, b=NONE, **more):
    return CRAB.constrained_dynamics(Z, Z, Z, G, np.zeros(2) if b is NONE else b, **more)


def hybrid(prescribed, model=CRAB):
    return model.hybrid_dynamics(*[np.zeros(model.nv)] * 4, prescribed=prescribed)


CALLS = {
    # joints to prescribe
    "no such joint": (lambda: hybrid(["jiont1"]), ["no joint 'jiont1' in `crab`", "'joint1'"]),
    "a body for a joint": (lambda: hybrid(["body1"]), ["no joint 'body1'", "model.joint_names"]),
    "a number for a joint": (lambda: hybrid([1]), ["no joint 1", "model.joint_names"]),
    "a list for a joint": (lambda: hybrid([["joint1"]]), ["no joint ['joint1']"]),
    "one number": (lambda: hybrid(1), ["`prescribed` is 1", "names of joints"]),
    "no joints at all": (lambda: hybrid(None), ["`prescribed` is None", "names of joints"]),
    "a follower": (lambda: hybrid(["joint3"], TIED), ["joint 'joint3' of `tied` follows 'joint1'"]),
    "hybrid with followers": (lambda: hybrid(["joint1"], TIED), ["follow", "constrained_dynamics"]),
    "tree page with followers": (
        lambda: ar.evaluate(pages.aba, TIED, *[np.zeros(3)] * 3),
        ["follow others", "ar.algorithms.forward_dynamics"],
    ),
    "prescribed not bound": (
        lambda: ar.compile(pages.hybrid_dynamics, CRAB),
        ["`prescribed`", "functools.partial"],
    ),
    # constraints
    "G with one axis": (lambda: constrained(Z), ["`G` has shape (4,)", "(..., m, "]),
    "G too wide": (lambda: constrained(np.zeros((2, 5))), ["`G` has shape (2, 5)", "(..., 2, 4)"]),
    "G text": (lambda: constrained("abc"), ["`G`"]),
    "G ragged": (lambda: constrained([[1, 2, 3, 4], [1]]), ["`G` has rows of unequal length"]),
    "G of an impact": (lambda: CRAB.constraint_impulse(Z, Z, Z), ["`G` has shape (4,)"]),
    "b too long": (lambda: constrained(b=np.zeros(3)), ["`b` has shape (3,)", "(..., 2)"]),
    "b a number": (lambda: constrained(b=0.0), ["`b` has shape ()", "(..., 2)"]),
    "damping text": (lambda: constrained(damping="soft"), ["`damping` is 'soft'", "number"]),
    "damping array": (lambda: constrained(damping=np.ones(2)), ["`damping` is", "number"]),
    "damping negative": (lambda: constrained(damping=-1.0), ["`damping` is -1", "zero or more"]),
    "damping NaN": (lambda: constrained(damping=np.nan), ["`damping` is nan"]),
    "restitution None": (
        lambda: CRAB.constraint_impulse(Z, Z, TWO, restitution=None),
        ["`restitution` is None", "number"],
    ),
    "a keyword of a derivative": (
        lambda: ar.compile(ar.jacobian(ar.algorithms.mobility, "q"), CRAB),
        ["needs `body` by keyword", "before derivatives are taken: `functools.partial(page, body="],
    ),
    # shapes of inputs
    "weights": (
        lambda: CRAB.inverse_dynamics_vjp(Z, Z, Z, np.zeros(3)),
        ["`weights` has shape (3,)", "`crab` needs (..., 4)"],
    ),
    "no weights": (
        lambda: CRAB.forward_dynamics_vjp(Z, Z, Z),
        ["without `weights`", "forward_dynamics_vjp(q, qd, tau, weights, f_ext)"],
    ),
    "x of a product": (
        lambda: CRAB.inverse_mass_product(Z, np.zeros(5)),
        ["`x` has shape (5,)", "(..., 4)"],
    ),
    "x of several products": (
        lambda: CRAB.inverse_mass_products(Z, Z),
        ["`x` has shape (4,)", "joint forces", "(..., m, nv)"],
    ),
    "rows of several products": (
        lambda: CRAB.inverse_mass_products(Z, np.zeros((2, 3))),
        ["`x` has shape (2, 3)", "(..., 2, 4)"],
    ),
    "x of a Jacobian": (
        lambda: CRAB.jacobian_product(Z, np.zeros(5)),
        ["`x` has shape (5,)", "(..., 4)"],
    ),
    "y": (
        lambda: CRAB.jacobian_transpose_product(Z, np.zeros((4, 5))),
        ["`y` has shape (4, 5)", "(..., 4, 6)"],
    ),
    "velocities": (
        lambda: CRAB.generalized_velocities(Z, np.zeros((3, 6))),
        ["`velocities` has shape (3, 6)", "(..., 4, 6), a row for each of `model.body_names`."],
    ),
    "rates": (
        lambda: CRAB.joint_velocities(Z, np.zeros(3)),
        ["`rates` has shape (3,)", "(..., 4): 4 prismatic joints. `model.joint_names`"],
    ),
    "joint terms": (
        lambda: CRAB.inverse_mass_product(Z, Z, np.zeros(3)),
        ["`joint_terms` has shape (3,)", "(..., 4)"],
    ),
    "body terms": (
        lambda: CRAB.inverse_mass_product(Z, Z, None, np.zeros((4, 6))),
        ["`body_terms` has shape (4, 6)", "(..., 4, 6, 6)"],
    ),
    "reference": (
        lambda: CRAB.slotine_li_regressor(Z, Z, np.zeros(3), Z),
        ["`qd_ref` has shape (3,)", "(..., 4)"],
    ),
    "direction": (
        lambda: CRAB.inverse_dynamics_hessian_product(Z, Z, Z, Z, Z, np.zeros(3), Z),
        ["`dqd` has shape (3,)", "(..., 4)"],
    ),
    "point": (
        lambda: CRAB.operational_space_inertia(Z, "body3", (0, 1)),
        ["`point` has shape (2,)", "(..., 3)"],
    ),
    "point text": (
        lambda: CRAB.operational_space_inertia(Z, "body3", "here"),
        ["`point`", "real numbers"],
    ),
    "axes": (
        lambda: CRAB.operational_space_inertia(Z, "body3", axes="body"),
        ["`axes` is 'body'", "'world_aligned'"],
    ),
    "no such body": (
        lambda: CRAB.operational_space_inertia(Z, "body_3"),
        ["no body or frame 'body_3'", "Nearest: 'body3'"],
    ),
    # free parameters
    "free text": (
        lambda: ar.compile(pages.rnea, CRAB, free="inertia"),
        ["`free` is 'inertia'", "('inertia',)"],
    ),
    "free text, evaluated": (
        lambda: ar.evaluate(pages.crba, CRAB, Z, np.zeros(40), free="inertia"),
        ["`free` is 'inertia'", "('inertia',)"],
    ),
    "free mass": (
        lambda: ar.compile(pages.rnea, CRAB, free=("mass",)),
        ["`free` names 'mass'", "'inertia' and 'placements'"],
    ),
    "free misspelt": (
        lambda: ar.compile(pages.rnea, CRAB, free=("placement",)),
        ["`free` names 'placement'", "Nearest: 'placements'"],
    ),
    "free number": (lambda: ar.compile(pages.rnea, CRAB, free=3), ["`free` is 3", "names"]),
    "free None": (lambda: ar.compile(pages.rnea, CRAB, free=None), ["`free` is None", "names"]),
    "free and taken": (
        lambda: ar.compile(own_inertia, CRAB, shapes={"inertia": (3,)}, free=("inertia",)),
        ["`own_inertia` has an input called `inertia`"],
    ),
    "free and left out": (
        lambda: ar.compile(pages.crba, CRAB, free=("inertia",))(Z),
        ["without `inertia`", "crba(q, inertia)"],
    ),
    "free inertia": (
        lambda: ar.compile(pages.crba, CRAB, free=("inertia",))(Z, np.zeros((4, 10))),
        ["`inertia` has shape (4, 10)", "(..., 40)", "model.inertial_parameters()"],
    ),
    "free placements": (
        lambda: ar.compile(pages.crba, CRAB, free=("placements",))(Z, np.zeros((4, 7))),
        ["`placements` has shape (4, 7)", "(..., 4, 4, 4)", "model.placements()"],
    ),
    # derivatives of pages
    "jacobian": (lambda: ar.jacobian(pages.crba, "qd"), ["`crba` has no input 'qd'", "takes q"]),
    "jacobian of many": (lambda: ar.jacobian(pages.rnea, ["q", "qd"]), ["no input ['q', 'qd']"]),
    "jacobian of a method": (lambda: ar.jacobian(CRAB.mass_matrix), ["compiled already", "page"]),
    "vjp": (lambda: ar.vjp(pages.rnea, "qddd"), ["no input 'qddd'", "Nearest: 'qdd'"]),
    "vjp by nothing": (
        lambda: ar.vjp(pages.rnea),
        ["`rnea`", "q, qd, qdd, f_ext", "at least one"],
    ),
    "vjp by a tuple": (lambda: ar.vjp(pages.rnea, ("q", "qd")), ["no input ('q', 'qd')"]),
    "vjp of several results": (
        lambda: weighted(pages.inverse_dynamics_derivatives, Z),
        ["`weights` has", "2 results of `inverse_dynamics_derivatives`", "(32,)"],
    ),
    "vjp of vjp": (lambda: ar.vjp(ar.vjp(pages.rnea, "q"), "q"), ["`weights`", "`rnea_vjp`"]),
    "vjp of weights": (
        lambda: ar.vjp(own_weights, "q"),
        ["`own_weights` has an input called `weights`"],
    ),
    "too few weights": (
        lambda: weighted(pages.rnea, np.zeros(3)),
        ["`weights` has", "3", "(4,)"],
    ),
    "weights of another shape": (
        lambda: weighted(pages.crba, np.zeros((2, 8))),
        ["`weights` has", "(2, 8)", "(4, 4)"],
    ),
    "hessian by nothing": (lambda: ar.hessian(pages.rnea), ["`rnea`", '("q", "q")']),
    "hessian by a name": (lambda: ar.hessian(pages.rnea, "q"), ["'q'", "pair", '("q", "q")']),
    "hessian by names": (lambda: ar.hessian(pages.rnea, "q", "qd"), ["pair", '("q", "q")']),
    "hessian by three": (
        lambda: ar.hessian(pages.rnea, ("q", "qd", "qdd")),
        ["('q', 'qd', 'qdd')", "pair"],
    ),
    "hessian": (lambda: ar.hessian(pages.crba, ("q", "qd")), ["`crba` has no input 'qd'"]),
    "hessian of several results": (
        lambda: weighted(pages.inverse_dynamics_derivatives, Z, ("q", "q")),
        ["2 results", "(32,)"],
    ),
    "product by nothing": (lambda: ar.hessian_product(pages.rnea), ["`rnea`", "at least one"]),
    "product": (lambda: ar.hessian_product(pages.crba, "qd"), ["`crba` has no input 'qd'"]),
    "product and dq": (
        lambda: ar.hessian_product(pages.integrate, "q"),
        ["`integrate` has an input called `dq`"],
    ),
    "rate without q": (lambda: ar.rate(pages.joint_regressor), ["no input 'q'", "qd, qdd"]),
    "third rate of qdd": (
        lambda: ar.rate(ar.rate(ar.rate(pages.rnea))),
        ["`rnea_rate_rate`", "`qdddd`", "q, qd, qdd, qddd"],
    ),
    "jerk of another length": (
        lambda: ar.compile(ar.rate(pages.rnea), CRAB)(Z, Z, Z, np.zeros(5)),
        ["`qddd`", "(5,)", "joints"],
    ),
    # results
    "keys that are no names": (
        lambda: ar.compile(integer_keys, CRAB)(Z),
        ["dict", "key 0", "text"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CALLS)
def test_calls(case):
    call, fragments = CALLS[case]
    with pytest.raises(ar.ArthronError) as caught:
        call()
    for fragment in fragments:
        assert fragment in str(caught.value)


NUMBERED = [("joint1",), (0,), (5,)]


@pytest.mark.parametrize("prescribed", NUMBERED, ids=str)
def test_pages_know_bodies_by_number(prescribed):
    """Names, the base and numbers that no body has would silently prescribe nothing."""
    page = functools.partial(pages.hybrid_dynamics, prescribed=prescribed)
    with pytest.raises(ar.ArthronError, match="prescribed"):
        ar.evaluate(page, CRAB, Z, Z, Z, Z)


METHODS = {
    "inverse_dynamics_derivatives": (3, [(0, 0)] * 2),
    "forward_dynamics_derivatives": (3, [(0, 0)] * 3),
    "inverse_dynamics_vjp": (4, [(0,)] * 3),
    "forward_dynamics_vjp": (4, [(0,)] * 3),
    "inverse_dynamics_hessian": (4, [(0, 0)] * 4),
    "inverse_dynamics_hessian_product": (7, [(0,)] * 3),
    "mass_matrix_dq": (1, [(0, 0, 0)]),
    "mass_matrix_dot": (2, [(0, 0)]),
    "coriolis_matrix": (2, [(0, 0)]),
    "coriolis_matrix_dq": (2, [(0, 0, 0)]),
    "coriolis_matrix_dqd": (2, [(0, 0, 0)]),
    "coriolis_matrix_dot": (3, [(0, 0)]),
    "gravity_forces_dq": (1, [(0, 0)]),
    "gravity_forces_dot": (2, [(0,)]),
    "inverse_mass_matrix": (1, [(0, 0)]),
    "inverse_mass_product": (2, [(0,)]),
    "momentum_matrix": (1, [(6, 0)]),
    "momentum_matrix_dot": (2, [(6, 0)]),
    "regressor": (3, [(0, 0)]),
    "slotine_li_regressor": (4, [(0, 0)]),
    "joint_regressor": (2, [(0, 0)]),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("batch", [(), (3,)], ids=str)
def test_figures_that_do_not_move(method, batch):
    """Arrays without entries, of the right shape."""
    count, shapes = METHODS[method]
    found = getattr(ROCK, method)(*[np.zeros((*batch, 0))] * count)
    found = found if isinstance(found, tuple) else (found,)
    assert [x.shape for x in found] == [(*batch, *shape) for shape in shapes]


def test_constraints_on_figures_that_do_not_move():
    qdd, forces = ROCK.constrained_dynamics(NONE, NONE, NONE, np.zeros((2, 0)), np.ones(2))
    assert (qdd.shape, forces.shape) == ((0,), (2,))
    qd, impulses = ROCK.constraint_impulse(NONE, NONE, np.zeros((1, 0)))
    assert (qd.shape, impulses.shape) == ((0,), (1,))
    qdd, tau = ROCK.hybrid_dynamics(*[NONE] * 4, prescribed=[])
    assert (qdd.shape, tau.shape) == ((0,), (0,))


def test_free_names_may_come_one_by_one():
    """`free` is any iterable, a generator too."""
    given = Z, CRAB.inertial_parameters()
    expected = CRAB.mass_matrix(Z)
    for call in (ar.evaluate, lambda *a, free: ar.compile(*a[:2], free=free)(*a[2:])):
        M = call(pages.crba, CRAB, *given, free=(name for name in ["inertia"]))
        np.testing.assert_allclose(M, expected, atol=1e-13)
