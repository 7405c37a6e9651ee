"""Derivatives, Coriolis and momentum matrices, regressors of every robot that Pinocchio loads.

Pages run on plain numbers here, one state each, which is fast; three robots have native code. None
of the robots has a planar joint, so that the velocities of both libraries are the same numbers in
another order.
"""

import functools

import numpy as np
import pytest
from pinocchio_layout import (
    BASES,
    URDFS,
    expected,
    inputs_of,
    load_both,
    relative_error,
    robot_file,
    robot_name,
    states,
)

import arthron as ar

TOLERANCE = 1e-9

STIFF = {
    "bluevolta_description/bluevolta",
    "hector_description/quadrotor_base",
    "iris_description/iris_simple",
}
"""Robots without joints: on a fixed base nothing moves."""

SINGULAR = {
    "bluevolta_description/bluevolta_bravo7_gripper",
    "bravo7_description/bravo7_gripper",
    "falcon_description/falcon_bravo7_gripper",
    "romeo_description/romeo",
    "romeo_description/romeo_laas_small",
}
"""Robots with joints that move links without mass: M has no inverse."""

ILL_CONDITIONED = {("icub_description/icub", "floating"): 1e-7}
"""Robots whose M, of condition 3e9, magnifies the rounding of constants read from the file by both
libraries; that our own rounding is small is shown in long double."""

EVERYWHERE = {
    "inverse_dynamics_derivatives": ar.algorithms.rnea_derivatives,
    "coriolis_matrix": ar.algorithms.coriolis_matrix,
}
ON_ONE_BASE = {
    "fixed": {
        "regressor": ar.algorithms.regressor,
        "gravity_forces_dq": ar.algorithms.gravity_forces_dq,
    },
    "floating": {
        "momentum_matrix": ar.algorithms.momentum_matrix,
        "momentum_matrix_dot": ar.algorithms.momentum_matrix_dot,
        "body_jacobians_dot": ar.algorithms.jacobians_dot,
    },
}
"""What takes long, on one base each; the few robots below have all of it on both."""
THOROUGH = [
    "panda_description/panda",
    "double_pendulum_description/double_pendulum",
    "ur_description/ur5_robot",
]
INVERTED = {"inverse_mass_matrix": "fixed", "forward_dynamics_derivatives": "floating"}

CASES = [
    (robot_name(path), base)
    for path in URDFS
    for base in BASES
    if (robot_name(path), base) not in {(name, "fixed") for name in STIFF}
]
each_robot = pytest.mark.parametrize(("name", "base"), CASES)


@functools.cache
def robot(name, base):
    """A robot in both libraries, and one state of it, or four where we are thorough."""
    model, theirs = load_both(robot_file(name), base)
    assert not any(isinstance(joint, ar.Planar) for joint in model.tree.joint)
    return model, theirs, states(model, 4 if name in THOROUGH else 1, seed=7 + BASES.index(base))


def compare(name, base, method, found, tolerance=TOLERANCE):
    _, theirs, state = robot(name, base)
    exact = expected(theirs, method, state)
    if isinstance(found, tuple):
        assert len(found) in (2, exact.shape[1])
        for one, other in zip(found, np.moveaxis(exact, 1, 0), strict=False):
            assert_close(one, other, tolerance)
    else:
        assert_close(found, exact, tolerance)


def assert_close(found, exact, tolerance):
    """Entries that are all zero but for rounding are beside inputs of size one."""
    if np.abs(exact).max() > 1e-12 or np.abs(found).max() > 1e-12:
        assert relative_error(found, exact) < tolerance


def evaluated(name, base, method, page):
    model, _, state = robot(name, base)
    return row_by_row(functools.partial(ar.evaluate, page, model), inputs_of(method, state))


def row_by_row(function, inputs):
    """What a function of one state gives for each of them."""
    count = len(inputs["q"])
    rows = [function(**{n: x[k] for n, x in inputs.items()}) for k in range(count)]
    if isinstance(rows[0], tuple):
        return tuple(np.stack(each) for each in zip(*rows, strict=True))
    return np.stack(rows)


@each_robot
def test_pages(name, base):
    chosen = {**EVERYWHERE, **ON_ONE_BASE[base]}
    if name in THOROUGH:
        chosen |= ON_ONE_BASE["fixed"] | ON_ONE_BASE["floating"]
    for method, page in chosen.items():
        compare(name, base, method, evaluated(name, base, method, page))


@each_robot
def test_behind_the_inverse_of_the_mass_matrix(name, base):
    _, theirs, state = robot(name, base)
    condition = np.linalg.cond(expected(theirs, "mass_matrix", state)).max()
    assert (condition > 1e12) == (name in SINGULAR)
    if name in SINGULAR:
        return
    allowed = ILL_CONDITIONED.get((name, base), TOLERANCE)
    for method in INVERTED if name in THOROUGH else [m for m, b in INVERTED.items() if b == base]:
        page = getattr(ar.algorithms, method)
        compare(name, base, method, evaluated(name, base, method, page), allowed)


@pytest.mark.parametrize("method", INVERTED)
def test_our_own_rounding_is_small(method):
    for name, base in ILL_CONDITIONED:
        model, _, state = robot(name, base)
        inputs, page = inputs_of(method, state), getattr(ar.algorithms, method)
        wide = {n: np.asarray(x, np.longdouble) for n, x in inputs.items()}
        found, exact = (ar.evaluate(page, model, **each) for each in (inputs, wide))
        assert relative_error(np.stack(found), np.stack(exact)) < 1e-11


@pytest.mark.parametrize(
    ("name", "base"), [(THOROUGH[0], "fixed"), (THOROUGH[1], "floating"), (THOROUGH[2], "fixed")]
)
def test_native_methods(name, base):
    model, _, state = robot(name, base)
    methods = [
        "inverse_dynamics_derivatives", "forward_dynamics_derivatives", "inverse_mass_matrix",
        "coriolis_matrix", "gravity_forces_dq", "momentum_matrix", "momentum_matrix_dot",
        "regressor", "body_jacobians_dot",
    ]  # fmt: skip
    for method in methods:
        inputs = inputs_of(method, state)
        function = getattr(model, method)
        compare(name, base, method, function(**inputs))
        compare(name, base, method, row_by_row(function, inputs))


def test_every_robot_is_here():
    assert len({name for name, _ in CASES}) == 75
    assert len(CASES) == 147
