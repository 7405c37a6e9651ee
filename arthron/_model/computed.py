"""How a model's methods come to be: declared in groups, computed by compiled pages."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from .._compile.function import Function
from .._graph.program import Shape
from .._pages.compiled import method
from .._pages.takes import Page
from ..errors import ModelError, ShapeError, nearest

if TYPE_CHECKING:
    from .model import Model

Method = TypeVar("Method", bound=Callable[..., Any])


class _Computed:
    """A method whose body is a compiled page: made when first asked for, then kept by the model."""

    def __init__(self, declaration: Callable, page: Page) -> None:
        self.declaration, self.page = declaration, page
        functools.update_wrapper(self, declaration)  # type: ignore[arg-type]

    def __get__(self, model: Any, owner: type) -> Callable:
        if model is None:
            return self.declaration
        name = self.declaration.__name__
        function = method(name, self.declaration.__doc__, self.page, model)
        return model.__dict__.setdefault(name, function)


def computed_by(page: Page) -> Callable[[Method], Method]:
    """Declare a method of the model that a page computes."""
    return lambda declaration: _Computed(declaration, page)  # type: ignore[return-value]


def bound_page(
    model: Model, name: str, page: Page, bound: dict[str, Any], **shapes: Shape
) -> Function:
    """A page with some keywords bound, compiled once for each set of them."""
    key = (name, *bound.items(), *shapes.items())
    partial = functools.partial(page, **bound)
    return model.memo(key, lambda: method(name, None, partial, model, shapes))


def frame_page(
    model: Model, name: str, page: Page, frame: str, bound: dict[str, Any], **shapes: Shape
) -> Function:
    """A page about a frame, compiled once for each."""
    key = (name, frame if isinstance(frame, str) else str(frame), *bound.values())
    return model.memo(
        key, lambda: bound_page(model, name, page, vars(model.frame(frame)) | bound, **shapes)
    )


def as_point(point: ArrayLike, q: ArrayLike) -> np.ndarray:
    """A point as an array of the same precision as q."""
    if isinstance(point, np.ndarray):
        return point
    try:
        return np.array(point, q.dtype if isinstance(q, np.ndarray) else float)
    except ValueError:
        raise ShapeError(f"`point` is {point!r}. Give three real numbers.") from None


AXES = ("local", "world_aligned", "world")


def checked_axes(axes: str, name: str = "axes") -> str:
    """The axes that a result is in, or a word on what they can be."""
    if axes not in AXES:
        raise ModelError(
            f"`{name}` is {axes!r}; it says in which axes the result is and must be one of "
            f"{', '.join(map(repr, AXES))}.{nearest(axes, AXES)}"
        )
    return axes
