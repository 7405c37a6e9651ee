"""Compiled code on disk, so that a page is compiled once per machine and not once per process.

A file holds a line of JSON, the object code, and a checksum over both; one that is damaged is
ignored and written anew. Files appear under their final name in one step, so processes that compile
the same page at once do not see each other's half-written files.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

CHECK = 20


def folder() -> Path:
    """Where compiled code is kept: `$XDG_CACHE_HOME/arthron`, or `~/.cache/arthron`."""
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "arthron"


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
    try:
        content = (folder() / name).read_bytes()
    except OSError:
        return None
    body, check = content[:-CHECK], content[-CHECK:]
    if hashlib.blake2b(body, digest_size=CHECK).digest() != check:
        return None
    head, _, code = body.partition(b"\n")
    return json.loads(head), code


def store(name: str, description: dict[str, Any], code: bytes) -> None:
    """Keep object code under `name`. A disk that cannot be written costs time, not correctness."""
    body = json.dumps(description).encode() + b"\n" + code
    try:
        folder().mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=folder())
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(body + hashlib.blake2b(body, digest_size=CHECK).digest())
            os.replace(temporary, folder() / name)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError:
        return
