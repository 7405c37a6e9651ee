"""Native rollouts: the same numbers as a loop over the step's page, for batches of any size."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from scene_cases import ALL, NATIVE, close, figure, simulate, sprung, start

import arthron as ar
from arthron import forces
from arthron._compile.rollout import Rollout
from arthron._compile.run import steps
from arthron._pages.inputs import page_inputs
from arthron._pages.trace import trace
from arthron._simulate.native_steps import step_page
from arthron.integrators import NAMED

ROOT = Path(ar.__file__).parents[1]
H, MANY = 0.01, 21


def by_hand(scene, integrator, q, qd, steps=MANY, tau=None, inertia=None):
    """(q, qd) after each step, (..., steps, n), by calling the compiled page over and over."""
    values = {} if inertia is None else {"inertia": inertia}
    setup = scene.setup(values)
    page = step_page(setup, NAMED[integrator], tau=tau is not None)
    step, numbers = ar.compile(page, scene.model), setup.parameters.pack(values)
    path = []
    for k in range(steps):
        push = () if tau is None else (tau[..., k, :] if tau.ndim > 2 else tau,)
        q, qd, *_ = step(q, qd, np.float64(k), np.float64(H), *push, numbers)
        path.append((q, qd))
    return [np.stack(x, -2) for x in zip(*path, strict=True)]


def forced():
    """The figure with springs, forces of time, a controller and a joint that is prescribed."""
    model = figure()
    return ar.Scene(
        model,
        [
            *sprung().elements,
            forces.JointTorque("leg", lambda q, qd, t: ar.sin(5.0 * t) * q[0]),
            ar.Prescribed("shoulder", velocity=lambda t: ar.cos(3.0 * t)),
        ],
        lambda tree, t, q, qd: [-0.1 * t * x for x in tree.vector(qd)],
    )


@pytest.mark.parametrize("integrator", NATIVE)
def test_one_state_is_a_loop_over_the_page_bit_for_bit(integrator):
    scene = forced()
    q, qd = start(scene.model, 1)
    qd[scene.model.slice_qd("shoulder")] = 1.0  # as prescribed
    found = simulate(scene, MANY * H, H, integrator, q=q, qd=qd)
    path = by_hand(scene, integrator, q, qd)
    np.testing.assert_array_equal(found.q[1:], path[0])
    np.testing.assert_array_equal(found.qd[1:], path[1])
    np.testing.assert_array_equal(found.q[0], q)
    np.testing.assert_array_equal(found.t, H * np.arange(MANY + 1))


@pytest.mark.parametrize("rows", [1, 7, 8, 9, 300])
def test_batches_of_any_size(rows):
    scene = sprung()
    q, qd = start(scene.model, 2, (rows,))
    found = simulate(scene, MANY * H, H, "implicit Euler", q=q, qd=qd)
    assert found.q.shape == (rows, MANY + 1, scene.model.nq)
    assert found.qd.shape == (rows, MANY + 1, scene.model.nv)
    assert found.energy.shape == (rows, MANY + 1)
    for k in {0, rows // 2, rows - 1}:
        alone = simulate(scene, MANY * H, H, "implicit Euler", q=q[k], qd=qd[k])
        close(found.q[k], alone.q, 1e-11)
        close(found.qd[k], alone.qd, 1e-11)
        close(found.energy[k], alone.energy, 1e-11)


@pytest.mark.parametrize("rows", [None, 1, 9])
@pytest.mark.parametrize("every", [1, 3, 7, 21])
def test_every_so_many_states_are_kept(rows, every):
    """Steps that are not kept go on from the same numbers."""
    scene = forced()
    batch = () if rows is None else (rows,)
    q, qd = start(scene.model, 3, batch)
    all_of_it = simulate(scene, MANY * H, H, q=q, qd=qd)
    found = simulate(scene, MANY * H, H, q=q, qd=qd, keep_every=every)
    chosen = range(0, MANY + 1, every)
    np.testing.assert_array_equal(found.t, all_of_it.t[chosen])
    for name in ("q", "qd", "forces"):
        a, b = getattr(found, name), getattr(all_of_it, name)
        np.testing.assert_array_equal(a, np.take(b, chosen, axis=len(batch)))
    for name in ("kinetic", "potential"):
        a, b = getattr(found, name), getattr(all_of_it, name)
        close(a, np.take(b, chosen, axis=len(batch)), 1e-13)


@pytest.mark.parametrize("rows", [1, 3, 9])
@pytest.mark.parametrize("steps, every", [(0, 1), (4, 5), (20, 7), (23, 3), (9, 2)])
def test_a_rollout_may_end_between_kept_states(rows, steps, every):
    """The steps behind the last kept state are made, and their results are not kept."""
    model = figure()

    @ar.takes(k=(), force=())
    def page(tree, q, qd, k, force):
        moved = ar.algorithms.integrate(tree, q, tree.rates([0.01 * x for x in tree.vector(qd)]))
        rate = [x + k * force for x in tree.vector(qd)]
        return moved, rate, force

    inputs = page_inputs(page, model.tree)
    roll = Rollout(lambda: trace(page, model.tree, inputs), 2)
    q, qd = start(model, 16, (rows,))
    k, force = np.array([0.5]), np.random.default_rng(17).normal(size=(rows, steps))
    kept = roll([q, qd, k, force], steps, every)
    count = steps // every
    assert [x.shape[:2] for x in kept] == [(rows, count)] * 3
    rates = qd[:, None] + 0.5 * np.cumsum(force, 1)[..., None]
    np.testing.assert_allclose(kept[1], rates[:, every - 1 :: every][:, :count], rtol=1e-12)
    np.testing.assert_array_equal(kept[2], force[:, every - 1 :: every][:, :count])
    for s in range(count * every):
        q = model.integrate(q, 0.01 * (rates[:, s - 1] if s else qd))
        if (s + 1) % every == 0:
            close(kept[0][:, (s + 1) // every - 1], q, 1e-12)


def test_a_rollout_wants_as_many_inputs_as_steps():
    model = figure()

    @ar.takes(force=())
    def page(tree, q, force):
        return q, force

    inputs = page_inputs(page, model.tree)
    roll = Rollout(lambda: trace(page, model.tree, inputs), 1)
    with pytest.raises(ar.ShapeError, match="7 steps, and 8"):
        roll([model.neutral()[None], np.zeros((1, 7))], 8)


def test_axes_of_a_batch_broadcast():
    scene = sprung()
    model = scene.model
    q, _ = start(model, 4, (3, 1))
    qd = start(model, 5, (2,))[1]
    found = simulate(scene, 5 * H, H, q=q, qd=qd)
    assert found.q.shape == (3, 2, 6, model.nq)
    for i in range(3):
        for j in range(2):
            alone = simulate(scene, 5 * H, H, q=q[i, 0], qd=qd[j])
            close(found.q[i, j], alone.q, 1e-12)
    from_rest = simulate(scene, 5 * H, H, q=q)
    assert from_rest.qd.shape == (3, 1, 6, model.nv)
    assert not from_rest.qd[:, :, 0].any()


TAU = {"one": (), "each row": (9,), "each step": (MANY,), "both": (9, MANY), "one row": (1, MANY)}


@pytest.mark.parametrize("name", TAU)
def test_forces_from_outside(name):
    scene = sprung()
    model = scene.model
    q, qd = start(model, 6, (9,))
    tau = np.random.default_rng(7).normal(size=(*TAU[name], model.nv))
    found = simulate(scene, MANY * H, H, "explicit Euler", q=q, qd=qd, tau=tau, keep_every=3)
    full = np.broadcast_to(tau if "step" in name or name in ("both", "one row")
                           else tau[..., None, :], (9, MANY, model.nv))  # fmt: skip
    path = by_hand(scene, "explicit Euler", q, qd, tau=full)
    close(found.q[:, 1:], path[0][:, 2::3], 1e-12)
    close(found.qd[:, 1:], path[1][:, 2::3], 1e-12)


def test_forces_for_each_step_of_one_state():
    scene = sprung()
    model = scene.model
    q, qd = start(model, 8)
    tau = np.random.default_rng(9).normal(size=(MANY, model.nv))
    found = simulate(scene, MANY * H, H, q=q, qd=qd, tau=tau)
    assert found.q.shape == (MANY + 1, model.nq)
    path = by_hand(scene, "semi-implicit Euler", q[None], qd[None], tau=tau[None])
    close(found.q[1:], path[0][0], 1e-12)


def test_a_batch_as_large_as_there_are_steps():
    """Forces (rows, nv) are for rows, as q has them, or it is asked what is meant."""
    scene = sprung()
    model = scene.model
    q, qd = start(model, 10, (MANY,))
    tau = np.random.default_rng(11).normal(size=(MANY, model.nv))
    try:
        found = simulate(scene, MANY * H, H, q=q, qd=qd, tau=tau)
    except ar.ShapeError as error:
        assert "tau" in str(error)
        return
    alone = simulate(scene, MANY * H, H, q=q[3], qd=qd[3], tau=tau[3])
    close(found.q[3], alone.q, 1e-11)


@pytest.mark.parametrize("rows", [None, 9])
@pytest.mark.parametrize("integrator", NATIVE)
def test_each_row_may_have_a_figure_of_its_own(integrator, rows):
    scene = sprung()
    model = scene.model
    batch = () if rows is None else (rows,)
    q, qd = start(model, 12, batch)
    scale = 1.0 + 0.5 * np.random.default_rng(13).uniform(size=(*batch, 1))
    inertia = scale * model.inertial_parameters().ravel()
    found = simulate(scene, MANY * H, H, integrator, q=q, qd=qd, parameters={"inertia": inertia})
    path = by_hand(scene, integrator, q, qd, inertia=inertia)
    close(found.q[..., 1:, :], path[0], 1e-12)
    k = () if rows is None else (4,)
    heavier = ar.Model([
        ar.Body(b.name, b.joint, b.parent, b.placement, damping=b.damping, armature=b.armature,
                inertia=ar.Inertia.from_parameters(list(float(scale[k][0]) * p)))
        for b, p in zip(model.bodies, model.inertial_parameters().reshape(-1, 10), strict=True)
    ] + [ar.Body("pad", ar.Fixed(), "hand", ar.pose((0.1, 0, -0.3), (1, 0, 2)))])  # fmt: skip
    renamed = [f for f in scene.elements if getattr(f, "joint", "") != "shoulder"]
    other = simulate(ar.Scene(heavier, renamed), MANY * H, H, integrator, q=q[k], qd=qd[k])
    close(found.q[k], other.q, 1e-9)
    close(found.energy[k], other.energy, 1e-9)


@pytest.mark.parametrize("integrator", NATIVE)
def test_threads_change_no_number(integrator, monkeypatch):
    scene = forced()
    q, qd = start(scene.model, 14, (70,))
    runs = []
    for count in (1, 2, 3):
        monkeypatch.setattr(steps, "cores", lambda count=count: count)
        runs.append(simulate(scene, MANY * H, H, integrator, q=q, qd=qd, keep_every=3))
    for name in ("q", "qd", "forces"):
        for other in runs[1:]:
            np.testing.assert_array_equal(getattr(runs[0], name), getattr(other, name))


def test_rows_do_not_disturb_each_other():
    """A row that blows up spoils itself alone."""
    model = figure()
    scene = ar.Scene(model, [forces.JointTorque("leg", lambda q, qd, t: 10.0 * q[0] * q[0] * q[0])])
    q, qd = start(model, 15, (9,), speed=0.1)
    q[:, model.slice_q("leg")] = 0.1
    q[4, model.slice_q("leg")] = 1e60
    with pytest.warns(ar.SimulationWarning, match="1 of 9 simulations could not go on"):
        run = simulate(scene, MANY * H, H, q=q, qd=qd)
    fine = np.delete(np.arange(9), 4)
    assert run.status[4] == "failed" and (run.status[fine] == "whole").all()
    found = simulate(scene, MANY * H, H, q=q[fine], qd=qd[fine])
    np.testing.assert_array_equal(run.q[fine], found.q)
    assert np.isnan(run.q[4, -1]).all()


def test_a_step_of_a_scene_takes_a_bounded_number_of_operations():
    """What is static is folded: gravity and fixed parts cost nothing."""
    model = figure()
    plain, more = (ar.compile(ar.step(s), model).op_count for s in (ar.Scene(model), sprung()))
    assert plain < more < 3 * plain


LONG_RUN = """
import signal, sys, threading, time
import numpy as np
import arthron as ar

model = ar.random_tree(6, rng=1)
scene = ar.Scene(model, [ar.forces.JointSpring("joint2", 3.0, 1.0)])
q = np.tile(model.neutral(), ({rows}, 1))
small = ar.simulate(scene, 0.01, 1e-3, q=q)
print("calling", flush=True)
try:
    ar.simulate(scene, {duration}, 1e-4, q=q, keep_every=10_000)
    print("finished", flush=True)
except KeyboardInterrupt:
    print("interrupted", time.monotonic(), threading.active_count(), flush=True)
again = ar.simulate(scene, 0.01, 1e-3, q=q)
assert np.array_equal(again.q, small.q)
print("usable", flush=True)
"""


@pytest.mark.parametrize("rows, duration", [(1, 4000.0), (400, 100.0)])
def test_ctrl_c_stops_a_long_run_at_once(rows, duration):
    command = [sys.executable, "-c", LONG_RUN.format(rows=rows, duration=duration)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "calling\n"
        time.sleep(0.3)
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        word, *numbers = process.stdout.readline().split()
        assert word == "interrupted", numbers
        assert float(numbers[0]) - sent < 1.0
        assert numbers[1] == "1"  # no thread goes on
        assert process.stdout.readline() == "usable\n"
        assert process.wait(timeout=30) == 0
    finally:
        process.kill()


def test_shapes_of_forces_that_may_mean_two_things():
    """With a batch of two axes, or one that only the figures have."""
    model = figure()
    scene = ar.Scene(model)
    q = np.broadcast_to(model.neutral(), (3, 3, model.nq))
    with pytest.raises(ar.ShapeError, match="may mean either"):
        simulate(scene, 3 * H, H, q=q, tau=np.zeros((3, 3, model.nv)))
    inertia = np.broadcast_to(model.inertial_parameters().ravel(), (3, 10 * model.nb))
    tau = np.random.default_rng(1).normal(size=(3, model.nv))
    with pytest.raises(ar.ShapeError, match="may mean either"):
        simulate(scene, 3 * H, H, parameters={"inertia": inertia}, tau=tau)
    found = simulate(scene, 5 * H, H, parameters={"inertia": inertia}, tau=tau)
    close(found.q[1], simulate(scene, 5 * H, H, tau=tau[1]).q, 1e-12)


def test_many_controls_from_one_start():
    scene = sprung()
    tau = np.random.default_rng(2).normal(size=(4, MANY, scene.model.nv))
    found = simulate(scene, MANY * H, H, tau=tau)
    assert found.q.shape == (4, MANY + 1, scene.model.nq)
    close(found.q[2], simulate(scene, MANY * H, H, tau=tau[2]).q, 1e-12)


@pytest.mark.parametrize("steps", [1, 4, 7])
def test_many_forces_from_one_start_that_stay_the_same(steps):
    """An axis of steps may be one, as axes that broadcast are in NumPy; without it, it is refused.

    As many as steps, they would be taken for those of the steps.
    """
    scene = sprung()
    tau = np.random.default_rng(2).normal(size=(4, scene.model.nv))
    found = simulate(scene, steps * H, H, tau=tau[:, None])
    assert found.q.shape == (4, steps + 1, scene.model.nq)
    close(found.q[2], simulate(scene, steps * H, H, tau=tau[2]).q, 1e-12)
    if steps != 4:
        with pytest.raises(ar.ShapeError, match=r"For 4 simulations give \(4, 1, .*tau.:, None"):
            simulate(scene, steps * H, H, tau=tau)


@pytest.mark.parametrize("integrator", ALL)
def test_no_simulations_at_all(integrator):
    model = figure()
    found = simulate(ar.Scene(model), 5 * H, H, integrator, q=np.zeros((0, model.nq)))
    assert found.q.shape == (0, 6, model.nq)
    assert found.energy.shape == (0, 6)
