"""Ctrl-C in the middle of a native loop: the code asks now and then, and is told to stop."""

from __future__ import annotations

import ctypes
import threading


class _ThreadState(threading.local):
    """What concerns the native call of this thread.

    Attributes:
        stopped: set when the threads of a batch are to end.
        error: what a signal handler raised.
    """

    def __init__(self) -> None:
        self.stopped: threading.Event | None = None
        self.error: BaseException | None = None


HERE = _ThreadState()


def poll() -> bool:
    """Whether native code is to stop; raises what signal handlers do, in the main thread."""
    ctypes.pythonapi.PyErr_CheckSignals()
    return HERE.stopped is not None and HERE.stopped.is_set()


def keep(error: BaseException) -> None:
    """Keep what was raised while native code ran."""
    HERE.error = error


def raise_pending() -> None:
    """Raise what stopped the native code."""
    error, HERE.error = HERE.error, None
    raise error or KeyboardInterrupt
