"""Elements of a user's own run natively in batches, resume, differentiate, and are right."""

import functools

import numpy as np
import pytest
from own_elements import PID, Puller, Rod, Tray
from scene_cases import NATIVE, apart, close, figure, simulate

import arthron as ar

MODEL = figure()
POSE = (0.9, 0.1, -0.3, 0.2, 0.4, -0.3, 0.2, 0.1)
"""Where the figure starts: coordinates of trunk, shoulder, hand and leg."""


def at(frame, point=(0.0, 0.0, 0.0), q=POSE, model=MODEL):
    """A point of a link in the world."""
    return model.frame_pose(np.array(q), frame) @ [*point, 1.0]


def unit(x):
    return tuple(np.array(x, float) / np.linalg.norm(x))


def puller():
    return ar.Scene(MODEL, [Puller("pad", "leg", (0.1, 0.2, -0.5), 20.0, 0.05, name="string")])


def rod():
    ends = ("pad", (0.0, 0.1, -0.1)), ("leg", (0.1, 0.0, -0.6))
    length = np.linalg.norm(at(*ends[0])[:3] - at(*ends[1])[:3])
    return ar.Scene(MODEL, [Rod(*ends, float(length), name="rod")])


def tray():
    normal, point = unit((0.2, -0.3, 1.0)), (0.05, 0.1, -0.2)
    height = float(np.dot(normal, at("hand", point)[:3]))
    return ar.Scene(MODEL, [Tray("hand", point, normal, height, 0.05, name="tray")])


def weights():
    """Inertia that each joint feels: gains that suit it are so many times that."""
    return tuple(np.diag(MODEL.mass_matrix(np.array(POSE))))


def pid():
    target = MODEL.integrate(np.array(POSE), [0.2, -0.1, 0.3, 0.2, -0.2, 0.1, 0.2])
    return ar.Scene(MODEL, controller=PID(tuple(target), weights(), 40.0, 60.0, 12.0))


SCENES = {
    "element": (puller, {"string.delay": (0.02, 0.05, 0.2), "string.drive": (0.5, 0.8, 1.0)}),
    "constraint": (tray, {"tray.swing": (0.0, 0.05, 0.1), "tray.rate": (4.0, 6.0, 8.0)}),
    "rod": (rod, {"gravity": ((0, 0, -9.81), (0, 0, -1.62), (3.0, 0.5, -5.0))}),
    "controller": (pid, {"controller.i": (0.0, 20.0, 60.0), "controller.k": (20.0, 40.0, 60.0)}),
}
EACH = pytest.mark.parametrize("kind", SCENES)
ARRAYS = ("q", "qd", "kinetic", "potential", "forces")


def same(a, b, tolerance=0.0):
    for name in ARRAYS:
        close_to(getattr(a, name), getattr(b, name), name, tolerance)
    assert a.states.keys() == b.states.keys()
    for name, x in a.states.items():
        close_to(x, b.states[name], name, tolerance)


def close_to(a, b, name, tolerance):
    np.testing.assert_allclose(a, b, tolerance, tolerance * np.nanmax(np.abs(b)), err_msg=name)


# Natively in batches, resumed, differentiated


@EACH
@pytest.mark.parametrize("integrator", [*NATIVE, "Runge-Kutta"])
def test_rows_of_a_batch_are_single_runs(kind, integrator):
    make, parameters = SCENES[kind]
    scene = make()
    more = {"q": POSE, "integrator": integrator}
    batch = simulate(scene, 0.04, 2e-3, parameters=parameters, **more)
    assert batch.q.shape == (3, 21, 8)
    for k in range(3):
        own = {name: values[k] for name, values in parameters.items()}
        one = simulate(scene, 0.04, 2e-3, parameters=own, **more)
        states = {n: x[k] for n, x in batch.states.items()}
        row = ar.Trajectory(batch.t, **{n: getattr(batch, n)[k] for n in ARRAYS},
                            residual=batch.residual[k], states=states)  # fmt: skip
        same(one, row, 1e-11)
    assert np.ptp(batch.q[:, -1], axis=0).max() > 1e-5


@EACH
@pytest.mark.parametrize("integrator", ["semi-implicit Euler", "implicit Euler", "Runge-Kutta"])
def test_a_file_that_lost_its_end_is_resumed_bit_for_bit(kind, integrator, tmp_path):
    make, parameters = SCENES[kind]
    scene, path = make(), tmp_path / "run"
    more = {"q": POSE, "integrator": integrator, "parameters": parameters}
    whole = simulate(scene, 0.1, 2e-3, file=path, **more)
    text = path.read_bytes()
    for part in (0.2, 0.7):
        path.write_bytes(text[: int(part * len(text))])
        same(simulate(make(), 0.1, 2e-3, file=path, **more), whole)
        same(ar.load_trajectory(path, MODEL), whole)
    same(ar.load_trajectory(path, MODEL), whole)


@EACH
def test_a_run_goes_on_from_its_last_state(kind):
    make, _ = SCENES[kind]
    scene = make()
    once = simulate(scene, 0.02, 1e-3, q=POSE)
    assert set(once.last()) == {"q", "qd", *once.states}
    if kind != "constraint":  # which knows the time
        more = simulate(scene, 0.02, 1e-3, start=once.last())
        whole = simulate(scene, 0.04, 1e-3, q=POSE)
        np.testing.assert_array_equal(more.q[-1], whole.q[-1])


@functools.cache
def stepped(kind, integrator):
    """A step, compiled, where to try it, and how far each of its inputs is moved."""
    scene = SCENES[kind][0]()
    page = ar.step(scene, integrator)
    rng = np.random.default_rng(7)
    inputs = {"q": np.array(POSE), "qd": 0.3 * rng.normal(size=MODEL.nv)}
    for name, variable in scene.setup().variables.items():
        inputs[name.replace(".", "_")] = rng.uniform(0.2, 0.5, size=variable.size)
    inputs |= {"steps": np.array(3.0), "h": np.array(5e-3), "parameters": page.values}
    return page, ar.compile(page, MODEL), inputs


def flat(results):
    return np.concatenate([np.ravel(x) for x in results])


def differences(function, inputs, name):
    """Slopes of all results by one input, by differences of fourth order."""
    x = inputs[name]
    n = MODEL.nv if name == "q" else x.size

    def results(k, e):
        way = np.zeros(n)
        way[k] = e
        moved = MODEL.integrate(x, way) if name == "q" else x + way.reshape(x.shape)
        return flat(function(**(inputs | {name: moved})))

    columns = []
    for k in range(n):
        e = 1e-4 if name in ("q", "qd") else 1e-4 * max(0.01, abs(np.ravel(x)[k]))
        near, far = (results(k, s) - results(k, -s) for s in (e, 2.0 * e))
        columns.append((8.0 * near - far) / (12.0 * e))
    return np.stack(columns, -1)


@EACH
@pytest.mark.parametrize("integrator", NATIVE)
def test_steps_differentiate_by_all_their_inputs(kind, integrator):
    page, function, inputs = stepped(kind, integrator)
    rng = np.random.default_rng(3)
    seed = rng.normal(size=flat(function(**inputs)).size)
    names = list(inputs)
    back = ar.compile(ar.vjp(page, *names), MODEL)(**inputs, weights=seed)
    for name, pulled in zip(names, back, strict=True):
        slopes = ar.evaluate(ar.jacobian(page, name), MODEL, **inputs)
        n = MODEL.nv if name == "q" else inputs[name].size
        found = np.concatenate([np.reshape(x, (-1, n)) for x in slopes])
        close(found, differences(function, inputs, name), 1e-7, scale=1.0)
        close(np.ravel(pulled), seed @ found, 1e-11, scale=1.0)


# A state of its own


def test_a_leaky_integrator_is_what_it_is_by_hand():
    """The same motion by SciPy, on equations written out in NumPy."""
    integrate = pytest.importorskip("scipy.integrate")
    run = simulate(puller(), 0.3, 0.03, "Runge-Kutta", q=POSE, tolerance=1e-11)

    def rates(t, y):
        q, qd, a = y[:8], y[8:15], y[15]
        ends = at("leg", (0.1, 0.2, -0.5), q)[:3], at("pad", (0.0, 0.1, 0.0), q)[:3]
        gap = ends[0] - ends[1]
        pull = 20.0 * a * gap / np.linalg.norm(gap)
        J = [MODEL.jacobian(q, link, point, axes="world_aligned")[3:]
             for link, point in (("pad", (0.0, 0.1, 0.0)), ("leg", (0.1, 0.2, -0.5)))]  # fmt: skip
        tau = (J[0] - J[1]).T @ pull - MODEL.damping * qd
        w, v = q[0], q[1:4]
        turn = [-v @ qd[:3] / 2.0, *(w * qd[:3] + np.cross(v, qd[:3])) / 2.0]
        qdd = MODEL.forward_dynamics(q, qd, tau)
        return [*turn, *qd[3:], *qdd, (0.8 - a) / 0.05, a * a, gap @ gap]

    first = [*POSE, *np.zeros(7), 0.1, 0.0, 2.0]
    first[:4] /= np.linalg.norm(first[:4])
    found = integrate.solve_ivp(
        rates, (0.0, 0.3), first, "DOP853", t_eval=run.t, rtol=1e-11, atol=1e-11
    ).y.T
    assert apart(MODEL, run.q, found[:, :8]) < 1e-8
    close(run.qd, found[:, 8:15], 1e-7)
    close(run["string.a"], found[:, 15], 1e-9)
    close(run["string.path"], found[:, 16:], 1e-8)
    close(run["string.a"], 0.8 - 0.7 * np.exp(-run.t / 0.05), 1e-9)
    acted = run.acted(puller())
    assert acted["the Puller 'string'"].shape == run.qd.shape


@pytest.mark.parametrize("integrator", NATIVE)
def test_steps_with_states_converge(integrator):
    exact = simulate(puller(), 0.1, 0.1, "Runge-Kutta", q=POSE, tolerance=1e-11)
    errors = []
    for h in (1e-3, 5e-4):
        run = simulate(puller(), 0.1, h, integrator, q=POSE)
        states = [np.abs(run[n][-1] - exact[n][-1]).max() for n in ("string.a", "string.path")]
        errors.append([apart(MODEL, run.q[-1], exact.q[-1]), *states])
    ratio = np.divide(*errors)
    assert (ratio > 1.8).all() and (ratio < 2.2).all(), ratio


def test_states_start_where_they_are_told():
    scene = puller()
    given = {"string.a": [0.0, 0.8], "string.path": (1.0, 3.0), "leg": 0.2}
    run = simulate(scene, 0.01, 1e-3, start=given)
    assert run["string.a"][:, 0].tolist() == [0.0, 0.8]
    assert run["string.path"][:, 0].tolist() == [[1.0, 3.0]] * 2
    assert run["leg"].q[:, 0].tolist() == [[0.2]] * 2
    close(run["string.a"][1], np.full(11, 0.8), 1e-14)  # it stays


def test_whole_numbers_are_parameters_where_floats_are_meant():
    scene = ar.Scene(MODEL, [Puller("pad", None, (1, 0, 2), 20, 1, name="s")])
    assert scene.parameters()["s.anchor"].tolist() == [1.0, 0.0, 2.0]
    assert scene.parameters()["s.force"] == 20.0
    run = simulate(scene, 0.01, 1e-3, parameters={"s.anchor": (0.5, 0.2, 1.0)})
    there = ar.Scene(MODEL, [Puller("pad", None, (0.5, 0.2, 1.0), 20.0, 1.0, name="s")])
    close(run.q, simulate(there, 0.01, 1e-3).q, 1e-14)


# A controller with memory


def test_a_controller_with_memory_has_no_error_in_the_end():
    scene = pid()
    run = simulate(scene, 20.0, 2e-3, q=POSE, keep_every=100, parameters={"controller.i": [0, 60]})
    target = np.array(scene.controller.target)
    off = np.abs(MODEL.difference(run.q[:, -1], np.stack([target] * 2))).max(-1)
    assert off[0] > 0.03 and off[1] < 1e-5
    hold = MODEL.gravity_forces(target)  # which its memory comes to
    close(60.0 * np.array(weights()) * run["controller.integral"][1, -1], hold, 1e-4)


def test_slopes_of_states_do_not_spoil_implicit_steps():
    """Each choice of slopes leads to the same motion, and "exact" knows the controller's."""
    for make in (puller, pid):
        exact = simulate(make(), 0.1, 0.1, "Runge-Kutta", q=POSE, tolerance=1e-11)
        for slopes in ("symmetric", "exact", "none"):
            errors = []
            for h in (1e-3, 5e-4):
                run = simulate(make(), 0.1, h, "implicit Euler", q=POSE, slopes=slopes)
                errors.append(apart(MODEL, run.q[-1], exact.q[-1]))
            assert 1.8 < errors[0] / errors[1] < 2.2, (slopes, errors)


@pytest.mark.parametrize("integrator", NATIVE)
def test_what_pushes_the_world_alone_moves_nothing(integrator):
    class Idle(ar.Element):
        links = (None,)

        def forces(self, here):
            return here.frames[0].wrench((0, 0, 0), (1.5, 0, 0))

    run = simulate(ar.Scene(MODEL, [Idle()]), 0.03, 0.01, integrator, q=POSE)
    assert np.array_equal(run.q, simulate(ar.Scene(MODEL), 0.03, 0.01, integrator, q=POSE).q)
