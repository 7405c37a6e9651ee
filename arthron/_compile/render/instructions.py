"""LLVM text of each operation: one row per operation."""

from __future__ import annotations

import struct

from ..._graph.ops import Op


class Lanes:
    """A machine type: `count` floating-point numbers of `bits` bits side by side.

    Attributes:
        element: LLVM name of one number.
        type: LLVM name of a lane-wide value.
        suffix: how intrinsics of that type are named.
    """

    def __init__(self, count: int, bits: int) -> None:
        self.count, self.bits = count, bits
        self.element = {64: "double", 32: "float"}[bits]
        self.type = self.element if count == 1 else f"<{count} x {self.element}>"
        self.suffix = f"f{bits}" if count == 1 else f"v{count}f{bits}"
        self.bytes = bits // 8

    def wide(self, element: str) -> str:
        """The lane-wide type of another element."""
        return element if self.count == 1 else f"<{self.count} x {element}>"

    def splat(self, value: float, element: str | None = None) -> str:
        """A constant in every lane."""
        element = element or self.element
        text = number(value, 32 if element == "float" else 64)
        return text if self.count == 1 else f"splat ({element} {text})"


def number(value: float, bits: int = 64) -> str:
    """A floating-point constant as LLVM reads it back to the last bit."""
    if bits == 32:
        with_overflow = (
            value
            if abs(value) < 3.4028235677973366e38 or value != value
            else (float("inf") if value > 0 else float("-inf"))
        )
        value = struct.unpack("<f", struct.pack("<f", with_overflow))[0]
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def _arithmetic(name: str):
    return lambda t, r, a, b: f"{r} = {name} contract {t.type} {a}, {b}"


def _intrinsic(name: str):
    def text(t: Lanes, r: str, *args: str) -> str:
        listed = ", ".join(f"{t.type} {a}" for a in args)
        return f"{r} = call {t.type} @llvm.{name}.{t.suffix}({listed})"

    return text


def _call(name: str):
    def text(t: Lanes, r: str, *args: str) -> str:
        listed = ", ".join(f"{t.type} {a}" for a in args)
        return f"{r} = call {t.type} @{name}({listed})"

    return text


def _comparison(predicate: str):
    bit = "i1"
    return lambda t, r, a, b: (
        f"{r}.bit = fcmp {predicate} {t.type} {a}, {b}\n"
        f"  {r} = select {t.wide(bit)} {r}.bit, {t.type} {t.splat(1.0)}, {t.type} {t.splat(0.0)}"
    )


def _part(k: int):
    def text(t: Lanes, r: str, a: str) -> str:
        both = f"{{ {t.type}, {t.type} }}"
        return (f"{r}.both = call {both} @sincos({t.type} {a})\n"
                f"  {r} = extractvalue {both} {r}.both, {k}")  # fmt: skip

    return text


def _lookup(t: Lanes, r: str, index: str, table: str, size: int) -> str:
    """Entries of a constant array, one lane at a time; the index is clamped, NaN to the first."""
    last = t.splat(size - 1.0)
    lines = [
        f"{r}.low = call {t.type} @llvm.maxnum.{t.suffix}({t.type} {index}, {t.type} "
        f"{t.splat(0.0)})",
        f"{r}.in = call {t.type} @llvm.minnum.{t.suffix}({t.type} {r}.low, {t.type} {last})",
        f"{r}.whole = fptosi {t.type} {r}.in to {t.wide('i32')}",
    ]
    if t.count == 1:
        lines += [f"{r}.at = getelementptr {t.element}, ptr {table}, i32 {r}.whole",
                  f"{r} = load {t.element}, ptr {r}.at"]  # fmt: skip
        return "\n  ".join(lines)
    value = "poison"
    for k in range(t.count):
        name = r if k == t.count - 1 else f"{r}.v{k}"
        lines += [
            f"{r}.i{k} = extractelement {t.wide('i32')} {r}.whole, i32 {k}",
            f"{r}.at{k} = getelementptr {t.element}, ptr {table}, i32 {r}.i{k}",
            f"{r}.x{k} = load {t.element}, ptr {r}.at{k}",
            f"{name} = insertelement {t.type} {value}, {t.element} {r}.x{k}, i32 {k}",
        ]
        value = name
    return "\n  ".join(lines)


INSTRUCTION = {
    Op.ADD: _arithmetic("fadd"),
    Op.SUB: _arithmetic("fsub"),
    Op.MUL: _arithmetic("fmul"),
    Op.DIV: _arithmetic("fdiv"),
    Op.NEG: lambda t, r, a: f"{r} = fneg {t.type} {a}",
    Op.SIN: _part(0),
    Op.COS: _part(1),
    Op.SQRT: _intrinsic("sqrt"),
    Op.EXP: _call("exp"),
    Op.LOG: _call("log"),
    Op.ATAN2: _call("atan2"),
    Op.TANH: _call("tanh"),
    Op.POW: _call("pow"),
    Op.ABS: _intrinsic("fabs"),
    Op.MIN: _intrinsic("minimum"),
    Op.MAX: _intrinsic("maximum"),
    Op.FLOOR: _intrinsic("floor"),
    Op.LESS: _comparison("olt"),
    Op.LESS_EQUAL: _comparison("ole"),
    Op.EQUAL: _comparison("oeq"),
    Op.LOOKUP: lambda t, r, index, table, size: _lookup(t, r, index, table, size),
    Op.WHERE: lambda t, r, c, a, b: (
        f"{r}.bit = fcmp une {t.type} {c}, {t.splat(0.0)}\n"
        f"  {r} = select {t.wide('i1')} {r}.bit, {t.type} {a}, {t.type} {b}"
    ),
}
"""Text that puts the operation of values a, b, ... of machine type t into r.

Intrinsics (`llvm.*`) need no declaration; functions are those of `elementary.py`.
"""
