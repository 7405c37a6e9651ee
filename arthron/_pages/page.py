"""The page protocol: how a page's inputs are laid out, and how its results become arrays.

A page is a function `page(tree, q, qd, ...)`. Inputs called q, qd, qdd, tau and f_ext are sized by
the tree and indexed by body; any other input declares its shape and arrives as nested tuples.
"""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._graph.expr import Expr
from .._graph.graph import LEAKED, Graph, mark_body
from .._graph.iterate import Iterated
from .._graph.program import Program, Shape, Structure, pack
from .._graph.root import Root
from .._spatial.inertia import ArticulatedInertia
from .._spatial.motions import Force, Forces, Motion, Subspace
from .._spatial.transform import Transform
from .._spatial.vectors import Mat3, Vec3
from .._tree.parametrized import freed
from .._tree.tree import BodyList, JointColumns, JointMatrix, OfJoint, Shaped, Tree
from ..errors import TraceError, nearest

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
        "joint_terms": (tree.nv,), "body_terms": (tree.nb, 6, 6),
    }  # fmt: skip
    sized = tuple(known)
    own = page_itself(page)
    for name, extents in getattr(own, "extents", {}).items():
        known[name] = tuple(n if isinstance(n, int) else getattr(tree, n) for n in extents)
    late = getattr(own, "late_shapes", None)
    if late is not None:  # a derivative, whose weights have the shape of the result
        known = late(tree, shapes or {}) | known
    for name, shape in (shapes or {}).items():
        if name in sized or name == "out":
            raise TraceError(
                f"`shapes` gives {name!r} a shape, which the model does. Call the input something "
                f"other than {', '.join(sized)} or out."
            )
        known[name] = _shape(name, shape)
    names = [p.name for p in parameters if p.default is p.empty]
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and p.default is p.empty and p.name not in known:
            raise TraceError(
                f"`{page_name(page)}` needs `{p.name}` by keyword. Bind it first: "
                f"`functools.partial({page_name(page)}, {p.name}=...)`."
            )
    for name in names:
        if name not in known:
            raise TraceError(
                f"`{page_name(page)}` takes an input `{name}` of unknown shape. The model sizes "
                "q, qd, qdd, tau, f_ext, dq, q0 and q1; declare others, as in "
                f"`@ar.takes({name}=(3,))` above the page, or "
                f"`ar.compile(page, model, shapes={{{name!r}: (3,)}})`."
            )
    return {name: known[name] for name in names}


def page_parameters(page: Page) -> list[inspect.Parameter]:
    """What a page takes behind the tree."""
    from .._compile.function import Function

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
    if name in ("tau", "joint_terms"):
        return tree.forces(scalars)
    if name == "f_ext":
        rows = (scalars[k : k + 6] for k in range(0, 6 * tree.nb, 6))
        return BodyList([Force(), *(_force(row) for row in rows)])
    if name == "body_terms":
        return BodyList([_stiffness([0.0] * 36), *(_stiffness(scalars[k : k + 36])
                         for k in range(0, 36 * tree.nb, 36))])  # fmt: skip
    for axis in reversed(range(1, len(shape))):
        count, extent = math.prod(shape[:axis]), shape[axis]
        scalars = [tuple(scalars[k * extent : (k + 1) * extent]) for k in range(count)]
    return tuple(scalars) if shape else scalars[0]


def _force(six: Sequence[Any]) -> Force:
    return Force(Vec3(*six[:3]), Vec3(*six[3:]))


def _stiffness(entries: Sequence[Any]) -> ArticulatedInertia:
    """A symmetric 6 x 6 matrix, angular first, of which the upper triangle is read."""
    rows = [entries[k : k + 6] for k in range(0, 36, 6)]
    a, b, c = (Vec3(*row[3:]) for row in rows[:3])
    I, M = (
        Mat3(Vec3(x[k], x[k + 1], x[k + 2]), Vec3(x[k + 1], y[k + 1], y[k + 2]),
             Vec3(x[k + 2], y[k + 2], z[k + 2]))
        for k, (x, y, z) in ((0, rows[:3]), (3, rows[3:]))
    )  # fmt: skip
    return ArticulatedInertia(I, Mat3(a, b, c), M)


OPTIONAL = ("f_ext", "joint_terms", "body_terms")
"""Inputs that are zero when left out."""


def left_out(page: Page, tree: Tree, inputs: Iterable[str]) -> dict[str, Any]:
    """Zeros for the optional inputs of a page that are not among `inputs`."""
    sizes = {"f_ext": 6 * tree.nb, "joint_terms": tree.nv, "body_terms": 36 * tree.nb}
    missing = set(OPTIONAL) & set(inspect.signature(page).parameters) - set(inputs)
    return {name: page_argument(tree, name, (), [0.0] * sizes[name]) for name in missing}


def free_names(free: Any) -> tuple[str, ...]:
    """What is asked to be free, or a word on how to ask."""
    if isinstance(free, str) or not isinstance(free, Iterable):
        example = free if isinstance(free, str) else "inertia"
        raise TraceError(f"`free` is {free!r}. Give a tuple of names, such as ({example!r},).")
    return tuple(free)


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
        for key in result:
            if not isinstance(key, str):
                raise TraceError(f"a page returned a dict with the key {key!r}. Keys are text.")
        return tuple(result), [_output(tree, value) for value in result.values()]
    if type(result) is tuple or isinstance(result, Iterated | Root):
        return len(result), [_output(tree, value) for value in result]
    return None, [_output(tree, result)]


class _Nothing(list):
    """No entries, of the shape of an example."""

    def __init__(self, example: Any) -> None:
        super().__init__()
        self.example = example


def _output(tree: Tree, value: Any) -> Output:
    if isinstance(value, Shaped) and math.prod(value.shape) == 0:
        return Output(value.shape, [])
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
    """Run a page on symbols. Optional inputs not among `inputs` are zero."""
    graph = Graph(lifts_signs=tree.nb <= MANY)
    tree = replace(tree, on_body=mark_body)
    scalars: dict[str, Sequence[Any]] = {
        name: graph.inputs(math.prod(shape)) for name, shape in inputs.items()
    }
    tree = freed(tree, scalars)
    arguments = {n: page_argument(tree, n, inputs[n], given) for n, given in scalars.items()}
    arguments |= left_out(page, tree, inputs)
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
    tree = freed(tree, scalars)
    arguments = {n: page_argument(tree, n, shapes[n], given) for n, given in scalars.items()}
    arguments |= left_out(page, tree, arguments)
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


def page_itself(page: Page) -> Page:
    """The function behind a page with keywords bound."""
    return getattr(page, "func", page)


def page_name(page: Page) -> str:
    return getattr(page_itself(page), "__name__", repr(page))
