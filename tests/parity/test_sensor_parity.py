"""Sensors read what Pinocchio computes for frames, and passes through joints."""

import numpy as np
import pinocchio as pin
import pytest
from pinocchio_layout import SWAP, load_both, relative_error, robot_file, states
from test_joint_kinds import FIGURES, build_theirs, with_armature

import arthron as ar

ROBOTS = [("panda_description/panda", "fixed"), ("talos_data/talos_reduced", "floating")]


def pairs():
    """Figures in both libraries: robots with merged links, and trees of several kinds of joint."""
    for name, base in ROBOTS:
        yield pytest.param(lambda n=name, b=base: load_both(robot_file(n), b), id=name)
    for name in ("mixed chain", "mixed tree", "wide tree"):
        model = with_armature(FIGURES[name])
        yield pytest.param(lambda m=model: (m, build_theirs(m)), id=name)


def rates(theirs, q, qd, qdd):
    """Their state."""
    P = theirs.P(q)
    return theirs.positions(q), P @ qd, P @ qdd + theirs.drift(q, qd)


@pytest.mark.parametrize("make", list(pairs()))
def test_frames(make):
    model, theirs = make()
    state = states(model, 2, seed=4)
    local, world = pin.ReferenceFrame.LOCAL, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    for frame in model.frame_names[:: max(1, len(model.frame_names) // 8)]:
        k = theirs.pin.getBodyId(frame)
        for row in range(2):
            q, qd, qdd = (state[n][row] for n in ("q", "qd", "qdd"))
            pin.forwardKinematics(theirs.pin, theirs.data, *rates(theirs, q, qd, qdd))
            pin.updateFramePlacements(theirs.pin, theirs.data)
            place = theirs.data.oMf[k]
            a = pin.getFrameClassicalAcceleration(theirs.pin, theirs.data, k, local).linear
            expected = {
                "position": place.translation,
                "velocity": pin.getFrameVelocity(theirs.pin, theirs.data, k, world).linear,
                "gyroscope": pin.getFrameVelocity(theirs.pin, theirs.data, k, local).angular,
                "accelerometer": a - place.rotation.T @ model.gravity,
            }
            given = {"position": (q,), "accelerometer": (q, qd, qdd)}
            for kind, value in expected.items():
                page = getattr(ar.sensors, kind)(model, frame)
                ours = ar.evaluate(page, model, *given.get(kind, (q, qd)))
                assert relative_error(ours[None], value[None]) < 1e-9, (frame, kind)


@pytest.mark.parametrize("make", list(pairs()))
def test_wrenches_through_joints(make):
    model, theirs = make()
    state = states(model, 2, seed=5)
    for row in range(2):
        q, qd, qdd, f_ext = (state[n][row] for n in ("q", "qd", "qdd", "f_ext"))
        pin.rnea(theirs.pin, theirs.data, *rates(theirs, q, qd, qdd), theirs.body_forces(f_ext))
        for joint in model.joint_names[:: max(1, model.nb // 8)]:
            expected = theirs.data.f[theirs.pin.getJointId(joint)].vector[SWAP]
            ours = ar.evaluate(ar.sensors.joint_wrench(model, joint), model, q, qd, qdd, f_ext)
            assert relative_error(ours[None], np.array(expected)[None]) < 1e-9, joint
