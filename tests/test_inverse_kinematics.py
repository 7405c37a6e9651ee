"""Inverse kinematics: forward kinematics of what is found is what was asked for."""

import dataclasses
import sysconfig
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

import arthron as ar
from arthron._ik.descent import STARTS, Descent, DescentSettings

ROBOTS = Path(sysconfig.get_paths()["purelib"]) / "cmeel.prefix/share/example-robot-data/robots"
PANDA = ROBOTS / "panda_description/urdf/panda.urdf"
HAND = "panda_hand"
KINDS = [
    ["revolute", "prismatic", "helical", "planar", "universal"],
    ["spherical", "planar translation", "exponential", "revolute", "translational"],
    ["euler", "charts", "free", "composite", "free exponential"],
]


@pytest.fixture(scope="module")
def panda():
    return ar.load(PANDA)


@pytest.fixture(scope="module")
def humanoid():
    return ar.load(ar.figures / "humanoid.urdf", root=ar.Free())


def within_limits(model, q):
    return np.all((q >= model.q_lower) & (q <= model.q_upper))


# What is reached


def test_targets_within_reach_are_reached(panda):
    goal = panda.frame_pose(panda.random(7, 2000), HAND)
    found = ar.ik.solve(panda, [ar.ik.Pose(HAND, goal)])
    assert found.solved.mean() > 0.999
    reached = panda.frame_pose(found.q, HAND)[found.solved]
    np.testing.assert_allclose(reached, goal[found.solved], atol=1e-6)
    assert within_limits(panda, found.q)
    assert np.all(found.passes >= found.attempts)


@pytest.mark.parametrize("kinds", KINDS, ids=lambda kinds: kinds[0])
def test_every_joint_kind_in_branching_trees(kinds):
    model = ar.random_tree(8, 1.6, joints=kinds, rng=4)
    q = model.random(1, 12)
    frames = ["body8", "body6"]
    goals = [model.frame_pose(q, frame) for frame in frames]
    centre = model.center_of_mass(q)
    targets = [
        ar.ik.Pose(frames[0], goals[0]),
        ar.ik.Point(frames[1], goals[1][:, :3, 3] + goals[1][:, :3, 2] * 0.3, point=(0, 0, 0.3)),
        ar.ik.CenterOfMass(centre, weight=0.5),
    ]
    found = ar.ik.solve(model, targets)
    assert np.all(found.solved)
    np.testing.assert_allclose(model.frame_pose(found.q, frames[0]), goals[0], atol=1e-6)
    tip = model.frame_pose(found.q, frames[1]) @ [0, 0, 0.3, 1]
    np.testing.assert_allclose(tip[:, :3], targets[1].value, atol=1e-6)
    np.testing.assert_allclose(model.center_of_mass(found.q), centre, atol=2e-6)


def test_limits_of_every_joint_kind_hold_in_branching_trees():
    kinds = ["revolute", "prismatic", "helical", "planar", "universal", "euler", "exponential"]
    free = ar.random_tree(9, 1.6, joints=kinds, rng=6)
    bodies = [dataclasses.replace(body, lower=-0.7, upper=0.5) for body in free.bodies]
    model = ar.Model([*bodies, ar.Body("tool", ar.Spherical(), parent="body9",
                                       inertia=bodies[0].inertia)], name="held")  # fmt: skip
    q = model.random(1, 80)
    targets = [ar.ik.Pose(frame, model.frame_pose(q, frame)) for frame in ("tool", "body8")]
    found = ar.ik.solve(model, targets)
    assert found.solved.mean() > 0.97 and within_limits(model, found.q)
    at_limits = (found.q == model.q_lower) | (found.q == model.q_upper)
    assert np.any(at_limits)
    for target in targets:
        reached = model.frame_pose(found.q, target.frame)[found.solved]
        np.testing.assert_allclose(reached, target.value[found.solved], atol=1e-6)
    outside = ar.ik.solve(model, targets, start=np.full(model.nq, 3.0), restarts=0)
    assert within_limits(model, outside.q)


def test_several_kinds_of_targets_at_once(humanoid):
    q = humanoid.random(3)
    head = humanoid.frame_pose(q, "head")[:3, :3]
    targets = [
        ar.ik.Pose("left_sole", humanoid.frame_pose(q, "left_sole")),
        ar.ik.Point("right_palm", humanoid.frame_pose(q, "right_palm")[:3, 3]),
        ar.ik.Orientation("head", head),
        ar.ik.CenterOfMass(humanoid.center_of_mass(q)),
    ]
    found = ar.ik.solve(humanoid, targets)
    assert found.solved and found.q.shape == (humanoid.nq,)
    np.testing.assert_allclose(humanoid.center_of_mass(found.q), targets[3].value, atol=1e-6)
    np.testing.assert_allclose(
        humanoid.frame_pose(found.q, "left_sole"), targets[0].value, atol=1e-6
    )
    np.testing.assert_allclose(humanoid.frame_pose(found.q, "head")[:3, :3], head, atol=1e-6)


def test_joints_that_follow_others():
    tied = ar.load(PANDA, mimic=True)
    q = tied.random(1, 30)
    frames = ["panda_leftfinger", "panda_rightfinger"]
    targets = [ar.ik.Point(frame, tied.frame_pose(q, frame)[:, :3, 3]) for frame in frames]
    found = ar.ik.solve(tied, targets)
    assert np.all(found.solved)
    for target in targets:
        reached = tied.frame_pose(found.q, target.frame)[:, :3, 3]
        np.testing.assert_allclose(reached, target.value, atol=1e-6)


def test_more_rows_than_coordinates():
    model = ar.random_tree(4, joints=["revolute"], rng=2)
    q = model.random(1, 20)
    targets = [ar.ik.Pose(f"body{k}", model.frame_pose(q, f"body{k}")) for k in (2, 3, 4)]
    found = ar.ik.solve(model, targets)
    assert np.all(found.solved)
    reached = model.frame_pose(found.q, "body4")
    np.testing.assert_allclose(reached, targets[2].value, atol=1e-6)
    held = ar.ik.solve(model, targets, posture=model.random(5))
    assert np.all(held.solved)


def test_the_same_target_twice_is_one(panda):
    goal = panda.frame_pose(panda.random(2, 20), HAND)
    assert np.all(ar.ik.solve(panda, [ar.ik.Pose(HAND, goal)] * 2).solved)


def test_a_free_root_goes_far(humanoid):
    goal = [[1000.0, 0.0, 0.0], [0.0, -30.0, 40.0]]
    found = ar.ik.solve(humanoid, [ar.ik.Point("right_palm", goal)])
    assert np.all(found.solved)


def test_what_cannot_be_reached_is_approached_as_far_as_can_be(panda):
    """A bounded least-squares solver finds nothing better from there."""
    goal = panda.frame_pose(panda.random(9, 4), HAND)
    goal[:, :3, 3] += (0.0, 0.0, 2.0)
    found = ar.ik.solve(panda, [ar.ik.Pose(HAND, goal)], restarts=10)
    assert not np.any(found.solved) and "0 of 4" in repr(found)
    assert np.all(found.attempts == 11) and within_limits(panda, found.q)
    for target, q, error in zip(goal, found.q, found.error, strict=True):

        def residual(q, target=target):
            at = panda.frame_pose(q, HAND)
            turn = Rotation.from_matrix(target[:3, :3] @ at[:3, :3].T).as_rotvec()
            return [*(target[:3, 3] - at[:3, 3]), *turn]

        assert np.linalg.norm(residual(q)) == pytest.approx(error, rel=1e-12)
        low, high = panda.q_lower, panda.q_upper
        q = np.clip(q, low + 1e-9, high - 1e-9)
        better = least_squares(residual, q, bounds=(low, high))
        assert error < np.linalg.norm(better.fun) * (1 + 1e-4)


def test_weights_say_what_matters(panda):
    """Out of reach, the heavier target is missed by less."""
    goal = panda.frame_pose(panda.random(1), HAND)
    goal[:3, 3] += (2.0, 0.0, 0.0)
    light, heavy = (
        ar.ik.solve(panda, [ar.ik.Pose(HAND, goal, orientation_weight=w)]).q for w in (0.1, 10.0)
    )
    turned = [goal[:3, :3].T @ panda.frame_pose(q, HAND)[:3, :3] for q in (light, heavy)]
    angles = [Rotation.from_matrix(R).magnitude() for R in turned]
    assert angles[1] < 0.2 * angles[0]
    twice = ar.ik.solve(panda, [ar.ik.Pose(HAND, goal, weight=2.0)])
    assert twice.error == pytest.approx(
        2.0 * ar.ik.solve(panda, [ar.ik.Pose(HAND, goal)]).error, rel=1e-3
    )


def test_native_code_does_what_the_page_says():
    """The page on numbers is the reference: same passes, same solutions."""
    model = ar.random_tree(4, 1.5, joints=["revolute", "spherical", "prismatic"], rng=1)
    q = model.random(1, 6)
    target = ar.ik.Point("body4", model.frame_pose(q, "body4")[:, :3, 3])
    page = Descent(model, [target], chunk=3, starts=1, postures=1)
    settings = DescentSettings(1e-6, 30.0, 3.0, 4.0, 0.0)
    inputs = (
        target.value.reshape(2, 9), np.array([3.0, 2.0]), model.neutral(), model.random(2),
        model.random(3, STARTS).reshape(-1), np.array(settings),
    )  # fmt: skip
    native = ar.compile(page, model, shapes=page.shapes())(*inputs).reshape(2, 3, -1)
    plain = ar.evaluate(page, model, *inputs, shapes=page.shapes()).reshape(2, 3, -1)
    np.testing.assert_allclose(native[..., : model.nq], plain[..., : model.nq], atol=1e-7)
    np.testing.assert_array_equal(native[..., model.nq + 1], plain[..., model.nq + 1])
    assert native[1, 2, model.nq] == 1e100  # the third target of a row that has two
    assert np.all(native[0, :, model.nq] <= 1e-6)


# Starts


def test_a_start_near_the_target_is_used(panda):
    q = panda.random(5)
    goal = panda.frame_pose(q, HAND)
    found = ar.ik.solve(panda, [ar.ik.Pose(HAND, goal)], start=q + 1e-3, restarts=0)
    assert found.solved and found.attempts == 1
    assert np.abs(found.q - np.clip(q, panda.q_lower, panda.q_upper)).max() < 0.05


def test_each_target_may_have_its_start(panda):
    q = panda.random(5, 40)
    goal = panda.frame_pose(q, HAND)
    found = ar.ik.solve(panda, [ar.ik.Pose(HAND, goal)], start=q + 1e-3, restarts=0)
    assert found.solved.mean() > 0.9
    assert np.abs(found.q - q)[found.solved].max() < 0.2


def test_targets_do_not_depend_on_their_company(panda):
    goal = panda.frame_pose(panda.random(11, 90), HAND)
    together = ar.ik.solve(panda, [ar.ik.Pose(HAND, goal.reshape(3, 30, 4, 4))])
    assert together.q.shape == (3, 30, 9) and together.solved.shape == (3, 30)
    backwards = ar.ik.solve(panda, [ar.ik.Pose(HAND, goal[::-1])])
    np.testing.assert_allclose(backwards.q[::-1], together.q.reshape(90, 9), atol=1e-9)
    for k in (0, 17, 89):
        alone = ar.ik.solve(panda, [ar.ik.Pose(HAND, goal[k])])
        np.testing.assert_allclose(alone.q, together.q.reshape(90, 9)[k], atol=1e-9)


def test_seeds_say_where_restarts_begin(panda):
    targets = [ar.ik.Pose(HAND, panda.frame_pose(panda.random(11, 50), HAND))]
    first, again, other = (ar.ik.solve(panda, targets, rng=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.q, again.q)
    assert np.any(first.q != other.q)
    drawn = ar.ik.solve(panda, targets, rng=np.random.default_rng(3))
    assert np.all(drawn.solved)


def test_random_targets_do_not_meet_their_own_solutions(panda):
    """Restarts of a seed are other coordinates than `model.random` of that seed."""
    q = panda.random(0, 20)
    found = ar.ik.solve(panda, [ar.ik.Pose(HAND, panda.frame_pose(q, HAND))], rng=0)
    assert np.abs(found.q - q)[:, :7].max(axis=1).min() > 1e-3


def test_no_targets_in_a_batch(panda):
    assert ar.ik.solve(panda, [ar.ik.Pose(HAND, np.zeros((0, 4, 4)))]).q.shape == (0, 9)
    assert ar.ik.track(panda, [ar.ik.Pose(HAND, np.zeros((2, 0, 4, 4)))]).q.shape == (2, 0, 9)


# Looking at points


@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), "z", (1.0, -2.0, 0.5)], ids=str)
def test_an_axis_points_at_a_point(axis):
    model = ar.random_tree(5, 1.5, joints=["spherical", "prismatic", "revolute"], rng=3)
    points = np.random.default_rng(0).normal(size=(20, 3)) * 2.0
    found = ar.ik.solve(model, [ar.ik.LookAt("body5", points, axis=axis)])
    assert np.all(found.solved)
    pose = model.frame_pose(found.q, "body5")
    axis = np.array({"z": (0.0, 0.0, 1.0)}.get(axis, axis))
    looks = pose[:, :3, :3] @ (axis / np.linalg.norm(axis))
    way = points - pose[:, :3, 3]
    cosine = np.einsum("ni,ni->n", looks, way) / np.linalg.norm(way, axis=1)
    np.testing.assert_allclose(cosine, 1.0, atol=1e-11)


def test_what_is_straight_behind_is_seen_and_turned_to():
    model = ar.Model([ar.Body("eye", ar.Spherical(), inertia=ar.spatial.Inertia.from_com(
        1.0, ar.spatial.Vec3(), ar.spatial.Mat3.identity()))])  # fmt: skip
    found = ar.ik.solve(model, [ar.ik.LookAt("eye", (-2.0, 0.0, 0.0))], restarts=0)
    assert found.solved
    np.testing.assert_allclose(model.frame_pose(found.q, "eye")[:3, 0], (-1, 0, 0), atol=1e-6)


def test_error_of_looking_is_the_angle():
    still = ar.Model([ar.Body("eye", ar.Prismatic("x"), inertia=ar.spatial.Inertia.from_com(
        1.0, ar.spatial.Vec3(), ar.spatial.Mat3.identity()))])  # fmt: skip
    found = ar.ik.solve(still, [ar.ik.LookAt("eye", (-1.0, 1.0, 0.0))], restarts=0, iterations=1)
    assert found.error == pytest.approx(0.75 * np.pi)


# Postures


def null_space_gradient(model, q, posture, frames):
    """What is left of the way to the posture in the null space of poses, away from limits."""
    J = np.concatenate([model.jacobian(q, f, axes="world_aligned") for f in frames])
    way = model.difference(q, posture)
    free = np.ones(model.nv, bool)
    for name in model.joint_names:
        at, v = model.slice_q(name), model.slice_qd(name)
        if at.stop - at.start == v.stop - v.start:
            low, high = model.q_lower[at], model.q_upper[at]
            free[v] = (q[at] > low + 1e-9) & (q[at] < high - 1e-9)
    J, way = J[:, free], way[free]
    return np.linalg.norm(way - np.linalg.pinv(J, rcond=1e-9) @ (J @ way))


def test_solutions_are_as_near_a_posture_as_targets_allow(panda):
    posture = 0.5 * (panda.q_lower + panda.q_upper)
    targets = [ar.ik.Pose(HAND, panda.frame_pose(panda.random(3, 60), HAND))]
    plain, near = ar.ik.solve(panda, targets), ar.ik.solve(panda, targets, posture=posture)
    assert np.all(near.solved) and within_limits(panda, near.q)
    np.testing.assert_allclose(panda.frame_pose(near.q, HAND), targets[0].value, atol=1e-6)
    left = [null_space_gradient(panda, q, posture, [HAND]) for q in near.q]
    assert np.mean(np.array(left) < 1e-5) > 0.95
    distance = [np.linalg.norm(found.q - posture, axis=1).mean() for found in (plain, near)]
    assert distance[1] < 0.9 * distance[0]
    np.testing.assert_allclose(near.q[:, 7:], np.tile(posture[7:], (60, 1)), atol=1e-5)


def test_each_target_may_have_its_posture(panda):
    q = panda.random(3, 30)
    targets = [ar.ik.Pose(HAND, panda.frame_pose(q, HAND))]
    found = ar.ik.solve(panda, targets, posture=q)
    assert found.solved.all()
    np.testing.assert_allclose(found.q, q, atol=1e-5)
    alone = ar.ik.solve(panda, [ar.ik.Pose(HAND, targets[0].value[4])], posture=q[4])
    np.testing.assert_allclose(alone.q, q[4], atol=1e-5)


def test_postures_of_joints_on_manifolds():
    model = ar.random_tree(6, 1.5, joints=["spherical", "revolute", "exponential"], rng=8)
    q, posture = model.random(1, 20), model.random(2)
    targets = [ar.ik.Point("body6", model.frame_pose(q, "body6")[:, :3, 3])]
    found = ar.ik.solve(model, targets, posture=posture)
    assert np.all(found.solved)
    gradient = []
    for q in found.q:
        J = model.jacobian(q, "body6", axes="world_aligned")[3:]
        way = model.difference(q, posture)
        gradient.append(np.linalg.norm(way - np.linalg.pinv(J) @ (J @ way)))
    assert np.mean(np.array(gradient) < 1e-5) > 0.9


# Moving targets


@pytest.fixture(scope="module")
def motion(panda):
    a, b = panda.random(2, 2)
    path = a + np.linspace(0.0, 1.0, 150)[:, None] * (b - a)
    return path, panda.frame_pose(path, HAND)


def test_a_motion_is_followed_without_jumps(panda, motion):
    path, goal = motion
    found = ar.ik.track(panda, [ar.ik.Pose(HAND, goal)], start=path[0])
    assert np.all(found.solved) and np.all(found.attempts == 1)
    np.testing.assert_allclose(panda.frame_pose(found.q, HAND), goal, atol=1e-6)
    assert np.abs(np.diff(found.q, axis=0)).max() < 2.0 * np.abs(np.diff(path, axis=0)).max()
    q = path[0]
    for k in range(0, 20):
        q = ar.ik.solve(panda, [ar.ik.Pose(HAND, goal[k])], start=q).q
        np.testing.assert_allclose(found.q[k], q, atol=1e-9)


def test_motions_come_in_batches_with_what_stands_still(panda, motion):
    path, goal = motion
    both = np.stack([goal, goal[::-1]])
    targets = [ar.ik.Point(HAND, both[..., :3, 3]), ar.ik.LookAt(HAND, (0.3, 0.0, 0.0), axis="z")]
    start = np.stack([path[0], path[-1]])
    found = ar.ik.track(panda, targets, start=start, posture=path[0])
    assert found.q.shape == (2, 150, 9) and found.solved.shape == (2, 150)
    assert np.all(found.solved)
    pose = panda.frame_pose(found.q, HAND)
    np.testing.assert_allclose(pose[..., :3, 3], both[..., :3, 3], atol=1e-6)
    one = ar.ik.track(panda, [ar.ik.Point(HAND, both[1, :, :3, 3]), targets[1]],
                      start=start[1], posture=path[0])  # fmt: skip
    np.testing.assert_allclose(one.q, found.q[1], atol=1e-6)


def test_a_lost_target_is_waited_for(panda, motion):
    path, goal = motion
    goal = goal.copy()
    goal[40:60, :3, 3] += (0.0, 0.8, 0.0)
    found = ar.ik.track(panda, [ar.ik.Pose(HAND, goal)], start=path[0], restarts=30)
    assert not np.any(found.solved[40:60]) and np.all(found.solved[:40])
    assert np.all(found.solved[60:])
    assert np.abs(np.diff(found.q[40:60], axis=0)).max() < 0.5  # no other branch each time
    assert np.all(found.attempts[40:60] == 31) and np.all(found.attempts[:40] == 1)


def test_a_target_that_jumps_is_found_again(panda, motion):
    path, _ = motion
    goal = panda.frame_pose(panda.random(21, 12), HAND)
    found = ar.ik.track(panda, [ar.ik.Pose(HAND, goal)], start=path[0])
    assert np.all(found.solved) and np.any(found.attempts > 1)


# Targets of one's own


class Height:
    """A frame's height above the ground."""

    shape, numbers = (), 1

    def __init__(self, frame, value):
        self.frame, self.value = frame, value

    def rows(self, placed, goal):
        at = placed.frame(self.frame).r
        twists = placed.twists(self.frame, at)
        columns = {j: [(m.lin.z,) for m in S] for j, S in twists.items()}
        return placed.rows([goal[0] - at.z], columns, 1.0)


def test_a_target_of_ones_own(panda):
    heights = np.linspace(0.2, 0.8, 7)
    found = ar.ik.solve(panda, [Height(HAND, heights)])
    assert np.all(found.solved)
    np.testing.assert_allclose(panda.frame_pose(found.q, HAND)[:, 2, 3], heights, atol=1e-6)


class Rooted(Height):
    """The same, with derivatives that are NaN for goals below ground."""

    def rows(self, placed, goal):
        ((off, J),) = Height.rows(self, placed, goal)
        one = ar.sqrt(goal[0]) * ar.sqrt(goal[0]) / goal[0]
        return [(off, [x * one for x in J])]


def test_nan_of_a_target_does_not_reach_its_neighbours(panda):
    heights = np.linspace(-0.2, 0.8, 64)
    found = ar.ik.solve(panda, [Rooted(HAND, heights)], restarts=5)
    np.testing.assert_array_equal(found.solved, heights > 0.0)
    assert np.all(np.isfinite(found.q))


def test_points_that_differ_little_are_not_one(panda):
    """What is part of the code is told apart to the last digit, also in arrays."""
    goal = panda.frame_pose(panda.random(3), HAND)[:3, 3]
    points = np.array([0.1, 0.2, 0.123456789]), np.array([0.1, 0.2, 0.12345679])
    first, second = (ar.ik.Point(HAND, goal, point=p) for p in points)
    found = [ar.ik.solve(panda, [t], tolerance=1e-11) for t in (first, second)]
    assert all(f.solved for f in found)
    for point, f in zip(points, found, strict=True):
        tip = panda.frame_pose(f.q, HAND) @ [*point, 1.0]
        np.testing.assert_allclose(tip[:3], goal, rtol=0, atol=2e-11)


# What is refused


def bent(i, j, x):
    pose = np.eye(4)
    pose[i, j] = x
    return pose


GOOD = [ar.ik.Point(HAND, (0.3, 0.0, 0.5))]


@pytest.mark.parametrize(
    ("targets", "fragment"),
    [
        ([], "without targets"),
        (5, "`targets` is a int"),
        ([1], "a target is 1"),
        (ar.ik.Point(HAND, (1, 2, 3)), "`targets` is a Point"),
        ([ar.ik.Point(HAND, [1, 2])], r"\(2,\) and needs \(..., 3\)"),
        ([ar.ik.Pose(HAND, np.eye(3))], r"\(3, 3\) and needs"),
        ([ar.ik.Point(HAND, [1, 2, np.nan])], "NaN"),
        ([ar.ik.Point(HAND, "here")], "Give an array of numbers"),
        ([ar.ik.Point(HAND, [[1, 2, 3], [1]])], "Give an array of numbers"),
        ([ar.ik.Point("hand", [1, 2, 3])], "no body or frame 'hand'"),
        ([ar.ik.LookAt(5, [1, 2, 3])], "no body or frame 5"),
        ([ar.ik.Pose(HAND, bent(0, 0, 1.001))], "rotation of target `Pose` is none"),
        ([ar.ik.Pose(HAND, bent(2, 2, -1.0))], "rotation of target `Pose` is none"),
        ([ar.ik.Orientation(HAND, 2.0 * np.eye(3))], "rotation of target `Orientation` is none"),
        ([ar.ik.Pose(HAND, bent(3, 0, 0.1))], r"last row of target `Pose` is \[0.1"),
        ([ar.ik.Pose(HAND, np.eye(4), weight=0.0)], "`weight` of target `Pose` is 0.0"),
        ([ar.ik.Pose(HAND, np.eye(4), orientation_weight=-1)], "`orientation_weight`"),
        ([ar.ik.Point(HAND, (0, 0, 0), weight="x")], "`weight` of target `Point` is 'x'"),
        ([ar.ik.Point(HAND, (0, 0, 0), point=(1, 2))], r"`point` .* shape \(2,\)"),
        ([ar.ik.LookAt(HAND, (0, 0, 0), axis=(0, 0, 0))], "no direction"),
        (
            [ar.ik.Point(HAND, np.zeros((2, 3))), ar.ik.Point(HAND, np.zeros((3, 3)))],
            r"do not broadcast: target 0 \(Point\) \(2,\), target 1",
        ),
    ],
)
def test_bad_targets(panda, targets, fragment):
    for call in (ar.ik.solve, ar.ik.track):
        with pytest.raises(ar.ArthronError, match=fragment):
            call(panda, targets)


@pytest.mark.parametrize(
    ("named", "fragment"),
    [
        ({"start": [0, 0]}, r"`start` has shape \(2,\) but `panda` needs \(..., 9\)"),
        ({"start": 5}, r"`start` has shape \(\)"),
        ({"start": [np.inf] * 9}, "`start` holds NaN or infinity"),
        ({"start": "neutral"}, "`start` is 'neutral'"),
        ({"posture": np.zeros((3, 8))}, r"`posture` has shape \(3, 8\)"),
        ({"posture": np.zeros((3, 9)), "start": np.zeros((2, 9))}, "do not broadcast: targets"),
        ({"tolerance": 0.0}, "`tolerance` is 0.0"),
        ({"tolerance": "fine"}, "`tolerance` is 'fine'"),
        ({"iterations": 0}, "`iterations` is 0"),
        ({"iterations": 2.5}, "`iterations` is 2.5"),
        ({"restarts": -1}, "`restarts` is -1"),
        ({"restarts": True}, "`restarts` is True"),
        ({"rng": "seed"}, "`rng` is 'seed'"),
        ({"rng": -1}, "`rng` is -1"),
    ],
)
def test_bad_settings(panda, named, fragment):
    with pytest.raises(ar.ArthronError, match=fragment):
        ar.ik.solve(panda, GOOD, **named)


def test_a_motion_needs_times(panda):
    with pytest.raises(ar.ShapeError, match=r"have shapes \(3,\)\. The axis before"):
        ar.ik.track(panda, GOOD)


def test_a_model_is_asked_for():
    with pytest.raises(ar.ModelError, match="the model is a int"):
        ar.ik.solve(5, GOOD)
