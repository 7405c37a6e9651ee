"""Many steps in one call: a page that says what comes next, run over and over in native code."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from .._graph.program import Program, Shape
from ..errors import ShapeError
from .function import Variant
from .run.cpu import HOST, Kernel
from .run.runner import Runner


class Rollout:
    """A step in time, compiled: its first results are the next values of its first inputs.

    Args:
        trace: makes the program.
        states: how many states there are.
        key: what the program computes, known without tracing it, if it is.
        lanes: whether rows of a batch go side by side. Where each has loops and places in arrays of
            its own, they are faster one after the other.
        runner: what makes and runs the code.
    """

    def __init__(
        self, trace: Callable[[], Program], states: int, *, key: str | None = None,
        lanes: bool = True, runner: Runner[Kernel] = HOST,
    ) -> None:  # fmt: skip
        self._variant = Variant(trace, key, runner, states)
        self.states, self.lanes = states, lanes

    @property
    def op_count(self) -> int:
        """Arithmetic operations of one step."""
        return self._variant.signature().ops

    def digest(self) -> str:
        """What a step computes: equal for equal programs."""
        return self._variant.key

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
        dropped: Sequence[int] = (),
        progress: Callable[[int], None] | None = None,
    ) -> list[np.ndarray]:
        """Results after every so many steps, (rows, steps // every, ...) each, or (rows, 0, ...).

        Args:
            inputs: arrays of rows, (rows, ...), or (1, ...) the same for all; those that are no
                states may be (rows, steps, ...), one for each step.
            steps: how many.
            every: steps between those that are kept.
            dropped: which results are not kept.
            progress: told now and then how many steps all rows have done.
        """
        rows = max(array.shape[0] for array in inputs)
        kernel = self._variant.kernel(64, batch=self.lanes and rows > 1)
        shapes = kernel.signature.inputs
        flat = [_rows(a, s, steps) for a, s in zip(inputs, shapes, strict=True)]
        outputs = kernel.signature.outputs
        times = [0 if k in dropped else steps // every for k in range(len(outputs))]
        kept = [np.empty((rows, n, math.prod(s))) for n, s in zip(times, outputs, strict=True)]
        if progress is not None:
            progress(0)  # the code is there: what comes now are steps
        if steps >= every:
            kernel.repeat(flat, kept, steps, every, progress)
        return [k.reshape(*k.shape[:2], *s) for k, s in zip(kept, outputs, strict=True)]


def _rows(array: np.ndarray, shape: Shape, steps: int) -> np.ndarray:
    """An array as rows of numbers, or as rows of steps of numbers."""
    size, lead = math.prod(shape), array.shape[: array.ndim - len(shape)]
    if len(lead) == 2 and lead[1] != steps:
        raise ShapeError(f"an input has {lead[1]} steps, and {steps} are to be made.")
    return np.ascontiguousarray(array, float).reshape(*lead, size)
