"""Moving along a joint: integrate and difference undo each other, neutral and random poses."""

import numpy as np
import pytest
from joint_cases import (
    CASES,
    CHARTED,
    SPLINES,
    body_of,
    columns,
    error,
    inside,
    motion_of,
    pose_of,
    states,
)

import arthron as ar

EACH = pytest.mark.parametrize("name", CASES)


def integrate(joint, q, dq):
    there = joint.integrate(columns(q), columns(dq))
    return np.stack(np.broadcast_arrays(*there), axis=-1)


def difference(joint, q0, q1):
    way = joint.difference(columns(q0), columns(q1))
    return np.stack(np.broadcast_arrays(*way), axis=-1)


def places(name, seed=0, count=6):
    """Random coordinates of a case, and the delicate ones."""
    rng = np.random.default_rng(seed)
    random = [CASES[name].random(rng) for _ in range(count)]
    return np.array([*random, *(q for _, q, _ in states(name))], dtype=float)


@EACH
def test_standing_still(name):
    joint, q = CASES[name], places(name)
    zero = np.zeros((len(q), joint.nv))
    assert np.array_equal(integrate(joint, q, zero), q)
    assert error(difference(joint, q, q), zero) < 1e-14


@EACH
def test_difference_undoes_integrate(name):
    joint, q = CASES[name], places(name)
    for size in (1e-9, 1e-3, 1.0):
        dq = size * np.random.default_rng(1).uniform(-1, 1, size=(len(q), joint.nv))
        there = integrate(joint, q, dq)
        assert error(difference(joint, q, there), dq) < 1e-13


@EACH
def test_difference_leads_there(name):
    joint, q, p = CASES[name], places(name, 2), places(name, 3)[::-1]
    there = integrate(joint, q, difference(joint, q, p))
    assert error(pose_of(joint, there), pose_of(joint, p)) < 1e-12


@EACH
def test_steps_in_one_direction_add_up(name):
    joint, q = CASES[name], places(name, 4)
    dq = np.random.default_rng(5).normal(size=(len(q), joint.nv))
    once, twice = integrate(joint, q, dq), integrate(joint, integrate(joint, q, 0.3 * dq), 0.7 * dq)
    assert error(twice, once) < 1e-14
    assert error(pose_of(joint, twice), pose_of(joint, once)) < 1e-12
    back = integrate(joint, once, -dq)
    assert error(pose_of(joint, back), pose_of(joint, q)) < 1e-12


@EACH
def test_steps_go_along_the_motions(name):
    """To second order: half a step each way from the middle."""
    joint, rng = CASES[name], np.random.default_rng(6)
    q = inside(name, np.array(joint.random(rng)))
    dq = 1e-4 * rng.normal(size=joint.nv)
    S, _, _ = motion_of(joint, q, np.zeros(joint.nv))
    ahead, behind = (pose_of(joint, integrate(joint, q, k * dq)) for k in (0.5, -0.5))
    step = np.linalg.inv(pose_of(joint, q)) @ (ahead - behind)
    w, v = (S @ dq)[:3], (S @ dq)[3:]
    assert error(step[:3, 3], v) < 1e-10
    assert error([step[2, 1], step[0, 2], step[1, 0]], w) < 1e-10


@pytest.mark.parametrize("sequence", CHARTED)
def test_difference_from_chart_to_chart(sequence):
    """Wherever the angles are, also upside down, and in whichever charts."""
    joint, rng = CASES[f"charts {sequence}"], np.random.default_rng(7)
    q, p = (np.column_stack([rng.uniform(-6, 6, (40, 3)), rng.integers(2, size=40)]) for _ in "ab")
    there = integrate(joint, q, difference(joint, q, p))
    assert np.array_equal(there[:, 3], q[:, 3])
    assert error(pose_of(joint, there), pose_of(joint, p)) < 1e-11
    same = np.column_stack([p[:, :3], q[:, 3]])  # in one chart angles are plain coordinates
    half = np.column_stack([same[:, 0] + np.pi, np.pi - same[:, 1], same[:, 2] + np.pi])
    ways = np.stack([same[:, :3], half]) - q[:, :3]
    ways -= 2.0 * np.pi * np.round(ways / (2.0 * np.pi))  # whole turns are no way
    shorter = np.argmin((ways**2).sum(-1), axis=0)
    assert error(difference(joint, q, same), ways[shorter, np.arange(40)]) < 1e-12


def test_difference_is_the_shortest_way_to_a_rotation_vector():
    """Vectors that are whole turns longer are the same pose."""
    joint, rng = ar.Spherical("exponential"), np.random.default_rng(4)
    q = rng.normal(size=(200, 3))
    q *= rng.uniform(0.1, 1.4 * np.pi, (200, 1)) / np.linalg.norm(q, axis=1, keepdims=True)
    near = q + 0.3 * rng.normal(size=q.shape)
    length = np.linalg.norm(near, axis=1, keepdims=True)
    for turns in (-2, -1, 0, 1):
        same = near * (1.0 + 2.0 * np.pi * turns / length)
        assert error(difference(joint, q, same), near - q) < 1e-12


@pytest.mark.parametrize("sequence", CHARTED)
@pytest.mark.parametrize("off", [0.0, 1e-12, 1e-9, 1e-8, 1e-4])
def test_difference_to_the_pole_of_a_chart(sequence, off):
    """A pose that is at its best in one chart is singular in the other; it is still reached."""
    joint, rng = CASES[f"charts {sequence}"], np.random.default_rng(9)
    for chart in (0.0, 1.0):
        q, p = rng.normal(size=(2, 10, 4))
        p[:, 1:3] *= off
        q[:, 3], p[:, 3] = chart, 1.0 - chart
        there = integrate(joint, q, difference(joint, q, p))
        assert error(pose_of(joint, there), pose_of(joint, p)) < 1e-11


def test_charts_are_whole_numbers():
    """Limits are for angles, and what is nearly chart 1 is chart 1 for pose and difference."""
    ball = body_of(ar.Euler("xyz", charts=True), lower=-1.0, upper=1.0)
    charts = {ar.Model([ball]).random(seed)[3] for seed in range(20)}
    assert charts <= {0.0, 1.0}
    joint = CASES["charts xyz"]
    q, p = np.array([[0.1, 0.2, 0.3, 0.3]]), np.array([[0.4, -0.2, 0.1, 0.7]])
    there = integrate(joint, q, difference(joint, q, p))
    assert error(pose_of(joint, there), pose_of(joint, p)) < 1e-13


AWAY = {"saddle", *SPLINES, *(name for name in CASES if name.startswith("euler ")
                             and name[6] == name[8]), "mixed row"}  # fmt: skip
"""Joints whose neutral coordinates are not where the frames agree."""


@EACH
def test_neutral(name):
    joint = CASES[name]
    q = np.array(joint.neutral())
    assert q.shape == (joint.nq,)
    S, _, _ = motion_of(joint, q, np.zeros(joint.nv))
    assert np.linalg.cond(S) < 50  # neutral is never singular
    T = pose_of(joint, q)
    if name not in AWAY and name not in ("knee", "crank"):
        assert error(T, np.eye(4)) < 1e-15
    if name.startswith("euler ") and name in AWAY:
        assert q.tolist() == [0.0, np.pi / 2, 0.0]
    if name == "saddle":
        assert q.tolist() == [0.2, -0.1]


@EACH
def test_random(name):
    joint = CASES[name]
    q = np.array([joint.random(np.random.default_rng(seed)) for seed in range(200)])
    assert q.shape == (200, joint.nq)
    assert np.array_equal(q[3], joint.random(np.random.default_rng(3)))
    assert all(isinstance(x, float) for x in joint.random(np.random.default_rng(3)))
    assert np.ptp(pose_of(joint, q), axis=0).max() > 0.5
    for k in range(joint.nq):
        assert np.ptp(q[:, k]) > 0.9, k


@pytest.mark.parametrize("name", SPLINES)
def test_random_runs_along_all_of_a_spline(name):
    joint, (segments, _) = CASES[name], SPLINES[name]
    q = np.array([joint.random(np.random.default_rng(seed)) for seed in range(300)])
    assert q.min() >= 0.0  # not beyond its ends, where the last polynomial goes off
    assert np.all(q.max(0) <= segments)
    assert np.all(np.ptp(q, axis=0) > 0.8 * segments)


def test_random_turns_are_everywhere():
    """The mean of a uniform rotation is zero, its angle has density (1 - cos)/pi."""
    joint = CASES["spherical"]
    rng = np.random.default_rng(8)
    R = pose_of(joint, np.array([joint.random(rng) for _ in range(4000)]))[:, :3, :3]
    assert np.abs(R.mean(0)).max() < 0.05
    angle = np.arccos(np.clip((np.trace(R, axis1=1, axis2=2) - 1) / 2, -1, 1))
    assert angle.mean() == pytest.approx(np.pi / 2 + 2 / np.pi, abs=0.03)
