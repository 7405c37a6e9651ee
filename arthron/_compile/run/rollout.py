"""Many steps in one call: a page that says what comes next, run over and over in native code."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ..._graph.program import Program, Shape
from ...errors import ShapeError
from ..function import Kernel, Variant
from ..render.repeat import Layout, Plan
from .batch import cores
from .native import host

SLICE = 0.05
"""Seconds of work between two looks at Ctrl-C and at the progress bar, about."""


class Rollout:
    """A step in time, compiled: its first results are the next values of its first inputs.

    Args:
        trace: makes the program.
        states: how many states there are.
    """

    def __init__(self, trace: Callable[[], Program], states: int) -> None:
        self._variant = Variant(trace, None, states)
        self.states = states

    @property
    def op_count(self) -> int:
        """Arithmetic operations of one step."""
        return self._variant.signature().ops

    @property
    def inputs(self) -> Mapping[str, Shape]:
        """Name and shape of each input."""
        return self._variant.program.inputs

    def __call__(
        self,
        inputs: Sequence[np.ndarray],
        steps: int,
        every: int = 1,
        *,
        progress: Callable[[int], None] | None = None,
    ) -> list[np.ndarray]:
        """Results after every so many steps, (rows, steps // every, ...) each.

        Args:
            inputs: arrays of rows, (rows, ...), or (1, ...) the same for all; those that are no
                states may be (rows, steps, ...), one for each step.
            steps: how many.
            every: steps between those that are kept.
            progress: told now and then how many steps all rows have done.
        """
        shapes = list(self.inputs.values())
        rows = max(array.shape[0] for array in inputs)
        bits, lanes = 64, host().lanes(64) if rows > 1 else 1
        kernel = self._variant.kernel(bits, lanes)
        flat = [_rows(a, s, steps) for a, s in zip(inputs, shapes, strict=True)]
        outputs = kernel.signature.outputs
        kept = [np.empty((rows, steps // every, math.prod(s))) for s in outputs]
        if steps >= every:
            layout = Layout(len(shapes), len(outputs), self.states)
            _run(kernel, Plan(layout, flat, kept, every), steps, progress)
        return [k.reshape(*k.shape[:2], *s) for k, s in zip(kept, outputs, strict=True)]


def _rows(array: np.ndarray, shape: Shape, steps: int) -> np.ndarray:
    """An array as rows of numbers, or as rows of steps of numbers."""
    size, lead = math.prod(shape), array.shape[: array.ndim - len(shape)]
    if len(lead) == 2 and lead[1] != steps:
        raise ShapeError(f"an input has {lead[1]} steps, and {steps} are to be made.")
    return np.ascontiguousarray(array, float).reshape(*lead, size)


def _run(kernel: Kernel, plan: Plan, steps: int, progress: Callable[[int], None] | None) -> None:
    """All steps of all rows, on all cores, in slices of time."""
    threads = min(cores(), max(1, plan.rows // 16))
    size = -(-plan.rows // threads)
    size = -(-size // 8) * 8 if threads > 1 else size
    ranges = [(k, min(plan.rows, k + size)) for k in range(0, plan.rows, size)]
    stopped = threading.Event()
    done = [0] * len(ranges)

    def work(k: int) -> None:
        at, count = (
            0,
            max(1, 1_000_000 // max(1, kernel.signature.ops * (ranges[k][1] - ranges[k][0]))),
        )
        while at < steps and not stopped.is_set():
            began = time.perf_counter()
            until = min(steps, at + count)
            kernel.code.repeat(plan.pointer, at, until, *ranges[k])
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
        while any(helper.is_alive() for helper in helpers):
            helpers[-1].join(SLICE)
    finally:
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
