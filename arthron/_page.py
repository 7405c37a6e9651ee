"""The page protocol: how a page's inputs are laid out, and how its results become arrays.

A page is a function `page(tree, q, qd, ...)`. Inputs called q, qd, qdd, tau and f_ext are sized by
the tree and indexed by body; any other input declares its shape and arrives as nested tuples.
"""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ._graph.graph import Expr, Graph
from ._graph.program import Program, Shape, Structure, pack
from ._model.tree import BodyList, JointColumns, JointMatrix, OfJoint, Tree
from ._spatial.motions import Force, Forces, Motion, Subspace
from ._spatial.transform import Transform
from ._spatial.vectors import Vec3
from .errors import TraceError

Page = Callable[..., Any]

MANY = 60
"""Figures with more bodies are traced so that like bodies make like programs."""


def page_inputs(
    page: Page, tree: Tree, shapes: Mapping[str, Shape] | None = None
) -> dict[str, Shape]:
    """Name and array shape of each input of a page, in the order it takes them."""
    parameters = page_parameters(page)
    known: dict[str, Shape] = {
        "q": (tree.nq,), "qd": (tree.nv,), "qdd": (tree.nv,), "tau": (tree.nv,),
        "dq": (tree.nv,), "q0": (tree.nq,), "q1": (tree.nq,), "f_ext": (tree.nb, 6),
    }  # fmt: skip
    for name, shape in (shapes or {}).items():
        if name in known or name == "out":
            raise TraceError(
                f"`shapes` gives {name!r} a shape, which the model does. Call the input something "
                f"other than {', '.join(known)} or out."
            )
        known[name] = _shape(name, shape)
    names = [p.name for p in parameters if p.default is p.empty]
    for name in names:
        if name not in known:
            raise TraceError(
                f"`{page_name(page)}` takes an input `{name}` of unknown shape. The model sizes "
                "q, qd, qdd, tau, f_ext, dq, q0 and q1; declare others, as in "
                f"`ar.compile(page, model, shapes={{{name!r}: (3,)}})`."
            )
    return {name: known[name] for name in names}


def page_parameters(page: Page) -> list[inspect.Parameter]:
    """What a page takes behind the tree."""
    from ._compile.function import Function

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


def page_argument(tree: Tree, name: str, shape: Shape, scalars: Sequence[Any]) -> Any:
    """What a page receives for an input: `scalars` in the order of the array, laid out by body."""
    if name in ("q", "q0", "q1"):
        return tree.positions(scalars)
    if name in ("qd", "qdd", "dq"):
        return tree.rates(scalars)
    if name == "tau":
        return tree.forces(scalars)
    if name == "f_ext":
        rows = (scalars[k : k + 6] for k in range(0, 6 * tree.nb, 6))
        return BodyList([Force(), *(_force(row) for row in rows)])
    for extent in reversed(shape[1:]):
        scalars = [tuple(scalars[k : k + extent]) for k in range(0, len(scalars), extent)]
    return tuple(scalars) if shape else scalars[0]


def _force(six: Sequence[Any]) -> Force:
    return Force(Vec3(*six[:3]), Vec3(*six[3:]))


def no_forces(tree: Tree) -> BodyList:
    """`f_ext` when nothing pulls at the bodies."""
    return BodyList(Force() for _ in tree.parent)


@dataclass(frozen=True)
class Output:
    """One result of a page: its scalars in array order, and the array's shape."""

    shape: Shape
    scalars: list[Any]


def page_outputs(tree: Tree, result: Any) -> tuple[Structure, list[Output]]:
    """Results of a page as flat outputs, and their structure.

    A dict or a tuple of results is several arrays; a list is one array.
    """
    if isinstance(result, dict) and not isinstance(result, JointMatrix | JointColumns):
        return tuple(result), [_output(tree, value) for value in result.values()]
    if type(result) is tuple:
        return len(result), [_output(tree, value) for value in result]
    return None, [_output(tree, result)]


class _Nothing(list):
    """No entries, of the shape of an example."""

    def __init__(self, example: Any) -> None:
        super().__init__()
        self.example = example


def _output(tree: Tree, value: Any) -> Output:
    table = _table(tree, value)
    if isinstance(table, _Nothing):
        return Output((0, *_output(tree, table.example).shape), [])
    shape: list[int] = []
    level = table
    while isinstance(level, list):
        shape.append(len(level))
        level = level[0] if level else None
    flat = [table]
    for extent in shape:
        if any(not isinstance(row, list) or len(row) != extent for row in flat):
            raise TraceError("a result has rows of unequal length; they cannot form an array.")
        flat = [x for row in flat for x in row]
    if any(isinstance(x, list) for x in flat):
        raise TraceError("a result has rows of unequal length; they cannot form an array.")
    return Output(tuple(shape), flat)


def _is_scalar(value: Any) -> bool:
    array = isinstance(value, np.ndarray) and value.dtype != object
    return array or isinstance(value, Expr | float | int | np.generic)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 80 else f"{text[:77]}..."


def _table(tree: Tree, value: Any) -> Any:
    """Nested lists of scalars, shaped like the array they will fill."""
    if _is_scalar(value):
        return value
    if isinstance(value, Transform):
        return _table(tree, value.matrix())
    if isinstance(value, Motion | Force):
        return [*value.ang, *value.lin]
    if isinstance(value, BodyList):
        if all(type(e) in (tuple, OfJoint) or e is None for e in value[1:] or value):
            return tree.vector(value)
        return [_table(tree, entry) for entry in value[1:]] or _Nothing(_table(tree, value[0]))
    if isinstance(value, JointMatrix):
        return tree.dense(value) or _Nothing([])
    if isinstance(value, JointColumns):
        columns = {j: [_table(tree, m) for m in block] for j, block in value.items()}
        turned = tree.columns(JointColumns(columns), [0.0] * value.rows)
        return [[column[k] for column in turned] for k in range(value.rows)]
    if isinstance(value, Subspace | Forces | tuple | list):
        return [_table(tree, entry) for entry in value]
    if isinstance(value, np.ndarray):
        return value.tolist()
    forgot = " Did you forget `return`?" if value is None else ""
    raise TraceError(
        f"a page returned {_short(value)} of type {type(value).__name__}. Return scalars, vectors, "
        f"spatial vectors, lists of them per body, or a dict of these.{forgot}"
    )


def trace(page: Page, tree: Tree, inputs: Mapping[str, Shape]) -> Program:
    """Run a page on symbols. An `f_ext` that is not among `inputs` is zero."""
    graph = Graph(lifts_signs=tree.nb <= MANY)
    tree = replace(tree, on_body=graph.mark)
    arguments = {
        name: page_argument(tree, name, shape, graph.inputs(math.prod(shape)))
        for name, shape in inputs.items()
    }
    if "f_ext" in inspect.signature(page).parameters and "f_ext" not in inputs:
        arguments["f_ext"] = no_forces(tree)
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
    arguments: dict[str, Any] = {}
    for name, array in arrays.items():
        shape = shapes[name]
        lead = array.shape[: array.ndim - len(shape)]
        flat = array.reshape(*lead, math.prod(shape))
        scalars = [x if lead else float(x) for x in np.moveaxis(flat, -1, 0)]
        arguments[name] = page_argument(tree, name, shape, scalars)
    if "f_ext" in inspect.signature(page).parameters and "f_ext" not in arguments:
        arguments["f_ext"] = no_forces(tree)
    with np.errstate(all="ignore"):  # NaN and infinity go through, as in compiled code
        structure, outputs = page_outputs(tree, page(tree, **arguments))
    results = []
    for output in outputs:
        columns = [np.broadcast_to(np.asarray(s), batch) for s in output.scalars]
        stacked = np.stack(columns, axis=-1) if columns else np.zeros((*batch, 0))
        results.append(stacked.reshape((*batch, *output.shape)))
    return pack(structure, results)


def page_name(page: Page) -> str:
    return getattr(page, "__name__", repr(page))
