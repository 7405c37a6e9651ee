"""LLVM text of each operation: one row per operation."""

from __future__ import annotations

from ..._graph.ops import Op
from .array_access import whole_index
from .lanes import Lanes


def _arithmetic(name: str):
    """Arithmetic that may be fused, a product with a sum, on machines that do so."""
    return lambda t, r, a, b: f"{r} = {name}{' contract' * t.fma} {t.type} {a}, {b}"


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


def choice(t: Lanes, r: str, bit: str, a: str, b: str) -> str:
    """a in lanes where a bit is set, else b."""
    return f"{r} = select {t.wide('i1')} {bit}, {t.type} {a}, {t.type} {b}"


def _part(k: int):
    def text(t: Lanes, r: str, a: str) -> str:
        both = f"{{ {t.type}, {t.type} }}"
        return (f"{r}.both = call {both} @sincos({t.type} {a})\n"
                f"  {r} = extractvalue {both} {r}.both, {k}")  # fmt: skip

    return text


def _lookup(t: Lanes, r: str, index: str, table: str, size: int) -> str:
    """Entries of a constant array, one lane at a time; the index is clamped, NaN to the first."""
    lines = whole_index(t, r, index, size)
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
        f"{r}.bit = fcmp une {t.type} {c}, {t.splat(0.0)}\n  " + choice(t, r, f"{r}.bit", a, b)
    ),
}
"""Text that puts the operation of values a, b, ... of machine type t into r.

Intrinsics (`llvm.*`) need no declaration; functions are those of `elementary.py`.
"""
COMPARISONS = frozenset({Op.LESS, Op.LESS_EQUAL, Op.EQUAL})
"""Operations whose value is one or zero, by a bit that has the name of the value and `.bit`."""
