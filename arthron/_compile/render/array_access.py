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


class Index:
    """Text of an index into arrays of a size, made once for all that read and write there.

    Where all lanes have the same, which is the usual thing in loops, entries stand side by side and
    are read or written at once; else each lane has its own address.

    Attributes:
        lines: text that has to stand before what uses it.
    """

    def __init__(self, t: Lanes, r: str, index: str, size: int) -> None:
        self.t, self.r = t, r
        self.lines = whole_index(t, r, index, size)
        if t.count == 1:
            return
        i32, bits = t.wide("i32"), f"i{t.count}"
        self.lines += [
            f"{r}.first = extractelement {i32} {r}.whole, i32 0",
            f"{r}.ins = insertelement {i32} poison, i32 {r}.first, i32 0",
            f"{r}.splat = shufflevector {i32} {r}.ins, {i32} poison, {i32} zeroinitializer",
            f"{r}.eq = icmp eq {i32} {r}.whole, {r}.splat",
            f"{r}.bits = bitcast {t.wide('i1')} {r}.eq to {bits}",
            f"{r}.same = icmp eq {bits} {r}.bits, -1",
        ]

    def read(self, r: str, block: str) -> str:
        """Text that puts the entry at each lane's index into r."""
        t = self.t
        if t.count == 1:
            return "\n  ".join([self._address(r, block), f"{r} = load {t.element}, ptr {r}.at"])
        apart = (
            f"{r}.g = call {t.type} @llvm.masked.gather.{t.suffix}.v{t.count}p0({t.wide('ptr')} "
            f"{r}.at, i32 {t.bytes}, {t.wide('i1')} splat (i1 true), {t.type} poison)"
        )
        together = f"{r}.l = load {t.type}, ptr {r}.one, align {t.count * t.bytes}"
        name = r[1:]
        end = f"{r} = phi {t.type} [ {r}.l, %{name}.together ], [ {r}.g, %{name}.apart ]"
        return self._either(r, block, together, apart, end)

    def write(self, r: str, block: str, value: str, active: str) -> str:
        """Text that writes the entry at the index of each lane that is active."""
        t = self.t
        if t.count == 1:  # one lane runs while it is active
            return "\n  ".join(
                [self._address(r, block), f"store {t.element} {value}, ptr {r}.at"]
            )  # fmt: skip
        mask = f"{t.wide('i1')} {active}"
        apart = (
            f"call void @llvm.masked.scatter.{t.suffix}.v{t.count}p0({t.type} {value}, "
            f"{t.wide('ptr')} {r}.at, i32 {t.bytes}, {mask})"
        )
        align = f"align {t.count * t.bytes}"
        together = "\n  ".join([
            f"{r}.old = load {t.type}, ptr {r}.one, {align}",
            f"{r}.new = select {mask}, {t.type} {value}, {t.type} {r}.old",
            f"store {t.type} {r}.new, ptr {r}.one, {align}",
        ])  # fmt: skip
        return self._either(r, block, together, apart)

    def _address(self, r: str, block: str) -> str:
        return f"{r}.at = getelementptr {self.t.element}, ptr {block}, i32 {self.r}.whole"

    def _either(self, r: str, block: str, together: str, apart: str, *end: str) -> str:
        """Text that does one thing where lanes have the same index, and another one elsewhere."""
        t, name = self.t, r[1:]
        i32 = t.wide("i32")
        lanes = "<" + ", ".join(f"i32 {k}" for k in range(t.count)) + ">"
        return "\n  ".join([
            f"br i1 {self.r}.same, label %{name}.together, label %{name}.apart",
            f"\n{name}.together:",
            f"{r}.one = getelementptr {t.type}, ptr {block}, i32 {self.r}.first",
            together,
            f"br label %{name}.end",
            f"\n{name}.apart:",
            f"{r}.far = mul {i32} {self.r}.whole, splat (i32 {t.count})",
            f"{r}.each = add {i32} {r}.far, {lanes}",
            f"{r}.at = getelementptr {t.element}, ptr {block}, {i32} {r}.each",
            apart,
            f"br label %{name}.end",
            f"\n{name}.end:",
            *end,
        ])  # fmt: skip


def read_known(t: Lanes, r: str, block: str, index: float, size: int) -> str:
    """Text that puts the entry at an index that is known into r."""
    place = int(min(max(index, 0.0), size - 1.0)) if index == index else 0
    return (
        f"{r}.at = getelementptr {t.type}, ptr {block}, i32 {place}\n  "
        f"{r} = load {t.type}, ptr {r}.at, align {t.count * t.bytes}"
    )


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
