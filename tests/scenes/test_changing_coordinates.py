"""Simulations through places where joints go over to other coordinates."""

import numpy as np
import pytest
from scene_cases import (
    ALL,
    NATIVE,
    simulate,
)

import arthron as ar

SPINNING = {
    "exponential": ar.Spherical("exponential"), "charts": ar.Euler("xyz", charts=True),
    "charts zyx": ar.Euler("zyx", charts=True),
}  # fmt: skip


def top(joint):
    box = ar.Box((0.4, 0.3, 0.2), mass=1, placement=ar.pose((0.02, 0.01, -0.02), (0.3, 0.2, 1)))
    return ar.Model([ar.Body("top", joint, shapes=[box])], gravity=(0, 0, -2.0))


@pytest.mark.parametrize("name", SPINNING)
@pytest.mark.parametrize("integrator", ["Runge-Kutta", "variational", "BDF2"])
def test_a_top_turns_on_in_any_coordinates(integrator, name):
    """Some ten turns about an axis that wanders, against a quaternion."""
    w = np.array([3.0, -5.0, 4.0])
    step = 1.0 if integrator == "Runge-Kutta" else 5e-3
    model, like = top(SPINNING[name]), top(ar.Spherical())
    qd = w[::-1] if name == "charts zyx" else w
    found, truth = (
        simulate(ar.Scene(m), 3.0, s, i, qd=v, tolerance=1e-10)
        for m, s, i, v in ((model, step, integrator, qd), (like, 1.0, "Runge-Kutta", w))
    )
    every = round(1.0 / step)
    off = np.abs(model.body_poses(found.q[::every]) - like.body_poses(truth.q)).max()
    assert off < (1e-6 if integrator == "Runge-Kutta" else 0.05)
    if name == "exponential":
        length = np.linalg.norm(found.q, axis=-1)
        assert length.max() <= 1.5 * np.pi + 1e-9
        assert integrator == "Runge-Kutta" or np.sum(np.diff(length) < -1.0) > 1
    else:
        angle = np.abs(np.cos(found.q[:, 1]))
        assert angle.min() >= 0.5 - 1e-9
        assert integrator == "Runge-Kutta" or set(found.q[:, 3]) == {0.0, 1.0}


@pytest.mark.parametrize("name", SPINNING)
@pytest.mark.parametrize("integrator", NATIVE)
def test_native_steps_stay_away_from_bad_coordinates(integrator, name):
    model = top(SPINNING[name])
    found = simulate(ar.Scene(model), 3.0, 1e-3, integrator, qd=[3.0, -5.0, 4.0])
    if name == "exponential":
        assert np.linalg.norm(found.q, axis=-1).max() <= 1.5 * np.pi + 1e-9
    else:
        assert np.abs(np.cos(found.q[:, 1])).min() >= 0.5 - 1e-9
        assert set(found.q[:, 3]) == {0.0, 1.0}
    assert np.abs(found.energy / found.energy[0] - 1.0).max() < 0.1


@pytest.mark.parametrize("integrator", ALL)
@pytest.mark.parametrize("coordinates", ["quaternion", "exponential"])
def test_a_spin_about_one_axis_goes_through_whole_turns(integrator, coordinates):
    """The rotation vector would run through 2 pi, where it is singular."""
    shape = ar.Box((0.4, 0.3, 0.2), mass=1)
    body = ar.Body("wheel", ar.Spherical(coordinates), shapes=[shape])
    scene = ar.Scene(ar.Model([body], gravity=(0, 0, 0)))
    rate, h = 6.0, 0.02
    found = simulate(scene, 8.0, h, integrator, qd=[0, 0, rate])
    angle = rate * found.t
    turn = scene.model.body_poses(found.q)[:, 0]
    np.testing.assert_allclose(turn[:, 0, 0], np.cos(angle), atol=1e-6)
    np.testing.assert_allclose(turn[:, 1, 0], np.sin(angle), atol=1e-6)
    np.testing.assert_allclose(found.energy, found.energy[0], rtol=1e-9)
