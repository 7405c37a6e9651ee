"""The runner for WebAssembly: makes modules that a browser or Node runs."""

from __future__ import annotations

import functools

import llvmlite
import llvmlite.binding as llvm

from ..._graph.program import Program
from ..render.machine import Machine
from ..render.wasm_module import wasm_module
from ..signature import Signature
from .assembler import object_code
from .native import llvm_accepts
from .wasm_link import link

FEATURES = "+mutable-globals,+sign-ext,+nontrapping-fptoint,+bulk-memory,+bulk-memory-opt"
"""What all browsers have had since 2021."""
HEAD = 8
"""Bytes of each number that is kept before a module."""


class WasmKernel:
    """A program as a module.

    Attributes:
        signature: what it takes and gives.
        wasm: the module.
        scratch: bytes of memory that it works in.
        data: where its own data end, in bytes from the start of memory.
    """

    def __init__(self, code: bytes, signature: Signature) -> None:
        self.signature = signature
        self.scratch, self.data = (
            int.from_bytes(code[k * HEAD : (k + 1) * HEAD], "little") for k in range(2)
        )
        self.wasm = code[2 * HEAD :]


class Wasm:
    """Makes modules for WebAssembly, of one state at a time."""

    @functools.cached_property
    def machine(self) -> Machine:
        """The machine, which LLVM is told about when it is first asked for."""
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        return Machine("wasm32-unknown-unknown", "mvp", FEATURES, 0, fma=False, direct_calls=True)

    def has_lanes(self, bits: int) -> bool:
        """Whether batches have code of their own; they have not."""
        return False

    def key(self, bits: int, batch: bool) -> str:
        """What a module depends on besides its program, for the cache's keys."""
        return f"{llvmlite.__version__} {self.machine} {bits}"

    def text(self, program: Program, signature: Signature, bits: int, batch: bool) -> str:
        """LLVM text of a program."""
        return self._text(program, signature, bits)[0]

    def _text(self, program: Program, signature: Signature, bits: int) -> tuple[str, int]:
        outputs = [positions for _, positions in program.outputs]
        return wasm_module(program.graph, outputs, signature, self.machine.lanes(bits))

    def prepare(self) -> None:
        """Something is going to be compiled; there is nothing to get ready."""

    def assemble(self, program: Program, signature: Signature, bits: int, batch: bool) -> bytes:
        """The module of a program, behind the sizes of its scratch memory and of its data."""
        text, scratch = self._text(program, signature, bits)
        machine = self.machine
        with llvm_accepts():
            code = object_code(text, machine.triple, machine.cpu, machine.features, reloc="static")
        module, data = link(code, "run")
        return b"".join(n.to_bytes(HEAD, "little") for n in (scratch, data)) + module

    def load(self, code: bytes, signature: Signature, bits: int) -> WasmKernel:
        """The module of what `assemble` made."""
        return WasmKernel(code, signature)


WASM = Wasm()
"""WebAssembly in its first version, which has memory of 32 bits."""
