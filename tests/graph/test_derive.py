"""Derivatives: each row of the table, both modes, first and second order, on random programs."""

import mpmath as mp
import numpy as np
import pytest
from graph_programs import ANALYTIC, ARITY, EXACT, INPUTS, points, programs, run
from hypothesis import assume, given, settings

import arthron as ar
from arthron._graph.autodiff import forward, jacobian, reverse
from arthron._graph.evaluate import evaluate
from arthron._graph.graph import Graph
from arthron._graph.ops import DEFINITION, LEAVES, STRUCTURE, Op
from arthron._spatial.scalar import c

fixed_seed = settings(max_examples=80, deadline=None, database=None, derandomize=True)

K = 3
TABLE = (0.5, -2.0, 7.0, 1.0)
DATA = {Op.C: (K,), Op.LOOKUP: (TABLE,)}  # arguments that are not nodes


def exact_c(s):
    return mp.nsum(lambda i: (-s) ** int(i) / mp.factorial(K + 2 * int(i)), [0, 40])


EXACT_OPS = {
    Op.ADD: lambda a, b: a + b, Op.SUB: lambda a, b: a - b, Op.MUL: lambda a, b: a * b,
    Op.DIV: lambda a, b: a / b, Op.NEG: lambda a: -a, Op.SIN: mp.sin, Op.COS: mp.cos,
    Op.C: exact_c, Op.SQRT: mp.sqrt, Op.EXP: mp.exp, Op.LOG: mp.log, Op.ATAN2: mp.atan2,
    Op.ABS: abs, Op.MIN: min, Op.MAX: max, Op.FLOOR: mp.floor, Op.LESS: lambda a, b: mp.mpf(a < b),
    Op.LESS_EQUAL: lambda a, b: mp.mpf(a <= b), Op.EQUAL: lambda a, b: mp.mpf(a == b),
    Op.WHERE: lambda k, a, b: a if k else b, Op.LOOKUP: lambda i: mp.mpf(TABLE[int(i)]),
    Op.TANH: mp.tanh, Op.POW: mp.power,
}  # fmt: skip
POINTS = [(0.7, 1.3, 2.1), (2.25, 0.4, 1.6), (1.9, 1.1, -0.8)]
OPS = [op for op in Op if op not in LEAVES | STRUCTURE]


def rows_of(mode, graph, outputs, wrt):
    if mode == "forward":
        return jacobian(graph, outputs, wrt)
    return [reverse(graph, [position], [1.0], wrt) for position in outputs]


def derivatives(mode, function, at):
    """Gradient and Hessian of a function of scalars, as arrays of numbers."""
    graph = Graph()
    inputs = graph.inputs(len(at))
    wrt = [x.position for x in inputs]
    first = [graph.lift(x) for x in rows_of(mode, graph, [function(*inputs).position], wrt)[0]]
    second = [graph.lift(x) for row in rows_of(mode, graph, first, wrt) for x in row]
    values = evaluate(graph, first + second, at)
    return np.array(values[: len(at)], float), np.reshape(values[len(at) :], (len(at), len(at)))


@pytest.mark.parametrize("mode", ["forward", "reverse"])
@pytest.mark.parametrize("op", OPS)
def test_row_of_the_table(op, mode):
    n, rest = ARITY[op], DATA.get(op, ())
    for point in POINTS:
        at = point[:n]
        gradient, hessian = derivatives(mode, lambda *x: DEFINITION[op](*x, *rest), at)
        with mp.workdps(40):
            unit = np.eye(n, dtype=int)
            args = [mp.mpf(x) for x in at]
            expected = [mp.diff(EXACT_OPS[op], args, tuple(map(int, e))) for e in unit]
            twice = [[mp.diff(EXACT_OPS[op], args, tuple(map(int, d + e))) for d in unit]
                     for e in unit]  # fmt: skip
        np.testing.assert_allclose(gradient, np.array(expected, float), rtol=1e-14, atol=1e-15)
        np.testing.assert_allclose(hessian, np.array(twice, float), rtol=1e-13, atol=1e-14)


KINKS = {
    "abs at 0": (ar.absolute, (0.0,), (1.0,)),
    "min of equals": (ar.minimum, (2.0, 2.0), (1.0, 0.0)),
    "max of equals": (ar.maximum, (2.0, 2.0), (1.0, 0.0)),
    "floor at an integer": (ar.floor, (3.0,), (0.0,)),
    "sqrt at 0": (ar.sqrt, (0.0,), (np.inf,)),
    "tanh, saturated": (ar.tanh, (50.0,), (0.0,)),
    "x^y at 0, y > 1": (ar.pow, (0.0, 2.5), (0.0, 0.0)),
    "x^y at 0, y = 1": (ar.pow, (0.0, 1.0), (1.0, 0.0)),
    "x^y at 0, y < 1": (ar.pow, (0.0, 0.5), (np.inf, 0.0)),
    "x^0": (ar.pow, (2.0, 0.0), (0.0, np.log(2.0))),
    "x^0 at 0": (ar.pow, (0.0, 0.0), (0.0, -np.inf)),
    "x^3 at 0": (lambda x: ar.pow(x, 3.0), (0.0,), (0.0,)),
    "x^3 of a negative number": (lambda x: ar.pow(x, 3.0), (-2.0,), (12.0,)),
    "guarded sqrt": (
        lambda x: ar.where(x > 0.0, ar.sqrt(ar.where(x > 0.0, x, 1.0)), 0.0), (0.0,), (0.0,)
    ),
}  # fmt: skip


@pytest.mark.parametrize("mode", ["forward", "reverse"])
@pytest.mark.parametrize("name", KINKS)
def test_kinks_take_one_side(name, mode):
    function, at, expected = KINKS[name]
    with np.errstate(divide="ignore"):
        assert derivatives_first(mode, function, at) == list(expected)


@pytest.mark.parametrize("mode", ["forward", "reverse"])
@pytest.mark.parametrize("y", [2.0, 3.0, 3.5])
def test_second_derivatives_of_powers_at_zero(y, mode):
    _, hessian = derivatives(mode, ar.pow, (0.0, y))
    np.testing.assert_array_equal(hessian, [[2.0 if y == 2.0 else 0.0, 0.0], [0.0, 0.0]])
    graph = Graph()
    x = graph.input()
    for power in (ar.pow(x, y), x**y):
        (row,) = rows_of(mode, graph, [power.position], [x.position])
        (twice,) = rows_of(mode, graph, [graph.lift(row[0])], [x.position])
        assert evaluate(graph, [graph.lift(twice[0])], [0.0]) == [2.0 if y == 2.0 else 0.0]


def derivatives_first(mode, function, at):
    graph = Graph()
    inputs = graph.inputs(len(at))
    (row,) = rows_of(mode, graph, [function(*inputs).position], [x.position for x in inputs])
    return evaluate(graph, [graph.lift(x) for x in row], at)


def traced(steps):
    """A program as a graph: outputs that are not constants, and the inputs."""
    graph = Graph()
    inputs = graph.inputs(INPUTS)
    outputs = [graph.lift(v) for v in run(steps, inputs)[INPUTS + len(EXACT) :]]
    return graph, outputs, [x.position for x in inputs]


@fixed_seed
@given(programs(), points)
def test_both_modes_agree(steps, at):
    assume(all(abs(v) < 1e3 for v in run(steps, at)))
    graph, outputs, wrt = traced(steps)
    both = [rows_of(mode, graph, outputs[-2:], wrt) for mode in ("forward", "reverse")]
    a, b = (evaluate(graph, [graph.lift(x) for row in rows for x in row], at) for rows in both)
    size = max((abs(x) for x in a if np.isfinite(x)), default=0.0)
    assume(size < 1e6)
    np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10 * size)


@fixed_seed
@given(programs(ops=tuple(ANALYTIC)), points)
def test_derivatives_are_those_of_the_complex_step(steps, at):
    values = run(steps, at)
    assume(all(abs(v) < 1e3 for v in values))
    assume(all(abs(values[s[-1]]) > 0.1 for s in steps if s[0] is Op.DIV))
    assume(all(values[s[1]] > 0.1 for s in steps if s[0] in (Op.SQRT, Op.LOG, Op.POW)))
    assume(all(values[s[1]] >= 0.0 for s in steps if s[0] is Op.C))
    graph, outputs, wrt = traced(steps)
    rows = jacobian(graph, outputs, wrt)
    got = np.reshape(evaluate(graph, [graph.lift(x) for row in rows for x in row], at), (-1, 3))
    h = 1e-200
    for j in range(INPUTS):
        moved = [complex(x, h if i == j else 0.0) for i, x in enumerate(at)]
        column = np.imag(run(steps, moved)[INPUTS + len(EXACT) :]) / h
        np.testing.assert_allclose(
            got[:, j], column, rtol=1e-9, atol=1e-9 * (1 + abs(column).max())
        )


def test_weights_and_stops_of_reverse_mode():
    graph = Graph()
    x, y = graph.inputs(2)
    u = x * y
    v = ar.sin(u) + x
    by_u, by_x = reverse(graph, [v.position, u.position], [2.0, y], [u.position, x.position])
    values = evaluate(graph, [graph.lift(by_u), graph.lift(by_x)], [0.3, 0.5])
    # u is a variable of its own, so nothing flows through it into x
    assert values == pytest.approx([2 * np.cos(0.15) + 0.5, 2.0], rel=1e-15)


def test_forward_mode_along_a_direction():
    graph = Graph()
    x, y = graph.inputs(2)
    outputs = [(x * y).position, c(2, x).position, y.position, graph.constant(3.0)]
    rates = forward(graph, outputs, {x.position: y, y.position: 2.0})
    values = evaluate(graph, [graph.lift(r) for r in rates], [0.3, 0.5])
    slope = 0.5 * (2 * c(4, 0.3) - c(3, 0.3))
    assert values == pytest.approx([0.5 * 0.5 + 0.3 * 2.0, slope * 0.5, 2.0, 0.0], rel=1e-15)


def test_what_does_not_depend_has_the_derivative_zero():
    graph = Graph()
    x, y = graph.inputs(2)
    z = ar.exp(y)
    size = len(graph)
    assert forward(graph, [z.position], {x.position: 1.0}) == [0.0]
    assert reverse(graph, [z.position], [1.0], [x.position]) == [0.0]
    assert len(graph) == size  # and cost nothing
