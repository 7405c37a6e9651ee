"""From a traced program to chunks of straight-line code with a small scratch memory between them.

One giant function compiles slowly and runs slowly. The nodes, in the order the page made them, are
cut into chunks; values that cross from one chunk to a later one live in scratch slots, which are
used again once their last reader is done. Results are gathered in tiles, one lane's width of
neighbouring array entries each, and written out as soon as the last entry of a tile is known.

A loop ends its chunk and runs behind it. Its body is a schedule of its own, in slots that are free
meanwhile and behind all those of the program around it; values that it captures are read where they
are, and those it carries have slots of the program around it, where they are found when it is done.
An array is a block of neighbouring slots. Writing an entry changes the block in place unless the
array as it was is read later.
"""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from ..._graph.graph import Graph, arguments
from ..._graph.loop_body import LoopBody
from ..._graph.ops import LEAVES, Op
from .blocks import SCRATCH, Place, place_arrays
from .lower import lower, sink

CHUNK = 512
"""Operations and results in a chunk."""
LONG = 40_000
"""Programs with more operations are cut where the page went on to another body."""
CALLED = frozenset({Op.SIN, Op.COS})
CALLS = 32
"""Sines and cosines of inputs in a chunk; they come first, while nothing else is alive."""


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
    """A run of nodes compiled as one function, and what follows it.

    Attributes:
        nodes: in order.
        tiles: those that are complete behind it.
        loop: the loop that runs behind it, if there is one.
    """

    nodes: list[int]
    tiles: list[Tile] = field(default_factory=list)
    loop: ScheduledLoop | None = None


@dataclass
class ScheduledLoop:
    """A loop with the places of all it reads and writes.

    Attributes:
        body: what is repeated.
        carried: slot of each carried value, of the first entry of an array; behind them those of
            the passes made and of whether it converged.
        when: slot or constant that says where passes are wanted.
        active: slot of the lanes that are active in the loop around, if there is one.
        inside: the schedule of the body.
        watched: how many carried values, from the first, are looked at whether they are finite;
            none of a branch, which ends anyhow, unless somebody asks whether it converged.
    """

    body: LoopBody
    carried: list[int]
    when: Place | float
    active: int | None
    inside: Schedule
    watched: int


@dataclass(frozen=True)
class Schedule:
    """Everything the code generator needs to know.

    Attributes:
        graph: the lowered program.
        outputs: nodes of all results, end to end; of a body next values and done.
        chunks: in the order they run.
        sources: where each input is.
        slots: scratch slot of each value that lives between chunks, by node.
        arrays: where the first entry of each array is, by node.
        entries: scratch slots where each node's value is gathered for the results.
        active: in a body, the slot that says which lanes are active.
        scratch: how many slots there are, those of bodies included.
    """

    graph: Graph
    outputs: list[int]
    chunks: list[Chunk]
    sources: list[Place]
    slots: dict[int, int]
    arrays: dict[int, Place]
    entries: dict[int, list[tuple[Tile, int]]]
    active: int | None
    scratch: int

    def is_zero(self, tile: Tile) -> bool:
        """Whether all entries of a tile are always zero."""
        return tile.is_constant and not any(self.graph.constants[node] for node in tile.nodes)

    def place(self, node: int) -> Place:
        """Where a value is in memory."""
        described = self.graph.nodes[node]
        if node in self.arrays:
            return self.arrays[node]
        if described[0] is Op.INPUT:
            return self.sources[described[1]]
        return SCRATCH, self.slots[node]


FREE = LEAVES | {Op.LOOP, Op.PART}
"""What is no operation by itself."""


def op_count(graph: Graph, outputs: Sequence[int], passes: int = 1) -> int:
    """Operations that computing `outputs` takes, with bodies counted as often as `passes` says.

    A loop whose limit is lower is counted that many times.
    """
    total = 0
    for position in graph.needed(outputs):
        node = graph.nodes[position]
        if node[0] is Op.LOOP:
            body: LoopBody = node[-1]
            total += min(passes, body.limit) * op_count(body.graph, body.outputs, passes)
        total += node[0] not in FREE
        if node[0] is Op.SOLVE:
            n = graph.sizes[position]
            total += 2 * n * n * (n + 3) // 3
    return total


def schedule(
    graph: Graph, outputs: Sequence[Sequence[int]], sources: Sequence[Place], lanes: int
) -> Schedule:
    """Cut a program into chunks for a machine with `lanes` values side by side.

    Args:
        graph: the program.
        outputs: nodes of each result.
        sources: where each input is: in the row of an array, or in the first slots.
        lanes: values side by side.
    """
    flat = [position for output in outputs for position in output]
    graph, flat = sink(*lower(graph, flat))
    lowered = iter(flat)
    outputs = [[next(lowered) for _ in output] for output in outputs]

    chunks = _cut(graph, flat)
    home = {node: k for k, chunk in enumerate(chunks) for node in chunk.nodes}
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
    return _placed(graph, flat, chunks, sources, entries, groups.top)


def _body(
    body: LoopBody, carried: Sequence[int], sources: Sequence[Place], first: int,
    free: Sequence[int],
) -> Schedule:  # fmt: skip
    """The schedule of a body, in `free` slots and such from `first` on.

    The first says which lanes are active. Values that nothing in it reads are made where they are
    carried.
    """
    graph, outputs = sink(body.graph, body.outputs)
    chunks = _cut(graph, outputs)
    there = {
        node: slot for node, slot in zip(outputs[: body.settled], carried, strict=False)
        if graph.nodes[node][0] not in FREE and node not in graph.sizes
    }  # fmt: skip
    return _placed(graph, outputs, chunks, sources, {}, first, body, there, free)


def _placed(
    graph: Graph,
    outputs: list[int],
    chunks: list[Chunk],
    sources: Sequence[Place],
    entries: dict[int, list[tuple[Tile, int]]],
    first: int,
    body: LoopBody | None = None,
    slots: Mapping[int, int] = MappingProxyType({}),
    free: Sequence[int] = (),
) -> Schedule:
    """Slots from `first` on for all that lives between chunks; in a body, results live longest."""
    nodes = graph.nodes
    active = first if body else None
    blocks = place_arrays(graph, outputs, sources, first + 1 if body else first, body)
    plan = Schedule(
        graph, outputs, chunks, list(sources), dict(slots), blocks.places, entries, active, 0
    )
    singles = _Pool(blocks.top, 1, free)
    last_use: dict[int, int] = {}
    for k, chunk in enumerate(chunks):
        for node in chunk.nodes:
            last_use[node] = k
            for a in arguments(nodes[node]):
                last_use[a] = k
    last_use |= dict.fromkeys(outputs if body else (), len(chunks))
    expiring: list[list[int]] = [[] for _ in range(len(chunks) + 1)]
    unused: dict[int, list[int]] = {}

    def take(node: int, k: int) -> None:
        plan.slots[node] = singles.take()
        expiring[max(k, last_use.get(node, k))].append(plan.slots[node])

    for k, chunk in enumerate(chunks):
        loop = chunk.nodes[-1] if chunk.nodes and nodes[chunk.nodes[-1]][0] is Op.LOOP else None
        read = set() if loop is None else {*arguments(nodes[loop])[nodes[loop][-1].carried :]}
        for node in chunk.nodes:
            if nodes[node][0] not in (Op.LOOP, Op.PART) and node not in graph.sizes:
                if node not in slots and (last_use[node] > k or node in read):
                    take(node, k)
        if loop is not None:
            for part in _parts(graph, loop):
                if part not in graph.sizes:
                    take(part, k)
            unused[k] = list(singles.free)
        for slot in expiring[k]:
            singles.give(slot)
    scratch = singles.top
    for k, free in unused.items():
        chunks[k].loop = loop = _loop(plan, chunks[k].nodes[-1], singles.top, free)
        scratch = max(scratch, loop.inside.scratch)
    return replace(plan, scratch=scratch)


def _parts(graph: Graph, loop: int) -> list[int]:
    """Nodes of the results of a loop."""
    return [graph.intern((Op.PART, loop, k)) for k in range(graph.nodes[loop][-1].carried + 2)]


def _loop(plan: Schedule, position: int, first: int, free: Sequence[int]) -> ScheduledLoop:
    """A loop, with the slots of its body from `first` on, behind those that are free."""
    graph, node = plan.graph, plan.graph.nodes[position]
    body: LoopBody = node[-1]
    carried = [plan.place(part)[1] for part in _parts(graph, position)]
    sources = [(SCRATCH, slot) for slot in carried[:-2]]
    sources += [plan.place(a) for a in arguments(node)[body.carried : -1]]
    when = graph.constants.get(node[-2])
    inside = _body(body, carried, sources, first, free)
    converged = graph.intern((Op.PART, position, body.carried + 1))
    asked = body.limit > 1 or converged in graph.needed(plan.outputs)
    return ScheduledLoop(
        body, carried, plan.place(node[-2]) if when is None else when, plan.active, inside,
        body.watched if asked else 0,
    )  # fmt: skip


def _cut(graph: Graph, outputs: Sequence[int]) -> list[Chunk]:
    """Nodes in runs: sines and cosines of inputs first, then the order the page made them."""
    first, rest = [], []
    for position in graph.needed(outputs):
        op = graph.nodes[position][0]
        if op in LEAVES:
            continue
        early = op in CALLED and graph.nodes[graph.nodes[position][1]][0] is Op.INPUT
        (first if early else rest).append(position)
    marks = graph.marks if graph.by_body and len(rest) > LONG else []
    first.sort(key=lambda position: graph.nodes[position][1])  # sine and cosine of one angle meet
    results = Counter(outputs)
    chunks = [Chunk(first[k : k + CALLS]) for k in range(0, len(first), CALLS)]
    room, end, run = 0, 0, []
    for position in rest:
        if room <= 0 or position >= end:
            run = []
            chunks.append(Chunk(run))
            room = CHUNK if not marks else 4 * CHUNK
            mark = bisect.bisect(marks, position)
            end = marks[mark] if mark < len(marks) else len(graph)
        run.append(position)
        room -= 1 + 2 * results.get(position, 0)  # a result is stored, among constants perhaps
        if graph.nodes[position][0] is Op.LOOP:
            room = 0
    return chunks or [Chunk([])]


class _Pool:
    """Scratch slots handed out in groups of `size`, lowest free one first in, last out."""

    def __init__(self, start: int, size: int, free: Sequence[int] = ()) -> None:
        self.top, self.size, self.free = start, size, list(free)

    def take(self) -> int:
        if self.free:
            return self.free.pop()
        self.top += self.size
        return self.top - self.size

    def give(self, slot: int) -> None:
        self.free.append(slot)
