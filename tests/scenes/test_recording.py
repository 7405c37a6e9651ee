"""What is measured along a run, and what ends it, against the states of the run itself."""

import functools
import os

import numpy as np
import pytest
from scene_cases import ALL, NATIVE, close, figure, pulls, simulate, sprung, start
from state_cases import Leaky, leaky

import arthron as ar
from arthron import forces

MODEL = figure()


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
