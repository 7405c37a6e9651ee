"""What people do with a model day by day: lock joints, attach tools, ask frames."""

import sysconfig
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import arthron as ar

ROBOTS = Path(sysconfig.get_paths()["purelib"]) / "cmeel.prefix/share/example-robot-data/robots"
PANDA = ROBOTS / "panda_description/urdf/panda.urdf"


@pytest.fixture(scope="module")
def panda():
    return ar.load(PANDA)


@pytest.fixture(scope="module")
def figure():
    kinds = ["revolute", "spherical", "planar", "universal"]
    return ar.random_tree(7, 1.5, joints=kinds, rng=3)


def state(model, seed=0):
    rng = np.random.default_rng(seed)
    return model.random(rng), *rng.normal(size=(2, model.nv))


AXES = {
    "local": pin.LOCAL,
    "world_aligned": pin.LOCAL_WORLD_ALIGNED,
    "world": pin.WORLD,
}


@pytest.mark.parametrize("axes", AXES)
def test_frame_motion_is_pinocchios(panda, axes):
    theirs = pin.buildModelFromUrdf(str(PANDA))
    data = theirs.createData()
    q, qd, qdd = state(panda)
    pin.forwardKinematics(theirs, data, q, qd, qdd)
    pin.updateFramePlacements(theirs, data)
    for frame in ("panda_hand", "panda_link4", "panda_leftfinger"):
        k = theirs.getBodyId(frame)
        v = pin.getFrameVelocity(theirs, data, k, AXES[axes])
        a = pin.getFrameAcceleration(theirs, data, k, AXES[axes])
        np.testing.assert_allclose(
            panda.frame_velocity(q, qd, frame, axes=axes), [*v.angular, *v.linear], atol=1e-9
        )
        np.testing.assert_allclose(
            panda.frame_acceleration(q, qd, qdd, frame, axes=axes),
            [*a.angular, *a.linear],
            atol=1e-9,
        )
        if axes != "world":
            c = pin.getFrameClassicalAcceleration(theirs, data, k, AXES[axes])
            got = panda.frame_acceleration(q, qd, qdd, frame, axes=axes, classical=True)
            np.testing.assert_allclose(got, [*c.angular, *c.linear], atol=1e-9)


def test_frame_velocity_is_jacobian_times_rates(figure):
    q, qd, _ = state(figure)
    for axes in AXES:
        J = figure.jacobian(q, "body5", axes=axes)
        np.testing.assert_allclose(figure.frame_velocity(q, qd, "body5", axes=axes), J @ qd)


def test_locked_joints_stay_where_they_were(figure):
    q, qd, qdd = state(figure)
    still = [figure.joint_names[k] for k in (1, 3, 4)]
    keep = [n for n in figure.joint_names if n not in still]
    rest = figure.lock(still, q)
    assert rest.joint_names == tuple(keep)
    pick_q = np.concatenate([np.r_[figure.slice_q(n)] for n in keep])
    pick_v = np.concatenate([np.r_[figure.slice_qd(n)] for n in keep])
    for name in figure.frame_names:
        np.testing.assert_allclose(
            rest.frame_pose(q[pick_q], name), figure.frame_pose(q, name), atol=1e-12
        )
    M = figure.mass_matrix(q)[np.ix_(pick_v, pick_v)]
    np.testing.assert_allclose(rest.mass_matrix(q[pick_q]), M, atol=1e-12)
    qd_all, qdd_all = np.zeros((2, figure.nv))
    qd_all[pick_v], qdd_all[pick_v] = qd[pick_v], qdd[pick_v]
    tau = figure.inverse_dynamics(q, qd_all, qdd_all)[pick_v]
    got = rest.inverse_dynamics(q[pick_q], qd[pick_v], qdd[pick_v])
    np.testing.assert_allclose(got, tau, atol=1e-11)


def test_locking_a_leader_locks_its_followers():
    tied = ar.load(PANDA, mimic=True)
    q = tied.random(1)
    rest = tied.lock("panda_finger_joint1", q)
    assert rest.nv == tied.nv - 1 and rest.nb == tied.nb - 2
    for finger in ("panda_leftfinger", "panda_rightfinger"):
        np.testing.assert_allclose(
            rest.frame_pose(q[:-1], finger), tied.frame_pose(q, finger), atol=1e-12
        )


def test_attached_figures_move_as_one(panda, figure):
    place = ar.pose((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
    both = panda.attach(figure, "panda_hand", placement=place, prefix="tool_")
    assert both.nv == panda.nv + figure.nv
    assert both.mass == pytest.approx(panda.mass + figure.mass)
    rng = np.random.default_rng(2)
    q1, q2 = panda.random(rng), figure.random(rng)
    q = np.empty(both.nq)
    for model, part, prefix in ((panda, q1, ""), (figure, q2, "tool_")):
        for joint in model.joint_names:
            q[both.slice_q(prefix + joint)] = part[model.slice_q(joint)]
    hand = panda.frame_pose(q1, "panda_hand")
    expected = hand @ np.array(place.matrix()) @ figure.frame_pose(q2, "body6")
    np.testing.assert_allclose(both.frame_pose(q, "tool_body6"), expected, atol=1e-12)
    qd, qdd = rng.normal(size=(2, both.nv))
    tau = both.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(both.forward_dynamics(q, qd, tau), qdd, atol=1e-8)


def test_attaching_needs_names_that_differ(panda):
    with pytest.raises(ar.ModelError, match="prefix="):
        panda.attach(panda, "panda_hand")
    with pytest.raises(ar.ModelError, match=r"no body or frame 'hand'.*Nearest"):
        panda.attach(panda, "hand", prefix="b_")
    with pytest.raises(ar.ModelError, match="no joint 'elbow'"):
        panda.lock(["elbow"], panda.neutral())
    with pytest.raises(ar.ShapeError, match=r"\(3,\)"):
        panda.lock(["panda_joint1"], [0, 0, 0])
    with pytest.raises(ar.ModelError, match="no point of the frame"):
        panda.frame_acceleration(*state(panda), "panda_hand", axes="world", classical=True)


def test_random_poses_come_in_numbers(panda, figure):
    for model in (panda, figure):
        many = model.random(0, 50)
        assert many.shape == (50, model.nq) and len(np.unique(many[:, 0])) == 50
        assert np.all((many >= model.q_lower) & (many <= model.q_upper))
        assert model.random(0, 0).shape == (0, model.nq)


# The command


def test_the_command_says_what_is_wrong(capsys, monkeypatch):
    from arthron import __main__ as command

    monkeypatch.setattr("sys.argv", ["arthron", "nosuch.urdf"])
    assert command.main() == 1
    assert "nosuch.urdf" in capsys.readouterr().err
