"""The closed set of operations, and for each its definition and its partial derivatives."""

from __future__ import annotations

import operator
from collections.abc import Callable
from enum import IntEnum

from .._spatial import scalar


class Op(IntEnum):
    """Everything a traced program can do. A node is an operation and its arguments."""

    CONST = 0  # (CONST, value)
    INPUT = 1  # (INPUT, position)
    ADD = 2
    SUB = 3
    MUL = 4
    DIV = 5
    NEG = 6
    SIN = 7
    COS = 8
    C = 9  # (C, s, k): the entire function c_k, with k a plain integer
    SQRT = 10
    EXP = 11
    LOG = 12
    ATAN2 = 13
    ABS = 14
    MIN = 15
    MAX = 16
    FLOOR = 17
    LESS = 18  # comparisons are 1.0 or 0.0
    LESS_EQUAL = 19
    EQUAL = 20
    WHERE = 21  # (WHERE, condition, a, b)
    LOOKUP = 22  # (LOOKUP, index, table), with a Table of floats
    TANH = 23
    POW = 24
    EPSILON = 25  # the rounding of the number type that code is made for
    LOOP = 26  # (LOOP, *start, *captured, when, body), with the body a graph of its own
    PART = 27  # (PART, loop, k): carried value k; behind them iterations, converged
    ARRAY = 28  # (ARRAY, *entries)
    READ = 29  # (READ, array, index)
    WRITE = 30  # (WRITE, array, index, value): the array with one entry changed
    SOLVE = 31  # (SOLVE, matrix, right-hand side): the array x with A x = b, A row by row


LEAVES = frozenset({Op.CONST, Op.INPUT, Op.EPSILON})
ARITHMETIC = frozenset({Op.ADD, Op.SUB, Op.MUL})
WITH_DATA = frozenset({Op.C, Op.LOOKUP, Op.PART})
"""Operations of one node whose second argument is plain data."""
STRUCTURE = frozenset({Op.LOOP, Op.PART, Op.ARRAY, Op.READ, Op.WRITE, Op.SOLVE})
"""Operations on more than scalars, which have functions where others have rows in tables."""
ARGUMENTS = {
    **dict.fromkeys(LEAVES, slice(0, 0)),
    **dict.fromkeys(WITH_DATA, slice(1, 2)),
    Op.LOOP: slice(1, -1),
}
"""Where the arguments stand in a node, if not everywhere behind the operation."""

DEFINITION: dict[Op, Callable] = {
    Op.ADD: operator.add,
    Op.SUB: operator.sub,
    Op.MUL: operator.mul,
    Op.DIV: scalar.divide,
    Op.NEG: operator.neg,
    Op.SIN: scalar.sin,
    Op.COS: scalar.cos,
    Op.C: lambda s, k: scalar.c(k, s),
    Op.SQRT: scalar.sqrt,
    Op.EXP: scalar.exp,
    Op.LOG: scalar.log,
    Op.ATAN2: scalar.atan2,
    Op.ABS: scalar.absolute,
    Op.MIN: scalar.minimum,
    Op.MAX: scalar.maximum,
    Op.FLOOR: scalar.floor,
    Op.LESS: scalar.less,
    Op.LESS_EQUAL: scalar.less_equal,
    Op.EQUAL: scalar.equal,
    Op.WHERE: scalar.where,
    Op.LOOKUP: lambda index, table: scalar.lookup(table, index),
    Op.TANH: scalar.tanh,
    Op.POW: scalar.pow,
    Op.PART: lambda parts, k: parts[k],
    Op.ARRAY: lambda *entries: scalar.entries(entries),
    Op.READ: scalar.read,
    Op.WRITE: scalar.write,
    Op.SOLVE: scalar.solve,
}
"""What each operation is, on floats, arrays or expressions."""


PARTIALS: dict[Op, Callable] = {
    Op.ADD: lambda y, a, b: (1.0, 1.0),
    Op.SUB: lambda y, a, b: (1.0, -1.0),
    Op.MUL: lambda y, a, b: (b, a),
    Op.DIV: lambda y, a, b: (1.0 / b, -(y / b)),
    Op.NEG: lambda y, a: (-1.0,),
    Op.SIN: lambda y, a: (scalar.cos(a),),
    Op.COS: lambda y, a: (-scalar.sin(a),),
    Op.C: lambda y, s, k: (0.5 * (float(k) * scalar.c(k + 2, s) - scalar.c(k + 1, s)),),
    Op.SQRT: lambda y, a: (0.5 / y,),
    Op.EXP: lambda y, a: (y,),
    Op.LOG: lambda y, a: (1.0 / a,),
    Op.ATAN2: lambda y, a, b: (b / (a * a + b * b), -(a / (a * a + b * b))),
    Op.ABS: lambda y, a: (scalar.where(scalar.less(a, 0.0), -1.0, 1.0),),
    Op.MIN: lambda y, a, b: (scalar.less_equal(a, b), 1.0 - scalar.less_equal(a, b)),
    Op.MAX: lambda y, a, b: (scalar.less_equal(b, a), 1.0 - scalar.less_equal(b, a)),
    Op.FLOOR: lambda y, a: (0.0,),
    Op.LESS: lambda y, a, b: (0.0, 0.0),
    Op.LESS_EQUAL: lambda y, a, b: (0.0, 0.0),
    Op.EQUAL: lambda y, a, b: (0.0, 0.0),
    Op.WHERE: lambda y, condition, a, b: (
        0.0,
        scalar.where(condition, 1.0, 0.0),
        scalar.where(condition, 0.0, 1.0),
    ),
    Op.LOOKUP: lambda y, index, table: (0.0,),
    Op.TANH: lambda y, a: ((1.0 - y) * (1.0 + y),),
    Op.POW: lambda y, a, b: (
        b * scalar.pow(a, scalar.where(scalar.equal(b, 0.0), 1.0, b - 1.0)),  # 0 where b is
        y * scalar.log(scalar.where(scalar.equal(a, 0.0) * scalar.less(0.0, b), 1.0, a)),
    ),
}
"""Partial derivatives of y = op(arguments) by each argument that is a node.

Loops and arrays have rules of their own, in `derive.py`.
"""
