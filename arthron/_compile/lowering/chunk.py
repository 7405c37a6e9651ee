"""Chunks without names: what rendering needs of them, and what makes two of them alike.

Operands are numbers of values computed in the chunk, of constants, or of places in memory. What is
left when constants and places are taken out is the *form* of a chunk: chunks of one form can share
one function.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ..._graph.graph import arguments
from ..._graph.ops import LEAVES, WITH_DATA, Op
from .schedule import Chunk, Schedule

SCRATCH = -1
"""The base of a place in scratch memory; other bases are numbers of array arguments."""
COPY, CLEAR = "copy", "clear"
"""Steps of a form that are not operations: store an operand, and zeros one after the other."""


class Written(NamedTuple):
    """A chunk without names.

    Attributes:
        form: steps `(op, operands, data, bases of the places it is stored to)`. An operand k >= 0
            is the value of step k; ~(2 j) is constant j, ~(2 j + 1) is the value at place j.
        constants: the constants, in order.
        bases: base of each place that is read; part of the form.
        places: index behind its base of each place, those read first, then those written.
    """

    form: tuple
    constants: list[float]
    bases: tuple[int, ...]
    places: list[int]


class Writer:
    """Writes down the chunks of a schedule."""

    def __init__(self, plan: Schedule, inputs: list[int], lanes: int) -> None:
        self.plan, self.lanes = plan, lanes
        self.first_output = len(inputs)
        self.sources = [(k, column) for k, n in enumerate(inputs) for column in range(n)]

    def write(self, chunk: Chunk) -> Written:
        """A chunk without names."""
        nodes, slots, entries = self.plan.graph.nodes, self.plan.slots, self.plan.entries
        known: dict[int, int] = {}
        constants: list[float] = []
        bases: list[int] = []
        reads: list[int] = []
        writes: list[int] = []
        form: list[tuple] = []

        def operand(node: int) -> int:
            code = known.get(node)
            if code is not None:
                return code
            op, *rest = nodes[node]
            if op is Op.CONST:  # numbered anew at each use, so that equal values do not matter
                constants.append(rest[0])
                return ~(2 * len(constants) - 2)
            base, index = SCRATCH, slots.get(node, 0)
            if op is Op.INPUT and self.lanes == 1:
                base, index = self.sources[rest[0]]
            bases.append(base)
            reads.append(index)
            known[node] = ~(2 * len(reads) - 1)
            return known[node]

        def target(tile, column: int) -> int:
            one = self.lanes == 1
            writes.append(tile.column + column if one else tile.slot + column)
            return self.first_output + tile.output if one else SCRATCH

        for node in chunk.nodes:
            described = nodes[node]
            operands = tuple([operand(a) for a in arguments(described)])
            data = described[2] if described[0] in WITH_DATA else None
            stores = [target(tile, column) for tile, column in entries.get(node, ())]
            if node in slots:
                writes.append(slots[node])
                stores.append(SCRATCH)
            known[node] = len(form)
            form.append((described[0], operands, data, tuple(stores)))
        zeros: list[tuple[int, int]] = []
        for tile in chunk.tiles:  # entries that are inputs or constants
            for column, node in enumerate(() if tile.is_constant else tile.nodes):
                if self.lanes == 1 and self.plan.graph.constants.get(node) == 0.0:
                    zeros.append((self.first_output + tile.output, tile.column))
                elif nodes[node][0] in LEAVES:
                    code = operand(node)
                    form.append((COPY, (code,), None, (target(tile, column),)))
        for base, index, length in _runs(zeros):
            writes.append(index)
            form.append((CLEAR, (), length, (base,)))
        return Written(tuple(form), constants, tuple(bases), reads + writes)


def _runs(entries: list[tuple[int, int]]) -> list[list[int]]:
    """(base, first index, length) of neighbouring entries."""
    runs: list[list[int]] = []
    for base, index in sorted(entries):
        if runs and runs[-1][0] == base and runs[-1][1] + runs[-1][2] == index:
            runs[-1][2] += 1
        else:
            runs.append([base, index, 1])
    return runs


def input_sizes(shapes: tuple[tuple[int, ...], ...]) -> list[int]:
    """Entries of each array."""
    return [math.prod(shape) for shape in shapes]
