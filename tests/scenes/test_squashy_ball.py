"""The squashy ball: inertias of an ellipsoid, volume, energy, and its equations by SciPy."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import arthron as ar
from arthron._view.recording import record
from arthron.errors import ModelError

R, M, K = 0.2, 1.5, 20.0


@pytest.fixture(scope="module")
def ball():
    return ar.squash.squashy_ball(R, M)


def at(model, z=1.0, u=0.0):
    q = np.array(model.neutral())
    q[[0, 3]] = u, z
    return q


@pytest.mark.parametrize("u", [0.0, 0.3, -0.8])
def test_mass_and_inertia_are_those_of_the_ellipsoid(ball, u):
    a = R * np.exp(u * np.array([-0.5, -0.5, 1.0]))
    inertia = M / 5 * (np.sum(a**2) - a**2)
    own = M * R**2 / 5 * (np.exp(2 * u) + 0.5 * np.exp(-u))
    wanted = np.diag([own, *inertia, M, M, M])
    assert np.allclose(ball.mass_matrix(at(ball, u=u)), wanted, atol=1e-14)
    slope = M * R**2 / 5 * (2 * np.exp(2 * u) - 0.5 * np.exp(-u))
    tau = ball.inverse_dynamics(at(ball, u=u), np.eye(ball.nv)[0], np.zeros(ball.nv))
    assert tau[0] == pytest.approx(0.5 * slope, abs=1e-14)


def flight_and_bounces(model, scene, duration, step, integrator="leapfrog", **start):
    qd = np.zeros(model.nv)
    qd[-3] = 0.5
    return ar.simulate(scene, duration, step, q=at(model, **start), qd=qd, integrator=integrator)


def test_it_moves_as_its_equations_say():
    model = ar.squash.squashy_ball(R, M, root=ar.Translational())
    ground = 1e3 * M * 9.81 / R
    q, qd = np.array([0.1, 0.0, 0.0, 0.5]), np.array([0.0, 0.5, 0.0, 0.0])
    scene = ar.Scene(model, [ar.squash.Squashy(K, damping=0.05)])
    run = ar.simulate(scene, 0.8, 1e-3, q=q, qd=qd, integrator="Runge-Kutta")

    def slopes(t, y):
        z, u, down, rate = y
        d = max(0.0, R * np.exp(u) - z)
        I = M * R**2 / 5 * (np.exp(2 * u) + 0.5 * np.exp(-u))
        slope = M * R**2 / 5 * (2 * np.exp(2 * u) - 0.5 * np.exp(-u))
        force = -K * u - 0.05 * rate - ground * d * R * np.exp(u) - 0.5 * slope * rate**2
        return [down, rate, -9.81 + ground * d / M, force / I]

    y0 = [q[3], q[0], 0.0, 0.0]
    found = solve_ivp(slopes, (0, 0.8), y0, "DOP853", run.t, rtol=1e-11, atol=1e-12, max_step=1e-3)
    assert run.q[:, 0].min() < -0.3  # it did bounce
    assert np.abs(run.q[:, 3] - found.y[0]).max() < 1e-5
    assert np.abs(run.q[:, 0] - found.y[1]).max() < 1e-4
    assert np.allclose(run.q[:, 1], 0.5 * run.t, atol=1e-12)


def test_energy_stays_in_flight_and_in_bounces(ball):
    scene = ar.Scene(ball, [ar.squash.Squashy(K)])
    flight = flight_and_bounces(ball, scene, 0.3, 1e-3, u=0.3).energy
    assert np.ptp(flight) < 1e-3 * flight[0]
    worst = []
    for step in (1e-3, 2.5e-4):
        energy = flight_and_bounces(ball, scene, 1.2, step).energy
        worst.append(np.ptp(energy) / energy[0])
    assert worst[0] < 0.03 and worst[1] < worst[0] / 6
    exact = flight_and_bounces(ball, scene, 1.2, 1e-3, "Runge-Kutta").energy
    assert np.ptp(exact) < 1e-6 * exact[0]


def test_volume_stays(ball):
    scene = ar.Scene(ball, [ar.squash.Squashy(K)])
    run = flight_and_bounces(ball, scene, 1.0, 1e-3)
    assert np.ptp(run.q[:, 0]) > 0.3
    far = run.q[:, 0, None] * [-0.5, -0.5, 1.0]
    assert np.abs(np.exp(far).prod(1) - 1.0).max() < 1e-14
    tips = [run[f"ball +{axis}"].position - run["ball"].position for axis in "xyz"]
    volume = np.prod([np.linalg.norm(x, axis=-1) for x in tips], 0) / (np.sqrt(0.6) * R) ** 3
    assert np.abs(volume - 1.0).max() < 1e-9
    film = record(run, scene)
    assert np.abs(np.linalg.det(film.drawn[:, 1, :3, :3]) - 1.0).max() < 1e-9


def test_what_spins_slows_down_as_it_grows(ball):
    q, qd = at(ball, u=-0.5), np.zeros(ball.nv)
    qd[0:4] = 0.0, 6.0, 0.0, 1.0
    scene = ar.Scene(ball, [ar.squash.Squashy(K)])
    run = ar.simulate(scene, 0.3, 2.5e-4, q=q, qd=qd, integrator="Runge-Kutta")
    momentum = ball.momentum(run.q, run.qd)
    assert np.abs(momentum[:, :3] - momentum[0, :3]).max() < 1e-8
    assert np.ptp(run.qd[:, 1]) > 1.0 and np.ptp(run.energy) < 1e-6 * run.energy[0]


def test_damped_it_comes_to_rest_on_its_belly():
    """Where ½ k u² + m g r exp(u) is least, but for the ground's thousandth of a radius."""
    model = ar.squash.squashy_ball(R, M, root=ar.Translational())
    scene = ar.Scene(model, [ar.squash.Squashy(K, damping=0.3)])
    run = flight_and_bounces(model, scene, 4.0, 1e-3, z=0.4)
    u, z = run.q[-1, [0, 3]]
    assert K * u == pytest.approx(-M * 9.81 * R * np.exp(u), rel=1e-3)
    assert z == pytest.approx(R * np.exp(u) - 1e-3 * R, rel=1e-4)


def test_friction_makes_it_roll_and_only_takes_energy(ball):
    scene = ar.Scene(ball, [ar.squash.Squashy(K, friction=0.8)])
    run = flight_and_bounces(ball, scene, 1.0, 1e-3, "Runge-Kutta", z=0.3)
    assert run.qd[-1, 2] > 0.5 and np.diff(run.energy).max() < 1e-6 * run.energy[0]
    assert run.energy[-1] < 0.98 * run.energy[0]


def test_bad_balls_are_sentences(ball):
    with pytest.raises(ModelError, match="`radius` of a squashy ball is 0"):
        ar.squash.squashy_ball(0, 1.0)
    with pytest.raises(ModelError, match="`mass` of a squashy ball is 'x'"):
        ar.squash.squashy_ball(0.1, "x")
    with pytest.raises(ModelError, match="`stiffness` of a Squashy is -1"):
        ar.squash.Squashy(-1.0)
    box = ar.Model([ar.Body("box", ar.Prismatic("z"), shapes=[ar.Box((1, 1, 1))])])
    with pytest.raises(ModelError, match="link 'box' of `model` has no sphere, so the Squashy has"):
        ar.simulate(ar.Scene(box, [ar.squash.Squashy(K, link="box", joint="box")]), 0.1, 1e-2)
