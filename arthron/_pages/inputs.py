"""The inputs of a page: which there are, how large, and what it receives for them."""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .._compile.function import Function
from .._graph.program import Shape
from .._tree.tree import Tree
from ..errors import TraceError, nearest
from .takes import OF_TREE, Input, Page, own_inputs, page_itself, page_name


def page_inputs(
    page: Page, tree: Tree, shapes: Mapping[str, Shape] | None = None
) -> dict[str, Shape]:
    """Name and array shape of each input of a page, in the order it takes them."""
    parameters = page_parameters(page)
    given = {name: _shape(name, shape) for name, shape in (shapes or {}).items()}
    for name in given:
        if name in OF_TREE or name == "out":
            raise TraceError(
                f"`shapes` gives {name!r} a shape, which the model does. Call the input something "
                f"other than {', '.join(OF_TREE)} or out."
            )
    late = getattr(page_itself(page), "late_shapes", None)  # of a derivative: as the results'
    known: dict[str, Shape] = {} if late is None else late(tree, given)
    known |= {n: each.shape(tree) for n, each in (OF_TREE | own_inputs(page)).items()} | given
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and p.default is p.empty and p.name not in known:
            raise TraceError(
                f"`{page_name(page)}` needs `{p.name}` by keyword. Bind it first, before "
                f"derivatives are taken: `functools.partial(page, {p.name}=...)`."
            )
    names = [p.name for p in parameters if p.default is p.empty]
    for name in names:
        if name not in known:
            raise TraceError(
                f"`{page_name(page)}` takes an input `{name}` of unknown shape. The model sizes "
                "q, qd, qdd, qddd, qdddd, tau, f_ext, dq, q0 and q1; declare others, as in "
                f"`@ar.takes({name}=(3,))` above the page, or "
                f"`ar.compile(page, model, shapes={{{name!r}: (3,)}})`."
            )
    return {name: known[name] for name in names}


def page_parameters(page: Page) -> list[inspect.Parameter]:
    """What a page takes behind the tree."""
    if isinstance(page, Function):
        raise TraceError(
            f"`{page.__name__}` is compiled already. Give its page, one of `ar.algorithms`, such "
            "as `ar.algorithms.inverse_dynamics`."
        )
    if not callable(page):
        raise TraceError(f"a page is {page!r}. Give a function `page(tree, q, ...)`.")
    parameters = list(inspect.signature(page).parameters.values())
    variable = [p for p in parameters if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    if not parameters or variable or parameters[0].name in ("q", "qd", "qdd", "tau"):
        raise TraceError(
            f"`{page_name(page)}` takes ({', '.join(map(str, parameters))}). A page takes the tree "
            "first and then named inputs: `page(tree, q, ...)`."
        )
    return parameters[1:]


def _shape(name: str, shape: Any) -> Shape:
    try:
        return tuple(operator.index(n) for n in shape)
    except TypeError:
        raise TraceError(
            f"the shape of `{name}` is {shape!r}. Give a tuple such as (3,), or () for a scalar."
        ) from None


def page_argument(page: Page, tree: Tree, name: str, shape: Shape, scalars: Sequence[Any]) -> Any:
    """What a page receives for an input: `scalars` in the order of the array, laid out by body."""
    layout = (OF_TREE | own_inputs(page)).get(name, Input(())).layout
    if layout is not None:
        return layout(tree, scalars)
    for axis in reversed(range(1, len(shape))):
        count, extent = math.prod(shape[:axis]), shape[axis]
        scalars = [tuple(scalars[k * extent : (k + 1) * extent]) for k in range(count)]
    return tuple(scalars) if shape else scalars[0]


def page_arguments(
    page: Page, tree: Tree, shapes: Mapping[str, Shape], scalars: Mapping[str, Sequence[Any]]
) -> dict[str, Any]:
    """What a page receives for all inputs; zeros for optional ones that are not there."""
    given = {n: page_argument(page, tree, n, shapes[n], each) for n, each in scalars.items()}
    return given | left_out(page, tree, given)


def optional_inputs(page: Page) -> dict[str, Input]:
    """Inputs of a page that are zero when left out."""
    names = inspect.signature(page).parameters
    known = OF_TREE | own_inputs(page)
    return {n: known[n] for n in names if n in known and known[n].optional}


def left_out(page: Page, tree: Tree, given: Iterable[str]) -> dict[str, Any]:
    """Zeros for the optional inputs of a page that are not `given`."""
    given = set(given)
    return {
        name: page_argument(page, tree, name, shape, [0.0] * math.prod(shape))
        for name, shape in ((n, each.shape(tree)) for n, each in optional_inputs(page).items())
        if name not in given
    }


def names_given(option: str, given: Any, example: str) -> tuple[str, ...]:
    """What an option names, or a word on how to name it."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        example = given if isinstance(given, str) else example
        raise TraceError(f"`{option}` is {given!r}. Give a tuple of names, such as ({example!r},).")
    return tuple(given)


def free_inputs(free: Iterable[str], tree: Tree, page: Page) -> dict[str, Shape]:
    """Names and shapes of those properties of the figure that are inputs, too."""
    known: dict[str, Shape] = {"inertia": (10 * tree.nb,), "placements": (tree.nb, 4, 4)}
    taken = {parameter.name for parameter in page_parameters(page)}
    for name in free:
        if name not in known:
            raise TraceError(
                f"`free` names {name!r}. What can be free is {' and '.join(map(repr, known))}."
                f"{nearest(str(name), known)}"
            )
        if name in taken:
            raise TraceError(
                f"`{page_name(page)}` has an input called `{name}` of its own. Call it something "
                "else, or leave it out of `free`."
            )
    return {name: known[name] for name in known if name in tuple(free)}
