"""Clips: poses in time, their rates, other rates, and BVH files of them."""

import dataclasses

import numpy as np
import pytest
from mocap_files import bvh_text, oracle_positions, write_bvh
from scipy.spatial.transform import Rotation

import arthron as ar

Clip = ar.mocap.Clip
TUMBLER = ar.Model(
    [
        ar.Body("Hips", ar.Free(), shapes=[ar.Box((0.3, 0.2, 0.1))]),
        ar.Body("arm", ar.Spherical(), parent="Hips", placement=(0.2, 0, 0),
                shapes=[ar.Capsule(0.05, 0.3, placement=(0.2, 0, 0))]),
        ar.Body("hand", ar.Revolute("y"), parent="arm", placement=(0.4, 0, 0),
                shapes=[ar.Capsule(0.04, 0.2, placement=(0.1, 0, 0))]),
    ]
)  # fmt: skip


def tumbling(rate, frames):
    """Constant twists but for the hinge, exactly: q, qd and qdd."""
    m = TUMBLER
    t = np.arange(frames) / rate
    twist = np.array([0.7, -1.1, 2.0, 0.4, 0.3, -0.9, 1.5, -0.4, 0.8, 0.0])
    start = m.integrate(m.neutral(), np.linspace(-0.5, 0.5, m.nv))
    q = m.integrate(start, t[:, None] * twist)
    qd = np.tile(twist, (frames, 1))
    qdd = np.zeros_like(qd)
    q[:, -1], qd[:, -1], qdd[:, -1] = np.sin(3 * t), 3 * np.cos(3 * t), -9 * np.sin(3 * t)
    return q, qd, qdd


def swinging(rate, frames):
    """Turns of changing speed about changing axes, and their rates by a tenth of the step."""
    m = TUMBLER
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=(2, m.nv))

    def pose(t):
        t = np.asarray(t)[:, None]
        return m.integrate(m.integrate(m.neutral(), a * np.sin(2 * t)), b * np.cos(3 * t))

    t = np.arange(frames) / rate
    h = 1e-3
    steps = {k: m.difference(pose(t), pose(t + k * h)) for k in range(-3, 4)}
    qd = sum(c * (steps[k] - steps[-k]) for k, c in ((1, 0.75), (2, -0.15), (3, 1 / 60))) / h
    qdd = sum(c * (steps[k] + steps[-k]) for k, c in ((1, 1.5), (2, -0.15), (3, 1 / 90))) / h**2
    return pose(t), qd, qdd


def test_rates_of_constant_twists_are_exact():
    q, qd, _ = tumbling(100.0, 30)
    clip = Clip(TUMBLER, q, 100.0)
    assert np.abs(clip.qd[:, :-1] - qd[:, :-1]).max() < 1e-10
    assert np.abs(clip.qdd[:, :-1]).max() < 1e-7


@pytest.mark.parametrize("frames", [6, 40])
def test_rates_are_of_fourth_order_at_the_ends_too(frames):
    """Half the step, a sixteenth of the error, in each frame."""
    worst = []
    for rate in (30.0, 60.0):
        q, qd, qdd = swinging(rate, frames)
        clip = Clip(TUMBLER, q, rate)
        ends = np.r_[0:3, frames - 3 : frames]
        worst.append([
            np.abs(x - y)[rows].max()
            for x, y in ((clip.qd, qd), (clip.qdd, qdd)) for rows in (ends, slice(None))
        ])  # fmt: skip
    ratio = np.array(worst[0]) / np.array(worst[1])
    assert (ratio > 10.0).all() and max(worst[1]) < 0.2


def test_velocity_moves_each_pose_to_the_next():
    """The trapezoidal rule on the manifold closes to third order in the step."""
    q, _, _ = swinging(200.0, 50)
    clip = Clip(TUMBLER, q, 200.0)
    step = TUMBLER.difference(clip.q[:-1], clip.q[1:])
    assert np.abs(step * 200.0 - (clip.qd[:-1] + clip.qd[1:]) / 2).max() < 0.01


def test_short_clips_have_the_rates_they_can():
    q, qd, _ = tumbling(100.0, 4)
    clip = Clip(TUMBLER, q, 100.0)
    assert np.abs(clip.qd - qd)[:, :-1].max() < 1e-10 and clip.qdd.shape == qd.shape
    assert Clip(TUMBLER, q[:2], 100.0).qd.shape == (2, TUMBLER.nv)
    with pytest.raises(ar.ShapeError, match="3 frames are the least for accelerations"):
        _ = Clip(TUMBLER, q[:2], 100.0).qdd
    with pytest.raises(ar.ShapeError, match="2 frames are the least for velocities"):
        _ = Clip(TUMBLER, q[:1], 100.0).qd
    assert Clip(TUMBLER, q[:1], 100.0).trajectory().q.shape == (1, TUMBLER.nq)


def test_quaternions_are_of_unit_length_and_on_one_side():
    q, _, _ = tumbling(100.0, 30)
    flipped = q.copy()
    flipped[::3, 3:7] *= -2.0
    flipped[5:, 7:11] *= -1.0
    clip = Clip(TUMBLER, flipped, 100.0)
    for place in (slice(3, 7), slice(7, 11)):
        assert np.linalg.norm(clip.q[:, place], axis=1) == pytest.approx(1.0, abs=1e-15)
        assert ((clip.q[1:, place] * clip.q[:-1, place]).sum(1) > 0).all()
    poses = TUMBLER.body_poses(clip.q) - TUMBLER.body_poses(q)
    assert np.abs(poses).max() < 1e-14


def test_frames_and_times():
    q, _, _ = tumbling(50.0, 26)
    clip = Clip(TUMBLER, q, 50, name="tumble")
    assert clip.duration == 0.5 and clip.times[-1] == 0.5 and len(clip) == 26
    assert (clip[3:7].q == clip.q[3:7]).all() and clip[3:].name == "tumble"
    part = clip.between(0.1, 0.2)
    assert (part.q == clip.q[5:11]).all() and part.rate == 50.0
    assert repr(clip) == "<Clip 'tumble' of `model`: 26 frames at 50 Hz, 0.5 s>"
    assert not clip.q.flags.writeable


def test_other_rates_are_the_same_motion():
    q, _, _ = swinging(60.0, 61)
    exact, _, _ = swinging(200.0, 201)
    clip = Clip(TUMBLER, q, 60.0)
    finer = clip.resampled(200.0)
    assert finer.rate == 200.0 and len(finer) == 201 and finer.duration == clip.duration
    away = TUMBLER.difference(finer.q, exact)
    assert np.abs(away).max() < 2e-5
    again = clip.resampled(60.0)
    assert np.abs(again.q - clip.q).max() < 1e-14
    assert len(clip.resampled(7.0)) == 8 and len(clip[:2].resampled(120.0)) == 3
    still = Clip(TUMBLER, np.tile(q[:1], (5, 1)), 10.0).resampled(33.0)
    assert np.abs(still.q - still.q[0]).max() < 1e-14


def test_a_filter_keeps_what_is_slow_and_takes_what_is_fast():
    t = np.arange(600) / 100.0
    q = np.tile(TUMBLER.neutral(), (600, 1))
    q[:, -1] = np.sin(2 * np.pi * 0.5 * t)
    slow = Clip(TUMBLER, q, 100.0).smoothed(6.0)
    assert np.abs(slow.q - q)[50:-50].max() < 1e-4
    for f in (3.0, 6.0, 12.0):  # half the power at the cutoff, twelve decibels an octave each pass
        q[:, -1] = np.sin(2 * np.pi * f * t)
        left = Clip(TUMBLER, q, 100.0).smoothed(6.0).q[200:400, -1]
        # bilinear: frequencies are warped by tan(pi f / rate), at a cutoff raised by 1 / 0.802
        cutoff = np.tan(np.pi * 6.0 / (np.sqrt(2) - 1) ** 0.25 / 100.0)
        gain = 1 / (1 + (np.tan(np.pi * f / 100.0) / cutoff) ** 4)
        assert np.abs(left).max() == pytest.approx(gain, rel=0.02)
        assert f != 6.0 or gain == pytest.approx(np.sqrt(0.5), rel=0.01)


def test_a_filter_does_not_depend_on_axes():
    """Turning the world, and the body in itself, turns what comes out."""
    rng = np.random.default_rng(0)
    q, _, _ = swinging(100.0, 80)
    q[:, 3:7] += 0.05 * rng.normal(size=(80, 4))
    plain = Clip(TUMBLER, q, 100.0)
    turn = Rotation.from_rotvec([0.3, -1.2, 0.5])

    def turned(q):
        found = q.copy()
        found[:, :3] = turn.apply(np.array(q[:, :3]))
        R = turn * Rotation.from_quat(q[:, [4, 5, 6, 3]])
        found[:, 3:7] = R.as_quat()[:, [3, 0, 1, 2]]
        return found

    a = turned(plain.smoothed(5.0).q)
    b = Clip(TUMBLER, turned(plain.q), 100.0).smoothed(5.0).q
    assert np.abs(TUMBLER.body_poses(a) - TUMBLER.body_poses(b)).max() < 1e-12
    assert np.abs(a - turned(plain.q)).max() > 0.01


@pytest.mark.parametrize("make, said", [
    (lambda q: Clip("figure", q, 100.0), "Give an `ar.Model`"),
    (lambda q: Clip(q, TUMBLER, 100.0), "is an array of shape (20, 12). Model and poses are sw"),
    (lambda q: Clip(TUMBLER, 100.0, q), "`rate` is an array of shape (20, 12)"),
    (lambda q: Clip(TUMBLER, q, 0.0), "`rate` is 0.0"),
    (lambda q: Clip(TUMBLER, [["a"]], 10.0), "`q` of a clip is no array of numbers"),
    (lambda q: Clip(TUMBLER, q, "fast"), "`rate` is 'fast'"),
    (lambda q: Clip(TUMBLER, q[:, 1:], 100.0), "Give (frames, 12)"),
    (lambda q: Clip(TUMBLER, q[:0], 100.0), "(0, 12)"),
    (lambda q: Clip(TUMBLER, np.where(q == q[3, 1], np.nan, q), 100.0), "frame 3 of `q` is not"),
    (lambda q: Clip(TUMBLER, q * 0.0, 100.0), "a quaternion of length 0 at 3 to 7"),
    (lambda q: Clip(TUMBLER, q, 100.0)[3], "`clip.q[10]` is the pose"),
    (lambda q: Clip(TUMBLER, q, 100.0)[::2], "`clip[10:50]`"),
    (lambda q: Clip(TUMBLER, q, 100.0)[90:], "(0, 12)"),
    (lambda q: Clip(TUMBLER, q, 100.0).between(3, 4), "has no frame from 3 to 4 s"),
    (lambda q: Clip(TUMBLER, q, 100.0).resampled(-1), "`rate` is -1"),
    (lambda q: Clip(TUMBLER, q, 100.0).smoothed(60), "less than 0.4 times the rate, 40"),
    (lambda q: Clip(TUMBLER, q, 100.0).smoothed(None), "`cutoff` is None"),
    (lambda q: Clip(TUMBLER, q, 100.0).supports(), "no body that is called a foot"),
    (lambda q: Clip(TUMBLER, q, 100.0)[::4], "`clip.resampled(clip.rate / 4)` has a fourth"),
    (lambda q: Clip(TUMBLER, q, 100.0).save_bvh("a.txt"), "does not end in .bvh"),
    (lambda q: Clip(TUMBLER, q, 100.0).save_bvh(None), "a NoneType is no path"),
])  # fmt: skip
def test_what_cannot_be_meets_a_sentence(make, said):
    q, _, _ = tumbling(100.0, 20)
    with pytest.raises((ar.ShapeError, ar.ModelError, ar.FileError)) as caught:
        make(q)
    assert said in str(caught.value)


def test_a_clip_is_shown_and_saved(tmp_path):
    clip = ar.load_motion(write_bvh(tmp_path))
    run = clip.trajectory()
    assert (run.q == clip.q).all() and (run.qd == clip.qd).all() and len(run) == len(clip)
    assert np.abs(run["LeftHand"].position[-1] - clip.model.frame_pose(
        clip.q[-1], "LeftHand")[:3, 3]).max() < 1e-12  # fmt: skip
    run.save(tmp_path / "walk.arthron")
    assert ar.load_trajectory(tmp_path / "walk.arthron", clip.model).t[-1] == clip.duration
    assert run.save_png(tmp_path / "walk.png").stat().st_size > 1000
    assert run.save_html(tmp_path / "walk.html").stat().st_size > 1000


@pytest.mark.parametrize("order", ["zxy", "xyz", "yzx"])
def test_a_clip_is_written_as_it_was_read(tmp_path, order):
    path = write_bvh(tmp_path, order=order, seed=11, size=0.9)
    clip = ar.load_motion(path)
    again = clip.save_bvh(tmp_path / "again.bvh")
    said = [line for line in again.read_text().splitlines() if "CHANNELS" in line]
    meant = [line for line in path.read_text().splitlines() if "CHANNELS" in line]
    assert [x.split() for x in said] == [x.split() for x in meant]
    rows = [np.loadtxt(p.read_text().splitlines()[-40:]) for p in (path, again)]
    assert np.abs(rows[0][:, :3] - rows[1][:, :3]).max() < 1e-6
    away = (rows[0] - rows[1])[:, 3:]
    assert np.abs(away - 360.0 * np.round(away / 360.0)).max() < 1e-6
    for k in (0, 20, 39):
        a, b = (oracle_positions(p.read_text(), k) for p in (path, again))
        assert a.keys() == b.keys()
        assert max(np.abs(a[name] - b[name]).max() for name in a) < 1e-6


def test_angles_that_are_written_do_not_jump(tmp_path):
    """Two turns about z and a look over the pole: each frame is near the one before."""
    clip = ar.load_motion(write_bvh(tmp_path, frames=200))
    t = np.linspace(0.0, 1.0, 200)
    q = clip.q.copy()
    place = clip.model.slice_q("Chest")
    turns = Rotation.from_rotvec(4 * np.pi * t[:, None] * [1.0, 0.0, 0.0])  # the file's z
    turns = turns * Rotation.from_rotvec(1.6 * t[:, None] * [0.0, 1.0, 0.0])
    q[:, place] = turns.as_quat()[:, [3, 0, 1, 2]]
    again = clip.with_poses(q).save_bvh(tmp_path / "turns.bvh")
    rows = np.loadtxt(again.read_text().splitlines()[-200:])
    assert np.abs(np.diff(rows[:, 3:], axis=0)).max() < 20.0
    assert np.ptp(rows[:, 3:], axis=0).max() > 700.0
    back = ar.load_motion(again)
    assert np.abs(clip.model.body_poses(q) - back.model.body_poses(back.q)).max() < 1e-8


def test_looking_straight_along_the_pole_is_written(tmp_path):
    """Where two angles turn about one axis, their sum is what counts."""
    clip = ar.load_motion(write_bvh(tmp_path, frames=3, order="zxy"))
    q = clip.q.copy()
    half = np.sqrt(0.5)
    for k, turn in enumerate([(half, 0, half, 0), (half, 0, -half, 0), (0.5, 0.5, 0.5, 0.5)]):
        q[k, clip.model.slice_q("Head")] = turn
    back = ar.load_motion(clip.with_poses(q).save_bvh(tmp_path / "pole.bvh"))
    assert np.abs(clip.model.body_poses(q) - back.model.body_poses(back.q)).max() < 1e-8


def test_any_figure_with_a_free_root_is_written(tmp_path):
    person = ar.load(ar.figures / "person.urdf", root=ar.Free())
    rng = np.random.default_rng(2)
    q = person.integrate(person.neutral(), 0.6 * rng.normal(size=(15, person.nv)))
    path = Clip(person, q, 100.0).save_bvh(tmp_path / "person.bvh")
    assert path.read_text().count("CHANNELS 1 ") == 38  # its hinges turn about axes of bodies
    again = ar.load_motion(path, units="cm", up="y")
    assert again.model.nv == person.nv
    for name in person.body_names:
        there, here = (m.frame_pose(x, name) for m, x in ((person, q), (again.model, again.q)))
        assert np.abs(there - here).max() < 1e-7


def test_figures_that_bvh_cannot_hold_meet_a_sentence(tmp_path):
    fixed = ar.load(ar.figures / "person.urdf")
    with pytest.raises(ar.ModelError, match="has no free root"):
        Clip(fixed, fixed.neutral()[None], 10.0).save_bvh(tmp_path / "a.bvh")
    slider = ar.Model([
        ar.Body("a", ar.Free(), shapes=[ar.Sphere(0.1)]),
        ar.Body("b", ar.Prismatic("x"), parent="a", shapes=[ar.Sphere(0.1)]),
    ])  # fmt: skip
    q = np.tile(slider.neutral(), (3, 1))
    q[:, -1] = 0.1, 0.2, 0.3
    with pytest.raises(ar.ModelError, match="joint 'b' slides in its parent"):
        Clip(slider, q, 10.0).save_bvh(tmp_path / "a.bvh")


def test_a_first_frame_of_rest_is_told(tmp_path):
    text = bvh_text(frames=20)
    lines = text.splitlines()
    at = len(lines) - 20
    lines[at] = " ".join(["0", "95", "0", *["80"] * (len(lines[at].split()) - 3)])
    path = tmp_path / "a.bvh"
    path.write_text("\n".join(lines))
    assert "`clip[1:]`" in ar.load_motion(path).about["first frame"]
    assert "first frame" not in ar.load_motion(write_bvh(tmp_path, frames=20)).about


def test_a_clip_of_another_figure_does_not_pretend_to_come_from_the_file(tmp_path):
    clip = ar.load_motion(write_bvh(tmp_path))
    q, _, _ = tumbling(100.0, 5)
    with pytest.raises(ar.ModelError, match="are not those of the file that the clip comes from"):
        dataclasses.replace(clip, model=TUMBLER.replace(name="other"), q=q)
    heavy = dataclasses.replace(clip, model=clip.model.replace(gravity=(0, 0, -1.6)))
    assert heavy.save_bvh(tmp_path / "moon.bvh").exists()


def test_free_roots_are_told_from_others_with_six_coordinates(tmp_path):
    other = ar.Model([ar.Body("a", ar.Free("exponential"), shapes=[ar.Sphere(0.1)])])
    clip = Clip(other, np.zeros((3, 6)), 10.0)
    with pytest.raises(ar.ModelError, match="has no free root"):
        clip.save_bvh(tmp_path / "a.bvh")
