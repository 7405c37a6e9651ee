"""The text of a native module: functions for chunks and tiles, and the loop over rows around them.

The module defines `run(args, strides, start, stop)`, which computes rows start..stop of a batch.
`args` are the addresses of the input and result arrays, `strides` the bytes from row to row (zero
repeats one row for all). With several lanes, rows are taken as many at a time; lanes past the last
row compute the last row again and write the same numbers again, so there is no special tail. What
is done to a row is a list of steps, chunks and moves of tiles, each a function and its two tables.

An input that is the same for all rows goes into its slots with the first rows and stays there: for
those behind, its address is null, and tiles at null are not moved.

It also defines `entry`, the way in from Python. A step in time has `repeat` instead, which hands
its own scratch memory to `run`, so that what is the same in all steps stays there, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from ..._graph.graph import Graph
from ..lowering.chunk import input_sizes
from ..lowering.schedule import Schedule, Tile
from ..signature import Signature
from .entry import entry
from .lanes import Lanes, number
from .loops import BUDGET, LOOK
from .machine import Machine
from .repeat import PlanLayout, repeat
from .tiles import declarations as tile_declarations
from .tiles import tile_clear, tile_fill, tile_in, tile_out
from .work import Step, Work, steps_in_line

STACK = 1 << 17
"""Scratch memory up to this many bytes lives on the stack, larger on the heap."""


def modules(
    graph: Graph,
    outputs: Sequence[Sequence[int]],
    signature: Signature,
    machine: Machine,
    t: Lanes,
    size: int | None = None,
) -> Iterator[str]:
    """LLVM text of the kernel that computes `outputs` of a graph on the machine's lanes `t`.

    It comes as one module, or, given a `size`, with functions of about so many operations each in
    modules of their own before it.
    """
    n, control = len(signature.inputs), len(signature.arrays) * t.count
    work = Work(graph, outputs, signature, t, apart=size is not None, control=control)
    plan, moves = work.plan, _Moves(t)
    steps = moves.steps(_input_tiles(signature, t)) if t.count > 1 else []
    sparse = _sparse(plan, t)
    steps += moves.steps(moves.clear(n + output, size) for output, size in sparse.items())
    for chunk, each in work.steps():
        steps += each
        if t.count > 1:
            rest = (x for x in chunk.tiles if not (x.output in sparse and plan.is_zero(x)))
            steps += moves.steps(moves.result(plan, tile, n) for tile in rest)
        if size is not None and work.functions.size >= size:
            yield work.give_away()
    parts = work.text()
    if t.count > 1:
        parts.append(moves.text())
    parts += [LOOK] if work.loops.count else []
    scratch = _scratch(plan, t)
    parts.append(_run(scratch, signature, t, steps, machine, work.loops.count > 0))
    if signature.states:
        layout = PlanLayout(n, len(signature.outputs), signature.states)
        parts.append(repeat(layout, *scratch, stays=t.count > 1))
    else:
        parts.append(entry(signature, t))
    yield "\n".join(parts) + "\n"


def _sparse(plan: Schedule, t: Lanes) -> dict[int, int]:
    """Entries of each result that is mostly zero.

    Its rows are cleared one after the other before anything is written to them: that is how memory
    is fastest, and what is scattered over them finds them in the cache.
    """
    sizes, zeros = Counter(), Counter()
    for chunk in plan.chunks if t.count > 1 else ():
        for tile in chunk.tiles:
            sizes[tile.output] += len(tile.nodes)
            zeros[tile.output] += len(tile.nodes) if plan.is_zero(tile) else 0
    return {k: n for k, n in sizes.items() if n >= t.count and 2 * zeros[k] > n}


class Move(tuple[str, int, int, int, int]):
    """(function, width, array, column, bytes from the base in scratch or constants) of a tile."""

    __slots__ = ()


def _input_tiles(signature: Signature, t: Lanes) -> list[Move]:
    """The tiles of the inputs, into neighbouring slots."""
    moves, slot = [], 0
    for k, size in enumerate(input_sizes(signature.inputs)):
        for column in range(0, size, t.count):
            place = (slot + column) * t.count * t.bytes
            moves.append(Move(("tile_in", min(t.count, size - column), k, column, place)))
        slot += size
    return moves


class _Moves:
    """Moves of tiles, as steps with tables that a loop walks through."""

    def __init__(self, t: Lanes) -> None:
        self.t = t
        self.tables: list[str] = []
        self.constants: dict[str, int] = {}
        self.functions: set[tuple[str, int]] = set()

    def steps(self, moves: Iterable[Move]) -> list[Step]:
        """Steps that move tiles, those of one kind and width together."""
        groups: dict[tuple[str, int], list[int]] = {}
        for function, width, array, column, place in moves:
            row = (array * self.t.count * 8, column * self.t.bytes, place)
            groups.setdefault((function, width), []).extend(row)
        steps = []
        for (function, width), numbers in groups.items():
            self.functions.add((function, width))
            name = f"@table.{len(self.tables)}"
            listed = ", ".join(f"i64 {x}" for x in (len(numbers), *numbers))
            self.tables.append(f"{name} = private constant [{len(numbers) + 1} x i64] [{listed}]")
            steps.append((f"@{function}s.{width}", "@constants", name))
        return steps

    def clear(self, array: int, entries: int) -> Move:
        """The move that clears all rows of an array."""
        return Move(("tile_clear", self.t.count, array, 0, entries * self.t.bytes))

    def result(self, plan: Schedule, tile: Tile, first: int) -> Move:
        """The move that writes a tile of results."""
        width = len(tile.nodes)
        if not tile.is_constant:
            place = tile.slot * self.t.count * self.t.bytes
            return Move(("tile_out", width, first + tile.output, tile.column, place))
        values = [plan.graph.constants[node] for node in tile.nodes]
        values += [0.0] * (self.t.count - width)
        row = ", ".join(f"{self.t.element} {number(v, self.t.bits)}" for v in values)
        place = self.constants.setdefault(row, len(self.constants)) * self.t.count * self.t.bytes
        return Move(("tile_fill", width, first + tile.output, tile.column, place))

    def text(self) -> str:
        """Tables, constants, and the functions that move tiles."""
        rows = ", ".join(self.constants) or f"{self.t.element} 0.0"
        count = max(1, len(self.constants) * self.t.count)
        constants = f"@constants = private constant [{count} x {self.t.element}] [{rows}], align 64"
        make = {
            "tile_in": tile_in,
            "tile_out": tile_out,
            "tile_fill": tile_fill,
            "tile_clear": tile_clear,
        }
        functions = []
        for name, width in sorted(self.functions):
            base = {"tile_fill": "%constants", "tile_clear": "null"}.get(name, "%scratch")
            functions.append(make[name](self.t, width))
            functions.append(EACH_TILE.format(name=name, width=width, base=base))
        return "\n".join([tile_declarations(self.t), *self.tables, constants, *functions])


EACH_TILE = """define internal void @{name}s.{width}(
    ptr %scratch, ptr %rows, ptr %constants, ptr %table) noinline nounwind {{
entry:
  %n = load i64, ptr %table
  br label %loop
loop:
  %k = phi i64 [ 1, %entry ], [ %next, %moved ]
  %p0 = getelementptr i64, ptr %table, i64 %k
  %p1 = getelementptr i64, ptr %p0, i64 1
  %p2 = getelementptr i64, ptr %p0, i64 2
  %row = load i64, ptr %p0
  %column = load i64, ptr %p1
  %place = load i64, ptr %p2
  %at = getelementptr i8, ptr %rows, i64 %row
  %first = load ptr, ptr %at
  %stays = icmp eq ptr %first, null
  br i1 %stays, label %moved, label %move
move:
  %slot = getelementptr i8, ptr {base}, i64 %place
  call void @{name}.{width}(ptr %at, i64 %column, ptr %slot)
  br label %moved
moved:
  %next = add i64 %k, 3
  %more = icmp sle i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}}"""


def _scratch(plan: Schedule, t: Lanes) -> tuple[str, str]:
    """Text that makes scratch memory, and text that gives it back."""
    size, align = max(1, plan.scratch) * t.count * t.bytes, max(16, t.count * t.bytes)
    if size <= STACK:
        return f"  %scratch = alloca [{size} x i8], align {align}", ""
    rounded = -(-size // 128) * 128
    made = f"  %scratch = call ptr @aligned_alloc(i64 128, i64 {rounded})"
    return made, "  call void @free(ptr %scratch)"


def _run(
    scratch: tuple[str, str],
    signature: Signature,
    t: Lanes,
    steps: list[Step],
    machine: Machine,
    has_loops: bool,
) -> str:
    """The function `run`: a loop over rows, and inside it all steps.

    Behind the addresses of rows stands that of what loops count: a budget of operations, and
    whether to stop, which is also what `run` returns.
    """
    n, arrays = t.count, range(len(signature.arrays))
    head = "declare ptr @aligned_alloc(i64, i64)\ndeclare void @free(ptr)\n"
    head += "declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)\n"
    head += f"declare <{n} x i64> @llvm.umin.v{n}i64(<{n} x i64>, <{n} x i64>)\n" if n > 1 else ""
    work = steps_in_line(steps)
    if not machine.direct_calls:
        listed = ", ".join(f"ptr {x}" for step in steps for x in step)
        head += f"@steps = private constant [{3 * len(steps)} x ptr] [{listed}]"
        work = STEPS_IN_A_LOOP.format(end=3 * len(steps))
    linkage, memory, (make, give_back) = "", "", scratch
    if signature.states:
        linkage, memory, make, give_back = "internal ", "ptr %scratch, ", "", ""
    setup = "\n".join(
        f"  %argp{k} = getelementptr ptr, ptr %args, i64 {k}\n"
        f"  %arg{k} = load i64, ptr %argp{k}\n"
        f"  %stridep{k} = getelementptr i64, ptr %strides, i64 {k}\n"
        f"  %stride{k} = load i64, ptr %stridep{k}"
        for k in arrays
    )
    starts, rows = ("", _one_row(arrays)) if n == 1 else _many_rows(signature, n)
    more = "  %more = icmp slt i64 %next, %stop"
    if has_loops:
        more = """  %left = icmp slt i64 %next, %stop
  %told = load i64, ptr %stopp
  %going = icmp eq i64 %told, 0
  %more = and i1 %left, %going"""
    return f"""{head}
define {linkage}i64 @run({memory}ptr %args, ptr %strides, i64 %start, i64 %stop) nounwind {{
entry:
{make}
  %rows = alloca [{len(arrays) * n + 1} x i64], align 64
  %control = alloca [2 x i64], align 16
  %stopp = getelementptr i64, ptr %control, i64 1
  %controlp = getelementptr i64, ptr %rows, i64 {len(arrays) * n}
  store i64 {BUDGET}, ptr %control
  store i64 0, ptr %stopp
  store ptr %control, ptr %controlp
{setup}
{starts}
  %last = sub i64 %stop, 1
  %some = icmp slt i64 %start, %stop
  br i1 %some, label %loop, label %done
loop:
  %i = phi i64 [ %start, %entry ], [ %next, %finish ]
{rows}
{work}
  br label %finish
finish:
  %next = add i64 %i, {n}
{more}
  br i1 %more, label %loop, label %done
done:
{give_back}
  %status = load i64, ptr %stopp
  ret i64 %status
}}"""


STEPS_IN_A_LOOP = """  br label %work
work:
  %k = phi i64 [ 0, %loop ], [ %k3, %work ]
  %step0 = getelementptr ptr, ptr @steps, i64 %k
  %step1 = getelementptr ptr, ptr %step0, i64 1
  %step2 = getelementptr ptr, ptr %step0, i64 2
  %function = load ptr, ptr %step0
  %constants = load ptr, ptr %step1
  %places = load ptr, ptr %step2
  call void %function(ptr %scratch, ptr %rows, ptr %constants, ptr %places)
  %k3 = add i64 %k, 3
  %unfinished = icmp slt i64 %k3, {end}
  br i1 %unfinished, label %work, label %worked
worked:"""


def _one_row(arrays: range) -> str:
    """The address of the row of each array."""
    return "\n".join(
        f"  %far{k} = mul i64 %i, %stride{k}\n"
        f"  %at{k} = add i64 %arg{k}, %far{k}\n"
        f"  %rowp{k} = getelementptr i64, ptr %rows, i64 {k}\n"
        f"  store i64 %at{k}, ptr %rowp{k}"
        for k in arrays
    )


def _many_rows(signature: Signature, n: int) -> tuple[str, str]:
    """The addresses of as many rows as there are lanes, the last row again past the end.

    Text before the loop over rows, and inside it. Behind the first rows, inputs that are the same
    for all are at null.
    """
    wide = f"<{n} x i64>"

    def splat(name: str, scalar: str) -> str:
        return (f"  %{name}.one = insertelement {wide} poison, i64 {scalar}, i32 0\n"
                f"  %{name} = shufflevector {wide} %{name}.one, {wide} poison, "
                f"<{n} x i32> zeroinitializer")  # fmt: skip

    counting = "<" + ", ".join(f"i64 {k}" for k in range(n)) + ">"
    before: list[str] = []
    changing: list[str] = []
    lines = [splat("here", "%i"), splat("end", "%last")]
    lines.append(f"  %each = add {wide} %here, {counting}")
    lines.append(f"  %row = call {wide} @llvm.umin.v{n}i64({wide} %each, {wide} %end)")
    for k in range(len(signature.arrays)):
        before.append(splat(f"first{k}", f"%arg{k}"))
        origin = f"%first{k}"
        if k < len(signature.inputs):
            origin = f"%from{k}"
            before += [
                f"  %shared{k} = icmp eq i64 %stride{k}, 0",
                f"  %then{k} = select i1 %shared{k}, {wide} zeroinitializer, {wide} %first{k}",
            ]
            changing.append(f"  {origin} = phi {wide} [ %first{k}, %entry ], [ %then{k}, %finish ]")
        lines += [
            splat(f"by{k}", f"%stride{k}"),
            f"  %far{k} = mul {wide} %row, %by{k}",
            f"  %at{k} = add {wide} %far{k}, {origin}",
            f"  %rows{k} = getelementptr i64, ptr %rows, i64 {k * n}",
            f"  store {wide} %at{k}, ptr %rows{k}, align 8",
        ]
    return "\n".join(before), "\n".join(changing + lines)
