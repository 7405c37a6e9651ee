"""How a model's methods come to be: declared here, computed by a compiled page."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from .._compile.function import Function
from .._graph.program import Shape
from .._pages.compiled import method
from .._pages.page import Page
from ..errors import ModelError, ShapeError, nearest
from .described import Described

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


class Methods(Described):
    """What groups of methods have in common."""

    def _kept(self, name: str, page: Page, bound: dict[str, Any], **shapes: Shape) -> Function:
        """A page with some keywords bound, compiled once for each set of them."""
        functions: dict = self.__dict__.setdefault("_functions", {})
        key = (name, *bound.items(), *shapes.items())
        if key not in functions:
            partial = functools.partial(page, **bound)
            functions[key] = method(name, None, partial, self, shapes)  # type: ignore[arg-type]
        return functions[key]

    def _of_frame(
        self, name: str, page: Page, frame: str, bound: dict[str, Any], **shapes: Shape
    ) -> Function:
        """A page about a frame, compiled once for each."""
        functions: dict = self.__dict__.setdefault("_functions", {})
        key = (name, frame if isinstance(frame, str) else str(frame), *bound.values())
        if key not in functions:
            functions[key] = self._kept(name, page, vars(self.frame(frame)) | bound, **shapes)
        return functions[key]


def as_point(point: ArrayLike, q: ArrayLike) -> np.ndarray:
    """A point as an array of the same precision as q."""
    if isinstance(point, np.ndarray):
        return point
    try:
        return np.array(point, q.dtype if isinstance(q, np.ndarray) else float)
    except ValueError:
        raise ShapeError(f"`point` is {point!r}. Give three real numbers.") from None


def axes_named(name: str, value: str) -> str:
    known = ("local", "world_aligned", "world")
    if value not in known:
        raise ModelError(
            f"`{name}` is {value!r}; it says in which axes the result is and must be one of "
            f"{', '.join(map(repr, known))}.{nearest(value, known)}"
        )
    return value
