"""Every operation in native code against the interpreter, over number types and batch shapes."""

import functools
import math

import numpy as np
import pytest
from compile_cases import BATCHES, DTYPES, EMPTY

import arthron as ar
from arthron._graph.ops import LEAVES, STRUCTURE, Op
from arthron._spatial.scalar import c, lookup

TABLE = (0.5, -2.0, 7.0, 1.0, 1e300)

OPS = {
    Op.ADD: lambda x, y, z: x + y,
    Op.SUB: lambda x, y, z: x - y,
    Op.MUL: lambda x, y, z: x * y,
    Op.DIV: lambda x, y, z: x / y,
    Op.NEG: lambda x, y, z: -x,
    Op.SIN: lambda x, y, z: ar.sin(x),
    Op.COS: lambda x, y, z: ar.cos(y),
    Op.C: lambda x, y, z: [c(k, 7.0 * abs(z)) for k in range(9)] + [c(1, x), c(4, -z * z)],
    Op.SQRT: lambda x, y, z: ar.sqrt(x),
    Op.EXP: lambda x, y, z: ar.exp(x),
    Op.LOG: lambda x, y, z: ar.log(x),
    Op.ATAN2: lambda x, y, z: ar.atan2(x, y),
    Op.ABS: lambda x, y, z: ar.absolute(x),
    Op.MIN: lambda x, y, z: ar.minimum(x, y),
    Op.MAX: lambda x, y, z: ar.maximum(x, y),
    Op.FLOOR: lambda x, y, z: ar.floor(x),
    Op.LESS: lambda x, y, z: [x < y, x < x],
    Op.LESS_EQUAL: lambda x, y, z: [x <= y, x <= x],
    Op.EQUAL: lambda x, y, z: [x == y, x == x],
    Op.LOOKUP: lambda x, y, z: [lookup(TABLE, x), lookup(TABLE, 2.0 * z), lookup(TABLE, y + 3.0)],
    Op.WHERE: lambda x, y, z: [ar.where(x < y, y, z), ar.where(x, y, z)],
    Op.TANH: lambda x, y, z: ar.tanh(x),
    Op.POW: lambda x, y, z: [ar.pow(x, y), abs(z) ** x, z**2.5],
}
EDGES = [0.0, 1.0, -1.0, 1e-30, 1e30, math.inf, -math.inf, math.nan, 0.5]
TOLERANCE = {np.float64: 2e-13, np.float32: 3e-5}  # of c_k; the others are far better
MODEL = ar.random_tree(3)


def all_ops(tree, q):
    x, y, z = q[1][0], q[2][0], q[3][0]
    results = {op.name: function(x, y, z) for op, function in OPS.items()}
    return {name: r if isinstance(r, list) else [r] for name, r in results.items()}


compiled = ar.compile(all_ops, MODEL)


def inputs(batch, dtype):
    rng = np.random.default_rng(1)
    q = rng.normal(size=(*batch, 3)) * 3
    rows = q.reshape(-1, 3)
    if len(rows) >= 1000:  # every pair of special values, too
        pairs = np.array(np.meshgrid(EDGES, EDGES)).reshape(2, -1)
        rows[: pairs.shape[1], :2] = pairs.T
    return q.astype(dtype)


@functools.cache
def both(batch, dtype):
    q = inputs(batch, dtype)
    with np.errstate(all="ignore"):
        return compiled(q), ar.evaluate(all_ops, MODEL, np.atleast_2d(q).astype(np.float64))


def test_every_operation_is_here():
    assert set(OPS) == set(Op) - LEAVES - STRUCTURE


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("batch", BATCHES + EMPTY, ids=str)
@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_native_is_interpreted(op, batch, dtype):
    native, interpreted = both(batch, dtype)
    got, expected = native[op.name], interpreted[op.name]
    assert got.dtype == dtype
    if not batch:
        expected = expected[0]
    with np.errstate(all="ignore"):
        expected = expected.astype(dtype)  # overflows become infinite
        tiny = np.finfo(dtype).tiny
    assert got.shape == expected.shape
    np.testing.assert_allclose(got, expected, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * 0.1
                               if op in (Op.SIN, Op.COS, Op.C) else tiny)  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
def test_sine_and_cosine_of_one_angle_in_any_order(dtype):
    def page(tree, q):
        a, b, d = q[1][0], q[2][0], q[3][0]
        return [ar.cos(a), ar.sin(a * b), ar.sin(a), ar.cos(a * b), ar.cos(d), ar.sin(b)]

    q = inputs((50,), dtype)
    got = ar.compile(page, MODEL)(q)
    np.testing.assert_allclose(got, ar.evaluate(page, MODEL, q.astype(float)),
                               atol=20 * np.finfo(dtype).eps)  # fmt: skip


CONSTANTS = [0.0, 1.0, -2.5, 1 / 3, 1e300, 1e-300, math.inf, -math.inf, math.nan, 5e-324]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("batch", [(), (5,)], ids=str)
def test_constants_arrive_to_the_last_bit(batch, dtype):
    def page(tree, q):
        return [CONSTANTS, [x * q[1][0] for x in CONSTANTS], [q[1][0]] * len(CONSTANTS)]

    got = ar.compile(page, MODEL)(np.ones((*batch, 3), dtype))
    with np.errstate(over="ignore"):
        expected = np.array(CONSTANTS).astype(dtype)
    rows = np.broadcast_to([expected, expected, np.ones_like(expected)], got.shape)
    np.testing.assert_array_equal(got, rows)
