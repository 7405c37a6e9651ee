"""Objects of this interpreter that native code reads: where they are, and whether as foreseen."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..render.entry import (
    ALIGNED,
    CONTIGUOUS,
    DATA,
    DESCR,
    DIMENSIONS,
    FLAGS,
    NDIM,
    TUPLE_ITEMS,
    TUPLE_SIZE,
    TYPE,
    WRITEABLE,
)
from .interrupt import keep, poll, raise_pending

PYARRAY_EMPTY = 184
"""Place of `PyArray_Empty` in NumPy's C interface, the same in every release of NumPy 1 and 2."""
OUT = sys.intern("out")


def _empty_address() -> int:
    """Address of NumPy's C function that makes an array."""
    core: Any = getattr(np, "_core", None) or np.core  # NumPy 2, NumPy 1
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    table = pointer(core.multiarray._ARRAY_API, None)
    return (ctypes.c_void_p * (PYARRAY_EMPTY + 1)).from_address(table)[PYARRAY_EMPTY] or 0


def symbols(dtype: np.dtype, keys: Sequence[str]) -> dict[str, int]:
    """Addresses of this process that the module of an entry refers to by name.

    `keys` are those of a dict of results, interned, and must be kept as long as the module.
    """
    return {
        **{f"arthron_key{k}": id(key) for k, key in enumerate(keys)},
        "arthron_ndarray": id(np.ndarray),
        "arthron_dtype": id(dtype),
        "arthron_out": id(OUT),
        "arthron_none": id(None),
        "arthron_stopped": id(raise_pending),
        "arthron_poll": id(poll),
        "arthron_keep": id(keep),
        "arthron_true": id(True),
        "arthron_empty": _empty_address(),
    }


def layout_is_known() -> bool:
    """Whether objects of this interpreter lie in memory as this file believes."""
    if object.__basicsize__ != DATA or ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    if sys.implementation.name != "cpython" or int(np.__version__.split(".")[0]) not in (1, 2):
        return False
    probe = np.zeros((2, 3, 5))
    probe.flags.writeable = False
    pair = (OUT, probe)

    def word(thing: Any, offset: int, kind: Any) -> int:
        return kind.from_address(id(thing) + offset).value or 0

    dimensions = (ctypes.c_int64 * 3).from_address(word(probe, DIMENSIONS, ctypes.c_void_p))
    return (
        word(probe, TYPE, ctypes.c_void_p) == id(np.ndarray)
        and word(probe, DATA, ctypes.c_void_p) == probe.ctypes.data
        and word(probe, NDIM, ctypes.c_int) == 3
        and tuple(dimensions) == probe.shape
        and word(probe, DESCR, ctypes.c_void_p) == id(probe.dtype)
        and word(probe, FLAGS, ctypes.c_int) & (CONTIGUOUS | ALIGNED | WRITEABLE)
        == CONTIGUOUS | ALIGNED
        and word(pair, TUPLE_SIZE, ctypes.c_int64) == 2
        and word(pair, TUPLE_ITEMS, ctypes.c_void_p) == id(OUT)
    )
