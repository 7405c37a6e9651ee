"""Checked records one behind the other: what was damaged is found, what is not whole is left out.

A record is a head (its kind, its length, a checksum of what it holds, a checksum of the head) and
what it holds. The checksum of a head goes on from that of the head before, so that records which
are swapped, missing, there twice or of another file are found, too.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from io import FileIO

HEAD = struct.Struct("<4sQII")
CHECKED = HEAD.size - 4
"""Bytes of a head that its own checksum is about."""
PIECE = 1 << 18
"""Bytes that are read, and checked while they are near, at a time."""


class Damaged(Exception):
    """A record is not what was written.

    Attributes:
        at: where in the file it begins.
    """

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


@dataclass(frozen=True)
class Record:
    """Where a record is.

    Attributes:
        kind: four letters.
        size: bytes that it holds.
        check: checksum of these.
        chain: checksum of its head, from which the next one goes on.
        at: where its head begins.
    """

    kind: bytes
    size: int
    check: int
    chain: int
    at: int

    @property
    def end(self) -> int:
        """The byte behind it."""
        return self.at + HEAD.size + self.size


def head_of(kind: bytes, content: bytes | memoryview, chain: int) -> tuple[bytes, int]:
    """The head of a record that follows one with the checksum `chain`, and its own checksum."""
    first = HEAD.pack(kind, len(content), zlib.crc32(content), 0)[:CHECKED]
    own = zlib.crc32(first, chain)
    return first + own.to_bytes(4, "little"), own


def walk(file: FileIO, at: int, chain: int) -> Iterator[Record]:
    """Records of a file that are whole, by their heads, from a byte on; raises `Damaged`."""
    size = os.fstat(file.fileno()).st_size
    while size - at >= HEAD.size:
        file.seek(at)
        head = file.read(HEAD.size)
        kind, length, check, own = HEAD.unpack(head)
        record = Record(kind, length, check, own, at)
        if record.chain != zlib.crc32(head[:CHECKED], chain):
            raise Damaged(at)
        if record.end > size:  # whoever wrote it was killed
            return
        yield record
        at, chain = record.end, record.chain


def fill(file: FileIO, record: Record, content: memoryview) -> None:
    """Read what a record holds into bytes, and check it; raises `Damaged`."""
    file.seek(record.at + HEAD.size)
    done, check = 0, 0
    while done < record.size:
        piece = content[done : min(done + PIECE, record.size)]
        many = file.readinto(piece)
        if not many:
            raise Damaged(record.at)
        check = zlib.crc32(piece[:many], check)
        done += many
    if check != record.check:
        raise Damaged(record.at)


def content_of(file: FileIO, record: Record) -> bytes:
    """What a record holds; raises `Damaged`."""
    content = bytearray(record.size)
    fill(file, record, memoryview(content))
    return bytes(content)


def write(file: FileIO, *parts: bytes | memoryview) -> None:
    """Write all of it, however often the system takes only some."""
    for part in parts:
        rest = memoryview(part)
        while rest:
            rest = rest[file.write(rest) :]
