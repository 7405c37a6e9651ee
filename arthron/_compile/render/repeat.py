"""Steps one after the other in native code: what a kernel computes is where it goes on from.

The first results of such a kernel are the next values of its first inputs, the *states*. A module
with states defines `repeat(plan, first, last, start, stop)`: steps first..last of rows start..stop.
Every so many steps the results are written to where they are kept, and the next step reads them
from there; in between, states go back and forth between two places. Scratch memory is made once for
all steps: inputs that are the same for all rows and all steps stay in it.
"""

from __future__ import annotations

from dataclasses import dataclass

ROWS = 64
"""Rows that go through all steps before the next ones do: their states stay in the cache."""


@dataclass(frozen=True)
class PlanLayout:
    """Where each number of a plan is: a list of 64-bit integers, addresses and strides in bytes.

    Attributes:
        inputs: how many arrays go in; the first `states` of them are states.
        outputs: how many come out; the first `states` of them are next states.
        states: how many states there are.
    """

    inputs: int
    outputs: int
    states: int

    EVERY = 0

    def given(self, k: int) -> int:
        """Input k: address of row 0, bytes to the next row, bytes to the next step."""
        return 1 + 3 * k

    def kept(self, k: int) -> int:
        """Output k where it is kept: address, bytes to the next row, and to the next kept step.

        An address of null is of one that is not kept.
        """
        return 1 + 3 * self.inputs + 3 * k

    def between(self, k: int) -> int:
        """Output k between kept steps: two addresses, and bytes to the next row."""
        return 1 + 3 * self.inputs + 3 * self.outputs + 3 * k

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return 1 + 3 * self.inputs + 6 * self.outputs


def repeat(layout: PlanLayout, make: str, give_back: str, *, stays: bool) -> str:
    """LLVM text of `repeat` for a module that defines `run`.

    Args:
        layout: of the plan.
        make: text that makes scratch memory.
        give_back: text that gives it back.
        stays: whether an input that is at address null is where it was put before.
    """
    n, total = layout.inputs, layout.inputs + layout.outputs
    lines: list[str] = []
    count = iter(range(1_000_000))

    def emit(text: str) -> str:
        name = f"%x{next(count)}"
        lines.append(f"  {name} = {text}")
        return name

    def entry(place: int) -> str:
        address = emit(f"getelementptr i64, ptr %plan, i64 {place}")
        return emit(f"load i64, ptr {address}")

    def put(k: int, address: str, stride: str) -> None:
        for array, value in (("%args", address), ("%strides", stride)):
            place = emit(f"getelementptr i64, ptr {array}, i64 {k}")
            lines.append(f"  store i64 {value}, ptr {place}")

    def select(condition: str, a: str, b: str) -> str:
        return emit(f"select i1 {condition}, i64 {a}, i64 {b}")

    def kept_at(k: int, index: str, due: str) -> tuple[str, str, str]:
        base, row, step = (entry(layout.kept(k) + j) for j in range(3))
        far = emit(f"mul i64 {index}, {step}")
        is_kept = emit(f"and i1 {due}, {emit(f'icmp ne i64 {base}, 0')}")
        return emit(f"add i64 {base}, {far}"), row, is_kept

    def between_at(k: int, odd: str) -> tuple[str, str]:
        one, two, row = (entry(layout.between(k) + j) for j in range(3))
        return select(odd, two, one), row

    every = entry(PlanLayout.EVERY)
    next_step = emit("add i64 %s, 1")
    is_first = emit("icmp eq i64 %s, 0")
    before, ahead = (emit(f"sdiv i64 {s}, {every}") for s in ("%s", next_step))
    was_kept, is_kept = (
        emit(f"icmp eq i64 {emit(f'mul i64 {index}, {every}')}, {s}")
        for index, s in ((before, "%s"), (ahead, next_step))
    )
    earlier, later = (emit(f"sub i64 {index}, 1") for index in (before, ahead))
    odd = emit(f"icmp eq i64 {emit('and i64 %s, 1')}, 1")
    even = emit(f"xor i1 {odd}, true")
    other_rows, other_step = emit("icmp ne i64 %row, %start"), emit("icmp ne i64 %s, %first")
    later_run = emit(f"or i1 {other_rows}, {other_step}")
    for k in range(n):
        base, row, step = (entry(layout.given(k) + j) for j in range(3))
        if k < layout.states:
            kept, kept_row, from_kept = kept_at(k, earlier, was_kept)
            between, between_row = between_at(k, even)  # where the step before wrote it
            address, stride = (
                select(from_kept, kept, between),
                select(from_kept, kept_row, between_row),
            )
            put(k, select(is_first, base, address), select(is_first, row, stride))
        else:
            address = emit(f"add i64 {base}, {emit(f'mul i64 %s, {step}')}")
            if stays:
                shared = emit(f"icmp eq i64 {emit(f'or i64 {row}, {step}')}, 0")
                address = select(emit(f"and i1 {later_run}, {shared}"), "0", address)
            put(k, address, row)
    for k in range(layout.outputs):
        kept, kept_row, to_kept = kept_at(k, later, is_kept)
        between, between_row = between_at(k, odd)
        put(n + k, select(to_kept, kept, between), select(to_kept, kept_row, between_row))
    body = "\n".join(lines)
    return f"""declare i64 @llvm.smin.i64(i64, i64)
define i64 @repeat(ptr %plan, i64 %first, i64 %last, i64 %start, i64 %stop) nounwind {{
entry:
{make}
  %args = alloca [{total} x i64], align 16
  %strides = alloca [{total} x i64], align 16
  %some_rows = icmp slt i64 %start, %stop
  %some_steps = icmp slt i64 %first, %last
  %some = and i1 %some_rows, %some_steps
  br i1 %some, label %rows, label %done
rows:
  %row = phi i64 [ %start, %entry ], [ %row_end, %rows_next ]
  %row_far = add i64 %row, {ROWS}
  %row_end = call i64 @llvm.smin.i64(i64 %row_far, i64 %stop)
  br label %steps
steps:
  %s = phi i64 [ %first, %rows ], [ %s_next, %go_on ]
{body}
  %status = call i64 @run(ptr %scratch, ptr %args, ptr %strides, i64 %row, i64 %row_end)
  %stopped = icmp ne i64 %status, 0
  br i1 %stopped, label %done, label %go_on
go_on:
  %s_next = add i64 %s, 1
  %more_steps = icmp slt i64 %s_next, %last
  br i1 %more_steps, label %steps, label %rows_next
rows_next:
  %more_rows = icmp slt i64 %row_end, %stop
  br i1 %more_rows, label %rows, label %done
done:
  %result = phi i64 [ 0, %entry ], [ 0, %rows_next ], [ %status, %steps ]
{give_back}
  ret i64 %result
}}"""
