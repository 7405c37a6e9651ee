"""Own functions beside the C library's, in one run: `make bench`.

Both run over the same array of lanes on one thread; the C library is called a lane at a time, as
LLVM does by itself. NumPy's functions stand beside them. Errors are against mpmath.
"""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable
from pathlib import Path

import llvmlite.binding as llvm
import numpy as np

from arthron._compile.render.elementary import functions
from arthron._compile.render.instructions import INSTRUCTION
from arthron._compile.render.lanes import Lanes
from arthron._compile.run.native import assemble, host, objects
from arthron._graph.ops import Op

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "compile"))
import test_elementary
import test_sincos

N, AGAIN = 1024, 256
"""Numbers, which stay in the nearest cache, and how often a call goes over them."""
NUMPY = {Op.SIN: np.sin, Op.EXP: np.exp, Op.LOG: np.log, Op.TANH: np.tanh, Op.ATAN2: np.arctan2,
         Op.POW: np.power}  # fmt: skip
LOOP = """define void @loop(ptr %x, ptr %y, ptr %out, i64 %n, i64 %again) {{
entry:
  br label %over
over:
  %time = phi i64 [ 0, %entry ], [ %times, %done ]
  br label %next
next:
  %i = phi i64 [ 0, %over ], [ %j, %next ]
  %px = getelementptr {type}, ptr %x, i64 %i
  %py = getelementptr {type}, ptr %y, i64 %i
  %po = getelementptr {type}, ptr %out, i64 %i
  %a = load {type}, ptr %px, align 8
  %b = load {type}, ptr %py, align 8
  {instruction}
  store {type} %r, ptr %po, align 8
  %j = add i64 %i, 1
  %more = icmp slt i64 %j, %n
  br i1 %more, label %next, label %done
done:
  %times = add i64 %time, 1
  %repeat = icmp slt i64 %times, %again
  br i1 %repeat, label %over, label %end
end:
  ret void
}}"""


class Loop:
    """A loop over arrays in native code."""

    def __init__(self, text: str) -> None:
        (code,) = objects(assemble([text], host()))
        library = llvm.JITLibraryBuilder().add_object_img(code)
        library.add_current_process().export_symbol("loop")
        self._jit = llvm.create_lljit_compiler()
        self._tracker = library.link(self._jit, "loop")
        pointer = ctypes.c_void_p
        i64 = ctypes.c_int64
        kind = ctypes.CFUNCTYPE(None, pointer, pointer, pointer, i64, i64)
        self.function = kind(self._tracker["loop"])

    def over(self, *arrays: np.ndarray, count: int) -> Callable[[], None]:
        """A call on these arrays, `count` numbers at a time, several times over."""
        places, n = [a.ctypes.data for a in arrays], len(arrays[0]) // count
        return lambda: self.function(*places, n, AGAIN)


def own(op: Op, t: Lanes) -> Loop:
    """A loop over our function."""
    args = ("%a", "%b")[: 2 if op in (Op.ATAN2, Op.POW) else 1]
    loop = LOOP.format(type=t.type, instruction=INSTRUCTION[op](t, "%r", *args))
    return Loop("\n".join([*functions([op], t), loop]))


def of_c(op: Op, t: Lanes) -> Loop:
    """A loop over the C library's, one call a lane."""
    name = op.name.lower() + ("f" if t.bits == 32 else "")
    args = "ab"[: 2 if op in (Op.ATAN2, Op.POW) else 1]
    lines, value = [], "poison"
    for k in range(t.count):
        lines += [f"%{a}{k} = extractelement {t.type} %{a}, i32 {k}" for a in args]
        listed = ", ".join(f"{t.element} %{a}{k}" for a in args)
        lines.append(f"%c{k} = call {t.element} @{name}({listed})")
        result = "%r" if k == t.count - 1 else f"%v{k}"
        lines.append(f"{result} = insertelement {t.type} {value}, {t.element} %c{k}, i32 {k}")
        value = result
    declare = f"declare {t.element} @{name}({', '.join([t.element] * len(args))})\n"
    return Loop(declare + LOOP.format(type=t.type, instruction="\n  ".join(lines)))


def aligned(k: int, dtype: type) -> np.ndarray:
    """An array at the start of a cache line, array k where no other's lines are in the cache."""
    raw = np.empty(N * 8 + 8192, np.uint8)
    start = -raw.ctypes.data % 4096 + 1344 * k // 64 * 64
    return raw[start : start + N * np.dtype(dtype).itemsize].view(dtype)


def best(call: Callable, repeats: int = 60) -> float:
    """Least time of a call."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def worst(op: Op, dtype: type) -> float:
    """Worst error seen over all that the tests look at, in units of the last place."""
    name = op.name.lower()
    if op is Op.SIN:
        dtyped = test_sincos.samples(dtype).values()
        return max(test_sincos.worst_ulp(test_sincos.batched, x.astype(dtype)) for x in dtyped)
    return max(
        test_elementary.worst_ulp(test_elementary.batched(name, x),
                                  test_elementary.true_values(name, x))
        for x in test_elementary.samples(name, dtype, 300, seed=5).values()
    )  # fmt: skip


def measure(op: Op, dtype: type) -> str:
    """A row of the table."""
    rng = np.random.default_rng(0)
    bits = 8 * np.dtype(dtype).itemsize
    t = host().lanes(bits, wide=True)
    x, y, out = (aligned(k, dtype) for k in range(3))
    x[:], y[:] = np.exp(rng.uniform(-3, 3, N)), rng.uniform(-4, 4, N)
    loops = [own(op, t), of_c(op, t)]
    ours, c = (best(f.over(x, y, out, count=t.count)) / AGAIN / N * 1e9 for f in loops)
    arguments = [np.tile(a, 16) for a in (x, y)[: NUMPY[op].nin]]  # a call costs as much as N
    results = np.empty_like(arguments[0])
    arrays = best(lambda: NUMPY[op](*arguments, out=results)) / N / 16 * 1e9
    figures = f"{ours:7.2f}{c:8.2f}{c / ours:7.1f}{arrays:8.2f}{worst(op, dtype):11.2f}"
    return f"{op.name.lower():8}{np.dtype(dtype).name:10}{figures}"


def main() -> None:
    """Prints the table."""
    print(f"{host().cpu}: ns a value, one thread, arrays of {N}")
    print(f"{'':8}{'type':10}{'own':>7}{'C':>8}{'ratio':>7}{'NumPy':>8}{'worst ulp':>11}")
    for op in NUMPY:
        for dtype in (np.float64, np.float32):
            print(measure(op, dtype), flush=True)


if __name__ == "__main__":
    main()
