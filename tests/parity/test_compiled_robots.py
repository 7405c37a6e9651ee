"""Native code against Pinocchio: both number types, batches and single states, on six robots."""

import numpy as np
import pytest
from pinocchio_layout import (
    expected,
    inputs_of,
    load_both,
    relative_error,
    robot_file,
    states,
)

ROBOTS = {
    "panda": ("panda_description/panda", "fixed"),
    "talos": ("talos_data/talos_reduced", "fixed"),
    "g1": ("g1_description/g1_29dof_rev_1_0", "floating"),
    "ur5": ("ur_description/ur5_robot", "fixed"),
    "solo12": ("solo_description/solo12", "floating"),
    "pendulum": ("double_pendulum_description/double_pendulum_continuous", "fixed"),
}
DYNAMICS = ["inverse_dynamics", "forward_dynamics", "mass_matrix"]
OTHERS = [
    "body_poses",
    "body_velocities",
    "body_accelerations",
    "body_jacobians",
    "bias_forces",
    "gravity_forces",
    "kinetic_energy",
    "potential_energy",
    "momentum",
    "center_of_mass",
    "com_jacobian",
]
LARGE = ("talos", "g1")
TOLERANCES = {np.float64: 1e-9, np.float32: 1e-4}
BATCH = 19  # two full sets of lanes and some left over


@pytest.fixture(scope="module", params=ROBOTS)
def robot(request):
    model, theirs = load_both(robot_file(ROBOTS[request.param][0]), ROBOTS[request.param][1])
    return request.param, model, theirs, states(model, BATCH, seed=11, speed=0.5)


def check(robot, method, dtype):
    _, model, theirs, state = robot
    inputs = [x.astype(dtype) for x in inputs_of(method, state).values()]
    exact = expected(theirs, method, state)
    function = getattr(model, method)
    batch = function(*inputs)
    assert batch.dtype == dtype
    assert relative_error(batch, exact) < TOLERANCES[dtype]
    single = np.array([function(*row) for row in zip(*inputs, strict=True)])
    assert single.dtype == dtype
    assert relative_error(single, exact) < TOLERANCES[dtype]


@pytest.mark.parametrize("dtype", TOLERANCES, ids=lambda d: d.__name__)
@pytest.mark.parametrize("method", DYNAMICS)
def test_dynamics(robot, method, dtype):
    check(robot, method, dtype)


@pytest.mark.parametrize("method", OTHERS)
def test_others(robot, method):
    name, model, theirs, state = robot
    if name not in LARGE:
        check(robot, method, np.float64)
        check(robot, method, np.float32)
    else:  # they take long to compile
        ours = getattr(model, method)(**inputs_of(method, state))
        assert relative_error(ours, expected(theirs, method, state)) < 1e-9


def test_without_external_forces(robot):
    _, model, theirs, state = robot
    q, qd, qdd, tau, f_ext = state.values()
    still = {**state, "f_ext": np.zeros_like(f_ext)}
    for ours, method in [
        (model.inverse_dynamics(q, qd, qdd), "inverse_dynamics"),
        (model.forward_dynamics(q, qd, tau), "forward_dynamics"),
    ]:
        assert relative_error(ours, expected(theirs, method, still)) < 1e-9


@pytest.mark.parametrize("axes", ["local", "world_aligned", "world"])
@pytest.mark.parametrize(
    ("name", "base", "link"),
    [
        ("panda_description/panda", "fixed", "panda_hand"),
        ("solo_description/solo12", "floating", "FL_FOOT"),
        ("solo_description/solo12", "floating", "HR_UPPER_LEG"),
        ("ur_description/ur5_robot", "fixed", "base_link"),
    ],
)
def test_jacobian_of_a_point(name, base, link, axes):
    model, theirs = load_both(robot_file(name), base)
    state = states(model, 3, seed=5)
    points = np.random.default_rng(5).normal(size=(3, 3))
    ours = model.jacobian(state["q"], link, points, axes=axes)
    rows = zip(state["q"], points, strict=True)
    exact = np.array([theirs.jacobian(q, link, point, axes) for q, point in rows])
    assert relative_error(ours, exact) < 1e-9


@pytest.mark.parametrize("link", ["panda_hand", "panda_link3", "panda_link0"])
def test_frame_pose(link):
    model, theirs = load_both(robot_file("panda_description/panda"), "fixed")
    q = states(model, 3, seed=3)["q"]
    exact = np.array([theirs.frame_pose(each, link) for each in q])
    assert relative_error(model.frame_pose(q, link), exact) < 1e-9
