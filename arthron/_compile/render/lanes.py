"""Numbers side by side, and constants as LLVM reads them."""

from __future__ import annotations

import struct


class Lanes:
    """A machine type: `count` floating-point numbers of `bits` bits side by side.

    Attributes:
        element: LLVM name of one number.
        type: LLVM name of a lane-wide value.
        suffix: how intrinsics of that type are named.
        fma: whether the machine multiplies and adds in one instruction.
        vector: how many such numbers fit in a register.
    """

    def __init__(self, count: int, bits: int, *, fma: bool = True, vector: int = 1) -> None:
        self.count, self.bits, self.fma, self.vector = count, bits, fma, vector
        self.element = {64: "double", 32: "float"}[bits]
        self.type = self.element if count == 1 else f"<{count} x {self.element}>"
        self.suffix = f"f{bits}" if count == 1 else f"v{count}f{bits}"
        self.bytes = bits // 8

    def wide(self, element: str) -> str:
        """The lane-wide type of another element."""
        return element if self.count == 1 else f"<{self.count} x {element}>"

    def splat(self, value: float, element: str | None = None) -> str:
        """A constant in every lane."""
        element = element or self.element
        text = number(value, 32 if element == "float" else 64)
        return text if self.count == 1 else f"splat ({element} {text})"


def number(value: float, bits: int = 64) -> str:
    """A floating-point constant as LLVM reads it back to the last bit."""
    if bits == 32:
        with_overflow = (
            value
            if abs(value) < 3.4028235677973366e38 or value != value
            else (float("inf") if value > 0 else float("-inf"))
        )
        value = struct.unpack("<f", struct.pack("<f", with_overflow))[0]
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
