"""What is made once and kept: the compiled functions of a model, the steps of a scene."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Memo:
    """Results by what they were made for.

    Args:
        most: how many are kept; the oldest make room. All of them when left out.
    """

    def __init__(self, most: int | None = None) -> None:
        self._most = most
        self._made: dict[Any, Any] = {}

    def __call__(self, key: Any, make: Callable[[], Any]) -> Any:
        """What `make` makes, made once for each key; anew each time for a key without a hash."""
        try:
            return self._made[key]
        except TypeError:  # a page that is an object of the user's
            return make()
        except KeyError:
            if len(self._made) == self._most:
                del self._made[next(iter(self._made))]
            return self._made.setdefault(key, make())
