"""Each operation is what NumPy says it is, and every table has a row for it."""

import itertools
import math

import numpy as np
import pytest
from graph_programs import ARITY

import arthron as ar
from arthron._compile.render.instructions import INSTRUCTION
from arthron._graph.evaluate import evaluate
from arthron._graph.graph import Graph
from arthron._graph.ops import DEFINITION, LEAVES, PARTIALS, STRUCTURE, Op
from arthron._graph.simplify import SIMPLIFY


def c_3(s):
    t = np.sqrt(s)
    return (1 - np.sin(t) / t) / s


TABLE = (0.5, -2.0, 7.0, 1.0)


def entry(index):
    return np.array(TABLE)[np.clip(np.nan_to_num(index, nan=0.0), 0, 3).astype(int)]


NUMPY = {
    Op.ADD: np.add, Op.SUB: np.subtract, Op.MUL: np.multiply, Op.DIV: np.divide,
    Op.NEG: np.negative, Op.SIN: np.sin, Op.COS: np.cos, Op.C: c_3, Op.SQRT: np.sqrt,
    Op.EXP: np.exp, Op.LOG: np.log, Op.ATAN2: np.arctan2, Op.ABS: np.abs, Op.MIN: np.minimum,
    Op.MAX: np.maximum, Op.FLOOR: np.floor, Op.LESS: np.less, Op.LESS_EQUAL: np.less_equal,
    Op.EQUAL: np.equal, Op.WHERE: lambda c, a, b: np.where(c != 0, a, b), Op.LOOKUP: entry,
    Op.TANH: np.tanh, Op.POW: np.power,
}  # fmt: skip
DATA = {Op.C: (3,), Op.LOOKUP: (TABLE,)}  # arguments that are not nodes
EDGES = [0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 710.0, 1e-300, 1e300, math.inf, -math.inf, math.nan]
OPS = [op for op in Op if op not in LEAVES | STRUCTURE]


def test_every_table_has_a_row_for_every_operation():
    assert set(PARTIALS) == set(NUMPY) == set(ARITY) == set(OPS)
    assert set(DEFINITION) == set(OPS) | STRUCTURE - {Op.LOOP}
    assert set(INSTRUCTION) == set(OPS) - {Op.C}  # c_k is lowered to others
    assert set(SIMPLIFY) <= set(OPS) | STRUCTURE
    assert len(OPS) == 23


@pytest.mark.parametrize("op", OPS)
def test_on_random_arrays(op):
    args = np.random.default_rng(op).normal(size=(ARITY[op], 200)) * 5
    if op is Op.C:
        args = np.abs(args) + 0.1
    with np.errstate(all="ignore"):
        expected = NUMPY[op](*args)
    got = DEFINITION[op](*args, *DATA.get(op, ()))
    np.testing.assert_allclose(got, expected, rtol=1e-14)


@pytest.mark.parametrize("op", [op for op in OPS if op is not Op.C])
def test_on_floats_and_their_edges(op):
    for args in itertools.product(EDGES, repeat=ARITY[op]):
        with np.errstate(all="ignore"):
            expected = float(NUMPY[op](*map(np.float64, args)))
        got = DEFINITION[op](*args, *DATA.get(op, ()))
        assert type(got) is float, args
        assert got == pytest.approx(expected, rel=1e-15, abs=0, nan_ok=True), args


@pytest.mark.parametrize("op", OPS)
def test_a_traced_operation_evaluates_to_its_definition(op):
    rest = DATA.get(op, ())
    graph = Graph()
    inputs = graph.inputs(ARITY[op])
    position = DEFINITION[op](*inputs, *rest).position
    assert graph.nodes[position][0] is op
    for args in itertools.product((0.25, 1.0, 2.5), repeat=ARITY[op]):
        assert evaluate(graph, [position], args) == [DEFINITION[op](*args, *rest)]


@pytest.mark.parametrize("op", OPS)
def test_constants_are_folded_by_the_definition(op):
    rest = DATA.get(op, ())
    for args in itertools.product(EDGES, repeat=ARITY[op]):
        graph = Graph()
        position = graph.apply(op, *(graph.constant(a) for a in args), *rest)
        expected = DEFINITION[op](*args, *rest)
        if op is Op.SUB and args[0] is args[1]:
            expected = 0.0  # x - x = 0, whatever x is
        assert graph.constants[position] == pytest.approx(expected, nan_ok=True), args


OPERATORS = {
    "x + 2": (lambda x: x + 2, 5.0), "2 + x": (lambda x: 2 + x, 5.0),
    "x - 2": (lambda x: x - 2, 1.0), "2 - x": (lambda x: 2 - x, -1.0),
    "x * 2": (lambda x: x * 2, 6.0), "2 * x": (lambda x: 2 * x, 6.0),
    "x / 2": (lambda x: x / 2, 1.5), "2 / x": (lambda x: 2 / x, 2 / 3),
    "-x": (lambda x: -x, -3.0), "abs": (lambda x: abs(x - 5), 2.0),
    "x < 3": (lambda x: x < 3, 0.0), "x <= 3": (lambda x: x <= 3, 1.0),
    "x > 2": (lambda x: x > 2, 1.0), "x >= 4": (lambda x: x >= 4, 0.0),
    "x == 3": (lambda x: x == 3, 1.0), "x != 3": (lambda x: x != 3, 0.0),
    "and": (lambda x: (x > 2) & (x > 4), 0.0), "or": (lambda x: (x > 2) | (x > 4), 1.0),
    "np + x": (lambda x: np.float64(2) + x, 5.0), "np / x": (lambda x: np.float64(2) / x, 2 / 3),
    "np < x": (lambda x: np.float64(2) < x, 1.0), "int": (lambda x: np.int64(2) * x, 6.0),
    "atan2": (lambda x: ar.atan2(2.0, x), math.atan2(2, 3)),
    "ratan2": (lambda x: ar.atan2(x, 2.0), math.atan2(3, 2)),
    "min": (lambda x: ar.minimum(2.0, x), 2.0), "max": (lambda x: ar.maximum(x, 5), 5.0),
    "where": (lambda x: ar.where(x < 4.0, 10.0, x), 10.0),
    "where float": (lambda x: ar.where(0.0, 10.0, x), 3.0),
    "where bool": (lambda x: ar.where(True, x, 10.0), 3.0),
    "x ** 0": (lambda x: x**0, 1.0), "x ** 1": (lambda x: x**1, 3.0),
    "x ** 2": (lambda x: x**2, 9.0), "x ** 7": (lambda x: x**7, 2187.0),
    "x ** 2.0": (lambda x: x**2.0, 9.0), "x ** -1": (lambda x: x**-1, 1 / 3),
    "x ** -3": (lambda x: x**-3, 1 / 27), "x ** 0.5": (lambda x: x**0.5, math.sqrt(3)),
    "x ** np": (lambda x: x ** np.int64(3), 27.0), "x ** 1.5": (lambda x: x**1.5, 3**1.5),
    "x ** -0.5": (lambda x: x**-0.5, 3**-0.5), "x ** 65": (lambda x: x**65, 3.0**65),
    "x ** x": (lambda x: x**x, 27.0), "2 ** x": (lambda x: 2**x, 8.0),
    "np ** x": (lambda x: np.float64(2.5) ** x, 2.5**3),
    "pow": (lambda x: ar.pow(x, 2.5), 3**2.5), "rpow": (lambda x: ar.pow(2, x), 8.0),
    "pow of both": (lambda x: ar.pow(x, x - 5), 1 / 9), "tanh": (ar.tanh, math.tanh(3)),
}  # fmt: skip


@pytest.mark.parametrize("name", OPERATORS)
def test_python_operators(name):
    """The value at x = 3, traced, and on an array and a float where those know the operator."""
    function, expected = OPERATORS[name]
    graph = Graph()
    traced = function(graph.input())
    value = evaluate(graph, [graph.lift(traced)], [3.0])[0]
    assert value == pytest.approx(expected, rel=1e-15)
    if name not in ("and", "or"):
        assert function(3.0) == pytest.approx(expected, rel=1e-15)
    assert function(np.array([3.0])) == pytest.approx(expected, rel=1e-15)


def test_high_powers_cost_few_operations():
    graph = Graph()
    x = graph.input()
    assert sum(graph.nodes[p][0] is Op.MUL for p in graph.needed([(x**64).position])) == 6
