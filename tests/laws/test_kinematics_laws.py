"""Velocities are rates of poses, accelerations of velocities, and Jacobians give both."""

import numpy as np
import pytest
from law_figures import PUPPET, assert_close, difference_in_time, for_figures, rate, state

import arthron as ar
from arthron._algorithms.kinematics import frame_pose, point_jacobian
from arthron.algorithms import accelerations, jacobians, poses, velocities


def twist_matrices(v):
    """The 4 x 4 matrix of each twist: [w] and v, so that the rate of a pose T is T times it."""
    result = np.zeros((*v.shape[:-1], 4, 4))
    w, u = v[..., :3], v[..., 3:]
    for (i, j), k in {(2, 1): 0, (0, 2): 1, (1, 0): 2}.items():
        result[..., i, j], result[..., j, i] = w[..., k], -w[..., k]
    result[..., :3, 3] = u
    return result


@for_figures()
def test_poses_are_rigid(model):
    q, *_ = state(model)
    T = ar.evaluate(poses, model, q)
    R = T[..., :3, :3]
    assert_close(R @ R.swapaxes(-1, -2), np.broadcast_to(np.eye(3), R.shape), 1e-12)
    assert_close(np.linalg.det(R), np.ones(R.shape[:-2]), 1e-12)
    assert np.all(T[..., 3, :] == [0, 0, 0, 1])


@for_figures()
def test_velocities_are_rates_of_poses(model):
    q, qd, *_ = state(model)
    expected = ar.evaluate(poses, model, q) @ twist_matrices(ar.evaluate(velocities, model, q, qd))
    assert_close(rate(poses, model, q, qd), expected, 1e-12)
    numerical = difference_in_time(
        lambda q, qd: ar.evaluate(poses, model, q), model, q, qd, 0.0 * qd
    )
    assert_close(numerical, expected, 1e-6)


@for_figures()
def test_velocities_are_jacobians_times_qd(model):
    q, qd, *_ = state(model)
    J = ar.evaluate(jacobians, model, q)
    v = np.einsum("...bij,...j->...bi", J, qd)
    assert_close(ar.evaluate(velocities, model, q, qd), v, 1e-13)
    by_qd = ar.evaluate(ar.jacobian(velocities, "qd"), model, q, qd)
    assert_close(by_qd, J, 1e-13)


@for_figures()
def test_accelerations_are_rates_of_velocities(model):
    q, qd, qdd, *_ = state(model)
    a = ar.evaluate(accelerations, model, q, qd, qdd)
    assert_close(rate(velocities, model, q, qd, qdd), a, 1e-12)
    numerical = difference_in_time(
        lambda q, qd: ar.evaluate(velocities, model, q, qd), model, q, qd, qdd
    )
    assert_close(numerical, a, 1e-6)


def test_planar_axes_turn_with_the_body():
    """The one joint whose S depends on q: uniform motion in the plane has no acceleration."""
    model = ar.Model([ar.Body("puck", ar.Planar("z"), shapes=[ar.Sphere(0.1)])])
    q, qd = np.array([[0.3, -0.4, 0.9]]), np.array([[1.0, 2.0, 3.0]])
    c, s = np.cos(0.9), np.sin(0.9)
    in_body = [c * 1.0 + s * 2.0, c * 2.0 - s * 1.0]
    v = ar.evaluate(velocities, model, q, qd)
    assert_close(v[0, 0], [0, 0, 3, *in_body, 0], 1e-15)
    a = ar.evaluate(accelerations, model, q, qd, 0 * qd)
    classical = a[0, 0, 3:] + np.cross(v[0, 0, :3], v[0, 0, 3:])
    assert np.abs(classical).max() < 1e-14
    assert np.abs(a).max() > 1.0


@pytest.mark.parametrize(
    "normal",
    ["x", "y", "z", (1, 2, 3), (0, 0, -1), (1e-9, 0, -1), (1, -1, 0), (0, -1, 0), (-2, 1, -7)],
    ids=str,
)
def test_planar_axes_span_the_plane(normal):
    joint = ar.Planar(normal)
    frame = np.array([*joint.axes(), joint.normal])
    assert_close(frame @ frame.T, np.eye(3), 1e-15)
    assert np.linalg.det(frame) == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize("axes", ["local", "world_aligned", "world"])
@pytest.mark.parametrize("name", ["arm", "post", "skate"])
def test_jacobian_of_a_point(name, axes):
    q, qd, *_ = state(PUPPET)
    where = vars(PUPPET.frame(name))
    point = np.array([0.3, -0.2, 0.5])

    def page(tree, q, point):
        return point_jacobian(tree, q, point, **where, axes=axes)

    def pose_page(tree, q):
        return frame_pose(tree, q, **where)

    J = ar.evaluate(page, PUPPET, q, point, shapes={"point": (3,)})
    twist = np.einsum("...ij,...j->...i", J, qd)
    T, T_rate = ar.evaluate(pose_page, PUPPET, q), rate(pose_page, PUPPET, q, qd)
    R, spin = T[:, :3, :3], T_rate[:, :3, :3] @ T[:, :3, :3].swapaxes(-1, -2)
    w = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=-1)  # in world axes
    at_point = T_rate[:, :3, 3] + T_rate[:, :3, :3] @ point
    place = T[:, :3, 3] + R @ point
    expected = {
        "local": [np.einsum("nji,nj->ni", R, x) for x in (w, at_point)],
        "world_aligned": [w, at_point],
        "world": [w, at_point - np.cross(w, place)],
    }[axes]
    assert_close(twist, np.concatenate(expected, axis=-1), 1e-12)
