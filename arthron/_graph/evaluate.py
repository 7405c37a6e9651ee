"""Running a graph: on floats, on arrays, or on the expressions of another graph.

On numbers this is the interpreter, the definition that compiled code is tested against. On
expressions it is substitution.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .graph import Graph, arguments
from .ops import DEFINITION, WITH_DATA, Op


def evaluate(
    graph: Graph,
    outputs: Sequence[int],
    inputs: Sequence[Any],
    definition: Mapping[Op, Callable] = DEFINITION,
) -> list[Any]:
    """Values of the nodes `outputs` when the graph's inputs have the values `inputs`."""
    values: dict[int, Any] = {}
    nodes = graph.nodes
    for position in graph.needed(outputs):
        node = nodes[position]
        op = node[0]
        if op is Op.CONST:
            values[position] = node[1]
        elif op is Op.INPUT:
            values[position] = inputs[node[1]]
        elif op in WITH_DATA:
            values[position] = definition[op](values[node[1]], node[2])
        else:
            values[position] = definition[op](*[values[a] for a in arguments(node)])
    return [values[position] for position in outputs]
