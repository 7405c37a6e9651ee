"""Ctrl-C in the middle of a native loop: the code asks now and then, and is told to stop."""

from __future__ import annotations

import ctypes
import threading


class _Here(threading.local):
    """What concerns the native call of this thread.

    Attributes:
        stopped: set when the threads of a batch are to end.
        error: what a signal handler raised.
    """

    def __init__(self) -> None:
        self.stopped: threading.Event | None = None
        self.error: BaseException | None = None


HERE = _Here()


@ctypes.CFUNCTYPE(ctypes.c_int64)
def poll() -> int:
    """Called by native code, with the interpreter's lock: whether to stop."""
    try:
        ctypes.pythonapi.PyErr_CheckSignals()  # runs handlers, in the main thread
    except BaseException as error:
        HERE.error = error
        return 1
    return int(HERE.stopped is not None and HERE.stopped.is_set())


def raise_pending() -> None:
    """Raise what stopped the native code."""
    error, HERE.error = HERE.error, None
    raise error or KeyboardInterrupt
