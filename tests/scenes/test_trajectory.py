"""Trajectories: on disk without loss, and runs that go on where they were killed."""

import copy
import io
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from scene_cases import ALL, figure, follower, potential, pushes, simulate, sprung, start

import arthron as ar
from arthron import forces
from arthron._simulate import progress
from arthron._simulate.trajectory_file import TrajectoryFile

HERE = Path(__file__).parent
ARRAYS = ("t", "q", "qd", "kinetic", "potential", "forces", "residual")


def same(a, b):
    """All numbers of two trajectories are the same, to the last bit."""
    for name in ARRAYS:
        x, y = getattr(a, name), getattr(b, name)
        assert x.shape == y.shape, name
        np.testing.assert_array_equal(x, y, name)
    assert dict(a.about) == dict(b.about)


def prescribed():
    """A scene with a joint that is prescribed, so that there are forces to report."""
    return ar.Scene(
        figure(), [*sprung().elements, ar.Prescribed("leg", velocity=lambda t: ar.sin(t))]
    )


def light():
    """A figure that takes little time."""
    link = [ar.Box((0.1, 0.15, 0.6), mass=1, placement=(0.02, 0.03, -0.3))]
    model = ar.Model([
        ar.Body("upper", ar.Universal("x", "y"), shapes=link),
        ar.Body("lower", ar.Revolute((1, 2, 0)), "upper", (0.02, 0, -0.6), shapes=link),
    ], name="light")  # fmt: skip
    return ar.Scene(model, [forces.JointSpring("lower", 3.0, 0.1)])


def header_of(path):
    """How many bytes of a file come before its states."""
    return len(TrajectoryFile.at(path).head)


# Without loss


@pytest.mark.parametrize("batch", [(), (1,), (3,), (2, 3)])
@pytest.mark.parametrize("make", [sprung, prescribed])
def test_a_trajectory_comes_back_as_it_was(make, batch, tmp_path):
    scene = make()
    q, qd = start(scene.model, 1, batch)
    written = simulate(scene, 0.06, 0.01, q=q, qd=qd, keep_every=2)
    assert (make is prescribed) == written.forces.any()
    path = written.save(tmp_path / "swing.trajectory")
    assert os.listdir(tmp_path) == ["swing.trajectory"]
    read = ar.load_trajectory(path, scene.model)
    same(written, read)
    assert read.model is scene.model
    assert ar.load_trajectory(str(path)).model is None
    assert len(read) == 4
    np.testing.assert_array_equal(read.energy, written.kinetic + written.potential)
    again = read.save(path)
    same(ar.load_trajectory(again), read)


def test_numbers_of_any_sort_come_back(tmp_path):
    n = np.array([0.0, -0.0, 5e-324, 1.7976931348623157e308, -1 / 3, np.inf, -np.inf, np.nan])
    odd = ar.Trajectory(
        n,
        np.stack([n, -n], 1),
        n[:, None],
        n,
        -n,
        n[:, None],
        n,
        about={"model": "ä 机器人", "step": 0.1},
    )
    read = ar.load_trajectory(odd.save(tmp_path / "odd"))
    same(read, odd)
    np.testing.assert_array_equal(np.signbit(read.q), np.signbit(odd.q))


def test_an_empty_trajectory_comes_back(tmp_path):
    none = ar.Trajectory(np.zeros(0), np.zeros((0, 3)), np.zeros((0, 2)), np.zeros(0), np.zeros(0),
                         np.zeros((0, 2)), np.zeros(0))  # fmt: skip
    assert len(ar.load_trajectory(none.save(tmp_path / "none"))) == 0
    assert "0 states" in repr(none)


def test_what_a_file_holds_is_the_run_that_wrote_it(tmp_path):
    scene = prescribed()
    q, qd = start(scene.model, 2, (3,))
    path = tmp_path / "run"
    run = simulate(scene, 0.3, 0.01, q=q, qd=qd, file=path)
    same(ar.load_trajectory(path), run)
    same(run, simulate(scene, 0.3, 0.01, q=q, qd=qd))


def test_reading_changes_nothing(tmp_path):
    """Not even a file that ends in the middle of a record: another run may be writing it."""
    scene = light()
    path = tmp_path / "run"
    simulate(scene, 0.2, 0.01, file=path)
    cut = path.read_bytes()[:-11]
    path.write_bytes(cut)
    assert len(ar.load_trajectory(path)) < 21
    assert path.read_bytes() == cut


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_that_may_only_be_read_is_read(tmp_path):
    path = tmp_path / "run"
    simulate(light(), 0.1, 0.01, file=path)
    path.chmod(0o444)
    assert len(ar.load_trajectory(path)) == 11


# Going on


@pytest.mark.parametrize("integrator", ALL)
@pytest.mark.parametrize("kept", [0.01, 0.4, 0.95])
def test_a_run_cut_short_ends_with_the_same_numbers(integrator, kept, tmp_path):
    scene, h = light(), 0.005
    path = tmp_path / "run"
    more = {"q": [0.5, 0.4, -0.3], "tolerance": 1e-6}
    whole = simulate(scene, 300 * h, h, integrator, file=path, **more)
    same(whole, simulate(scene, 300 * h, h, integrator, **more))
    text, header = path.read_bytes(), header_of(path)
    path.write_bytes(text[: header + int(kept * (len(text) - header))])
    there = ar.load_trajectory(path)
    assert len(there) < 301
    np.testing.assert_array_equal(there.q, whole.q[: len(there)])
    resumed = simulate(scene, 300 * h, h, integrator, file=path, **more)
    same(resumed, whole)
    same(ar.load_trajectory(path), whole)


@pytest.mark.parametrize("every", [2, 5])
@pytest.mark.parametrize("integrator", ["semi-implicit Euler", "BDF2"])
def test_steps_between_kept_states_are_not_forgotten(integrator, every, tmp_path):
    scene, h = light(), 0.005
    path = tmp_path / "run"
    more = {"q": [0.5, 0.4, -0.3], "keep_every": every}
    whole = simulate(scene, 100 * h, h, integrator, file=path, **more)
    text = path.read_bytes()
    path.write_bytes(text[: len(text) // 2])
    same(simulate(scene, 100 * h, h, integrator, file=path, **more), whole)


def test_batches_with_forces_and_controls_go_on(tmp_path):
    scene = prescribed()
    model = scene.model
    q, qd = start(model, 3, (3,))
    tau = np.random.default_rng(4).normal(size=(3, 300, model.nv))
    inertia = np.linspace(1.0, 1.2, 3)[:, None] * model.inertial_parameters().ravel()
    path = tmp_path / "run"
    more = {"q": q, "qd": qd, "tau": tau, "parameters": {"inertia": inertia}}
    whole = simulate(scene, 0.3, 1e-3, file=path, **more)
    text = path.read_bytes()
    path.write_bytes(text[: len(text) // 3])
    same(simulate(scene, 0.3, 1e-3, file=path, **more), whole)


def test_a_run_that_was_killed_before_its_first_state_starts_anew(tmp_path):
    scene, path = light(), tmp_path / "run"
    whole = simulate(scene, 0.1, 0.01, file=path)
    text, header = path.read_bytes(), header_of(path)
    for size in (0, 10, header - 5, header, header + 30):
        path.write_bytes(text[:size])
        same(simulate(scene, 0.1, 0.01, file=path), whole)
        assert path.read_bytes() == text


def test_a_longer_run_goes_on_and_a_shorter_one_is_cut(tmp_path):
    scene, path = light(), tmp_path / "run"
    simulate(scene, 0.1, 0.01, file=path)
    longer = simulate(scene, 0.3, 0.01, file=path)
    same(longer, simulate(scene, 0.3, 0.01))
    same(ar.load_trajectory(path), longer)
    same(simulate(scene, 0.2, 0.01, file=path), simulate(scene, 0.2, 0.01))
    same(ar.load_trajectory(path), longer)  # what is there is not thrown away


KILLED = """
import sys
sys.path.insert(0, {here!r})
from test_trajectory import long_run
long_run({path!r})
"""


def long_run(path):
    """A run of a few seconds that writes as it goes."""
    scene = light()
    return simulate(scene, 400.0, 1e-4, q=[0.5, 0.4, -0.3], keep_every=2000, file=path)


def test_a_killed_run_goes_on(tmp_path):
    path = tmp_path / "run"
    command = [sys.executable, "-c", KILLED.format(here=str(HERE), path=str(path))]
    process = subprocess.Popen(command)
    try:
        until = time.monotonic() + 30.0
        while not path.exists() or path.stat().st_size < 20_000:
            assert time.monotonic() < until
            assert process.poll() is None, "it was done before it could be killed"
            time.sleep(0.005)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    there = len(ar.load_trajectory(path))
    assert 1 < there < 2001
    resumed = long_run(path)
    assert len(resumed) == 2001
    same(resumed, simulate(light(), 400.0, 1e-4, q=[0.5, 0.4, -0.3], keep_every=2000))


def test_a_run_that_was_stopped_by_hand_has_written_what_it_did(tmp_path, monkeypatch):
    scene, path = light(), tmp_path / "run"
    whole = simulate(scene, 6.0, 0.01, "BDF1")
    count = iter(range(10**6))

    def interrupted(bar, done):
        if next(count) == 6:
            raise KeyboardInterrupt

    monkeypatch.setattr(progress.Bar, "show", interrupted)
    with pytest.raises(KeyboardInterrupt) as info:
        simulate(scene, 6.0, 0.01, "BDF1", file=path)
    there = ar.load_trajectory(path)
    assert 2 < len(there) < 601
    same(there, info.value.trajectory)
    monkeypatch.undo()
    same(simulate(scene, 6.0, 0.01, "BDF1", file=path), whole)


# Another simulation


def with_stiffness(k):
    return ar.Scene(light().model, [forces.JointSpring("lower", k, 0.1)])


def heavier():
    link = [ar.Box((0.1, 0.15, 0.6), mass=2, placement=(0.02, 0.03, -0.3))]
    bodies = [
        ar.Body(b.name, b.joint, b.parent, b.placement, shapes=link) for b in light().model.bodies
    ]
    return ar.Scene(ar.Model(bodies, name="light"), light().elements)


def turning(speed):
    """The light scene with a joint that turns as prescribed."""
    turned = ar.Prescribed("lower", velocity=lambda t: speed)
    return ar.Scene(light().model, [*light().elements, turned])


OTHER = {
    "integrator": ({"integrator": "explicit Euler"}, "`integrator` is 'semi-implicit Euler', not"),
    "step": ({"step": 0.02}, "`step` is 0.01, not 0.02"),
    "keep_every": ({"keep_every": 2}, "`keep_every` is 1, not 2"),
    "batch": ({"q": np.zeros((2, 3))}, r"batch has the shape \(\), not \(2,\)"),
    "start": ({"q": [0.1, 0.0, 0.0]}, r"differs in its start \(`q`\)\."),
    "velocity": ({"qd": [0.1, 0.0, 0.0]}, r"differs in its start \(`qd`\)\."),
    "model": ({"scene": ar.Scene(ar.random_tree(3, rng=1))}, "`model` is 'light', not"),
    "masses": ({"scene": heavier()}, "the inertia of its body 'upper' is not the same"),
    "forces": ({"scene": ar.Scene(light().model)}, "differs in its .*scene "),
    "stiffness": ({"scene": with_stiffness(4.0)}, "parameter 'JointSpring.lower..stiffness'[.]"),
    "controller": ({"scene": ar.Scene(light().model, light().elements,
                                      ar.controllers.gravity_compensation)}, "differs in .*scene "),
    "prescribed": ({"scene": turning(1.0)}, "differs in its .*scene "),
    "prescribed otherwise": ({"scene": turning(-5.0)}, "differs in its .*scene "),
    "tau": ({"tau": [1.0, 0.0, 0.0]}, "differs in its `tau`"),
    "gravity": ({"parameters": {"gravity": (0.0, 0.0, -1.0)}}, "in its parameter 'gravity'"),
    "inertia": ({"parameters": {"inertia": 1.1 * light().model.inertial_parameters().ravel()}},
                "differs in its .*parameter 'inertia'"),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHER)
def test_a_file_of_another_simulation_is_not_gone_on_with(name, tmp_path):
    path = tmp_path / "run"
    given = {"scene": light(), "duration": 0.2, "step": 0.01, "q": np.zeros(3), "qd": np.zeros(3)}
    simulate(**given, file=path)
    text = path.read_bytes()
    change, words = OTHER[name]
    given |= change
    if name == "model":
        given |= {"q": None, "qd": None}
    with pytest.raises(ar.SimulationError, match=f"{path} holds another .*{words}"):
        simulate(**given | {"duration": 0.4}, file=path)
    assert path.read_bytes() == text


def test_a_file_that_was_saved_is_not_gone_on_with(tmp_path):
    path = simulate(light(), 0.1, 0.01).save(tmp_path / "run")
    with pytest.raises(ar.SimulationError, match="written by `save`, and cannot be resumed"):
        simulate(light(), 0.1, 0.01, file=path)


@pytest.mark.parametrize("rows, every", [((), 1), ((), 2), ((3,), 2), ((0,), 1)])
def test_a_longer_run_goes_on_with_forces_for_each_step(rows, every, tmp_path):
    scene, path = light(), tmp_path / "run"
    tau = np.random.default_rng(1).normal(size=(*rows, 40, scene.model.nv))

    def run(steps, tau=tau, **more):
        return simulate(
            scene, 0.01 * steps, 0.01, tau=tau[..., :steps, :], keep_every=every, **more
        )

    run(20, file=path)
    longer = run(40, file=path)
    same(longer, run(40))
    same(ar.load_trajectory(path), longer)
    same(run(30, file=path), run(30))  # a shorter one reads
    if rows != (0,):
        other = tau.copy()
        other[..., 25, 1] += 1e-12
        same(run(24, other, file=path), run(24))
        with pytest.raises(ar.SimulationError, match=r"its `tau` before t = 0\.26 s is not"):
            run(40, other, file=path)
    with pytest.raises(
        ar.SimulationError, match="holds another simulation: it differs in its `tau`"
    ):
        simulate(scene, 0.4, 0.01, tau=tau[..., :1, :], keep_every=every, file=path)


@pytest.mark.parametrize("content", [
    b"junk\nmore\n", bytes(range(256)), b"arthron trajectory 1\n{}\n",
    b"arthron trajectory 1\n[]\n", b'arthron trajectory 1\n{"about": {}}\n',
    b"arthron trajectory 9\n{}\n",
])  # fmt: skip
def test_what_is_no_trajectory_is_said_to_be_none(content, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(ar.FileError, match=str(path)):
        ar.load_trajectory(path)
    with pytest.raises(ar.FileError, match=str(path)):
        simulate(light(), 0.1, 0.01, file=path)
    assert path.read_bytes() == content


def test_places_that_cannot_be_written_are_named(tmp_path):
    found = simulate(light(), 0.1, 0.01)
    for path in (tmp_path / "none" / "run", tmp_path):
        with pytest.raises(ar.FileError) as info:
            found.save(path)
        assert info.value.path == str(path)
        with pytest.raises(ar.FileError) as info:
            simulate(light(), 0.1, 0.01, file=path)
        assert info.value.path == str(path)
    assert os.listdir(tmp_path) == []
    with pytest.raises(ar.FileError, match="none"):
        ar.load_trajectory(tmp_path / "none")


def test_a_model_must_fit_the_file(tmp_path):
    path = simulate(light(), 0.1, 0.01).save(tmp_path / "run")
    with pytest.raises(ar.FileError, match="coordinates"):
        ar.load_trajectory(path, figure())


@pytest.mark.parametrize("integrator", ["semi-implicit Euler", "BDF1", "Runge-Kutta"])
def test_a_run_that_failed_fails_again(integrator, tmp_path):
    """Nothing but finite states is in its file, and going on comes to the same end."""
    scene = ar.Scene(
        light().model, [forces.JointTorque("lower", lambda q, qd, t: ar.sqrt(0.155 - t))]
    )
    path = tmp_path / "run"
    messages = []
    for _ in range(2):
        with pytest.raises(ar.SimulationError) as info:
            simulate(scene, 0.3, 0.01, integrator, file=path)
        messages.append(str(info.value))
        there = ar.load_trajectory(path)
        assert np.isfinite(there.q).all()
        assert np.isfinite(there.energy).all()
        same(there, info.value.trajectory)
        assert 14 < len(there) < 18
    assert messages[0] == messages[1]


# Numbers that are NumPy's


def test_numbers_of_numpy_are_numbers(tmp_path):
    path = tmp_path / "run"
    plain = simulate(light(), 0.2, 0.01, keep_every=2)
    found = simulate(light(), np.float64(0.2), np.float64(0.01), keep_every=np.int64(2), file=path)
    np.testing.assert_array_equal(found.q, plain.q)
    same(simulate(light(), 0.2, 0.01, keep_every=2, file=path), found)


# The bar


class Terminal(io.StringIO):
    """Something that is a terminal, or says it is."""

    def __init__(self, is_one=True):
        super().__init__()
        self.is_one = is_one

    def isatty(self):
        return self.is_one


def shown(monkeypatch, terminal=True, after=0.0, **more):
    """What is written to stderr by a run."""
    screen = Terminal(terminal)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(progress, "WAIT", after)
    ar.simulate(light(), 3.0, 0.01, **more)
    return screen.getvalue()


@pytest.mark.parametrize("integrator", ["semi-implicit Euler", "BDF1"])
def test_a_bar_shows_on_a_terminal_and_goes_away(integrator, monkeypatch):
    text = shown(monkeypatch, integrator=integrator)
    assert "%" in text
    assert text.endswith("\r")
    assert not text.split("\r")[-2].strip()
    assert "\n" not in text


def test_a_bar_shows_only_where_it_is_wanted(monkeypatch):
    assert shown(monkeypatch, progress=False) == ""
    assert shown(monkeypatch, terminal=False) == ""
    assert shown(monkeypatch, after=2.0) == ""


def test_a_bar_waits_for_two_seconds(monkeypatch):
    clock = [100.0]
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(progress.time, "perf_counter", lambda: clock[0])
    bar = progress.Bar(100, True)
    texts = []
    for now in (1.9, 2.1, 2.15, 3.0):
        clock[0] = 100.0 + now
        bar.show(int(20 * now))
        texts.append(screen.getvalue())
    assert texts[0] == ""
    assert "42 %" in texts[1]
    assert texts[2] == texts[1]  # not more often than one can see
    assert "60 %" in texts[3]
    assert "2 s left" in texts[3]


def test_a_bar_says_that_it_compiles_and_counts_from_then_on(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(progress, "WAIT", 0.0)
    clock = [0.0]
    with progress.Bar(100, True) as bar:
        bar._waits.join()
        assert "compiling" in screen.getvalue()
        monkeypatch.setattr(progress.time, "perf_counter", lambda: clock[0])
        bar.began = 0.0
        for now, done in ((60.0, 0), (61.0, 10)):
            clock[0] = now
            bar.show(done)
    last = screen.getvalue().split("\r")[-3]
    assert "10 %" in last and "9 s left" in last
    assert not screen.getvalue().split("\r")[-2].strip()


def test_an_error_takes_the_bar_away(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(progress, "WAIT", 0.0)
    scene = ar.Scene(light().model, [forces.JointTorque("lower", lambda q, qd, t: 1.0 / (t - t))])
    with pytest.raises(ar.SimulationError):
        ar.simulate(scene, 1.0, 0.01)
    assert screen.getvalue() == "" or screen.getvalue().endswith("\r")


# What it says of itself


def test_a_trajectory_introduces_itself():
    model = follower()
    q, qd = start(model, 1, (2, 3))
    found = simulate(ar.Scene(model), 0.2, 0.1, q=q, qd=qd)
    assert repr(found) == "<Trajectory of claw of (2, 3): 3 states from 0 to 0.2 s>"
    assert found.about["integrator"] == "semi-implicit Euler"
    assert found.about["step"] == 0.1


def test_energies_are_those_of_the_states():
    scene = sprung()
    model = scene.model
    q, qd = start(model, 5, (2,))
    found = simulate(scene, 0.1, 0.01, q=q, qd=qd)
    np.testing.assert_allclose(found.kinetic, model.kinetic_energy(found.q, found.qd), rtol=1e-12)
    gravity = model.potential_energy(found.q)
    np.testing.assert_allclose(found.potential, gravity + potential(scene, found.q), rtol=1e-10)


@pytest.mark.parametrize("more", [{"gain": 0.0}, {"position": lambda t: -5.0 * t}])
def test_a_file_of_another_motion_is_not_gone_on_with(more, tmp_path):
    """Its acceleration is the same."""

    def scene(**more):
        prescribed = ar.Prescribed("lower", **{"position": lambda t: t, **more})
        return ar.Scene(light().model, [prescribed])

    given = {"q": np.zeros(3), "qd": np.zeros(3), "file": tmp_path / "run"}
    simulate(scene(), 0.1, 0.01, **given)
    simulate(scene(), 0.2, 0.01, **given)
    with pytest.raises(ar.SimulationError, match="another simulation"):
        simulate(scene(**more), 0.3, 0.01, **given)


def test_scenes_and_trajectories_travel():
    """By pickle and by copy, also after use."""
    scene = ar.Scene(figure(), sprung().elements, ar.controllers.gravity_compensation)
    whole = simulate(scene, 0.05, 0.01)
    for other in (pickle.loads(pickle.dumps(scene)), copy.deepcopy(scene)):
        same(simulate(other, 0.05, 0.01), whole)
    same(pickle.loads(pickle.dumps(whole)), whole)
    assert whole == whole and whole != simulate(scene, 0.05, 0.01)
    assert len({whole, whole}) == 1


@pytest.mark.parametrize("batch", [(), (2,)])
def test_what_acted_adds_up(batch):
    """Each force by itself; together all that the scene does."""
    model = figure()
    spring = forces.JointSpring("leg", 3.0, 0.5, 0.2)
    scene = ar.Scene(model, [*sprung().elements, spring, spring],
                     ar.controllers.pd(model.neutral(), 2.0, 0.1))  # fmt: skip
    q, qd = start(model, 7, batch)
    found = simulate(scene, 0.1, 0.01, q=q, qd=qd)
    acted = found.acted(scene)
    total = pushes(scene, found.q, found.qd, found.t)
    np.testing.assert_allclose(sum(acted.values()), total, rtol=1e-9, atol=1e-9)
    assert all(x.shape == found.qd.shape for x in acted.values())
    leg = acted["the JointSpring at joint 'leg'"][..., model.slice_qd("leg")]
    angle, rate = found.q[..., model.slice_q("leg")], found.qd[..., model.slice_qd("leg")]
    np.testing.assert_allclose(leg, -3.0 * (angle - 0.2) - 0.5 * rate, atol=1e-12)
    np.testing.assert_allclose(
        acted["the JointSpring at joint 'leg' (2)"][..., model.slice_qd("leg")], leg
    )
    assert {"damping of joints", "the controller"} < set(acted)
    with pytest.raises(ar.ShapeError, match="coordinates"):
        found.acted(light())
