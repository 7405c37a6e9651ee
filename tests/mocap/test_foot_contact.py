"""When feet stand: steps that were made, so that it is known, and laws of people who walk."""

import numpy as np
import pytest
from mocap_files import SHARED

import arthron as ar
from arthron._mocap.foot_contact import LOW, SLOW, WINDOW, lowest_about, runs, touches

RATE = 120.0


def smooth(s):
    """From 0 to 1 without a jump of acceleration."""
    s = np.clip(s, 0.0, 1.0)
    return s**3 * (10.0 - 15.0 * s + 6.0 * s * s)


def steps(stride=1.3, lift=0.1, stance=0.6, swing=0.4, count=4):
    """A point that stands and swings in turn, and when it stands: (frames, 1, 3), (frames,).

    Where it has moved by less than a hundredth of a millimetre, it still does.
    """
    t = np.arange(round((count * (stance + swing) + stance) * RATE)) / RATE
    k, phase = np.divmod(t, stance + swing)
    s = np.clip((phase - stance) / swing, 0.0, 1.0)
    p = np.stack([stride * (k + smooth(s)), 0 * t, lift * 64 * (s * (1 - s)) ** 3], -1)
    away = np.minimum(p[:, 0] - stride * k, stride * (k + 1) - p[:, 0]) + p[:, 2]
    return p[:, None], away < 1e-5


def found(points, rate=RATE):
    return touches(points, lowest_about(points[..., 2], round(WINDOW * rate)), rate, LOW, SLOW)


@pytest.mark.parametrize("how", [
    {}, {"stride": 0.5}, {"stride": 0.3, "lift": 0.04, "swing": 0.8}, {"stance": 0.2},
    {"stride": 2.4, "stance": 0.25, "swing": 0.45, "lift": 0.3}, {"stride": 0.0, "swing": 1.0},
])  # fmt: skip
def test_feet_that_are_planted_exactly_stand_exactly_then(how):
    points, stands = steps(**how)
    assert (found(points)[:, 0] == stands).all()


def test_a_foot_that_is_held_a_little_above_the_ground_does_not_stand():
    points, _ = steps(stride=0.0, lift=0.0)
    t = np.arange(len(points)) / RATE
    points[:, 0, 2] = 0.06 * (smooth((t - 1) / 0.5) - smooth((t - 3) / 0.5))
    assert (found(points)[:, 0] == (points[:, 0, 2] < 1e-5)).all()
    noise = 2e-5 * np.random.default_rng(0).normal(size=points.shape)  # as far as files tell
    assert not found(points + noise)[160:340].any()


def test_a_heel_that_strikes_fast_stands_when_it_is_down():
    """Measured steps: a stance that is never quite still, met at a third of the swing's speed."""
    t = np.arange(240) / RATE
    v = np.clip(np.abs(t - 1.0) - 0.3, 0.0, 0.3) / 0.3 * 4.8 + 0.03  # one stance, between swings
    z = 0.12 * smooth((np.abs(t - 1.0) - 0.3) / 0.3)
    points = np.stack([np.cumsum(v) / RATE, 0 * t, z], -1)[:, None]
    stands = runs(found(points)[:, 0])
    assert len(stands) == 1
    # 1.2 m/s at the ends, where 0.5 m/s would have been 5 frames later
    assert v[stands[0].start] > 1.2 and v[stands[0].stop - 1] > 1.2
    assert v[stands[0].start] < 0.36 * 4.83 and z[stands[0].start] < 0.03


def test_feet_that_are_planted_stand_where_a_filter_moves_them_by_a_hair():
    """A squat, smoothed: at its ends feet go 2 mm/s or so, which is no step."""
    person = ar.load(ar.figures / "person.urdf", root=ar.Free())
    t = np.arange(360) / RATE
    q = np.tile(person.neutral(), (len(t), 1))
    for name, angle in {"hip_pitch": -1.3, "knee": 1.9, "ankle_pitch": -0.6}.items():
        for side in ("left", "right"):
            place = person.slice_q(f"{side}_{name}")
            q[:, place] = angle * (0.5 - 0.5 * np.cos(2.0 * np.pi * t / 1.5))[:, None]
    q[:, :3] -= person.frame_pose(q, "left_sole")[:, :3, 3] * (1.0, 0.0, 1.0)
    clip = ar.mocap.Clip(person, q, RATE).smoothed(6.0)
    assert all(x.all() for x in clip.supports().values())


def test_runs():
    assert runs(np.array([1, 1, 0, 1, 0], bool)) == [slice(0, 2), slice(3, 4)]
    assert runs(np.zeros(3, bool)) == [] and runs(np.ones(2, bool)) == [slice(0, 2)]


def test_nobody_stands_on_feet_that_are_above_the_centre_of_mass():
    person = ar.load(ar.figures / "person.urdf", root=ar.Free())
    q = np.tile(person.neutral(), (30, 1))
    assert all(x.all() for x in ar.mocap.Clip(person, q, 100.0).supports().values())
    q[:, 3:7] = 0.0, 1.0, 0.0, 0.0
    forces = ar.mocap.Clip(person, q, 100.0).inverse_dynamics()
    assert not any(x.any() for x in forces.supports.values())
    assert (forces.ground_force == 0.0).all()
    assert np.linalg.norm(forces.residual[0, 3:]) == pytest.approx(person.mass * 9.81)


@pytest.mark.skipif(not SHARED.is_dir(), reason="clips of the CMU database are not here")
@pytest.mark.parametrize("cutoff", [6.0, 12.0])
@pytest.mark.parametrize("name, double, flight", [
    ("02_01", (0.2, 0.4), (0.0, 0.0)), ("08_01", (0.2, 0.4), (0.0, 0.0)),
    ("09_01", (0.0, 0.0), (0.25, 0.4)), ("16_05", (0.75, 0.85), (0.15, 0.2)),
])  # fmt: skip
def test_who_walks_has_two_feet_down_at_each_step_and_who_runs_none(name, double, flight, cutoff):
    clip = ar.load_motion(SHARED / f"{name}.bvh", mass=70)[1:].smoothed(cutoff)
    standing = np.sum(list(clip.supports().values()), axis=0)
    assert double[0] <= np.mean(standing == 2) <= double[1]
    assert flight[0] <= np.mean(standing == 0) <= flight[1]
