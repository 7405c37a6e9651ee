"""Loops, branches and arrays in native code against the interpreter, to the last bit."""

import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from compile_cases import BATCHES, DTYPES, EMPTY
from loop_programs import INPUTS, random_page

import arthron as ar
from arthron._compile.lowering import schedule
from arthron._compile.render import work
from arthron._graph.ops import Op

MODEL = ar.random_tree(INPUTS)
ROOT = Path(ar.__file__).parents[1]
PROGRAMS = 60
ROWS = 37


def states(rng, rows=ROWS, *, nan=True):
    x = rng.integers(-12, 13, (rows, INPUTS)) / 4
    if nan:
        x[::7, rng.integers(INPUTS)] = np.nan
    return x


def check(page, q):
    got = ar.compile(page, MODEL)(q)
    with np.errstate(all="ignore"):
        expected = ar.evaluate(page, MODEL, q).astype(q.dtype)
    np.testing.assert_array_equal(got, expected)


def check_program(seed):
    """A random program in both precisions, as a batch and one by one."""
    rng = np.random.default_rng(seed)
    page, x = random_page(rng), states(rng)
    for dtype in DTYPES:
        for q in (x, x[3], x[7]):
            check(page, q.astype(dtype))


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_random_programs(seed):
    check_program(seed)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("batch", BATCHES + EMPTY, ids=str)
def test_every_batch_shape(batch, dtype):
    rng = np.random.default_rng(7)
    page = random_page(rng)
    rows = int(np.prod(batch))
    check(page, states(rng, rows, nan=rows > 1).reshape(*batch, INPUTS).astype(dtype))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("dtype", DTYPES)
def test_code_that_is_shared_and_cut_into_many_chunks(seed, dtype, monkeypatch):
    monkeypatch.setattr(schedule, "LONG", 0)
    monkeypatch.setattr(work, "LONG", 0)
    monkeypatch.setattr(schedule, "CHUNK", 5)
    monkeypatch.setattr("arthron._pages.trace.MANY", 0)
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    rng = np.random.default_rng(1000 + seed)
    page, x = random_page(rng), states(rng)
    for q in (x, x[3]):
        check(page, q.astype(dtype))


def test_loops_over_the_bodies_of_a_long_figure():
    """A long program whose bodies share code, with a loop and a branch in it."""
    model = ar.random_tree(120, 1.5, taper=1.0)
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.normal(size=(3, 11, model.nv))

    def page(tree, q, qd, qdd):
        none = ar.algorithms.rnea(tree, q, qd, qdd, [ar.spatial.Force()] * len(tree.parent))
        tau = tree.vector(none)

        def halve(x):
            forces = ar.algorithms.rnea(tree, q, qd, tree.rates(x),
                                        [ar.spatial.Force()] * len(tree.parent))  # fmt: skip
            return [0.5 * a for a in tree.vector(forces)], 0.0

        return ar.iterate(halve, tree.vector(qdd), 2, tau[0] > 0.0).values

    got = ar.compile(page, model)(q, qd, qdd)
    expected = ar.evaluate(page, model, q, qd, qdd)
    np.testing.assert_allclose(got, expected, atol=1e-11 * np.abs(expected).max())


def swaps(tree, q):
    """Scalars and arrays that change places; an array that is read after it was changed."""
    x, y, z = tree.vector(q)

    def step(state):
        k, a, b, first, second = state
        changed = first.set(k, a)
        return (k + 1.0, b, a, second, changed.set(k + 1.0, first[k])), k >= z

    _, a, b, first, second = ar.iterate(
        step, (0.0, x, y, ar.array([x, 1.0, 2.0]), ar.array([y, 3.0, x])), 9
    ).values
    return [a, b, *first, *second]


@pytest.mark.parametrize("dtype", DTYPES)
def test_values_and_arrays_change_together(dtype):
    x = states(np.random.default_rng(3))
    for q in (x, x[2]):
        check(swaps, q.astype(dtype))


def many(tree, q):
    """More values than are written out, in a body of several chunks; two of them change places."""
    x, y, z = tree.vector(q)

    def step(state):
        a, b, k, *rest = state
        rest = [rest[i - 1] + 0.25 * v for i, v in enumerate(rest)]
        return [b, a, k + 1.0, *rest], k >= z

    found = ar.iterate(step, [x, y, 0.0, *(x + i for i in range(12)), *[y] * 12], 5)
    return [*found.values, found.iterations, found.converged]


@pytest.mark.parametrize("dtype", DTYPES)
def test_many_values_in_several_chunks(dtype, monkeypatch):
    monkeypatch.setattr(schedule, "CHUNK", 9)
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    x = states(np.random.default_rng(5))
    x[2], x[4, 1] = (1.0, 2.0, 3.0), np.inf
    if dtype == np.float64:  # the interpreter has no other
        x[5:7, 0] = np.finfo(dtype).max  # sums of which overflow
    for q in (x, x[2], x[4], x[5]):
        check(many, q.astype(dtype))
    assert ar.compile(many, MODEL).ir.count("move") > 4  # in a loop of their own


@pytest.mark.parametrize("dtype", DTYPES)
def test_tables_of_inputs_are_read_where_they_are(dtype):
    @ar.takes(table=(50,), i=())
    def pick(tree, table, i):
        a = ar.array(table)
        return [a[i], a[i + 1.0], a.set(i, 0.0)[i - 1.0]]

    rng = np.random.default_rng(0)
    table, i = rng.normal(size=(20, 50)).astype(dtype), rng.integers(-3, 53, 20).astype(dtype)
    compiled = ar.compile(pick, MODEL)
    places = np.clip([i, i + 1, i - 1], 0, 49).astype(int)
    expected = np.take_along_axis(table, places.T, 1)
    expected[places[2] == places[0], 2] = 0.0
    np.testing.assert_array_equal(compiled(table, i), expected)
    np.testing.assert_array_equal([compiled(*row) for row in zip(table, i, strict=True)], expected)


def test_epsilon_is_that_of_the_code():
    def page(tree, q):
        x = 1.0 + abs(q[1][0])
        newton = ar.iterate(
            lambda y: (0.5 * (y + x / y), abs(y * y - x) <= 8.0 * ar.epsilon(x) * x), x, 100
        )
        return [*newton, ar.epsilon(x)]

    q = np.random.default_rng(0).normal(size=(40, INPUTS))
    for dtype in DTYPES:
        got = ar.compile(page, MODEL)(q.astype(dtype))
        assert (got[:, 1] < 12).all() and (got[:, 2] == 1.0).all()
        assert (got[:, 3] == np.finfo(dtype).eps).all()


def branch(tree, q):
    """Work for a branch alone, made of values around it."""
    x, y, z = tree.vector(q)
    heavy = x
    for _ in range(30):
        heavy = ar.sin(heavy * y)
    return ar.iterate(lambda s: (s + heavy, 1.0), x, 1, z > 0.0).values


def test_a_branch_takes_its_work_along():
    program = ar.compile(branch, MODEL)._variant(("q",)).program
    outputs = [positions for _, positions in program.outputs]
    sources = [(schedule.SCRATCH, k) for k in range(INPUTS)]
    plan = schedule.schedule(program.graph, outputs, sources, 8)
    outside = [plan.graph.nodes[n][0] for chunk in plan.chunks for n in chunk.nodes]
    (loop,) = (chunk.loop for chunk in plan.chunks if chunk.loop)
    inside = [loop.inside.graph.nodes[n][0] for chunk in loop.inside.chunks for n in chunk.nodes]
    assert Op.SIN not in outside and inside.count(Op.SIN) == 30
    q = np.random.default_rng(0).normal(size=(20, INPUTS))
    np.testing.assert_allclose(ar.compile(branch, MODEL)(q), ar.evaluate(branch, MODEL, q),
                               rtol=1e-14)  # fmt: skip


def test_operations_of_a_body_are_counted_once():
    def page(limit):
        return lambda tree, q: ar.iterate(lambda x: (ar.sin(x), x < 0.0), q[1][0], limit).values

    counts = {ar.compile(page(limit), MODEL).op_count for limit in (1, 10, 1000)}
    assert counts == {2}


def test_derivatives_of_loops_compiled():
    @ar.takes(a=(), b=())
    def page(tree, a, b):
        def step(state):
            k, x, table = state
            x = 0.5 * (x + a / x) + 0.1 * table[k]
            return (k + 1.0, x, table.set(k, x * b)), k >= 6.0

        _, x, table = ar.iterate(step, (0.0, a, ar.array([b, a, a * b, 1.0])), 20).values
        return [x, table[1], table[3]]

    rng = np.random.default_rng(2)
    a, b = rng.uniform(0.5, 2.0, (2, 23))
    for wrt in ("a", "b"):
        derivative = ar.jacobian(page, wrt)
        got = ar.compile(derivative, MODEL)(a, b)
        np.testing.assert_allclose(got, ar.evaluate(derivative, MODEL, a, b), rtol=1e-12)
        h = 1e-6
        moved = [(a + h, b), (a - h, b)] if wrt == "a" else [(a, b + h), (a, b - h)]
        up, down = (ar.compile(page, MODEL)(*point) for point in moved)
        np.testing.assert_allclose(got, (up - down) / (2 * h), atol=1e-7 * np.abs(got).max())


@pytest.mark.parametrize("limit", [10**19, 2**64 + 1])
def test_a_limit_may_be_huge(limit):
    def page(tree, q):
        return list(ar.iterate(lambda x: (x + 1.0, x >= 4.0), q[1][0], limit))

    np.testing.assert_array_equal(ar.compile(page, MODEL)(np.zeros(INPUTS)), [5.0, 5.0, 1.0])


def test_values_handed_on_unchanged_do_not_end_a_row():
    def page(tree, q):
        x, y, _ = tree.vector(q)
        (a, b), *rest = ar.iterate(lambda s: ((s[0] + 1.0, s[1]), s[0] >= 4.0), (x, y), 9)
        return [a, b, *rest]

    q = np.array([[0.0, np.nan, 0.0], [1.0, 2.0, 0.0]])
    check(page, q)
    np.testing.assert_array_equal(ar.compile(page, MODEL)(q)[0], [5.0, np.nan, 5.0, 1.0])


SPIN = """
import signal, threading
import numpy as np
import arthron as ar

def spin(tree, q):
    x = q[1][0]
    def outer(y):
        def inner(state):
            k, z = state
            return (k + 1.0, 0.5 * z + x), k >= 100.0
        return ar.iterate(inner, (0.0, y), 1000).values[1], y > 1e9
    return ar.iterate(outer, x, 10**12).values

f = ar.compile(spin, ar.random_tree(1))
q = np.ones({shape})
threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT)).start()
try:
    f(q{more})
except KeyboardInterrupt:
    print("heard", threading.active_count())
try:
    f(np.nan * q)
    print("usable")
except KeyboardInterrupt:
    print("again")
"""


@pytest.mark.parametrize("shape", [(1,), (5, 1), (200_000, 1)], ids=str)
@pytest.mark.parametrize("more", ["", ", out=None"])
def test_ctrl_c_is_heard_inside_a_loop(shape, more):
    code = SPIN.format(shape=shape, more=more)
    process = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
    try:
        out, err = process.communicate(timeout=20)
    finally:
        process.send_signal(signal.SIGKILL) if process.poll() is None else None
    assert out.split() == ["heard", "1", "usable"], out + err


if __name__ == "__main__":  # `make soak`
    for seed in range(10_000, 13_000):
        check_program(seed)
        print(seed, end="\r", flush=True)
