"""How a page declares the shapes of inputs that are its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..errors import TraceError

AnyPage = TypeVar("AnyPage", bound=Callable[..., Any])
Extents = tuple[str | int, ...]
KNOWN = ("nq", "nv", "nb")


def takes(**extents: Extents) -> Callable[[AnyPage], AnyPage]:
    """Declare shapes of a page's inputs, such as `@takes(target=(3,), weights=("nv",))`.

    "nq", "nv" and "nb" stand for the numbers of coordinates, velocities and bodies of the figure.
    """
    for name, shape in extents.items():
        fine = isinstance(shape, tuple) and all(isinstance(n, int) or n in KNOWN for n in shape)
        if not fine:
            raise TraceError(
                f"the shape of `{name}` is {shape!r}. Give a tuple of whole numbers, 'nq', 'nv' or "
                "'nb', such as (3,), or () for a scalar."
            )

    def declared(page: AnyPage) -> AnyPage:
        page.extents = getattr(page, "extents", {}) | extents  # type: ignore[attr-defined]
        return page

    return declared
