"""Calling functions of the user's: who it was that failed, or returned what it should not."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ArthronError, ModelError

PACKAGE = str(Path(__file__).parents[1])


OF_JOINTS = "It is given traced scalars, and tuples of them for q and qd of a joint: `q[0]`."
OF_FIGURE = (
    "It is given the tree, and what of t, q and qd it takes: `q[i]` is the tuple of body i, from 1 "
    "on, and `tree.vector(q)` all of them in one list."
)
"""What functions are given, in messages: those of links and joints, and those of whole figures."""


def call_user(who: str, function: Callable[..., Any], *given: Any, hint: str = OF_JOINTS) -> Any:
    """What a function returns; where it fails, an error that says whose it is, and where."""
    try:
        return function(*given)
    except ArthronError:
        raise
    except Exception as error:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if PACKAGE not in f.filename]
        where = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
        raise ModelError(
            f"{who} failed with {type(error).__name__}: {error}{where}. {hint}"
        ) from error


def numbers(who: str, given: Any, n: int, *, alone: bool = True) -> tuple:
    """One number for each of `n` coordinates, or one `alone` for all of them, as `n` numbers."""
    objects = isinstance(given, np.ndarray) and given.dtype.kind == "O"
    several = isinstance(given, tuple | list) or objects
    each = tuple(given) if several else (given,) * (n if alone else 1)
    if len(each) != n or any(x is None or isinstance(x, str) for x in each):
        many = f"{len(each)} numbers, " if several else ""
        expected = "a tuple of one number" if n == 1 else f"{n} numbers, one for each coordinate"
        if alone:
            expected = "one number" if n == 1 else f"one number, or {n}: one for each coordinate"
        raise ModelError(f"{who} is {many}{given!r}. Give {expected}.")
    return each
