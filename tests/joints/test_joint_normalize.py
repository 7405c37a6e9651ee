"""Normalising keeps pose and velocity, and leaves trouble behind."""

import numpy as np
import pytest
from joint_cases import (
    CASES,
    CHARTED,
    OF_QUATERNION,
    OF_ROTATION_VECTOR,
    columns,
    error,
    model_of,
    motion_of,
    pose_of,
    states,
)

import arthron as ar
from arthron._tree.configuration import normalize as normalize_page

PI = np.pi
ANGLES = np.array([0.0, 1.0, PI, 1.4 * PI, 1.5 * PI - 1e-9, 1.5 * PI + 1e-9, 1.9 * PI,
                   2 * PI - 1e-7, 2 * PI, 2 * PI + 1e-7, 2.7 * PI, 3 * PI, 4 * PI, 5.3 * PI,
                   11.1 * PI, 20 * PI])  # fmt: skip
CHANGED = {*OF_ROTATION_VECTOR, *OF_QUATERNION, *(n for n in CASES if n.startswith("charts"))}


def normalize(joint, q, qd):
    pair = joint.normalize(columns(q), columns(qd))
    return tuple(np.stack(np.broadcast_arrays(*each), axis=-1) for each in pair)


def velocities(joint, q, qd):
    return np.array([motion_of(joint, *each)[1] for each in zip(q, qd, strict=True)])


def check(joint, q, qd, tolerance=1e-12):
    """Pose and velocity stay, and a second time nothing changes; returns the new coordinates."""
    new, rates = normalize(joint, q, qd)
    assert error(pose_of(joint, new), pose_of(joint, q)) < tolerance
    assert error(velocities(joint, new, rates), velocities(joint, q, qd)) < tolerance
    again, rates_again = normalize(joint, new, rates)
    assert error(again, new) < 1e-15  # a unit quaternion may move by the last digit
    assert np.array_equal(rates_again, rates)
    for k in (0, len(q) // 2, len(q) - 1):  # one state, by floats
        alone = joint.normalize(tuple(map(float, q[k])), tuple(map(float, qd[k])))
        assert error(np.concatenate(alone), [*new[k], *rates[k]]) < 1e-13
    return new, rates


@pytest.mark.parametrize("name", OF_ROTATION_VECTOR)
def test_rotation_vectors(name):
    joint, at = CASES[name], OF_ROTATION_VECTOR[name]
    rng = np.random.default_rng(1)
    q = np.array([joint.random(rng) for _ in ANGLES])
    w = rng.normal(size=(len(q), 3))
    q[:, at : at + 3] = w * (ANGLES / np.linalg.norm(w, axis=1))[:, None]
    qd = rng.normal(size=(len(q), joint.nv))
    new, rates = check(joint, q, qd)
    angle = np.linalg.norm(new[:, at : at + 3], axis=1)
    near = ANGLES <= 1.5 * PI
    assert np.array_equal(new[near], q[near])
    assert np.array_equal(rates[near], qd[near])
    assert np.all(angle[~near] <= PI + 1e-12)  # the short way round
    others = [k for k in range(joint.nq) if not at <= k < at + 3]
    assert np.array_equal(new[:, others], q[:, others])


@pytest.mark.parametrize("name", OF_QUATERNION)
def test_quaternions(name):
    joint, at = CASES[name], OF_QUATERNION[name]
    rng = np.random.default_rng(2)
    lengths = np.array([1e-9, 1e-3, 0.5, 1.0, 3.0, 1e9])
    q = np.array([joint.random(rng) for _ in lengths])
    q[:, at : at + 4] *= lengths[:, None]
    qd = rng.normal(size=(len(q), joint.nv))
    new, rates = check(joint, q, qd)
    assert np.array_equal(rates, qd)
    assert error(np.linalg.norm(new[:, at : at + 4], axis=1), np.ones(len(q))) < 1e-15
    assert (
        error(new[:, at : at + 4] * lengths[:, None] / q[:, at : at + 4], np.ones((6, 4))) < 1e-14
    )


@pytest.mark.parametrize("sequence", CHARTED)
def test_charts(sequence):
    joint, rng = CASES[f"charts {sequence}"], np.random.default_rng(3)
    b = np.concatenate([np.linspace(-2 * PI, 2 * PI, 49), [PI / 2 - 1e-9, PI / 2 + 1e-9, 0.9, 1.2]])
    a, c = rng.uniform(-2 * PI, 2 * PI, size=(2, len(b)))
    for chart in (0.0, 1.0):
        q = np.column_stack([a, b, c, np.full(len(b), chart)])
        new, rates = check(joint, q, rng.normal(size=(len(b), 3)))
        near = np.abs(np.cos(b)) < 0.5  # within 30 degrees of the singularity
        assert near.sum() > 15
        assert np.all(np.abs(np.cos(new[:, 1])) >= 0.5)
        assert np.all(np.cos(new[near, 1]) > 0.86)  # far away at once
        assert np.array_equal(new[near, 3], np.full(near.sum(), 1.0 - chart))
        assert np.array_equal(new[~near], q[~near])
        for each in new:
            S, _, _ = motion_of(joint, each, np.zeros(3))
            assert np.linalg.cond(S) < 3.74
        assert np.abs(rates[near]).max() < 20  # rates stay moderate


@pytest.mark.parametrize("name", [name for name in CASES if name not in CHANGED])
def test_others_are_left_alone(name):
    joint = CASES[name]
    q = np.stack([q for _, q, _ in states(name)]) + 20 * PI
    qd = np.random.default_rng(4).normal(size=(len(q), joint.nv))
    new, rates = normalize(joint, q, qd)
    assert np.array_equal(new, q)
    assert np.array_equal(rates, qd)


def test_composites_normalise_their_parts():
    joint = ar.Composite([ar.Spherical("exponential"), ar.Prismatic("x"), ar.Euler(charts=True),
                          ar.Spherical()])  # fmt: skip
    rng = np.random.default_rng(5)
    q = np.array([[4.0, 3.0, 2.0, 9.0, 0.3, PI / 2, 0.2, 0.0, 2.0, 0.0, 0.0, 0.0],
                  [0.1, 0.2, 0.3, 9.0, 0.3, 0.2, 0.2, 1.0, 0.5, 0.5, 0.5, 0.5]])  # fmt: skip
    new, _ = check(joint, q, rng.normal(size=(2, joint.nv)))
    assert np.linalg.norm(new[0, :3]) < PI
    assert (new[0, 3], new[0, 7]) == (9.0, 1.0)
    assert new[0, 8:].tolist() == [1, 0, 0, 0]
    assert np.array_equal(new[1], q[1])


KINDS = ["exponential", "charts", "spherical", "free", "free exponential", "composite", "revolute"]


@pytest.fixture(scope="module")
def figure():
    """A chain with each joint that `normalize` changes, and one that it does not."""
    bodies = [ar.Body(n, CASES[n], parent=p, placement=(0.3, 0.1, 0.2), shapes=[ar.Box((1, 2, 3))])
              for n, p in zip(KINDS, [None, *KINDS], strict=False)]  # fmt: skip
    return ar.Model(bodies)


@pytest.fixture(scope="module")
def far(figure):
    """States that are far from normal in some joints."""
    rng = np.random.default_rng(6)
    q = rng.normal(size=(11, figure.nq)) * 5.0
    q[:, figure.slice_q("charts")] *= [1, 1, 1, 0]
    q[::2, figure.slice_q("charts").stop - 1] = 1.0
    q[3, figure.slice_q("charts").start + 1] = PI / 2
    return q, rng.normal(size=(11, figure.nv))


def test_bodies_do_not_notice(figure, far):
    q, qd = far
    new, rates = figure.normalize(q, qd)
    assert not np.array_equal(new, q)
    assert error(figure.body_poses(new), figure.body_poses(q)) < 1e-12
    assert error(figure.body_velocities(new, rates), figure.body_velocities(q, qd)) < 1e-12
    assert error(figure.kinetic_energy(new, rates), figure.kinetic_energy(q, qd)) < 1e-12
    again = figure.normalize(new, rates)
    assert error(again[0], new) < 1e-15
    assert error(again[1], rates) < 1e-15
    at = figure.slice_q("revolute")
    assert np.array_equal(new[:, at], q[:, at])


def test_native_code_normalises_in_the_same_way(figure, far):
    q, qd = far
    native, exact = figure.normalize(q, qd), ar.evaluate(normalize_page, figure, q, qd)
    for a, b in zip(native, exact, strict=True):
        assert error(a, b) < 1e-13
    single = figure.normalize(q[3], qd[3])
    for a, b in zip(single, exact, strict=True):
        assert error(a, b[3]) < 1e-13
    out = np.empty_like(q), np.empty_like(qd)
    assert figure.normalize(q, qd, out=out)[0] is out[0]
    assert np.array_equal(out[1], native[1])


@pytest.mark.parametrize("name", ["exponential", "charts xyz", "charts zyx"])
def test_long_walk_is_never_singular(name):
    """A ball that tumbles at random for a long time, in coordinates that have singularities."""
    joint, rng = CASES[name], np.random.default_rng(7)
    q, w = joint.neutral(), np.zeros(3)
    changes, worst = 0, 0.0
    for _ in range(450):
        w = 0.97 * w + rng.normal(size=3)
        S = motion_of(joint, q, np.zeros(3))[0][:3]
        worst = max(worst, np.linalg.cond(S))
        qd = np.linalg.solve(S, w)
        q = joint.integrate(q, 0.04 * qd)
        new, rates = joint.normalize(q, qd)
        changes += not np.array_equal(new, q)
        assert error(pose_of(joint, new), pose_of(joint, q)) < 1e-13
        assert error(motion_of(joint, new, rates)[1], motion_of(joint, q, qd)[1]) < 1e-12
        q = new
    assert changes >= 3
    assert worst < 3.74


def test_walk_without_normalising_would_be_singular():
    """What the walk above is saved from."""
    exponential, charts = CASES["exponential"], CASES["charts xyz"]
    S, _, _ = motion_of(exponential, (2 * PI - 1e-6, 0.0, 0.0), np.zeros(3))
    assert np.linalg.cond(S) > 1e6
    S, _, _ = motion_of(charts, (0.3, PI / 2 - 1e-6, 0.2, 0.0), np.zeros(3))
    assert np.linalg.cond(S) > 1e6


@pytest.mark.parametrize("name", ["charts xyz", "exponential"])
def test_dynamics_do_not_notice(name):
    """Bodies accelerate alike before and after, under the same torque on the body."""
    model, rng = model_of(CASES[name]), np.random.default_rng(8)
    q = np.array([[0.7, 1.3, -0.4, 0.0], [2.0, -1.2, 3.0, 1.0]]) if "charts" in name else (
        np.array([[3.0, 4.0, 1.0], [-2.0, 6.0, 3.0]]))  # fmt: skip
    qd = rng.normal(size=(2, 3))
    new, rates = model.normalize(q, qd)
    assert not np.any(np.all(new == q, axis=1))
    found = []
    for x, v in ((q, qd), (new, rates)):
        qdd = model.forward_dynamics(x, v, np.zeros((2, 3)))
        found.append(model.body_accelerations(x, v, qdd))
    assert error(found[0], found[1]) < 1e-10
