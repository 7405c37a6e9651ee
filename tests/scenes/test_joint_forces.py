"""What acts at joints of any kind: springs, limits, torques, their energies and slopes."""

import numpy as np
import pytest
from scene_cases import (
    JOINTS,
    by_motion,
    close,
    figure,
    one_body,
    potential,
    pushes,
    simulate,
    start,
)

import arthron as ar
from arthron import forces
from arthron._scene.element import Here
from arthron._scene.ports import Port, linearised


def one_joint(name, element):
    return ar.Scene(one_body(JOINTS[name]), [element])


@pytest.mark.parametrize("name", JOINTS)
def test_a_spring_at_a_joint_of_any_kind(name):
    joint = JOINTS[name]
    rng = np.random.default_rng(1)
    rest, qd = np.array(joint.random(rng)), rng.normal(size=joint.nv)
    scene = one_joint(name, forces.JointSpring("body", 3.0, 0.5, rest))
    q = scene.model.integrate(rest, 0.3 * rng.normal(size=joint.nv))
    away = np.array(joint.difference(rest, q), float)
    assert potential(scene, q) == pytest.approx(1.5 * away @ away, rel=1e-12)
    still = pushes(scene, q, 0.0 * qd)
    slope = by_motion(lambda q: potential(scene, q), scene.model, q, 1e-3)
    close(still, -slope, 1e-8)
    if name != "free":  # there, length and slope of a twist are not in line
        close(still, -3.0 * away, 1e-12)
    close(pushes(scene, q, qd) - still, -0.5 * qd, 1e-12)


@pytest.mark.parametrize("name", ["spherical", "free", "composite", "charts", "universal"])
def test_a_spring_with_several_stiffnesses_has_an_energy(name):
    joint = JOINTS[name]
    rng = np.random.default_rng(2)
    k = np.arange(1.0, joint.nv + 1)
    scene = one_joint(name, forces.JointSpring("body", k))
    q = scene.model.integrate(scene.model.neutral(), 0.7 * rng.normal(size=joint.nv))
    slope = by_motion(lambda q: potential(scene, q), scene.model, q, 1e-3)
    close(pushes(scene, q, np.zeros(joint.nv)), -slope, 1e-8)


@pytest.mark.parametrize("name", ["charts", "charts zyx"])
def test_a_spring_is_the_same_in_both_charts(name):
    scene = one_joint(name, forces.JointSpring("body", 3.0, 0.0, (0.1, -0.2, 0.3, 0.0)))
    q = np.array([0.4, -1.2, 0.7, 0.0])
    other, _ = scene.model.normalize(q, np.zeros(3))
    assert other[3] == 1.0
    assert potential(scene, other) == pytest.approx(potential(scene, q), rel=1e-12)
    for at in (q, other):
        slope = by_motion(lambda q: potential(scene, q), scene.model, at, 1e-3)
        close(pushes(scene, at, np.zeros(3)), -slope, 1e-8)


def test_a_spring_rests_in_the_neutral_pose_unless_told():
    for name in ("spherical", "euler xzx", "custom", "free"):
        scene = one_joint(name, forces.JointSpring("body", 3.0))
        nothing = pushes(scene, scene.model.neutral(), np.zeros(scene.model.nv))
        assert np.abs(nothing).max() < 1e-15


@pytest.mark.parametrize("q", [-0.9, -0.5, -0.3, 0.0, 0.3, 0.5, 0.9])
def test_a_limit_pushes_back_on_both_sides(q):
    scene = one_joint("revolute", forces.JointLimit("body", 50.0, 3.0, -0.4, 0.6))
    beyond = min(q + 0.4, 0.0) + max(q - 0.6, 0.0)
    for rate in (-1.5, 2.0):
        expected = -50.0 * beyond - 3.0 * rate * (beyond != 0.0)
        assert pushes(scene, np.array([q]), np.array([rate]))[0] == pytest.approx(expected)
    assert potential(scene, np.array([q])) == pytest.approx(25.0 * beyond**2)


def test_limits_are_those_of_the_model_and_one_for_each_coordinate():
    model = figure()
    q, qd = start(model, 5)
    q[model.slice_q("leg")], q[model.slice_q("hand")] = 1.0, (-2.0, 0.1)
    scene = ar.Scene(model, [
        forces.JointLimit("leg", 10.0), forces.JointLimit("hand", 8.0, 0.0, (-1.0, 0.3), 2.0)
    ])  # fmt: skip
    found = pushes(scene, q, qd) - pushes(ar.Scene(model), q, qd)
    assert found[model.slice_qd("leg")] == pytest.approx(-3.0)
    np.testing.assert_allclose(found[model.slice_qd("hand")], [8.0, 1.6])


def test_a_torque_is_a_function_of_all_it_is_told():
    model = figure()
    q, qd = start(model, 6)

    def torque(q, qd, t):
        return [q[0] * t, qd[0] * qd[1] - q[1], ar.sin(q[2] + qd[2]) * t * t]

    found = pushes(ar.Scene(model, [forces.JointTorque("trunk", torque)]), q, qd, 0.7)
    expected = [q[0] * 0.7, qd[0] * qd[1] - q[1], np.sin(q[2] + qd[2]) * 0.49]
    np.testing.assert_allclose(found[:3], expected - np.array([0.3, 0.2, 0.1]) * qd[:3], rtol=1e-13)
    assert not found[3:].any()
    one_for_all = ar.Scene(model, [forces.JointTorque("hand", lambda q, qd, t: 2.0)])
    np.testing.assert_allclose(pushes(one_for_all, q, qd)[model.slice_qd("hand")], 2.0)


@pytest.mark.parametrize("name", ["spherical", "universal", "free", "euler", "composite"])
def test_slopes_of_forces_at_joints(name):
    joint = JOINTS[name]
    rng = np.random.default_rng(3)
    q, qd = np.array(joint.random(rng)), rng.normal(size=joint.nv)
    model = one_body(joint)

    def law(q, qd, t):
        return [ar.sin(q[k]) * qd[k] + t * q[0] * qd[0] * qd[-1] for k in range(joint.nv)]

    element = forces.JointTorque("body", law)
    here = Here(0.3, (), [list(q)], [list(qd)], [joint], {}, model.tree)
    _, stiff, damp = linearised(element, [Port(1, None, joint.nv)], here, True)

    def numbers(q, qd):
        common = 0.3 * q[..., :1] * qd[0] * qd[-1]
        return np.sin(q[..., : joint.nv]) * qd + common

    whole = by_motion(lambda q: numbers(q, qd), model, q)
    close(stiff, 0.5 * (whole + whole.T), 1e-9, 1.0)
    by_rate = [(numbers(q, qd + 1e-5 * e) - numbers(q, qd - 1e-5 * e)) / 2e-5
               for e in np.eye(joint.nv)]  # fmt: skip
    whole = -np.stack(by_rate, -1)
    close(damp, 0.5 * (whole + whole.T), 1e-9, 1.0)


def test_a_spring_keeps_its_energy_where_coordinates_change():
    """A rotation vector is taken back by whole turns."""
    shape = ar.Box((0.4, 0.3, 0.2), mass=1, placement=(0.02, 0.01, -0.02))
    model = ar.Model([ar.Body("body", JOINTS["exponential"], shapes=[shape])], gravity=(0, 0, 0))
    scene = ar.Scene(model, [forces.JointSpring("body", 0.01)])
    found = simulate(scene, 6.0, 0.05, "Runge-Kutta", qd=[3.0, -5.0, 4.0], tolerance=1e-10)
    assert np.abs(np.diff(found.q, axis=0)).max() > 1.0
    assert np.abs(np.diff(found.energy)).max() < 0.02 * found.energy[0]
