"""The traced program: a list of nodes in the order they were made, each made once.

A node is a tuple `(op, *arguments)`; arguments are positions of earlier nodes, so the order of the
list is a topological order and every walk is a plain loop.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import threading
from collections.abc import Iterable, Sequence
from typing import Any

from .._spatial.scalar import Entries
from ..errors import TraceError
from .expr import ArrayExpr, Deeper, Expr, caller, entry_count
from .ops import ARGUMENTS, DEFINITION, LEAVES, Op
from .simplify import SIMPLIFY

Node = tuple


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


LEAKED = (
    "a value made inside the body of a loop or the residual of a root was used outside{}. Carry "
    "it: make it one of the values that the body takes and returns."
)


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
        by_body: whether like bodies are to make like programs, which share code. Marks are kept
            then, and (-c) x stays what it is: as -(c x) it would be equal to more expressions, and
            the shape of the program would depend on the signs of constants.
        inverses: position of 1 / x, by that of x, for all that were divided by.
        sizes: entries of each node that is an array, by position.
        captured: values of graphs around this one, by the number of the input they are.
        closed: whether the graph is inside another one and complete.
        takes_arrays: whether NumPy arrays are captured: batches of numbers, met outside a trace.
    """

    __slots__ = (
        "_captures",
        "_needed",
        "_numbers",
        "_positions",
        "by_body",
        "captured",
        "closed",
        "constants",
        "input_count",
        "inverses",
        "marks",
        "nodes",
        "outer",
        "sizes",
        "takes_arrays",
    )  # fmt: skip

    def __init__(self, *, by_body: bool = False, outer: Graph | None = None) -> None:
        self.by_body, self.outer = by_body, outer
        self.closed = self.takes_arrays = False
        self.sizes: dict[int, int] = {}
        self.captured: dict[int, Expr | ArrayExpr | Any] = {}
        self._captures: dict[Any, int] = {}
        self._numbers: dict[float, int] = {}
        self.nodes: list[Node] = []
        self.constants: dict[int, float] = {}
        self.inverses: dict[int, int] = {}
        self.input_count = 0
        self.marks: list[int] = []
        self._positions: dict[Node, int] = {}
        self._needed: tuple[Any, list[int]] = (None, [])

    @staticmethod
    def inside() -> Graph:
        """A graph that may use values of the one being traced now, if there is one."""
        outer = tracing()
        graph = Graph(by_body=outer is not None and outer.by_body, outer=outer)
        graph.takes_arrays = outer is None
        return graph

    def __enter__(self) -> Graph:
        _TRACING.graphs.append(self)
        self.closed = False
        return self

    def __exit__(self, *error: Any) -> None:
        _TRACING.graphs.pop()
        self.closed = self.outer is not None

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
        position = self._numbers.get(value)
        if position is None:
            value = value + 0.0 if value == value else math.nan  # one zero, one NaN
            position = self._numbers[value] = self.intern((Op.CONST, value))
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
            raise Deeper
        if value.graph.closed and not value.graph.encloses(self):
            raise TraceError(LEAKED.format(caller()))
        if not value.graph.encloses(self):
            raise TraceError(
                "two expressions of different traces met in one operation"
                f"{caller()}. A page sees only "
                "its own arguments; do not keep traced values between calls."
            )
        node = value.graph.nodes[value.position]
        if node[0] in (Op.CONST, Op.EPSILON):
            return self.constant(node[1]) if node[0] is Op.CONST else self.intern(node)
        if node[0] is Op.NEG:  # signs move outwards here, too
            return self.apply(Op.NEG, self.lift(value.graph.wrap(node[1])))
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
