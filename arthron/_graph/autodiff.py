"""Derivatives of a graph, as more of the same graph. Both modes read one table, `PARTIALS`.

Arrays and loops have rules instead of partials. Forward mode goes through a loop by carrying rates
beside values. Where it is known what holds at the end of a loop, the implicit function theorem
gives both modes: with r(x, c) = 0, a change dc moves x by the e that solves  dr/dx e = -dr/dc dc.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .._spatial.linear_algebra import pivoted
from .._spatial.scalar import Entries, Scalar, entries, is_zero, read, solve, where, write
from .._spatial.sums import dot
from ..errors import TraceError
from .evaluate import evaluate, insert
from .expr import Expr, caller
from .graph import Graph, arguments
from .loop_body import Implicit, LoopBody
from .marks import marking
from .ops import PARTIALS, STRUCTURE, Op

Rates = dict[int, Any]
"""Rates of change of nodes, by position: scalars, arrays, and for a loop the list of its parts."""


Partials = list[tuple[int, Scalar]]
"""(argument, derivative of a node by it) for one node."""


def _partials(graph: Graph, position: int) -> Partials:
    node = graph.nodes[position]
    args = arguments(node)
    rest = node[1 + len(args) :]
    values = [Expr(graph, a) for a in args]
    partials = PARTIALS[node[0]](Expr(graph, position), *values, *rest)
    return list(zip(args, partials, strict=True))


def forward(graph: Graph, outputs: Sequence[int], direction: dict[int, Scalar]) -> list[Scalar]:
    """Derivative of each output along `direction`: rates of change of some nodes, by position."""
    rates = dict(direction)
    _push(graph, graph.needed(outputs), [rates])
    return [_rate(graph, rates, position) for position in outputs]


def jvp(
    function: Callable[[tuple], Iterable[Scalar]],
    at: Sequence[Scalar],
    *directions: Sequence[Scalar],
) -> list[list[Scalar]]:
    """[values, rates, ...]: a function of scalars, and its derivative along each direction.

    The function is traced on symbols of its own, and may be traced again inside another.
    """
    graph = Graph.inside()
    x, along = graph.inputs(len(at)), [graph.inputs(len(at)) for _ in directions]
    with graph:
        values = [graph.lift(y) for y in function(x)]
    rows = [values]
    for direction, rates in zip(directions, along, strict=True):
        moving = {
            a.position: rate if isinstance(rate, float) else b
            for a, b, rate in zip(x, rates, direction, strict=True)
            if not is_zero(rate)
        }
        rows.append([graph.lift(y) for y in forward(graph, values, moving)])
    state = [*at, *(rate for direction in directions for rate in direction)]
    found = iter(evaluate(graph, [y for row in rows for y in row], state))
    return [[next(found) for _ in row] for row in rows]


def jacobian(
    graph: Graph, outputs: Sequence[int], wrt: Sequence[int], *, symmetric: bool = False
) -> list[list[Scalar]]:
    """Rows of derivatives of each output by each node in `wrt`, by forward mode.

    With `symmetric`, the matrix is known to be, and half of it is computed.
    """
    order = graph.needed(outputs)
    many: list[Rates] = [{position: 1.0} for position in wrt]
    if any(graph.nodes[position][0] is Op.LOOP for position in order):
        _push(graph, order, many)  # all columns together, so that loops are gone through once
    else:
        partials: dict[int, Partials] = {}
        moved = _moved_by(graph, order, wrt)
        for k, rates in enumerate(many):
            needed = graph.needed(outputs[k:]) if symmetric else order
            moving = [position for position in needed if moved.get(position, 0) >> k & 1]
            _push(graph, moving, [rates], partials)
    columns = [[rates.get(output, 0.0) for output in outputs] for rates in many]
    if symmetric:
        return [[columns[min(i, j)][max(i, j)] for j in range(len(wrt))] for i in range(len(wrt))]
    return [[column[i] for column in columns] for i in range(len(outputs))]


def _moved_by(graph: Graph, order: Sequence[int], wrt: Sequence[int]) -> dict[int, int]:
    """For each node that depends on some in `wrt`, bits that say on which."""
    bits: dict[int, int] = {}
    for k, position in enumerate(wrt):
        bits[position] = bits.get(position, 0) | 1 << k
    for position in order:
        found = 0
        for a in arguments(graph.nodes[position]):
            found |= bits.get(a, 0)
        if found:
            bits[position] = bits.get(position, 0) | found
    return bits


def _push(
    graph: Graph,
    order: Sequence[int],
    many: Sequence[Rates],
    known: dict[int, Partials] | None = None,
) -> None:
    """Extend rates of change of some nodes, in several directions, to all that depend on them.

    Partials of nodes, the same in every direction, are kept in `known`.
    """
    nodes, known = graph.nodes, {} if known is None else known
    for position in marking(graph, order, graph):
        node = nodes[position]
        args = arguments(node)
        moving = [r for r in many if not r.keys().isdisjoint(args) and position not in r]
        if not moving:
            continue
        if node[0] is Op.LOOP:
            push = _push_implicit if node[-1].implicit else _push_loop
            push(graph, position, moving)
            continue
        if node[0] in STRUCTURE:
            changes = [_array_rate(graph, node, rates) for rates in moving]
        else:
            partials = known.get(position)
            if partials is None:
                partials = known[position] = _partials(graph, position)
            changes = [_change(partials, rates) for rates in moving]
        for rates, rate in zip(moving, changes, strict=True):
            if not is_zero(rate):
                rates[position] = rate


def _change(partials: Partials, rates: Rates) -> Scalar:
    """The rate of a node from those of its arguments, of which one at least has one."""
    total: Scalar = None
    for argument, partial in partials:
        change = rates.get(argument)
        if change is not None:
            if type(partial) is not float or partial != 1.0:
                change = partial * change
            total = change if total is None else total + change
    return total


def _array_rate(graph: Graph, node: tuple, rates: Rates) -> Any:
    op, first, *rest = node
    if op is Op.PART:
        return rates[first][rest[0]]
    if op is Op.ARRAY:
        return Entries(rates.get(a, 0.0) for a in node[1:])
    if op is Op.SOLVE:
        return _solution_rate(graph, node, rates)
    index = Expr(graph, rest[0])
    if op is Op.READ:
        return read(rates[first], index) if first in rates else 0.0
    return write(_rate(graph, rates, first), index, rates.get(rest[1], 0.0))


def _solution_rate(graph: Graph, node: tuple, rates: Rates) -> Any:
    """A dx = db - dA x"""
    _, matrix, right = node
    A, x = graph.wrap(matrix), graph.wrap(graph.intern(node))
    n, change = graph.sizes[right], _rate(graph, rates, right)
    rest = [read(change, float(i)) for i in range(n)]
    if matrix in rates:
        for i in range(n):
            row = (read(rates[matrix], float(n * i + j)) * read(x, float(j)) for j in range(n))
            rest[i] = rest[i] - sum(row, 0.0)
    return solve(A, entries(rest))


def _rate(graph: Graph, rates: Rates, position: int) -> Any:
    """The rate of a node, zeros if it has none."""
    size = graph.sizes.get(position)
    return rates.get(position, 0.0 if size is None else Entries([0.0] * size))


def _push_loop(graph: Graph, position: int, many: Sequence[Rates]) -> None:
    """Rates of the parts of a loop: another loop, which carries rates beside values."""
    node = graph.nodes[position]
    body: LoopBody = node[-1]
    args, n = arguments(node)[:-1], body.carried
    moving = [_moving(body, {k for k, a in enumerate(args) if a in rates}) for rates in many]
    pairs = [(d, k) for d, found in enumerate(moving) for k in range(n) if k in found]
    more = [(d, k) for d, found in enumerate(moving) for k in range(n, len(args)) if k in found]
    inner = Graph(by_body=graph.by_body)
    like = [graph.wrap(a) for a in args]
    values = [inner.input_like(x) for x in like[:n]]
    symbols = {pair: inner.input_like(like[pair[1]]) for pair in pairs}
    values += [inner.input_like(x) for x in like[n:]]
    symbols |= {pair: inner.input_like(like[pair[1]]) for pair in more}
    outputs = [inner.lift(x) for x in evaluate(body.graph, body.outputs, values)]
    tangents: list[Any] = []
    for d in range(len(many)):
        direction = {values[k].position: x for (e, k), x in symbols.items() if e == d}
        rates = forward(inner, outputs[:n], direction)
        tangents += [rates[k] for e, k in pairs if e == d]
    lifted = [*outputs[:n], *(inner.lift(x) for x in tangents), outputs[n]]
    both = LoopBody(inner, lifted, limit=body.limit, name=body.name, watched=body.watched)
    starts = [*like[:n], *(_rate(graph, many[d], args[k]) for d, k in pairs)]
    captured = [*like[n:], *(_rate(graph, many[d], args[k]) for d, k in more)]
    parts = insert(graph, both, [*starts, *captured, Expr(graph, node[-2])])
    for rates in many:
        rates[position] = [_zero(size) for size in body.sizes] + [0.0, 0.0]
    for (d, k), part in zip(pairs, parts[n:], strict=False):
        many[d][position][k] = part


def _moving(body: LoopBody, inputs: set[int]) -> set[int]:
    """Inputs of a body that change when some do, after any number of passes."""
    nodes, order = body.graph.nodes, body.graph.needed(body.outputs)
    while True:
        reached: set[int] = set()
        for position in order:
            node = nodes[position]
            if node[0] is Op.INPUT and node[1] in inputs:
                reached.add(position)
            elif any(a in reached for a in arguments(node)):
                reached.add(position)
        more = {k for k, output in enumerate(body.outputs[:-1]) if output in reached}
        if more <= inputs:
            return inputs
        inputs = inputs | more


class _AtResult:
    """A body and what holds at its result, with symbols of its own for rates and weights."""

    def __init__(self, graph: Graph, position: int, like: Sequence[Any]) -> None:
        node = graph.nodes[position]
        self.body: LoopBody = node[-1]
        assert self.body.implicit is not None
        self.rule: Implicit = self.body.implicit
        n = self.body.carried
        self.captured = arguments(node)[n:-1]
        self.when = Expr(graph, node[-2])
        x = [graph.wrap(graph.intern((Op.PART, position, k))) for k in range(n)]
        self.inputs = [*x, *(graph.wrap(a) for a in self.captured)]
        self.inner = Graph(by_body=graph.by_body)
        self.symbols = [self.inner.input_like(v) for v in self.inputs]
        self.extra = [self.inner.input_like(value) for value in like]
        self.residual = [
            self.inner.lift(r) for r in evaluate(self.body.graph, self.rule.residual, self.symbols)
        ]

    def matrix(self, rows: Sequence[Sequence[int]], *, transpose: bool) -> list[list[Any]]:
        """The Jacobian or the chart, at the result."""
        flat = iter(evaluate(self.body.graph, [x for row in rows for x in row], self.inputs))
        found = [[next(flat) for _ in row] for row in rows]
        return [list(column) for column in zip(*found, strict=True)] if transpose else found

    def outside(self, scalars: Iterable[Any], extra: Sequence[Any]) -> list[Any]:
        """Scalars of the inner graph, at the result."""
        nodes = [self.inner.lift(x) for x in scalars]
        return evaluate(self.inner, nodes, [*self.inputs, *extra])


def _push_implicit(graph: Graph, position: int, many: Sequence[Rates]) -> None:
    """Rates of x with r(x, c) = 0: chart e, with J e = -dr/dc dc."""
    args, first = arguments(graph.nodes[position]), graph.nodes[position][-1].carried
    for rates in many:
        moving = [k for k, a in enumerate(args[:-1]) if k >= first and a in rates]
        at = _AtResult(graph, position, [graph.wrap(args[k]) for k in moving])
        direction = {at.symbols[k].position: s for k, s in zip(moving, at.extra, strict=True)}
        changes = [rates[args[k]] for k in moving]
        along = at.outside(forward(at.inner, at.residual, direction), changes)
        e = x = [-x for x in along]
        if at.rule.jacobian:
            J, T = (at.matrix(m, transpose=False) for m in (at.rule.jacobian, at.rule.chart))
            with graph:  # a solver may have loops
                e = at.rule.solve(J, e)
            x = [dot(row, e) for row in T]
        x = [*x, *[0.0] * (first - len(x))]
        begun = [_rate(graph, rates, a) for a in args[:first]]
        rates[position] = [
            *(where(at.when, a, b) for a, b in zip(x, begun, strict=True)), 0.0, 0.0
        ]  # fmt: skip


def _pull_implicit(graph: Graph, position: int, weights: Sequence[Any]) -> list[tuple[int, Any]]:
    """Adjoints of what x with r(x, c) = 0 depends on: -(dr/dc)^T y, J^T y = chart^T weights."""
    n = graph.nodes[position][-1].carried
    at = _AtResult(graph, position, [0.0] * len(graph.nodes[position][-1].implicit.residual))
    w = [where(at.when, x, 0.0) for x in weights[:n]]
    y = w[: len(at.residual)]
    if at.rule.jacobian:
        J, T = (at.matrix(m, transpose=True) for m in (at.rule.jacobian, at.rule.chart))
        y = pivoted(J, [dot(row, w) for row in T])  # its own solver knows J, not its transpose
    wrt = [s.position for s in at.symbols[n:]]
    slopes = at.outside(reverse(at.inner, at.residual, at.extra, wrt), [-x for x in y])
    starts = arguments(graph.nodes[position])[:n]
    begun = [where(at.when, 0.0, x) for x in weights[:n]]
    return [*zip(at.captured, slopes, strict=True), *zip(starts, begun, strict=True)]


def reverse(
    graph: Graph, outputs: Sequence[int], weights: Sequence[Scalar], wrt: Sequence[int]
) -> list[Scalar]:
    """Derivative of the weighted sum of outputs by each node in `wrt`."""
    order = graph.needed(outputs)
    adjoint: dict[int, Any] = {}
    for position, weight in zip(outputs, weights, strict=True):
        adjoint[position] = adjoint.get(position, 0.0) + weight
    stop = set(wrt)
    reaches = set(wrt)  # nodes that depend on wrt: only their adjoints matter
    for position in order:
        if any(a in reaches for a in arguments(graph.nodes[position])):
            reaches.add(position)
    for position in marking(graph, order[::-1], graph):
        y = adjoint.get(position)
        if y is None or position not in reaches or position in stop or is_zero(y):
            continue
        op = graph.nodes[position][0]
        if op in STRUCTURE:
            _pull(graph, position, y, adjoint, reaches)
            continue
        for argument, partial in _partials(graph, position):
            if argument in reaches:
                adjoint[argument] = adjoint.get(argument, 0.0) + partial * y
    return [_rate(graph, adjoint, position) for position in wrt]


def _pull(graph: Graph, position: int, y: Any, adjoint: dict[int, Any], reaches: set[int]) -> None:
    """Adjoints of the arguments of a loop, of a part of one, or of an array's operation."""
    node = graph.nodes[position]
    op, first, *rest = node
    if op is Op.PART:
        body: LoopBody = graph.nodes[first][-1]
        parts = adjoint.setdefault(first, [_zero(size) for size in body.sizes] + [0.0, 0.0])
        parts[rest[0]] = y
        return
    if op is Op.LOOP:
        if not node[-1].implicit:
            raise TraceError(
                f"the loop {node[-1].name!r} was differentiated by reverse mode{caller()}, which "
                "would need all its passes. Write what its result satisfies and use `ar.root`, or "
                "use forward mode, `ar.jacobian`."
            )
        found = _pull_implicit(graph, position, y)
    elif op is Op.ARRAY:
        found = [(a, read(y, float(k))) for k, a in enumerate(node[1:])]
    elif op is Op.SOLVE:
        x, n = graph.wrap(position), graph.sizes[position]
        A = graph.wrap(first)
        across = entries([read(A, float(n * j + i)) for i in range(n) for j in range(n)])
        back = solve(across, y)
        slopes = [-(read(back, float(i)) * read(x, float(j))) for i in range(n) for j in range(n)]
        found = [(first, entries(slopes)), (rest[0], back)]
    elif op is Op.READ:
        size, index = graph.sizes[first], Expr(graph, rest[0])
        total = adjoint.get(first, _zero(size))
        adjoint[first] = write(total, index, read(total, index) + y)
        return
    else:
        index = Expr(graph, rest[0])
        found = [(first, write(y, index, 0.0)), (rest[1], read(y, index))]
    for a, x in found:
        if a in reaches:
            adjoint[a] = _sum(adjoint[a], x) if a in adjoint else x


def _sum(a: Any, b: Any) -> Any:
    """a + b of scalars, or of arrays entry by entry."""
    if isinstance(a, Expr | float):
        return a + b
    return Entries(read(a, float(k)) + read(b, float(k)) for k in range(len(a)))


def _zero(size: int | None) -> Any:
    return 0.0 if size is None else Entries([0.0] * size)
