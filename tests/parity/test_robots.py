"""Every robot of example-robot-data that Pinocchio loads: both libraries compute the same.

Pages run on NumPy arrays here, three states at once. `test_compiled_robots.py` has native code.
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
    robot_name,
    states,
)

import arthron as ar
from arthron._algorithms import dynamics, energy, kinematics
from arthron.algorithms import aba, balafoutis_patel, crba, rnea

TOLERANCE = 1e-9

PAGES = [
    ("body_poses", kinematics.poses),
    ("body_velocities", kinematics.velocities),
    ("body_accelerations", kinematics.accelerations),
    ("body_jacobians", kinematics.jacobians),
    ("inverse_dynamics", rnea),
    ("inverse_dynamics", balafoutis_patel),
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
"""Robots with joints that move links without mass: forward dynamics has no answer."""


ILL_CONDITIONED = {("icub_description/icub", True): 1e-8}
"""Robots (name, whether floating) whose M, of condition 3e9, magnifies the rounding of constants
read from the file by both libraries; that our own rounding is small is shown in long double."""


def page_id(page):
    return f"{page.__module__.rpartition('.')[2]}.{page.__name__}"


@pytest.fixture(
    scope="module",
    params=[
        pytest.param((path, base), id=f"{robot_name(path)}-{base}")
        for path in URDFS
        for base in BASES
        if (robot_name(path), base) not in {(name, "fixed") for name in STIFF}
    ],
)
def robot(request):
    """A robot in both libraries and three states of it."""
    path, base = request.param
    model, theirs = load_both(path, base)
    return robot_name(path), model, theirs, states(model, 3, seed=7)


@pytest.mark.parametrize(("method", "page"), [pytest.param(*p, id=page_id(p[1])) for p in PAGES])
def test_page(robot, method, page):
    _, model, theirs, state = robot
    ours = ar.evaluate(page, model, **inputs_of(method, state))
    assert relative_error(ours, expected(theirs, method, state)) < TOLERANCE


def test_forward_dynamics(robot):
    name, model, theirs, state = robot
    condition = np.linalg.cond(expected(theirs, "mass_matrix", state)).max()
    singular = condition > 1e12
    allowed = ILL_CONDITIONED.get((name, model.tree.joint[1].nv == 6), TOLERANCE)
    assert singular == (name in SINGULAR)
    exact = expected(theirs, "forward_dynamics", state)
    for page in (aba, dynamics.forward_dynamics):
        with np.errstate(all="ignore"):
            ours = ar.evaluate(page, model, **inputs_of("forward_dynamics", state))
        if singular:
            assert not np.all(np.isfinite(ours))
        else:
            assert relative_error(ours, exact) < allowed
            given = inputs_of("forward_dynamics", state)
            wide = {key: np.asarray(x, np.longdouble) for key, x in given.items()}
            assert relative_error(ours, ar.evaluate(page, model, **wide)) < 1e-11


def test_frames(robot):
    _, model, theirs, state = robot
    for name, frame in model.figure.frames.items():
        other = theirs.pin.frames[theirs.pin.getBodyId(name)]
        assert other.parentJoint == (theirs.joints[frame.body - 1] if frame.body else 0)
        np.testing.assert_allclose(frame.X.matrix(), other.placement.homogeneous, atol=1e-11)
    merged = [name for name in model.frame_names if name not in model.body_names]
    for name in merged[:: max(1, len(merged) // 3)]:
        page = functools.partial(kinematics.frame_pose, **vars(model.frame(name)))
        ours = ar.evaluate(page, model, state["q"])
        poses = np.array([theirs.frame_pose(q, name) for q in state["q"]])
        assert relative_error(ours, poses) < TOLERANCE


def test_every_robot_is_here():
    assert len(URDFS) == 75
    assert {robot_name(path) for path in URDFS} >= STIFF | SINGULAR
    assert len({robot_name(path) for path in URDFS}) == 75


@pytest.mark.parametrize("name", sorted(STIFF))
def test_robots_without_joints(name):
    path = next(path for path in URDFS if robot_name(path) == name)
    model, theirs = load_both(path, "fixed")
    assert theirs.pin.njoints == 1
    assert (model.nb, model.nq, model.nv) == (0, 0, 0)
    state = states(model, 3, seed=7)
    for method, page in PAGES:
        if method in ("center_of_mass", "com_jacobian", "momentum"):
            continue  # of nothing
        ours = ar.evaluate(page, model, **inputs_of(method, state))
        theirs_too = expected(theirs, method, state)
        assert (method, ours.shape) == (method, theirs_too.shape)
        assert not np.any(ours)
