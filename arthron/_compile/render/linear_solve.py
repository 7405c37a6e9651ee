"""LLVM text of elimination: x with A x = b, in loops, so that the code is short for any size.

Where one state is computed alone, rows are taken in vectors of the machine; where several are,
lanes are states. Rows whose entry is zero are passed over: what hangs together in few places takes
few operations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .lanes import Lanes

PIVOTS = 4
"""Columns that are taken out of a row at once, so that it is read and written once for all."""


def solve(t: Lanes) -> str:
    """The function `solve(A, b, x, n)`; behind x is room for rows (`lowering/blocks.py`)."""
    return _Elimination(t).text()


class _Elimination:
    """The text of the function.

    Numbers of one state each, or of all lanes, are of type `one`; rows are taken `many` at a time.
    """

    def __init__(self, t: Lanes) -> None:
        self.t, self.one = t, t.type
        self.step = t.vector if t.count == 1 else 1
        self.many = f"<{self.step} x {t.element}>" if self.step > 1 else t.type
        self.lines: list[str] = []
        self.block, self.names = "entry", 0

    def text(self) -> str:
        """The function."""
        n, step = "%n", self.step
        more = self.emit(f"add i64 {n}, {step}")
        self.length = self.emit(f"sub i64 {more}, {self.emit(f'srem i64 {more}, {step}')}")
        self.w = self.emit(f"getelementptr {self.one}, ptr %x, i64 {self.length}")
        self.whole = self.emit(f"sub i64 {n}, {self.emit(f'srem i64 {n}, {step}')}")
        self.loop("0", n, "1", self._copy_row)
        several = self.emit(f"sub i64 {n}, {self.emit(f'srem i64 {n}, {PIVOTS}')}")
        self.loop("0", several, str(PIVOTS), lambda k: self._eliminate(k, PIVOTS))
        self.loop(several, n, "1", lambda k: self._eliminate(k, 1))
        zeros = self._splat(self.t.splat(0.0))
        self.loop("0", self.length, str(step), lambda j: self._put(zeros, self._at("%x", j), True))
        self.loop("0", n, "1", self._substitute)
        body = "\n".join(self.lines)
        return (
            "define internal void @solve(ptr noalias %A, ptr noalias %b, ptr noalias %x, i64 %n) "
            f"noinline nounwind {{\nentry:\n{body}\n  ret void\n}}"
        )

    def _copy_row(self, i: str) -> None:
        """A row of A, its right-hand side, and zeros up to a whole vector."""
        to, row = self._row(i), self._at("%A", self.emit(f"mul i64 {i}, %n"))
        zeros = self._splat(self.t.splat(0.0))

        def clear(j: str) -> None:
            self._put(zeros, self._at(to, j), True)

        def copy(many: bool) -> Callable[[str], None]:
            return lambda j: self._put(self._get(self._at(row, j), many), self._at(to, j), many)

        self.loop(self.whole, self.length, str(self.step), clear)
        self.loop("0", self.whole, str(self.step), copy(True))
        self.loop(self.whole, "%n", "1", copy(False))
        self._put(self._get(self._at("%b", i), False), self._at(to, "%n"), False)

    def _eliminate(self, k: str, pivots: int) -> None:
        """Take columns out of the rows below; one by its pivot stands in place of each pivot."""
        rows = [self._row(self._plus(k, a)) for a in range(pivots)]
        inverses, upper = [], []
        for a, row in enumerate(rows):
            at = self._at(row, self._plus(k, a))
            inverse = self.emit(f"fdiv {self.one} {self.t.splat(1.0)}, {self._get(at, False)}")
            self._put(inverse, at, False)
            inverses.append(inverse)
            for other in rows[a + 1 :]:
                entry = self._get(self._at(other, self._plus(k, a)), False)
                factor = self.emit(f"fmul {self.one} {entry}, {inverse}")
                self._take_off(other, self._plus(k, a + 1), [row], [factor])
            columns = [self._at(row, self._plus(k, c)) for c in range(a + 1, pivots)]
            upper.append([self._get(at, False) for at in columns])
        after = self._plus(k, pivots)

        def below(i: str) -> None:
            own = self._row(i)
            entries = [self._get(self._at(own, self._plus(k, a)), False) for a in range(pivots)]
            factors = self._factors(entries, inverses, upper)
            start = self.emit(f"select i1 {self._any(entries)}, i64 {after}, i64 {self.length}")
            self._take_off(own, start, rows, factors)

        self.loop(after, "%n", "1", below)

    def _factors(
        self, entries: Sequence[str], inverses: Sequence[str], upper: Sequence[Sequence[str]]
    ) -> list[str]:
        """How often each pivot's row is in a row with these entries."""
        left, found = list(entries), []
        for a, (inverse, row) in enumerate(zip(inverses, upper, strict=True)):
            found.append(self.emit(f"fmul {self.one} {left[a]}, {inverse}"))
            for c, x in enumerate(row, a + 1):
                left[c] = self._less(left[c], found[a], x, self.one)
        return found

    def _take_off(
        self, target: str, start: str, rows: Sequence[str], factors: Sequence[str]
    ) -> None:
        """Multiples of rows off another one, from a column on."""
        splat = [self._splat(factor) for factor in factors]

        def less(j: str) -> None:
            at = self._at(target, j)
            x = self._get(at, True)
            for row, factor in zip(rows, splat, strict=True):
                x = self._less(x, factor, self._get(self._at(row, j), True), self.many)
            self._put(x, at, True)

        first = self.emit(f"sub i64 {start}, {self.emit(f'srem i64 {start}, {self.step}')}")
        self.loop(first, self.length, str(self.step), less)

    def _any(self, entries: Sequence[str]) -> str:
        """Whether any entry is not zero, in any lane."""
        bits, zero = self.t.wide("i1"), self.t.splat(0.0)
        found = [self.emit(f"fcmp une {self.one} {x}, {zero}") for x in entries]
        there = found[0]
        for more in found[1:]:
            there = self.emit(f"or {bits} {there}, {more}")
        if self.t.count == 1:
            return there
        return self.emit(f"call i1 @llvm.vector.reduce.or.v{self.t.count}i1({bits} {there})")

    def _substitute(self, back: str) -> None:
        """The next unknown, from the last one on; those that are not known yet are zero."""
        last = self.emit("sub i64 %n, 1")
        i = self.emit(f"sub i64 {last}, {back}")
        own, after = self._row(i), self.emit(f"add i64 {i}, 1")
        first = self.emit(f"sub i64 {after}, {self.emit(f'srem i64 {after}, {self.step}')}")
        zero = self._splat(self.t.splat(0.0))

        def add(j: str, total: str) -> str:
            w, x = (self._get(self._at(a, j), True) for a in (own, "%x"))
            return self._fused("fadd", total, self._fused("fmul", w, x, self.many), self.many)

        known = self._sum(self.loop(first, self.length, str(self.step), add, zero))
        rest = self.emit(f"fsub {self.one} {self._get(self._at(own, '%n'), False)}, {known}")
        x = self.emit(f"fmul {self.one} {rest}, {self._get(self._at(own, i), False)}")
        self._put(x, self._at("%x", i), False)

    def loop(
        self, start: str, end: str, step: str, body: Callable[..., str | None],
        total: str | None = None,
    ) -> str:  # fmt: skip
        """Text that does something for numbers from a start to before an end; what it adds up."""
        self.names += 1
        name = f"l{self.names}"
        before, place = self.block, len(self.lines)
        self.lines += [f"  br label %{name}", f"{name}:", "", ""]
        more = f"%{name}.more"
        self.lines += [
            f"  {more} = icmp slt i64 %{name}.i, {end}",
            f"  br i1 {more}, label %{name}.body, label %{name}.done",
            f"{name}.body:",
        ]
        self.block = f"{name}.body"
        sum_so_far = f"%{name}.sum"
        found = body(f"%{name}.i") if total is None else body(f"%{name}.i", sum_so_far)
        following = self.emit(f"add i64 %{name}.i, {step}")
        self.lines += [f"  br label %{name}", f"{name}.done:"]
        ends = f"[ {following}, %{self.block} ]"
        self.lines[place + 2] = f"  %{name}.i = phi i64 [ {start}, %{before} ], {ends}"
        if total is not None:
            self.lines[place + 3] = (
                f"  {sum_so_far} = phi {self.many} [ {total}, %{before} ], "
                f"[ {found}, %{self.block} ]"
            )
        self.block = f"{name}.done"
        return sum_so_far

    def emit(self, text: str) -> str:
        self.names += 1
        self.lines.append(f"  %v{self.names} = {text}")
        return f"%v{self.names}"

    def _fused(self, name: str, a: str, b: str, kind: str) -> str:
        return self.emit(f"{name}{' contract' * self.t.fma} {kind} {a}, {b}")

    def _less(self, x: str, a: str, b: str, kind: str) -> str:
        """x - a b"""
        return self._fused("fsub", x, self._fused("fmul", a, b, kind), kind)

    def _plus(self, k: str, a: int) -> str:
        return self.emit(f"add i64 {k}, {a}") if a else k

    def _at(self, base: str, index: str) -> str:
        return self.emit(f"getelementptr {self.one}, ptr {base}, i64 {index}")

    def _row(self, i: str) -> str:
        return self._at(self.w, self.emit(f"mul i64 {i}, {self.length}"))

    def _get(self, at: str, many: bool) -> str:
        return self.emit(f"load {self.many if many else self.one}, ptr {at}, align {self._align}")

    def _put(self, value: str, at: str, many: bool) -> None:
        kind = self.many if many else self.one
        self.lines.append(f"  store {kind} {value}, ptr {at}, align {self._align}")

    @property
    def _align(self) -> int:
        return self.t.count * self.t.bytes

    def _splat(self, x: str) -> str:
        """A number in all places of a vector."""
        if self.step == 1:
            return x
        first = self.emit(f"insertelement {self.many} poison, {self.one} {x}, i32 0")
        return self.emit(
            f"shufflevector {self.many} {first}, {self.many} poison, <{self.step} x i32> "
            "zeroinitializer"
        )

    def _sum(self, x: str) -> str:
        """The sum of the numbers of a vector."""
        if self.step == 1:
            return x
        kind = f"v{self.step}f{self.t.bits}"
        zero = self.t.splat(0.0)
        return self.emit(
            f"call reassoc {self.one} @llvm.vector.reduce.fadd.{kind}({self.one} {zero}, "
            f"{self.many} {x})"
        )
