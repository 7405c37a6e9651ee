"""Running a kernel over many rows: on all cores, in slices short enough to hear Ctrl-C between."""

from __future__ import annotations

import _thread
import ctypes
import threading
import time
from collections.abc import Sequence

import numpy as np

from ..render.entry import MOST
from .cores import cores
from .interrupt import HERE, raise_pending
from .native import Loaded

PAUSE = 0.01
"""Seconds between two looks at whether somebody pressed Ctrl-C, about."""
FIRST = 1_000_000
"""Operations in the first slice of a thread; later ones are sized by how long it took."""


def run_rows(
    code: Loaded, arrays: Sequence[np.ndarray], strides: Sequence[int], rows: int, work: int
) -> None:
    """Compute `rows` rows. `strides` are bytes from row to row; `work` is what a row costs."""
    addresses = (a.__array_interface__["data"][0] for a in arrays)  # faster than a.ctypes.data
    pointers = (ctypes.c_void_p * len(arrays))(*addresses)
    steps = (ctypes.c_int64 * len(arrays))(*strides)
    if rows * work < MOST:
        if code.run(pointers, steps, 0, rows):
            raise_pending()
        return
    threads = cores()
    taking, stopped = threading.Lock(), threading.Event()
    taken = 0

    def take() -> None:
        nonlocal taken
        HERE.stopped = stopped
        keep = arrays  # the memory behind the pointers, for as long as a thread may write to it
        size = max(16, FIRST // max(1, work) // 16 * 16)
        while not stopped.is_set() and keep is not None:
            with taking:  # towards the end smaller slices, so that all threads end together
                size = max(16, min(size, (rows - taken) // (2 * threads) // 16 * 16))
                start, taken = taken, taken + size
            if start >= rows:
                return
            began = time.perf_counter()
            if code.run(pointers, steps, start, min(rows, start + size)):
                return
            took = time.perf_counter() - began
            size = 2 * size if took < PAUSE else size
            size = max(16, size // 32 * 16) if took > 2 * PAUSE else size

    # bare threads: `threading.Thread.start` waits for the thread to run, most of a short batch
    ended: list[_thread.LockType] = []

    def help_out(done: _thread.LockType) -> None:
        try:
            take()
        finally:
            done.release()

    try:
        for _ in range(threads - 1):
            done = _thread.allocate_lock()
            done.acquire()
            _thread.start_new_thread(help_out, (done,))
            ended.append(done)
        take()
        if HERE.error:
            raise_pending()
        _wait(ended)
    finally:
        HERE.stopped = None
        stopped.set()  # of those that still run, as after Ctrl-C
        _wait(ended)


def _wait(ended: Sequence[_thread.LockType]) -> None:
    """Until all threads let go of their locks."""
    for done in ended:
        with done:
            pass
