"""Running a step in time over and over: rows on all cores, in slices short enough for Ctrl-C."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from .cores import cores
from .interrupt import HERE, raise_pending
from .native import Loaded
from .plan import Plan

SLICE = 0.05
"""Seconds of work between two looks at Ctrl-C and at the progress bar, about."""


def run_steps(
    code: Loaded, plan: Plan, steps: int, cost: int, progress: Callable[[int], None] | None
) -> None:
    """All steps of all rows, on all cores, in slices of time; `cost` is what a step costs."""
    threads = min(cores(), max(1, plan.rows // 16))
    size = -(-plan.rows // threads)
    size = -(-size // 8) * 8 if threads > 1 else size
    ranges = [(k, min(plan.rows, k + size)) for k in range(0, plan.rows, size)]
    stopped = threading.Event()
    done = [0] * len(ranges)

    def work(k: int) -> None:
        HERE.stopped = stopped
        at, count = 0, max(1, 1_000_000 // max(1, cost * (ranges[k][1] - ranges[k][0])))
        while at < steps and not stopped.is_set():
            began = time.perf_counter()
            until = min(steps, at + count)
            if code.repeat(plan.pointer, at, until, *ranges[k]):
                return
            at = done[k] = until
            took = time.perf_counter() - began
            count = max(1, int(count * min(4.0, SLICE / max(took, 1e-6))))
            if k == 0 and progress is not None:
                progress(min(done))

    helpers = [threading.Thread(target=work, args=(k,)) for k in range(1, len(ranges))]
    try:
        for helper in helpers:
            helper.start()
        work(0)
        if HERE.error:
            raise_pending()
        while any(helper.is_alive() for helper in helpers):
            helpers[-1].join(SLICE)
    finally:
        HERE.stopped = None
        stopped.set()
        _end(helpers)


def _end(helpers: Sequence[threading.Thread]) -> None:
    """Wait for all threads, also when Ctrl-C comes in the middle of that: it is passed on then."""
    interrupted = False
    for helper in helpers:
        for _ in range(1000):
            try:
                helper.join()
                break
            except RuntimeError:  # Ctrl-C came while it was being started
                time.sleep(0.001)
            except KeyboardInterrupt:
                interrupted = True
    if interrupted:
        raise KeyboardInterrupt
