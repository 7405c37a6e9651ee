"""The plan of a rollout: where its arrays are, as native code reads it."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np

from ..render.repeat import PlanLayout


class Plan:
    """The arrays of a rollout, and the numbers that tell native code where they are.

    Args:
        layout: of the plan.
        inputs: arrays of rows, (rows, size), (1, size) for all rows, or (rows, steps, size) with
            one for each step; states first.
        kept: arrays (rows, times, size) that results are kept in, next states first; those of no
            times are not kept.
        every: steps between kept results.
    """

    def __init__(
        self,
        layout: PlanLayout,
        inputs: Sequence[np.ndarray],
        kept: Sequence[np.ndarray],
        every: int,
    ) -> None:
        numbers = np.zeros(layout.size, np.int64)
        numbers[PlanLayout.EVERY] = every
        for k, array in enumerate(inputs):
            row = 0 if array.shape[0] == 1 else array.strides[0]
            step = array.strides[1] if array.ndim == 3 else 0
            numbers[layout.given(k) : layout.given(k) + 3] = _address(array), row, step
        rows = kept[0].shape[0]
        between = [np.empty((2, rows, array.shape[-1]), array.dtype) for array in kept]
        for k, (array, pair) in enumerate(zip(kept, between, strict=True)):
            at = layout.kept(k)
            address = _address(array) if array.shape[1] else 0
            numbers[at : at + 3] = address, array.strides[0], array.strides[1]
            at = layout.between(k)
            numbers[at : at + 3] = _address(pair[0]), _address(pair[1]), pair.strides[1]
        self.numbers, self.rows = numbers, rows
        self._alive = inputs, kept, between

    @property
    def pointer(self) -> ctypes.c_void_p:
        """Address of the numbers."""
        return ctypes.c_void_p(_address(self.numbers))


def _address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]
