"""Joints that move as prescribed: where they are, and the forces that takes."""

import functools

import numpy as np
import pytest
from scene_cases import (
    ALL,
    NATIVE,
    ORDERS,
    by_motion,
    close,
    exact,
    figure,
    follower,
    hinges,
    pulls,
    pushes,
    simulate,
    slopes,
    start,
)

import arthron as ar
from arthron import forces
from arthron._scene.loads import implicit_matrix

H = 0.01


def place(t):
    return 0.4 + 0.1 * ar.cos(8.0 * t) + 0.2 * t


def rate(t):
    return 0.2 - 0.8 * ar.sin(8.0 * t)


def push(t):
    return -6.4 * ar.cos(8.0 * t)


WAYS = {"position": place, "velocity": rate, "acceleration": push}


def arms_up(way, **more):
    """The figure with springs, its shoulder moved as prescribed; and a consistent start."""
    model = figure()
    prescribed = ar.Prescribed("shoulder", **{way: WAYS[way]}, **more)
    scene = ar.Scene(
        model, [*pulls(), forces.JointSpring("shoulder", 2.0, 0.3), prescribed], limits=False
    )
    q, qd = start(model, 1)
    q[model.slice_q("shoulder")], qd[model.slice_qd("shoulder")] = 0.5, 0.2
    return scene, q, qd


def at_shoulder(found):
    """Angle, velocity and force in time, and what else is said of forces."""
    model = found.model
    k, v = model.slice_q("shoulder").start, model.slice_qd("shoulder").start
    others = np.delete(found.forces, v, axis=-1)
    return found.q[..., k], found.qd[..., v], found.forces[..., v], others


@functools.cache
def moved_arms(integrator, way):
    """Half a second of it; linearly implicit steps without slopes, which are another test."""
    scene, q, qd = arms_up(way)
    none = {"slopes": "none"} if integrator == "implicit Euler" else {}
    return scene, simulate(scene, 0.5, H, integrator, q=q, qd=qd, **none)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("integrator", ALL)
def test_a_joint_moves_as_told(integrator, way):
    _, found = moved_arms(integrator, way)
    angle, speed, force, others = at_shoulder(found)
    t = found.t
    truth, velocity = 0.4 + 0.1 * np.cos(8 * t) + 0.2 * t, 0.2 - 0.8 * np.sin(8 * t)
    order = ORDERS.get(integrator, 6)
    if way == "position":
        np.testing.assert_allclose(angle, truth, atol=1e-9)  # each step ends where it should
    else:
        assert np.abs(angle - truth).max() < 20.0 * H**order + 1e-7
    if way == "velocity" and integrator != "variational":
        np.testing.assert_allclose(speed, velocity, atol=1e-9)
    else:
        assert np.abs(speed - velocity)[2:].max() < 50.0 * H**order + 1e-7
    assert not others.any()
    assert np.abs(force[1:]).min() > 0.0


def needed(scene, q, qd, qdd, t):
    """Joint forces that a motion takes beyond what the scene gives."""
    return scene.model.inverse_dynamics(q, qd, qdd) - pushes(scene, q, qd, t)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("integrator", sorted(set(ALL) - {"leapfrog"}))  # a mean of three
def test_reported_forces_are_those_of_inverse_dynamics(integrator, way):
    scene, found = moved_arms(integrator, way)
    model = scene.model
    for k in (1, 7, 20):
        at, v, t = found.q[k], found.qd[k], k * H
        a = (found.qd[k + 1] - v) / H
        if integrator == "BDF1":
            at, v, t = found.q[k + 1], found.qd[k + 1], t + H
        elif integrator == "BDF2":
            at, v, t = found.q[k + 1], found.qd[k + 1], t + H
            a = (3.0 * v - 4.0 * found.qd[k] + found.qd[k - 1]) / (2.0 * H)
        elif integrator == "variational":
            v = model.difference(at, found.q[k + 1]) / H
            at, t = model.integrate(at, 0.5 * H * v), t + 0.5 * H
        elif integrator == "implicit Euler":
            t = t + H
        elif integrator == "Runge-Kutta":
            at, v, t = found.q[k + 1], found.qd[k + 1], t + H
            a = hybrid(scene, at, v, -6.4 * np.cos(8.0 * t), t)
        residual = needed(scene, at, v, a, t)
        if integrator == "semi-implicit Euler":  # damping is that at the end
            damping = np.zeros(model.nv)
            damping[:3], damping[model.slice_qd("hand")] = (0.8, 0.7, 0.6), (0.2, 0.1)
            damping[model.slice_qd("shoulder")] = 0.3
            residual = residual + H * damping * a
        # a variational step has no acceleration of its own: the same to its order
        tolerance = 0.03 if integrator == "variational" else 1e-7
        close(residual * (found.forces[k + 1] != 0.0), found.forces[k + 1], tolerance, scale=10.0)


@functools.cache
def true_force():
    """Force at the shoulder every hundredth of a second."""
    scene, q, qd = arms_up("position")
    return at_shoulder(exact(scene, 0.2, q, qd, pieces=20))[2]


@pytest.mark.parametrize("integrator, way", [
    *((name, "position") for name in ALL),
    ("variational", "velocity"), ("variational", "acceleration"),
    ("semi-implicit Euler", "velocity"), ("semi-implicit Euler", "acceleration"),
])  # fmt: skip
def test_reported_forces_converge(integrator, way):
    """Forces are those of the motion itself, to the order of the integrator."""
    scene, q, qd = arms_up(way)
    truth = true_force()
    errors = []
    for h in (0.01, 0.0025):
        found = simulate(scene, 0.2, h, integrator, q=q, qd=qd, keep_every=round(0.01 / h))
        off = np.abs(at_shoulder(found)[2] - truth)[2:].max()
        errors.append(off / np.abs(truth).max())
    print(integrator, way, errors)
    assert errors[1] < (0.2 if integrator in ORDERS else 1e-6)
    assert errors[1] < 0.4 * errors[0] + 1e-6


def hybrid(scene, q, qd, prescribed, t):
    """qdd with that of the shoulder given, by parts of the mass matrix."""
    model = scene.model
    M = model.mass_matrix(q)
    b = pushes(scene, q, qd, t) - model.bias_forces(q, qd)
    k = model.slice_qd("shoulder").start
    free = np.delete(np.arange(model.nv), k)
    qdd = np.zeros(model.nv)
    qdd[k] = prescribed
    qdd[free] = np.linalg.solve(M[np.ix_(free, free)], b[free] - M[free, k] * prescribed)
    return qdd


def test_forces_of_linearly_implicit_steps_have_the_slopes_in_them():
    scene, q, qd = arms_up("position")
    scene = ar.Scene(figure(), [*pulls()[:2] + pulls()[3:], *scene.elements[-1:]], limits=False)
    model, end = scene.model, H
    found = simulate(scene, H, H, "implicit Euler", q=q, qd=qd)
    x = found.qd[1] - qd
    more = slopes(scene, q, qd, end, lambda tree, q, now: implicit_matrix(tree, q, now, H))
    only = slopes(scene, q, qd, end, lambda tree, q, now: implicit_matrix(tree, q, now, 1e-9))
    stiff = (only * (H / 1e-9) - more) / (H * H)
    b = pushes(scene, q, qd, end) + H * stiff @ qd - model.bias_forces(q, qd)
    close((model.mass_matrix(q) + more) @ x / H - b, found.forces[1], 1e-5)


@pytest.mark.parametrize("integrator", ["Runge-Kutta", "variational", "semi-implicit Euler"])
def test_forces_do_the_work_that_makes_the_energy(integrator):
    model = figure()
    prescribed = [
        ar.Prescribed("shoulder", position=place),
        ar.Prescribed("leg", acceleration=lambda t: 2.0 * ar.cos(5.0 * t)),
    ]
    scene = ar.Scene(
        model, [*[f for f in pulls() if getattr(f, "damping", 1)], *prescribed], limits=False
    )
    q, qd = start(model, 2)
    q[model.slice_q("shoulder")], qd[model.slice_qd("shoulder")] = 0.5, 0.2
    h = 2.5e-3 if integrator == "Runge-Kutta" else 1e-3
    found = simulate(scene, 0.4, h, integrator, q=q, qd=qd, tolerance=1e-10)
    if integrator == "Runge-Kutta":  # forces at each time
        power = (found.forces * found.qd).sum(-1)
        lost = drain(scene, found.q, found.qd)
        flow = power - lost
        flow[0] = 4 * flow[1] - 6 * flow[2] + 4 * flow[3] - flow[4]  # nothing is said of it
        work = h / 3.0 * (flow[0] + flow[-1] + 4 * flow[1:-1:2].sum() + 2 * flow[2:-1:2].sum())
    else:  # forces over each step
        v = 0.5 * (found.qd[1:] + found.qd[:-1])
        mid = model.integrate(found.q[:-1], 0.5 * h * v)
        work = h * ((found.forces[1:] * v).sum(-1) - drain(scene, mid, v)).sum()
    change = found.energy[-1] - found.energy[0]
    tolerance = {"Runge-Kutta": 1e-5, "variational": 1e-3, "semi-implicit Euler": 0.05}
    print(integrator, work, change)
    assert abs(work - change) < tolerance[integrator] * np.ptp(found.energy)


def drain(scene, q, qd):
    """Power that dampers take: what forces do at these speeds less what they do at rest."""
    extra = pushes(scene, q, qd) - pushes(scene, q, 0.0 * qd)
    return -(extra * qd).sum(-1)


@pytest.mark.parametrize("integrator", ALL)
def test_a_joint_that_starts_at_rest_moves_as_told_from_the_first_step(integrator):
    model = hinges()
    still = np.zeros(model.nv)
    scene = ar.Scene(model, [ar.Prescribed("leg", velocity=lambda t: 1.0)])
    found = simulate(scene, 0.1, H, integrator, qd=still)
    np.testing.assert_allclose(found.qd[1:, model.slice_qd("leg")], 1.0, atol=1e-9)
    scene = ar.Scene(model, [ar.Prescribed("leg", position=lambda t: 3.0 * t)])
    found = simulate(scene, 0.1, H, integrator, qd=still)
    np.testing.assert_allclose(found.q[:, model.slice_q("leg")][:, 0], 3.0 * found.t, atol=1e-9)


@pytest.mark.parametrize("integrator", ALL)
def test_a_start_that_is_left_open_is_on_track(integrator):
    model = figure()
    leg = ar.Prescribed("leg", position=lambda t: 0.3 + 3.0 * t)
    ball = ar.Prescribed("trunk", velocity=lambda t: (1.0, t, 2.0))
    found = simulate(ar.Scene(model, [leg, ball]), 0.05, H, integrator)
    np.testing.assert_allclose(found.q[:, model.slice_q("leg")][:, 0], 0.3 + 3.0 * found.t)
    np.testing.assert_allclose(found.qd[0, :3], [1.0, 0.0, 2.0], atol=1e-12)
    np.testing.assert_allclose(found.qd[:, model.slice_qd("leg")], 3.0, atol=1e-6)


def test_a_start_that_is_off_is_refused():
    scene, q, qd = arms_up("position")
    q[scene.model.slice_q("shoulder")] += 0.1
    with pytest.raises(ar.SimulationError, match=r"'shoulder' starts 0\.1 away"):
        simulate(scene, 0.1, H, q=q, qd=qd)


@pytest.mark.parametrize("length", [1.0, -1.0, 0.3])
def test_a_start_is_on_track_whatever_the_length_of_its_quaternion(length):
    model = figure()
    scene = ar.Scene(model, [ar.Prescribed("trunk", position=turned)])
    q, qd = start(model, 4)
    q[:4] = length * np.array([1.0, 0.0, 0.0, 0.2])
    found = simulate(scene, 0.05, H, q=q, qd=qd)
    R = model.body_poses(found.q)[-1, 0, :3, :3]
    R0 = model.body_poses(found.q)[0, 0, :3, :3]
    np.testing.assert_allclose(R0.T @ R, turned_rates(0.0)[0].T @ turned_rates(0.05)[0], atol=1e-9)


@pytest.mark.parametrize("integrator", ALL)
def test_a_gain_brings_a_joint_back(integrator):
    model, gain = hinges(), 8.0
    prescribed = ar.Prescribed("leg", position=lambda t: 0.2 + 0.5 * t, gain=gain)
    q, qd = start(model, 3)
    q[model.slice_q("leg")], qd[model.slice_qd("leg")] = 0.5, 0.5 - gain * 0.3
    scene = ar.Scene(model, [prescribed])
    found = simulate(scene, 0.5, 2e-3, integrator, q=q, qd=qd)
    off = found.q[:, model.slice_q("leg")][:, 0] - 0.2 - 0.5 * found.t
    np.testing.assert_allclose(off, 0.3 * np.exp(-gain * found.t), atol=5e-3)


def turned(t):
    """A quaternion that wanders, of any length."""
    return [1.0 + 0.1 * t, 0.5 * ar.sin(t), 0.3 * t, 0.2 * ar.cos(2.0 * t)]


def turned_rates(t, h=1e-5):
    """Angular velocity and acceleration of that, in the body's axes, by differences."""

    def rotation(t):
        w, x, y, z = np.array([1 + 0.1 * t, 0.5 * np.sin(t), 0.3 * t, 0.2 * np.cos(2 * t)])
        v = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        n = w * w + x * x + y * y + z * z
        return np.eye(3) + 2.0 * (w * v + v @ v) / n

    def velocity(t):
        W = rotation(t).T @ (rotation(t + h) - rotation(t - h)) / (2 * h)
        return np.array([W[2, 1], W[0, 2], W[1, 0]])

    return rotation(t), velocity(t), (velocity(t + 1e-3) - velocity(t - 1e-3)) / 2e-3


@pytest.mark.parametrize("integrator", ALL)
def test_a_ball_is_turned_by_a_quaternion(integrator):
    model = figure()
    scene = ar.Scene(model, [ar.Prescribed("trunk", position=turned)])
    q, qd = start(model, 4)
    q[:4], qd[:3] = [1.0, 0.0, 0.0, 0.2], turned_rates(0.0)[1]
    found = simulate(scene, 0.3, H, integrator, q=q, qd=qd)
    _, velocity, push = turned_rates(found.t[-1])
    for k in (1, 10, -1):
        w, x, y, z = found.q[k, :4]
        R = np.eye(3) + 2.0 * (
            w * np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
            + np.linalg.matrix_power(np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]), 2)
        ) / np.sum(found.q[k, :4] ** 2)  # fmt: skip
        np.testing.assert_allclose(R, turned_rates(found.t[k])[0], atol=1e-9)
    assert np.abs(found.qd[-1, :3] - velocity).max() < (2e-2 if integrator in ORDERS else 1e-6)
    if integrator == "Runge-Kutta":
        b = pushes(scene, found.q[-1], found.qd[-1]) - model.bias_forces(found.q[-1], found.qd[-1])
        M = model.mass_matrix(found.q[-1])
        qdd = np.concatenate([push, np.linalg.solve(M[3:, 3:], b[3:] - M[3:, :3] @ push)])
        close(M @ qdd - b, found.forces[-1], 1e-5)


def test_several_joints_of_several_kinds_at_once():
    """The whole figure is prescribed: forces are inverse dynamics, nothing is left over."""
    model = figure()
    prescribed = [
        ar.Prescribed("trunk", velocity=lambda t: (ar.sin(t), 0.5, -t)),
        ar.Prescribed("shoulder", position=place),
        ar.Prescribed("hand", acceleration=lambda t: (1.0, ar.cos(t))),
        ar.Prescribed("leg", velocity=lambda t: 0.3),
    ]
    scene = ar.Scene(model, [*pulls(), *prescribed], limits=False)
    q, qd = start(model, 5)
    q[model.slice_q("shoulder")], qd[model.slice_qd("shoulder")] = 0.5, 0.2
    qd[:3], qd[model.slice_qd("leg")] = (0.0, 0.5, 0.0), 0.3
    for integrator in ("semi-implicit Euler", "BDF1"):
        found = simulate(scene, 0.1, H, integrator, q=q, qd=qd)
        end = np.array([np.sin(0.1), 0.5, -0.1])
        np.testing.assert_allclose(found.qd[-1, :3], end, atol=1e-9)
        np.testing.assert_allclose(found.qd[-1, model.slice_qd("leg")], 0.3, atol=1e-9)
    a = (found.qd[-1] - found.qd[-2]) / H
    close(needed(scene, found.q[-1], found.qd[-1], a, 0.1), found.forces[-1], 1e-8)


def test_batches_are_told_the_same():
    scene, q, qd = arms_up("position")
    many = [np.broadcast_to(x, (3, len(x))) + 0.0 for x in (q, qd)]
    many[0][1:, -1] += 0.1
    together = simulate(scene, 0.05, H, q=many[0], qd=many[1])
    assert together.forces.shape == (3, 6, scene.model.nv)
    for k in range(3):
        alone = simulate(scene, 0.05, H, q=many[0][k], qd=many[1][k])
        close(together.forces[k], alone.forces, 1e-12)
        close(together.q[k], alone.q, 1e-13)


def test_outside_forces_at_a_joint_that_is_told_are_taken_into_account():
    """What comes from outside need not be done by the joint; the motion stays the same."""
    scene, q, qd = arms_up("position")
    model = scene.model
    tau = np.zeros(model.nv)
    tau[model.slice_qd("shoulder")] = 5.0
    for integrator in NATIVE:
        plain, helped = (
            simulate(scene, 0.05, H, integrator, q=q, qd=qd, tau=x) for x in (0.0 * tau, tau)
        )
        close(helped.qd, plain.qd, 1e-11)
        close(helped.forces[1:] + tau, plain.forces[1:], 1e-11)


def test_a_figure_with_followers_is_told():
    """Either it works, or it is said that it does not."""
    model = follower()
    prescribed = [ar.Prescribed("palm", velocity=lambda t: (ar.sin(t), 0.2))]
    scene = ar.Scene(model, [forces.JointSpring("two", 30.0), *prescribed])
    q, qd = start(model, 1)
    truth = None
    for integrator in ("implicit Euler", "semi-implicit Euler", "BDF1", "Runge-Kutta"):
        try:
            found = simulate(scene, 0.1, 1e-3, integrator, q=q, qd=qd)
        except ar.ArthronError as error:
            assert "follow" in str(error)
            continue
        truth = found if truth is None else truth
        close(found.q[-1], truth.q[-1], 0.02)
        np.testing.assert_allclose(found.qd[-1, :2], [np.sin(0.1), 0.2], atol=1e-6)


def test_slopes_of_a_told_joint_do_not_matter_to_where_it_is():
    scene, q, qd = arms_up("position")
    for implicit in ("symmetric", "exact", "none"):
        found = simulate(scene, 0.1, H, "implicit Euler", q=q, qd=qd, slopes=implicit)
        angle, *_ = at_shoulder(found)
        truth = 0.4 + 0.1 * np.cos(8 * found.t) + 0.2 * found.t
        np.testing.assert_allclose(angle, truth, atol=1e-9)
    stiff = by_motion(lambda q: pushes(scene, q, qd), scene.model, q)
    assert np.abs(stiff).max() > 1.0


# Joints whose coordinates change on the way


def ball(joint, prescribed, **more):
    shape = ar.Box((0.3, 0.2, 0.5), mass=1.5, placement=ar.pose((0.1, -0.05, 0.2), (0.3, 0.2, 1)))
    model = ar.Model([ar.Body("ball", joint, shapes=[shape])])
    return ar.Scene(model, [ar.Prescribed("ball", position=prescribed, **more)])


ROUND = {
    "exponential": (ar.Spherical("exponential"), lambda t: (5.0 * t, 0.3, 0.1 * t)),
    "charts": (ar.Euler("xyz", charts=True), lambda t: (5.0 * t, 4.0 * t, 0.2, 0.0)),
}


@pytest.mark.parametrize("name", ROUND)
@pytest.mark.parametrize("integrator", ALL)
def test_a_ball_is_led_round_and_round(integrator, name):
    joint, prescribed = ROUND[name]
    scene = ball(joint, prescribed)
    model = scene.model
    found = simulate(scene, 3.0, H, integrator)
    expected = np.array([prescribed(t) for t in found.t])
    np.testing.assert_allclose(model.body_poses(found.q), model.body_poses(expected), atol=1e-9)
    speed = np.linalg.norm(model.body_velocities(found.q, found.qd)[:, 0, :3], axis=-1)
    assert speed.max() < 9.0
    assert np.abs(found.forces).max() < 300.0
    jumps = np.abs(np.diff(found.q, axis=0)).max()
    assert jumps > 1.0  # coordinates did change


@pytest.mark.parametrize("integrator", ALL)
def test_a_gain_holds_a_ball_in_whichever_chart_it_is(integrator):
    def lean(t):
        return (0.3 * t, 1.0 + 0.5 * ar.sin(t), 0.2)

    charts = ball(ar.Euler("xyz", charts=True), lambda t: (*lean(t), 0.0), gain=4.0)
    plain = ball(ar.Euler("xyz"), lean, gain=4.0)
    q = np.array([0.0, 1.0, 0.2])
    prescribed, other = (
        simulate(scene, 1.0, 2e-3, integrator, q=start, qd=[0.3, 0.5, 0.0])
        for scene, start in ((charts, [*q, 0.0]), (plain, q))
    )
    assert prescribed.q[-1, 3] == 1.0  # it is in the other chart by then
    off = np.abs(charts.model.body_poses(prescribed.q) - plain.model.body_poses(other.q)).max()
    assert off < (1e-3 if integrator in ORDERS else 1e-7)


@pytest.mark.parametrize("joint", [ar.Spherical("exponential"), ar.Euler("zyx", charts=True)])
def test_velocities_of_coordinates_that_change_are_refused(joint):
    model = ar.Model([ar.Body("ball", joint, shapes=[ar.Sphere(0.1, mass=1)])])
    for way in ("velocity", "acceleration"):
        with pytest.raises(ar.ModelError, match="changes its coordinates"):
            ar.Scene(model, [ar.Prescribed("ball", **{way: lambda t: 1.0})])


def test_one_number_is_no_quaternion():
    scene = ar.Scene(figure(), [ar.Prescribed("trunk", position=lambda t: 0.3 * t)])
    with pytest.raises(ar.ModelError, match=r"'trunk'.*4 numbers"):
        simulate(scene, 0.1, 0.01)


@pytest.mark.parametrize("integrator", ALL)
def test_followers_and_told_joints_with_a_file(tmp_path, integrator):
    """A leader that is prescribed takes its follower along; all integrators agree on it."""
    prescribed = [ar.Prescribed("palm", velocity=lambda t: (ar.sin(t), 0.2)),
            ar.Prescribed("one", position=lambda t: 0.4 * t * t)]  # fmt: skip
    model, scene = follower(), ar.Scene(follower(), prescribed)
    found = simulate(scene, 0.1, 1e-3, integrator, keep_every=10, file=tmp_path / "run")
    exact = simulate(scene, 0.1, 1e-2, "Runge-Kutta")
    close(found.qd[:, model.slice_qd("palm")][:, 0], np.sin(found.t), 1e-12)
    close(found.q[:, model.slice_q("one")][:, 0], 0.4 * found.t**2, 1e-12)
    close(found.q[-1], exact.q[-1], 2e-3, 1.0)
    close(found.forces[-1], exact.forces[-1], 2e-2)


@pytest.mark.parametrize("way", ["position", "velocity"])
def test_all_integrators_start_as_they_are_told(way):
    """A velocity that was given to a joint that is told another one is no push."""
    model = hinges()
    motion = {"position": lambda t: 0.5 * ar.sin(3.0 * t), "velocity": lambda t: 1.5 * ar.cos(t)}
    scene = ar.Scene(model, [ar.Prescribed("leg", **{way: motion[way]})])
    runs = [simulate(scene, 0.1, 1e-3, integrator, qd=np.zeros(model.nv)) for integrator in ALL]
    for found in runs:
        assert found.qd[0, model.slice_qd("leg")] == pytest.approx(1.5)
        close(found.q[-1], runs[-1].q[-1], 0.02)
        close(found.forces[5], runs[-1].forces[5], 0.2)


def test_a_motion_through_no_rotation_leaves_no_nan_behind():
    """Half way between q and -q there is none; steps may miss that, or say so."""
    flip = ar.keyframes([0.0, 0.2], [[1.0, 0, 0, 0], [-1.0, 0, 0, 0]])
    scene = ar.Scene(figure(), [ar.Prescribed("trunk", position=flip)])
    for integrator in ("semi-implicit Euler", "BDF1", "Runge-Kutta"):
        try:
            found = simulate(scene, 0.2, 0.01, integrator)
        except ar.SimulationError as error:
            found = error.trajectory
        assert np.isfinite(found.q).all()
        assert np.isfinite(found.qd).all()
