"""From joints to bodies that are kept one by one, and back: poses, velocities, forces (LJ12 §6)."""

import numpy as np
import pytest
from every_joint import FIGURES, case, each, times, transposed
from law_figures import PUPPET, assert_close
from scipy.linalg import expm

import arthron as ar
from arthron.algorithms import (
    body_torques,
    cartesian_forces_at,
    generalized_coordinates,
    generalized_forces,
    generalized_forces_of_joints,
    generalized_velocities_least_squares,
    integrate,
    jacobians,
    joint_jacobians,
    link_jacobians,
    poses,
    velocities,
)


def arrays(name, *names):
    given = case(name)
    return FIGURES[name], *(given[n] for n in names)


def near(model, q):
    """Coordinates a little off."""
    step = 0.1 * np.random.default_rng(4).normal(size=(len(q), model.nv))
    return ar.evaluate(integrate, model, q, step)


def points_of(model, q):
    return np.random.default_rng(5).normal(size=(len(q), model.nb, 3))


# There and back


@each(FIGURES)
def test_poses_velocities_and_forces_come_back(name):
    """q, qd and tau by way of bodies that know nothing of joints, to 1e-10."""
    model, q, qd, tau = arrays(name, "q", "qd", "tau")
    T, v = ar.evaluate(poses, model, q), ar.evaluate(velocities, model, q, qd)
    found, residual = ar.evaluate(generalized_coordinates, model, T, near(model, q))
    assert_close(found, q, 1e-10)
    assert np.abs(residual).max() < 1e-12
    rates, residual = ar.evaluate(ar.algorithms.generalized_velocities, model, found, v)
    assert_close(rates, qd, 1e-10)
    assert np.abs(residual).max() < 1e-12 * np.abs(v).max()
    points = points_of(model, q)
    f, torques = ar.evaluate(cartesian_forces_at, model, q, tau, points)
    joints = np.concatenate([torques, 0 * torques], axis=-1)
    felt = ar.evaluate(body_torques, model, q, joints)
    Q = ar.evaluate(generalized_forces, model, q, f, felt[..., :3], points)
    assert_close(Q, tau, 1e-10)


@pytest.fixture(scope="module")
def puppet():
    """The figure with every kind of joint, at three states, compiled."""
    rng = np.random.default_rng(0)
    q = PUPPET.random(rng, size=6).reshape(2, 3, -1)
    return q, *rng.normal(size=(2, 2, 3, PUPPET.nv))


def test_methods_of_a_model_over_two_axes(puppet):
    """The same round trip by compiled methods, without a guess, of a batch of batches."""
    q, qd, tau = puppet
    found, residual = PUPPET.generalized_coordinates(PUPPET.body_poses(q))
    assert_close(PUPPET.difference(found, q), 0 * qd, 1e-10, scale=1.0)
    assert np.abs(residual).max() < 1e-12
    v = PUPPET.body_velocities(q, qd)
    assert_close(PUPPET.generalized_velocities(q, v)[0], qd, 1e-10)
    assert_close(PUPPET.generalized_velocities_least_squares(q, v)[0], qd, 1e-10)
    w = PUPPET.body_torques(q, PUPPET.joint_torques(q, tau))
    at_center = np.stack([np.array(I.com()) for I in PUPPET.tree.I[1:]])
    again = PUPPET.generalized_forces(
        q, w[..., 3:], w[..., :3], np.broadcast_to(at_center, (2, 3, *at_center.shape))
    )
    assert_close(again, tau, 1e-10)


def test_what_is_left_out_keeps_single_precision(puppet):
    q, qd, _ = (x.astype(np.float32) for x in puppet)
    found, _ = PUPPET.generalized_coordinates(PUPPET.body_poses(q))
    v = PUPPET.body_velocities(q, qd)
    rates, _ = PUPPET.generalized_velocities_least_squares(q, v)
    assert found.dtype == rates.dtype == np.float32
    assert_close(rates, qd, 1e-3)


def test_bodies_as_engines_keep_them(puppet):
    """Centres of mass and velocities in the world, by what points of the links do."""
    q, qd, _ = puppet
    there = ar.interop.to_bodies(PUPPET, q, qd)
    found, rates = ar.interop.from_bodies(PUPPET, there, near=q)
    assert_close(found, q, 1e-10)
    assert_close(rates, qd, 1e-10)
    still = there._replace(velocity=np.zeros((PUPPET.nb, 3)), angular_velocity=np.zeros((7, 3)))
    assert not ar.interop.from_bodies(PUPPET, still)[1].any()  # one row for all
    i, h = PUPPET.body_names.index("ball"), 1e-6
    sooner, later = (ar.interop.to_bodies(PUPPET, PUPPET.integrate(q, k * qd), qd) for k in (-h, h))
    speed = (later.position - sooner.position) / (2 * h)
    assert_close(there.velocity, speed, 1e-7)
    assert_close(there.position[..., i, :], PUPPET.frame_pose(q, "ball.com")[..., :3, 3], 1e-12)
    aligned = PUPPET.frame_velocity(q, qd, "ball", axes="world_aligned")
    assert_close(there.angular_velocity[..., i, :], aligned[..., :3], 1e-12)
    _, _, y, z = np.moveaxis(there.quaternion, -1, 0)
    assert_close(1 - 2 * (y * y + z * z), PUPPET.body_poses(q)[..., 0, 0], 1e-12)
    turned = there._replace(quaternion=there.quaternion[0, 0])
    assert ar.interop.from_bodies(PUPPET, turned)[0].shape == q.shape
    single = ar.interop.to_bodies(PUPPET, q.astype(np.float32), qd.astype(np.float32))
    assert {x.dtype for x in single} == {np.dtype(np.float32)}
    for wrong, words in (
        (
            there._replace(velocity=np.zeros(2)),
            r"`velocity` has shape \(2,\). Give .*\(..., 7, 3\)",
        ),
        (there._replace(velocity=None), "`velocity` holds object values. Give real numbers"),
        (tuple(there[:2]), "`state` is a tuple. Give .*; poses alone are for"),
        (there._replace(velocity=there.velocity[:, :2]), "leading axes do not broadcast"),
    ):
        with pytest.raises(ar.ShapeError, match=words):
            ar.interop.from_bodies(PUPPET, wrong)


def test_single_precision_stays_single_where_something_is_left_out():
    model = ar.Model(
        [ar.Body("ball", ar.Spherical(), shapes=[ar.Sphere(0.1, placement=(0, 0, 1))])]
    )
    q, qd = (x.astype(np.float32) for x in (model.random(0), np.ones(3)))
    found = model.generalized_coordinates(model.body_poses(q))
    rates = model.generalized_velocities_least_squares(q, model.body_velocities(q, qd))
    there = ar.interop.to_bodies(model, q, qd)
    for x in (*found, *rates, *there, *ar.interop.from_bodies(model, there)):
        assert x.dtype == np.float32
    assert_close(found[0], q, 1e-6)


def test_a_figure_of_nothing_comes_back():
    nothing = ar.Model([])
    there = ar.interop.to_bodies(nothing, [], [])
    assert [x.shape for x in there] == [(0, 3), (0, 4), (0, 3), (0, 3)]
    assert [x.shape for x in ar.interop.from_bodies(nothing, there)] == [(0,), (0,)]


# Coordinates


@each(FIGURES)
def test_poses_that_joints_do_not_allow_leave_a_residual(name):
    """It is the twist from the given poses to those of the coordinates found."""
    model, q = arrays(name, "q")
    T = ar.evaluate(poses, model, q)
    T[:, -1, :3, 3] += 0.1
    found, residual = ar.evaluate(generalized_coordinates, model, T, q)
    reached = ar.evaluate(poses, model, found)
    for k in range(len(q)):
        for i in range(model.nb):
            w, v = residual[k, i].reshape(2, 3)
            twist = np.block([[np.cross(w, -np.eye(3)), v[:, None]], [np.zeros((1, 4))]])
            assert_close(T[k, i] @ expm(twist), reached[k, i], 1e-10)


def test_a_mirror_is_no_pose():
    """Nor are zeros; what was measured is, though its axes are not quite at right angles."""
    model = ar.random_tree(2, rng=0)
    poses = np.tile(model.body_poses(model.neutral()), (4, 1, 1, 1))
    poses[0, :, :3, 0] *= -1.0
    poses[1] = 0.0
    poses[2, :, :3, :3] += 0.02 * np.random.default_rng(0).normal(size=(2, 3, 3))
    spoilt = np.isnan(model.generalized_coordinates(poses)[1]).all((-1, -2))
    assert spoilt.tolist() == [True, True, False, False]


def test_angles_are_within_half_a_turn_of_those_that_are_near():
    joints = {
        "hinge": (ar.Revolute("y"), [3.0 + 4 * np.pi]),
        "screw": (ar.Helical("x", 0.2), [-21.0]),
        "plane": (ar.Planar("y"), [1.0, 2.0, 9.0]),
        "ball": (
            ar.Spherical("exponential"),
            np.array([0.3, -0.4, 0.2]) * (1 + 2 * np.pi / 0.29**0.5),
        ),
        "gimbal": (ar.Euler("zyx"), [7.0, 2.0, -9.0]),
        "proper": (ar.Euler("xzx"), [7.0, -1.0, -9.0]),
        "cross": (ar.Universal("x", (0.6, 0.8, 0)), [-8.0, 11.0]),
        "quaternion": (ar.Spherical(), [-0.8, 0.6, 0.0, 0.0]),
    }
    for joint, q in joints.values():
        X, *_ = joint(tuple(q), (0.0,) * joint.nv)
        assert_close(joint.find(X, tuple(np.array(q) + 0.1)), np.array(q), 1e-12)
        short = joint.find(X, joint.neutral())
        Y, *_ = joint(short, (0.0,) * joint.nv)
        assert_close(np.array(Y.matrix()), np.array(X.matrix()), 1e-12)
        if not isinstance(joint, ar.Helical):  # whose place along its axis tells the turns
            assert np.abs(np.array(short) - np.array(q)).max() > 1.0


@pytest.mark.parametrize("sequence", ["xyz", "zxz"])
def test_at_the_pole_of_euler_angles_the_first_stays_as_it_was(sequence):
    joint = ar.Euler(sequence)
    pole = (0.4, np.pi / 2 if sequence == "xyz" else 0.0, 0.3)
    X, *_ = joint(pole, (0.0,) * 3)
    assert_close(joint.find(X, (0.35, pole[1], 0.2)), [0.35, pole[1], 0.35], 1e-7)


def test_a_crossing_is_passed_the_way_that_is_near():
    """A figure of eight: two places of the curve have the same pose but for its turn."""
    corners = [
        (0, 0, 0),
        (1, 1, 0),
        (2, 0, 0),
        (1, -1, 0),
        (0, 0, 0),
        (-1, 1, 0),
        (-2, 0, 0),
        (-1, -1, 0),
    ]
    track = ar.SplineCurve(corners, cyclic=True)
    at = [q for q in np.linspace(0, 8, 161) if abs(track((q,), (0.0,))[0].r.x) < 1e-9]
    assert len(at) == 2
    for q in at:
        X, *_ = track((q,), (0.0,))
        (found,) = track.find(X, (q + 0.2,))
        assert found == pytest.approx(q, abs=1e-9)


# Velocities of some links


@each(FIGURES)
def test_any_independent_rows_give_the_same_velocities(name):
    """J' of LJ12 §6.1: random numbers of all twists, just enough; the others are NaN."""
    model, q, qd = arrays(name, "q", "qd")
    v = ar.evaluate(velocities, model, q, qd)
    J = ar.evaluate(jacobians, model, q).reshape(len(q), -1, model.nv)
    rng, tried = np.random.default_rng(7), 0
    for k in range(len(q)):
        chosen: list[int] = []
        for row in rng.permutation(6 * model.nb):
            if np.linalg.matrix_rank(J[k, [*chosen, row]], tol=0.05) > len(chosen):
                chosen.append(row)
        if len(chosen) < model.nv:
            continue  # a figure close to singular there
        weights = np.zeros(6 * model.nb)
        weights[chosen] = rng.uniform(0.5, 2.0, model.nv)
        known = np.where(weights > 0, v[k].ravel(), np.nan).reshape(model.nb, 6)
        found, residual = ar.evaluate(
            generalized_velocities_least_squares, model, q[k], known, weights.reshape(-1, 6)
        )
        assert_close(found, qd[k], 1e-7)
        assert np.abs(residual).max() < 1e-9
        tried += 1
    assert tried


def test_weights_are_not_negative():
    given = np.zeros(PUPPET.nq), np.zeros((PUPPET.nb, 6)), -np.ones((PUPPET.nb, 6))
    with pytest.raises(ar.ModelError, match="some `weights` are negative"):
        PUPPET.generalized_velocities_least_squares(*given)


def test_angular_velocities_are_enough_where_all_joints_turn():
    """LJ12 66, and weighted least squares against NumPy where there is no exact answer."""
    model = ar.random_tree(5, 1.6, joints=("revolute", "universal", "spherical"), rng=3)
    rng = np.random.default_rng(1)
    q, v, w = model.random(rng), rng.normal(size=(model.nb, 6)), rng.uniform(0.1, 3, (model.nb, 6))
    J = ar.evaluate(jacobians, model, q).reshape(-1, model.nv)
    w[:, 3:] = 0.0
    found, residual = ar.evaluate(generalized_velocities_least_squares, model, q, v, w)
    root = np.sqrt(w.ravel())
    expected = np.linalg.lstsq(root[:, None] * J, root * v.ravel(), rcond=None)[0]
    assert_close(found, expected, 1e-10)
    assert_close(
        residual[:, :3].ravel(), (J @ found - v.ravel()).reshape(-1, 6)[:, :3].ravel(), 1e-10
    )
    assert not residual[:, 3:].any()


@each(FIGURES)
def test_jacobians_of_joints(name):
    """LJ12 65: R^T D of the links' Jacobians, and what moves a body against its parent."""
    model, q, qd = arrays(name, "q", "qd")
    hat = ar.evaluate(joint_jacobians, model, q)
    _, Jw = ar.evaluate(link_jacobians, model, q)
    T = ar.evaluate(poses, model, q)
    for i in range(model.nb):
        p = model.tree.parent[i + 1] - 1
        R, above = (T[:, p, :3, :3], Jw[:, p]) if p >= 0 else (np.eye(3), 0.0)
        assert_close(
            hat[:, i, :3], transposed(R) @ (Jw[:, i] - above) if p >= 0 else Jw[:, i], 1e-12
        )
    q_later = ar.evaluate(integrate, model, q, 1e-6 * qd)
    q_before = ar.evaluate(integrate, model, q, -1e-6 * qd)
    for i in range(model.nb):
        p = model.tree.parent[i + 1] - 1

        def place(q, i=i, p=p):
            T = ar.evaluate(poses, model, q)
            return (
                T[:, i, :3, 3]
                if p < 0
                else times(transposed(T[:, p, :3, :3]), T[:, i, :3, 3] - T[:, p, :3, 3])
            )

        slope = (place(q_later) - place(q_before)) / 2e-6
        assert_close(times(hat[:, i, 3:], qd), slope, 1e-7, scale=1.0)


def test_euler_angles_as_printed():
    """LJ12 52: (x, Rx y, Rx Ry z) for three Euler angles."""
    model = ar.random_tree(1, joints=(ar.Euler("xyz"),), rng=0)
    q = np.array([0.4, -0.7, 1.1])
    Rx, Ry = (
        np.array(ar.spatial.rotation(ar.spatial.Vec3(*axis), x))
        for axis, x in zip(np.eye(3), q[:2], strict=False)
    )
    printed = np.stack([[1, 0, 0], Rx @ [0, 1, 0], Rx @ Ry @ [0, 0, 1]], axis=-1)
    E = model.tree.Xtree[1].E
    hat = ar.evaluate(joint_jacobians, model, q)[0]
    assert_close(hat[:3], np.array(E).T @ printed, 1e-14)


# Forces


@each(FIGURES)
def test_forces_at_known_points_are_the_least_that_do(name):
    """The pseudo-inverse of (Jv'^T J^^T), LJ12 69."""
    model, q, tau = arrays(name, "q", "tau")
    points = points_of(model, q)
    f, torques = ar.evaluate(cartesian_forces_at, model, q, tau, points)
    T, J = ar.evaluate(poses, model, q), ar.evaluate(jacobians, model, q)
    hat = ar.evaluate(joint_jacobians, model, q)[..., :3, :]
    Jv = T[..., :3, :3] @ (J[..., 3:, :] + np.cross(J[..., :3, :], points[..., None], axis=-2))
    A = np.concatenate([Jv, hat], axis=1).reshape(len(q), -1, model.nv)
    expected = times(np.linalg.pinv(transposed(A)), tau)
    assert_close(np.concatenate([f, torques], 1).reshape(len(q), -1), expected, 1e-9)


@each(FIGURES)
def test_torques_of_joints_as_bodies_feel_them(name):
    """LJ12 68: t' = D^T R t^, and nothing is left over for the figure as a whole."""
    model, q, w = arrays(name, "q", "f_ext")
    felt = ar.evaluate(body_torques, model, q, w)
    T = ar.evaluate(poses, model, q)
    turning = w * np.repeat([1.0, 0.0], 3)
    t = ar.evaluate(body_torques, model, q, turning)[..., :3]
    D = np.eye(model.nb)
    for i in range(model.nb):
        p = model.tree.parent[i + 1] - 1
        if p >= 0:
            D[i, p] = -1.0
    R = [
        T[:, p, :3, :3]
        if (p := model.tree.parent[i + 1] - 1) >= 0
        else np.broadcast_to(np.eye(3), T[:, 0, :3, :3].shape)
        for i in range(model.nb)
    ]
    in_world = np.stack([times(r, turning[:, i, :3]) for i, r in enumerate(R)], 1)
    assert_close(t, np.einsum("ij,nik->njk", D, in_world), 1e-13)
    Q = ar.evaluate(generalized_forces_of_joints, model, q, w)
    com = np.broadcast_to([np.array(I.com()) for I in model.tree.I[1:]], (*felt.shape[:-1], 3))
    assert_close(
        ar.evaluate(generalized_forces, model, q, felt[..., 3:], felt[..., :3], com), Q, 1e-12
    )
