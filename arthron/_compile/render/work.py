"""The work of a program: functions of its chunks and loops, and the steps that call them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..._graph.graph import Graph
from ..._graph.ops import Op
from ..lowering.blocks import SCRATCH
from ..lowering.chunk import Writer, input_sizes
from ..lowering.schedule import LONG, Chunk, Schedule, schedule
from ..signature import Signature
from .array_access import declarations as array_declarations
from .elementary import functions as elementary
from .functions import Functions
from .lanes import Lanes, number
from .loops import Loops

Step = tuple[str, str, str]
"""A function `(scratch, rows, constants, places)` and its last two arguments."""


class Work:
    """A program as functions, written as its steps are asked for.

    Args:
        graph: the program.
        outputs: nodes of each result.
        signature: what it takes and gives.
        t: lanes.
        apart: whether functions of chunks go into modules of their own.
        control: where among the addresses of rows that of what loops count is, if they do.

    Attributes:
        plan: the program in chunks.
        functions: what is written so far.
        loops: the loops among that.
    """

    def __init__(
        self, graph: Graph, outputs: Sequence[Sequence[int]], signature: Signature, t: Lanes, *,
        apart: bool = False, control: int | None = None,
    ) -> None:  # fmt: skip
        sizes, n = input_sizes(signature.inputs), len(signature.inputs)
        sources = [(k, column) for k, width in enumerate(sizes) for column in range(width)]
        if t.count > 1:
            sources = [(SCRATCH, slot) for slot in range(len(sources))]
        self.t, self.plan = t, schedule(graph, outputs, sources, t.count)
        epsilon = 2.0 ** (-52 if t.bits == 64 else -23)
        writer = Writer(self.plan, n, t.count, epsilon)
        self._written, shared = map(writer.write, self.plan.chunks), False
        if signature.ops > LONG:
            self._written = list(self._written)
            forms = len({(chunk.form, chunk.bases) for chunk in self._written})
            shared = 2 * forms < len(self._written)
        self.functions = Functions(t, shared=shared, apart=apart)
        self.loops = Loops(t, self.functions, n, control, epsilon)

    def steps(self) -> Iterator[tuple[Chunk, list[Step]]]:
        """Each chunk with its steps: its function, and the loop that runs behind it."""
        for chunk, text in zip(self.plan.chunks, self._written, strict=True):
            steps = [self.functions.step(text)]
            if chunk.loop is not None:
                steps.append(self.loops.step(chunk.loop))
            yield chunk, steps

    def give_away(self) -> str:
        """The functions of chunks so far as a module of their own."""
        parts = self._needed(self.functions.ops)
        return "\n".join([*parts, *self.functions.give_away()]) + "\n"

    def text(self) -> list[str]:
        """All functions that were not given away, and what they refer to."""
        return [*self._needed(_operations(self.plan)), *self.functions.text]

    def _needed(self, ops: Iterable[Op]) -> list[str]:
        """What functions of chunks refer to; each module has its own."""
        t = self.t
        parts = [array_declarations(t), *elementary(ops, t)]
        for table, name in self.functions.lookups.items():
            entries = ", ".join(f"{t.element} {number(x, t.bits)}" for x in table)
            parts.append(f"{name} = private constant [{len(table)} x {t.element}] [{entries}]")
        return parts


def _operations(plan: Schedule) -> set[Op]:
    """The operations of a program, those of loops included."""
    found: set[Op] = set()
    for chunk in plan.chunks:
        found |= {plan.graph.nodes[node][0] for node in chunk.nodes}
        if chunk.loop is not None:
            found |= _operations(chunk.loop.inside)
    return found


def steps_in_line(steps: Iterable[Step]) -> str:
    """Calls of all steps, one after the other."""
    return "\n".join(
        f"  call void {function}(ptr %scratch, ptr %rows, ptr {constants}, ptr {places})"
        for function, constants, places in steps
    )
