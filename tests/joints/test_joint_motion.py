"""What a joint says of its motion is what its pose does, for every joint where it might fail."""

import numpy as np
import pytest
from joint_cases import (
    ALL_STATES,
    CASES,
    SMALL,
    columns,
    error,
    expm,
    hat,
    label,
    motion_from_pose,
    motion_of,
    moved,
    pose_of,
    stacked,
)

import arthron as ar
from arthron.algorithms import accelerations, jacobians, poses, velocities

EACH_STATE = pytest.mark.parametrize(("name", "where", "q", "side"), ALL_STATES, ids=label)


def velocity(joint, seed=0, side=0):
    """A random velocity; away from the knot where only one side of it is smooth."""
    qd = np.random.default_rng(seed).normal(size=joint.nv)
    return np.abs(qd) if side else qd


@EACH_STATE
def test_motion_is_that_of_the_pose(name, where, q, side):
    joint = CASES[name]
    directions = np.vstack([velocity(joint, side=side), np.eye(joint.nv)])
    S, v, c = motion_of(joint, q, directions[0])
    assert S.shape == (6, joint.nv)
    assert error(v, S @ directions[0]) < 1e-14
    along, drifts = motion_from_pose(joint, q, directions, side)
    assert error(S, along[1:].T) < 1e-9
    assert error(v, along[0]) < 1e-9
    for way, drift in zip(directions, drifts, strict=True):
        assert error(motion_of(joint, q, way)[2], drift) < 1e-8
    assert error(c, drifts[0]) < 1e-8


@EACH_STATE
def test_pose_is_rigid_and_drift_quadratic(name, where, q, side):
    joint = CASES[name]
    T = pose_of(joint, q)
    assert error(T[:3, :3] @ T[:3, :3].T, np.eye(3)) < 1e-13
    assert np.linalg.det(T[:3, :3]) == pytest.approx(1.0, abs=1e-13)
    qd = velocity(joint, 1)
    once, back = (motion_of(joint, q, k * qd)[2] for k in (1.0, -3.0))
    assert error(back, 9.0 * once) < 1e-13


@EACH_STATE
def test_batches_and_single_states_agree(name, where, q, side):
    joint = CASES[name]
    qd = velocity(joint, 2)
    many, rates = np.tile(q, (3, 2, 1)), np.tile(qd, (3, 2, 1))
    many[1:] = joint.random(np.random.default_rng(1))  # other rows do not matter
    X, S, v, c = joint(columns(many), columns(rates))
    alone = motion_of(joint, q, qd)
    assert error(stacked(X.matrix(), (3, 2))[0, 1], pose_of(joint, q)) < 1e-14
    assert error(stacked(tuple(S), (3, 2))[0, 1].reshape(joint.nv, 6).T, alone[0]) < 1e-13
    for found, expected in zip((v, c), alone[1:], strict=True):
        assert error(stacked(found, (3, 2))[0, 1].ravel(), expected) < 1e-13


@pytest.mark.parametrize("name", ["spherical", "free"])
def test_quaternions_move_along_their_twist(name):
    """The one use of `integrate` above that is not addition."""
    joint = CASES[name]
    rng = np.random.default_rng(3)
    for angle in (1e-9, 0.1, 2.0, 5.0):
        q, dq = np.array(joint.random(rng)), rng.normal(size=joint.nv)
        dq[:3] *= angle / np.linalg.norm(dq[:3])
        twist = motion_of(joint, q, dq)[1]
        there = pose_of(joint, moved(joint, q, dq, np.ones(1))[0])
        assert error(there, pose_of(joint, q) @ expm(hat(twist))) < 1e-13


@pytest.fixture(scope="module")
def shelf():
    """All joints side by side, so that one compiled page holds every joint's motion."""
    return ar.Model(
        [ar.Body(name, CASES[name], shapes=[ar.Box((0.1, 0.2, 0.3))]) for name in SMALL]
    )


@pytest.fixture(scope="module")
def shelf_states(shelf):
    """Every delicate state of every joint, in rows; and velocities."""
    rows = max(sum(1 for s in ALL_STATES if s[0] == name) for name in SMALL)
    q = np.stack([shelf.neutral()] * rows)
    for name in SMALL:
        own = [state[2] for state in ALL_STATES if state[0] == name]
        for k in range(rows):
            q[k, shelf.slice_q(name)] = own[k % len(own)]
    return q, np.random.default_rng(4).normal(size=(rows, shelf.nv))


def kinematics(tree, q, qd):
    """Poses, velocities and, as the world stands, drifts."""
    rest = [tree.zero(i) for i in range(tree.nb + 1)]
    return poses(tree, q), velocities(tree, q, qd), accelerations(tree, q, qd, rest)


def test_native_code_says_the_same(shelf, shelf_states):
    q, qd = shelf_states
    native = ar.compile(kinematics, shelf)
    exact, many, one = (
        ar.evaluate(kinematics, shelf, q, qd),
        native(q, qd),
        native(q[3], qd[3]),
    )
    for expected, batch, single in zip(exact, many, one, strict=True):
        for k, name in enumerate(shelf.body_names):
            assert error(batch[:, k], expected[:, k]) < 1e-12, name
            assert error(single[k], expected[3, k]) < 1e-12, name


def test_figures_see_each_joint_as_it_is(shelf, shelf_states):
    """Jacobians, velocities and accelerations of bodies that stand in the world."""
    q, qd = shelf_states[0][2], shelf_states[1][2]
    J = ar.evaluate(jacobians, shelf, q)
    v, a = ar.evaluate(velocities, shelf, q, qd), ar.evaluate(accelerations, shelf, q, qd, 0 * qd)
    for i, name in enumerate(SMALL):
        S, vJ, cJ = motion_of(CASES[name], q[shelf.slice_q(name)], qd[shelf.slice_qd(name)])
        assert error(J[i][:, shelf.slice_qd(name)], S) < 1e-14
        assert np.count_nonzero(J[i]) == np.count_nonzero(S)
        assert error(v[i], vJ) < 1e-14
        assert error(a[i], cJ) < 1e-13
