"""Loops on floats, on batches and traced; what ends a row, what is hoisted, what is refused."""

import math

import numpy as np
import pytest

import arthron as ar
from arthron._graph.autodiff import forward, jacobian, reverse
from arthron._graph.evaluate import evaluate
from arthron._graph.graph import Graph
from arthron._graph.ops import Op
from arthron.spatial import Vec3


def traced(function, n):
    """A function of n scalars as a graph, its inputs, and what it returned."""
    with Graph() as graph:
        inputs = graph.inputs(n)
        result = function(*inputs)
    return graph, inputs, result


def values_of(graph, results, inputs):
    return evaluate(graph, [graph.lift(x) for x in results], inputs)


def countdown(x, limit=10, when=1.0):
    def step(state):
        k, total = state
        return (k - 1.0, total + k), k <= 1.0

    (k, total), passes, converged = ar.iterate(step, (x, 0.0), limit, when)
    return k, total, passes, converged


CASES = {  # x: k, total, passes, converged
    3.0: (0.0, 6.0, 3.0, 1.0),
    0.5: (-0.5, 0.5, 1.0, 1.0),
    20.0: (10.0, 155.0, 10.0, 0.0),
    math.inf: (math.inf, math.inf, 1.0, 0.0),  # the sum was finite
}


@pytest.mark.parametrize("x", CASES)
def test_on_a_float(x):
    assert countdown(x) == CASES[x]


def test_nan_ends_after_one_pass():
    *_, passes, converged = countdown(math.nan)
    assert (passes, converged) == (1.0, 0.0)


def test_rows_of_a_batch_stop_on_their_own():
    found = countdown(np.array(list(CASES)))
    np.testing.assert_array_equal(found, np.array(list(CASES.values())).T)


@pytest.mark.parametrize("x", CASES)
def test_traced(x):
    graph, _, results = traced(countdown, 1)
    assert sum(node[0] is Op.LOOP for node in graph.nodes) == 1
    assert tuple(values_of(graph, results, [x])) == CASES[x]
    batch = values_of(graph, results, [np.array(list(CASES))])
    np.testing.assert_array_equal(batch, np.array(list(CASES.values())).T)


def test_where_nobody_wants_a_pass_the_start_is_the_result():
    assert countdown(3.0, when=0.0) == (3.0, 0.0, 0.0, 1.0)
    found = countdown(np.array([3.0, 3.0]), when=np.array([0.0, 1.0]))
    np.testing.assert_array_equal(found, [[3, 0], [0, 6], [0, 3], [1, 1]])
    graph, _, results = traced(lambda x: countdown(x, when=0.0), 1)
    assert all(node[0] is not Op.LOOP for node in graph.nodes)
    assert tuple(values_of(graph, results, [3.0])) == (3.0, 0.0, 0.0, 1.0)


def test_nan_as_done_or_when_counts_as_true():
    assert ar.iterate(lambda x: (x + 1.0, math.nan), 0.0, 5) == (1.0, 1.0, 1.0)
    assert countdown(3.0, when=math.nan)[2] == 3.0


def test_best_so_far_may_start_as_infinite():
    def search(x):
        def step(state):
            k, best = state
            return (k + 1.0, ar.minimum(best, (k - x) * (k - x))), k >= 5.0

        return ar.iterate(step, (0.0, math.inf), 10).values[1]

    assert search(2.25) == 0.0625
    graph, _, result = traced(search, 1)
    assert values_of(graph, [result], [2.25]) == [0.0625]


def test_values_change_together():
    def fibonacci(n):
        def step(state):
            k, (a, b) = state
            return (k + 1.0, (b, a + b)), k + 1.0 >= n

        return ar.iterate(step, (0.0, (0.0, 1.0)), 100).values[1][0]

    assert fibonacci(30.0) == 832040.0
    graph, _, result = traced(fibonacci, 1)
    assert values_of(graph, [result], [30.0]) == [832040.0]


def test_carried_values_keep_their_form():
    start = (Vec3(1.0, 2.0, 3.0), [0.5, (1.0,)], ar.array([[1.0, 2.0], [3.0, 4.0]]))
    found = ar.iterate(lambda s: ((s[0] * 2.0, s[1], s[2].set((1, 0), 9.0)), 1.0), start, 3)
    v, (a, (b,)), table = found.values
    assert isinstance(v, Vec3) and v == (2.0, 4.0, 6.0)
    assert (a, b) == (0.5, 1.0)
    assert table.shape == (2, 2) and table[1, 0] == 9.0 and table[0, 1] == 2.0


def test_work_on_outer_values_is_done_once_and_unchanged_values_are_not_carried():
    def page(x, y):
        def step(state):
            a, b, fixed = state
            return (a + ar.sin(y) * fixed, b + a, fixed), a > 10.0

        return ar.iterate(step, (x, 0.0, y), 50).values[0]

    graph, _, result = traced(page, 2)
    (loop,) = (node for node in graph.nodes if node[0] is Op.LOOP)
    body = loop[-1]
    assert body.carried == 2
    assert any(node[0] is Op.SIN for node in graph.nodes)
    assert all(node[0] is not Op.SIN for node in body.graph.nodes)
    assert values_of(graph, [result], [0.5, 1.0]) == [page(0.5, 1.0)]


def test_equal_loops_are_one():
    _, _, results = traced(lambda x: (countdown(x)[1], countdown(x)[1]), 1)
    assert results[0].position == results[1].position
    first, second, third = (traced(lambda x, n=n: countdown(x, n)[1], 1) for n in (10, 10, 11))
    digest = [g.digest([r.position]) for g, _, r in (first, second, third)]
    assert digest[0] == digest[1] != digest[2]


def test_short_loops_on_constants_are_done_while_tracing():
    graph, _, result = traced(lambda x: x + countdown(4.0)[1], 1)
    assert all(node[0] is not Op.LOOP for node in graph.nodes)
    assert values_of(graph, [result], [1.0]) == [11.0]
    graph, _, result = traced(lambda x: x + countdown(4e6, 10**7)[1], 1)
    assert any(node[0] is Op.LOOP for node in graph.nodes)  # left to native code


def test_epsilon_is_that_of_the_numbers():
    assert ar.epsilon(1.0) == ar.epsilon(3) == 2.0**-52
    assert ar.epsilon(np.zeros(2, np.float32)) == 2.0**-23
    graph, _, result = traced(lambda x: 8.0 * ar.epsilon(x), 1)
    assert result.position not in graph.constants
    assert values_of(graph, [result], [np.zeros(2, np.float32)]) == [2.0**-20]


def nested(x, y):
    def outer(a):
        def inner(b):
            return 0.5 * (b + a * y / b), abs(b * b - a * y) < 1e-13

        b, _, _ = ar.iterate(inner, a + 1.0, 40)
        return 0.5 * (a + b + x), a > 30.0

    return ar.iterate(outer, x, 12).values


def test_nested_loops_and_captured_values():
    graph, _, result = traced(nested, 2)
    x, y = np.array([1.0, 2.0, 5.0]), np.array([0.5, 3.0, 9.0])
    expected = [nested(float(a), float(b)) for a, b in zip(x, y, strict=True)]
    np.testing.assert_allclose(nested(x, y), expected, rtol=1e-15)
    np.testing.assert_allclose(values_of(graph, [result], [x, y])[0], expected, rtol=1e-15)


@pytest.mark.parametrize("wrt", [0, 1])
def test_forward_mode_against_the_complex_step(wrt):
    graph, inputs, result = traced(nested, 2)
    point = [2.0, 3.0]
    (rate,) = forward(graph, [result.position], {inputs[wrt].position: 1.0})
    moved = list(point)
    moved[wrt] += 1e-30j
    (exact,) = evaluate(graph, [result.position], moved)
    assert values_of(graph, [rate], point)[0] == pytest.approx(exact.imag / 1e-30, rel=1e-12)


def test_second_derivatives():
    graph, inputs, result = traced(nested, 2)
    wrt = [x.position for x in inputs]
    (row,) = jacobian(graph, [result.position], wrt)
    second = jacobian(graph, [graph.lift(x) for x in row], wrt)
    H = np.array(values_of(graph, [x for r in second for x in r], [2.0, 3.0])).reshape(2, 2)
    first = [graph.lift(x) for x in row]
    for k in range(2):
        moved = [2.0, 3.0]
        moved[k] += 1e-30j
        column = [x.imag / 1e-30 for x in evaluate(graph, first, moved)]
        np.testing.assert_allclose(H[:, k], column, rtol=1e-11)
    assert H[0, 1] == pytest.approx(H[1, 0], rel=1e-11)


def test_all_columns_go_through_one_loop():
    graph, inputs, result = traced(nested, 2)
    before = len(graph)
    jacobian(graph, [result.position], [x.position for x in inputs])
    assert sum(node[0] is Op.LOOP for node in graph.nodes[before:]) == 1


def test_a_rate_that_is_not_finite_does_not_end_the_loop():
    def page(x):
        return ar.iterate(lambda s: ((s[0] + 1.0, ar.sqrt(s[1])), s[0] > 3.0), (0.0, x), 9).values

    graph, (x,), (_, y) = traced(page, 1)
    (rate,) = forward(graph, [y.position], {x.position: 1.0})
    assert values_of(graph, [rate], [0.0])[0] != 0.0  # infinite or NaN
    (loop,) = (n for n in graph.nodes if n[0] is Op.LOOP and n[-1].carried == 3)
    assert loop[-1].watched == 2


def backwards(function):
    graph, (x,), found = traced(function, 1)
    return reverse(graph, [found.values.position], [1.0], [x.position])


ERRORS = {
    "reverse": (
        lambda: backwards(lambda x: ar.iterate(lambda y: (y * x, y > 9.0), x, 9, name="growth")),
        ["'growth'", "reverse mode", "`ar.root`"],
    ),
    "limit": (lambda: ar.iterate(lambda x: (x, 1.0), 0.0, 2.5), ["limit", "2.5", "1 or more"]),
    "no limit": (lambda: ar.iterate(lambda x: (x, 1.0), 0.0, 0), ["limit", "is 0"]),
    "no pair": (lambda: ar.iterate(lambda x: x, 0.0, 2, name="mine"), ["'mine'", "pair"]),
    "more values": (
        lambda: ar.iterate(lambda x: ((x, x), 1.0), 0.0, 2),
        ["2 values", "started with 1"],
    ),
    "arrays of another size": (
        lambda: ar.iterate(lambda a: (ar.array([1.0, 2.0]), 1.0), ar.array([1.0]), 2),
        ["arrays of another size"],
    ),
    "text": (lambda: ar.iterate(lambda x: (x, 1.0), "start", 2), ["carries 'start'", "scalars"]),
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    call, words = ERRORS[name]
    with pytest.raises(ar.TraceError) as error:
        call()
    assert all(word in str(error.value) for word in words), str(error.value)


def test_a_value_that_escapes_its_body_is_a_sentence():
    kept = []

    def page(x):
        def step(y):
            kept.append(y * 2.0)
            return y + x, y > 3.0

        return ar.iterate(step, x, 5).values + kept[0]

    with pytest.raises(
        ar.TraceError, match=r"inside the body of a loop .* was used outside.*Carry it"
    ):
        traced(page, 1)


def test_a_value_that_escapes_a_residual_is_a_sentence():
    kept = []

    def residual(y):
        kept.append(y * 2.0)
        return y - 1.0

    def page(tree, q):
        ar.root(residual, q[1][0])
        return kept[0]

    model = ar.random_tree(1)
    for run in (lambda: ar.compile(page, model)([0.5]), lambda: ar.evaluate(page, model, [0.5])):
        kept.clear()
        with pytest.raises(ar.TraceError, match="residual of a root was used outside"):
            run()


def test_results_of_a_loop_may_be_those_of_the_page():
    def page(tree, q):
        return ar.iterate(lambda s: ((s[0] + 1.0, s[1]), s[0] > 3.0), (q[1][0], 2.0), 9)

    values, passes, converged = ar.compile(page, ar.random_tree(1))([0.5])
    np.testing.assert_array_equal(values, [4.5, 2.0])
    assert (passes, converged) == (4.0, 1.0)


def test_not():
    def page(tree, q):
        x = q[1][0]
        return [ar.where(~(x > 0.0), 1.0, 2.0), ar.where((x > 0.0) & ~(x > 1.0), 1.0, 2.0)]

    model, q = ar.random_tree(1), np.array([[-1.0], [0.5], [2.0]])
    expected = [[1, 2], [2, 1], [2, 2]]
    for got in (ar.compile(page, model)(q), ar.evaluate(page, model, q),
                [ar.evaluate(page, model, row) for row in q]):  # fmt: skip
        np.testing.assert_array_equal(got, expected)


def test_evaluate_on_one_state_is_as_compiled_at_poles():
    def page(tree, q):
        x = q[1][0]
        return [1.0 / x, (1e200 / (1.0 + x)) * 1e200, ar.log(x), x / x, (x - 2.0) ** 2.5]

    model, q = ar.random_tree(1), np.zeros(1)
    np.testing.assert_array_equal(ar.evaluate(page, model, q), ar.compile(page, model)(q))


MORE_ERRORS = {
    "numpy start": (
        lambda x: ar.iterate(lambda y: (y, 1.0), np.array([1.0, 2.0]), 3).values[0] + x,
        ["NumPy array", "`list(x)`", "`ar.array(x)`"],
    ),
    "array guess": (lambda x: ar.root(lambda y: y, ar.array([x, x])), ["is an array", "`list(a)`"]),
    "while": (lambda x: 1.0 if x > 0.0 else 2.0, ["`while`", "`ar.iterate`", "`~`"]),
}


@pytest.mark.parametrize("name", MORE_ERRORS)
def test_errors_of_traced_pages(name):
    function, words = MORE_ERRORS[name]
    with pytest.raises(ar.TraceError) as error:
        traced(function, 1)
    assert all(word in str(error.value) for word in words), str(error.value)


def test_a_failed_trace_leaves_nothing_behind():
    def bad(x):
        return ar.iterate(lambda y: 1.0 / 0, x, 3)

    with pytest.raises(ZeroDivisionError):
        traced(bad, 1)
    assert countdown(3.0) == CASES[3.0]
    assert ar.iterate(lambda x: (x + 1.0, x > 2.0), 0.0, np.int64(10)).values == 4.0
