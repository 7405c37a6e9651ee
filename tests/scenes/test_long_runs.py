"""What integrators keep over long runs, and what stiff springs do to them."""

import math

import numpy as np
import pytest
from scene_cases import (
    simulate,
    start,
)

import arthron as ar
from arthron import forces


def double_pendulum():
    """Two links on hinges that are not parallel."""
    link = [ar.Box((0.1, 0.15, 0.6), mass=1, placement=(0.02, 0.03, -0.3))]
    return ar.Model([
        ar.Body("upper", ar.Revolute("y"), shapes=link),
        ar.Body("lower", ar.Revolute((1, 2, 0)), "upper", (0.02, 0, -0.6), shapes=link),
    ])  # fmt: skip


DRIFT = {
    "explicit Euler": (10_000, 1e-2, 0.2), "semi-implicit Euler": (10_000, 0.0, 0.04),
    "implicit Euler": (10_000, 0.0, 0.04), "BDF1": (1_000, 5e-3, 0.1), "BDF2": (1_000, 0.0, 1e-3),
    "variational": (1_000, 0.0, 3e-5), "Runge-Kutta": (10_000, 0.0, 1e-9),
}  # fmt: skip
"""Steps of 1 ms, and how much energy is gained or lost, beside the largest kinetic energy."""


@pytest.mark.parametrize("integrator", DRIFT)
def test_energy_of_a_double_pendulum(integrator):
    """Drift per integrator; over 10^5 steps see docs/scenes.md."""
    steps, least, most = DRIFT[integrator]
    found = simulate(
        ar.Scene(double_pendulum()), steps * 1e-3, 1e-3, integrator, q=[1.2, 0.8], keep_every=10,
        tolerance=1e-12,
    )  # fmt: skip
    drift = np.abs(found.energy - found.energy[0]).max() / np.ptp(found.kinetic)
    print(f"{integrator}: {drift:.1e}")
    assert least <= drift < most


def handle():
    """A body with three unequal moments of inertia, off its frame, with nothing acting on it."""
    place = ar.pose((0.1, 0.05, -0.02), (0.3, 0.2, 1.0))
    model = ar.Model(
        [ar.Body("handle", ar.Free(), shapes=[ar.Box((0.4, 0.2, 0.05), mass=1, placement=place)])],
        gravity=(0, 0, 0),
    )
    axes = np.array(place.matrix(), float)[:3, :3]
    w = axes @ [0.01, 3.0, 0.01]  # the middle axis: it flips over
    centre = model.center_of_mass(model.neutral())
    return model, np.concatenate([w, -np.cross(w, centre) + [0.2, -0.1, 0.3]])


MOMENTUM = {
    "explicit Euler": (0.1, 2.0), "semi-implicit Euler": (0.1, 2.0), "implicit Euler": (0.1, 2.0),
    "BDF1": (0.05, 0.6), "BDF2": (5e-4, 0.02), "variational": (1e-10, 1e-10),
    "Runge-Kutta": (1e-10, 1e-10),
}  # fmt: skip
"""How far angular and linear momentum in the world go in 6 s in steps of 10 ms."""


@pytest.mark.parametrize("integrator", MOMENTUM)
def test_momentum_of_a_free_body(integrator):
    model, qd = handle()
    found = simulate(ar.Scene(model), 6.0, 0.01, integrator, qd=qd, tolerance=1e-12)
    momentum = model.momentum(found.q, found.qd)
    off = np.abs(momentum - momentum[0]).max(0)
    turn, push = off[:3].max(), off[3:].max()
    turn, push = turn / np.linalg.norm(momentum[0, :3]), push / np.linalg.norm(momentum[0, 3:])
    print(f"{integrator}: angular {turn:.1e}, linear {push:.1e}")
    assert turn < MOMENTUM[integrator][0]
    assert push < MOMENTUM[integrator][1]
    if integrator == "variational":
        assert np.ptp(found.energy) < 1e-4 * found.energy[0]
    if integrator == "Runge-Kutta":
        spin = found.qd[:, :3] @ qd[:3]
        assert spin.min() < -0.9 * spin.max()  # it did flip over


def pendulum_period(angle):
    """A pendulum on a hinge that leans, its period by the arithmetic-geometric mean, and qdd."""
    lean, mass, arm = 0.4, 1.3, 0.55
    shape = ar.Box((0.2, 0.3, 0.7), mass=mass, placement=(0.0, 0.0, -arm))
    place = ar.pose((0, 0, 0), (0.0, lean, 0.0))  # the hinge x is lean above the horizon
    model = ar.Model([ar.Body("bob", ar.Revolute("x"), placement=place, shapes=[shape])])
    moment = mass * (0.3**2 + 0.7**2) / 12.0 + mass * arm**2
    pull = mass * 9.81 * math.cos(lean) * arm / moment
    a, b = 1.0, math.cos(0.5 * angle)
    for _ in range(6):
        a, b = 0.5 * (a + b), math.sqrt(a * b)
    return model, 2.0 * math.pi / math.sqrt(pull) / a, -pull * math.sin(angle)


@pytest.mark.parametrize("angle", [0.3, 2.0, 3.0])
def test_period_of_a_pendulum(angle):
    model, period, push = pendulum_period(angle)
    found = simulate(ar.Scene(model), period, period, "Runge-Kutta", q=[angle], tolerance=1e-12)
    assert found.q[-1, 0] == pytest.approx(angle, abs=1e-10)
    assert abs(found.qd[-1, 0] / push) < 1e-9 * period  # how late it is
    late = []
    for n in (100, 200):
        found = simulate(ar.Scene(model), period, period / n, "variational", q=[angle])
        late.append(abs(found.qd[-1, 0] / push) / period)
    print(angle, period, late)
    assert late[1] < 3e-4 * math.exp(angle)
    assert late[0] / late[1] == pytest.approx(4.0, abs=0.2)


# Stiff springs


def stiff():
    """A figure whose every joint has a spring of 1e5 N m/rad."""
    model = ar.random_tree(4, 1.5, 0.7, 0.9, joints=["revolute", "universal", "exponential"], rng=5)
    springs = [forces.JointSpring(name, 1e5, 10.0) for name in model.joint_names]
    return ar.Scene(model, springs)


@pytest.mark.parametrize("integrator", ["implicit Euler", "BDF1", "BDF2", "variational"])
def test_stiff_springs_at_large_steps(integrator):
    scene = stiff()
    q, _ = start(scene.model, 1)
    q = 0.01 * q
    found = simulate(scene, 3.0, 0.05, integrator, q=q)
    # the midpoint rule takes no more away than dampers do, and rings on
    grown = found.energy.max() - found.energy[0]
    assert grown < (1.0 if integrator == "variational" else 0.02) * np.ptp(found.energy[:3])
    assert np.abs(found.q).max() < 0.05
    if integrator != "variational":
        assert np.abs(found.q[-1]).max() < 1e-3
        assert np.abs(found.qd[-1]).max() < 1e-3


@pytest.mark.parametrize("integrator", ["explicit Euler", "semi-implicit Euler"])
def test_stiff_springs_blow_up_steps_that_are_not_implicit(integrator):
    scene = stiff()
    q, _ = start(scene.model, 1)
    with pytest.raises(ar.SimulationError, match=r"step of 0\.05 s is too large"):
        simulate(scene, 30.0, 0.05, integrator, q=0.01 * q)


def test_no_slopes_are_no_help():
    scene = stiff()
    q, _ = start(scene.model, 1)
    with pytest.raises(ar.SimulationError, match="too large"):
        simulate(scene, 30.0, 0.05, "implicit Euler", q=0.01 * q, slopes="none")
    settled = simulate(scene, 3.0, 0.05, "implicit Euler", q=0.01 * q, slopes="exact")
    assert np.abs(settled.q[-1]).max() < 1e-3
