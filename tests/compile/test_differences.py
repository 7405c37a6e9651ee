"""Compiled code and `ar.evaluate` agree on NaN and infinity, but where `docs/compiler.md` says."""

import itertools
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

import arthron as ar
from arthron._graph.graph import Graph
from arthron._graph.ops import DEFINITION, Op

sys.path.append(str(Path(__file__).parents[1] / "graph"))
from graph_programs import ARITY, EXACT, INPUTS, programs, run

INF, NAN = math.inf, math.nan
MODEL = ar.random_tree(INPUTS)
SPECIAL = [0.0, -0.0, 1.0, -2.0, 0.75, INF, -INF, NAN]
ROWS = np.array(list(itertools.product(SPECIAL, repeat=INPUTS)))
few = settings(max_examples=60, deadline=None, database=None, derandomize=True)


@few
@given(programs(size=12))
def test_random_programs_on_zeros_infinities_and_nan(steps):
    """Each operation, on what compiled code gives for its arguments, is what it is defined to be.

    Rows with numbers so large or small that products of them leave the range are left out.
    """

    def page(tree, q):
        return run(steps, [q[i][0] for i in tree.bodies])[INPUTS + len(EXACT) :]

    graph = Graph()
    traced = run(steps, graph.inputs(INPUTS))
    nodes = [graph.lift(v) for v in traced]
    values = [*ROWS.T, *(np.full(len(ROWS), x) for x in EXACT), *ar.compile(page, MODEL)(ROWS).T]
    for j, value in enumerate(traced):
        if isinstance(value, float):  # computed by Python, which has zeros of both signs
            values[j] = np.full(len(ROWS), value)
    size = np.abs(values)
    with np.errstate(invalid="ignore"):
        usual = ((size == 0) | ~np.isfinite(size) | ((size > 1e-150) & (size < 1e150))).all(0)
    for j, (op, *args) in enumerate(steps, INPUTS + len(EXACT)):
        n = ARITY[op]
        arguments = [values[a][usual] for a in args[:n]]
        with np.errstate(all="ignore"):
            expected = np.broadcast_to(DEFINITION[op](*arguments, *args[n:]), usual.sum())
            slack = 1e-15 * sum(np.abs(a) for a in arguments) if op in (Op.ADD, Op.SUB) else 0.0
        folded = nodes[j] in graph.constants and any(nodes[a] not in graph.constants
                                                     for a in args[:n])  # fmt: skip
        if folded and op in (Op.ADD, Op.SUB, Op.MUL):  # x - x = 0 and 0 x = 0
            expected, slack = np.zeros(usual.sum()), 0.0
        got = values[j][usual]
        np.testing.assert_array_equal(np.isnan(got), np.isnan(expected), err_msg=str(op))
        ordinary = np.isfinite(expected)
        np.testing.assert_array_equal(got[~ordinary], expected[~ordinary], err_msg=str(op))
        bound = 1e-11 * np.abs(expected) + (1e-12 if op is Op.C else 0.0) + slack
        with np.errstate(invalid="ignore"):
            assert np.all((np.abs(got - expected) <= bound)[ordinary]), op


LISTED = {  # page, q, compiled, evaluated
    "x - x = 0, infinite": (lambda x, y, z: x - x, (INF, 0, 0), 0.0, NAN),
    "x - x = 0, NaN": (lambda x, y, z: (x + y) - (y + x), (NAN, 0, 0), 0.0, NAN),
    "0 x = 0, infinite": (lambda x, y, z: 0.0 * x, (INF, 0, 0), 0.0, NAN),
    "0 x = 0, NaN": (lambda x, y, z: 0.0 * x, (NAN, 0, 0), 0.0, NAN),
    "x (1 / x) = 1": (lambda x, y, z: x * (1.0 / x), (0, 0, 0), 1.0, NAN),
    "x (y (1 / x)) = y": (lambda x, y, z: x * (y * (1.0 / x)), (0, 2, 0), 2.0, NAN),
    "c (d x) = (c d) x, overflow": (lambda x, y, z: 0.25 * (4.0 * x), (1e308, 0, 0), 1e308, INF),
    "c (d x) = (c d) x, underflow":
        (lambda x, y, z: 4.0 * (0.25 * x), (5e-324, 0, 0), 5e-324, 0.0),
    "constants have one zero": (lambda x, y, z: ar.atan2(-0.0, x), (-1, 0, 0), math.pi, -math.pi),
    "0 + x = x": (lambda x, y, z: 1.0 / (0.0 + x), (-0.0, 0, 0), -INF, INF),
    "0 - x = -x": (lambda x, y, z: 1.0 / (0.0 - x), (0, 0, 0), -INF, INF),
    "-(x - y) = y - x": (lambda x, y, z: 1.0 / -(x - y), (2, 2, 0), INF, -INF),
    "-x - y = -(x + y)": (lambda x, y, z: 1.0 / (-x - y), (2, -2, 0), -INF, INF),
    "zeros of two signs": (lambda x, y, z: 1.0 / ar.minimum(x, y), (0.0, -0.0, 0), -INF, None),
    "products in sums": (lambda x, y, z: x * y + z, (1e200, 1e200, -INF), -INF, NAN),
    "x ** -n is 1 / x ** n": (lambda x, y, z: x**-2, (1e160, 0, 0), 0.0, 1e-320),
}  # fmt: skip


@pytest.mark.parametrize("name", LISTED)
def test_listed(name):
    function, q, compiled, evaluated = LISTED[name]

    def page(tree, q):
        return function(*(q[i][0] for i in tree.bodies))

    rows = np.array([q] * 3, float)
    np.testing.assert_array_equal(ar.compile(page, MODEL)(rows), [compiled] * 3)
    if evaluated is not None:
        np.testing.assert_array_equal(ar.evaluate(page, MODEL, rows), [evaluated] * 3)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sign_of_nan_is_nan(dtype):
    def page(tree, q):
        return ar.sign(q[1][0])

    x = np.array([NAN, INF, -INF, 0.0, -0.0, 2.0, -1e-30], dtype)
    got = ar.compile(page, ar.random_tree(1))(x[:, None])
    np.testing.assert_array_equal(got, np.sign(x))
    np.testing.assert_array_equal(ar.sign(x), np.sign(x))
