"""The traced program: a list of nodes in the order they were made, each made once.

A node is a tuple `(op, *arguments)`; arguments are positions of earlier nodes, so the order of the
list is a topological order and every walk is a plain loop.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import math
import numbers
import os
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from .._spatial.scalar import Entries
from ..errors import TraceError
from .ops import ARGUMENTS, DEFINITION, LEAVES, Op
from .simplify import SIMPLIFY

Node = tuple
SQUARED = 64
"""Integer powers up to this one are products."""


class _Stack(threading.local):
    """Graphs being traced in this thread, the innermost last."""

    def __init__(self) -> None:
        self.graphs: list[Graph] = []


_TRACING = _Stack()


def tracing() -> Graph | None:
    """The graph that is being traced, the innermost of them."""
    return _TRACING.graphs[-1] if _TRACING.graphs else None


def mark_body() -> None:
    """Remember in the graph being traced that the page goes on to another body."""
    graph = tracing()
    if graph is not None:
        graph.marks.append(len(graph.nodes))


class _Deeper(TraceError):
    """A value of a graph inside the one it was lifted to."""


class Graph:
    """Nodes of one program, without duplicates.

    A graph traced inside another one, such as the body of a loop, may use values of those around
    it: each is *captured*, one more input behind the graph's own. `with` a graph, it is the one
    being traced.

    Args:
        outer: the graph around this one, if its values may be used.

    Attributes:
        nodes: the nodes, arguments before users.
        constants: value of each constant node, by position.
        input_count: how many inputs have been made.
        marks: lengths of the list at which the page began with another body.
        lifts_signs: whether (-c) x becomes -(c x). That finds more equal expressions, but makes
            the shape of the program depend on the signs of constants.
        sizes: entries of each node that is an array, by position.
        captured: values of graphs around this one, by the number of the input they are.
        closed: whether the graph is a body that is complete.
        takes_arrays: whether NumPy arrays are captured: batches of numbers, met outside a trace.
    """

    __slots__ = ("_captures", "_needed", "_positions", "captured", "closed", "constants",
                 "input_count", "lifts_signs", "marks", "nodes", "outer", "sizes",
                 "takes_arrays")  # fmt: skip

    def __init__(self, *, lifts_signs: bool = True, outer: Graph | None = None) -> None:
        self.lifts_signs, self.outer = lifts_signs, outer
        self.closed = self.takes_arrays = False
        self.sizes: dict[int, int] = {}
        self.captured: dict[int, Expr | ArrayExpr | Any] = {}
        self._captures: dict[Any, int] = {}
        self.nodes: list[Node] = []
        self.constants: dict[int, float] = {}
        self.input_count = 0
        self.marks: list[int] = []
        self._positions: dict[Node, int] = {}
        self._needed: tuple[Any, list[int]] = (None, [])

    @staticmethod
    def inside() -> Graph:
        """A graph that may use values of the one being traced now, if there is one."""
        outer = tracing()
        graph = Graph(lifts_signs=outer is None or outer.lifts_signs, outer=outer)
        graph.takes_arrays = outer is None
        return graph

    def __enter__(self) -> Graph:
        _TRACING.graphs.append(self)
        return self

    def __exit__(self, *error: Any) -> None:
        _TRACING.graphs.pop()

    def __len__(self) -> int:
        return len(self.nodes)

    def input(self) -> Expr:
        """A new free variable."""
        position = self.intern((Op.INPUT, self.input_count))
        self.input_count += 1
        return Expr(self, position)

    def array_input(self, size: int) -> ArrayExpr:
        """A new free variable that is an array."""
        position = self.intern((Op.INPUT, self.input_count, size))
        self.input_count += 1
        self.sizes[position] = size
        return ArrayExpr(self, position)

    def input_like(self, value: Any) -> Expr | ArrayExpr:
        """A new free variable that can stand for a value, a scalar or an array."""
        size = entry_count(value)
        return self.input() if size is None else self.array_input(size)

    def inputs(self, n: int) -> tuple[Expr, ...]:
        """`n` new free variables."""
        return tuple(self.input() for _ in range(n))

    def intern(self, node: Node) -> int:
        """Position of `node`, appended if it is new."""
        position = self._positions.get(node)
        if position is None:
            position = self._positions[node] = len(self.nodes)
            self.nodes.append(node)
        return position

    def constant(self, value: float) -> int:
        """Position of a constant."""
        value = value + 0.0 if value == value else math.nan  # one zero, one NaN
        position = self.intern((Op.CONST, value))
        self.constants[position] = value
        return position

    def lift(self, value: Any) -> int:
        """Position of a value met in an operation: an Expr of this graph, or a number."""
        if type(value) is float:
            return self.constant(value)
        if isinstance(value, Expr | ArrayExpr):
            return value.position if value.graph is self else self._capture(value)
        if isinstance(value, Entries):
            return self.apply(Op.ARRAY, *(self.lift(x) for x in value))
        try:
            return self.constant(math.fsum((value,)))  # float() would take text
        except (TypeError, ValueError):
            if self.takes_arrays and getattr(value, "ndim", 0):
                return self._captured((id(value),), value)
            raise TraceError(
                f"a traced scalar met {value!r} of type {type(value).__name__}{caller()}. "
                "Operations take numbers and traced scalars; write array code component by "
                "component."
            ) from None

    def wrap(self, position: int) -> Expr | ArrayExpr:
        """The traced value at a position."""
        return ArrayExpr(self, position) if position in self.sizes else Expr(self, position)

    def encloses(self, other: Graph) -> bool:
        """Whether this graph is around another one."""
        around = other.outer
        while around is not None and around is not self:
            around = around.outer
        return around is not None

    def _capture(self, value: Expr | ArrayExpr) -> int:
        """Position of the input that stands for a value of a graph around this one."""
        if self.encloses(value.graph) and not value.graph.closed:
            raise _Deeper
        if value.graph.closed and not value.graph.encloses(self):
            raise TraceError(
                f"a value made inside the body of a loop was used outside{caller()}. Carry it: "
                "make it one of the values that the body takes and returns."
            )
        if not value.graph.encloses(self):
            raise TraceError(
                "two expressions of different traces met in one operation"
                f"{caller()}. A page sees only "
                "its own arguments; do not keep traced values between calls."
            )
        node = value.graph.nodes[value.position]
        if node[0] in (Op.CONST, Op.EPSILON):
            return self.constant(node[1]) if node[0] is Op.CONST else self.intern(node)
        return self._captured((id(value.graph), value.position), value)

    def _captured(self, key: tuple, value: Any) -> int:
        if key not in self._captures:
            self.captured[self.input_count] = value
            self._captures[key] = self.input_like(value).position
        return self._captures[key]

    def apply(self, op: Op, *args: Any) -> int:
        """Position of `op` on nodes, simplified."""
        rule = SIMPLIFY.get(op)
        if rule is not None:
            return rule(self, *args)
        return self.fold(op, *args)

    def fold(self, op: Op, *args: int) -> int:
        """`op` on nodes as it stands, computed now when all arguments are constants."""
        constants = self.constants
        if all(a in constants for a in args):
            return self.constant(float(DEFINITION[op](*(constants[a] for a in args))))
        return self.intern((op, *args))

    def needed(self, outputs: Iterable[int]) -> list[int]:
        """Positions that `outputs` depend on, themselves included, arguments first."""
        nodes, outputs = self.nodes, tuple(outputs)
        asked = len(nodes), outputs
        if self._needed[0] != asked:  # a program that is being compiled is asked over and over
            mark = bytearray(len(nodes))
            for position in outputs:
                mark[position] = 1
            for position in range(len(nodes) - 1, -1, -1):
                if mark[position]:
                    for a in arguments(nodes[position]):
                        mark[a] = 1
            self._needed = asked, list(itertools.compress(range(len(nodes)), mark))
        return self._needed[1]

    def digest(self, outputs: Sequence[int]) -> str:
        """Hash of the program that computes `outputs`: equal for equal programs."""
        order = self.needed(outputs)
        rank = {position: k for k, position in enumerate(order)}
        state = hashlib.blake2b(digest_size=20)
        for position in order:
            node = self.nodes[position]
            args = (
                node[1:]
                if node[0] in LEAVES
                else (*(rank[a] for a in arguments(node)), *node[1 + len(arguments(node)) :])
            )
            state.update(repr((int(node[0]), *args)).encode())
        state.update(repr([rank[position] for position in outputs]).encode())
        return state.hexdigest()


def arguments(node: Node) -> tuple[int, ...]:
    """Positions of a node's arguments."""
    place = ARGUMENTS.get(node[0])
    return node[1:] if place is None else node[place]


def _operator(op: Op, *, reflected: bool = False) -> Callable[[Expr, Any], Expr]:
    """A method of two scalars that applies `op`; reflected, with the other one first."""
    rule = SIMPLIFY.get(op)

    def binary(self: Expr, other: Any) -> Expr:
        graph = self.graph
        try:
            ours = type(other) is Expr and other.graph is graph
            a, b = self.position, other.position if ours else graph.lift(other)
        except _Deeper:  # the operation belongs to the innermost graph of its arguments
            graph = other.graph
            a, b = graph.lift(self), other.position
        except TraceError:
            if not isinstance(other, Expr) and getattr(other, "__array_ufunc__", self) is None:
                return NotImplemented  # a Vec3, Motion, ... knows what to do with a scalar
            raise
        if reflected:
            a, b = b, a
        return Expr(graph, rule(graph, a, b) if rule else graph.fold(op, a, b))

    return binary


def _function(op: Op) -> Callable[[Expr], Expr]:
    """A method of one scalar that applies `op`."""

    def unary(self: Expr) -> Expr:
        return Expr(self.graph, self.graph.apply(op, self.position))

    return unary


class Expr:
    """A traced scalar: a node of a graph, with arithmetic that adds nodes."""

    __slots__ = ("graph", "position")

    def __init__(self, graph: Graph, position: int) -> None:
        self.graph = graph
        self.position = position

    def __repr__(self) -> str:
        node = self.graph.nodes[self.position]
        args = ", ".join(str(a) for a in node[1:])
        return f"Expr({node[0].name.lower()} {args}; node {self.position} of {len(self.graph)})"

    def __bool__(self) -> bool:
        raise TraceError(
            f"`if` on a traced scalar{caller()}. The graph has no branches; use "
            "`ar.where(condition, a, b)`, `ar.maximum`, and `&` or `|` for `and` or `or`."
        )

    def __float__(self) -> float:
        value = self.graph.constants.get(self.position)
        if value is None:
            raise TraceError(
                f"a traced scalar was asked for its number{caller()}. It has none until the "
                "compiled page is called; use arthron's `sin`, `sqrt`, ... and not `math`."
            )
        return value

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """NumPy's functions of one or two scalars: those of the graph, or a word what to do."""
        name = UFUNCS.get(ufunc.__name__)
        arrays = any(getattr(x, "ndim", 0) for x in inputs) and not self.graph.takes_arrays
        if name is None or method != "__call__" or options or arrays:
            what = f"`np.{ufunc.__name__}`" + (" of an array" if arrays else "")
            raise TraceError(
                f"{what} met a traced scalar{caller()}. Use arthron's functions (`ar.sin`, "
                "`ar.where`, ...) on one scalar at a time."
            )
        first, *rest = inputs
        if isinstance(first, Expr):
            return getattr(first, name)(*rest)
        reflected = f"__r{name[2:]}" if name.startswith("__") else f"r{name}"
        return getattr(rest[0], reflected)(first)

    def __pow__(self, n: Any) -> Expr | float:
        """Small integer powers by repeated squaring; one half is the square root."""
        is_number = isinstance(n, numbers.Real)
        if is_number and n == 0.5:
            return self.sqrt()
        if not is_number or abs(float(n)) > SQUARED or not float(n).is_integer():
            return self.pow(n)
        n = round(float(n))
        if n < 0:
            return 1.0 / self.__pow__(-n)
        result, square = 1.0, self
        while n:
            if n & 1:
                result = square * result
            n >>= 1
            if n:
                square = square * square
        return result

    def __int__(self) -> int:
        return int(float(self))

    __index__ = __int__

    def __ne__(self, other: Any) -> Expr:  # type: ignore[override]
        return 1.0 - (self == other)

    def c(self, k: int) -> Expr:
        """c_k of this scalar."""
        return Expr(self.graph, self.graph.apply(Op.C, self.position, k))

    def lookup(self, table: tuple[float, ...]) -> Expr:
        """The entry of a table at this index."""
        return Expr(self.graph, self.graph.apply(Op.LOOKUP, self.position, table))

    def epsilon(self) -> Expr:
        """The rounding of the number type that code is made for."""
        return Expr(self.graph, self.graph.intern((Op.EPSILON,)))

    def select(self, condition: Any, a: Any, b: Any) -> Expr:
        """`where(condition, a, b)`, any of which may be traced."""
        graph = innermost((self, condition, a, b)) or self.graph
        values = (graph.lift(value) for value in (condition, a, b))
        return Expr(graph, graph.apply(Op.WHERE, *values))

    def array(self, entries: Entries) -> ArrayExpr:
        """An array of scalars, this among them."""
        return _applied(Op.ARRAY, *entries)

    def read(self, array: Any, index: Any) -> Expr:
        """An entry of an array, when this is the index."""
        return _applied(Op.READ, array, index)

    def write(self, array: Any, index: Any, value: Any) -> ArrayExpr:
        """An array with an entry changed, when this is the index or the value."""
        return _applied(Op.WRITE, array, index, value)

    __add__, __radd__ = _operator(Op.ADD), _operator(Op.ADD, reflected=True)
    __sub__, __rsub__ = _operator(Op.SUB), _operator(Op.SUB, reflected=True)
    __mul__, __rmul__ = _operator(Op.MUL), _operator(Op.MUL, reflected=True)
    __truediv__, __rtruediv__ = _operator(Op.DIV), _operator(Op.DIV, reflected=True)
    __lt__, __gt__ = _operator(Op.LESS), _operator(Op.LESS, reflected=True)
    __le__, __ge__ = _operator(Op.LESS_EQUAL), _operator(Op.LESS_EQUAL, reflected=True)
    __eq__ = _operator(Op.EQUAL)  # type: ignore[assignment]
    __hash__ = object.__hash__
    __and__, __rand__ = _operator(Op.MIN), _operator(Op.MIN, reflected=True)
    __or__, __ror__ = _operator(Op.MAX), _operator(Op.MAX, reflected=True)
    __neg__, __abs__ = _function(Op.NEG), _function(Op.ABS)
    # what the functions of `_spatial/scalar.py` call; `r` as in __radd__
    sin, cos, sqrt = _function(Op.SIN), _function(Op.COS), _function(Op.SQRT)
    exp, log, tanh = _function(Op.EXP), _function(Op.LOG), _function(Op.TANH)
    absolute, floor = _function(Op.ABS), _function(Op.FLOOR)
    atan2, ratan2 = _operator(Op.ATAN2), _operator(Op.ATAN2, reflected=True)
    pow, rpow = _operator(Op.POW), _operator(Op.POW, reflected=True)
    __rpow__ = rpow
    minimum, rminimum = _operator(Op.MIN), _operator(Op.MIN, reflected=True)
    maximum, rmaximum = _operator(Op.MAX), _operator(Op.MAX, reflected=True)
    less, rless = _operator(Op.LESS), _operator(Op.LESS, reflected=True)
    less_equal, rless_equal = __le__, __ge__
    equal, requal = _operator(Op.EQUAL), _operator(Op.EQUAL, reflected=True)


class ArrayExpr:
    """A traced array: a node of a graph that holds several scalars."""

    __slots__ = ("graph", "position")

    def __init__(self, graph: Graph, position: int) -> None:
        self.graph, self.position = graph, position

    def __len__(self) -> int:
        return self.graph.sizes[self.position]

    read, write = Expr.read, Expr.write


def _applied(op: Op, *values: Any) -> Any:
    """`op` on values of which one at least is traced, in the innermost of their graphs."""
    graph = innermost(values)
    assert graph is not None
    return graph.wrap(graph.apply(op, *(graph.lift(value) for value in values)))


def entry_count(value: Any) -> int | None:
    """How many entries a value has that is an array; None for scalars."""
    return len(value) if isinstance(value, ArrayExpr | Entries) else None


def innermost(values: Iterable[Any]) -> Graph | None:
    """The graph inside all others of some values; None when none is traced."""
    found: Graph | None = None
    for value in values:
        graph = value.graph if isinstance(value, Expr | ArrayExpr) else None
        if isinstance(value, Entries):
            graph = innermost(value)
        if graph is not None and (found is None or found.encloses(graph)):
            found = graph
    return found


UFUNCS = {
    **{n: n for n in ("sin", "cos", "sqrt", "exp", "log", "tanh", "absolute", "floor", "minimum",
                      "maximum", "less", "less_equal", "equal")},
    "arctan2": "atan2", "add": "__add__", "subtract": "__sub__", "multiply": "__mul__",
    "divide": "__truediv__", "negative": "__neg__", "power": "__pow__",
}  # fmt: skip
"""The method that each NumPy function of a traced scalar stands for."""


def caller() -> str:
    """` in my_cost.py:14`: the line of the user's page that led here."""
    package = str(Path(__file__).parents[1]) + os.sep
    frame = sys._getframe(1)
    ours = (package, functools.__file__)
    theirs = tuple(f"{os.sep}{name}{os.sep}" for name in ("numpy", "scipy"))  # called by the user
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith(ours) and not any(name in file for name in theirs):
            break
        frame = frame.f_back
    return f" in {Path(frame.f_code.co_filename).name}:{frame.f_lineno}" if frame else ""
