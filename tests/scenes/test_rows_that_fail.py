"""One bad row ends alone: the others are right, and it is known which it was, when and why."""

import os

import numpy as np
import pytest
from scene_cases import ALL, figure, simulate

import arthron as ar
from arthron import forces

MODEL = figure()
ROWS, STEP, LONG = 12, 0.01, 0.6
BAD = {3: 0.1, 7: 0.33, 8: 0.33}
"""When rows break."""


def trap(q, qd, t):
    """A torque that is no number from a time on."""
    return ar.where(t > ar.parameter("when", 1e9), ar.log(-1.0 - qd[0] * qd[0]), 0.0)


def scene():
    return ar.Scene(MODEL, [forces.JointTorque("leg", trap), forces.JointSpring("shoulder", 9.0)])


def times(bad=BAD):
    when = np.full(ROWS, 1e9)
    when[list(bad)] = list(bad.values())
    return when


def starts():
    rng = np.random.default_rng(5)
    return {"q": np.stack([MODEL.random(rng) for _ in range(ROWS)]),
            "qd": rng.normal(size=(ROWS, MODEL.nv))}  # fmt: skip


def run(integrator="leapfrog", when=None, duration=LONG, **more):
    when = times() if when is None else when
    return simulate(scene(), duration, STEP, integrator, parameters={"when": when}, **starts(),
                    **more)  # fmt: skip


@pytest.mark.parametrize("integrator", ALL)
def test_others_are_right_and_the_bad_ones_are_named(integrator):
    with pytest.warns(ar.SimulationWarning, match="3 of 12 simulations could not go on"):
        found = run(integrator)
    whole = run(integrator, times({}))
    good = np.array([k not in BAD for k in range(ROWS)])
    assert (found.status[good] == "whole").all() and (found.status[~good] == "failed").all()
    np.testing.assert_array_equal(found.q[good], whole.q[good])
    np.testing.assert_array_equal(found.kinetic[good], whole.kinetic[good])
    assert sorted(error.row for error in found.failures) == [(k,) for k in BAD]
    for error in found.failures:
        (row,) = error.row
        assert error.element == "JointTorque(leg)" and "JointTorque" in str(error)
        assert abs(error.t - BAD[row]) <= 1.01 * STEP
        last = round(error.t / STEP)
        np.testing.assert_array_equal(found.q[row, : last + 1], whole.q[row, : last + 1])
        assert np.isnan(found.q[row, last + 1 :]).all() and np.isnan(found.energy[row, -1])
        np.testing.assert_array_equal(found.last()["q"][row], whole.q[row, last])
        assert found.row(row).status == "failed" and len(found.row(row).failures) == 1
    assert np.isnan(found.ended).all()


@pytest.mark.filterwarnings("ignore::arthron.SimulationWarning")
@pytest.mark.parametrize("integrator", ("leapfrog", "BDF2", "Runge-Kutta"))
@pytest.mark.parametrize("part", (0.2, 0.5, 0.8, 0.97))
def test_resuming_is_bit_for_bit_and_knows_them(tmp_path, integrator, part):
    path = tmp_path / "run"
    whole = run(integrator, file=path, keep_every=2)
    assert same(whole, ar.load_trajectory(path, MODEL))
    os.truncate(path, int(part * path.stat().st_size))
    assert same(whole, run(integrator, file=path, keep_every=2))
    assert same(whole, ar.load_trajectory(path))
    assert same(whole, ar.load_trajectory(whole.save(tmp_path / "saved")))


@pytest.mark.filterwarnings("ignore::arthron.SimulationWarning")
def test_a_longer_run_goes_on_with_those_that_are_left(tmp_path):
    path = tmp_path / "run"
    short = run(file=path, duration=0.2)
    assert len(short.failures) == 1
    assert same(run(file=path), run())
    again = run(file=path, duration=0.2)  # a shorter one reads what is there
    assert [e.row for e in again.failures] == [(3,)]
    assert np.array_equal(again.q, short.q, equal_nan=True)


def same(a, b):
    """Whether two trajectories are the same to the last bit, with the same failures."""
    pairs = [(a.q, b.q), (a.qd, b.qd), (a.energy, b.energy), (a.t, b.t), (a.ended, b.ended)]
    prescribed = [[(str(e), e.row, e.t, e.element) for e in x.failures] for x in (a, b)]
    return (
        all(np.array_equal(x, y, equal_nan=True) for x, y in pairs)
        and (a.status == b.status).all()
        and prescribed[0] == prescribed[1]
    )


def test_it_is_an_error_only_if_none_is_left():
    with pytest.raises(ar.SimulationError, match=r"in simulation \d+: .*JointTorque") as info:
        run(when=np.linspace(0.05, 0.3, ROWS))
    kept = info.value.trajectory
    assert (kept.status == "failed").all() and len(kept.failures) == ROWS
    assert kept.t[-1] == pytest.approx(0.3, abs=1.5 * STEP)
    assert np.isfinite(kept.q[-1, -1]).all()  # the last of them, until its end


@pytest.mark.filterwarnings("ignore::arthron.SimulationWarning")
def test_ends_that_are_wanted_are_no_failures():
    def late(tree, t):
        return t > ar.parameter("late", 1e9)

    late_at = np.where(np.arange(ROWS) % 2, 0.25, 1e9)
    both = ar.Scene(MODEL, [*scene().elements, forces.JointTorque("leg", lambda q, qd, t:
                    0.0 * ar.parameter("late", 1e9))])  # fmt: skip
    found = simulate(both, LONG, STEP, parameters={"when": times(), "late": late_at}, until=late,
                     **starts())  # fmt: skip
    odd = np.arange(ROWS) % 2 == 1
    assert found.status[3] == "failed" and found.status[8] == "failed"  # 7 was over before
    assert (found.status[odd & (np.arange(ROWS) != 3)] == "ended").all()
    np.testing.assert_allclose(found.ended[[1, 5, 7, 9, 11]], 0.26)


@pytest.mark.filterwarnings("ignore::arthron.SimulationWarning")
@pytest.mark.parametrize("every", (1, 7))
def test_what_is_kept_ends_with_the_last_good_state_however_rows_end(tmp_path, every):
    """Some end as they should, the others fail later: all are over, in one segment or several."""

    def late(tree, t):
        return t > ar.parameter("late", 1e9)

    both = ar.Scene(MODEL, [*scene().elements, forces.JointTorque("leg", lambda q, qd, t:
                    0.0 * ar.parameter("late", 1e9))])  # fmt: skip
    odd = np.arange(ROWS) % 2 == 1
    numbers = {"when": np.where(odd, 0.33, 1e9), "late": np.where(odd, 1e9, 0.2)}

    def go(duration, file=None):
        return simulate(both, duration, STEP, "leapfrog", parameters=numbers, until=late,
                        keep_every=every, file=file, **starts())  # fmt: skip

    whole = go(0.7)
    assert (whole.status[odd] == "failed").all() and (whole.status[~odd] == "ended").all()
    assert np.isfinite(whole.q[:, -1]).any()
    go(0.28, tmp_path / "run")
    assert same(go(0.7, tmp_path / "run"), whole)


def test_two_axes_and_one_alone():
    q = starts()["q"].reshape(3, 4, -1)
    with pytest.warns(ar.SimulationWarning, match=r"simulation \(0, 3\)"):
        found = simulate(scene(), LONG, STEP, parameters={"when": times().reshape(3, 4)}, q=q)
    assert found.status.shape == (3, 4) and found.failures[0].row == (0, 3)
    with pytest.raises(ar.SimulationError) as info:
        simulate(scene(), LONG, STEP, parameters={"when": 0.2}, q=q[0, 0])
    error = info.value
    assert error.row is None and error.trajectory.status == "failed"
    assert "in simulation" not in str(error)


def test_a_message_suggests_a_step_that_holds():
    stiff = ar.Scene(MODEL, [forces.JointSpring("leg", 2e4)])
    with pytest.raises(ar.SimulationError, match=r"too large.* A step of 0\.0025 s holds") as info:
        simulate(stiff, 1.0, 0.02, "semi-implicit Euler", q=starts()["q"][0])
    assert info.value.element == "JointSpring(leg)"
    simulate(stiff, 1.0, 0.0025, "semi-implicit Euler", q=starts()["q"][0])
