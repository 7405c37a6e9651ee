"""Chunks as functions. Chunks that are alike but for constants and places share one.

Short programs get constants and places written into the code; in long ones they are read from
tables, so that a figure of a thousand like bodies needs the code of one.
"""

from __future__ import annotations

from ..._graph.ops import ARITHMETIC, Op
from ..lowering.blocks import SCRATCH
from ..lowering.chunk import BLOCK, CLEAR, COPY, Written
from .array_access import Index, read_known
from .instructions import COMPARISONS, INSTRUCTION, choice
from .lanes import Lanes, number


class Functions:
    """LLVM functions of written chunks, each form once when `shared`, for modules `apart` or one.

    Attributes:
        text: the functions and tables so far.
        size: operations of those functions.
        ops: kinds of them.
        lookups: name of each table that a lookup reads.
    """

    def __init__(self, t: Lanes, *, shared: bool, apart: bool = False) -> None:
        self.t, self.shared = t, shared
        self.linkage = "hidden" if apart else "internal"
        self.text: list[str] = []
        self.size, self.ops = 0, set[Op]()
        self.lookups: dict[tuple[float, ...], str] = {}
        self._names: dict[tuple, str] = {}
        self._tables = 0

    def step(self, chunk: Written) -> tuple[str, str, str]:
        """(function, constants, places) of a chunk, the last two null when in the code."""
        if not self.shared:
            return self._function(chunk, len(self._names)), "null", "null"
        key = (chunk.form, chunk.bases)
        if key not in self._names:
            self._function(chunk, len(self._names), key)
        constants = [f"{self.t.element} {number(x, self.t.bits)}" for x in chunk.constants]
        places = [f"i32 {place}" for place in chunk.places]
        return (
            self._names[key],
            self.table(self.t.element, constants),
            self.table("i32", places),
        )

    def table(self, kind: str, entries: list[str]) -> str:
        """A table of constants, null when it is empty."""
        if not entries:
            return "null"
        name = f"@data.{self._tables}"
        self._tables += 1
        self.text.append(f"{name} = private constant [{len(entries)} x {kind}] "
                         f"[{', '.join(entries)}]")  # fmt: skip
        return name

    def _function(self, chunk: Written, k: int, key: tuple | None = None) -> str:
        name = f"@chunk.{k}"
        self._names[key or (k,)] = name
        self.size += len(chunk.form)
        self.ops |= {step[0] for step in chunk.form}
        body = "\n".join(Instructions(chunk, self.t, self.shared, self.lookups).lines)
        self.text.append(
            f"define {self.linkage} void {name}(ptr noalias %scratch, ptr noalias %rows, "
            f"ptr noalias %constants, ptr noalias %places) noinline nounwind {{\n{body}\n"
            "  ret void\n}"
        )
        return name

    def give_away(self) -> list[str]:
        """The chunks so far, which go into another module and are only declared in this one."""
        given = []
        for k, text in enumerate(self.text):
            if text.startswith("define hidden"):
                given.append(text)
                name = text[text.index("@") : text.index("(")]
                self.text[k] = f"declare hidden void {name}(ptr, ptr, ptr, ptr)"
        self.size, self.ops = 0, set()
        return given


class Instructions:
    """The instructions of a written chunk, as `lines`; `%v7` is the value of step 7."""

    def __init__(
        self, chunk: Written, t: Lanes, shared: bool, lookups: dict[tuple[float, ...], str]
    ) -> None:
        self.chunk, self.t, self.shared, self.lookups = chunk, t, shared, lookups
        self.lines: list[str] = []
        self.loaded: dict[int, str] = {}
        self.pairs: dict[int, str] = {}
        self.indices: dict[tuple[int, int], Index] = {}
        self.rows: set[int] = set()
        self.next_write = len(chunk.bases)
        for k, step in enumerate(chunk.form):
            self._step(k, *step)

    def _step(self, k: int, op, operands: tuple[int, ...], data, stores: tuple[int, ...]) -> None:
        if op in ARITHMETIC:  # nearly all, so by a short way
            first, second = operands
            values = [self._operand(first), self._operand(second)]
            self.lines.append("  " + INSTRUCTION[op](self.t, f"%v{k}", *values))
            self._store(f"%v{k}", stores)
            return
        if op is CLEAR:
            self.lines.append(
                f"  call void @llvm.memset.p0.i64(ptr align {self.t.bytes} "
                f"{self._write_address(stores[0])}, i8 0, i64 {data * self.t.bytes}, i1 false)"
            )
            return
        if op is BLOCK:
            source, target = self._place(operands[0]), self._write_address(stores[0])
            size, align = data * self.t.count * self.t.bytes, self.t.count * self.t.bytes
            self.lines.append(f"  call void @llvm.memcpy.p0.p0.i64(ptr align {align} {target}, "
                              f"ptr align {align} {source}, i64 {size}, i1 false)")  # fmt: skip
            return
        if op is Op.SOLVE:
            A, b, x = map(self._place, operands)
            self.lines.append(f"  call void @solve(ptr {A}, ptr {b}, ptr {x}, i64 {data})")
            return
        if op in (Op.READ, Op.WRITE):
            self._entry(f"%v{k}", op, operands, data)
            self._store(f"%v{k}", stores)
            return
        values = [self._operand(code) for code in operands]
        if op is COPY:
            value = values[0]
        else:
            value = f"%v{k}"
            self.lines.append("  " + self._instruction(value, op, operands, values, data))
        self._store(value, stores)

    def _store(self, value: str, stores: tuple[int, ...]) -> None:
        for base in stores:
            align = self.t.count * self.t.bytes
            address = self._write_address(base)
            self.lines.append(f"  store {self.t.type} {value}, ptr {address}, align {align}")

    def _entry(self, r: str, op: Op, operands: tuple[int, ...], size: int) -> None:
        """Read or write the entry of an array; writing asks the last operand who is active."""
        block = self._place(operands[0])
        known = self._known(operands[1])
        if op is Op.READ and known is not None:
            self.lines.append("  " + read_known(self.t, r, block, known, size))
            return
        index, *rest = (self._operand(code) for code in operands[1:])
        key = operands[1], size
        if key not in self.indices:
            self.indices[key] = Index(self.t, f"{r}.index", index, size)
            self.lines.append("  " + "\n  ".join(self.indices[key].lines))
        if op is Op.READ:
            self.lines.append("  " + self.indices[key].read(r, block))
            return
        active = "splat (i1 true)"
        if len(rest) == 2 and self.t.count > 1:
            zero, active = self.t.splat(0.0), f"{r}.on"
            self.lines.append(f"  {active} = fcmp une {self.t.type} {rest[1]}, {zero}")
        self.lines.append("  " + self.indices[key].write(r, block, rest[0], active))

    def _known(self, code: int) -> float | None:
        """The number that an operand is, if it is the same wherever the text is used."""
        j, is_place = divmod(~code, 2)
        return None if code >= 0 or is_place or self.shared else self.chunk.constants[j]

    def _place(self, code: int) -> str:
        """Address of the place that an operand stands for."""
        j = ~code // 2
        return self._address(self.chunk.bases[j], j)

    def _instruction(
        self, r: str, op: Op, operands: tuple[int, ...], values: list[str], data
    ) -> str:
        """Text that computes a step; sine and cosine of one argument share a call.

        A choice by a comparison is made by its bit, not by the number that it is.
        """
        if op in (Op.SIN, Op.COS):
            both = f"{{ {self.t.type}, {self.t.type} }}"
            if operands[0] in self.pairs:
                part = 0 if op is Op.SIN else 1
                return f"{r} = extractvalue {both} {self.pairs[operands[0]]}, {part}"
            self.pairs[operands[0]] = f"{r}.both"
        if op is Op.WHERE and operands[0] >= 0 and self.chunk.form[operands[0]][0] in COMPARISONS:
            return choice(self.t, r, f"{values[0]}.bit", *values[1:])
        if op is Op.LOOKUP:
            name = self.lookups.setdefault(data, f"@lookup.{len(self.lookups)}")
            return INSTRUCTION[op](self.t, r, *values, name, len(data))
        return INSTRUCTION[op](self.t, r, *values)

    def _operand(self, code: int) -> str:
        if code >= 0:
            return f"%v{code}"
        if code not in self.loaded:
            j, is_place = divmod(~code, 2)
            self.loaded[code] = self._read(j) if is_place else self._constant(j)
        return self.loaded[code]

    def _constant(self, j: int) -> str:
        if not self.shared:
            return self.t.splat(self.chunk.constants[j])
        t = self.t
        self.lines.append(f"  %cp{j} = getelementptr {t.element}, ptr %constants, i64 {j}")
        self.lines.append(f"  %c{j} = load {t.element}, ptr %cp{j}")
        if t.count == 1:
            return f"%c{j}"
        self.lines.append(f"  %ci{j} = insertelement {t.type} poison, {t.element} %c{j}, i32 0")
        self.lines.append(f"  %cs{j} = shufflevector {t.type} %ci{j}, {t.type} poison, "
                          f"<{t.count} x i32> zeroinitializer")  # fmt: skip
        return f"%cs{j}"

    def _read(self, j: int) -> str:
        address = self._address(self.chunk.bases[j], j)
        align = self.t.count * self.t.bytes
        self.lines.append(f"  %r{j} = load {self.t.type}, ptr {address}, align {align}")
        return f"%r{j}"

    def _write_address(self, base: int) -> str:
        self.next_write += 1
        return self._address(base, self.next_write - 1)

    def _address(self, base: int, j: int) -> str:
        """Address of place j."""
        pointer = "%scratch"
        if base != SCRATCH:
            pointer = f"%base{base}"
            if base not in self.rows:
                self.rows.add(base)
                self.lines.append(f"  %row{base} = getelementptr ptr, ptr %rows, i64 {base}")
                self.lines.append(f"  %base{base} = load ptr, ptr %row{base}")
        index = f"i32 {self.chunk.places[j]}"
        if self.shared:
            self.lines.append(f"  %ip{j} = getelementptr i32, ptr %places, i64 {j}")
            self.lines.append(f"  %i{j} = load i32, ptr %ip{j}")
            index = f"i32 %i{j}"
        self.lines.append(f"  %p{j} = getelementptr {self.t.type}, ptr {pointer}, {index}")
        return f"%p{j}"
