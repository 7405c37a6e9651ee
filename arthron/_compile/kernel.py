"""The text of a native module: one function per chunk, and the loop over rows around them.

The module defines `run(args, strides, start, stop)`, which computes rows start..stop of a batch.
`args` are the addresses of the input and result arrays, `strides` the bytes from row to row (zero
repeats one row for all). With several lanes, rows are taken as many at a time; lanes past the last
row compute the last row again and write the same numbers again, so there is no special tail.
Kernels with one result also define `entry`, the way in from Python.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .._graph.graph import Graph, arguments
from .._graph.ops import LEAVES, Op
from .entry import entry
from .instructions import INSTRUCTION, Lanes, declarations, number, sincos
from .schedule import Chunk, Schedule, Tile, schedule
from .tiles import declarations as tile_declarations
from .tiles import tile_fill, tile_in, tile_out

Shape = tuple[int, ...]

STACK = 1 << 17
"""Scratch memory up to this many bytes lives on the stack, larger on the heap."""


@dataclass(frozen=True)
class Signature:
    """Shapes of the arrays a kernel takes, without the batch, and what it costs a row."""

    inputs: tuple[Shape, ...]
    outputs: tuple[Shape, ...]
    ops: int

    @property
    def arrays(self) -> tuple[Shape, ...]:
        """All array arguments, inputs first."""
        return self.inputs + self.outputs


def module(
    graph: Graph, outputs: Sequence[Sequence[int]], signature: Signature, t: Lanes, title: str
) -> str:
    """LLVM text of the kernel that computes `outputs` of a graph."""
    plan = schedule(graph, outputs, t.count)
    writer = _Chunks(plan, signature, t)
    chunks = [writer.function(k, chunk) for k, chunk in enumerate(plan.chunks)]
    widths_in = {width for _, _, width in _input_tiles(signature, t)}
    widths_out = {len(tile.nodes) for chunk in plan.chunks for tile in chunk.tiles}
    parts = [f'source_filename = "{title}"', declarations(t), sincos(t)]
    parts.append("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
    if t.count > 1:
        parts.append(tile_declarations(t))
        parts += [tile_in(t, width) for width in sorted(widths_in)]
        parts += [tile_out(t, width) + "\n" + tile_fill(t, width) for width in sorted(widths_out)]
    for table, name in writer.lookups.items():
        entries = ", ".join(f"{t.element} {number(x, t.bits)}" for x in table)
        parts.append(f"{name} = private constant [{len(table)} x {t.element}] [{entries}]")
    parts += chunks
    parts.append(_run_lanes(plan, signature, t) if t.count > 1 else _run_one(plan, signature, t))
    if len(signature.outputs) == 1:
        parts.append(entry(signature.inputs, signature.outputs[0], t, signature.ops))
    return "\n".join(parts) + "\n"


def _input_tiles(signature: Signature, t: Lanes) -> list[tuple[int, int, int]]:
    """(input, first column, how many columns) of each tile of the inputs."""
    return [
        (k, column, min(t.count, math.prod(shape) - column))
        for k, shape in enumerate(signature.inputs)
        for column in range(0, math.prod(shape), t.count)
    ]


class _Chunks:
    """Writes chunk functions. They take the scratch memory and the addresses of the rows."""

    def __init__(self, plan: Schedule, signature: Signature, t: Lanes) -> None:
        self.plan, self.t = plan, t
        self.inputs = [  # (input array, column) of each graph input
            (k, column)
            for k, shape in enumerate(signature.inputs)
            for column in range(math.prod(shape))
        ]
        self.first_output = len(signature.inputs)
        self.lookups: dict[tuple[float, ...], str] = {}

    def function(self, k: int, chunk: Chunk) -> str:
        """One chunk as a function."""
        graph = self.plan.graph
        self.lines: list[str] = []
        self.known: dict[int, str] = {}
        self.pairs: dict[int, str] = {}
        self.bases: dict[int, str] = {}
        for node in chunk.nodes:
            args = arguments(graph.nodes[node])
            values = [self.value(a) for a in args]
            self.lines.append("  " + self.instruction(node, values))
            self.known[node] = f"%v{node}"
            if node in self.plan.slots:
                self.store(self.known[node], "%scratch", self.plan.slots[node])
            self.gather(node, f"%v{node}")
        zeros: list[tuple[int, int]] = []
        for tile in chunk.tiles:  # entries that are inputs or constants
            if tile.is_constant:
                continue
            for column, node in enumerate(tile.nodes):
                if self.t.count == 1 and graph.constants.get(node) == 0.0:
                    zeros.append((tile.output, tile.column))
                elif graph.nodes[node][0] in LEAVES:
                    self.place(tile, column, self.value(node))
        self.clear(zeros)
        body = "\n".join(self.lines)
        return (f"define internal void @chunk.{k}(ptr noalias %scratch, ptr noalias %rows) "
                f"noinline nounwind {{\n{body}\n  ret void\n}}")  # fmt: skip

    def instruction(self, node: int, values: list[str]) -> str:
        """Text that computes a node; sine and cosine of one argument share a call."""
        op = self.plan.graph.nodes[node][0]
        if op in (Op.SIN, Op.COS):
            both = f"{{ {self.t.type}, {self.t.type} }}"
            argument = self.plan.graph.nodes[node][1]
            if argument in self.pairs:
                part = 0 if op is Op.SIN else 1
                return f"%v{node} = extractvalue {both} {self.pairs[argument]}, {part}"
            self.pairs[argument] = f"%v{node}.both"
        if op is Op.LOOKUP:
            table = self.plan.graph.nodes[node][2]
            name = self.lookups.setdefault(table, f"@lookup.{len(self.lookups)}")
            return INSTRUCTION[op](self.t, f"%v{node}", *values, name, len(table))
        return INSTRUCTION[op](self.t, f"%v{node}", *values)

    def value(self, node: int) -> str:
        """Name of a node's value, loaded from memory when this chunk did not compute it."""
        if node not in self.known:
            op, *rest = self.plan.graph.nodes[node]
            if op is Op.CONST:
                self.known[node] = self.t.splat(rest[0])
            elif op is Op.INPUT and self.t.count == 1:
                array, column = self.inputs[rest[0]]
                self.known[node] = self.load(node, self.base(array), column)
            else:
                self.known[node] = self.load(node, "%scratch", self.plan.slots[node])
        return self.known[node]

    def gather(self, node: int, value: str) -> None:
        """Put a value wherever results need it."""
        for tile, column in self.plan.entries.get(node, ()):
            self.place(tile, column, value)

    def place(self, tile: Tile, column: int, value: str) -> None:
        if self.t.count == 1:
            self.store(value, self.base(self.first_output + tile.output), tile.column + column)
        else:
            self.store(value, "%scratch", tile.slot + column)

    def clear(self, entries: list[tuple[int, int]]) -> None:
        """Zeros at (result, entry), neighbours together."""
        runs: list[list[int]] = []
        for output, column in sorted(entries):
            if runs and runs[-1][0] == output and runs[-1][1] + runs[-1][2] == column:
                runs[-1][2] += 1
            else:
                runs.append([output, column, 1])
        for output, column, length in runs:
            address = self.address(self.base(self.first_output + output), column)
            self.lines.append(
                f"  call void @llvm.memset.p0.i64(ptr align {self.t.bytes} {address}, i8 0, "
                f"i64 {length * self.t.bytes}, i1 false)"
            )

    def base(self, array: int) -> str:
        """Address of the row of an array, for one lane."""
        if array not in self.bases:
            self.bases[array] = f"%base{array}"
            self.lines.append(f"  %row{array} = getelementptr ptr, ptr %rows, i64 {array}")
            self.lines.append(f"  %base{array} = load ptr, ptr %row{array}")
        return self.bases[array]

    def address(self, base: str, index: int) -> str:
        name = f"%p{len(self.lines)}"
        self.lines.append(f"  {name} = getelementptr {self.t.type}, ptr {base}, i64 {index}")
        return name

    def load(self, node: int, base: str, index: int) -> str:
        address = self.address(base, index)
        align = self.t.count * self.t.bytes
        self.lines.append(f"  %v{node} = load {self.t.type}, ptr {address}, align {align}")
        return f"%v{node}"

    def store(self, value: str, base: str, index: int) -> None:
        address = self.address(base, index)
        align = self.t.count * self.t.bytes
        self.lines.append(f"  store {self.t.type} {value}, ptr {address}, align {align}")


def _scratch(plan: Schedule, t: Lanes) -> tuple[str, str, str]:
    """Declaration, allocation and release of the scratch memory."""
    size = max(1, plan.scratch) * t.count * t.bytes
    align = t.count * t.bytes
    if size <= STACK:
        return "", f"  %scratch = alloca [{size} x i8], align {align}", ""
    return (
        "declare ptr @aligned_alloc(i64, i64)\ndeclare void @free(ptr)",
        f"  %scratch = call ptr @aligned_alloc(i64 64, i64 {-(-size // 64) * 64})",
        "  call void @free(ptr %scratch)",
    )


def _run(head: str, allocate: str, setup: str, body: str, step: int, release: str) -> str:
    """The loop over rows."""
    return f"""{head}
define void @run(ptr %args, ptr %strides, i64 %start, i64 %stop) nounwind {{
entry:
{allocate}
{setup}
  %last = sub i64 %stop, 1
  %some = icmp slt i64 %start, %stop
  br i1 %some, label %loop, label %done
loop:
  %i = phi i64 [ %start, %entry ], [ %next, %loop ]
{body}
  %next = add i64 %i, {step}
  %more = icmp slt i64 %next, %stop
  br i1 %more, label %loop, label %done
done:
{release}
  ret void
}}"""


def _argument(k: int) -> str:
    """Address and stride of one array, read once."""
    return (f"  %argp{k} = getelementptr ptr, ptr %args, i64 {k}\n"
            f"  %arg{k} = load i64, ptr %argp{k}\n"
            f"  %stridep{k} = getelementptr i64, ptr %strides, i64 {k}\n"
            f"  %stride{k} = load i64, ptr %stridep{k}")  # fmt: skip


def _run_one(plan: Schedule, signature: Signature, t: Lanes) -> str:
    """One row at a time, read and written in place."""
    arrays = range(len(signature.arrays))
    head, allocate, release = _scratch(plan, t)
    setup = [f"  %rows = alloca [{len(arrays)} x i64], align 16", *(_argument(k) for k in arrays)]
    body = [
        f"  %far{k} = mul i64 %i, %stride{k}\n"
        f"  %at{k} = add i64 %arg{k}, %far{k}\n"
        f"  %rowp{k} = getelementptr i64, ptr %rows, i64 {k}\n"
        f"  store i64 %at{k}, ptr %rowp{k}"
        for k in arrays
    ]
    body += [f"  call void @chunk.{k}(ptr %scratch, ptr %rows)" for k in range(len(plan.chunks))]
    return _run(head, allocate, "\n".join(setup), "\n".join(body), 1, release)


def _run_lanes(plan: Schedule, signature: Signature, t: Lanes) -> str:
    """As many rows at a time as there are lanes, through tiles."""
    n = t.count
    width_bytes = n * t.bytes
    wide = f"<{n} x i64>"
    arrays = range(len(signature.arrays))
    head, allocate, release = _scratch(plan, t)
    setup = [f"  %rows = alloca [{len(arrays) * n} x i64], align 64"]
    setup += [_argument(k) for k in arrays]

    def splat(name: str, scalar: str) -> str:
        return (f"  %{name}.one = insertelement {wide} poison, i64 {scalar}, i32 0\n"
                f"  %{name} = shufflevector {wide} %{name}.one, {wide} poison, "
                f"<{n} x i32> zeroinitializer")  # fmt: skip

    counting = "<" + ", ".join(f"i64 {k}" for k in range(n)) + ">"
    body = [
        splat("here", "%i"),
        splat("end", "%last"),
        f"  %each = add {wide} %here, {counting}\n"
        f"  %row = call {wide} @llvm.umin.v{n}i64({wide} %each, {wide} %end)",
    ]
    for k in arrays:
        body += [
            splat(f"step{k}", f"%stride{k}"),
            splat(f"from{k}", f"%arg{k}"),
            f"  %far{k} = mul {wide} %row, %step{k}\n"
            f"  %at{k} = add {wide} %far{k}, %from{k}\n"
            f"  %rows{k} = getelementptr i64, ptr %rows, i64 {k * n}\n"
            f"  store {wide} %at{k}, ptr %rows{k}, align 64",
        ]
    tables = _Tables(t)
    first = [sum(math.prod(s) for s in signature.inputs[:k]) for k in range(len(signature.inputs))]
    body += tables.calls(
        ("tile_in", width, k, column, (first[k] + column) * width_bytes)
        for k, column, width in _input_tiles(signature, t)
    )
    for k, chunk in enumerate(plan.chunks):
        body.append(f"  call void @chunk.{k}(ptr %scratch, ptr %rows)")
        body += tables.calls(
            (
                "tile_fill" if tile.is_constant else "tile_out",
                len(tile.nodes),
                len(signature.inputs) + tile.output,
                tile.column,
                tables.constant(plan, tile) if tile.is_constant else tile.slot * width_bytes,
            )
            for tile in chunk.tiles
        )
    head += "\n" + tables.text()
    head += f"\ndeclare {wide} @llvm.umin.v{n}i64({wide}, {wide})"
    return _run(head, allocate, "\n".join(setup), "\n".join(body), n, release)


class _Tables:
    """Tiles to be moved one after the other, as tables that a loop walks through."""

    def __init__(self, t: Lanes) -> None:
        self.t = t
        self.tables: list[str] = []
        self.constants: dict[str, int] = {}

    def calls(self, tiles: Iterable[tuple[str, int, int, int, int]]) -> list[str]:
        """Calls that move tiles, given as (function, width, array, column, bytes from the base)."""
        groups: dict[tuple[str, int], list[str]] = {}
        for function, width, array, column, offset in tiles:
            row = (array * self.t.count * 8, column * self.t.bytes, offset)
            groups.setdefault((function, width), []).extend(f"i64 {x}" for x in row)
        calls = []
        for (function, width), numbers in groups.items():
            name = f"@table.{len(self.tables)}"
            kind = f"[{len(numbers)} x i64]"
            self.tables.append(f"{name} = private constant {kind} [{', '.join(numbers)}]")
            base = "@constants" if function == "tile_fill" else "%scratch"
            calls.append(
                f"  call void @each_tile(ptr @{function}.{width}, ptr {name}, "
                f"i64 {len(numbers)}, ptr %rows, ptr {base})"
            )
        return calls

    def constant(self, plan: Schedule, tile: Tile) -> int:
        """Where the entries of a constant tile stand among the constants, in bytes."""
        values = [plan.graph.constants[node] for node in tile.nodes]
        values += [0.0] * (self.t.count - len(values))
        row = ", ".join(f"{self.t.element} {number(v, self.t.bits)}" for v in values)
        place = self.constants.setdefault(row, len(self.constants))
        return place * self.t.count * self.t.bytes

    def text(self) -> str:
        """The tables, the constants, and the function that walks a table."""
        rows = ", ".join(self.constants) or f"{self.t.element} 0.0"
        count = max(1, len(self.constants) * self.t.count)
        constants = f"@constants = private constant [{count} x {self.t.element}] [{rows}], align 64"
        return "\n".join([*self.tables, constants, EACH_TILE])


EACH_TILE = """define internal void @each_tile(ptr %move, ptr %table, i64 %n, ptr %rows, ptr %base) noinline nounwind {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p0 = getelementptr i64, ptr %table, i64 %k
  %p1 = getelementptr i64, ptr %p0, i64 1
  %p2 = getelementptr i64, ptr %p0, i64 2
  %row = load i64, ptr %p0
  %column = load i64, ptr %p1
  %place = load i64, ptr %p2
  %at = getelementptr i8, ptr %rows, i64 %row
  %slot = getelementptr i8, ptr %base, i64 %place
  call void %move(ptr %at, i64 %column, ptr %slot)
  %next = add i64 %k, 3
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}"""  # noqa: E501
