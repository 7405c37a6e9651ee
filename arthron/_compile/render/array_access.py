"""LLVM text that reads and writes arrays, each lane at an index of its own."""

from __future__ import annotations

from .lanes import Lanes


def whole_index(t: Lanes, r: str, index: str, size: int) -> list[str]:
    """Lines that put an index as whole numbers within an array into r.whole; zero for NaN."""
    bit, first, last = t.wide("i1"), t.splat(0.0), t.splat(size - 1.0)
    return [
        f"{r}.up = fcmp ogt {t.type} {index}, {first}",
        f"{r}.low = select {bit} {r}.up, {t.type} {index}, {t.type} {first}",
        f"{r}.below = fcmp olt {t.type} {r}.low, {last}",
        f"{r}.in = select {bit} {r}.below, {t.type} {r}.low, {t.type} {last}",
        f"{r}.whole = fptosi {t.type} {r}.in to {t.wide('i32')}",
    ]


def _addresses(t: Lanes, r: str, block: str, index: str, size: int) -> list[str]:
    """Lines that put the address of each lane's entry into r.at."""
    lines = whole_index(t, r, index, size)
    if t.count == 1:
        return [*lines, f"{r}.at = getelementptr {t.element}, ptr {block}, i32 {r}.whole"]
    i32 = t.wide("i32")
    lanes = "<" + ", ".join(f"i32 {k}" for k in range(t.count)) + ">"
    return [
        *lines,
        f"{r}.far = mul {i32} {r}.whole, splat (i32 {t.count})",
        f"{r}.each = add {i32} {r}.far, {lanes}",
        f"{r}.at = getelementptr {t.element}, ptr {block}, {i32} {r}.each",
    ]


def read(t: Lanes, r: str, block: str, index: str, size: int) -> str:
    """Text that puts the entry at each lane's index into r."""
    lines = _addresses(t, r, block, index, size)
    if t.count == 1:
        lines.append(f"{r} = load {t.element}, ptr {r}.at")
    else:
        lines.append(
            f"{r} = call {t.type} @llvm.masked.gather.{t.suffix}.v{t.count}p0({t.wide('ptr')} "
            f"{r}.at, i32 {t.bytes}, {t.wide('i1')} splat (i1 true), {t.type} poison)"
        )
    return "\n  ".join(lines)


def read_known(t: Lanes, r: str, block: str, index: float, size: int) -> str:
    """Text that puts the entry at an index that is known into r."""
    place = int(min(max(index, 0.0), size - 1.0)) if index == index else 0
    return (
        f"{r}.at = getelementptr {t.type}, ptr {block}, i32 {place}\n  "
        f"{r} = load {t.type}, ptr {r}.at, align {t.count * t.bytes}"
    )


def write(t: Lanes, r: str, block: str, index: str, value: str, size: int, active: str) -> str:
    """Text that writes the entry at the index of each lane that is active."""
    lines = _addresses(t, r, block, index, size)
    if t.count == 1:
        lines.append(f"store {t.element} {value}, ptr {r}.at")  # one lane runs while it is active
    else:
        lines.append(
            f"call void @llvm.masked.scatter.{t.suffix}.v{t.count}p0({t.type} {value}, "
            f"{t.wide('ptr')} {r}.at, i32 {t.bytes}, {t.wide('i1')} {active})"
        )
    return "\n  ".join(lines)


def declarations(t: Lanes) -> str:
    """Intrinsics that these use."""
    if t.count == 1:
        return ""
    ptr, bit = t.wide("ptr"), t.wide("i1")
    return (
        f"declare {t.type} @llvm.masked.gather.{t.suffix}.v{t.count}p0({ptr}, i32, {bit}, "
        f"{t.type})\n"
        f"declare void @llvm.masked.scatter.{t.suffix}.v{t.count}p0({t.type}, {ptr}, i32, {bit})"
    )
