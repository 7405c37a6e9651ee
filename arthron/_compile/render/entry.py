"""The way in from Python: a builtin function, emitted in LLVM text, that reads NumPy arrays itself.

When the arguments are arrays it can take as they are, it makes the results, or takes those given
as `out=`, computes, and returns. Anything else it passes on to the Python function it is bound to,
which converts, broadcasts, or says what is wrong. A call costs tens of nanoseconds, where ctypes
costs microseconds.
"""

from __future__ import annotations

import math

from ..._graph.program import Shape, Structure
from ..signature import Signature
from .lanes import Lanes

# PyArrayObject of NumPy 1 and 2 on a 64-bit CPython with a two-word object header
TYPE, DATA, NDIM, DIMENSIONS, DESCR, FLAGS = 8, 16, 24, 32, 56, 64
TUPLE_SIZE, TUPLE_ITEMS = 16, tuple.__basicsize__  # a hash lies before the items from 3.14 on
CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400

WITH_GIL = 20_000
"""Batches of fewer operations keep the interpreter's lock: letting go costs more than waiting."""
MOST = 20_000_000
"""Batches of more operations go through Python, which can use threads and hear Ctrl-C."""


class _Lines:
    """Lines of one function, and the checks that must hold before it goes on."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.checks: list[str] = []

    def emit(self, name: str, text: str) -> str:
        self.lines.append(f"  %{name} = {text}")
        return f"%{name}"

    def field(self, k: int, name: str, offset: int, kind: str) -> str:
        """A field of the k-th array."""
        self.emit(f"{name}p{k}", f"getelementptr i8, ptr %o{k}, i64 {offset}")
        return self.emit(f"{name}{k}", f"load {kind}, ptr %{name}p{k}")

    def check(self, name: str, text: str) -> None:
        self.checks.append(self.emit(name, text))

    def proceed(self, label: str) -> None:
        """Go on to a new block when all checks so far hold."""
        total = "true"
        for k, one in enumerate(self.checks):
            total = self.emit(f"{label}.and{k}", f"and i1 {total}, {one}")
        self.checks.clear()
        self.lines += [f"  br i1 {total}, label %{label}, label %no", f"{label}:"]

    def check_array(self, k: int, place: str, shape: Shape, flags: int, batch: bool) -> None:
        """Take the array at `place`, the k-th, only if it is of the right kind and shape."""
        self.emit(f"op{k}", f"getelementptr ptr, ptr {place}")
        self.emit(f"o{k}", f"load ptr, ptr %op{k}")
        kind = self.field(k, "type", TYPE, "ptr")
        self.check(f"is_array{k}", f"icmp eq ptr {kind}, @arthron_ndarray")
        self.proceed(f"array{k}")
        descr = self.field(k, "descr", DESCR, "ptr")
        self.check(f"is_dtype{k}", f"icmp eq ptr {descr}, @arthron_dtype")
        self.emit(f"has{k}", f"and i32 {self.field(k, 'flags', FLAGS, 'i32')}, {flags}")
        self.check(f"fit{k}", f"icmp eq i32 %has{k}, {flags}")
        ndim = self.field(k, "ndim", NDIM, "i32")
        self.check(f"is_ndim{k}", f"icmp eq i32 {ndim}, {len(shape) + batch}")
        self.proceed(f"shape{k}")
        dimensions = self.field(k, "dims", DIMENSIONS, "ptr")
        for axis in range(len(shape) + batch):
            self.emit(f"axisp{k}.{axis}", f"getelementptr i64, ptr {dimensions}, i64 {axis}")
            extent = self.emit(f"axis{k}.{axis}", f"load i64, ptr %axisp{k}.{axis}")
            expected = ("%axis0.0" if axis == 0 else shape[axis - 1]) if batch else shape[axis]
            self.check(f"is_axis{k}.{axis}", f"icmp eq i64 {extent}, {expected}")


STOPPED = """
stopped:
  call void @Py_DecRef(ptr %result)
  call ptr @PyObject_Vectorcall(ptr @arthron_stopped, ptr null, i64 0, ptr null)
  ret ptr null"""
"""Raises in the interpreter what made a loop stop."""


def entry(signature: Signature, t: Lanes) -> str:
    """The function `entry(self, args, nargs, kwnames)` of a module that defines `run`.

    One lane takes single states; several lanes take batches with one leading axis. `self` is the
    Python function that takes what this one does not.
    """
    inputs, outputs, structure = signature.inputs, signature.outputs, signature.structure
    batch, work = t.count > 1, max(1, signature.work)
    n = len(inputs)
    rows = "%axis0.0" if batch else "1"
    block = _Lines()
    emit, lines = block.emit, block.lines
    block.check("count", f"icmp eq i64 %nargs, {n}")
    block.proceed("start")
    for k, shape in enumerate(inputs):
        block.check_array(k, f"%args, i64 {k}", shape, CONTIGUOUS | ALIGNED, batch)
        block.field(k, "data", DATA, "i64")
        emit(f"bytes{k}", f"mul i64 {rows}, {math.prod(shape) * t.bytes}")
        emit(f"end{k}", f"add i64 %data{k}, %bytes{k}")
    if batch:
        block.check("small", f"icmp slt i64 %axis0.0, {max(1, MOST // work)}")
    block.proceed("inputs")
    lines += [
        f"  %list = alloca [{n + len(outputs)} x i64], align 16",
        f"  %dims = alloca [{max(map(len, outputs), default=0) + batch + 1} x i64], align 16",
        "  %has_names = icmp ne ptr %kwnames, null",
        "  br i1 %has_names, label %named, label %make",
        "named:",
    ]
    emit("sizep", f"getelementptr i8, ptr %kwnames, i64 {TUPLE_SIZE}")
    emit("size", "load i64, ptr %sizep")
    block.check("one", "icmp eq i64 %size, 1")
    emit("firstp", f"getelementptr i8, ptr %kwnames, i64 {TUPLE_ITEMS}")
    emit("first", "load ptr, ptr %firstp")
    block.check("is_out", "icmp eq ptr %first, @arthron_out")
    block.proceed("out")
    emit("outp", f"getelementptr ptr, ptr %args, i64 {n}")
    emit("given_out", "load ptr, ptr %outp")
    emit("is_none", "icmp eq ptr %given_out, @arthron_none")
    lines += ["  br i1 %is_none, label %make, label %given", "given:"]
    _take(block, inputs, outputs, structure, t)
    lines += ["  call void @Py_IncRef(ptr %given_out)", "  br label %go", "make:"]
    _make(block, outputs, structure, batch)
    lines += ["  br label %go", "go:"]
    emit("result", "phi ptr [ %given_out, %take ], [ %new, %made ]")
    for k in range(len(outputs)):
        emit(f"to{n + k}", f"phi i64 [ %data{n + k}, %take ], [ %new_data{k}, %made ]")
    for k in range(n + len(outputs)):
        emit(f"listp{k}", f"getelementptr i64, ptr %list, i64 {k}")
        lines.append(f"  store i64 %{'data' if k < n else 'to'}{k}, ptr %listp{k}")
    call = f"call i64 @run(ptr %list, ptr @row_bytes, i64 0, i64 {rows})"
    if batch or work > WITH_GIL:
        lines += [
            f"  %long = icmp sgt i64 {rows}, {WITH_GIL // work}",
            "  br i1 %long, label %release, label %hold",
            "release:",
            "  %thread = call ptr @PyEval_SaveThread()",
            f"  %status = {call}",
            "  call void @PyEval_RestoreThread(ptr %thread)",
            *_end("%status", signature.loops, "released"),
            "hold:",
        ]
    lines += [f"  %status.held = {call}", *_end("%status.held", signature.loops, "held")]
    row_bytes = ", ".join(f"i64 {math.prod(s) * t.bytes}" for s in (*inputs, *outputs))
    body = "\n".join(lines)
    keys = structure if isinstance(structure, tuple) else ()
    named = "".join(f"@arthron_key{k} = external global i8\n" for k in range(len(keys)))
    stopped = STOPPED if signature.loops else ""
    return f"""@arthron_ndarray = external global i8
@arthron_stopped = external global i8
@arthron_dtype = external global i8
@arthron_out = external global i8
@arthron_none = external global i8
@PyTuple_Type = external global i8
{named}declare ptr @arthron_empty(i32, ptr, ptr, i32)
declare void @Py_IncRef(ptr)
declare void @Py_DecRef(ptr)
declare ptr @PyTuple_New(i64)
declare ptr @PyDict_New()
declare i32 @PyDict_SetItem(ptr, ptr, ptr)
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
@row_bytes = private constant [{n + len(outputs)} x i64] [{row_bytes}]
define ptr @entry(ptr %self, ptr %args, i64 %nargs, ptr %kwnames) nounwind {{
{body}
no:
  %other = call ptr @PyObject_Vectorcall(ptr %self, ptr %args, i64 %nargs, ptr %kwnames)
  ret ptr %other
nothing:
  ret ptr null{stopped}
}}"""


def _end(status: str, loops: bool, label: str) -> list[str]:
    """Return the result, or raise what stopped a loop."""
    if not loops:
        return ["  ret ptr %result"]
    return [
        f"  %fine.{label} = icmp eq i64 {status}, 0",
        f"  br i1 %fine.{label}, label %{label}, label %stopped",
        f"{label}:",
        "  ret ptr %result",
    ]


def _take(
    block: _Lines, inputs: tuple[Shape, ...], outputs: tuple[Shape, ...], structure: Structure,
    t: Lanes,
) -> None:  # fmt: skip
    """Take the arrays given as `out=`: one, or a tuple of several. Dicts are left to Python."""
    n, batch, emit = len(inputs), t.count > 1, block.emit
    if isinstance(structure, tuple):
        block.checks.append("false")
    elif structure is not None:
        emit("outtypep", f"getelementptr i8, ptr %given_out, i64 {TYPE}")
        emit("outtype", "load ptr, ptr %outtypep")
        block.check("is_tuple", "icmp eq ptr %outtype, @PyTuple_Type")
        block.proceed("tuple_given")
        emit("outsizep", f"getelementptr i8, ptr %given_out, i64 {TUPLE_SIZE}")
        emit("outsize", "load i64, ptr %outsizep")
        block.check("is_size", f"icmp eq i64 %outsize, {structure}")
    block.proceed("outs")
    emit("items", f"getelementptr i8, ptr %given_out, i64 {TUPLE_ITEMS}")
    for k, shape in enumerate(outputs, n):
        place = f"%args, i64 {k}" if structure is None else f"%items, i64 {k - n}"
        block.check_array(k, place, shape, CONTIGUOUS | ALIGNED | WRITEABLE, batch)
        block.field(k, "data", DATA, "i64")
        emit(f"bytes{k}", f"mul i64 {'%axis0.0' if batch else 1}, {math.prod(shape) * t.bytes}")
        emit(f"end{k}", f"add i64 %data{k}, %bytes{k}")
        for j in range(k):  # a result must not lie on an input, nor on another result
            emit(f"before{k}.{j}", f"icmp ule i64 %end{k}, %data{j}")
            emit(f"after{k}.{j}", f"icmp ule i64 %end{j}, %data{k}")
            block.check(f"apart{k}.{j}", f"or i1 %before{k}.{j}, %after{k}.{j}")
    block.proceed("take")


def _make(block: _Lines, outputs: tuple[Shape, ...], structure: Structure, batch: bool) -> None:
    """Make the arrays of results, and the tuple or dict around several; ends in block `made`."""
    emit, lines = block.emit, block.lines

    def proceed_unless_null(value: str, label: str, undo: str = "") -> None:
        emit(f"failed.{label}", f"icmp eq ptr {value}, null")
        lines.append(f"  br i1 %failed.{label}, label %undo.{label}, label %{label}")
        lines.append(f"undo.{label}:")
        if undo:
            lines.append(f"  call void @Py_DecRef(ptr {undo})")
        lines.extend(["  br label %nothing", f"{label}:"])

    if structure is not None:
        emit("tuple", f"call ptr @PyTuple_New(i64 {len(outputs)})")
        proceed_unless_null("%tuple", "start_tuple")
        emit("slots", f"getelementptr i8, ptr %tuple, i64 {TUPLE_ITEMS}")
    for k, shape in enumerate(outputs):
        for axis, extent in enumerate(("%axis0.0", *shape) if batch else shape):
            emit(f"dimp{k}.{axis}", f"getelementptr i64, ptr %dims, i64 {axis}")
            lines.append(f"  store i64 {extent}, ptr %dimp{k}.{axis}")
        lines.append("  call void @Py_IncRef(ptr @arthron_dtype)")
        emit(f"new{k}", f"call ptr @arthron_empty(i32 {len(shape) + batch}, ptr %dims, "
                        "ptr @arthron_dtype, i32 0)")  # fmt: skip
        proceed_unless_null(f"%new{k}", f"array_made{k}", "" if structure is None else "%tuple")
        if structure is not None:
            emit(f"slot{k}", f"getelementptr ptr, ptr %slots, i64 {k}")
            lines.append(f"  store ptr %new{k}, ptr %slot{k}")
        emit(f"newp{k}", f"getelementptr i8, ptr %new{k}, i64 {DATA}")
        emit(f"new_data{k}", f"load i64, ptr %newp{k}")
    if isinstance(structure, tuple):
        emit("dict", "call ptr @PyDict_New()")
        proceed_unless_null("%dict", "start_dict", "%tuple")
        for k in range(len(outputs)):
            emit(f"set{k}", f"call i32 @PyDict_SetItem(ptr %dict, ptr @arthron_key{k}, "
                            f"ptr %new{k})")  # fmt: skip
        lines.append("  call void @Py_DecRef(ptr %tuple)")
    kept = "%new0" if structure is None else "%tuple" if isinstance(structure, int) else "%dict"
    lines += ["  br label %made", "made:"]
    emit("new", f"bitcast ptr {kept} to ptr")
