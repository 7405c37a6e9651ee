"""Motion through keyframes against SciPy's spline, traced, told to joints and followed."""

import numpy as np
import pytest
from scene_cases import ALL, figure, hinges, simulate

import arthron as ar

TIMES = {
    "two": [0.0, 1.0],
    "three": [0.5, 0.7, 2.0],
    "even": np.linspace(-1.0, 2.0, 13),
    "uneven": np.cumsum(np.random.default_rng(1).uniform(0.05, 1.0, 38)),
    "many": np.linspace(0.0, 20.0, 2001),
}


@pytest.mark.parametrize("name", TIMES)
@pytest.mark.parametrize("columns", [None, 3])
def test_it_is_the_clamped_cubic_spline(name, columns):
    interpolate = pytest.importorskip("scipy.interpolate")
    times = np.asarray(TIMES[name])
    rng = np.random.default_rng(2)
    values = rng.normal(size=len(times) if columns is None else (len(times), columns))
    known = interpolate.CubicSpline(times, values, bc_type="clamped")
    found = ar.keyframes(times, values)
    inside = np.concatenate([times, rng.uniform(times[0], times[-1], 200)])
    at = np.stack(found(inside), -1) if columns else found(inside)
    np.testing.assert_allclose(at, known(inside), atol=1e-10)
    for t, expected in ((times[0] - 3.0, values[0]), (times[-1] + 0.1, values[-1])):
        np.testing.assert_allclose(found(float(t)), expected, atol=1e-12)


@pytest.mark.parametrize("name", ["even", "uneven"])
def test_traced_it_is_the_same_with_its_slopes(name):
    interpolate = pytest.importorskip("scipy.interpolate")
    times = np.asarray(TIMES[name])
    values = np.random.default_rng(3).normal(size=len(times))
    known, path = interpolate.CubicSpline(times, values, bc_type="clamped"), None
    path = ar.keyframes(times, values)
    model = figure()

    @ar.takes(t=())
    def page(tree, t):
        return path(t)

    t = np.random.default_rng(4).uniform(times[0], times[-1], 100)
    native = ar.compile(page, model)
    np.testing.assert_allclose(native(t), known(t), atol=1e-11)
    slope = ar.jacobian(page, "t")
    np.testing.assert_allclose(ar.compile(slope, model)(t), known(t, 1), atol=1e-9)
    twice = ar.compile(ar.jacobian(slope, "t"), model)
    np.testing.assert_allclose(twice(t), known(t, 2), atol=1e-7)


@pytest.mark.parametrize("integrator", ALL)
def test_a_joint_goes_through_its_keyframes(integrator):
    model = hinges()
    path = ar.keyframes([0.0, 0.1, 0.25, 0.4], [0.1, 0.5, -0.2, 0.3])
    scene = ar.Scene(model, [ar.Prescribed("leg", position=path)])
    found = simulate(scene, 0.5, 0.01, integrator)
    angle = found.q[:, model.slice_q("leg")][:, 0]
    np.testing.assert_allclose(angle[[0, 10, 25, 40, 50]], [0.1, 0.5, -0.2, 0.3, 0.3], atol=1e-9)


def test_a_controller_follows_keyframes():
    model = figure()
    rng = np.random.default_rng(5)
    poses = model.integrate(model.neutral(), 0.3 * rng.normal(size=(4, model.nv)))
    target = ar.keyframes([0.0, 0.3, 0.6, 1.0], poses)
    still = ar.Model([ar.Body(b.name, b.joint, b.parent, b.placement, inertia=b.inertia)
                      for b in model.bodies])  # fmt: skip
    scene = ar.Scene(still, controller=ar.controllers.computed_torque(target, 400.0, 40.0))
    found = simulate(scene, 1.0, 1e-3, q=poses[0])
    for k, pose in ((300, poses[1]), (600, poses[2]), (1000, poses[3])):
        assert np.abs(still.difference(found.q[k], pose)).max() < 0.02


@pytest.mark.parametrize("times, values", [
    ([0.0], [1.0]), ([0.0, 0.0], [1.0, 2.0]), ([1.0, 0.0], [1.0, 2.0]), ([0.0, 1.0], [1.0]),
    ([0.0, 1.0], [1.0, np.nan]), ([[0.0, 1.0]], [1.0, 2.0]),
])  # fmt: skip
def test_keyframes_that_make_no_motion(times, values):
    with pytest.raises(ar.ShapeError, match="increasing times"):
        ar.keyframes(times, values)


@pytest.mark.parametrize("times, values", [
    (["a"], ["b"]), ([0.0, 1.0], [[0.0], [1.0, 2.0]]), ([0.0, 1.0], [1j, 0.0]), ({}, [1.0]),
])  # fmt: skip
def test_keyframes_that_are_no_numbers(times, values):
    with pytest.raises(ar.ShapeError, match="Give real numbers: at least two increasing times"):
        ar.keyframes(times, values)
