"""Scenes in time: what every user does first, on one small figure with all that can act on it."""

import itertools
import os

import numpy as np
import pytest

import arthron as ar
from arthron._simulate.native_steps import step_page

FIGURE = ar.random_tree(4, 1.5, joints=("revolute", "spherical", "universal"), rng=3)
LINKS = FIGURE.body_names
SCENE = ar.Scene(
    FIGURE,
    [
        ar.forces.BodyDamping(LINKS[1], 0.1, (0.1, 0.2, 0.0)),
        ar.forces.PointToPoint((LINKS[-1], (0.1, 0, 0)), (None, (0, 0, 1.0)), 20.0, 0.5),
        ar.forces.Spring.per_strain(
            (LINKS[2], (0, 0, 0.1)), (LINKS[0], (0.2, 0, 0)), 5.0, 0.4, 0.1
        ),
        ar.forces.JointSpring(FIGURE.joint_names[0], 3.0, 0.1),
    ],
)
ORDERS = {
    "semi-implicit Euler": 1, "explicit Euler": 1, "implicit Euler": 1, "BDF1": 1, "BDF2": 2,
    "variational": 2,
}  # fmt: skip


@pytest.mark.parametrize("integrator", ORDERS)
def test_order_of_accuracy(integrator):
    q = FIGURE.random(1)
    ends = [
        ar.simulate(SCENE, 0.1, h, integrator=integrator, q=q, keep_every=round(0.1 / h)).q[-1]
        for h in (0.01, 0.005, 0.0025)
    ]
    apart = [np.abs(FIGURE.difference(*pair)).max() for pair in itertools.pairwise(ends)]
    assert abs(np.log2(apart[0] / apart[1]) - ORDERS[integrator]) < 0.35


def test_energy_is_kept_without_dampers():
    free = ar.Scene(
        FIGURE, [ar.forces.PointToPoint((LINKS[-1], (0, 0, 0)), (None, (0, 0, 1)), 20.0)]
    )
    run = ar.simulate(free, 0.5, 1e-3, integrator="variational", q=FIGURE.random(1))
    assert np.ptp(run.energy) < 1e-4 * np.abs(run.kinetic).max()
    exact = ar.simulate(free, 0.5, 0.05, integrator="Runge-Kutta", q=FIGURE.random(1))
    assert np.ptp(exact.energy) < 1e-7 * np.abs(exact.kinetic).max()


def test_dampers_only_take_energy():
    run = ar.simulate(SCENE, 1.0, 1e-3, q=FIGURE.random(1), integrator="variational")
    assert np.diff(run.energy).max() < 1e-6 * np.abs(run.energy).max()


def test_dense_and_recursive_solvers_agree():
    single = ar.Scene(FIGURE, [SCENE.elements[0], SCENE.elements[1], SCENE.elements[3]])
    q, qd = FIGURE.random(2), np.ones(FIGURE.nv)
    setup = single.setup()
    given = q, qd, 0.0, 0.01, setup.parameters.pack({})
    one, other = (
        ar.compile(step_page(setup, ar.integrators.ImplicitEuler(solver=solver)), FIGURE)(*given)
        for solver in ("dense", "recursive")
    )
    np.testing.assert_allclose(one[1], other[1], rtol=1e-10, atol=1e-12)


def test_native_rollout_is_the_loop_over_steps():
    page = ar.step(SCENE)
    step = ar.compile(page, FIGURE)
    q, qd, h = FIGURE.random(3), np.zeros(FIGURE.nv), np.float64(1e-3)
    run = ar.simulate(SCENE, 0.021, 1e-3, q=q, keep_every=7)
    for k in range(21):
        q, qd, _ = step(q, qd, float(k), h, page.values)
    assert len(run) == 4
    np.testing.assert_allclose(run.q[-1], q, rtol=1e-13)  # it is compiled with other things around
    np.testing.assert_allclose(run.qd[-1], qd, rtol=1e-13)


@pytest.mark.parametrize("rows", [1, 7, 9, 40])
def test_batches_of_states_forces_and_figures(rows):
    rng = np.random.default_rng(rows)
    q, tau = FIGURE.random(rng, rows), rng.normal(size=(rows, 20, FIGURE.nv))
    inertia = FIGURE.inertial_parameters() * rng.uniform(0.8, 1.2, (rows, 1))
    many = ar.simulate(
        SCENE, 0.02, 1e-3, q=q, tau=tau, parameters={"inertia": inertia}, keep_every=5
    )
    assert many.q.shape == (rows, 5, FIGURE.nq) and many.energy.shape == (rows, 5)
    k = rows // 2
    one = ar.simulate(
        SCENE, 0.02, 1e-3, q=q[k], tau=tau[k], parameters={"inertia": inertia[k]}, keep_every=5
    )
    np.testing.assert_allclose(many.q[k], one.q, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(many.energy[k], one.energy, rtol=1e-9)


@pytest.mark.parametrize("integrator", ["semi-implicit Euler", "implicit Euler", "BDF2"])
def test_joint_that_moves_as_told(integrator):
    joint = next(
        n for n in FIGURE.joint_names if FIGURE.slice_qd(n).stop - FIGURE.slice_qd(n).start == 1
    )
    prescribed = ar.Prescribed(joint, position=lambda t: 0.3 * ar.sin(3.0 * t))
    scene = ar.Scene(FIGURE, [*SCENE.elements, prescribed])
    run = ar.simulate(scene, 0.2, 1e-3, integrator=integrator)
    at, rate = FIGURE.slice_q(joint), FIGURE.slice_qd(joint)
    np.testing.assert_allclose(run.q[1:, at][:, 0], 0.3 * np.sin(3.0 * run.t[1:]), atol=1e-12)
    others = np.delete(run.forces, np.arange(FIGURE.nv)[rate], axis=1)
    assert np.abs(run.forces[1:, rate]).min() > 0.0 and not others.any()


def test_controllers():
    away = FIGURE.integrate(FIGURE.neutral(), 0.1 * np.ones(FIGURE.nv))
    hold = ar.Scene(FIGURE, controller=ar.controllers.gravity_compensation)
    assert np.abs(ar.simulate(hold, 0.2, 1e-3, q=away).qd).max() < 1e-9
    track = ar.Scene(FIGURE, controller=ar.controllers.computed_torque(FIGURE.neutral(), 100, 20))
    run = ar.simulate(track, 1.0, 1e-3, q=away)
    off = FIGURE.difference(FIGURE.neutral(), run.q)
    expected = 0.1 * (1.0 + 10.0 * run.t) * np.exp(-10.0 * run.t)  # critically damped
    np.testing.assert_allclose(off, np.broadcast_to(expected[:, None], off.shape), atol=2e-3)
    spring = ar.Scene(
        FIGURE, controller=ar.controllers.pd(FIGURE.neutral(), 80, 8, compensate=True)
    )
    end = ar.simulate(spring, 3.0, 1e-3, q=away).q[-1]
    assert np.abs(FIGURE.difference(FIGURE.neutral(), end)).max() < 0.1


def test_trajectory_file_keeps_every_bit_and_resumes(tmp_path):
    path = tmp_path / "run.traj"
    whole = ar.simulate(SCENE, 0.6, 1e-3, file=path)
    read = ar.load_trajectory(path, FIGURE)
    for name in ("t", "q", "qd", "kinetic", "potential", "forces"):
        assert np.array_equal(getattr(read, name), getattr(whole, name))
    os.truncate(path, path.stat().st_size * 2 // 3 + 5)  # killed in the middle of a record
    again = ar.simulate(SCENE, 0.6, 1e-3, file=path)
    assert np.array_equal(again.q, whole.q) and len(ar.load_trajectory(path)) == 601
    with pytest.raises(ar.SimulationError, match="another simulation"):
        ar.simulate(SCENE, 0.6, 2e-3, file=path)
    other = whole.save(tmp_path / "saved.traj")
    assert np.array_equal(ar.load_trajectory(other).qd, whole.qd)


def test_what_goes_wrong_is_named_and_nothing_is_lost():
    def broken(frames, t):
        return ar.spatial.Force(lin=ar.spatial.Vec3(0.0, 0.0, ar.log(0.0501 - t)))

    scene = ar.Scene(FIGURE, [ar.forces.LinkLoad((LINKS[1],), wrench=broken)])
    with pytest.raises(ar.SimulationError, match=r"LinkLoad on .* not finite") as caught:
        ar.simulate(scene, 1.0, 1e-3)
    assert len(caught.value.trajectory) == 51
    stiff = ar.Scene(FIGURE, [ar.forces.JointSpring(FIGURE.joint_names[0], 1e9)])
    with pytest.raises(ar.SimulationError, match=r"step of 0\.01 s is too large"):
        ar.simulate(stiff, 1.0, 0.01, q=FIGURE.random(1), integrator="explicit Euler")
    with pytest.raises(ar.ModelError, match=f"Nearest: '{LINKS[0]}'"):
        ar.Scene(FIGURE, [ar.forces.BodyDamping(LINKS[0] + "x", 1.0)])
    with pytest.raises(ar.SimulationError, match="Nearest: 'BDF2'"):
        ar.simulate(SCENE, 1.0, 1e-3, integrator="BDF3")


def test_stiff_springs_at_large_steps():
    springs = [ar.forces.JointSpring(n, 1e5, 10.0) for n in FIGURE.joint_names]
    scene = ar.Scene(FIGURE, springs)
    q = FIGURE.integrate(FIGURE.neutral(), 0.2 * np.ones(FIGURE.nv))
    calm = ar.simulate(scene, 5.0, 0.05, integrator="implicit Euler", q=q)
    assert np.abs(FIGURE.difference(FIGURE.neutral(), calm.q[-1])).max() < 0.01
    with pytest.raises(ar.SimulationError, match="too large"):
        ar.simulate(scene, 5.0, 0.05, integrator="explicit Euler", q=q)
