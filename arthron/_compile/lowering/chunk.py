"""Chunks without names: what rendering needs of them, and what makes two of them alike.

Operands are numbers of values computed in the chunk, of constants, or of places in memory. What is
left when constants and places are taken out is the *form* of a chunk: chunks of one form can share
one function.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ..._graph.graph import arguments
from ..._graph.ops import ARITHMETIC, LEAVES, WITH_DATA, Op
from .blocks import SCRATCH, Place
from .schedule import Chunk, Schedule

COPY, CLEAR, BLOCK = "copy", "clear", "block"
"""Steps of a form that are not operations: store an operand, zeros, or a copy of an array."""


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
    """Writes down the chunks of a schedule.

    Args:
        plan: the schedule.
        inputs: how many array arguments there are before those of results.
        lanes: values side by side.
        epsilon: the rounding of the number type.
    """

    def __init__(self, plan: Schedule, inputs: int, lanes: int, epsilon: float) -> None:
        self.plan, self.lanes, self.epsilon = plan, lanes, epsilon
        self.first_output = inputs

    def write(self, chunk: Chunk) -> Written:
        """A chunk without names."""
        graph, slots, entries = self.plan.graph, self.plan.slots, self.plan.entries
        nodes = graph.nodes
        known: dict[int, int] = {}
        constants: list[float] = []
        bases: list[int] = []
        reads: list[int] = []
        writes: list[int] = []
        form: list[tuple] = []

        def value_at(place: Place) -> int:
            bases.append(place[0])
            reads.append(place[1])
            return ~(2 * len(reads) - 1)

        def operand(node: int) -> int:
            code = known.get(node)
            if code is not None:
                return code
            op = nodes[node][0]
            if op is Op.CONST or op is Op.EPSILON:  # numbered at each use: equal ones do not matter
                constants.append(nodes[node][1] if op is Op.CONST else self.epsilon)
                return ~(2 * len(constants) - 2)
            known[node] = value_at(self.plan.place(node))
            return known[node]

        def target(tile, column: int) -> int:
            one = self.lanes == 1
            writes.append(tile.column + column if one else tile.slot + column)
            return self.first_output + tile.output if one else SCRATCH

        def put(code: int, slot: int) -> None:
            writes.append(slot)
            form.append((COPY, (code,), None, (SCRATCH,)))

        def copy_array(node: int, slot: int) -> None:
            if self.plan.place(node) != (SCRATCH, slot):
                source = value_at(self.plan.place(node))
                writes.append(slot)
                form.append((BLOCK, (source,), graph.sizes[node], (SCRATCH,)))

        for node in chunk.nodes:
            described = nodes[node]
            if described[0] in ARITHMETIC and node not in entries:  # nearly all, so by a short way
                op, a, b = described
                first = known[a] if a in known else operand(a)
                second = known[b] if b in known else operand(b)
                stored: tuple[int, ...] = ()
                if node in slots:
                    writes.append(slots[node])
                    stored = (SCRATCH,)
                known[node] = len(form)
                form.append((op, (first, second), None, stored))
                continue
            op, args = described[0], arguments(described)
            if op is Op.LOOP:
                assert chunk.loop is not None
                begun = chunk.loop.body.settled if isinstance(chunk.loop.when, float) else 0
                for a, slot in zip(args[begun:], chunk.loop.carried[begun:-2], strict=False):
                    copy_array(a, slot) if a in graph.sizes else put(operand(a), slot)
                continue
            if op is Op.ARRAY:
                place = self.plan.place(node)
                if nodes[args[0]][0] is Op.INPUT and self.plan.place(args[0]) == place:
                    continue  # inputs side by side, read where they are
                still = [k for k, a in enumerate(args) if graph.constants.get(a) != 0.0]
                for k in still:
                    put(operand(args[k]), place[1] + k)
                for first, end in zip([-1, *still], [*still, len(args)], strict=True):
                    if end > first + 1:
                        writes.append(place[1] + first + 1)
                        many = (end - first - 1) * self.lanes
                        form.append((CLEAR, (), many, (SCRATCH,)))
                continue
            if op is Op.SOLVE:
                arrays = (*args, node)
                operands = tuple([value_at(self.plan.place(a)) for a in arrays])
                form.append((op, operands, graph.sizes[node], ()))
                continue
            if op is Op.WRITE:
                copy_array(args[0], self.plan.place(node)[1])
                codes = [value_at(self.plan.place(node)), operand(args[1]), operand(args[2])]
                if self.plan.active is not None:
                    codes.append(value_at((SCRATCH, self.plan.active)))
                form.append((op, tuple(codes), graph.sizes[node], ()))
                continue
            stores = [target(tile, column) for tile, column in entries.get(node, ())]
            if op is Op.PART:
                if stores:
                    form.append((COPY, (operand(node),), None, tuple(stores)))
                continue
            if op is Op.READ:
                operands, data = (value_at(self.plan.place(args[0])), operand(args[1])), (
                    graph.sizes[args[0]])  # fmt: skip
            else:
                operands = tuple([operand(a) for a in args])
                data = described[2] if op in WITH_DATA else None
            if node in slots:
                writes.append(slots[node])
                stores.append(SCRATCH)
            known[node] = len(form)
            form.append((op, operands, data, tuple(stores)))
        self.known = known
        zeros: list[tuple[int, int]] = []
        for tile in chunk.tiles:  # entries that are inputs or constants
            for column, node in enumerate(() if tile.is_constant else tile.nodes):
                if self.lanes == 1 and graph.constants.get(node) == 0.0:
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
