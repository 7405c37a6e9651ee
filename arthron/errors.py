"""What can go wrong, as data. Each message says what came, what was expected, what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any


class ArthronError(Exception):
    """Base of every error that arthron raises on purpose."""


class ModelError(ArthronError):
    """A figure that cannot be: unknown names, unphysical inertia, a tree that does not connect."""


class JointError(ModelError):
    """A joint with parameters it cannot have."""


class ShapeError(ArthronError):
    """An array of the wrong shape, kind or layout at a call."""


class SimulationError(ArthronError):
    """A simulation that cannot go on.

    Attributes:
        trajectory: what was simulated before, if any.
        row: which of many simulations it was, as an index of their axes; None of one alone.
        t: when its last good state was [s], or None.
        element: name of what is to blame, an element of the scene or a joint, or None.
    """

    trajectory: Any = None
    row: tuple[int, ...] | None = None
    t: float | None = None
    element: str | None = None


class SimulationWarning(UserWarning):
    """Some of many simulations could not go on; the others are whole."""


class TraceError(ArthronError):
    """A page did something that a straight-line program cannot hold."""


class CompileError(ArthronError):
    """A page could not be turned into native code."""


class FileError(ArthronError):
    """A file that cannot be read as what it claims to be.

    Attributes:
        path: the file.
        line: the line the complaint is about, or None when it is about the whole file.
        trajectory: states before the damage, of a trajectory that was damaged.
    """

    trajectory: Any = None

    def __init__(self, message: str, path: str, line: int | None = None) -> None:
        super().__init__(f"{path}{f':{line}' if line else ''}: {message}")
        self.message = message
        self.path = path
        self.line = line

    def __reduce__(self) -> tuple:
        return FileError, (self.message, self.path, self.line), self.__dict__


def nearest(name: str, known: Iterable[str]) -> str:
    """`Nearest: "panda_hand".` when some other known name is close to `name`, else nothing."""
    others = [other for other in known if other != name]
    close = difflib.get_close_matches(str(name), others, n=3, cutoff=0.4)
    return f" Nearest: {', '.join(repr(c) for c in close)}." if close else ""
