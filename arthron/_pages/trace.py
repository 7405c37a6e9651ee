"""Pages run: on symbols, which makes a program, and on numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._graph.expr import Expr
from .._graph.graph import LEAKED, Graph
from .._graph.program import Program, Shape, pack
from .._tree.parametrized import parametrized
from .._tree.tree import Tree
from ..errors import TraceError
from .inputs import page_arguments
from .outputs import page_outputs
from .takes import Page, placed

MANY = 60
"""Figures with more bodies are traced so that like bodies make like programs."""


def trace(page: Page, tree: Tree, inputs: Mapping[str, Shape]) -> Program:
    """Run a page on symbols. Optional inputs not among `inputs` are zero."""
    graph = Graph(by_body=tree.nb > MANY)
    scalars: dict[str, Sequence[Any]] = {
        name: graph.inputs(math.prod(shape)) for name, shape in inputs.items()
    }
    tree = placed(parametrized(tree, scalars), scalars)
    arguments = page_arguments(page, tree, inputs, scalars)
    with graph:
        structure, outputs = page_outputs(tree, page(tree, **arguments))
    lifted = tuple((o.shape, tuple(graph.lift(s) for s in o.scalars)) for o in outputs)
    return Program(graph, dict(inputs), structure, lifted)


def run(
    page: Page,
    tree: Tree,
    arrays: Mapping[str, np.ndarray],
    shapes: Mapping[str, Shape],
    batch: Shape,
) -> Any:
    """Run a page on numbers. Leading axes are a batch, and each scalar is an array."""
    scalars: dict[str, Sequence[Any]] = {}
    for name, array in arrays.items():
        lead = array.shape[: array.ndim - len(shapes[name])]
        flat = array.reshape(*lead, math.prod(shapes[name]))
        scalars[name] = [x if lead else np.float64(x) for x in np.moveaxis(flat, -1, 0)]
    tree = placed(parametrized(tree, scalars), scalars)
    arguments = page_arguments(page, tree, shapes, scalars)
    with np.errstate(all="ignore"):  # NaN and infinity go through, as in compiled code
        structure, outputs = page_outputs(tree, page(tree, **arguments))
    results = []
    for output in outputs:
        if any(isinstance(s, Expr) for s in output.scalars):
            raise TraceError(LEAKED.format(""))
        columns = [np.broadcast_to(np.asarray(s), batch) for s in output.scalars]
        stacked = np.stack(columns, axis=-1) if columns else np.zeros((*batch, 0))
        results.append(stacked.reshape((*batch, *output.shape)))
    return pack(structure, results)
