"""From a traced program to chunks of straight-line code with a small scratch memory between them.

One giant function compiles slowly and runs slowly. The nodes, in the order the page made them, are
cut into chunks; values that cross from one chunk to a later one live in scratch slots, which are
used again once their last reader is done. Results are gathered in tiles, one lane's width of
neighbouring array entries each, and written out as soon as the last entry of a tile is known.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..._graph.evaluate import evaluate
from ..._graph.graph import Graph, arguments
from ..._graph.ops import DEFINITION, LEAVES, Op
from ..._spatial import scalar

CHUNK = 512
"""Operations and results in a chunk."""
LONG = 40_000
"""Programs with more operations are cut where the page went on to another body."""
CALLS = 32
"""Sines and cosines of inputs in a chunk; they come first, while nothing else is alive."""


def lower_c(s, k: int):
    """c_k in operations that machines have: the power series near zero, sine and cosine beyond."""
    limit = scalar.series_limit(k)
    far = scalar.closed_form(k, scalar.maximum(s, limit))
    near = scalar.less_equal(scalar.absolute(s), limit)
    beyond = scalar.where(scalar.less(s, 0.0), math.nan, far)
    return scalar.where(near, scalar.series(k, s), beyond)


def lower(graph: Graph, outputs: Sequence[int]) -> tuple[Graph, list[int]]:
    """The same program without operations that have no machine instruction."""
    if all(node[0] is not Op.C for node in graph.nodes):
        return graph, list(outputs)
    plain = Graph()
    inputs = plain.inputs(graph.input_count)
    values = evaluate(graph, outputs, inputs, {**DEFINITION, Op.C: lower_c})
    return plain, [plain.lift(value) for value in values]


@dataclass
class Tile:
    """Neighbouring entries of one result, written together.

    Attributes:
        output: which result.
        column: first entry.
        nodes: the node of each entry.
        is_constant: whether all entries are constants, which need no scratch.
        slot: scratch slot of the first entry.
    """

    output: int
    column: int
    nodes: tuple[int, ...]
    is_constant: bool
    slot: int = -1


@dataclass
class Chunk:
    """A run of nodes compiled as one function, and the tiles that are complete behind it."""

    nodes: list[int]
    tiles: list[Tile] = field(default_factory=list)


@dataclass(frozen=True)
class Schedule:
    """Everything the code generator needs to know.

    Attributes:
        graph: the lowered program.
        chunks: in the order they run.
        slots: scratch slot of each value that lives between chunks, by node.
        entries: scratch slots where each node's value is gathered for the results.
        scratch: how many slots there are.
    """

    graph: Graph
    chunks: list[Chunk]
    slots: dict[int, int]
    entries: dict[int, list[tuple[Tile, int]]]
    scratch: int


def op_count(graph: Graph, outputs: Sequence[int]) -> int:
    """Operations that computing `outputs` takes."""
    return sum(graph.nodes[position][0] not in LEAVES for position in graph.needed(outputs))


def schedule(graph: Graph, outputs: Sequence[Sequence[int]], lanes: int) -> Schedule:
    """Cut a program into chunks for a machine with `lanes` values side by side."""
    flat = [position for output in outputs for position in output]
    graph, flat = lower(graph, flat)
    lowered = iter(flat)
    outputs = [[next(lowered) for _ in output] for output in outputs]

    chunks = _cut(graph, flat)
    home = {node: k for k, chunk in enumerate(chunks) for node in chunk.nodes}
    last_use: dict[int, int] = {}
    for k, chunk in enumerate(chunks):
        for node in chunk.nodes:
            for a in arguments(graph.nodes[node]):
                last_use[a] = k

    entries: dict[int, list[tuple[Tile, int]]] = {}
    opened: list[list[Tile]] = [[] for _ in chunks]
    for o, output in enumerate(outputs):
        for column in range(0, len(output), lanes):
            nodes = tuple(output[column : column + lanes])
            is_constant = lanes > 1 and all(node in graph.constants for node in nodes)
            tile = Tile(o, column, nodes, is_constant)
            for k, node in enumerate(tile.nodes):
                entries.setdefault(node, []).append((tile, k))
            homes = [home[node] for node in tile.nodes if node in home]
            if not homes:  # nothing to wait for
                if len(chunks[-1].tiles) >= CHUNK or chunks[-1].nodes:
                    chunks.append(Chunk([]))
                    opened.append([])
                homes = [len(chunks) - 1]
            chunks[max(homes)].tiles.append(tile)
            opened[min(homes)].append(tile)

    inputs = graph.input_count if lanes > 1 else 0  # one lane reads inputs where they are
    groups = _Pool(inputs, lanes)
    if lanes > 1:
        for k, chunk in enumerate(chunks):
            for tile in opened[k]:
                tile.slot = -1 if tile.is_constant else groups.take()
            for tile in chunk.tiles:
                if not tile.is_constant:
                    groups.give(tile.slot)
    singles = _Pool(groups.top, 1)
    slots = {i: graph.nodes[i][1] for i in range(len(graph)) if graph.nodes[i][0] is Op.INPUT}
    expiring: list[list[int]] = [[] for _ in chunks]
    for k, chunk in enumerate(chunks):
        for node in chunk.nodes:
            if last_use.get(node, k) > k:
                slots[node] = singles.take()
                expiring[last_use[node]].append(slots[node])
        for slot in expiring[k]:
            singles.give(slot)
    return Schedule(graph, chunks, slots, entries, singles.top)


def _cut(graph: Graph, outputs: Sequence[int]) -> list[Chunk]:
    """Nodes in runs: sines and cosines of inputs first, then the order the page made them."""
    first, rest = [], []
    for position in graph.needed(outputs):
        op, *args = graph.nodes[position]
        if op in LEAVES:
            continue
        early = op in (Op.SIN, Op.COS) and graph.nodes[args[0]][0] is Op.INPUT
        (first if early else rest).append(position)
    marks = [] if graph.lifts_signs or len(rest) <= LONG else graph.marks  # few bodies, or short
    first.sort(key=lambda position: graph.nodes[position][1])  # sine and cosine of one angle meet
    results = Counter(outputs)
    chunks = [Chunk(first[k : k + CALLS]) for k in range(0, len(first), CALLS)]
    room, mark = 0, 0
    for position in rest:
        passed = mark
        while mark < len(marks) and marks[mark] <= position:
            mark += 1
        if room <= 0 or mark > passed:
            chunks.append(Chunk([]))
            room = CHUNK if not marks else 4 * CHUNK
        chunks[-1].nodes.append(position)
        room -= 1 + 2 * results[position]  # a result is stored, among constants perhaps
    return chunks or [Chunk([])]


class _Pool:
    """Scratch slots handed out in groups of `size`, lowest free one first in, last out."""

    def __init__(self, start: int, size: int) -> None:
        self.top, self.size, self.free = start, size, []

    def take(self) -> int:
        if self.free:
            return self.free.pop()
        self.top += self.size
        return self.top - self.size

    def give(self, slot: int) -> None:
        self.free.append(slot)
