"""Inputs that are the same for all rows: the same bits as a row each, and read once for all."""

import functools

import numpy as np
import pytest
from compile_cases import DTYPES, FIGURES, random_input

import arthron as ar
from arthron._compile.render import module
from arthron._compile.rollout import Rollout
from arthron._compile.run import batch as batch_module
from arthron._compile.run import steps as steps_module
from arthron._compile.run.cpu import HOST
from arthron._pages.inputs import page_inputs
from arthron._pages.trace import trace

MODEL = FIGURES["tree of all joints"]
NV = MODEL.nv
SIZE = 2 * NV + 1
ROWS = [1, 7, 8, 9, 64, 65, 1000]
STEPS = 5


def stepped(tree, q, qd, change):
    """Next states, from a change of velocities."""
    rate = tree.rates([x + 0.01 * y for x, y in zip(tree.vector(qd), change, strict=True)])
    moved = ar.algorithms.integrate(tree, q, tree.rates([0.01 * x for x in tree.vector(rate)]))
    return moved, tree.vector(rate)


@ar.takes(p=(SIZE,))
def springs(tree, q, qd, p):
    """Springs and dampers at all joints; the parameters are results, too."""
    angles = tree.vector(ar.algorithms.difference(tree, tree.positions(MODEL.neutral()), q))
    rates = tree.vector(qd)
    tau = [p[-1] - p[k] * angles[k] - p[NV + k] * rates[k] for k in range(NV)]
    bias = tree.vector(ar.algorithms.gravity_forces(tree, q))
    change = [x - b for x, b in zip(tau, bias, strict=True)]
    return *stepped(tree, q, qd, change), list(p)


@ar.takes(p=(SIZE,))
def table(tree, q, qd, p):
    """Entries at indices that each row has of its own."""
    entries = ar.array(p)
    change = [entries[5.0 * ar.absolute(x)] for x in tree.vector(qd)]
    return *stepped(tree, q, qd, change), entries[3.0 + tree.vector(qd)[0]]


@ar.takes(p=(SIZE,))
def overwritten(tree, q, qd, p):
    """A loop that writes to an array which begins as the parameters."""
    rates = tree.vector(qd)

    def write(state):
        k, entries = state
        new = entries[k] + 0.5 * entries[k + 1.0] * rates[0]
        return (k + 1.0, entries.set(k, new)), k >= SIZE - 2.0

    (_, entries), _, _ = ar.iterate(write, (0.0, ar.array(p)), SIZE)
    return *stepped(tree, q, qd, [entries[k] for k in range(NV)]), list(entries)


@ar.takes(p=(SIZE,))
def captured(tree, q, qd, p):
    """A loop whose body reads parameters, and others only a branch reads."""
    rates = tree.vector(qd)

    def settle(x):
        new = [0.3 * ar.tanh(p[k] * y) + p[NV + k] for k, y in enumerate(x)]
        return new, ar.absolute(new[0] - x[0]) < 1e-3

    found, passes, _ = ar.iterate(settle, rates, 12)
    branch, _, _ = ar.iterate(lambda x: (x + p[-1], 1.0), found[0], 1, rates[0] > 0.0)
    return *stepped(tree, q, qd, found), [passes, branch]


PAGES = {page.__name__: page for page in (springs, table, overwritten, captured)}


@functools.cache
def function(name):
    return ar.compile(PAGES[name], MODEL)


@functools.cache
def rollout(name):
    page = PAGES[name]
    return Rollout(lambda: trace(page, MODEL.tree, page_inputs(page, MODEL.tree)), 2)


def given(rows, dtype=np.float64):
    """(q, qd, p) with parameters for each row, all alike, and p of one row."""
    q, qd = (random_input(MODEL, n, (NV,), (1000,))[:rows].astype(dtype) for n in ("q", "qd"))
    one = np.random.default_rng(1).uniform(-1.0, 1.0, SIZE).astype(dtype)
    return q, qd, np.tile(one, (rows, 1)), one


def assert_same(got, expected):
    for a, b in zip(got, expected, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("name", PAGES)
def test_functions_give_the_same_bits(name, rows, dtype):
    q, qd, each, one = given(rows, dtype)
    expected = function(name)(q, qd, each)
    assert_same(function(name)(q, qd, one), expected)
    assert_same(function(name)(q, qd, one[None]), expected)
    last = function(name)(q[-1:], qd[-1:], each[-1:])
    assert_same([x[-1:] for x in expected], last)
    tolerance = 1e-11 if dtype is np.float64 else 1e-3
    for a, b in zip(last, ar.evaluate(PAGES[name], MODEL, q[-1:], qd[-1:], one), strict=True):
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("name", PAGES)
def test_rollouts_give_the_same_bits(name, rows):
    q, qd, each, one = given(rows)
    expected = rollout(name)([q, qd, each], STEPS)
    assert_same(rollout(name)([q, qd, one[None]], STEPS), expected)
    assert_same(rollout(name)([q, qd, one[None]], STEPS, 2), [x[:, 1:STEPS:2] for x in expected])
    if rows > 1:  # one row is computed on one lane, which rounds in its own way
        for k in range(STEPS):
            q, qd, more = function(name)(q, qd, one)
            assert_same((q, qd, more), [x[:, k] for x in expected])


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("name", PAGES)
def test_threads_give_the_same_bits(name, threads, monkeypatch):
    q, qd, each, one = given(1000)
    expected = function(name)(q, qd, each)
    path = rollout(name)([q, qd, each], STEPS)
    for threaded in (batch_module, steps_module):
        monkeypatch.setattr(threaded, "cores", lambda: threads)
    monkeypatch.setattr(batch_module, "MOST", 1)
    monkeypatch.setattr(batch_module, "FIRST", 10_000)
    assert_same(function(name)(q, qd, one), expected)
    assert_same(rollout(name)([q, qd, one[None]], STEPS), path)


@pytest.mark.parametrize("name", ["springs", "overwritten"])
def test_scratch_memory_on_the_heap_gives_the_same_bits(name, tmp_path, monkeypatch):
    q, qd, each, one = given(65)
    expected = rollout(name)([q, qd, each], STEPS)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(module, "STACK", 0)
    rollout.cache_clear()
    assert_same(rollout(name)([q, qd, one[None]], STEPS), expected)
    rollout.cache_clear()


def test_one_row_for_each_step_is_read_at_each_step():
    """Neither do states stay that are the same for all rows only at the start."""
    q, qd, _, _ = given(65)
    each = np.random.default_rng(2).uniform(-1.0, 1.0, (1, STEPS, SIZE))
    expected = rollout("springs")([q, qd, np.tile(each, (65, 1, 1))], STEPS)
    assert_same(rollout("springs")([q, qd, each], STEPS), expected)
    begun = rollout("springs")([q, np.tile(qd[:1], (65, 1)), each], STEPS)
    assert_same(rollout("springs")([q, qd[:1], each], STEPS), begun)


@ar.takes(x=(), p=())
def shifted(tree, x, p):
    return (x + p,)


LANES = pytest.mark.skipif(not HOST.has_lanes(64), reason="one lane reads inputs where they are")


@LANES
def test_a_call_reads_shared_inputs_once():
    """Results that are written over them in the meantime change nothing."""
    function = ar.compile(shifted, MODEL)
    x, result = np.ones(64), np.full(64, 3.0)
    function(x, x)
    function._variants["x", "p"].kernels[64, True].run([x, result[:1], result], [8, 0, 8], 64)
    np.testing.assert_array_equal(result, 4.0)


@LANES
def test_a_rollout_reads_shared_inputs_once_for_all_steps(monkeypatch):
    monkeypatch.setattr(steps_module, "cores", lambda: 1)
    roll = Rollout(lambda: trace(shifted, MODEL.tree, page_inputs(shifted, MODEL.tree)), 1)
    x, kept = np.ones((130, 1)), np.full((130, 4, 1), 3.0)
    roll([x, np.array([3.0])], 1)
    roll._variant.kernels[64, True].repeat([x, kept[:1, 0]], [kept], 4, 1, None)
    np.testing.assert_array_equal(kept[..., 0], np.tile([4.0, 7.0, 10.0, 13.0], (130, 1)))
