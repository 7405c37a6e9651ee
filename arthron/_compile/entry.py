"""The way in from Python: a METH_FASTCALL function that checks NumPy arrays itself.

Called with the input and result arrays, it answers True when it has computed, and False when an
argument is not what it can take as it is: then the Python boundary makes it so, or says what is
wrong. A call costs tens of nanoseconds, where ctypes costs microseconds.
"""

from __future__ import annotations

import math

import numpy as np

from .instructions import Lanes

Shape = tuple[int, ...]

# PyArrayObject of NumPy 1 and 2 on a 64-bit CPython with a two-word object header
DATA, NDIM, DIMENSIONS, DESCR, FLAGS = 16, 24, 32, 56, 64
CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400

WITH_GIL = 20_000
"""Batches of fewer operations keep the interpreter's lock: letting go costs more than waiting."""
MOST = 4_000_000
"""Batches of more operations go through Python, which can use threads and hear Ctrl-C."""


def layout_is_known() -> bool:
    """Whether arrays of this interpreter lie in memory as this file believes."""
    import ctypes

    if object.__basicsize__ != DATA or ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    probe = np.zeros((2, 3, 5))
    probe.flags.writeable = False

    def word(offset: int, kind: type) -> int:
        return kind.from_address(id(probe) + offset).value or 0

    dimensions = (ctypes.c_int64 * 3).from_address(word(DIMENSIONS, ctypes.c_void_p))
    return (
        ctypes.c_void_p.from_address(id(probe) + 8).value == id(np.ndarray)
        and word(DATA, ctypes.c_void_p) == probe.ctypes.data
        and word(NDIM, ctypes.c_int) == 3
        and tuple(dimensions) == probe.shape
        and word(DESCR, ctypes.c_void_p) == id(probe.dtype)
        and word(FLAGS, ctypes.c_int) & (CONTIGUOUS | ALIGNED | WRITEABLE) == CONTIGUOUS | ALIGNED
    )


def entry(arrays: tuple[Shape, ...], inputs: int, t: Lanes, ops: int) -> str:
    """The function `entry(self, args, nargs)` of a module that defines `run`.

    One lane takes single states; several lanes take batches with one leading axis.
    """
    batch = t.count > 1
    n = len(arrays)
    lines: list[str] = []
    checks: list[str] = []

    def emit(name: str, text: str) -> str:
        lines.append(f"  %{name} = {text}")
        return f"%{name}"

    def field(k: int, name: str, offset: int, kind: str) -> str:
        emit(f"{name}p{k}", f"getelementptr i8, ptr %o{k}, i64 {offset}")
        return emit(f"{name}{k}", f"load {kind}, ptr %{name}p{k}")

    def check(name: str, text: str) -> None:
        checks.append(emit(name, text))

    def proceed(label: str) -> None:
        """Go on to a new block when all checks so far hold."""
        total = checks[0]
        for k, one in enumerate(checks[1:]):
            total = emit(f"{label}.and{k}", f"and i1 {total}, {one}")
        checks.clear()
        lines.append(f"  br i1 {total}, label %{label}, label %no")
        lines.append(f"{label}:")

    check("count", f"icmp eq i64 %nargs, {n}")
    proceed("types")
    for k in range(n):
        emit(f"op{k}", f"getelementptr ptr, ptr %args, i64 {k}")
        emit(f"o{k}", f"load ptr, ptr %op{k}")
        kind = field(k, "type", 8, "ptr")
        check(f"is_array{k}", f"icmp eq ptr {kind}, @arthron_ndarray")
    proceed("arrays")
    for k, shape in enumerate(arrays):
        descr = field(k, "descr", DESCR, "ptr")
        check(f"is_dtype{k}", f"icmp eq ptr {descr}, @arthron_dtype")
        need = CONTIGUOUS | ALIGNED | (WRITEABLE if k >= inputs else 0)
        flags = field(k, "flags", FLAGS, "i32")
        emit(f"has{k}", f"and i32 {flags}, {need}")
        check(f"fit{k}", f"icmp eq i32 %has{k}, {need}")
        ndim = field(k, "ndim", NDIM, "i32")
        check(f"is_ndim{k}", f"icmp eq i32 {ndim}, {len(shape) + batch}")
    proceed("shapes")
    for k, shape in enumerate(arrays):
        emit(f"dims{k}", f"getelementptr i8, ptr %o{k}, i64 {DIMENSIONS}")
        emit(f"dimp{k}", f"load ptr, ptr %dims{k}")
        for axis in range(len(shape) + batch):
            emit(f"axisp{k}.{axis}", f"getelementptr i64, ptr %dimp{k}, i64 {axis}")
            extent = emit(f"axis{k}.{axis}", f"load i64, ptr %axisp{k}.{axis}")
            expected = ("%axis0.0" if axis == 0 else shape[axis - 1]) if batch else shape[axis]
            check(f"is_axis{k}.{axis}", f"icmp eq i64 {extent}, {expected}")
    rows = "%axis0.0" if batch else "1"
    if batch:
        check("small", f"icmp slt i64 %axis0.0, {max(1, MOST // max(1, ops))}")
    for k, shape in enumerate(arrays):
        data = field(k, "data", DATA, "i64")
        emit(f"bytes{k}", f"mul i64 {rows}, {math.prod(shape) * t.bytes}")
        emit(f"end{k}", f"add i64 {data}, %bytes{k}")
    for k in range(inputs, n):  # results must not lie on inputs
        for j in range(k):
            emit(f"before{k}.{j}", f"icmp ule i64 %end{k}, %data{j}")
            emit(f"after{k}.{j}", f"icmp ule i64 %end{j}, %data{k}")
            check(f"apart{k}.{j}", f"or i1 %before{k}.{j}, %after{k}.{j}")
    proceed("go")
    lines.append(f"  %list = alloca [{n} x i64], align 16")
    for k in range(n):
        emit(f"listp{k}", f"getelementptr i64, ptr %list, i64 {k}")
        lines.append(f"  store i64 %data{k}, ptr %listp{k}")
    call = f"call void @run(ptr %list, ptr @row_bytes, i64 0, i64 {rows})"
    if batch:
        lines += [
            f"  %long = icmp sgt i64 {rows}, {WITH_GIL // max(1, ops)}",
            "  br i1 %long, label %release, label %hold",
            "release:",
            "  %thread = call ptr @PyEval_SaveThread()",
            f"  {call}",
            "  call void @PyEval_RestoreThread(ptr %thread)",
            "  br label %yes",
            "hold:",
        ]
    lines += [f"  {call}", "  br label %yes"]
    row_bytes = ", ".join(f"i64 {math.prod(shape) * t.bytes}" for shape in arrays)
    body = "\n".join(lines)
    return f"""@arthron_ndarray = external global i8
@arthron_dtype = external global i8
@arthron_true = external global i8
@arthron_false = external global i8
declare void @Py_IncRef(ptr)
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
@row_bytes = private constant [{n} x i64] [{row_bytes}]
define ptr @entry(ptr %self, ptr %args, i64 %nargs) nounwind {{
{body}
yes:
  call void @Py_IncRef(ptr @arthron_true)
  ret ptr @arthron_true
no:
  call void @Py_IncRef(ptr @arthron_false)
  ret ptr @arthron_false
}}"""
