"""What a page takes: how arrays become its arguments, laid out by body.

A page is a function `page(tree, q, qd, ...)`. Inputs called q, qd, qdd, qddd, qdddd, tau and f_ext
are sized by the tree and indexed by body; any other input declares its shape and arrives as nested
tuples.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from .._graph.program import Shape
from .._spatial.motions import Force
from .._tree.tree import BodyList, Tree
from ..errors import TraceError

Page = Callable[..., Any]
AnyPage = TypeVar("AnyPage", bound=Page)
Extents = tuple[str | int, ...]
COUNTS = ("nq", "nv", "nb")


class Input(NamedTuple):
    """How an array becomes an argument of a page.

    Attributes:
        extents: its shape, with "nq", "nv" and "nb" for the numbers of the figure.
        layout: `layout(tree, scalars)` is what the page receives for its numbers in array order;
            nested tuples of the array's shape when left out.
        optional: whether it is zero when left out.
    """

    extents: Extents
    layout: Callable[[Tree, Sequence[Any]], Any] | None = None
    optional: bool = False

    def shape(self, tree: Tree) -> Shape:
        """The array's shape for a figure."""
        return tuple(n if isinstance(n, int) else getattr(tree, n) for n in self.extents)


def by_body(entry: Callable[[Sequence[Any]], Any], size: int) -> Callable[..., BodyList]:
    """A layout: one entry per body, each made of `size` numbers, and that of zeros for the base."""

    def layout(tree: Tree, scalars: Sequence[Any]) -> BodyList:
        rows = (scalars[k : k + size] for k in range(0, size * tree.nb, size))
        return BodyList(entry(row) for row in ([0.0] * size, *rows))

    return layout


OF_TREE = {
    "q": Input(("nq",), Tree.positions),
    "qd": Input(("nv",), Tree.rates),
    "qdd": Input(("nv",), Tree.accelerations),
    "qddd": Input(("nv",), functools.partial(Tree.further_rates, order=3)),
    "qdddd": Input(("nv",), functools.partial(Tree.further_rates, order=4)),
    "tau": Input(("nv",), Tree.forces),
    "f_ext": Input(("nb", 6), by_body(Force.from_array, 6), optional=True),
    "dq": Input(("nv",), Tree.rates),
    "q0": Input(("nq",), Tree.positions),
    "q1": Input(("nq",), Tree.positions),
}
"""Inputs that every page can take by name, without declaring them."""


RATES = ("q", "qd", "qdd", "qddd")


def placed(tree: Tree, scalars: Mapping[str, Sequence[Any]]) -> Tree:
    """The tree at the state that the inputs of a page are, as far as they say."""
    known = []
    for name in RATES:
        if name not in scalars:
            break
        known.append(scalars[name])
    return tree.at(*known) if known else tree


def takes(**declared: Extents | Input) -> Callable[[AnyPage], AnyPage]:
    """Declare shapes of a page's inputs, such as `@takes(target=(3,), weights=("nv",))`.

    "nq", "nv" and "nb" stand for the numbers of coordinates, velocities and bodies of the figure.
    """
    inputs: dict[str, Input] = {}
    for name, given in declared.items():
        shape = given.extents if isinstance(given, Input) else given
        fine = isinstance(shape, tuple) and all(isinstance(n, int) or n in COUNTS for n in shape)
        if not fine:
            raise TraceError(
                f"the shape of `{name}` is {shape!r}. Give a tuple of whole numbers, 'nq', 'nv' or "
                "'nb', such as (3,), or () for a scalar."
            )
        inputs[name] = given if isinstance(given, Input) else Input(shape)

    def declare(page: AnyPage) -> AnyPage:
        page.inputs = getattr(page, "inputs", {}) | inputs  # type: ignore[attr-defined]
        return page

    return declare


def own_inputs(page: Page) -> dict[str, Input]:
    """Inputs that a page declares."""
    return getattr(page_itself(page), "inputs", {})


def page_itself(page: Page) -> Page:
    """The function behind a page with keywords bound."""
    return getattr(page, "func", page)


def page_name(page: Page) -> str:
    """What a page is called."""
    return getattr(page_itself(page), "__name__", repr(page))
