"""From an object file for WebAssembly to a module, without a linker.

An object file of one module has all that a module has but exports: indices of functions and
addresses of data are those it was written with. Its symbol table, in the custom section `linking`,
says which function is which.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...errors import CompileError

MAGIC = b"\0asm\x01\0\0\0"
CUSTOM, IMPORT, EXPORT, DATA = 0, 2, 7, 11
ORDER = (1, 2, 3, 4, 5, 13, 6, 7, 8, 9, 12, 10, 11)
"""Kinds of sections in the order that modules have them."""
FUNCTION, MEMORY, GLOBAL = 0, 2, 3
GIVEN = {("env", "__linear_memory"): MEMORY, ("env", "__stack_pointer"): GLOBAL}
"""What a module may ask of its host."""
SYMBOL_TABLE = 8
SYMBOL_FUNCTION, SYMBOL_DATA, SYMBOL_SECTION = 0, 1, 3
UNDEFINED, NAMED = 0x10, 0x40
I32_CONST = 0x41


class Linked(NamedTuple):
    """A module.

    Attributes:
        wasm: its bytes.
        data: where its own data end, in bytes from the start of memory.
    """

    wasm: bytes
    data: int


def link(code: bytes, name: str) -> Linked:
    """An object file as a module that exports one of its functions."""
    sections = dict(_sections(code))
    for kind, each in _imports(sections.get(IMPORT, b"\0")):
        if GIVEN.get(each) != kind:
            raise CompileError(
                f"the module asks its host for {'.'.join(each)}, and it should need nothing but "
                "memory. This is a bug in arthron; please report it with the page that led to it."
            )
    symbol = next(index for each, index in _functions(_custom(code, b"linking")) if each == name)
    export = leb(1) + _text(name) + bytes([FUNCTION]) + leb(symbol)
    parts = {kind: body for kind, body in sections.items() if kind != CUSTOM} | {EXPORT: export}
    ordered = (bytes([k]) + leb(len(parts[k])) + parts[k] for k in ORDER if k in parts)
    return Linked(MAGIC + b"".join(ordered), _data_end(sections.get(DATA, b"\0")))


def leb(n: int) -> bytes:
    """A number as WebAssembly writes it: seven bits a byte, the lowest first."""
    low, rest = n & 127, n >> 7
    return bytes([low | 128]) + leb(rest) if rest else bytes([low])


def _text(name: str) -> bytes:
    return leb(len(name.encode())) + name.encode()


class _Reader:
    """Reads on through bytes."""

    def __init__(self, body: bytes, at: int = 0) -> None:
        self.body, self.at = body, at

    def __bool__(self) -> bool:
        return self.at < len(self.body)

    def take(self, count: int) -> bytes:
        self.at += count
        return self.body[self.at - count : self.at]

    def number(self) -> int:
        result = shift = 0
        while True:
            (byte,) = self.take(1)
            result |= (byte & 127) << shift
            shift += 7
            if not byte & 128:
                return result

    def block(self) -> bytes:
        """Bytes behind their number."""
        return self.take(self.number())


def _sections(code: bytes) -> Iterator[tuple[int, bytes]]:
    reader = _Reader(code, len(MAGIC))
    if not code.startswith(MAGIC):
        raise CompileError("LLVM wrote something that is no WebAssembly. This is a bug in arthron.")
    while reader:
        (kind,) = reader.take(1)
        yield kind, reader.block()


def _custom(code: bytes, name: bytes) -> bytes:
    """The custom section of a name."""
    for kind, body in _sections(code):
        reader = _Reader(body)
        if kind == CUSTOM and reader.block() == name:
            return body[reader.at :]
    raise CompileError(f"LLVM wrote no section {name.decode()}. This is a bug in arthron.")


def _imports(body: bytes) -> Iterator[tuple[int, tuple[str, str]]]:
    """Kind and name of what comes from outside."""
    reader = _Reader(body)
    for _ in range(reader.number()):
        names = reader.block().decode(), reader.block().decode()
        (kind,) = reader.take(1)
        yield kind, names
        if kind == GLOBAL:
            reader.take(2)  # its type, and whether it changes
        elif kind == MEMORY:
            (limits,) = reader.take(1)
            for _ in range(1 + (limits & 1)):
                reader.number()
        else:  # of what is refused anyway
            reader.number()


def _functions(body: bytes) -> Iterator[tuple[str, int]]:
    """Name and index of each function that the object file defines."""
    reader = _Reader(body)
    reader.number()  # version
    while reader:
        (kind,) = reader.take(1)
        table = _Reader(reader.block())
        for _ in range(table.number() if kind == SYMBOL_TABLE else 0):
            (what,) = table.take(1)
            flags = table.number()
            if what == SYMBOL_DATA:
                table.block()
                for _ in range(0 if flags & UNDEFINED else 3):
                    table.number()
                continue
            index = table.number()
            if what == SYMBOL_SECTION or (flags & UNDEFINED and not flags & NAMED):
                continue
            name = table.block().decode()
            if what == SYMBOL_FUNCTION and not flags & UNDEFINED:
                yield name, index


def _data_end(body: bytes) -> int:
    """The first byte of memory behind all data: segments `0, i32.const place, end, bytes`."""
    reader, end = _Reader(body), 0
    for _ in range(reader.number()):
        flags, opcode = reader.number(), *reader.take(1)
        assert flags == 0 and opcode == I32_CONST
        place = reader.number()  # signed in general; places are far below where that matters
        reader.take(1)
        end = max(end, place + len(reader.block()))
    return end
