"""Traced values: scalars with arithmetic that adds nodes to a graph, and arrays of them."""

from __future__ import annotations

import functools
import numbers
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._spatial.scalar import Entries
from ..errors import TraceError
from .ops import Op
from .simplify import SIMPLIFY

if TYPE_CHECKING:
    from .graph import Graph

SQUARED = 64
"""Integer powers up to this one are products."""


class Deeper(TraceError):
    """A value of a graph inside the one it was lifted to."""


def _operator(op: Op, *, reflected: bool = False) -> Callable[[Expr, Any], Expr]:
    """A method of two scalars that applies `op`; reflected, with the other one first."""
    rule = SIMPLIFY.get(op)

    def binary(self: Expr, other: Any) -> Expr:
        graph, a = self.graph, self.position
        if type(other) is Expr and other.graph is graph:
            b = other.position
        elif type(other) is float:
            b = graph.constant(other)
        else:
            try:
                b = graph.lift(other)
            except Deeper:  # the operation belongs to the innermost graph of its arguments
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


def _refused(operator: str, instead: str) -> Callable[..., Any]:
    """A method that says what to write instead of an operator that the graph does not have."""

    def refuse(self: Expr, *others: Any) -> Any:
        raise TraceError(f"`{operator}` on a traced scalar{caller()}. Write {instead}.")

    return refuse


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
            f"`if` or `while` on a traced scalar{caller()}. It has no value yet; use "
            "`ar.where(condition, a, b)`, `ar.maximum`, `&`, `|` and `~` for `and`, `or` and "
            "`not`, and `ar.iterate` for a loop or for work that is to be skipped."
        )

    @property
    def is_zero(self) -> bool:
        """Whether it is the constant zero."""
        return self.graph.constants.get(self.position) == 0.0

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

    def __index__(self) -> int:
        if self.position not in self.graph.constants:
            raise TraceError(
                f"a traced scalar was used as an index or a count{caller()}. Make an array, "
                "`ar.array(xs)[i]`, and loop with `ar.iterate`."
            )
        return int(float(self))

    def __invert__(self) -> Expr:
        """1 where this is zero, else 0."""
        return self.select(self, 0.0, 1.0)

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
    __mod__ = __rmod__ = _refused("%", "`x - y * ar.floor(x / y)`")
    __floordiv__ = __rfloordiv__ = _refused("//", "`ar.floor(x / y)`")
    __divmod__ = __rdivmod__ = _refused("divmod", "`n = ar.floor(x / y)` and `x - y * n`")
    __round__ = _refused("round", "`ar.floor(x + 0.5)`")
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

    def solve(self, matrix: Any, right: Any) -> ArrayExpr:
        """x with A x = b, when this is one of them."""
        return _applied(Op.SOLVE, matrix, right)


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


def is_scalar(x: Any) -> bool:
    """Whether something is one scalar: traced, a number, or an array as a batch of numbers."""
    batch = isinstance(x, np.ndarray) and x.dtype != object
    return batch or isinstance(x, Expr | numbers.Number)
