"""Adaptive Runge-Kutta: errors against tolerance, its curve, rows at their own pace."""

import dataclasses
import functools
import itertools
import math

import numpy as np
import pytest
from own_elements import Rod
from scene_cases import JOINTS, figure, one_body, pulls, start
from state_cases import leaky

import arthron as ar
from arthron import forces
from arthron._compile.rollout import Rollout
from arthron._integrators.inner_steps import LONG
from arthron._pages.inputs import page_inputs
from arthron._pages.trace import trace
from arthron.integrators import RungeKutta

LINK = [ar.Box((0.1, 0.15, 0.6), mass=1, placement=(0.02, 0.03, -0.3))]


@functools.cache
def pendulum():
    """A double pendulum in space."""
    return ar.Scene(ar.Model([
        ar.Body("upper", ar.Revolute("y"), shapes=LINK),
        ar.Body("lower", ar.Revolute((1, 2, 0)), "upper", (0.02, 0, -0.6), shapes=LINK),
    ]))  # fmt: skip


def run(scene, duration, step, tolerance=1e-9, **more):
    return ar.simulate(
        scene, duration, step, integrator=RungeKutta(tolerance), progress=False, **more
    )


def by_scipy(scene, duration, q, qd, times, tolerance=1e-13):
    """q and qd of a scene without elements and with plain joints."""
    integrate = pytest.importorskip("scipy.integrate")
    n, model = len(q), scene.model

    def rates(t, y):
        return np.concatenate([y[n:], model.forward_dynamics(y[:n], y[n:], np.zeros(n))])

    return integrate.solve_ivp(
        rates, (0.0, duration), [*q, *qd], method="DOP853", rtol=tolerance, atol=tolerance,
        t_eval=times,
    ).y.T  # fmt: skip


def inner_starts(scene, step, count, tolerance=1e-9, **states):
    """When inner steps start on the way."""
    page = ar.step(scene, RungeKutta(tolerance))
    go_on, n = ar.compile(page, scene.model), scene.model.nq + scene.model.nv
    now = [states["q"], states["qd"], *memory(n), 0.0]
    found = []
    for _ in range(count):
        now = go_on(*map(np.asarray, now), np.float64(step), page.values)
        found.append(float(now[3][0]))
    return np.unique(found)


def memory(n):
    """What it remembers before the first step."""
    return [np.zeros(n), *np.zeros((2, 1)), np.zeros(n), np.zeros(1), np.zeros(7 * n)]


# Errors against tolerance


@pytest.mark.parametrize("step", [2e-3, 0.5])
def test_errors_fall_with_the_tolerance(step):
    scene, q, qd = pendulum(), [1.2, 0.8], [0.3, -0.5]
    errors = []
    for tolerance in (1e-5, 1e-7, 1e-9, 1e-11):
        found = run(scene, 3.0, step, tolerance, q=q, qd=qd)
        truth = by_scipy(scene, 3.0, q, qd, found.t)
        errors.append(np.abs(np.concatenate([found.q, found.qd], -1) - truth).max())
    assert errors[0] < 1e-2 and errors[-1] < 2e-9
    assert all(a > 10.0 * b for a, b in itertools.pairwise(errors))


def test_a_pendulum_has_the_period_of_its_elliptic_integral():
    arm, angle = 0.55, 2.0
    box = ar.Box((0.2, 0.3, 0.7), mass=1.3, placement=(0, 0, -arm))
    model = ar.Model([ar.Body("bob", ar.Revolute("x"), shapes=[box])])
    pull = 9.81 * arm / ((0.3**2 + 0.7**2) / 12.0 + arm**2)
    a, b = 1.0, math.cos(0.5 * angle)
    for _ in range(6):  # arithmetic-geometric mean
        a, b = 0.5 * (a + b), math.sqrt(a * b)
    period = 2.0 * math.pi / math.sqrt(pull) / a
    for parts in (1, 400):
        found = run(ar.Scene(model), period, period / parts, 1e-12, q=[angle])
        np.testing.assert_allclose(found.q[-1], angle, atol=1e-11)
        np.testing.assert_allclose(found.qd[-1], 0.0, atol=2e-11)


def test_free_fall_is_exact_and_its_steps_stay_in_bounds():
    scene = ar.Scene(one_body(ar.Prismatic("z")))
    found = run(scene, 20.0, 0.01)
    along = scene.model.frame_pose(np.zeros(1), "body")[2, 2]  # of the axis, upwards
    np.testing.assert_allclose(found.q[:, 0], -0.5 * 9.81 * along * found.t**2, rtol=1e-12)
    starts = inner_starts(scene, 0.01, 1000, q=np.zeros(1), qd=np.zeros(1))
    np.testing.assert_allclose(np.diff(starts).max(), 0.01 * LONG[-1])


def test_a_scene_at_rest_stays_there():
    found = run(pendulum(), 100.0, 1.0, q=[0.0, 0.0], qd=[0.0, 0.0])
    assert np.isfinite(found.q).all() and np.abs(found.qd).max() < 10.0


def test_a_handle_that_turns_over_keeps_its_momentum():
    box = ar.Box((0.4, 0.2, 0.05), mass=1)
    model = ar.Model([ar.Body("handle", ar.Free(), shapes=[box])], gravity=(0, 0, 0))
    found = run(ar.Scene(model), 10.0, 0.01, 1e-11, qd=[0.01, 3.0, 0.01, 0.2, -0.1, 0.3])
    h = model.momentum(found.q, found.qd)
    h[:, :3] += np.cross(model.center_of_mass(found.q), h[:, 3:])
    assert np.abs(h - h[0]).max() < 1e-8
    np.testing.assert_allclose(np.linalg.norm(found.q[:, 3:], axis=-1), 1.0, rtol=1e-15)


@pytest.mark.parametrize("kind", JOINTS)
def test_every_joint_keeps_energy(kind):
    model = one_body(JOINTS[kind])
    q, qd = start(model, 1)
    found = run(ar.Scene(model), 1.0, 5e-3, 1e-10, q=q, qd=qd)
    assert np.ptp(found.energy) < 1e-7 * (1.0 + found.kinetic.max())


def test_coordinates_that_change_over_are_read_off_between():
    """A ball in exponential coordinates that go over to others, against a quaternion."""
    box = ar.Box((0.4, 0.3, 0.2), mass=1, placement=ar.pose((0.02, 0.01, -0.02), (0.3, 0.2, 1)))
    poses = []
    for joint in (ar.Spherical("exponential"), ar.Spherical()):
        model = ar.Model([ar.Body("top", joint, shapes=[box])], gravity=(0, 0, -2.0))
        found = run(ar.Scene(model), 3.0, 2e-3, 1e-11, qd=[3.0, -5.0, 4.0])
        poses.append(model.body_poses(found.q))
        if joint.nq == 3:
            length = np.linalg.norm(found.q, axis=-1)
            assert np.sum(np.diff(length) < -1.0) > 1
    np.testing.assert_allclose(poses[0], poses[1], atol=1e-7)


# The curve between the ends of inner steps


def test_states_that_are_read_off_are_as_good_as_ends():
    scene, q, qd = pendulum(), np.array([1.2, 0.8]), np.zeros(2)
    found, truth = (run(scene, 2.0, 1e-3, x, q=q, qd=qd) for x in (1e-9, 1e-11))
    starts = inner_starts(scene, 1e-3, 2000, 1e-9, q=q, qd=qd)
    assert 60 < len(starts) < 150  # inner steps of 16 or 32 milliseconds
    off = np.abs(found.q - truth.q).max(-1)
    ends = off[np.round(starts / 1e-3).astype(int)]
    assert ends.max() < 1e-9 and off.max() < 1e-9  # what each inner step may be off
    jump = np.abs(np.diff(found.qd, 4, axis=0)).max()
    assert jump < 2.0 * np.abs(np.diff(truth.qd, 4, axis=0)).max()  # no corners


# Rows at their own pace


def test_each_row_has_steps_of_its_own():
    scene = pendulum()
    q, qd = np.array([[0.1, 0.0], [2.5, 1.0], [0.0, 0.0]]), np.array([[0, 0], [3.0, 9.0], [0, 0]])
    both = run(scene, 2.0, 5e-3, 1e-10, q=q, qd=qd)
    slow, fast = (len(inner_starts(scene, 5e-3, 400, 1e-10, q=q[k], qd=qd[k])) for k in (0, 1))
    assert fast > 1.5 * slow
    for k in range(3):
        alone = run(scene, 2.0, 5e-3, 1e-10, q=q[k], qd=qd[k])
        np.testing.assert_allclose(both.q[k], alone.q, atol=1e-8)


def cart(*elements):
    box = ar.Box((0.1, 0.1, 0.1), mass=2)
    return ar.Scene(ar.Model([ar.Body("cart", ar.Prismatic("x"), shapes=[box])]), elements)


@pytest.mark.parametrize(
    "force, words",
    [
        (lambda q, qd, t: [1.0 / (1.0 - q[0])], "No step is short enough for the tolerance; the"),
        (lambda q, qd, t: [ar.sqrt(1.0 - q[0])], "are not finite"),
    ],
    ids=["without bound", "not finite"],
)
def test_a_row_that_is_stuck_ends_alone(force, words):
    scene = cart(forces.JointTorque("cart", force))
    with pytest.warns(ar.SimulationWarning, match=words):
        found = run(scene, 2.0, 0.05, q=[[0.0], [-9.0]], qd=[[1.0], [1.0]])
    assert np.isfinite(found.q[1]).all() and not np.isfinite(found.q[0]).all()
    alone = run(scene, 2.0, 0.05, q=[-9.0], qd=[1.0])
    np.testing.assert_allclose(found.q[1], alone.q, atol=1e-9)


# What there is besides joints


def test_states_of_elements_have_the_same_tolerance():
    scene = leaky()
    q, qd = start(scene.model, 2)
    found, truth = (run(scene, 0.5, 5e-3, x, q=q, qd=qd) for x in (1e-9, 1e-12))
    for name in ("leaky.x", "filter.v"):
        error = np.abs(found.states[name] - truth.states[name]).max()
        assert 1e-13 < error < 1e-8


def test_constraints_hold_and_keep_energy():
    bodies = [dataclasses.replace(b, damping=0.0) for b in figure().bodies]
    model = ar.Model(bodies, name="puppet")
    q = np.array([0.9, 0.1, -0.3, 0.2, 0.4, -0.3, 0.2, 0.1])
    ends = ("hand", (0.05, 0.1, -0.3)), ("leg", (0.1, 0.0, -0.6))

    def apart(q):
        one, two = (model.frame_pose(q, link) @ [*point, 1.0] for link, point in ends)
        return np.linalg.norm(one - two, axis=-1)

    found = run(ar.Scene(model, [Rod(*ends, float(apart(q)))], limits=False), 0.5, 2e-3, 1e-10, q=q)
    assert np.ptp(found.energy) < 1e-7 * found.kinetic.max()
    np.testing.assert_allclose(apart(found.q), apart(q), atol=1e-8)
    assert np.abs(found.forces[1:]).max(0).min() >= 0.0 and np.abs(found.forces[1:]).max() > 1.0


def test_forces_of_time_are_not_stepped_over():
    """A kick of a hundredth of a second, in a long rest."""
    kick = forces.JointTorque(
        "cart", lambda q, qd, t: [ar.where((t >= 1.0) & (t < 1.01), 30.0, 0.0)]
    )
    found = run(cart(kick), 3.0, 5e-3)
    np.testing.assert_allclose(found.qd[-1], 30.0 * 0.01 / 2.0, rtol=1e-6)
    assert not found.qd[found.t < 0.99].any()


def test_joint_forces_from_outside_act_in_their_step_only():
    scene = cart()
    tau = np.zeros((200, 1))
    tau[77] = 6.0
    found = run(scene, 2.0, 0.01, tau=tau)
    assert not found.qd[:78].any()
    np.testing.assert_allclose(found.qd[78:], 6.0 * 0.01 / 2.0, rtol=1e-14)


def test_a_joint_that_is_prescribed_is_where_it_should_be():
    def swing(t):
        return [0.4 + 0.1 * ar.cos(8.0 * t)]

    scene = ar.Scene(figure(), [*pulls(), ar.Prescribed("shoulder", position=swing)])
    found = run(scene, 0.5, 0.02)
    k = scene.model.slice_q("shoulder")
    np.testing.assert_allclose(found.q[:, k.start], 0.4 + 0.1 * np.cos(8.0 * found.t), atol=1e-12)


# Going on


@pytest.mark.parametrize("scene", [pendulum, leaky], ids=["pendulum", "leaky"])
def test_a_run_goes_on_to_the_last_bit(scene, tmp_path):
    scene = scene()
    q, qd = start(scene.model, 3)
    q, qd = np.tile(q, (3, 1)), qd * np.array([[1.0], [2.0], [0.1]])
    whole = run(scene, 1.0, 2e-3, q=q, qd=qd)
    for first in (0.15, 0.358, 0.512):
        path = tmp_path / f"{first}.h5"
        run(scene, first, 2e-3, q=q, qd=qd, file=path)
        found = run(scene, 1.0, 2e-3, q=q, qd=qd, file=path)
        for name, x in (("q", whole.q), ("qd", whole.qd)):
            assert np.array_equal(getattr(found, name), x)


def test_keeping_less_changes_nothing():
    scene, q = pendulum(), [1.2, 0.8]
    every, tenth = (run(scene, 1.0, 2e-3, q=q, keep_every=k) for k in (1, 10))
    assert np.array_equal(every.q[::10], tenth.q)


def test_results_that_are_dropped_are_states_all_the_same():
    @ar.takes(x=(), hidden=(3,))
    def page(tree, x, hidden):
        return x + hidden[2], [0.5 * a + x for a in hidden]

    tree = ar.random_tree(1).tree
    rollout = Rollout(lambda: trace(page, tree, page_inputs(page, tree)), 2)
    given = [np.arange(20.0), np.ones((20, 3))]
    for every in (1, 4):
        whole, half = (rollout(given, 12, every, dropped=which) for which in ((), (1,)))
        assert np.array_equal(whole[0], half[0]) and half[1].shape == (20, 0, 3)
        assert whole[1].shape == (20, 12 // every, 3)


def test_derivatives_of_a_step_go_through_its_loops():
    scene = pendulum()
    page = ar.step(scene, RungeKutta(1e-11))
    model = scene.model
    step, slope = ar.compile(page, model), ar.compile(ar.jacobian(page, "q"), model)
    q, qd = np.array([1.2, 0.8]), np.array([0.3, -0.5])
    rest = [qd, *memory(4), np.float64(0), np.float64(0.1), page.values]
    by_q = slope(q, *rest)[0]
    e = 1e-5 * np.eye(2)
    truth = np.stack([(step(q + x, *rest)[0] - step(q - x, *rest)[0]) / 2e-5 for x in e], -1)
    np.testing.assert_allclose(by_q, truth, atol=1e-8)


@pytest.mark.parametrize("tolerance", [0.0, -1e-9, 1.0, math.nan, "fine", None])
def test_tolerances_are_small_numbers(tolerance):
    with pytest.raises(ar.SimulationError, match=r"`tolerance` is .*Give a small number: 1e-9"):
        RungeKutta(tolerance)
