"""Velocities and forces of bodies and of joints say the same (LJ12 §6)."""

import numpy as np
import pytest
from law_figures import assert_close, state
from test_liu_jain import EVERY, FIGURES, centres

import arthron as ar
from arthron.algorithms import (
    cartesian_forces,
    generalized_forces,
    generalized_forces_of_joints,
    generalized_velocities,
    generalized_velocities_least_squares,
    jacobians,
    joint_torques,
    link_jacobians,
    velocities,
)

VELOCITIES = [generalized_velocities, generalized_velocities_least_squares]


def inputs(page, model, *given):
    """What a page takes; weights are one."""
    return (*given, *[np.ones((model.nb, 6))] * (page is generalized_velocities_least_squares))


def convert(page, model, *given):
    return ar.evaluate(page, model, *inputs(page, model, *given))


def stacked(model, q):
    """Velocity of every link by qd: (n, nb * 6, nv), angular first, world axes, at its centre."""
    Jv, Jw = ar.evaluate(link_jacobians, model, q)
    return np.concatenate([Jw, Jv], axis=-2).reshape(len(q), 6 * model.nb, model.nv)


def flat(a):
    return a.reshape(*a.shape[:-2], -1)


# Velocities


@EVERY
@pytest.mark.parametrize("page", VELOCITIES)
def test_velocities_that_joints_allow_come_back(model, page):
    q, qd, *_ = state(model)
    v = ar.evaluate(velocities, model, q, qd)
    found, residual = convert(page, model, q, v)
    assert_close(found, qd, 1e-10)
    assert np.abs(residual).max() < 1e-12 * np.abs(v).max()


@EVERY
def test_velocities_that_joints_do_not_allow_leave_a_residual(model):
    q, qd, _, _, other = state(model)
    v = ar.evaluate(velocities, model, q, qd) + 0.1 * other
    for page in VELOCITIES:
        found, residual = convert(page, model, q, v)
        assert np.all(np.abs(residual).max((-1, -2)) > 1e-3)
        assert_close(residual, ar.evaluate(velocities, model, q, found) - v, 1e-12)


@EVERY
def test_least_squares_are_the_pseudo_inverse(model):
    q, _, _, _, v = state(model)
    J = ar.evaluate(jacobians, model, q).reshape(len(q), 6 * model.nb, model.nv)
    expected = (np.linalg.pinv(J) @ flat(v)[..., None])[..., 0]
    found, residual = convert(generalized_velocities_least_squares, model, q, v)
    assert_close(found, expected, 1e-9)
    _, local = convert(generalized_velocities, model, q, v)
    size, local_size = (np.linalg.norm(flat(r), axis=-1) for r in (residual, local))
    assert np.all(size <= local_size) and np.all(size > 0.1)


def test_velocities_joint_by_joint_are_the_pseudo_inverse_of_each():
    """LJ12 66: not the least squares of all at once, when the velocities are not possible."""
    model = FIGURES["puppet"]
    q, _, _, _, v = state(model)
    found, _ = convert(generalized_velocities, model, q, v)
    J = ar.evaluate(jacobians, model, q)
    T = ar.evaluate(ar.algorithms.poses, model, q)
    adjoint = np.zeros((len(q), model.nb, 6, 6))
    for i in range(model.nb):
        p = model.tree.parent[i + 1] - 1
        X = np.linalg.inv(T[:, i]) @ (T[:, p] if p >= 0 else np.eye(4))  # parent seen from body
        E, r = X[:, :3, :3], X[:, :3, 3]
        adjoint[:, i, :3, :3] = adjoint[:, i, 3:, 3:] = E
        adjoint[:, i, 3:, :3] = np.cross(r[:, :, None], E, axis=-2)
        parent = v[:, p] if p >= 0 else 0.0 * v[:, i]
        relative = v[:, i] - (adjoint[:, i] @ parent[..., None])[..., 0]
        own = slice(model.tree.v_start[i + 1], model.tree.v_start[i + 2])
        expected = (np.linalg.pinv(J[:, i, :, own]) @ relative[..., None])[..., 0]
        assert_close(found[:, own], expected, 1e-12)
    least, _ = convert(generalized_velocities_least_squares, model, q, v)
    assert np.abs(found - least).max() > 0.1


@pytest.mark.parametrize("page", VELOCITIES)
def test_singular_joints_give_large_numbers_or_none(page):
    model = ar.random_tree(2, joints=(ar.Euler("xyz"),), rng=0)
    q = np.array([0.3, np.pi / 2, 0.2, 0.1, 0.2, 0.3])
    found, _ = convert(page, model, q, np.ones((2, 6)))
    assert not np.abs(found).max() < 1e6


# Forces


def pushes(model, q):
    """Forces, torques and points, three numbers a body."""
    return np.random.default_rng(6).normal(size=(3, len(q), model.nb, 3))


@EVERY
def test_generalized_forces(model):
    q, qd, *_ = state(model)
    f, t, points = pushes(model, q)
    Q = convert(generalized_forces, model, q, f, t, points)
    T = ar.evaluate(ar.algorithms.poses, model, q)
    J = ar.evaluate(jacobians, model, q)
    R = T[..., :3, :3]
    Jw = R @ J[..., :3, :]
    Jv = R @ (J[..., 3:, :] + np.cross(J[..., :3, :], points[..., None], axis=-2))
    expected = np.einsum("nbij,nbi->nj", Jv, f) + np.einsum("nbij,nbi->nj", Jw, t)
    assert_close(Q, expected, 1e-13)
    power = np.einsum("nbij,nj,nbi->n", Jv, qd, f) + np.einsum("nbij,nj,nbi->n", Jw, qd, t)
    assert_close((Q * qd).sum(-1), power, 1e-12)


@EVERY
def test_cartesian_forces_are_the_least_that_do(model):
    q, _, _, Q, _ = state(model)
    found = convert(cartesian_forces, model, q, Q)
    Jt = stacked(model, q).swapaxes(-1, -2)
    assert_close(flat(found), (np.linalg.pinv(Jt) @ Q[..., None])[..., 0], 1e-10)
    _, c, _ = centres(model, q)
    back = convert(generalized_forces, model, q, found[..., 3:], found[..., :3], c)
    assert_close(back, Q, 1e-11)


@EVERY
def test_joint_torques_give_back_their_generalized_force(model):
    q, _, _, Q, _ = state(model)
    w = convert(joint_torques, model, q, Q)
    assert_close(convert(generalized_forces_of_joints, model, q, w), Q, 1e-12)


@EVERY
def test_joint_torques_act_on_body_and_parent(model):
    """LJ12 68: on the body in the parent's axes, the opposite on the parent."""
    q, _, _, _, w = state(model)
    T = ar.evaluate(ar.algorithms.poses, model, q)
    f, t, points = np.zeros((3, len(q), model.nb, 3))
    for i in range(model.nb):
        p = model.tree.parent[i + 1] - 1
        R = T[:, p, :3, :3] if p >= 0 else np.eye(3)
        torque, force = ((R @ w[:, i, k, None])[..., 0] for k in (slice(3), slice(3, 6)))
        t[:, i] += torque
        f[:, i] += force
        if p >= 0:  # the force acts at the body's origin; move it to the parent's
            t[:, p] -= torque + np.cross(T[:, i, :3, 3] - T[:, p, :3, 3], force)
            f[:, p] -= force
    Q = convert(generalized_forces, model, q, f, t, points)
    assert_close(convert(generalized_forces_of_joints, model, q, w), Q, 1e-12)


def test_joint_torques_are_the_least_that_do():
    """LJ12 71, as the pseudo-inverse of each joint's own matrix."""
    model = FIGURES["tree"]
    q, _, _, Q, _ = state(model)
    w = convert(joint_torques, model, q, Q)
    T, J = ar.evaluate(ar.algorithms.poses, model, q), ar.evaluate(jacobians, model, q)
    for i in range(model.nb):
        p = model.tree.parent[i + 1] - 1
        R = (T[:, p, :3, :3].swapaxes(-1, -2) if p >= 0 else np.eye(3)) @ T[:, i, :3, :3]
        own = slice(model.tree.v_start[i + 1], model.tree.v_start[i + 2])
        S = J[:, i, :, own]
        S = np.concatenate([R @ S[:, :3], R @ S[:, 3:]], axis=1)
        expected = np.linalg.pinv(S.swapaxes(-1, -2)) @ Q[:, own, None]
        assert_close(w[:, i], expected[..., 0], 1e-10)


def test_joints_that_turn_have_torque_and_those_that_slide_have_force():
    torque, force = slice(3), slice(3, 6)
    for kind, idle in {"revolute": force, "euler": force, "prismatic": torque}.items():
        model = ar.random_tree(4, 1.5, joints=(kind,), rng=1)
        q, _, _, Q, _ = state(model)
        w = convert(joint_torques, model, q, Q)
        assert not np.any(w[..., idle]) and np.all(np.any(w, axis=-1))


@pytest.mark.parametrize("page", [*VELOCITIES, generalized_forces, cartesian_forces, joint_torques])
def test_compiled(page):
    model = FIGURES["puppet"]
    q, _, _, Q, six = state(model)
    pushed = {generalized_forces: pushes(model, q), cartesian_forces: [Q], joint_torques: [Q]}
    given = (q, *pushed.get(page, [six]))
    found = ar.compile(page, model)(*inputs(page, model, *given))
    expected = convert(page, model, *given)
    if page not in VELOCITIES:
        found, expected = (found,), (expected,)
    for a, b in zip(found, expected, strict=True):
        assert_close(a, b, 1e-10)
