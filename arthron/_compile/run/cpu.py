"""The runner for CPUs: makes kernels for this one, loads them, and calls them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence

import llvmlite
import numpy as np

from ..._graph.program import Program
from ..render.entry import TUPLE_ITEMS
from ..render.machine import Machine
from ..render.module import modules
from ..render.repeat import PlanLayout
from ..signature import Signature
from .batch import run_rows
from .children import CHILDREN
from .cores import cores
from .native import Loaded, assemble, host
from .plan import Plan
from .steps import run_steps

SMALLEST, LARGEST = 1000, 4000
"""Operations in a module, when there are several."""
SMALL = 256
"""Loops in programs of fewer operations wait for a pass to end: two registers a value fill that."""


class CPU:
    """Makes and loads kernels: for single states, or for batches."""

    @functools.cached_property
    def machine(self) -> Machine:
        """The machine, looked at when first asked for."""
        return host()

    def has_lanes(self, bits: int) -> bool:
        """Whether batches of numbers of `bits` bits have code of their own, on several lanes."""
        return self.machine.lanes(bits, wide=True).count > 1

    def key(self, bits: int, batch: bool) -> str:
        """What object code depends on besides its program, for the cache's keys."""
        return f"{llvmlite.__version__} {self.machine} {bits} {batch} {TUPLE_ITEMS}"

    def text(self, program: Program, signature: Signature, bits: int, batch: bool) -> str:
        """LLVM text of a program."""
        return next(self._modules(program, signature, bits, batch))

    def _modules(
        self,
        program: Program,
        signature: Signature,
        bits: int,
        batch: bool,
        size: int | None = None,
    ) -> Iterator[str]:
        outputs = [positions for _, positions in program.outputs]
        waits = signature.loops and signature.ops <= SMALL
        lanes = self.machine.lanes(bits, wide=batch, registers=2 if waits else 1)
        return modules(program.graph, outputs, signature, self.machine, lanes, size)

    def prepare(self) -> None:
        """Something is going to be compiled: get ready for that while it is being traced."""
        CHILDREN.prepare()

    def assemble(self, program: Program, signature: Signature, bits: int, batch: bool) -> bytes:
        """Object code of a program, on all cores when it is long."""
        size = None
        if cores() > 1 and signature.ops >= 2 * SMALLEST:
            size = min(LARGEST, max(SMALLEST, signature.ops // (4 * cores())))
        return assemble(self._modules(program, signature, bits, batch, size), self.machine)

    def load(self, code: bytes, signature: Signature, bits: int) -> Kernel:
        """Object code, ready to be called."""
        dtype = np.dtype(np.float64 if bits == 64 else np.float32)
        keys = signature.structure if isinstance(signature.structure, tuple) else ()
        return Kernel(Loaded(code, dtype, keys, repeats=signature.states > 0), signature)


class Kernel:
    """A program in memory, for one number type, for single states or for batches.

    Attributes:
        code: the native functions.
        signature: what it takes and gives.
    """

    def __init__(self, code: Loaded, signature: Signature) -> None:
        self.code, self.signature = code, signature

    def run(self, arrays: Sequence[np.ndarray], strides: Sequence[int], rows: int) -> None:
        """Compute `rows` rows of the arrays, inputs first; `strides` are bytes from row to row."""
        run_rows(self.code, arrays, strides, rows, self.signature.work)

    def repeat(
        self,
        inputs: Sequence[np.ndarray],
        kept: Sequence[np.ndarray],
        steps: int,
        every: int,
        progress: Callable[[int], None] | None,
    ) -> None:
        """Make steps in time, and keep the results of every so many, (rows, times, size) each.

        Inputs are rows of numbers, (rows, size) or (1, size), or (rows, steps, size).
        """
        s = self.signature
        layout = PlanLayout(len(s.inputs), len(s.outputs), s.states)
        run_steps(self.code, Plan(layout, inputs, kept, every), steps, s.work, progress)

    def caller(self, otherwise: Callable) -> Callable:
        """The fast call on arrays, which leaves to `otherwise` what it cannot take as it is."""
        return self.code.caller(otherwise)


HOST = CPU()
"""This computer's processor."""
