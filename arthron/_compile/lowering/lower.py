"""The same program in operations that machines have, with the work of a branch inside it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ..._graph.evaluate import apply, evaluate, insert
from ..._graph.graph import Graph, arguments
from ..._graph.loop_body import LoopBody
from ..._graph.ops import DEFINITION, LEAVES, Op
from ..._spatial import scalar


def lower_c(s, k: int):
    """c_k in operations that machines have: the power series near zero, sine and cosine beyond."""
    limit = scalar.series_limit(k)
    far = scalar.closed_form(k, scalar.maximum(s, limit))
    near = scalar.less_equal(scalar.absolute(s), limit)
    beyond = scalar.where(scalar.less(s, 0.0), math.nan, far)
    return scalar.where(near, scalar.series(k, s), beyond)


def lower(graph: Graph, outputs: Sequence[int]) -> tuple[Graph, list[int]]:
    """The same program without operations that have no machine instruction."""
    if not any(n[0] is Op.C or (n[0] is Op.LOOP and n[-1].has(Op.C)) for n in graph.nodes):
        return graph, list(outputs)
    plain = Graph(by_body=graph.by_body)
    inputs = plain.inputs(graph.input_count)
    values = evaluate(graph, outputs, inputs, {**DEFINITION, Op.C: lower_c})
    return plain, [plain.lift(value) for value in values]


def sink(graph: Graph, outputs: Sequence[int]) -> tuple[Graph, list[int]]:
    """Work that a branch alone needs goes into it, where it is not done when nobody takes it.

    A branch is a loop with a limit of one pass, or one that looks for a choice and nearly always
    makes one. What its body computes from values around it alone was traced outside.
    """
    homes = _homes(graph, outputs)
    if not homes:
        return graph, list(outputs)
    work: dict[int, list[int]] = {}
    for position, branch in homes.items():
        work.setdefault(branch, []).append(position)
    plain = Graph(by_body=graph.by_body)
    values: dict[int, Any] = {}
    for position, node in enumerate(graph.nodes):
        if node[0] is Op.INPUT:
            values[position] = plain.array_input(node[2]) if len(node) > 2 else plain.input()
    for position in graph.needed(outputs):
        node = graph.nodes[position]
        if node[0] in LEAVES:
            if node[0] is not Op.INPUT:
                values[position] = _leaf(plain, node)
        elif position not in homes:
            moved = work.get(position)
            values[position] = (
                _filled(graph, position, moved, values, plain) if moved else apply(node, values)
            )
    return plain, [plain.lift(values[position]) for position in outputs]


def _homes(graph: Graph, outputs: Sequence[int]) -> dict[int, int]:
    """The branch that each node moves into, of those that one branch alone uses."""
    order = graph.needed(outputs)
    branches = [p for p in order if graph.nodes[p][0] is Op.LOOP and graph.nodes[p][-1].once]
    if not branches:
        return {}
    users: dict[int, list[int]] = {}
    for position in order:
        for a in arguments(graph.nodes[position]):
            users.setdefault(a, []).append(position)
    homes: dict[int, int] = {}
    results = set(outputs)
    for position in reversed(order):
        if graph.nodes[position][0] in LEAVES or position in results:
            continue
        found = {_branch(graph, user, position, homes) for user in users[position]}
        branch = found.pop() if len(found) == 1 else None
        if branch is not None:
            homes[position] = branch
    for position in order:  # parts stay where their loop is
        if graph.nodes[position][0] is Op.PART and graph.nodes[position][1] not in homes:
            homes.pop(position, None)
    return dict(sorted(homes.items()))


def _branch(graph: Graph, user: int, position: int, homes: Mapping[int, int]) -> int | None:
    """The branch that a use of a value is part of: captured by it, or by what moves into it."""
    node = graph.nodes[user]
    if node[0] is Op.LOOP and node[-1].once:
        n, args = node[-1].carried, arguments(node)
        if position not in (*args[:n], args[-1]):
            return homes.get(user, user)  # a branch inside a branch finds its own later
    return homes.get(user)


def _leaf(graph: Graph, node: tuple) -> Any:
    constant = node[0] is Op.CONST
    return graph.wrap(graph.constant(node[1]) if constant else graph.intern(node))


def _filled(
    graph: Graph, position: int, moved: Sequence[int], values: Mapping[int, Any], plain: Graph
) -> list[Any]:
    """The parts of a branch that does the work of the nodes `moved`, too."""
    node = graph.nodes[position]
    body: LoopBody = node[-1]
    n, args = body.carried, arguments(node)
    inner = Graph(by_body=graph.by_body)
    carried = [inner.input_like(values[a]) for a in args[:n]]
    inside: dict[int, Any] = {}
    captured: list[Any] = []
    needed = [*(a for p in moved for a in arguments(graph.nodes[p])), *args[n:-1]]
    for a in sorted(set(needed) - set(moved)):
        if graph.nodes[a][0] in LEAVES - {Op.INPUT}:
            inside[a] = _leaf(inner, graph.nodes[a])
        else:
            inside[a] = inner.input_like(values[a])
            captured.append(values[a])
    for p in moved:
        inside[p] = apply(graph.nodes[p], inside)
    new = evaluate(body.graph, body.outputs, [*carried, *(inside[a] for a in args[n:-1])])
    lifted = [inner.lift(x) for x in new]
    filled = LoopBody(inner, lifted, limit=body.limit, name=body.name, watched=body.watched,
                      settled=body.settled)  # fmt: skip
    return insert(plain, filled, [*(values[a] for a in args[:n]), *captured, values[args[-1]]])
