"""From clip to clip: what a transition keeps, what it saves, and what else is made of clips."""

import functools
from itertools import pairwise

import numpy as np
import pytest

import arthron as ar
from arthron._algorithms.planned_motion import supported_joint_forces

walk, reach = (
    functools.cache(f)
    for f in (lambda speed=1.0: ar.mocap.walk(speed=speed), lambda: ar.mocap.reach())
)


@functools.cache
def found(limits=True):
    return ar.mocap.transition(
        walk(), reach(), 0.6, leave=203, enter=63, limits=limits, progress=False
    )


def test_made_clips_stand_on_their_feet():
    for clip in (walk(), reach()):
        for side in ("left", "right"):
            sole = clip.model.frame_pose(clip.q, f"{side}_sole")[:, :3, 3]
            assert sole[:, 2].min() > -1e-12
            stands = sole[:, 2] < 1e-9
            steps = np.abs(np.diff(sole, axis=0))[stands[1:] & stands[:-1]]
            assert stands.mean() > 0.5 and np.sort(steps.max(-1))[: len(steps) - 5].max() < 1e-9
    step = np.abs(np.diff(walk().qdd, axis=0)).max()
    assert step < 0.4 * np.abs(walk().qdd).max()  # accelerations go on without jumps


def test_pages_of_supported_figures_agree_with_clips():
    """All of what the root lacks through one foot, as clips find it for single stances."""
    clip, model = walk(), walk().model
    forces = clip.inverse_dynamics()
    left = forces.supports["left_foot"] & ~forces.supports["right_foot"]
    k = int(np.flatnonzero(left)[20])
    foot = model.body_names.index("left_foot") + 1
    page = functools.partial(supported_joint_forces, feet=((foot, (0.05, 0.0, -0.07)),))
    state = clip.q[k], clip.qd[k], clip.qdd[k]
    tau = ar.evaluate(page, model, *state, shares=np.ones(1), shapes={"shares": (1,)})
    np.testing.assert_allclose(tau[:6], 0.0, atol=1e-9)
    toes = model.slice_qd("left_toes")
    got, other = (np.delete(x, np.r_[:6, toes]) for x in (tau, forces.tau[k]))
    np.testing.assert_allclose(got, other, atol=1e-7 * np.abs(other).max())


def test_transitions_go_on_in_both_clips():
    T, a = found(), walk()
    q, qd, qdd = T.found.motion([0.0, 0.6])
    for got, wanted in ((qd[0], a.qd[203]), (qdd[0], a.qdd[203])):
        np.testing.assert_allclose(got, wanted, atol=1e-9 * max(1.0, np.abs(wanted).max()))
    assert np.abs(a.model.difference(a.q[203], q[0])).max() < 1e-9
    assert np.abs(a.model.difference(T.after.q[0], q[1])).max() < 1e-9
    own = reach()
    np.testing.assert_allclose(qd[1, 6:], own.qd[63, 6:], atol=1e-9)
    np.testing.assert_allclose(qdd[1, 6:], own.qdd[63, 6:], atol=1e-7)
    assert len(T.clip) == 204 + T.frames + len(own) - 63 and T.clip.rate == a.rate


def test_transitions_take_less_torque_on_feet_that_stand():
    T = found()
    assert T.found.solved and T.slip < 5e-3 and T.residual < 1e-6
    assert T.torque < 0.85 * T.cubic_torque
    q = T.found.motion(np.linspace(0.0, 0.6, 50))[0]
    model = T.before.model
    over = np.maximum(model.q_lower - q, q - model.q_upper)[:, 7:].max()
    assert over < 0.2
    free = found(limits=False)
    assert free.found.solved and free.torque < 0.7 * free.cubic_torque and free.slip < 5e-3


def test_first_and_last_frames_are_left_and_entered():
    T = ar.mocap.transition(walk(), reach(), 0.6, leave=0, enter=len(reach()) - 1, progress=False)
    assert "less torque" in repr(T) and len(T.clip) == 2 + T.frames


def test_a_foot_that_steps_is_in_the_air_between():
    """The same pose of a walk, 0.6 m on: one foot cannot be in two places at once."""
    T = ar.mocap.transition(walk(), walk(), 0.6, leave=30, enter=156, progress=False)
    assert T.found.solved and T.slip < 5e-3
    by_foot = {}
    for p in T.plan.planted:
        by_foot.setdefault(p.foot, []).append((p.start, p.end))
    for spans in by_foot.values():
        assert all(e < s for (_, e), (s, _) in pairwise(spans))


def test_rates_that_differ_are_made_one():
    slow = reach().resampled(60)
    T = ar.mocap.transition(walk(), slow, 0.5, leave=150, enter=30, progress=False)
    assert T.after.rate == walk().rate and T.clip.rate == walk().rate and T.found.solved


def test_a_walk_goes_on_and_on():
    lap = ar.mocap.cycle(walk(), start=60, end=150, duration=0.3, repeats=3)
    once = ar.mocap.cycle(walk(), start=60, end=150, duration=0.3, repeats=1)
    assert len(lap) == 3 * len(once)
    ends = lap.q[len(once)], lap.q[2 * len(once)]
    np.testing.assert_allclose(ends[0][7:], lap.q[0][7:], atol=1e-12)
    way = ends[0][:2] - lap.q[0][:2]
    np.testing.assert_allclose(ends[1][:2] - ends[0][:2], way, atol=1e-9)
    assert abs(way[0] - 1.05) < 0.05  # a stride of a metre and a bit


def test_graphs_find_where_clips_are_alike():
    """A walk comes back to itself each stride; turned and moved, it is the same walk."""
    clip = walk()
    joins = ar.mocap.transition_graph([clip], nearest=1e-3)
    assert joins and {round(abs(j.leave - j.enter) / clip.rate / 1.05, 6) for j in joins} <= {1, 2}
    from arthron._mocap.planar_placing import PlanarPlacing

    moved = clip.with_poses(PlanarPlacing(1.1, np.array([2.0, -3.0])).poses(clip.q))
    _, _, D = ar.mocap.frame_distances(clip, moved)
    assert np.abs(np.diag(D)).max() < 1e-6
    rows, columns, D = ar.mocap.frame_distances(clip, reach())
    assert D.min() > 0.02 and D.shape == (len(rows), len(columns))


def test_distances_of_frames_are_least_over_turns_and_ways():
    """Beside a search over angles, for two frames."""
    a, b = walk(), reach()
    rows, columns, D = ar.mocap.frame_distances(a, b)
    m = np.tile(a.model.inertial_parameters()[::10], 3)
    m = m / m.sum()
    k, n = 5, 9
    wide = round(0.1 * a.rate)
    p, q = (
        np.concatenate([c.model.body_poses(c.q[f + d])[:, :3, 3] for d in (-wide, 0, wide)])
        for c, f in ((a, rows[k]), (b, columns[n]))
    )
    best = np.inf
    for angle in np.linspace(-np.pi, np.pi, 20001):
        c, s = np.cos(angle), np.sin(angle)
        turned = np.stack([c * q[:, 0] - s * q[:, 1], s * q[:, 0] + c * q[:, 1], q[:, 2]], -1)
        off = p - turned
        off[:, :2] -= m @ off[:, :2]
        best = min(best, float(np.sqrt(m @ (off * off).sum(-1))))
    assert abs(best - D[k, n]) < 1e-6


def noisy():
    """A walk that jitters, and slides to and fro by three centimetres."""
    clip = walk()
    q = clip.q.copy()
    q[:, 7:] += 0.01 * np.random.default_rng(0).standard_normal(q[:, 7:].shape)
    q[:, 0] += 0.03 * np.sin(5.0 * clip.times)
    return clip.with_poses(q).smoothed(12)


def slid(clip):
    """How far both soles go along the floor while they stand."""
    total = 0.0
    for link, stands in walk()[: len(clip)].supports().items():
        sole = clip.model.frame_pose(clip.q, link.replace("foot", "sole"))[:, :2, 3]
        total += np.linalg.norm(np.diff(sole, axis=0), axis=-1)[stands[1:] & stands[:-1]].sum()
    return total


def test_clips_are_cleaned_by_physics():
    bad = noisy()[:240]
    good = bad.cleaned(progress=False)
    torques = [
        np.sqrt((c.inverse_dynamics().tau[:, 6:] ** 2).sum(-1).mean())
        for c in (walk()[:240], bad, good)
    ]
    assert torques[1] > 1.5 * torques[0] and torques[2] < 0.7 * torques[1]
    off = (good.q - bad.q)[:, 7:]
    assert np.sqrt((off * off).mean()) < 0.03 and np.abs(off).max() < 0.2
    soles = slid(bad), slid(good)
    assert soles[0] > 0.3 and soles[1] < 0.1 * soles[0]


def test_clips_go_to_figures_of_other_proportions():
    """A person of other size keeps directions of limbs, and where feet stand beside each other."""
    clip = walk()
    humanoid = ar.load(ar.figures / "humanoid.urdf", root=ar.Free())
    other = clip.retargeted(humanoid)
    assert other.model is humanoid and len(other) == len(clip)

    def shins(c):
        X = c.model.body_poses(c.q)
        knee, ankle = (c.model.body_names.index(f"left_{n}") for n in ("shin", "foot"))
        way = X[:, ankle, :3, 3] - X[:, knee, :3, 3]
        return way / np.linalg.norm(way, axis=-1, keepdims=True)

    assert np.degrees(np.arccos(np.clip((shins(clip) * shins(other)).sum(-1), -1, 1))).max() < 5.0
    assert np.abs(np.diff(other.q, axis=0)).max() < 0.2  # no jumps


def test_figures_stand_side_by_side(tmp_path):
    run = ar.mocap.side_by_side({"a": walk()[:30], "b": reach()[:20].resampled(60)})
    assert run.q.shape == (30, 90) and run.save_html(tmp_path / "both.html").stat().st_size > 10_000
    assert found().save_html(tmp_path / "four.html").exists()
    assert found().plot(tmp_path / "torque.png").stat().st_size > 5_000


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ar.mocap.transition(walk(), 3), "Give two `ar.mocap.Clip`"),
        (lambda: ar.mocap.transition(walk(), reach(), 20.0), "`duration` is 20.0"),
        (lambda: ar.mocap.transition(walk(), reach(), leave=999), "`leave` is 999"),
        (lambda: ar.mocap.transition(walk(), reach(), leave=1.5), "`leave` is 1.5"),
        (lambda: ar.mocap.transition(walk(), reach(), "0.6"), "`duration` is '0.6'"),
        (lambda: ar.mocap.transition_graph(walk()), "a list of one or more"),
        (lambda: ar.mocap.transition_graph([walk()], every=0), "`every` is 0"),
        (lambda: ar.mocap.side_by_side([walk()]), "clips by name"),
        (lambda: walk().cleaned(calm="x"), "`calm` is 'x'"),
        (lambda: walk()[:4].cleaned(), "too short"),
        (lambda: ar.mocap.transition(walk()[:4], reach()), "7 frames are the least"),
        (lambda: ar.mocap.cycle(walk(), start=90, end=30), "the first before the second"),
        (lambda: ar.mocap.cycle(walk(), repeats=0), "`repeats` is 0"),
        (lambda: ar.mocap.transition_graph([]), "a list of one or more"),
        (lambda: ar.mocap.walk(speed=9.0), "at most 1.4"),
        (lambda: ar.mocap.reach(low=2.0), "from 0 to 0.4 m"),
        (lambda: ar.mocap.side_by_side({}), "clips by name"),
        (lambda: walk().cleaned(calm=0.0), "a number above 0"),
        (lambda: walk().retargeted(ar.random_tree(3, rng=0)), "a model with a free root"),
    ],
)  # fmt: skip
def test_what_cannot_be_meets_a_sentence(call, words):
    with pytest.raises(ar.ArthronError, match=words):
        call()
