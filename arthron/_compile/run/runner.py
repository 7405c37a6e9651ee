"""What a runner is asked for."""

from __future__ import annotations

from typing import Protocol, TypeVar

from ..._graph.program import Program
from ..signature import Signature

AnyKernel = TypeVar("AnyKernel")
OneKernel = TypeVar("OneKernel", covariant=True)


class Runner(Protocol[OneKernel]):
    """Makes kernels of programs for a kind of machine. It alone knows the machine.

    Kernels are for numbers of so many `bits`, and for single states or for a `batch`.
    """

    def has_lanes(self, bits: int) -> bool:
        """Whether batches have code of their own, on several lanes."""
        ...

    def key(self, bits: int, batch: bool) -> str:
        """What code depends on besides its program, for the cache's keys."""
        ...

    def text(self, program: Program, signature: Signature, bits: int, batch: bool) -> str:
        """LLVM text of a program."""
        ...

    def prepare(self) -> None:
        """Something is going to be compiled: get ready for that while it is being traced."""
        ...

    def assemble(self, program: Program, signature: Signature, bits: int, batch: bool) -> bytes:
        """Code of a program, as it is kept on disk."""
        ...

    def load(self, code: bytes, signature: Signature, bits: int) -> OneKernel:
        """Code, ready to be used."""
        ...
