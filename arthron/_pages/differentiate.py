"""Derivatives of pages, as pages."""

from __future__ import annotations

import functools
import inspect
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .._graph.autodiff import forward, reverse
from .._graph.autodiff import jacobian as graph_jacobian
from .._graph.evaluate import evaluate
from .._graph.graph import Graph
from .._graph.program import Shape, pack
from .._spatial.inertia import Inertia
from .._spatial.motions import Force
from .._spatial.transform import Transform
from .._spatial.vectors import Mat3, Vec3
from .._tree.configuration import integrate
from .._tree.tree import BodyList, Shaped, Tree
from ..errors import TraceError, nearest
from .inputs import page_argument, page_inputs, page_parameters
from .outputs import page_outputs
from .takes import OF_TREE, Page, own_inputs, page_itself, page_name, placed
from .trace import trace


def jacobian(page: Page, wrt: str = "q") -> Page:
    """The page that computes the derivative of every result of `page` by one of its inputs.

    Results gain the axes of the input: nv for q, qd, qdd and tau, the input's own shape for others.
    "By q" means by a small displacement e of the joints, at e = 0 of `integrate(q, e)`, so that
    quaternions have the derivatives of the three-dimensional thing they stand for. The derivative
    of a page is a page: compile it, run it, differentiate it again. Taken twice by q, it is the
    derivative of the derivative: the Hessian for plain coordinates; for quaternions the Hessian is
    its symmetric part, as turns in two orders differ.
    """
    names = _names(page, wrt)

    @functools.wraps(page)
    def derivative(tree: Tree, *args: Any, **given: Any) -> Any:
        lifted = _Lifted(page, tree, {**dict(zip(names, args, strict=False)), **given})
        by, extent = lifted.variables(wrt), lifted.extent(wrt)
        results = []
        for output in lifted.outputs:
            rows = graph_jacobian(lifted.graph, lifted.nodes(output.scalars), by)
            flat = lifted.at_state([x for row in rows for x in row])
            results.append(nested(flat, (*output.shape, *extent)))
        return pack(lifted.structure, results)

    derivative.__name__ = f"{page_name(page)}_by_{wrt}"
    derivative.__doc__ = page_itself(page).__doc__
    return derivative


def vjp(page: Page, *wrt: str) -> Page:
    """The page of vector-Jacobian products: derivatives of sum of `weights` times the result.

    It takes one more input, `weights` of the shape of the page's result, and returns a tuple with
    the derivative by each input in `wrt` ("q", "qd", ...). Of a page with several results `weights`
    are those of all their entries, one result behind the other. By reverse mode: all of them
    together cost a few times what the page does, however many entries they have.
    """
    names = _names(page, *wrt)

    def product(tree: Tree, *args: Any, **given: Any) -> Any:
        given = {**dict(zip([*names, "weights"], args, strict=False)), **given}
        lifted = _Lifted(page, tree, given)
        slopes = lifted.weighted_slopes(wrt)
        return tuple(nested(lifted.at_state(s), lifted.extent(n)) for n, s in slopes.items())

    _rename(product, page, f"{page_name(page)}_vjp", "weights")
    return product


def hessian(page: Page, *pairs: tuple[str, str]) -> Page:
    """The page of second derivatives of sum of `weights` times the result of `page`.

    It takes one more input, `weights` of the shape of the page's one result, and returns a tuple
    with a matrix for each pair of inputs, such as ("q", "q") or ("q", "qd"): rows by the first,
    columns by the second. By q means by e at e = 0 of `integrate(q, e)`, so that ("q", "q") is
    symmetric for all joints. Forward over reverse mode.
    """
    for pair in pairs or ("nothing",):
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TraceError(
                f"`hessian` of `{page_name(page)}` by {pair!r}. Give pairs of inputs, such as "
                '("q", "q") or ("q", "qd").'
            )
    names = _names(page, *(name for pair in pairs for name in pair))

    def second(tree: Tree, *args: Any, **given: Any) -> Any:
        given = {**dict(zip([*names, "weights"], args, strict=False)), **given}
        lifted = _Lifted(page, tree, given)
        slopes = lifted.weighted_slopes(dict.fromkeys(row for row, _ in pairs))
        results = []
        for row, column in pairs:
            nodes, by = lifted.nodes(slopes[row]), lifted.variables(column)
            rows = graph_jacobian(lifted.graph, nodes, by, symmetric=row == column)
            flat = lifted.at_state([x for entries in rows for x in entries])
            results.append(nested(flat, (len(nodes), len(by))))
        return tuple(results)

    _rename(second, page, f"{page_name(page)}_hessian", "weights")
    return second


def hessian_product(page: Page, *wrt: str) -> Page:
    """The page of second derivatives of sum of `weights` times the result, times a vector.

    The matrix of second derivatives by all inputs in `wrt` is multiplied by (dq, dqd, ...), more
    inputs named after them; a tuple of the parts of the product is returned. It costs some two
    times the vector-Jacobian product, where the matrix costs that for each column.
    """
    names = _names(page, *wrt)
    more = ["weights", *(f"d{name}" for name in wrt)]

    def product(tree: Tree, *args: Any, **given: Any) -> Any:
        lifted = _Lifted(page, tree, {**dict(zip([*names, *more], args, strict=False)), **given})
        slopes = lifted.weighted_slopes(wrt)
        moving = {name: lifted.symbols[f"d{name}"] for name in wrt}
        return tuple(
            nested(lifted.at_state(lifted.along(moving, slope)), lifted.extent(name))
            for name, slope in slopes.items()
        )

    _rename(product, page, f"{page_name(page)}_hessian_product", *more)
    return product


def rate(page: Page) -> Page:
    """The page of derivatives by time of every result of a page of q, qd, qdd or qddd.

    q moves with `qd`, qd with `qdd`, qdd with `qddd` (the jerk) and that with `qdddd`; other inputs
    stay as they are. The page takes those of the rates that it does not take already, behind its
    own inputs, and has a rate in its turn: `ar.rate(ar.rate(page))` is the second (G13 §V).
    """
    names = _names(page, "q")
    moving = {name: f"{name}d" for name in names if re.fullmatch("qd*", name)}
    unknown = [name for name, after in moving.items() if after not in OF_TREE]
    if unknown:
        raise TraceError(
            f"`{page_name(page)}` takes `{unknown[0]}`, and nothing says how that moves. Rates are "
            f"those of pages of {', '.join(n for n in OF_TREE if f'{n}d' in OF_TREE)}."
        )
    more = [after for after in moving.values() if after not in names]

    def derivative(tree: Tree, *args: Any, **given: Any) -> Any:
        lifted = _Lifted(page, tree, {**dict(zip([*names, *more], args, strict=False)), **given})
        rates = {name: lifted.symbols[after] for name, after in moving.items()}
        results = [
            nested(lifted.at_state(lifted.along(rates, output.scalars)), output.shape)
            for output in lifted.outputs
        ]
        return pack(lifted.structure, results)

    _rename(derivative, page, f"{page_name(page)}_rate", *more)
    return derivative


class _Lifted:
    """A page run on symbols of its own, at `integrate(q, e)`, with the state it stands for.

    Attributes:
        graph: where the symbols live.
        symbols: those of each input, and of what is given besides.
        outputs: the page's results.
        structure: how they are handed back.
    """

    def __init__(self, page: Page, tree: Tree, given: dict[str, Any]) -> None:
        self.tree, self.graph = tree, Graph.inside()
        self.weights_shape = _shape(given.get("weights"))
        scalars = {name: list(_scalars(tree, value)) for name, value in given.items()}
        self.symbols = {name: self.graph.inputs(len(scalars[name])) for name in given}
        self._e = self.graph.inputs(tree.nv)
        self._values = [x for name in given for x in scalars[name]] + [0.0] * tree.nv  # e = 0
        own = {parameter.name for parameter in page_parameters(page)}
        given = {name: value for name, value in given.items() if name in own}
        declared = {n: _shape(v) for n, v in given.items() if not isinstance(v, BodyList)}
        self._shapes = page_inputs(page, tree, declared)
        moved: dict[str, Sequence[Any]] = dict(self.symbols)
        with self.graph:
            if "q" in given:
                q, e = tree.positions(self.symbols["q"]), tree.at(self.symbols["q"]).rates(self._e)
                moved["q"] = tree.vector(integrate(tree, q, e))
            own = placed(self._own(tree), {n: moved[n] for n in given})
            arguments = {n: page_argument(page, own, n, self._shapes[n], moved[n]) for n in given}
            self.structure, self.outputs = page_outputs(own, page(own, **arguments))
        self._page, self._given = page, given

    def _own(self, tree: Tree) -> Tree:
        """The figure with inertias and placements that are not numbers as symbols of this graph."""

        def own(x: Any) -> Any:
            if isinstance(x, float):
                return x
            self._values.append(x)
            return self.graph.input()

        inertias = (Inertia.from_parameters([own(x) for x in I.parameters()]) for I in tree.I)
        frames = (
            Transform(Mat3(*(Vec3(*map(own, row)) for row in X.E)), Vec3(*map(own, X.r)))
            for X in tree.Xtree
        )
        return replace(tree, I=tuple(inertias), Xtree=tuple(frames))

    def nodes(self, scalars: Sequence[Any]) -> list[int]:
        """Positions of scalars in the graph."""
        return [self.graph.lift(x) for x in scalars]

    def variables(self, name: str) -> list[int]:
        """Positions of what an input is differentiated by."""
        return [x.position for x in (self._e if name == "q" else self.symbols[name])]

    def extent(self, name: str) -> Shape:
        """Axes of a derivative by an input."""
        return (self.tree.nv,) if name == "q" else self._shapes[name]

    def weighted_slopes(self, wrt: Any) -> dict[str, list[Any]]:
        """Derivatives of the sum of weights times all results, by each input in `wrt`."""
        shape = weights_shape([output.shape for output in self.outputs])
        if self.weights_shape != shape:
            results = "result" if len(self.outputs) == 1 else f"{len(self.outputs)} results"
            raise TraceError(
                f"`weights` has shape {self.weights_shape}, and the {results} of "
                f"`{page_name(self._page)}` {shape}. Give weights of that shape."
            )
        by = {name: self.variables(name) for name in wrt}
        flat = [position for positions in by.values() for position in positions]
        nodes = self.nodes([x for output in self.outputs for x in output.scalars])
        slopes = iter(reverse(self.graph, nodes, self.symbols["weights"], flat))
        return {name: [next(slopes) for _ in positions] for name, positions in by.items()}

    def along(self, moving: Mapping[str, Sequence[Any]], scalars: Sequence[Any]) -> list[Any]:
        """Rates of scalars when inputs move at the given rates."""
        direction = {}
        for name, rates in moving.items():
            direction |= dict(zip(self.variables(name), rates, strict=True))
        return forward(self.graph, self.nodes(scalars), direction)

    def at_state(self, scalars: Sequence[Any]) -> list[Any]:
        """Scalars of the graph at the state the page was called with."""
        return evaluate(self.graph, self.nodes(scalars), self._values)


def _names(page: Page, *wrt: str) -> list[str]:
    """Inputs of a page, with all of `wrt` among them."""
    names = [p.name for p in page_parameters(page) if p.default is p.empty]
    if not wrt:
        raise TraceError(
            f"nothing to differentiate `{page_name(page)}` by. Name at least one of its inputs: "
            f"{', '.join(names)}."
        )
    for name in wrt:
        if name not in names:
            raise TraceError(
                f"`{page_name(page)}` has no input {name!r} to differentiate by; it takes "
                f"{', '.join(names)}.{nearest(name, names)}"
            )
    return names


def weights_shape(shapes: Sequence[Shape]) -> Shape:
    """The shape of weights of one result, or of several one behind the other."""
    return shapes[0] if len(shapes) == 1 else (sum(math.prod(shape) for shape in shapes),)


def _late_shapes(
    page: Page, more: Sequence[str], tree: Tree, shapes: Mapping[str, Shape]
) -> dict[str, Shape]:
    """Shapes of what a derivative takes besides: weights as the result, changes as their inputs."""
    own = {parameter.name for parameter in page_parameters(page)}
    inputs = page_inputs(page, tree, {n: s for n, s in shapes.items() if n in own})
    outputs = trace(page, tree, inputs).outputs
    late = {f"d{name}": (tree.nv,) if name == "q" else shape for name, shape in inputs.items()}
    return {"weights": weights_shape([shape for shape, _ in outputs])} | {
        name: late[name] for name in more if name in late
    }


def _rename(derived: Any, page: Page, name: str, *more: str) -> None:
    """Give a derived page its name, and the page's inputs with more behind."""
    signature, kind = inspect.signature(page), inspect.Parameter.POSITIONAL_OR_KEYWORD
    for extra in more:
        if extra in signature.parameters:
            raise TraceError(
                f"`{page_name(page)}` has an input called `{extra}`, and `{name}` needs one of its "
                "own. Call the page's something else."
            )
    own = [p for p in signature.parameters.values() if p.kind is kind]  # the others are bound
    added = [inspect.Parameter(extra, kind) for extra in more]
    derived.__signature__ = signature.replace(parameters=[*own, *added])
    derived.inputs = own_inputs(page)
    if more[0] == "weights":
        derived.late_shapes = functools.partial(_late_shapes, page, more)
    derived.__name__, derived.__doc__ = name, page_itself(page).__doc__


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
    if not isinstance(value, tuple | list):
        return ()
    return (len(value), *(_shape(value[0]) if value else ()))


def nested(flat: list[Any], shape: Shape) -> Any:
    """Nested lists of the given shape."""
    if not shape:
        return flat[0]
    for extent in reversed(shape[1:]):
        flat = [flat[k : k + extent] for k in range(0, len(flat), max(1, extent))]
    return Shaped(flat, shape)
