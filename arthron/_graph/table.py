"""Numbers that a program looks up among."""

from __future__ import annotations

import hashlib
from functools import cached_property


class Table(tuple[float, ...]):
    """A tuple of floats that remembers its hash, and a digest for where programs are compared.

    The hull of a mesh has thousands of numbers, and a page looks them up in fifty places.
    """

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return self._digest

    @cached_property
    def level(self) -> bool:
        """Whether all entries are the same."""
        return len(set(self)) == 1

    @cached_property
    def _hash(self) -> int:
        return hash(tuple(self))

    @cached_property
    def _digest(self) -> str:
        return hashlib.blake2b(repr(tuple(self)).encode(), digest_size=20).hexdigest()
