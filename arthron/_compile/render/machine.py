"""The kind of machine that code is rendered for."""

from __future__ import annotations

from dataclasses import dataclass

from .lanes import Lanes


@dataclass(frozen=True)
class Machine:
    """A kind of machine: what LLVM calls it, and what its code is made of.

    Attributes:
        triple: architecture and system.
        cpu: processor name.
        features: instruction sets, as LLVM lists them.
        vector_bits: width of the widest vectors worth using; 0 when there are none.
        fma: whether it multiplies and adds in one instruction, with one rounding.
        direct_calls: whether the steps of a program are called one after the other. Else a loop
            calls them through a table of function pointers, which is less code.
    """

    triple: str
    cpu: str
    features: str
    vector_bits: int
    fma: bool = True
    direct_calls: bool = False

    def lanes(self, bits: int, wide: bool = False, registers: int = 1) -> Lanes:
        """Numbers of `bits` bits: one, or when `wide` as many as fit in some registers."""
        count = max(1, registers * self.vector_bits // bits) if wide else 1
        return Lanes(count, bits, fma=self.fma, vector=max(1, self.vector_bits // bits))
