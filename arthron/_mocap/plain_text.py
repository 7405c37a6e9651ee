"""Text files from strangers: read with care, in words that know their line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .._figure.figure import Array
from ..errors import FileError

MAX_BYTES = 2**30
LARGEST = 1e9
"""Beyond this no number of a file is a length or an angle."""


class Word(NamedTuple):
    """A word and the line that it stands on."""

    text: str
    line: int


def read_lines(path: str | Path) -> list[str]:
    """Lines of a file, however they end; bytes that are no letters become marks."""
    try:
        file = Path(path)
        if file.stat().st_size > MAX_BYTES:
            raise FileError("it is larger than 1 GiB. Cut it into several files.", str(path))
        text = file.read_bytes().decode("utf-8-sig", errors="replace")
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or str(error)
        raise FileError(f"it cannot be read: {said}. Check the path.", str(path)) from None
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def number(word: Word, path: str, what: str) -> float:
    """A word as a finite number."""
    try:
        value = float(word.text)
    except ValueError:
        value = np.nan
    if not abs(value) <= LARGEST:
        raise FileError(
            f"{what} is {word.text[:40]!r}. Expected a number, at most {LARGEST:g}.",
            path,
            word.line,
        )
    return value


def whole(word: Word, path: str, what: str) -> int:
    """A word as a whole number of zero or more."""
    if not (word.text.isascii() and word.text.isdigit() and len(word.text) < 10):
        raise FileError(f"{what} is {word.text[:40]!r}. Expected a whole number.", path, word.line)
    return int(word.text)


def rows_of_numbers(lines: Sequence[str], first: int, columns: int, path: str) -> Array:
    """Lines of so many numbers each as an array; blank lines count for nothing.

    Args:
        lines: the text.
        first: number of the first of the lines in the file.
        columns: how many numbers a line has.
        path: the file, for messages.
    """
    rows = [row for row in map(str.split, lines) if row]
    try:
        if all(len(row) == columns for row in rows):
            found = np.array(rows, dtype=float).reshape(-1, columns)
            if (np.abs(found) <= LARGEST).all():  # which is false of NaN
                return found
    except ValueError:
        pass  # a word is no number; which one, is said below
    frame = 0
    for k, line in enumerate(lines):
        row = [Word(text, first + k) for text in line.split()]
        frame += bool(row)
        for word in row:
            number(word, path, f"a number of frame {frame}")
        if row and len(row) != columns:
            raise FileError(
                f"frame {frame} has {len(row)} numbers, and the skeleton has {columns} channels. "
                "Give each frame one line with a number for each of them.",
                path, first + k,
            )  # fmt: skip
    return np.array([list(map(float, row)) for row in rows]).reshape(-1, columns)
