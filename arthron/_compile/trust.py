"""Files that may be run as code: only those that nobody else can have written.

Folder and file must belong to this user or to root, and nobody else may write to either. Both are
looked at after they were opened, so that they cannot be exchanged in between, and links are not
followed.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


class UntrustedError(OSError):
    """Something that others may have put there, or changed."""


def make_folder(path: Path) -> None:
    """Make a folder, and those around it that are missing, for this user alone."""
    if not path.is_dir():
        make_folder(path.parent)
        path.mkdir(0o700, exist_ok=True)


def read(folder: Path, name: str) -> tuple[bytes, float]:
    """A file's content and when it was last changed; UntrustedError when others could do so."""
    if not _knows_owners():
        with open(folder / name, "rb") as file:
            return file.read(), os.fstat(file.fileno()).st_mtime
    path = os.path.join(folder, name)  # a `Path` would keep the name for good, from 3.12 on
    with trusted(folder) as place, _opened(path, stat.S_ISREG, place) as handle:
        with open(handle, "rb", closefd=False) as file:
            return file.read(), os.fstat(handle).st_mtime


@contextmanager
def trusted(folder: Path) -> Iterator[int | None]:
    """A descriptor of a folder; UntrustedError when others may write to it or to the one around."""
    if not _knows_owners():
        yield None
        return
    with _opened(folder.parent, stat.S_ISDIR) as around:
        with _opened(folder, stat.S_ISDIR, around) as place:
            yield place


def _knows_owners() -> bool:
    """Whether files have owners and modes here; on Windows folders of a user are the user's."""
    return hasattr(os, "geteuid")


@contextmanager
def _opened(
    path: str | Path, is_kind: Callable[[int], bool], folder: int | None = None
) -> Iterator[int]:
    """A descriptor of a file or folder that can be trusted."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY  # pipes do not wait
    try:
        name = path if folder is None else os.path.basename(path)
        handle = os.open(name, flags, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK):
            raise UntrustedError(f"{path} is a link") from None
        raise
    try:
        state = os.fstat(handle)
        if complaint := _complaint(state, is_kind):
            raise UntrustedError(f"{path} {complaint}")
        yield handle
    finally:
        os.close(handle)


def _complaint(state: os.stat_result, is_kind: Callable[[int], bool]) -> str | None:
    """Why not to trust what has such a state."""
    if not is_kind(state.st_mode):
        return f"is no {'folder' if is_kind is stat.S_ISDIR else 'file'}"
    if state.st_uid not in (0, os.geteuid()):
        return f"belongs to user {state.st_uid}, and this process to user {os.geteuid()}"
    if state.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"can be written by others (mode {stat.S_IMODE(state.st_mode):03o})"
    return None
