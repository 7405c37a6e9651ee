"""Derivatives of a graph, as more of the same graph. Both modes read one table, `PARTIALS`."""

from __future__ import annotations

from collections.abc import Sequence

from .._spatial.scalar import Scalar
from .graph import Expr, Graph, arguments
from .ops import LEAVES, PARTIALS


def _partials(graph: Graph, position: int) -> list[tuple[int, Scalar]]:
    """(argument, derivative of the node by it) for one node."""
    node = graph.nodes[position]
    args = arguments(node)
    rest = node[1 + len(args) :]
    values = (Expr(graph, a) for a in args)
    partials = PARTIALS[node[0]](Expr(graph, position), *values, *rest)
    return list(zip(args, partials, strict=True))


def forward(graph: Graph, outputs: Sequence[int], direction: dict[int, Scalar]) -> list[Scalar]:
    """Derivative of each output along `direction`: rates of change of some nodes, by position."""
    rates = dict(direction)
    _push(graph, graph.needed(outputs), rates)
    return [rates.get(position, 0.0) for position in outputs]


def _push(graph: Graph, order: Sequence[int], rates: dict[int, Scalar]) -> None:
    """Extend rates of change of some nodes to all those in `order` that depend on them."""
    for position in order:
        node = graph.nodes[position]
        if position in rates or node[0] in LEAVES:
            continue
        if not any(a in rates for a in arguments(node)):
            continue
        rate: Scalar = 0.0
        for argument, partial in _partials(graph, position):
            if argument in rates:
                rate = rate + partial * rates[argument]
        if not _is_zero(rate):
            rates[position] = rate


def reverse(
    graph: Graph, outputs: Sequence[int], weights: Sequence[Scalar], wrt: Sequence[int]
) -> list[Scalar]:
    """Derivative of the weighted sum of outputs by each node in `wrt`."""
    order = graph.needed(outputs)
    adjoint: dict[int, Scalar] = {}
    for position, weight in zip(outputs, weights, strict=True):
        adjoint[position] = adjoint.get(position, 0.0) + weight
    stop = set(wrt)
    reaches = set(wrt)  # nodes that depend on wrt: only their adjoints matter
    for position in order:
        if any(a in reaches for a in arguments(graph.nodes[position])):
            reaches.add(position)
    for position in reversed(order):
        y = adjoint.get(position)
        if y is None or position not in reaches or position in stop or _is_zero(y):
            continue
        for argument, partial in _partials(graph, position):
            if argument in reaches:
                adjoint[argument] = adjoint.get(argument, 0.0) + partial * y
    return [adjoint.get(position, 0.0) for position in wrt]


def jacobian(
    graph: Graph, outputs: Sequence[int], wrt: Sequence[int], *, symmetric: bool = False
) -> list[list[Scalar]]:
    """Rows of derivatives of each output by each node in `wrt`, by forward mode.

    With `symmetric`, the matrix is known to be, and half of it is computed.
    """
    order = graph.needed(outputs)
    columns = []
    for k, position in enumerate(wrt):
        rates: dict[int, Scalar] = {position: 1.0}
        _push(graph, graph.needed(outputs[k:]) if symmetric else order, rates)
        columns.append([rates.get(output, 0.0) for output in outputs])
    if symmetric:
        return [[columns[min(i, j)][max(i, j)] for j in range(len(wrt))] for i in range(len(wrt))]
    return [[column[i] for column in columns] for i in range(len(outputs))]


def _is_zero(x: Scalar) -> bool:
    return x.graph.constants.get(x.position) == 0.0 if isinstance(x, Expr) else x == 0.0
