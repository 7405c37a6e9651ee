"""Inverse dynamics of clips: Pinocchio's joint forces, and laws of what the ground does."""

import time
from dataclasses import fields

import numpy as np
import pytest
from mocap_files import SHARED, amc_text, asf_text, write_bvh

import arthron as ar

Clip = ar.mocap.Clip
G = 9.81


def pinocchio_model(pin, model):
    """The same figure, joint by joint."""
    twin = pin.Model()
    twin.gravity = pin.Motion(np.array([0, 0, -G, 0, 0, 0.0]))
    numbers = []
    for k, body in enumerate(model.bodies):
        parent = model.tree.parent[k + 1]
        X = body.placement
        if isinstance(body.joint, ar.Free):
            joint = pin.JointModelFreeFlyer()
        elif isinstance(body.joint, ar.Spherical):
            joint = pin.JointModelSpherical()
        elif isinstance(body.joint, ar.Revolute):
            joint = pin.JointModelRevoluteUnaligned(np.array(body.joint.axis, float))
        else:
            joint = pin.JointModelComposite()
            for axis in (body.joint.first, body.joint.second):
                joint.addJoint(pin.JointModelRevoluteUnaligned(np.array(axis, float)))
        place = pin.SE3(np.array(X.R, float), np.array(X.r, float))
        number = twin.addJoint(numbers[parent - 1] if parent else 0, joint, place, body.name)
        I = ar.Inertia.from_parameters(
            model.inertial_parameters().reshape(-1, 10)[k]
        )  # merged links, too
        twin.appendBodyToJoint(
            number,
            pin.Inertia(float(I.m), *(np.array(x, float) for x in (I.com(), I.about_com()))),
            pin.SE3.Identity(),
        )  # fmt: skip
        numbers.append(number)
    return twin


def to_pinocchio(model, q, v=None):
    """Quaternions with w last; a free root's velocity with the linear half first."""
    q, swapped = np.array(q), []
    for body in model.bodies:
        place = model.slice_q(body.joint_name)
        if place.stop - place.start in (4, 7):
            four = slice(place.stop - 4, place.stop)
            q[four] = np.roll(q[four], -1)
    if v is None:
        return q
    swapped = np.array(v)
    swapped[:6] = np.roll(swapped[:6], 3)
    return q, swapped


def smooth(t, a, b):
    """From 0 to 1 and no jerk."""
    s = np.clip((t - a) / (b - a), 0.0, 1.0)
    return s**4 * (35 - 84 * s + 70 * s**2 - 20 * s**3)


def standing_and_leaping(clip):
    """Both feet down, then the left leg lifted and put down, then off the ground; arms move."""
    m, t = clip.model, np.arange(360) / 120.0
    q = np.tile(clip.q[:1], (len(t), 1))
    lift = smooth(t, 0.4, 0.9) - smooth(t, 1.2, 1.7)
    angles = {"LeftUpLeg": -1.2 * lift, "Chest": 0.3 * np.sin(3 * t),
              "RightArm": 0.8 * np.sin(5 * t), "Head": 0.2 * np.cos(4 * t)}  # fmt: skip
    for joint, angle in angles.items():
        zero = np.zeros_like(t)
        q[:, m.slice_q(joint)] = np.stack([np.cos(angle / 2), zero, np.sin(angle / 2), zero], -1)
    q[:, 2] += 1.5 * smooth(t, 2.3, 2.9)
    return clip.with_poses(q)


@pytest.fixture(scope="module")
def leaping(tmp_path_factory):
    return standing_and_leaping(
        ar.load_motion(write_bvh(tmp_path_factory.mktemp("clips"), size=0.0), mass=75)
    )


@pytest.fixture(scope="module")
def moving(tmp_path_factory):
    """A clip of a BVH file and one of an ASF file: all kinds of joints."""
    folder = tmp_path_factory.mktemp("clips")
    (folder / "a.asf").write_text(asf_text())
    (folder / "a.amc").write_text(amc_text(frames=30))
    return {"bvh": ar.load_motion(write_bvh(folder)), "amc": ar.load_motion(folder / "a.amc")}


@pytest.mark.parametrize("kind", ["bvh", "amc"])
def test_joint_forces_are_those_of_pinocchio(moving, kind):
    pin = pytest.importorskip("pinocchio")
    clip = moving[kind]
    forces = clip.inverse_dynamics()
    twin = pinocchio_model(pin, clip.model)
    data = twin.createData()
    poses = clip.model.body_poses(clip.q)
    for k in range(0, len(clip), 5):
        q, qd = to_pinocchio(clip.model, clip.q[k], clip.qd[k])
        _, qdd = to_pinocchio(clip.model, clip.q[k], clip.qdd[k])
        tau = pin.rnea(twin, data, q, qd, qdd)
        scale = np.abs(tau).max()
        # the whole wrench that is missing at the root, by Pinocchio, in world axes
        R = poses[k, 0, :3, :3]
        stands = any(x[k] for x in forces.supports.values())
        expected = R @ tau[:3] * stands
        assert np.abs(forces.ground_force[k] - expected).max() < 1e-10 * scale
        if not stands:
            _, own = to_pinocchio(clip.model, clip.q[k], forces.tau[k])
            assert np.abs(own - tau).max() < 1e-10 * scale
            assert np.abs(np.roll(forces.residual[k], 3) - tau[:6]).max() < 1e-10 * scale


def still(clip, frames=60):
    """The first pose, held."""
    return clip.with_poses(np.tile(clip.q[:1], (frames, 1)))


def test_who_stands_still_is_borne_under_his_centre_of_mass(tmp_path):
    clip = still(ar.load_motion(write_bvh(tmp_path, size=0.0), mass=80))
    forces, m = clip.inverse_dynamics(), clip.model
    com = m.center_of_mass(clip.q[0])
    assert all(x.all() for x in forces.supports.values()) and len(forces.supports) == 2
    assert np.abs(forces.ground_force - [0, 0, 80 * G]).max() < 1e-8
    assert np.abs(forces.center_of_pressure[:, :2] - com[:2]).max() < 1e-9
    assert np.abs(forces.residual).max() < 1e-9
    # each foot bears half, and the knees what hangs above: by hand, about the knee
    knee = m.frame_pose(clip.q[0], "LeftLeg")[:3, 3]
    below = ["LeftLeg", "LeftFoot"]
    own = [m.bodies[m.body_names.index(n)].inertia for n in below]
    at = [m.frame_pose(clip.q[0], f"{n}.com")[:3, 3] for n in below]
    toes = m.links[[b.name for b in m.links].index("LeftToeBase")].inertia
    at.append(m.frame_pose(clip.q[0], "LeftToeBase.com")[:3, 3])
    weights = [i.m for i in own] + [toes.m]
    weight = sum(np.cross(p - knee, [0, 0, -w * G]) for p, w in zip(at, weights, strict=True))
    # left and right are alike, so each foot has half, ahead or behind as the whole is
    push = np.cross(np.array([com[0], knee[1], 0]) - knee, [0, 0, 40 * G])
    foot = [f for f in forces.supports if "Left" in f]
    assert foot == ["LeftFoot"]
    axis = m.frame_pose(clip.q[0], "LeftLeg")[:3, 1]  # Xrotation of the file is about y
    tau = forces.tau[0, m.slice_qd("LeftLeg")][0]
    assert tau == pytest.approx(float(-(weight + push) @ axis), abs=1e-6)


def test_in_flight_nothing_pushes(tmp_path):
    """A figure that turns about its centre of mass and falls free needs no force at the root."""
    clip = ar.load_motion(write_bvh(tmp_path, size=0.0))
    m, t = clip.model, np.arange(80) / 120.0
    q = np.tile(clip.q[:1], (80, 1))
    q[:, :3] += np.stack([1.5 * t, 0 * t, 2.0 + 4.0 * t - 0.5 * G * t**2], -1)
    ballistic = clip.with_poses(q)
    floor = clip.with_poses(
        np.vstack([clip.q[:1], q])
    )  # it has stood before, so it is known what is low
    forces = ballistic.inverse_dynamics()
    assert forces.tau.shape == (80, m.nv)
    away = ~np.any(list(forces.supports.values()), axis=0)
    assert away[20:60].all()
    assert (forces.ground_force[away] == 0).all()
    assert np.isnan(forces.center_of_pressure[away]).all()
    assert np.abs(forces.tau[away]).max() < 2e-5  # N, of 700: rounding in second differences
    assert not any(x[30:60].any() for x in floor.supports().values())


def test_what_the_ground_does_explains_the_root_and_nothing_else(leaping):
    """tau = M qdd + h - sum of J^T wrenches: with two feet down, with one and with none."""
    clip, m = leaping, leaping.model
    forces = clip.inverse_dynamics()
    free = m.inverse_dynamics(clip.q, clip.qd, clip.qdd)
    for joint in ("LeftArm", "RightForeArm", "Head", "Chest"):  # no foot hangs there
        place = m.slice_qd(joint)
        assert np.abs(forces.tau[:, place] - free[:, place]).max() < 1e-8
    left, right = (forces.supports[f"{side}Foot"] for side in ("Left", "Right"))
    assert (left[10:40] & right[10:40]).all() and (right[60:180] & ~left[110:140].any()).all()
    assert not (left | right)[310:340].any()
    borne = left | right
    assert np.abs(forces.residual[borne]).max() < 1e-8
    assert (forces.residual == forces.tau[:, :6]).all()
    assert np.abs(forces.tau[~borne] - free[~borne]).max() < 1e-9
    assert np.abs(forces.residual[320]).max() > 100.0
    # on one leg the other only hangs; the ground's force through its centre of pressure, by J^T
    k = 125
    hanging = m.slice_qd("LeftUpLeg")
    assert np.abs(forces.tau[k, hanging] - free[k, hanging]).max() < 1e-9
    R, p = (m.frame_pose(clip.q[k], "RightFoot")[:3, i] for i in (slice(3), 3))
    point = R.T @ (forces.center_of_pressure[k] - p)
    J = m.jacobian(clip.q[k], "RightFoot", tuple(point), axes="world_aligned")
    pushed = free[k] - forces.tau[k]
    force = forces.ground_force[k]
    vertical = (pushed - J[3:].T @ force)[:6]  # what is left is a torque about the vertical
    spin = m.body_poses(clip.q[k])[0, :3, :3] @ vertical[:3]
    assert np.abs(vertical[3:]).max() < 1e-8 and np.abs(spin[:2]).max() < 1e-8
    twist = np.array([0.0, 0.0, spin[2]])
    assert np.abs(pushed - J[3:].T @ force - J[:3].T @ twist).max() < 1e-8


def test_feet_share_by_the_centre_of_pressure(tmp_path):
    """Leaning to one side until that foot has all: the other leg then only hangs."""
    clip = ar.load_motion(write_bvh(tmp_path, size=0.0), mass=70)
    m = clip.model
    knees = {}
    for lean in (0.0, 0.08, 0.3):
        q = np.tile(clip.q[:1], (20, 1))
        q[:, m.slice_q("Spine")] = np.cos(lean * 2), np.sin(-lean * 2), 0.0, 0.0
        bent = clip.with_poses(q)
        forces = bent.inverse_dynamics()
        assert all(x.all() for x in forces.supports.values())
        hips = {s: forces.tau[0, m.slice_qd(f"{s}UpLeg")] for s in ("Left", "Right")}
        knees[lean] = hips, forces.center_of_pressure[0]
    level, _ = knees[0.0]
    assert level["Left"][1] == pytest.approx(level["Right"][1], abs=1e-9)
    for lean in (0.08, 0.3):
        hips, pressure = knees[lean]
        assert pressure[1] > 0.01  # a head that goes left takes it along
        assert np.linalg.norm(hips["Left"]) > np.linalg.norm(hips["Right"])


def test_no_free_root_meets_a_sentence():
    person = ar.load(ar.figures / "person.urdf")
    clip = Clip(person, np.tile(person.neutral(), (8, 1)), 100.0)
    with pytest.raises(ar.ModelError, match="has no free root, so that forces of the ground"):
        clip.inverse_dynamics()


def test_a_figure_of_urdf_stands_too():
    person = ar.load(ar.figures / "person.urdf", root=ar.Free())
    clip = Clip(person, np.tile(person.neutral(), (30, 1)), 100.0)
    forces = clip.inverse_dynamics()
    assert set(forces.supports) == {"left_foot", "right_foot"}
    assert np.abs(forces.ground_force - [0, 0, person.mass * G]).max() < 1e-8
    assert np.abs(forces.tau[:, :6]).max() < 1e-8
    sole = forces.center_of_pressure[0, 2]
    toes = person.frame_pose(clip.q[0], "left_foot")[2, 3]
    assert -0.1 < sole - toes < -0.02  # it is below the ankle


def test_a_centre_of_pressure_outside_the_feet_is_told():
    """Who leans like a plank is borne ahead of the toes at 0.35 rad, and by no ground."""
    person = ar.load(ar.figures / "person.urdf", root=ar.Free())
    for lean, outside in ((0.0, False), (0.05, False), (0.35, True)):
        q = np.tile(person.neutral(), (30, 1))
        for side in ("left", "right"):
            q[:, person.slice_q(f"{side}_ankle_pitch")] = -lean
        q[:, 3:7] = np.cos(lean / 2), 0.0, np.sin(lean / 2), 0.0
        forces = Clip(person, q, 100.0).inverse_dynamics()
        assert all(x.all() for x in forces.supports.values())
        assert (forces.outside == outside).all()
    # nobody stands: it is not outside of anything
    q[:, 3:7] = 0.0, 1.0, 0.0, 0.0
    assert not Clip(person, q, 100.0).inverse_dynamics().outside.any()


def test_prints_of_feet_are_hulls_with_heels():
    """Two rods 17 cm long and 20 cm apart, by hand: 5 cm about them, and 3 more behind."""
    from arthron._mocap.clip_supports import Foot
    from arthron._mocap.foot_prints import outside_feet

    y = (0.1, -0.1)
    places = [(0.21, 0.1), (0.23, 0.1), (-0.07, 0.1), (-0.09, 0.1), (0.1, 0.14), (0.1, 0.16),
              (0.1, 0.0), (0.1, -0.1)]  # fmt: skip
    frames = np.ones((len(places), 1))
    feet = []
    for side in y:
        ends = np.tile([[[0.0, side, 0.0], [0.17, side, 0.0]]], (len(places), 1, 1))
        feet.append(
            Foot("foot", 0, ends[:, 0], ends, 0 * ends[..., 2], np.zeros(2), (), frames < 0)
        )
    pressure = np.column_stack([places, 0 * frames])
    both = np.ones((2, len(places)), dtype=bool)
    far = [False, True, False, True, False, True]
    assert outside_feet(feet, both, pressure).tolist() == [*far, False, False]
    left = np.array([[True], [False]]) & both
    assert outside_feet(feet, left, pressure).tolist() == [*far, True, True]
    assert not outside_feet(feet, ~both, pressure).any()
    assert not outside_feet(feet, both, pressure * np.nan).any()


def test_short_contacts_are_left_out():
    from arthron._mocap.foot_contact import without_short_runs

    given = np.array([1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1], bool)
    expected = np.array([1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1], bool)
    assert (without_short_runs(given, 3) == expected).all()


def test_the_lowest_about_each_frame():
    from arthron._mocap.foot_contact import lowest_about

    z = np.random.default_rng(0).normal(size=(50, 2))
    for reach in (0, 1, 4, 7, 60):
        expected = [z[max(0, k - reach) : k + reach + 1].min(0) for k in range(50)]
        assert (lowest_about(z, reach) == expected).all()


def test_a_minute_takes_no_time(leaping):
    """60 s at 120 Hz once compiled: 0.2 s is the bar, with room for busy cores here."""
    clip = leaping
    q = np.tile(np.vstack([clip.q, clip.q[::-1]]), (10, 1))
    took = []
    for _ in range(3):
        long = clip.with_poses(q)
        start = time.perf_counter()
        long.inverse_dynamics()
        took.append(time.perf_counter() - start)
    assert len(long) == 7200 and min(took) < 0.4


@pytest.mark.skipif(not SHARED.is_dir(), reason="clips of the CMU database are not here")
@pytest.mark.parametrize("name, least, most, stands", [
    ("02_01", 1.1, 1.6, (0.95, 1.0)), ("09_01", 2.0, 3.2, (0.6, 0.75)),
    ("16_05", 2.0, 3.8, (0.6, 0.9)),
])  # fmt: skip
def test_people_walk_run_and_jump_with_the_forces_of_people(name, least, most, stands):
    """Vertical peaks of 1.1 to 1.5 times the weight in walks, and of 2 to 3 in runs and jumps."""
    clip = ar.load_motion(SHARED / f"{name}.bvh", mass=70)[1:].smoothed(6.0)
    forces = clip.inverse_dynamics()
    Fz = forces.ground_force[:, 2] / (70 * G)
    borne = np.any(list(forces.supports.values()), axis=0)
    assert least < np.quantile(Fz, 0.99) < most
    assert stands[0] <= borne.mean() <= stands[1]
    # over a whole clip the ground bears the weight, but for how the momentum changes
    momentum = clip.model.momentum(clip.q, clip.qd)[[0, -1], 5]
    lost = clip.model.inverse_dynamics(clip.q, clip.qd, clip.qdd)
    assert (momentum[1] - momentum[0]) / clip.duration / (70 * G) == pytest.approx(
        np.mean(np.einsum("nj,nj->n", clip.model.body_poses(clip.q)[:, 0, 2, :3], lost[:, 3:6]))
        / (70 * G) - 1.0, abs=0.05,
    )  # fmt: skip
    assert len(fields(forces)) == 6 and np.abs(forces.tau[:, 6:]).max() < 350.0


def test_on_one_foot_joint_forces_are_those_of_pinocchio(leaping):
    """The wrench that its free root lacks, moved to the foot by its own transforms."""
    pin = pytest.importorskip("pinocchio")
    clip, m = leaping, leaping.model
    forces = clip.inverse_dynamics()
    twin = pinocchio_model(pin, m)
    data = twin.createData()
    foot = twin.getJointId("RightFoot")
    left, right = forces.supports["LeftFoot"], forces.supports["RightFoot"]
    frames = np.flatnonzero(right & ~left)
    assert len(frames) > 40
    for k in frames[::8]:
        q, qd = to_pinocchio(m, clip.q[k], clip.qd[k])
        _, qdd = to_pinocchio(m, clip.q[k], clip.qdd[k])
        pin.forwardKinematics(twin, data, q)
        root = pin.Force(pin.rnea(twin, data, q, qd, qdd)[:6])
        pushes = [pin.Force.Zero() for _ in range(twin.njoints)]
        pushes[foot] = data.oMi[foot].actInv(data.oMi[1].act(root))
        tau = pin.rnea(twin, data, q, qd, qdd, pushes)
        _, own = to_pinocchio(m, clip.q[k], forces.tau[k])
        assert np.abs(own - tau).max() < 1e-10 * np.abs(tau).max() + 1e-9
