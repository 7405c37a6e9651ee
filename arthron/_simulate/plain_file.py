"""Plain files: opened without waiting for anybody, and by one writer at a time."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from io import FileIO
from pathlib import Path
from typing import Any

from ..errors import FileError

KINDS = {stat.S_IFDIR: "a directory", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}


def plain_path(given: Any) -> Path:
    """The path of a plain file, there or not."""
    if not isinstance(given, str | os.PathLike) or isinstance(os.fspath(given), bytes):
        raise FileError("is no path. Give the name of a file.", repr(given))
    path = Path(given)
    check_plain(path)
    return path


def check_plain(path: Path) -> None:
    """Refuse what would be waited for, or never ends: only plain files are read and written."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):  # opening it says why
        return
    if not stat.S_ISREG(mode):
        kind = KINDS.get(stat.S_IFMT(mode), "a device")
        raise FileError(f"is {kind}. Give the name of a plain file.", str(path))


@contextlib.contextmanager
def reading(path: Path) -> Iterator[FileIO]:
    """A plain file to read from."""
    check_plain(path)
    try:
        with open(path, "rb", buffering=0) as file:
            yield file
    except (OSError, ValueError) as error:
        raise cannot("read", path, error) from error


def writing(path: Path) -> FileIO:
    """A plain file to read and write, new if there is none; nobody else has it until it is closed.

    Without a buffer: what could not be written is not tried again when it is closed.
    """
    check_plain(path)
    try:
        file = open(path, "r+b", buffering=0, opener=_create)
    except (OSError, ValueError) as error:
        raise cannot("written", path, error) from error
    try:
        _lock(file)
    except BlockingIOError as error:
        file.close()
        raise FileError(
            "is being written by another simulation. Wait for its end, or give a new file.",
            str(path),
        ) from error
    return file


def cannot(what: str, path: Path, error: Exception) -> FileError:
    """That a file cannot be read, or written, and why."""
    why = getattr(error, "strerror", None) or str(error)
    return FileError(f"cannot be {what}: {why}.", str(path))


def _create(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_CREAT, 0o666)


def _lock(file: FileIO) -> None:
    try:
        import fcntl
    except ImportError:  # a system without such locks
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:  # a disk without such locks
        return
