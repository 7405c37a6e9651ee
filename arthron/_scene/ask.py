"""Asking functions of the user's: who it was that failed, or returned what it should not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import ArthronError, ModelError


def ask(who: str, function: Callable[..., Any], *given: Any) -> Any:
    """What a function returns; where it fails, an error that says whose it is."""
    try:
        return function(*given)
    except ArthronError:
        raise
    except Exception as error:
        raise ModelError(f"{who} failed with {type(error).__name__}: {error}.") from error


def numbers(who: str, given: Any, n: int, *, alone: bool = True) -> tuple:
    """One number for each of `n` coordinates, or one `alone` for all of them, as `n` numbers."""
    several = isinstance(given, tuple | list) or getattr(given, "dtype", None) == object
    each = tuple(given) if several else (given,) * (n if alone else 1)
    if len(each) != n or any(x is None or isinstance(x, str) for x in each):
        many = f"{len(each)} numbers, " if several else ""
        expected = f"{n} numbers, one for each coordinate"
        if alone:
            expected = "one number" if n == 1 else f"one number, or {n}: one for each coordinate"
        raise ModelError(f"{who} is {many}{given!r}. Give {expected}.")
    return each
