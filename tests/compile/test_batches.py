"""Rows, threads and references: a batch is its rows, whoever computes them."""

import functools
import gc
import sys
import threading
import weakref

import numpy as np
import pytest
from compile_cases import DTYPES, FIGURES, random_inputs

import arthron as ar
from arthron._compile.run import batch as batch_module
from arthron._compile.run.native import _Builtin

MODEL = FIGURES["tree of all joints"]
SHAPES = {"q": (MODEL.nq,), "qd": (MODEL.nv,), "tau": (MODEL.nv,)}
METHODS = {
    "forward_dynamics": ("q", "qd", "tau"), "inverse_dynamics": ("q", "qd", "tau"),
    "mass_matrix": ("q",), "body_poses": ("q",), "kinetic_energy": ("q", "qd"),
}  # fmt: skip


@functools.cache
def inputs(rows, dtype=np.float64):
    return random_inputs(MODEL, SHAPES, (rows,), dtype)


def call(name, given):
    return getattr(MODEL, name)(*(given[n] for n in METHODS[name]))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_bad_row_spoils_that_row_alone(name, bad, dtype):
    given = inputs(100, dtype)
    good = call(name, given)
    for where in (0, 7, 50, 99):
        mixed = {n: x.copy() for n, x in given.items()}
        for x in mixed.values():
            x[where] = bad
        got = call(name, mixed)
        rest = np.arange(100) != where
        np.testing.assert_array_equal(got[rest], good[rest])
        assert not np.all(np.isfinite(got[where]))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", METHODS)
def test_a_row_does_not_depend_on_its_place(name, dtype):
    given = inputs(100, dtype)
    all_rows = call(name, given)
    for start, stop in ((0, 1), (1, 100), (3, 20), (93, 100)):
        part = call(name, {n: x[start:stop] for n, x in given.items()})
        np.testing.assert_array_equal(part, all_rows[start:stop])


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("name", METHODS)
def test_threads_give_the_same_bits(name, threads, monkeypatch):
    rows = 1003
    given = inputs(rows)
    expected = call(name, given)
    runs = []

    class Watched:  # the code, and who ran which rows of it
        def __init__(self, code):
            self.code = code

        def run(self, pointers, steps, start, stop):
            runs.append((start, stop, threading.get_ident()))
            self.code.run(pointers, steps, start, stop)

    original = batch_module.run_rows
    monkeypatch.setattr("arthron._compile.run.cpu.run_rows",
                        lambda code, *rest: original(Watched(code), *rest))  # fmt: skip
    monkeypatch.setattr(batch_module, "cores", lambda: threads)
    monkeypatch.setattr(batch_module, "MOST", 1)
    monkeypatch.setattr(batch_module, "FIRST", 50_000)
    got = call(name, {n: x[:, None] for n, x in given.items()})  # two axes take the general way
    np.testing.assert_array_equal(got[:, 0], expected)
    slices = sorted(run[:2] for run in runs)
    assert [s for s, _ in slices] == [0] + [e for _, e in slices[:-1]]
    assert slices[-1][1] == rows
    assert len(slices) > threads
    assert len({run[2] for run in runs}) <= threads


def test_a_large_batch_takes_threads_by_itself():
    def work(tree, q):
        x = q[1][0]
        for _ in range(200):
            x = ar.sin(x) + q[2][0]
        return [x]

    function = ar.compile(work, ar.random_tree(2))
    rows = 2 * batch_module.MOST // function.op_count
    q = np.random.default_rng(0).normal(size=(rows, 2))
    whole = function(q)
    np.testing.assert_array_equal(whole[:1000], function(q[:1000]))
    np.testing.assert_array_equal(whole[-1000:], function(q[-1000:]))


def test_who_ends_first_waits_for_the_others(monkeypatch):
    """Threads that are still at their last rows are not told to stop."""

    def count(tree, q, n):
        return [ar.iterate(lambda k: (k + 1.0, k + 1.0 >= n), 0.0, 10**9).values]

    monkeypatch.setattr(batch_module, "cores", lambda: 3)
    monkeypatch.setattr(batch_module, "MOST", 1)
    function = ar.compile(count, ar.random_tree(1), shapes={"n": ()})
    n = np.repeat([1e6, 2e7, 2e7, 1.0], 16)  # slices of 16: long ones are taken by helpers
    np.testing.assert_array_equal(function(np.zeros((64, 1)), n)[:, 0], n)


def test_several_threads_may_call_one_function():
    given = inputs(64)
    function = ar.compile(ar.algorithms.aba, MODEL)  # not compiled yet: they race for that, too
    expected = call("forward_dynamics", given)
    tolerance = 1e-11 * np.abs(expected).max()
    problems = []
    together = threading.Barrier(8)

    def work(k):
        try:
            together.wait()
            for turn in range(60):
                rows = slice(k, k + 40)
                batch = function(*(x[rows] for x in given.values()))
                np.testing.assert_allclose(batch, expected[rows], rtol=0, atol=tolerance)
                row = (7 * k + turn) % 64
                out = np.empty(MODEL.nv)
                single = function(*(x[row] for x in given.values()), out=out)
                assert single is out
                np.testing.assert_allclose(single, expected[row], rtol=0, atol=tolerance)
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []


CALLS = {
    "single": lambda f, q: f(q[0]),
    "batch": lambda f, q: f(q),
    "out": lambda f, q: f(q[0], out=OUT),
    "batch out": lambda f, q: f(q, out=OUT_ROWS),
}
OUT, OUT_ROWS = np.empty((3,)), np.empty((2, 3))
SLOW_CALLS = {
    "list": lambda f, q: f([0.1, 0.2, 0.3]),
    "keyword": lambda f, q: f(q=q),
    "axes": lambda f, q: f(q[None]),
    "single precision": lambda f, q: f(q.astype(np.float32)),
    "overlap": lambda f, q: f(q, out=q),
}


def counts(*things):
    """References to each, with nothing left to be collected."""
    gc.collect()
    return [sys.getrefcount(x) for x in things]


@pytest.mark.parametrize("name", CALLS)
def test_a_hundred_thousand_calls_leave_no_reference_behind(name):
    function = FIGURES["chain"].gravity_forces
    q = np.zeros((2, 3))
    single = q[0]
    CALLS[name](function, q), function(single)
    watched = (np.dtype(np.float64), None, q, single, OUT, OUT_ROWS, function, np.ndarray, "out")
    before = counts(*watched)
    repeat = CALLS[name]
    for _ in range(100_000):
        repeat(function, q)
    after = counts(*watched)
    assert all(abs(a - b) < 50 for a, b in zip(after, before, strict=True)), (before, after)


@pytest.mark.parametrize("name", SLOW_CALLS)
def test_calls_that_must_be_converted_leave_nothing_behind(name, monkeypatch):
    function = FIGURES["chain"].gravity_forces
    q = np.zeros((2, 3))
    repeat = SLOW_CALLS[name]
    for _ in range(3):
        repeat(function, q)
    made = []
    monkeypatch.setattr(_Builtin, "__init__", lambda *_: made.append(1))
    before = counts(np.dtype(np.float64), q, function)
    for _ in range(300):
        repeat(function, q)
    assert not made
    after = counts(np.dtype(np.float64), q, function)
    assert all(abs(a - b) < 20 for a, b in zip(after, before, strict=True)), (before, after)


def test_refused_calls_leave_no_reference_behind():
    function = FIGURES["chain"].gravity_forces
    wrong = np.zeros(4)
    function(np.zeros(3))
    before = counts(np.dtype(np.float64), wrong)
    for _ in range(1000):
        with pytest.raises(ar.ShapeError):
            function(wrong)
    gc.collect()
    assert all(a - b < 20 for a, b in zip(counts(np.dtype(np.float64), wrong), before, strict=True))


def test_a_function_that_is_dropped_is_freed():
    model = ar.random_tree(2, rng=9)
    function = ar.compile(lambda tree, q: [q[1][0] * 3.0], model)
    function(np.zeros(2))
    function(np.zeros((3, 2)))
    gone = weakref.ref(function._variants[("q",)].kernels[64, False].code)
    del function
    gc.collect()
    assert gone() is None


def test_plain_numbers_beside_arrays_are_arrays_of_no_axes():
    """They go the fast way, and come to the same numbers."""

    @ar.takes(t=(), s=())
    def page(tree, q, t, s):
        return [x * t + s for x in tree.vector(q)]

    function = ar.compile(page, FIGURES["chain"])
    q = np.array([0.3, -0.2, 0.7])
    for numbers in ((0.3, 0.1), (np.float64(0.3), 0.1), (np.array(0.3), 0.1), (0.3, np.array(0.1))):
        for _ in range(2):
            np.testing.assert_allclose(function(q, *numbers), q * 0.3 + 0.1, rtol=1e-15)
        out = np.empty(3)
        assert function(q, *numbers, out=out) is out
        np.testing.assert_allclose(out, q * 0.3 + 0.1, rtol=1e-15)
    many = function(np.stack([q, 2.0 * q]), 0.3, np.array([0.1, 0.2]))
    np.testing.assert_allclose(many[1], 0.6 * q + 0.2, rtol=1e-14)
    with pytest.raises(ar.ShapeError):
        function(q, 0.3)
