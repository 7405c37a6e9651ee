"""Forces, controllers and motions of users that loop or solve, with every integrator."""

import numpy as np
import pytest

import arthron as ar

MODEL = ar.random_tree(3, rng=1)
JOINT = MODEL.joint_names[0]
GRIP = 0.3


def by_root(q, qd, t):
    """A force that depends on itself: f = -0.3 tanh(qd + 0.1 f)."""
    return ar.root(lambda f: f + GRIP * ar.tanh(qd[0] + 0.1 * f), 0.0).values


def by_passes(q, qd, t):
    f = 0.0
    for _ in range(12):  # the twelfth changes nothing any more
        f = -GRIP * ar.tanh(qd[0] + 0.1 * f)
    return f


def by_loop(q, qd, t):
    def step(f):
        new = -GRIP * ar.tanh(qd[0] + 0.1 * f)
        return new, abs(new - f) <= 2.0 * ar.epsilon(f)

    return ar.iterate(step, 0.0, 40).values


INTEGRATORS = ("explicit Euler", "semi-implicit Euler", "implicit Euler", "BDF1", "BDF2",
               "variational", "Runge-Kutta")  # fmt: skip


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_force_may_loop_or_solve(integrator):
    ends = []
    for force in (by_passes, by_loop, by_root):
        scene = ar.Scene(MODEL, [ar.forces.JointTorque(JOINT, force)])
        run = ar.simulate(scene, 0.1, 2e-3, integrator=integrator)
        ends.append(np.concatenate([run.q[-1], run.qd[-1]]))
    assert np.abs(ends[0]).max() > 0.01
    # steps use slopes, and a loop that ends early has those of the passes it made
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-6)
    np.testing.assert_allclose(ends[2], ends[0], atol=1e-12)


def test_a_motion_may_be_a_root():
    """A joint prescribed by Kepler's equation moves as fast as the equation says."""

    def anomaly(t):
        return ar.root(lambda E: E - 0.5 * ar.sin(E) - t, t).values

    scene = ar.Scene(MODEL, [ar.Prescribed(JOINT, anomaly)])
    run = ar.simulate(scene, 0.2, 1e-3, integrator="BDF2")
    E, rate = run.q[-1][0], run.qd[-1][0]
    assert E - 0.5 * np.sin(E) == pytest.approx(0.2, abs=1e-12)
    assert rate == pytest.approx(1.0 / (1.0 - 0.5 * np.cos(E)), rel=1e-4)
