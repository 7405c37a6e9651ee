"""Compiled code on disk, so that a page is compiled once per machine and not once per process.

A file holds a line of JSON, the object code, and a checksum over both and the file's name; one that
is damaged is ignored and written anew. Files appear under their final name in one step, so
processes that compile the same page at once do not see each other's half-written files. Any file
may vanish at any time: then the page is compiled again. Now and then, when a file is stored, those
used least recently make room. The checksum finds damage, not intent: what is run as code is only
what nobody else can have written (`trust.py`).
"""

from __future__ import annotations

import contextlib
import functools
import glob
import hashlib
import json
import os
import re
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import trust

VERSION = "v1"
"""Layout of the files; another layout lives in another folder."""
LIMIT = 10**9
"""The most that all files together may take, looked after now and then [B]."""
HOUR, DAY = 3600.0, 86400.0
CHECK = 20
TEMPORARY = ".tmp"
OURS = re.compile(rf"[0-9a-f]{{40}}|\w+{re.escape(TEMPORARY)}")
"""Names of our files: nothing else is ever removed."""


def folder() -> Path:
    """Where compiled code is kept: `$XDG_CACHE_HOME/arthron/v1`, or `~/.cache/arthron/v1`.

    Code is not looked for below the folder one happens to be in: relative places do not count.
    """
    home = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if not home.is_absolute():
        with contextlib.suppress(RuntimeError):
            home = Path.home() / ".cache"
    if not home.is_absolute():  # a user without a home keeps nothing
        home = Path(os.devnull)
    return home / "arthron" / VERSION


def key(*parts: Any) -> str:
    """A file name for what is described by `parts`."""
    return hashlib.blake2b(repr(parts).encode(), digest_size=20).hexdigest()


@functools.cache
def sources() -> str:
    """Hash of the package's own source: its pages and its code generator."""
    state = hashlib.blake2b(digest_size=20)
    package = Path(__file__).parents[1]
    for path in sorted(package.rglob("*.py")):
        state.update(str(path.relative_to(package)).encode())
        state.update(path.read_bytes())
    return state.hexdigest()


def load(name: str) -> tuple[dict[str, Any], bytes] | None:
    """Description and object code kept under `name`, or None."""
    place = folder()
    try:
        content, used = trust.read(place, name)
    except trust.UntrustedError as reason:
        _warn(str(reason))
        return None
    except OSError:
        return None
    body, check = content[:-CHECK], content[-CHECK:]
    if _checksum(name, body) != check:
        return None
    if time.time() - used > DAY:
        with contextlib.suppress(OSError):
            os.utime(place / name)  # used today: others go first when room is needed
    head, _, code = body.partition(b"\n")
    return json.loads(head), code


def store(name: str, description: dict[str, Any], code: bytes) -> None:
    """Keep object code under `name`. A disk that cannot be written costs time, not correctness."""
    body = json.dumps(description).encode() + b"\n" + code
    place = folder()
    with contextlib.suppress(OSError):
        trust.make_folder(place)
        with trust.trusted(place):
            handle, temporary = tempfile.mkstemp(dir=place, suffix=TEMPORARY)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(body + _checksum(name, body))
            os.replace(temporary, os.path.join(place, name))
        except BaseException:
            _remove(Path(temporary))
            raise
        if name.startswith("0"):  # one file in sixteen
            _make_room()


def cache_size() -> int:
    """Bytes that compiled code takes on disk."""
    return sum(state.st_size for _, state in _files())


def cache_clear() -> int:
    """Remove all compiled code from disk; returns how many bytes that frees.

    Code in use stays in memory. Pages that are called for the first time after this are compiled.
    """
    freed = sum(state.st_size for path, state in _files() if _remove(path))
    for place in (*_matching("v[0-9]*"), folder().parent):
        with contextlib.suppress(OSError):
            place.rmdir()
    return freed


@functools.cache
def _warn(reason: str) -> None:
    """Say once why code on disk is not run."""
    warnings.warn(
        f"arthron: {reason}. Compiled code is run from there, so nobody else may have written it: "
        "it is not used, and pages are compiled anew. Delete it; or, if only you have written to "
        f"it, `chmod -R go-w {folder().parent}`; or set XDG_CACHE_HOME to a folder of your own.",
        RuntimeWarning,
        stacklevel=2,
    )


def _checksum(name: str, body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=CHECK, key=name.encode()).digest()


def _make_room() -> None:
    """Remove what was used least recently beyond the limit, and what killed processes left."""
    kept, total, now = [], 0, time.time()
    for path, state in _files():
        if path.suffix != TEMPORARY:
            kept.append((state.st_mtime, state.st_size, path))
            total += state.st_size
        elif now - state.st_mtime > HOUR:
            _remove(path)
    for _, size, path in sorted(kept):
        if total <= LIMIT:
            break
        _remove(path)
        total -= size


def _files() -> Iterator[tuple[Path, os.stat_result]]:
    """Our files and their states, those of other layouts too: they age like the rest."""
    for path in _matching("v[0-9]*/*"):
        if OURS.fullmatch(path.name):
            with contextlib.suppress(OSError):  # gone since the folder was read
                yield path, path.lstat()


def _matching(pattern: str) -> Iterator[Path]:
    """What there is under the folder of all layouts."""
    return map(Path, glob.iglob(f"{glob.escape(str(folder().parent))}/{pattern}"))


def _remove(path: Path) -> bool:
    """Whether the file was there to be removed."""
    try:
        path.unlink()
    except OSError:
        return False
    return True
