"""Derivatives of pages, as pages."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from typing import Any

from ._algorithms.configuration import integrate
from ._graph.derive import jacobian as graph_jacobian
from ._graph.evaluate import evaluate
from ._graph.graph import Graph
from ._graph.program import Shape, pack
from ._model.tree import BodyList, Tree
from ._page import Page, page_argument, page_inputs, page_name, page_outputs, page_parameters
from ._spatial.motions import Force
from .errors import TraceError, nearest


def jacobian(page: Page, wrt: str = "q") -> Page:
    """The page that computes the derivative of every result of `page` by one of its inputs.

    Results gain the axes of the input: nv for q, qd, qdd and tau, the input's own shape for others.
    "By q" means by a small displacement e of the joints, at e = 0 of `integrate(q, e)`, so that
    quaternions have the derivatives of the three-dimensional thing they stand for. The derivative
    of a page is a page: compile it, run it, differentiate it again. Taken twice by q, it is the
    derivative of the derivative: the Hessian for plain coordinates; for quaternions the Hessian is
    its symmetric part, as turns in two orders differ.
    """
    names = [parameter.name for parameter in page_parameters(page)]
    if wrt not in names:
        raise TraceError(
            f"`{page_name(page)}` has no input {wrt!r} to differentiate by; it takes "
            f"{', '.join(names)}.{nearest(wrt, names)}"
        )

    @functools.wraps(page)
    def derivative(tree: Tree, *args: Any, **given: Any) -> Any:
        given = {**dict(zip(names, args, strict=False)), **given}
        scalars = {name: list(_scalars(tree, value)) for name, value in given.items()}
        declared = {n: _shape(v) for n, v in given.items() if not isinstance(v, BodyList)}
        shapes = page_inputs(page, tree, declared)
        graph = Graph()
        symbols = {name: graph.inputs(len(scalars[name])) for name in given}
        moved: dict[str, Sequence[Any]] = dict(symbols)
        if wrt == "q":
            e = graph.inputs(tree.nv)
            moved["q"] = tree.vector(integrate(tree, tree.positions(symbols["q"]), tree.rates(e)))
            extent: Shape = (tree.nv,)
        else:
            e, extent = symbols[wrt], shapes[wrt]
        arguments = {n: page_argument(tree, n, shapes[n], moved[n]) for n in given}
        structure, outputs = page_outputs(tree, page(tree, **arguments))
        values = [x for name in given for x in scalars[name]]
        values += [0.0] * (graph.input_count - len(values))  # e = 0
        results = []
        for output in outputs:
            rows = graph_jacobian(
                graph, [graph.lift(s) for s in output.scalars], [x.position for x in e]
            )
            flat = [graph.lift(x) for row in rows for x in row]
            results.append(_nest(evaluate(graph, flat, values), (*output.shape, *extent)))
        return pack(structure, results)

    derivative.__name__ = f"{page_name(page)}_by_{wrt}"
    return derivative


def _scalars(tree: Tree, value: Any) -> Iterator[Any]:
    """The scalars of a page's argument, in the order of the array it came from."""
    if isinstance(value, BodyList):
        value = value[1:] if isinstance(value[0], Force) else tree.vector(value)
    if isinstance(value, tuple | list):
        for entry in value:
            yield from _scalars(tree, entry)
    else:
        yield value


def _shape(value: Any) -> Shape:
    return (len(value), *_shape(value[0])) if isinstance(value, tuple) and value else ()


def _nest(flat: list[Any], shape: Shape) -> Any:
    """Nested lists of the given shape."""
    if not shape:
        return flat[0]
    for extent in reversed(shape[1:]):
        step = max(1, extent)
        flat = [flat[k : k + extent] for k in range(0, len(flat), step)]
    if math.prod(shape) == 0:
        return _nest_empty(shape)
    return flat


def _nest_empty(shape: Shape) -> list[Any]:
    return [_nest_empty(shape[1:]) for _ in range(shape[0])] if shape else []
