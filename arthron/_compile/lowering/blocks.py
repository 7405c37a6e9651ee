"""Where arrays are: blocks of neighbouring slots, changed in place where nobody reads what was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..._graph.graph import Graph, arguments
from ..._graph.loop_body import LoopBody
from ..._graph.ops import Op

WIDEST = 16
"""Numbers of the widest vectors that rows of a matrix are taken in."""
SCRATCH = -1
"""The base of a place in scratch memory; other bases are numbers of array arguments."""
Place = tuple[int, int]
"""A base, and how many values behind it."""


@dataclass
class Blocks:
    """Places of arrays.

    Attributes:
        top: the first slot behind all of them.
        places: where the first entry of each array is, by node.
        owned: arrays whose block may be written to.
    """

    top: int
    places: dict[int, Place] = field(default_factory=dict)
    owned: set[int] = field(default_factory=set)

    def new(self, node: int, size: int) -> None:
        """A block for an array."""
        self.places[node] = SCRATCH, self.top
        self.top += size
        self.owned.add(node)

    def take_over(self, node: int, before: int, size: int, *, free: bool) -> None:
        """The block of the array before, if that is `free`; else one of its own."""
        if free and before in self.owned:
            self.places[node] = self.places[before]
            self.owned.add(node)
        else:
            self.new(node, size)


def place_arrays(
    graph: Graph,
    outputs: Sequence[int],
    sources: Sequence[Place],
    first: int,
    body: LoopBody | None,
) -> Blocks:
    """Blocks from slot `first` on for the arrays of a program, or of the body of a loop."""
    results, carried = (outputs, body.carried) if body else ((), 0)  # read at the end of a pass
    blocks = Blocks(first)
    order = graph.needed(outputs)
    if not graph.sizes:
        return blocks
    last: dict[int, int] = {}
    shared: set[int] = set()  # arrays that some loop takes twice, to carry and to read
    for position in order:
        for a in arguments(graph.nodes[position]):
            if last.get(a) == position:
                shared.add(a)
            last[a] = position
    for position in order:
        node, size = graph.nodes[position], graph.sizes.get(position)
        if node[0] is Op.LOOP:
            for k, (a, n) in enumerate(zip(node[1:], node[-1].sizes, strict=False)):
                if n is not None:
                    free = last[a] == position and a not in shared and a not in results
                    part = graph.intern((Op.PART, position, k))
                    blocks.take_over(part, a, n, free=free)
        elif size is None or node[0] is Op.PART:
            continue
        elif node[0] is Op.INPUT:
            blocks.places[position] = sources[node[1]]
            if node[1] < carried:
                blocks.owned.add(position)
        elif node[0] is Op.WRITE:
            free = last[node[1]] == position and node[1] not in results
            blocks.take_over(position, node[1], size, free=free)
        elif node[0] is Op.SOLVE:  # behind it the matrix with its right-hand side, in whole vectors
            blocks.new(position, size)
            blocks.top += (size + WIDEST) * (size + 1) - size
        else:
            place = None if body else _side_by_side(graph, node[1:], sources)
            if place is None:
                blocks.new(position, size)
            else:
                blocks.places[position] = place
    return blocks


def _side_by_side(graph: Graph, entries: Sequence[int], sources: Sequence[Place]) -> Place | None:
    """Where an array is whose entries are inputs one behind the other."""
    if any(graph.nodes[entry][0] is not Op.INPUT for entry in entries):
        return None
    base, at = sources[graph.nodes[entries[0]][1]]
    places = [sources[graph.nodes[entry][1]] for entry in entries]
    return (base, at) if places == [(base, at + k) for k in range(len(entries))] else None
