"""Constraints that are off come back at chosen rates, or are put right after each step."""

import functools
import pickle

import numpy as np
import pytest
from own_elements import Rod, Tray
from scene_cases import NATIVE, simulate

import arthron as ar

JUMP = 4e-4
ENDS = ("rocker", (0.0, 0.0, -0.7)), ("coupler", (0.8, 0.0, 0.0))


class Joint(Rod):
    """Two points, each of its link, that stay together in the plane of the linkage: two rows."""

    def constraint(self, here):
        gap = here.frames[1].at(self.b[1]) - here.frames[0].at(self.a[1])
        return gap.x, gap.z


class Jolted(Joint):
    """The same, but that one of the points jumps up after the start."""

    def constraint(self, here):
        x, z = super().constraint(here)
        return x, z - ar.where(here.t > 1e-6, JUMP, 0.0)


@functools.cache
def four_bar(pin=Joint, **options):
    """A crank, a coupler and a rocker, the last two joined by an element; off-axis masses."""
    bar = [ar.Capsule(0.03, 0.3, mass=1.0, placement=(0.1, 0.02, -0.05))]
    model = ar.Model([
        ar.Body("crank", ar.Revolute("y"), shapes=bar),
        ar.Body("coupler", ar.Revolute("y"), "crank", (0, 0, -0.3), shapes=bar),
        ar.Body("rocker", ar.Revolute("y"), None, (0.8, 0, -0.1), shapes=bar),
    ])  # fmt: skip
    return ar.Scene(model, [pin(*ENDS, 0.0, name="pin")], **options)


def gap(q):
    one, two = (four_bar().model.frame_pose(q, link) @ [*p, 1.0] for link, p in ENDS)
    return (two - one)[..., :3]


def off(run):
    return np.abs(gap(run.q)).max()


@functools.cache
def start():
    """The crank at an angle, and the others where they meet."""
    model = four_bar().model
    q = np.array([-1.2, 1.0, -0.3])
    for _ in range(20):
        one, two = (model.frame_pose(q, link) @ [*p, 1.0] for link, p in ENDS)
        J = [model.jacobian(q, link, point=p, axes="world_aligned")[3:] for link, p in ENDS]
        q[1:] -= np.linalg.solve((J[0] - J[1])[[0, 2]][:, 1:], (one - two)[[0, 2]])
    return tuple(q)


@pytest.mark.parametrize("integrator", ["leapfrog", "semi-implicit Euler", "Runge-Kutta"])
def test_projection_keeps_constraints_to_the_last_digits(integrator):
    scene = four_bar(stabilisation=ar.Projection())
    steps = 100_000 if integrator == "leapfrog" else 2000
    run = simulate(scene, steps * 1e-3, 1e-3, integrator, q=start(), keep_every=steps // 1000)
    plain = simulate(four_bar(), 2.0, 1e-3, integrator, q=start())
    assert off(run) < 1e-10 and (off(plain) > 1e-9 or integrator == "Runge-Kutta")
    assert np.abs(run.energy - run.energy[0]).max() < (
        0.05 if integrator != "Runge-Kutta" else 1e-5
    )
    assert np.ptp(run.q[:, 0]) > 0.5


def test_rates_of_ones_own():
    """gamma takes what is off away at its rate, alpha and beta as an oscillator."""
    for gamma in (20.0, 100.0):
        scene = four_bar(Jolted, stabilisation=ar.Baumgarte(gamma=gamma))
        run = simulate(scene, 0.03, 1e-3, "semi-implicit Euler", q=start())
        error = [abs(gap(run.q[k])[2] - JUMP) for k in (1, 21)]
        np.testing.assert_allclose(error[1] / error[0], (1.0 - 1e-3 * gamma) ** 20, rtol=0.03)
    scene = four_bar(Jolted, stabilisation=ar.Baumgarte(alpha=30.0, beta=30.0))
    run = simulate(scene, 0.1, 1e-3, "Runge-Kutta", q=start())
    error = [abs(gap(run.q[k])[2] - JUMP) for k in (0, 100)]
    np.testing.assert_allclose(error[1] / error[0], 4.0 * np.exp(-3.0), rtol=0.02)
    assert pickle.loads(pickle.dumps(scene)).stabilisation == scene.stabilisation


def test_rates_that_make_steps_unstable_are_told():
    scene = four_bar(stabilisation=ar.Baumgarte(alpha=1000.0, beta=1000.0))
    with pytest.warns(ar.SimulationWarning, match=r"alpha and beta .* 1/h .* unstable"):
        simulate(scene, 0.01, 1e-3, "leapfrog", q=start())
    for bad in (dict(gamma=-1.0), dict(alpha=1.0), dict(beta="fast", alpha=1.0)):
        with pytest.raises(ar.ModelError, match=r"rate, zero|Give both"):
            ar.Baumgarte(**bad)
    with pytest.raises(ar.ModelError, match=r"ar\.Projection\(\)"):
        four_bar(stabilisation="projection")
    with pytest.raises(ar.ModelError, match="small number"):
        ar.Projection(2.0)


@pytest.mark.parametrize("integrator", [*NATIVE, "leapfrog", "Runge-Kutta"])
def test_multipliers_are_the_forces_of_each_element(integrator):
    """A weight on a tray: the tray carries it; a pin in a four-bar: G^T lambda is all there is."""
    box = ar.Model([ar.Body("box", ar.Free(), shapes=[ar.Box((0.1, 0.2, 0.3), mass=2.0)])])
    trays = [Tray("box", (x, 0.0, 0.0), (0.0, 0.0, 1.0), 0.0, name=f"tray {k}")
             for k, x in enumerate((-0.2, 0.4))]  # fmt: skip
    run = simulate(ar.Scene(box, trays), 0.05, 1e-3, integrator)
    assert list(run.multipliers) == ["tray 0", "tray 1"]
    np.testing.assert_allclose(run.multipliers["tray 0"][1:, 0], 2 * 9.81 * 2 / 3, rtol=1e-5)
    np.testing.assert_allclose(run.multipliers["tray 1"][1:, 0], 2 * 9.81 / 3, rtol=1e-5)
    assert run.multipliers["tray 0"][0, 0] == 0.0


def test_multipliers_of_a_batch_are_kept_in_files(tmp_path):
    scene = four_bar()
    q = np.array([start(), start()])
    path = tmp_path / "bar.traj"
    run = simulate(scene, 0.05, 1e-3, q=q, file=path)
    assert run.multipliers["pin"].shape == (2, 51, 2) and run.multipliers["pin"][:, 1:].all()
    back = ar.load_trajectory(path, scene.model)
    np.testing.assert_array_equal(back.multipliers["pin"], run.multipliers["pin"])
    np.testing.assert_array_equal(run.row(1).multipliers["pin"], run.multipliers["pin"][1])
    J = [scene.model.jacobian(run.q[0, -1], link, point=p, axes="world_aligned")[3:][[0, 2]]
         for link, p in ENDS]  # fmt: skip
    np.testing.assert_allclose(run.multipliers["pin"][0, -1] @ (J[1] - J[0]), run.forces[0, -1],
                               atol=0.05)  # fmt: skip
