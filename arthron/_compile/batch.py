"""Running a kernel over many rows: on all cores, in slices short enough to hear Ctrl-C between."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Sequence

import numpy as np

from .entry import MOST
from .native import Loaded

SLICE = 100_000_000
"""Operations between two looks at whether somebody pressed Ctrl-C: a few milliseconds."""


def cores() -> int:
    """Processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_rows(
    code: Loaded, arrays: Sequence[np.ndarray], strides: Sequence[int], rows: int, ops: int
) -> None:
    """Compute `rows` rows. `strides` are bytes from row to row; `ops` is what a row costs."""
    pointers = (ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays))
    steps = (ctypes.c_int64 * len(arrays))(*strides)
    if rows * ops < MOST:
        code.run(pointers, steps, 0, rows)
        return
    threads = cores()
    size = min(-(-rows // (4 * threads)), max(1, SLICE // max(1, ops)))
    size = -(-size // 16) * 16
    starts = iter(range(0, rows, size))
    taking = threading.Lock()
    stopped = threading.Event()

    def work() -> None:
        while not stopped.is_set():
            with taking:
                start = next(starts, None)
            if start is None:
                return
            code.run(pointers, steps, start, min(rows, start + size))

    helpers = [threading.Thread(target=work, daemon=True) for _ in range(threads - 1)]
    for helper in helpers:
        helper.start()
    try:
        work()
    finally:
        stopped.set()
        for helper in helpers:
            helper.join()
