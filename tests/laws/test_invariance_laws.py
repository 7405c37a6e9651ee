"""Physics does not depend on who looks: on place, direction or steady motion."""

import numpy as np
from law_figures import assert_close, floating, for_figures, rebuilt, state

import arthron as ar
from arthron._algorithms import dynamics
from arthron.algorithms import (
    aba,
    balafoutis_patel,
    center_of_mass,
    crba,
    kinetic_energy,
    momentum,
    poses,
    potential_energy,
    rnea,
    velocities,
)

MOVE = ar.pose((0.7, -1.3, 2.1), (0.5, -1.1, 2.3))
T_MOVE = np.array(MOVE.matrix())


def transported(model):
    """The figure somewhere else and turned, with gravity turned in the same way."""
    return rebuilt(
        model,
        lambda body: {"placement": body.placement @ MOVE} if body.parent is None else {},
        gravity=T_MOVE[:3, :3] @ model.gravity,
    )


@for_figures()
def test_moving_everything_changes_no_force(model):
    q, qd, qdd, tau, f_ext = state(model)
    there = transported(model)
    for page in (rnea, balafoutis_patel, dynamics.inverse_dynamics):
        here = ar.evaluate(page, model, q, qd, qdd, f_ext)
        assert_close(ar.evaluate(page, there, q, qd, qdd, f_ext), here, 1e-12)
    here = ar.evaluate(aba, model, q, qd, tau, f_ext)
    assert_close(ar.evaluate(aba, there, q, qd, tau, f_ext), here, 1e-9)
    assert_close(ar.evaluate(crba, there, q), ar.evaluate(crba, model, q), 1e-12)


@for_figures()
def test_moving_everything_moves_what_is_seen(model):
    q, qd, *_ = state(model)
    there = transported(model)
    assert_close(ar.evaluate(poses, there, q), T_MOVE @ ar.evaluate(poses, model, q), 1e-12)
    v = ar.evaluate(velocities, model, q, qd)
    assert_close(ar.evaluate(velocities, there, q, qd), v, 1e-12)
    R, p = T_MOVE[:3, :3], T_MOVE[:3, 3]
    c = ar.evaluate(center_of_mass, model, q)
    assert_close(ar.evaluate(center_of_mass, there, q), c @ R.T + p, 1e-12)
    h = ar.evaluate(momentum, model, q, qd).reshape(-1, 2, 3) @ R.T
    assert_close(ar.evaluate(momentum, there, q, qd), h.reshape(-1, 6), 1e-11)
    T = ar.evaluate(kinetic_energy, model, q, qd)
    assert_close(ar.evaluate(kinetic_energy, there, q, qd), T, 1e-12)
    shift = -model.mass * (R @ model.gravity) @ p
    V = ar.evaluate(potential_energy, model, q)
    assert_close(ar.evaluate(potential_energy, there, q), V + shift, 1e-12)


def to_root(model, q, in_world):
    """A vector of the world, in the axes of the root body."""
    R = ar.evaluate(poses, model, q)[:, 0, :3, :3]
    return np.einsum("nji,j->ni", R, in_world)


@for_figures()
def test_steady_motion_changes_no_force(model):
    model = floating(model)
    q, qd, qdd, _, f_ext = state(model)
    root = model.slice_qd(model.joint_names[0])
    u = to_root(model, q, np.array([3.0, -2.0, 5.0]))
    faster, qdd_seen = qd.copy(), qdd.copy()
    w = qd[:, root][:, :3]
    faster[:, root] += np.concatenate([0 * u, u], axis=-1)
    qdd_seen[:, root] -= np.concatenate([0 * u, np.cross(w, u)], axis=-1)  # u in turning axes
    for page in (rnea, balafoutis_patel, dynamics.inverse_dynamics):
        tau = ar.evaluate(page, model, q, qd, qdd, f_ext)
        assert_close(ar.evaluate(page, model, q, faster, qdd_seen, f_ext), tau, 1e-11)


@for_figures()
def test_acceleration_is_gravity(model):
    model = floating(model)
    q, qd, qdd, *_ = state(model)
    root = model.slice_qd(model.joint_names[0])
    upwards = np.array([1.0, -2.0, 4.0])
    lifted = qdd.copy()
    lifted[:, root] += np.pad(to_root(model, q, upwards), ((0, 0), (3, 0)))
    heavier = model.replace(gravity=model.gravity - upwards)
    for page in (rnea, balafoutis_patel, dynamics.inverse_dynamics):
        tau = ar.evaluate(page, heavier, q, qd, qdd)
        assert_close(ar.evaluate(page, model, q, qd, lifted), tau, 1e-11)


@for_figures()
def test_length_of_quaternions_does_not_matter(model):
    q, qd, qdd, *_ = state(model)
    longer = q.copy()
    for i in model.tree.bodies:
        a, b = model.tree.q_start[i], model.tree.q_start[i + 1]
        if isinstance(model.tree.joint[i], ar.Spherical | ar.Free):
            longer[:, b - 4 : b] *= -1.7
            assert b - a in (4, 7)
    assert_close(ar.evaluate(poses, model, longer), ar.evaluate(poses, model, q), 1e-13)
    tau = ar.evaluate(rnea, model, q, qd, qdd)
    assert_close(ar.evaluate(rnea, model, longer, qd, qdd), tau, 1e-12)
