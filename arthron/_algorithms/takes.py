"""How a page declares the shapes of inputs that are its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

AnyPage = TypeVar("AnyPage", bound=Callable[..., Any])
Extents = tuple[str | int, ...]


def takes(**extents: Extents) -> Callable[[AnyPage], AnyPage]:
    """Declare shapes of a page's inputs, such as `@takes(target=(3,), weights=("nv",))`.

    "nq", "nv" and "nb" stand for the numbers of coordinates, velocities and bodies of the figure.
    """

    def declared(page: AnyPage) -> AnyPage:
        page.extents = extents  # type: ignore[attr-defined]
        return page

    return declared
