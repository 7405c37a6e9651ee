"""Running a graph: on floats, on arrays, or on the expressions of another graph.

On numbers this is the interpreter, the definition that compiled code is tested against. On
expressions it is substitution.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .._spatial.scalar import Entries, epsilon
from .expr import Expr, innermost
from .graph import Graph, Node, arguments
from .loop_body import LoopBody, repeat
from .marks import marking
from .ops import ARITHMETIC, DEFINITION, WITH_DATA, Op

FOLDED = 100
"""Passes of a loop on constants that are made while tracing; longer loops become native code."""


def evaluate(
    graph: Graph,
    outputs: Sequence[int],
    inputs: Sequence[Any],
    definition: Mapping[Op, Callable] = DEFINITION,
) -> list[Any]:
    """Values of the nodes `outputs` when the graph's inputs have the values `inputs`.

    Inputs beyond those given are what the graph captured.
    """
    values: dict[int, Any] = {}
    nodes, given = graph.nodes, len(inputs)
    order = graph.needed(outputs)
    target = innermost(inputs) if graph.marks else None
    for position in order if target is None else marking(graph, order, target):
        node = nodes[position]
        op = node[0]
        if op in ARITHMETIC:  # nearly all, so by a short way
            values[position] = definition[op](values[node[1]], values[node[2]])
        elif op is Op.CONST:
            values[position] = node[1]
        elif op is Op.INPUT:
            k = node[1]
            values[position] = inputs[k] if k < given else graph.captured[k]
        elif op is Op.EPSILON:
            values[position] = _epsilon(inputs)
        else:
            values[position] = apply(node, values, inputs, definition)
    return [values[position] for position in outputs]


def apply(
    node: Node,
    values: Mapping[int, Any],
    inputs: Sequence[Any] = (),
    definition: Mapping[Op, Callable] = DEFINITION,
) -> Any:
    """The value of a node, from those of its arguments; for a loop the list of its parts."""
    op = node[0]
    if op in ARITHMETIC:
        return definition[op](values[node[1]], values[node[2]])
    if op is Op.LOOP:
        args = [values[a] for a in arguments(node)]
        return _loop(node[-1], args, innermost(inputs), definition)
    if op in WITH_DATA:
        return definition[op](values[node[1]], node[2])
    return definition[op](*[values[a] for a in arguments(node)])


def _epsilon(inputs: Sequence[Any]) -> Any:
    """The rounding of what a graph is run on."""
    target = innermost(inputs)
    if target is not None:
        return Expr(target, target.intern((Op.EPSILON,)))
    scalars = [y for x in inputs for y in (x if isinstance(x, Entries) else (x,))]
    return max((epsilon(x) for x in scalars), default=epsilon(1.0))


def _loop(
    body: LoopBody, args: list[Any], target: Graph | None, definition: Mapping[Op, Callable]
) -> list[Any]:
    """All parts of a loop: on numbers by repeating it, on expressions as a loop of their graph."""
    target = innermost(args) or target
    if target is None:
        return _repeated(body, args, body.limit, definition)
    if definition is not DEFINITION:
        body = rewritten(body, definition=definition)
    return insert(target, body, args)


def _repeated(
    body: LoopBody, args: list[Any], limit: int, definition: Mapping[Op, Callable] = DEFINITION
) -> list[Any]:
    n, captured = body.carried, args[body.carried : -1]

    def step(values: Sequence[Any]) -> tuple[list[Any], Any]:
        *new, done = evaluate(body.graph, body.outputs, [*values, *captured], definition)
        return new, done

    return repeat(step, args[:n], limit, args[-1], body.watched)


def insert(graph: Graph, body: LoopBody, args: Sequence[Any]) -> list[Any]:
    """All parts of a loop as values of a graph: start, captured values and `when` in `args`.

    What is known is not left to the loop: constants that it captures go into the body, values that
    it hands on unchanged are captured, and a short loop on constants alone is done now.
    """
    n, constants = body.carried, graph.constants
    positions = [graph.lift(a) for a in args]
    if constants.get(positions[-1]) == 0.0:
        return [*(graph.wrap(p) for p in positions[:n]), 0.0, 1.0]
    if all(p in constants for p in positions) and not body.has(Op.EPSILON):
        numbers = [constants[p] for p in positions]
        passes = min(body.limit, FOLDED)
        parts = _repeated(body, numbers, passes)
        if parts[n] < passes or passes == body.limit:
            return [Expr(graph, graph.constant(x)) for x in parts]
    kept = [
        k for k, position in enumerate(body.outputs[:n])
        if body.implicit or body.graph.nodes[position][:2] != (Op.INPUT, k)
    ]  # fmt: skip
    known = {k: constants[p] for k, p in enumerate(positions[n:-1], n) if p in constants}
    parts = [graph.wrap(p) for p in positions[:n]]
    if len(kept) < n or known:
        order = [*kept, *(k for k in range(n) if k not in kept), *range(n, len(positions) - 1)]
        known |= {k: constants[positions[k]] for k in order[len(kept) : n]
                  if positions[k] in constants}  # fmt: skip
        order = [k for k in order if k not in known]
        body = rewritten(body, known, order, kept)
        positions = [*(positions[k] for k in order), positions[-1]]
    loop = graph.intern((Op.LOOP, *positions, body))
    made = [graph.intern((Op.PART, loop, k)) for k in range(len(kept) + 2)]
    for part, size in zip(made, body.sizes, strict=False):
        if size is not None:
            graph.sizes[part] = size
    for k, part in zip(kept, made, strict=False):
        parts[k] = graph.wrap(part)
    return [*parts, *(Expr(graph, p) for p in made[-2:])]


def rewritten(
    body: LoopBody,
    known: Mapping[int, float] | None = None,
    order: Sequence[int] | None = None,
    kept: Sequence[int] | None = None,
    definition: Mapping[Op, Callable] = DEFINITION,
) -> LoopBody:
    """A body with operations replaced, some inputs known, or inputs in another order.

    Args:
        body: as it was.
        known: numbers of inputs that are constants.
        order: numbers of all other inputs, in their new order.
        kept: carried values that stay so; they come first in `order`.
        definition: of operations.
    """
    graph, known = body.graph, known or {}
    plain = Graph(by_body=graph.by_body)
    sizes = {node[1]: node[2] for node in graph.nodes if node[0] is Op.INPUT and len(node) > 2}
    inputs: list[Any] = [known.get(k) for k in range(graph.input_count)]
    for k in range(graph.input_count) if order is None else order:
        inputs[k] = plain.array_input(sizes[k]) if k in sizes else plain.input()
    n = body.carried
    kept = range(n) if kept is None else kept
    nodes = [*(body.outputs[k] for k in kept), *body.nodes[n:]]
    values = evaluate(graph, nodes, inputs, definition)
    watched = sum(k < body.watched for k in kept)
    return body.like(plain, [plain.lift(value) for value in values], len(kept), watched)
