"""What is measured along a run, and what ends it, against the states of the run itself."""

import os

import numpy as np
import pytest
from scene_cases import (
    ALL,
    NATIVE,
    NEWTON,
    close,
    figure,
    hinges,
    one_body,
    simulate,
    sprung,
    start,
)
from state_cases import leaky

import arthron as ar
from arthron import forces

MODEL = figure()
HINGE = one_body(ar.Revolute("y"))


def same(a, b):
    return np.array_equal(a, b, equal_nan=True)


def late(tree, t):
    return t > 0.0349


def high(tree, q):
    return tree.vector(q)[-1] > 0.3


def rows(n=5, seed=3):
    q, qd = start(MODEL, seed, (n,), speed=4.0)
    return {"q": q, "qd": qd}


# until


@pytest.mark.parametrize("integrator", NATIVE)
@pytest.mark.parametrize("every", [1, 4])
def test_rows_end_at_the_first_state_for_which_the_page_is_true(integrator, every):
    more = rows(7)
    whole = simulate(sprung(), 0.4, 0.01, integrator, **more)
    ends = whole.q[..., -1] > 0.3
    ends[:, 0] = False  # looked at behind each step
    run = simulate(sprung(), 0.4, 0.01, integrator, until=high, keep_every=every, **more)
    assert ends.any(-1).any() and not ends.any(-1).all()
    for k, own in enumerate(ends):
        if not own.any():  # another program, whose rounding may be another
            assert np.isnan(run.ended[k])
            close(run.q[k], whole.q[k, ::every], 1e-11)
            continue
        n = int(own.argmax())
        assert run.ended[k] == whole.t[n]
        last = -(-n // every)
        close(run.q[k, :last], whole.q[k, : last * every : every], 1e-11)
        close(run.q[k, last], whole.q[k, n], 1e-11)
        close(run.qd[k, last], whole.qd[k, n], 1e-11)
        for array in (run.q, run.qd, run.energy):
            assert np.isnan(array[k, last + 1 :]).all()


@pytest.mark.parametrize("every", [1, 5])
def test_when_all_rows_have_ended_the_run_is_over(every):
    run = simulate(sprung(), 20.0, 0.01, until=late, keep_every=every, q=rows(3)["q"])
    assert run.ended.tolist() == [0.04] * 3
    assert len(run) == len(run.t) == (5 if every == 1 else 2)
    assert np.isfinite(run.q).all()


def test_a_run_that_has_ended_is_written_and_read(tmp_path):
    more = rows(7) | {"until": high, "record": {"tip": ar.sensors.position(MODEL, "pad")}}
    run = simulate(leaky(), 0.4, 0.01, file=tmp_path / "a", **more)
    assert np.isnan(run.ended).any() and not np.isnan(run.ended).all()
    run.save(tmp_path / "b")
    for path in ("a", "b"):
        found = ar.load_trajectory(tmp_path / path, MODEL)
        for name in ("t", "q", "qd", "kinetic", "potential", "ended"):
            assert same(getattr(found, name), getattr(run, name)), (path, name)
        assert same(found["tip"], run["tip"])
        assert same(found["leaky.x"], run["leaky.x"])
    again = simulate(leaky(), 0.4, 0.01, file=tmp_path / "a", **more)
    assert same(again.q, run.q) and same(again.ended, run.ended)


def test_the_last_state_of_a_row_is_where_it_ended():
    more = rows(7)
    run = simulate(leaky(), 0.4, 0.01, until=high, **more)
    last = run.last()
    for k in range(7):
        n = np.flatnonzero(np.isfinite(run.q[k, :, 0]))[-1]
        assert same(last["q"][k], run.q[k, n]) and same(last["qd"][k], run.qd[k, n])
        assert same(last["leaky.x"][k], run["leaky.x"][k, n, None])
    simulate(leaky(), 0.01, 0.01, start=last)


def test_what_ended_between_kept_states_is_measured_when_it_ended():
    record = {"when": lambda tree, t: t}
    run = simulate(sprung(), 0.1, 0.01, keep_every=5, until=late, record=record)
    assert run["when"].tolist() == [0.0, 0.04] and run.ended == 0.04


# record


def matrix(tree, q):
    return ar.algorithms.mass_matrix(tree, q)


def through(tree, qdd):
    return tree.vector(qdd)


def pushed(tree, tau):
    return tau


@pytest.mark.parametrize("integrator", ALL)
@pytest.mark.parametrize("batch", [(), (3,), (2, 1)])
def test_what_is_recorded_is_what_pages_give_of_the_states(integrator, batch):
    scene = ar.Scene(hinges()) if integrator in NEWTON else sprung()
    model = scene.model
    q, qd = start(model, 1, batch)
    record = {
        "energy of motion": ar.algorithms.kinetic_energy,
        "where": ar.sensors.position(model, "pad", (0.1, 0.0, 0.2)),
        "M": matrix,
        "time": lambda tree, t: 2.0 * t,
        "frames": ar.algorithms.poses,
    }
    run = simulate(scene, 0.06, 0.01, integrator, q=q, qd=qd, keep_every=2, record=record)
    close(run["energy of motion"], run.kinetic, 1e-14)
    close(run["M"], model.mass_matrix(run.q), 1e-13)
    close(run["frames"], model.body_poses(run.q), 1e-13)
    pose = run["pad"].pose
    close(run["where"], pose[..., :3, :3] @ [0.1, 0.0, 0.2] + pose[..., :3, 3], 1e-13)
    assert same(run["time"], np.broadcast_to(2.0 * run.t, run.kinetic.shape))
    assert run["M"].shape == (*batch, 4, model.nv, model.nv)


def accelerations(run, scene):
    """qdd from inverse dynamics' inverse: what acted, element by element, on forward dynamics."""
    tau = sum(run.acted(scene).values())
    return scene.model.forward_dynamics(run.q, run.qd, tau)


@pytest.mark.parametrize("batch", [(), (3,)])
def test_accelerations_are_those_of_what_acts(batch):
    q, qd = start(MODEL, 2, batch)
    run = simulate(sprung(), 0.05, 0.01, q=q, qd=qd, record={"qdd": through})
    close(run["qdd"], accelerations(run, sprung()), 1e-10)


def test_accelerations_are_slopes_of_velocities():
    q, qd = start(MODEL, 2)
    run = simulate(sprung(), 4e-3, 1e-3, "Runge-Kutta", q=q, qd=qd, record={"qdd": through},
                   tolerance=1e-13)  # fmt: skip
    slope = np.array([1.0, -8.0, 0.0, 8.0, -1.0]) @ run.qd / 12e-3
    close(run["qdd"][2], slope, 1e-6)


@pytest.mark.parametrize("by_step", [False, True])
@pytest.mark.parametrize("batch", [(), (3,)])
def test_forces_from_outside_are_among_what_acts(batch, by_step):
    q, qd = start(MODEL, 2, batch)
    rng = np.random.default_rng(0)
    tau = rng.normal(size=(*batch, 6, MODEL.nv) if by_step else (*batch, MODEL.nv))
    scene = ar.Scene(MODEL, [forces.JointSpring("leg", 30.0)])
    run = simulate(scene, 0.06, 0.01, "explicit Euler", q=q, qd=qd, tau=tau, keep_every=2,
                   record={"qdd": through, "tau": pushed})  # fmt: skip
    own = sum(run.acted(scene).values())
    outside = tau[..., [0, 2, 4, 5], :] if by_step else tau[..., None, :]
    close(run["tau"], own + outside, 1e-12)
    close(run["qdd"], MODEL.forward_dynamics(run.q, run.qd, own + outside), 1e-11)


def test_states_of_elements_can_be_recorded():
    page = {
        "twice": lambda tree, leaky_x: 2.0 * leaky_x,
        "v": lambda tree, filter_v: list(filter_v),
    }
    run = simulate(leaky(), 0.1, 0.01, record=page, start={"leg": [0.1, 0.2, 0.3]})
    assert same(run["twice"], 2.0 * run["leaky.x"])
    assert same(run["v"], run["filter.v"]) and run["v"].shape == (3, 11, 3)


class Reaching:
    """A page that is an object, and has no hash."""

    __hash__ = None
    __name__ = "reaching"

    def __call__(self, tree, q):
        return tree.vector(q)[-1] > 100.0


def test_pages_may_be_objects():
    run = simulate(sprung(), 0.02, 0.01, until=Reaching(), record={"far": Reaching()})
    assert run["far"].tolist() == [0.0, 0.0, 0.0]


NAMES = ("t", "q", "qd", "kinetic", "energy", "ended", "leaky.x", "history.q", "", 3)
BAD_RECORDS = {
    "is no dict": ([through], "Give a dict of pages by name"),
    "is no page": ({"a": 3.0}, "Give a function"),
    "is compiled": ({"a": MODEL.kinetic_energy}, "compiled already"),
    "two results": ({"a": lambda tree, q: (1.0, 2.0)}, "'a' has 2 results"),
    "nothing": ({"a": lambda tree, q: None}, "Did you forget `return`"),
    "text": ({"a": lambda tree, q: "x"}, "of type str"),
    "unknown": ({"a": lambda tree, qddd: 1.0}, "Nearest: 'qdd'"),
    "fails": ({"a": lambda tree, q: 1 / 0}, r"failed with ZeroDivisionError.*test_recording"),
} | {f"named {n!r}": ({n: through}, "taken: .*Call it something else") for n in NAMES}
BAD_ENDS = {
    "is no page": (3.0, "Give a function"),
    "is compiled": (MODEL.kinetic_energy, "compiled already"),
    "several": (lambda tree, q: tree.vector(q), "Return one comparison"),
    "a vector": (ar.sensors.position(MODEL, "pad"), "Return one comparison"),
    "nothing": (lambda tree, q: None, "Return one comparison"),
    "text": (lambda tree, q: "x", "Return one comparison"),
    "a number": (lambda tree, q: 3.0, "Return one comparison"),
    "a coordinate": (lambda tree, q: q[2][0], "Return one comparison"),
    "a height": (lambda tree, q: 2.0 * ar.sin(q[2][0]), "Return one comparison"),
    "half of it": (lambda tree, q, t: (t > 0.01) & q[2][0], "Return one comparison"),
    "unknown": (lambda tree, qddd: 1.0, "Nearest: 'qdd'"),
    "branches": (lambda tree, t: 1.0 if t > 0.1 else 0.0, "ar.where"),
    "fails": (lambda tree, q: 1 / 0, r"failed with ZeroDivisionError.*test_recording"),
}


@pytest.mark.parametrize("name", BAD_RECORDS)
def test_bad_records_are_named(name):
    record, words = BAD_RECORDS[name]
    with pytest.raises(ar.ArthronError, match=words):
        simulate(leaky(), 0.02, 0.01, record=record)


@pytest.mark.parametrize("name", BAD_ENDS)
def test_bad_ends_are_named(name):
    until, words = BAD_ENDS[name]
    with pytest.raises(ar.ArthronError, match=words):
        simulate(leaky(), 0.02, 0.01, until=until)


@pytest.mark.parametrize("integrator", ALL)
def test_all_integrators_end_early(integrator):
    scene = ar.Scene(hinges(), [ar.forces.JointSpring("leg", 3.0, 0.5)])
    q, qd = start(hinges(), 2, (3,))
    whole = simulate(scene, 0.1, 0.01, integrator, q=q, qd=qd)
    run = simulate(scene, 0.1, 0.01, integrator, q=q, qd=qd, until=lambda tree, t: t > 0.045)
    assert (run.ended == 0.05).all() and (run.status == "ended").all()
    np.testing.assert_array_equal(run.q, whole.q[:, :6])


CONDITIONS = {
    "and": lambda tree, t: (t > 0.01) & (t > 0.035),
    "or": lambda tree, t: (t < 0.0) | (t > 0.035),
    "not": lambda tree, t: ~(t <= 0.035),
    "times": lambda tree, t: (t > 0.01) * (t > 0.035),
    "unlike": lambda tree, t: ar.where(t > 0.035, 1.0, 0.0) != 0.0,
    "where": lambda tree, t: ar.where(t > 0.02, t > 0.035, 0.0),
    "never": lambda tree, t: False,
}


@pytest.mark.parametrize("integrator", ["leapfrog", "BDF1"])
@pytest.mark.parametrize("name", CONDITIONS)
def test_conditions_of_several_comparisons(name, integrator):
    run = simulate(ar.Scene(HINGE), 0.06, 0.01, integrator, until=CONDITIONS[name])
    assert len(run) == (7 if name == "never" else 5)


@pytest.mark.parametrize("integrator", ["leapfrog", "BDF1", "Runge-Kutta"])
def test_a_coordinate_is_no_condition_whatever_the_integrator(integrator):
    with pytest.raises(ar.SimulationError, match="Return one comparison"):
        simulate(ar.Scene(HINGE), 0.06, 0.01, integrator, until=lambda tree, q: q[1][0])


def swing(t):
    return ar.sin(t)


WATCHED = {
    "another record": ({"record": {"a": late}}, {"record": {"a": lambda tree, t: 2.0 * t}}),
    "no record": ({"record": {"a": late}}, {}),
    "another end": ({"until": late}, {"until": lambda tree, t: t > 0.1}),
    "no end": ({"until": late}, {}),
}


@pytest.mark.parametrize("name", WATCHED)
def test_a_file_is_not_gone_on_with_by_another_page(name, tmp_path):
    first, then = WATCHED[name]
    simulate(sprung(), 0.05, 0.01, file=tmp_path / "run", **first)
    simulate(sprung(), 0.06, 0.01, file=tmp_path / "run", **first)
    with pytest.raises(ar.SimulationError, match="holds another simulation"):
        simulate(sprung(), 0.06, 0.01, file=tmp_path / "run", **then)


def test_a_file_is_not_gone_on_with_when_another_joint_is_prescribed(tmp_path):
    for joint in ("leg", "shoulder"):
        scene = ar.Scene(MODEL, [ar.Prescribed(joint, velocity=swing)])
        if joint == "leg":
            simulate(scene, 0.05, 0.01, file=tmp_path / "run")
            continue
        with pytest.raises(ar.SimulationError, match="holds another simulation"):
            simulate(scene, 0.05, 0.01, file=tmp_path / "run")


@pytest.mark.parametrize("every", [1, 2])
@pytest.mark.parametrize("integrator", NATIVE)
def test_a_run_with_all_of_it_goes_on_bit_for_bit(integrator, every, tmp_path):
    q, qd = start(MODEL, 3, (5,), speed=4.0)
    rng = np.random.default_rng(1)
    more = {"q": q, "qd": qd, "until": high, "tau": rng.normal(size=(40, MODEL.nv)),
            "record": {"tip": ar.sensors.position(MODEL, "pad"), "qdd": through},
            "parameters": {"leaky.gain": np.arange(5.0), "gravity": (0.0, 1.0, -5.0)},
            "keep_every": every}  # fmt: skip
    path = tmp_path / "run"
    whole = simulate(leaky(), 0.4, 0.01, integrator, file=path, **more)
    assert np.isnan(whole.ended).any() and not np.isnan(whole.ended).all()
    record = 8 * 5 * (MODEL.nq + MODEL.nv)
    for left in (path.stat().st_size // 2, path.stat().st_size - 3 * record):
        os.truncate(path, left)
        again = simulate(leaky(), 0.4, 0.01, integrator, file=path, **more)
        for name in ("t", "q", "qd", "kinetic", "potential", "ended", "forces"):
            assert same(getattr(again, name), getattr(whole, name)), name
        for name in ("tip", "qdd", "leaky.x", "filter.v"):
            assert same(again[name], whole[name]), name


def blow(q, qd, t):
    """Not finite beyond the place where runs end."""
    return ar.where(q[0] > 0.3, 1.0 / (q[0] - q[0]), 5.0)


@pytest.mark.parametrize("every", [1, 5])
def test_what_would_happen_behind_the_end_is_no_failure(every):
    prescribed = ar.Prescribed("shoulder", position=ar.keyframes([0.0, 1.0], [0.0, 0.3]))
    scene = ar.Scene(MODEL, [forces.JointTorque("leg", blow), prescribed])
    run = simulate(scene, 1.0, 0.01, until=high, keep_every=every)
    assert run.ended == 0.12 and np.isfinite(run.q).all()
    assert np.isfinite(run.forces[:-1]).all()
    assert np.isnan(run.forces[-1]).all() == (every == 5)  # the last step was not kept


def test_what_ended_is_drawn_until_then(tmp_path):
    from arthron._view.recording import record

    run = simulate(sprung(), 1.0, 0.01, until=lambda tree, t: t > 0.249, q=rows(2)["q"][0])
    both = simulate(sprung(), 1.0, 0.01, until=high, **rows(7))
    assert np.isfinite(record(run).poses).all() and record(run).t[-1] == 0.25
    ended = int(np.flatnonzero(both.ended > 0.1)[0])
    seen = record(simulate(sprung(), 1.0, 0.01, until=high,
                           **{n: x[[ended, 2]] for n, x in rows(7).items()}))  # fmt: skip
    assert np.isfinite(seen.poses).all() and seen.t[-1] == both.ended[ended]


def test_pages_that_are_new_in_each_call_make_room_for_each_other(monkeypatch):
    """A loop that records lambdas does not keep what it compiled for all of them."""
    monkeypatch.setattr("arthron._scene.scene.MOST", 3)
    scene = ar.Scene(one_body(ar.Revolute("x")))
    for k in range(4):
        run = simulate(scene, 0.01, 0.01, record={"x": lambda tree, q, k=k: q[1][0] + 2.0 * k})
        assert run["x"][0] == 2.0 * k
    assert len(scene.memo._made) == 3
