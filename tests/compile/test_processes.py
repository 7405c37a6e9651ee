"""Ctrl-C, pickles, and other processes."""

import multiprocessing
import operator
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from compile_cases import FIGURES, random_inputs

import arthron as ar

ROOT = Path(ar.__file__).parents[1]
MODEL = FIGURES["tree of all joints"]

LONG_CALL = """
import signal, sys, threading, time
import numpy as np
import arthron as ar

def page(tree, q, k):
    x = k
    for _ in range(300):
        x = {step} + q[1][0]
    return x

f = ar.compile(page, ar.random_tree(1), shapes={{"k": ()}})
q = np.array([0.3])
small = f(q, np.zeros(2))
rows = int(4e10 / {cost} / 300)
k, out = np.zeros(rows), np.empty(rows)
print("calling", flush=True)
start = time.monotonic()
try:
    f(q, k, out=out)
    print("finished", time.monotonic() - start)
except KeyboardInterrupt:
    print("interrupted", time.monotonic(), threading.active_count(), flush=True)
again = f(q, k[:100_000])
assert np.all(again == small[0])
print("usable", flush=True)
"""
STEPS = {
    "cheap operations": ("0.5 * (x * x - x * 0.3)", 4),
    "calls of the C library": ("ar.atan2(ar.exp(ar.atan2(x, 2.0)), 2.0)", 100),
    "entire functions": ("ar.spatial.exp_so3(ar.spatial.Vec3(x)).y.z", 60),
}


@pytest.mark.parametrize("name", STEPS)
def test_ctrl_c_stops_a_large_batch_at_once(name):
    step, cost = STEPS[name]
    command = [sys.executable, "-c", LONG_CALL.format(step=step, cost=cost)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "calling\n"
        time.sleep(0.1)
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        word, *numbers = process.stdout.readline().split()
        assert word == "interrupted", numbers
        assert float(numbers[0]) - sent < 0.5
        assert numbers[1] == "1"  # no thread goes on
        assert process.stdout.readline() == "usable\n"
        assert process.wait(timeout=30) == 0
    finally:
        process.kill()


def given():
    shapes = {"q": (MODEL.nq,), "qd": (MODEL.nv,), "tau": (MODEL.nv,)}
    return tuple(random_inputs(MODEL, shapes, (3,)).values())


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_a_model_pickles(protocol):
    expected = MODEL.forward_dynamics(*given())  # compiled code is left behind
    copy = pickle.loads(pickle.dumps(MODEL, protocol))
    assert copy.name == MODEL.name
    assert copy.tree == MODEL.tree
    assert repr(copy) == repr(MODEL)
    np.testing.assert_array_equal(copy.forward_dynamics(*given()), expected)


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_a_model_works_in_another_process(method):
    work = operator.methodcaller("forward_dynamics", *given())
    fresh = operator.methodcaller("com_jacobian", given()[0])
    expected = work(MODEL)
    with multiprocessing.get_context(method).Pool(1) as pool:
        np.testing.assert_array_equal(pool.apply(work, (MODEL,)), expected)
        np.testing.assert_array_equal(pool.apply(fresh, (MODEL,)), fresh(MODEL))


def _call_kept(k):
    return MODEL.forward_dynamics(*(x[k] for x in given()))


def test_code_compiled_before_a_fork_runs_behind_it():
    expected = [_call_kept(k) for k in range(3)]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        np.testing.assert_array_equal(pool.map(_call_kept, range(3)), expected)
