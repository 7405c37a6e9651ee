"""Local rules that keep a trace small: one row per operation, applied as nodes are made.

Zeros and ones of the figure fold here, signs move outwards, and commutative arguments are sorted,
so that equal expressions are found to be equal.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from .._spatial.scalar import c
from .._spatial.scalar import lookup as scalar_lookup
from .ops import Op
from .table import Table

if TYPE_CHECKING:
    from .graph import Graph

ADD, SUB, MUL, DIV, NEG = Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.NEG
"""By a name of their own: to find a member of an enumeration takes longer than a rule does."""


def _negated(graph: Graph, a: int) -> int | None:
    """x when node a is -x, else None."""
    node = graph.nodes[a]
    return node[1] if node[0] is NEG else None


def _cancelled(graph: Graph, x: int, a: int) -> int | None:
    """What is left of x times node a, when a is 1 / x or a product with it, else None."""
    inverse = graph.inverses.get(x)
    if inverse is None:
        return None
    if a == inverse:
        return graph.constant(1.0)
    node = graph.nodes[a]
    if node[0] is MUL and inverse in node[1:]:
        return node[2] if node[1] == inverse else node[1]
    return None


def add(graph: Graph, a: int, b: int) -> int:
    """0 + x = x, x + (-y) = x - y, x + x = 2 x, sorted."""
    constants = graph.constants
    if a in constants:
        if constants[a] == 0.0:
            return b
        if b in constants:
            return graph.constant(constants[a] + constants[b])
    if b in constants and constants[b] == 0.0:
        return a
    left, right = graph.nodes[a], graph.nodes[b]
    if right[0] is NEG:
        return sub(graph, a, right[1])
    if left[0] is NEG:
        return sub(graph, b, left[1])
    if a == b:  # as good, and 1/2 and 2 meet in derivatives of squares
        return mul(graph, graph.constant(2.0), a)
    return graph.intern((ADD, a, b) if a <= b else (ADD, b, a))


def sub(graph: Graph, a: int, b: int) -> int:
    """x - x = 0, x - 0 = x, 0 - x = -x, x - (-y) = x + y, (-x) - y = -(x + y)."""
    if a == b:
        return graph.constant(0.0)
    constants = graph.constants
    if a in constants:
        if b in constants:
            return graph.constant(constants[a] - constants[b])
        if constants[a] == 0.0:
            return neg(graph, b)
    elif b in constants and constants[b] == 0.0:
        return a
    left, right = graph.nodes[a], graph.nodes[b]
    if right[0] is NEG:
        return add(graph, a, right[1])
    if left[0] is NEG:
        return neg(graph, add(graph, left[1], b))
    return graph.intern((SUB, a, b))


def mul(graph: Graph, a: int, b: int) -> int:
    """0 x = 0, 1 x = x, (-c) x = -(c x), (-x) y = -(x y), c (d x) = (c d) x, sorted.

    x (1 / x) = 1 and x (y (1 / x)) = y: the motion of a joint that gives way leaves no trace.
    """
    constants = graph.constants
    if b in constants:
        a, b = b, a
    if a in constants:
        k = constants[a]
        if b in constants:
            return graph.constant(k * constants[b])
        if k == 0.0:
            return graph.constant(0.0)
        if k == 1.0:
            return b
        if k < 0.0 and (not graph.by_body or k == -1.0):
            return neg(graph, mul(graph, graph.constant(-k), b))
    left, right = graph.nodes[a], graph.nodes[b]
    if left[0] is NEG:
        return neg(graph, mul(graph, left[1], b))
    if right[0] is NEG:
        return neg(graph, mul(graph, a, right[1]))
    if a in constants:
        if right[0] is MUL and right[1] in constants:
            product = constants[a] * constants[right[1]]
            if 0.0 < abs(product) < math.inf:
                return mul(graph, graph.constant(product), right[2])
        return graph.intern((MUL, a, b))
    if graph.inverses:
        for rest in (_cancelled(graph, a, b), _cancelled(graph, b, a)):
            if rest is not None:
                return rest
    return graph.intern((MUL, a, b) if a <= b else (MUL, b, a))


def div(graph: Graph, a: int, b: int) -> int:
    """x / 1 = x, signs outwards."""
    constants = graph.constants
    if b in constants:
        if a in constants:
            return graph.fold(Op.DIV, a, b)
        if constants[b] in (1.0, -1.0):
            return mul(graph, b, a)
    minus = _negated(graph, a)
    if minus is not None:
        return neg(graph, div(graph, minus, b))
    minus = _negated(graph, b)
    if minus is not None:
        return neg(graph, div(graph, a, minus))
    position = graph.intern((DIV, a, b))
    if a in constants and constants[a] == 1.0:
        graph.inverses[b] = position
    return position


def neg(graph: Graph, a: int) -> int:
    """-(-x) = x, -(x - y) = y - x."""
    if a in graph.constants:
        return graph.constant(-graph.constants[a])
    node = graph.nodes[a]
    if node[0] is NEG:
        return node[1]
    if node[0] is SUB:
        return sub(graph, node[2], node[1])
    return graph.intern((NEG, a))


def sin(graph: Graph, a: int) -> int:
    """sin(-x) = -sin x"""
    minus = _negated(graph, a)
    return graph.fold(Op.SIN, a) if minus is None else neg(graph, sin(graph, minus))


def cos(graph: Graph, a: int) -> int:
    """cos(-x) = cos x"""
    minus = _negated(graph, a)
    return graph.fold(Op.COS, a if minus is None else minus)


def tanh(graph: Graph, a: int) -> int:
    """tanh(-x) = -tanh x"""
    minus = _negated(graph, a)
    return graph.fold(Op.TANH, a) if minus is None else neg(graph, tanh(graph, minus))


def power(graph: Graph, a: int, b: int) -> int:
    """x^0 = 1, x^1 = x, x^2 = x x, 1^y = 1."""
    exponent = graph.constants.get(b)
    if exponent == 0.0 or graph.constants.get(a) == 1.0:
        return graph.constant(1.0)
    if exponent == 1.0:
        return a
    return mul(graph, a, a) if exponent == 2.0 else graph.fold(Op.POW, a, b)


def c_k(graph: Graph, s: int, k: int) -> int:
    """c_k of a constant."""
    if s in graph.constants:
        return graph.constant(float(c(k, graph.constants[s])))
    return graph.intern((Op.C, s, k))


def lookup(graph: Graph, index: int, table: tuple[float, ...]) -> int:
    """A known index, or a table of equal entries."""
    table = table if isinstance(table, Table) else Table(table)
    if table.level:
        return graph.constant(table[0])
    if index in graph.constants:
        return graph.constant(float(scalar_lookup(table, graph.constants[index])))
    return graph.intern((Op.LOOKUP, index, table))


def where(graph: Graph, condition: int, a: int, b: int) -> int:
    """A known condition chooses now; equal branches need no condition."""
    if a == b:
        return a
    if condition in graph.constants:
        return a if graph.constants[condition] else b
    return graph.intern((Op.WHERE, condition, a, b))


def absolute(graph: Graph, a: int) -> int:
    """|-x| = |x|"""
    minus = _negated(graph, a)
    return graph.fold(Op.ABS, a if minus is None else minus)


def array(graph: Graph, *entries: int) -> int:
    """As it stands; its size is remembered."""
    position = graph.intern((Op.ARRAY, *entries))
    graph.sizes[position] = len(entries)
    return position


def _known_place(graph: Graph, index: int, size: int) -> int | None:
    """A known index as a place in an array."""
    value = graph.constants.get(index)
    return None if value is None else int(min(max(value, 0.0), size - 1.0)) if value > 0.0 else 0


def read(graph: Graph, a: int, index: int) -> int:
    """What was written or put there, when that is known; constants are a table."""
    size = graph.sizes[a]
    place = _known_place(graph, index, size)
    while graph.nodes[a][0] is Op.WRITE:  # look behind writes to other known places
        _, before, at, value = graph.nodes[a]
        if at == index:
            return value
        other = _known_place(graph, at, size)
        if place is None or other is None:
            return graph.intern((Op.READ, a, index))
        if place == other:
            return value
        a = before
    op, *entries = graph.nodes[a]
    if op is Op.ARRAY:
        if place is not None:
            return entries[place]
        if all(x in graph.constants for x in entries):
            return lookup(graph, index, tuple(graph.constants[x] for x in entries))
    return graph.intern((Op.READ, a, index))


def write(graph: Graph, a: int, index: int, value: int) -> int:
    """A known entry of a known array is another array; a place written again is written once."""
    size = graph.sizes[a]
    place = _known_place(graph, index, size)
    op, *rest = graph.nodes[a]
    if place is not None:
        index = graph.constant(float(place))
        if op is Op.ARRAY:
            return array(graph, *rest[:place], value, *rest[place + 1 :])
    if op is Op.WRITE and rest[1] == index:
        return write(graph, rest[0], index, value)
    position = graph.intern((Op.WRITE, a, index, value))
    graph.sizes[position] = size
    return position


def solve(graph: Graph, matrix: int, right: int) -> int:
    """As it stands; as many unknowns as right-hand sides."""
    position = graph.intern((Op.SOLVE, matrix, right))
    graph.sizes[position] = graph.sizes[right]
    return position


SIMPLIFY: dict[Op, Callable[..., int]] = {
    Op.ADD: add,
    Op.SUB: sub,
    Op.MUL: mul,
    Op.DIV: div,
    Op.NEG: neg,
    Op.SIN: sin,
    Op.COS: cos,
    Op.C: c_k,
    Op.ABS: absolute,
    Op.WHERE: where,
    Op.LOOKUP: lookup,
    Op.TANH: tanh,
    Op.POW: power,
    Op.ARRAY: array,
    Op.READ: read,
    Op.WRITE: write,
    Op.SOLVE: solve,
}
"""Rules by operation. Operations without a row are only folded when all arguments are constants."""
