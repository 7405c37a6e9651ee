"""A loop as a step: a function that repeats the steps of its body until all lanes are done."""

from __future__ import annotations

from dataclasses import replace

from ..._graph.ops import LEAVES, Op
from ..lowering.blocks import SCRATCH, Place
from ..lowering.chunk import Writer
from ..lowering.schedule import ScheduledLoop, op_count
from .functions import Functions, Instructions
from .lanes import Lanes

BUDGET = 5_000_000
"""Operations between two looks at whether somebody pressed Ctrl-C: some five milliseconds."""
PASS = 10
"""Operations that a pass takes besides those of its body, about."""
CHECKED = 100_000
"""Operations of a loop, about, that are counted together."""
MANY = 32
"""More values than these are carried on in a loop when they lie in memory."""

LOOK = f"""@arthron_poll = external global i8
@arthron_keep = external global i8
@arthron_true = external global i8
declare i32 @PyGILState_Ensure()
declare void @PyGILState_Release(i32)
declare void @PyErr_Fetch(ptr, ptr, ptr)
declare void @PyErr_NormalizeException(ptr, ptr, ptr)
declare void @PyErr_Clear()
define internal i64 @ask() noinline nounwind {{
entry:
  %kind = alloca ptr, align 8
  %value = alloca ptr, align 8
  %trace = alloca ptr, align 8
  %lock = call i32 @PyGILState_Ensure()
  %answer = call ptr @PyObject_Vectorcall(ptr @arthron_poll, ptr null, i64 0, ptr null)
  %raised = icmp eq ptr %answer, null
  br i1 %raised, label %keep, label %answered
keep:
  call void @PyErr_Fetch(ptr %kind, ptr %value, ptr %trace)
  call void @PyErr_NormalizeException(ptr %kind, ptr %value, ptr %trace)
  %kept = call ptr @PyObject_Vectorcall(ptr @arthron_keep, ptr %value, i64 1, ptr null)
  call void @PyErr_Clear()
  br label %done
answered:
  %told = icmp eq ptr %answer, @arthron_true
  %number = zext i1 %told to i64
  br label %done
done:
  %result = phi i64 [ 1, %keep ], [ %number, %answered ]
  call void @PyGILState_Release(i32 %lock)
  ret i64 %result
}}
define internal i1 @look(ptr %control, i64 %work) noinline nounwind {{
entry:
  %before = load i64, ptr %control
  %left = sub i64 %before, %work
  store i64 %left, ptr %control
  %stopp = getelementptr i64, ptr %control, i64 1
  %due = icmp slt i64 %left, 0
  br i1 %due, label %ask, label %done
ask:
  store i64 {BUDGET}, ptr %control
  %told = call i64 @ask()
  %known = load i64, ptr %stopp
  %both = or i64 %told, %known
  store i64 %both, ptr %stopp
  br label %done
done:
  %now = load i64, ptr %stopp
  %stopped = icmp ne i64 %now, 0
  ret i1 %stopped
}}"""
"""Counts work off a budget, and asks the interpreter whether to stop when it is used up.

What a signal handler raises is kept in the interpreter until the native code has ended.
"""


class Loops:
    """Functions of loops.

    Args:
        t: lanes.
        functions: where their chunks and they themselves go.
        inputs: how many array arguments there are before those of results.
        control: where among the addresses of rows that of the budget is; None where nobody can
            interrupt a loop, which then counts nothing.
        epsilon: the rounding of the number type.
    """

    def __init__(
        self, t: Lanes, functions: Functions, inputs: int, control: int | None, epsilon: float
    ) -> None:
        self.t, self.functions, self.inputs, self.control = t, functions, inputs, control
        self.epsilon, self.count = epsilon, 0

    def step(self, loop: ScheduledLoop) -> tuple[str, str, str]:
        """The step that is a loop."""
        text = _Text(self, loop).lines
        name = f"@loop.{self.count}"
        self.count += 1
        self.functions.text.append(
            f"define internal void {name}(ptr noalias %scratch, ptr noalias %rows, ptr %constants, "
            "ptr %places) noinline nounwind {\n" + "\n".join(text) + "\n}"
        )
        return name, "null", "null"


class _Text:
    """The text of one loop."""

    def __init__(self, loops: Loops, loop: ScheduledLoop) -> None:
        self.loops, self.t, self.loop, self.lines = loops, loops.t, loop, ["entry:"]
        self.names, self.align, self.block = 0, loops.t.count * loops.t.bytes, "loop"
        self.bits, self.zero, self.one = self.t.wide("i1"), self.t.splat(0.0), self.t.splat(1.0)
        self.known: dict[int, str] = {}
        ops = PASS + op_count(loop.inside.graph, loop.inside.outputs, 0)
        self._begin()
        self._body()
        self._decide(*self._keep())
        self._end(ops, 1 << max(0, (CHECKED // ops).bit_length() - 1))

    def _begin(self) -> None:
        """Nothing where no lane wants a pass; else the start of a pass."""
        t, loop, bits = self.t, self.loop, self.bits
        first = self._mask(loop.when)
        if loop.active is not None:
            first = self.emit(f"and {bits} {first}, {self._mask((SCRATCH, loop.active))}")
        begun = self.emit(f"select {bits} {first}, {t.type} {self.zero}, {t.type} {self.one}")
        self.lines += [f"  br i1 {self._any(first)}, label %loop, label %skip", "skip:"]
        self._store(self.zero, loop.carried[-2])
        self._store(self.one, loop.carried[-1])
        self.lines += [
            "  ret void",
            "loop:",
            self._phi("i", "i64", "0", "next"),
            self._phi("active", bits, first, "still"),
            self._phi("count", t.type, self.zero, "counted"),
            self._phi("fine", t.type, begun, "finer"),
        ]

    def _phi(self, name: str, kind: str, start: str, after: str) -> str:
        """A value that changes from pass to pass."""
        before = ("more",) if self.loops.control is None else ("more", "check")
        again = "".join(f", [ %{after}, %{block} ]" for block in before)
        return f"  %{name} = phi {kind} [ {start}, %entry ]{again}"

    def _body(self) -> None:
        """The chunks of the body: one stands here, several are called."""
        t, loops, inside = self.t, self.loops, self.loop.inside
        nodes, chunks = inside.graph.nodes, [chunk for chunk in inside.chunks if chunk.nodes]
        if any(nodes[n][0] in (Op.LOOP, Op.WRITE) for chunk in chunks for n in chunk.nodes):
            assert inside.active is not None  # loops and writes inside ask who is active
            kinds = f"{t.type} {self.one}, {t.type} {self.zero}"
            self._store(self.emit(f"select {self.bits} %active, {kinds}"), inside.active)
        if len(chunks) == 1 and chunks[0].loop is None and not loops.functions.shared:
            writer = Writer(replace(inside, slots={}), loops.inputs, t.count, loops.epsilon)
            written = writer.write(chunks[0])
            self.lines += Instructions(written, t, False, loops.functions.lookups).lines
            self.known = {n: f"%v{code}" for n, code in writer.known.items() if code >= 0}
            return
        writer = Writer(inside, loops.inputs, t.count, loops.epsilon)
        for chunk in chunks:
            self._call(*loops.functions.step(writer.write(chunk)))
            if chunk.loop is not None:
                self._call(*loops.step(chunk.loop))

    def _keep(self) -> tuple[str, str]:
        """Next values of active lanes; (lanes that are done, lanes that are spoilt)."""
        t, loop, inside = self.t, self.loop, self.loop.inside
        graph, (*new, done) = inside.graph, inside.outputs
        ended = self.emit(f"fcmp une {t.type} {self._value(done)}, {self.zero}")
        watched, values, lying = range(loop.watched), {}, ({}, {})
        for k, node in enumerate(new):
            if node in graph.sizes or graph.nodes[node] == (Op.INPUT, k):
                continue
            if k < loop.body.settled and node in self.known:
                self._store(self.known[node], loop.carried[k])
                continue
            if inside.slots.get(node) == loop.carried[k] and node not in self.known:
                continue
            if node in self.known or graph.nodes[node][0] in LEAVES:
                values[k] = self._value(node)  # all before any
            else:
                lying[k in watched][k] = inside.place(node)
        for group in lying:
            if len(group) <= MANY:
                values |= {k: self._load(place) for k, place in group.items()}
        spoilt = "zeroinitializer" if t.count > 1 else "false"
        for watch, group in enumerate(lying):
            if len(group) > MANY:
                spoilt = self._move_many(group, spoilt, bool(watch))
        for k, value in values.items():
            spoilt = self._move(value, self._address(loop.carried[k]), spoilt, k in watched)
        self._move_arrays(new)
        return ended, spoilt

    def _move(self, value: str, address: str, spoilt: str, watched: bool) -> str:
        """Carry a next value on where lanes are active; lanes that are spoilt so far."""
        t = self.t
        if watched or t.count > 1:
            old = self.emit(f"load {t.type}, ptr {address}, align {self.align}")
            if watched:
                spoilt = self.emit(f"or {self.bits} {spoilt}, {self._spoils(value, old)}")
            value = self._if_active(value, old)
        self.lines.append(f"  store {t.type} {value}, ptr {address}, align {self.align}")
        return spoilt

    def _if_active(self, value: str, old: str) -> str:
        """The old value in lanes that are done; one lane alone makes passes while it is active."""
        if self.t.count == 1:
            return value
        return self.emit(f"select {self.bits} %active, {self.t.type} {value}, {self.t.type} {old}")

    def _move_many(self, places: dict[int, Place], spoilt: str, watched: bool) -> str:
        """The same with values that lie in scratch memory, in a loop of its own.

        Written out, hundreds of them took LLVM longer than all the rest.
        """
        t, before, here, end = self.t, self.block, f"move{self.names}", f"moved{self.names}"
        pairs = [i for k, (_, slot) in places.items() for i in (slot, self.loop.carried[k])]
        table = self.loops.functions.table("i32", [f"i32 {i}" for i in pairs])
        self.lines += [f"  br label %{here}", f"{here}:"]
        k, bad, addresses = f"%{here}.k", f"%{here}.bad", []
        phis = len(self.lines)
        for column in (0, 1):
            place = self.emit(f"getelementptr [2 x i32], ptr {table}, i64 {k}, i64 {column}")
            slot = self.emit(f"load i32, ptr {place}")
            addresses.append(self.emit(f"getelementptr {t.type}, ptr %scratch, i32 {slot}"))
        value = self.emit(f"load {t.type}, ptr {addresses[0]}, align {self.align}")
        worse = self._move(value, addresses[1], bad, watched)
        following = self.emit(f"add i64 {k}, 1")
        again = self.emit(f"icmp slt i64 {following}, {len(places)}")
        self.lines[phis:phis] = [
            f"  {k} = phi i64 [ 0, %{before} ], [ {following}, %{here} ]",
            f"  {bad} = phi {self.bits} [ {spoilt}, %{before} ], [ {worse}, %{here} ]",
        ]
        self.lines += [f"  br i1 {again}, label %{here}, label %{end}", f"{end}:"]
        self.block = end
        return worse

    def _decide(self, ended: str, spoilt: str) -> None:
        """Which lanes go on."""
        t, bits = self.t, self.bits
        true = "true" if t.count == 1 else "splat (i1 true)"
        good = self.emit(f"xor {bits} {spoilt}, {true}")
        now = self.emit(f"and {bits} {self.emit(f'and {bits} {ended}, {good}')}, %active")
        more = self.emit(f"fadd {t.type} %count, {self.one}")
        going = self.emit(f"and {bits} {self.emit(f'xor {bits} {ended}, {true}')}, {good}")
        self.lines += [
            f"  %finer = select {bits} {now}, {t.type} {self.one}, {t.type} %fine",
            f"  %counted = select {bits} %active, {t.type} {more}, {t.type} %count",
            f"  %still = and {bits} %active, {going}",
            "  %next = add i64 %i, 1",
        ]

    def _end(self, ops: int, every: int) -> None:
        """Another pass, a look at signals after every so many, or the end."""
        below = self.emit(f"icmp slt i64 %next, {self.loop.body.limit}")
        again = self.emit(f"and i1 {below}, {self._any('%still')}")
        self.lines += [f"  br i1 {again}, label %more, label %done", "more:"]
        if self.loops.control is None:
            self.lines.append("  br label %loop")
        else:
            self.lines += [
                f"  %tick = and i64 %next, {every - 1}",
                "  %due = icmp eq i64 %tick, 0",
                "  br i1 %due, label %check, label %loop",
                "check:",
            ]
            stopped = self._look(str(every * ops))
            self.lines.append(f"  br i1 {stopped}, label %done, label %loop")
        self.lines.append("done:")
        self._store("%counted", self.loop.carried[-2])
        self._store("%finer", self.loop.carried[-1])
        if self.loops.control is not None:
            rest = self.emit(f"and i64 %next, {every - 1}")
            self._look(self.emit(f"mul i64 {rest}, {ops}"))
        self.lines.append("  ret void")

    def _look(self, work: str) -> str:
        """Count work off the budget; whether to stop."""
        row = self.emit(f"getelementptr ptr, ptr %rows, i64 {self.loops.control}")
        return self.emit(f"call i1 @look(ptr {self.emit(f'load ptr, ptr {row}')}, i64 {work})")

    def emit(self, text: str) -> str:
        self.names += 1
        self.lines.append(f"  %x{self.names} = {text}")
        return f"%x{self.names}"

    def _address(self, slot: int) -> str:
        return self.emit(f"getelementptr {self.t.type}, ptr %scratch, i64 {slot}")

    def _store(self, value: str, slot: int) -> None:
        address = self._address(slot)
        self.lines.append(f"  store {self.t.type} {value}, ptr {address}, align {self.align}")

    def _load(self, place: Place) -> str:
        base, index = place
        pointer = "%scratch"
        if base != SCRATCH:
            row = self.emit(f"getelementptr ptr, ptr %rows, i64 {base}")
            pointer = self.emit(f"load ptr, ptr {row}")
        address = self.emit(f"getelementptr {self.t.type}, ptr {pointer}, i64 {index}")
        return self.emit(f"load {self.t.type}, ptr {address}, align {self.align}")

    def _mask(self, when: Place | float) -> str:
        """Lanes where a value is not zero."""
        value = self._load(when) if isinstance(when, tuple) else self.t.splat(when)
        return self.emit(f"fcmp une {self.t.type} {value}, {self.t.splat(0.0)}")

    def _any(self, mask: str) -> str:
        if self.t.count == 1:
            return mask
        n = self.t.count
        return self.emit(f"call i1 @llvm.vector.reduce.or.v{n}i1(<{n} x i1> {mask})")

    def _call(self, function: str, constants: str, places: str) -> None:
        arguments = f"ptr %scratch, ptr %rows, ptr {constants}, ptr {places}"
        self.lines.append(f"  call void {function}({arguments})")

    def _value(self, node: int) -> str:
        """The value of a node at the end of a pass."""
        if node not in self.known:
            inside = self.loop.inside
            op, *rest = inside.graph.nodes[node]
            if op is Op.CONST or op is Op.EPSILON:
                return self.t.splat(rest[0] if rest else self.loops.epsilon)
            self.known[node] = self._load(inside.place(node))
        return self.known[node]

    def _spoils(self, value: str, old: str) -> str:
        """Lanes where a value is NaN, or infinite where it was not."""
        t, bits, zero = self.t, self.t.wide("i1"), self.t.splat(0.0)
        infinity = t.splat(float("inf"))
        sizes = [
            self.emit(f"call {t.type} @llvm.fabs.{t.suffix}({t.type} {x})") for x in (value, old)
        ]
        nan = self.emit(f"fcmp uno {t.type} {value}, {zero}")
        is_, was = (self.emit(f"fcmp oeq {t.type} {x}, {infinity}") for x in sizes)
        nothing = self.emit(f"fcmp uno {t.type} {old}, {zero}")
        was = self.emit(f"or {bits} {was}, {nothing}")
        was = self.emit(f"xor {bits} {was}, {'true' if t.count == 1 else 'splat (i1 true)'}")
        return self.emit(f"or {bits} {nan}, {self.emit(f'and {bits} {is_}, {was}')}")

    def _move_arrays(self, new: list[int]) -> None:
        """Entries of next arrays that are not where they are carried, by way of registers."""
        inside, moves = self.loop.inside, []
        for node, slot in zip(new, self.loop.carried, strict=False):
            size = inside.graph.sizes.get(node)
            if size is not None and inside.place(node) != (SCRATCH, slot):
                base, at = inside.place(node)
                moves += [(self._load((base, at + k)), slot + k) for k in range(size)]
        for value, slot in moves:
            self._store(self._if_active(value, self._load((SCRATCH, slot))), slot)
