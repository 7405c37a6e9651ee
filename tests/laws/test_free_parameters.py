"""Inertias and placements as inputs: the same numbers as a figure built with them."""

import dataclasses

import numpy as np
import pytest
from every_joint import FIGURES, case, each, inputs_of
from law_figures import assert_close, followed_likewise

import arthron as ar
from arthron.algorithms import (
    coriolis_matrix,
    crba,
    forward_dynamics,
    forward_dynamics_derivatives,
    forward_dynamics_vjp,
    inverse_dynamics,
    inverse_dynamics_derivatives,
    inverse_dynamics_hessian_product,
    inverse_dynamics_vjp,
    inverse_mass_matrix,
    mass_matrix,
    momentum,
    poses,
    potential_energy,
    regressor,
    rnea,
)
from arthron.spatial import Inertia, Mat3, Vec3

PAGES = [
    inverse_dynamics, rnea, forward_dynamics, mass_matrix, crba, inverse_mass_matrix,
    coriolis_matrix, momentum, potential_energy, poses, regressor,
]  # fmt: skip
DERIVATIVES = [
    inverse_dynamics_derivatives, forward_dynamics_derivatives, inverse_dynamics_vjp,
    forward_dynamics_vjp, inverse_dynamics_hessian_product,
]  # fmt: skip
SOLVED = 1e-10
FREE = [("inertia",), ("placements",), ("inertia", "placements")]
by_name = pytest.mark.parametrize("page", [*PAGES, *DERIVATIVES], ids=lambda p: p.__name__)


def other_parameters(model, count, seed=7):
    """`count` sets of inertias (count, 10 nb) and placements (count, nb, 4, 4)."""
    rng = np.random.default_rng(seed)
    inertia, placements = np.empty((count, model.nb, 10)), np.empty((count, model.nb, 4, 4))
    for row in range(count):
        for k in range(model.nb):
            A = 0.4 * rng.normal(size=(3, 3))
            Ic = Mat3.from_rows(np.trace(A @ A.T) * np.eye(3) - A @ A.T)
            c = Vec3(*(0.2 * rng.normal(size=3)).tolist())
            inertia[row, k] = Inertia.from_com(float(rng.uniform(0.5, 2)), c, Ic).parameters()
            X = ar.pose(0.5 * rng.normal(size=3), rng.normal(size=3))
            placements[row, k] = X.matrix() if hasattr(X, "matrix") else X
    return {"inertia": inertia.reshape(count, -1), "placements": placements}


def built(model, inertia=None, placements=None):
    """The figure made anew with one set of parameters."""
    bodies = []
    for k, body in enumerate(model.bodies):
        changed = {}
        if inertia is not None:
            ten = inertia.reshape(-1, 10)[k].tolist()
            changed["inertia"] = Inertia.from_parameters(ten)
        if placements is not None:
            changed["placement"] = placements[k]
        bodies.append(dataclasses.replace(body, **changed))
    made = ar.Model(bodies, gravity=model.gravity, mimic=bool(model.tree.followers))
    return followed_likewise(made, model)


def listed(result):
    return result if isinstance(result, tuple) else (result,)


def assert_same(found, expected, tolerance=SOLVED):
    assert len(listed(found)) == len(listed(expected))
    for one, other in zip(listed(found), listed(expected), strict=True):
        assert_close(one, other, tolerance)


def expected_of(page, model, given, parameters):
    """Row by row, from figures built with the parameters of the row."""
    rows = [
        listed(
            ar.evaluate(
                page,
                built(model, **{n: x[k] for n, x in parameters.items()}),
                **{n: x[k : k + 1] for n, x in given.items()},
            )
        )
        for k in range(3)
    ]
    return tuple(np.concatenate(each) for each in zip(*rows, strict=True))


@by_name
@pytest.mark.parametrize("free", FREE, ids="-".join)
def test_one_set_for_each_state(page, free):
    model, given = FIGURES["balls"], inputs_of(page, "balls")
    parameters = {n: other_parameters(model, 3)[n] for n in free}
    found = ar.evaluate(page, model, **given, **parameters, free=free)
    assert_same(found, expected_of(page, model, given, parameters))


@each(FIGURES)
def test_inverse_dynamics_of_every_figure(name):
    model = FIGURES[name]
    given, parameters = inputs_of(inverse_dynamics, name), other_parameters(model, 3)
    found = ar.evaluate(inverse_dynamics, model, **given, **parameters, free=FREE[2])
    assert_same(found, expected_of(inverse_dynamics, model, given, parameters), 1e-12)


@by_name
@each(["customs", "tied"])
def test_the_figure_s_own_parameters_change_nothing(name, page):
    model, given = FIGURES[name], inputs_of(page, name)
    own = {"inertia": model.inertial_parameters(), "placements": model.placements()}
    found = ar.evaluate(page, model, **given, **own, free=FREE[2])
    assert_same(found, ar.evaluate(page, model, **given))


NATIVE = [inverse_dynamics, forward_dynamics, inverse_dynamics_derivatives, inverse_dynamics_vjp,
          forward_dynamics_vjp]  # fmt: skip


@pytest.mark.parametrize("page", NATIVE, ids=lambda p: p.__name__)
def test_native_code(page):
    """One set for all states, one for each, one state."""
    model, given = FIGURES["bird"], inputs_of(page, "bird")
    parameters = {"inertia": other_parameters(model, 3)["inertia"]}
    function = ar.compile(page, model, free=("inertia",))
    expected = expected_of(page, model, given, parameters)
    assert_same(function(**given, **parameters), expected)
    first = {n: x[0] for n, x in given.items()}
    own = parameters["inertia"][0]
    assert_same(function(**first, inertia=own), tuple(x[0] for x in expected))
    shared = ar.evaluate(page, built(model, own), **given)
    assert_same(function(**given, inertia=own), shared)


@pytest.mark.parametrize("free", FREE[1:], ids="-".join)
def test_native_placements(free):
    model, given = FIGURES["customs"], inputs_of(inverse_dynamics, "customs")
    parameters = {n: other_parameters(model, 3)[n] for n in free}
    function = ar.compile(inverse_dynamics, model, free=free)
    expected = expected_of(inverse_dynamics, model, given, parameters)
    assert_same(function(**given, **parameters), expected, 1e-12)
    positional = function(given["q"], given["qd"], given["qdd"], *parameters.values())
    unpushed = {n: x for n, x in given.items() if n != "f_ext"}
    assert_same(positional, function(**unpushed, **parameters), 0.0)


def test_order_of_the_names_does_not_matter():
    model, given = FIGURES["hinges"], inputs_of(mass_matrix, "hinges")
    own = {"inertia": model.inertial_parameters(), "placements": model.placements()}
    for free in (("placements", "inertia"), ["inertia", "placements"], iter(FREE[2])):
        function = ar.compile(mass_matrix, model, free=free)
        assert_close(function(**given, **own), model.mass_matrix(**given), 1e-12)


@pytest.mark.parametrize("page", DERIVATIVES, ids=lambda p: p.__name__)
def test_native_derivatives_by_state_with_free_inertia(page):
    model, given = FIGURES["hinges"], inputs_of(page, "hinges")
    parameters = {"inertia": other_parameters(model, 3)["inertia"]}
    found = ar.compile(page, model, free=("inertia",))(**given, **parameters)
    assert_same(found, expected_of(page, model, given, parameters))


@pytest.mark.parametrize("wrt", ["q", "qd"])
def test_derivatives_of_pages_with_free_inertia(wrt):
    model, given = FIGURES["bird"], inputs_of(rnea, "bird")
    parameters = {"inertia": other_parameters(model, 3)["inertia"]}
    page = ar.jacobian(rnea, wrt)
    expected = expected_of(page, model, given, parameters)
    assert_same(ar.evaluate(page, model, **given, **parameters, free=("inertia",)), expected)
    native = ar.compile(page, model, free=("inertia",))
    assert_same(native(**given, **parameters), expected)


def test_one_bad_row_spoils_itself_alone():
    model, given = FIGURES["balls"], inputs_of(forward_dynamics, "balls")
    inertia = other_parameters(model, 3)["inertia"]
    function = ar.compile(forward_dynamics, model, free=("inertia",))
    expected = function(**given, inertia=inertia)
    inertia = inertia.copy()
    inertia[1, 4] = np.nan
    found = function(**given, inertia=inertia)
    assert np.isnan(found[1]).any()
    assert np.array_equal(found[[0, 2]], expected[[0, 2]])


def test_energy_and_centre_of_mass_follow_the_mass():
    """Twice the mass everywhere: twice the energy, the same centre."""
    model, given = FIGURES["bird"], case("bird")
    p = model.inertial_parameters()
    for page, k in [(ar.algorithms.kinetic_energy, None), (ar.algorithms.center_of_mass, 1.0),
                    (potential_energy, 2.0)]:  # fmt: skip
        if k is None:
            continue  # armature is not scaled
        once, twice = (
            ar.evaluate(page, model, given["q"], s * p, free=("inertia",)) for s in (1.0, 2.0)
        )
        assert_close(twice, k * once, 1e-13)


def test_operations_do_not_grow_without_end():
    model = FIGURES["hinges"]
    fixed, free = (ar.compile(inverse_dynamics, model, free=f) for f in ((), ("inertia",)))
    assert fixed.op_count < free.op_count < 3 * fixed.op_count
