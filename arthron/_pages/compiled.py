"""The open door: any page, compiled for a model or run on numbers."""

from __future__ import annotations

import functools
import inspect
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from numpy.typing import ArrayLike

from .._compile import cache
from .._compile.arguments import Arguments
from .._compile.function import Function
from .._graph.program import Shape
from .._tree.joints import built_in
from .._tree.tree import Tree
from ..errors import ModelError
from .inputs import free_inputs, names_given, optional_inputs, page_inputs
from .takes import OF_TREE, Page, own_inputs, page_itself, page_name
from .trace import run, trace


class HasTree(Protocol):
    """What a page is compiled for: a tree and a name."""

    @property
    def tree(self) -> Tree: ...

    @property
    def name(self) -> str: ...


PAGES = tuple(f"{__name__.split('.')[0]}.{room}." for room in ("_algorithms", "_tree"))
"""Where pages of this package are."""


def compile(
    page: Page,
    model: HasTree,
    *,
    shapes: Mapping[str, Shape] | None = None,
    free: Iterable[str] = (),
) -> Function:
    """A page compiled for a model: a function of arrays, like the model's own methods.

    Args:
        page: a function `page(tree, q, ...)`; see `docs/pages.md`.
        model: the figure.
        shapes: shape of each input that is not q, qd, qdd, tau or f_ext.
        free: properties of the figure that become inputs behind those of the page, one set for
            each state or one for all. "inertia" has the layout of `model.inertial_parameters()`,
            "placements" that of `model.placements()`.
    """
    doc = inspect.getdoc(page_itself(page))
    return method(page_name(page), doc, page, model, shapes, names_given("free", free, "inertia"))


def method(
    name: str,
    doc: str | None,
    page: Page,
    model: HasTree,
    shapes: Mapping[str, Shape] | None = None,
    free: Iterable[str] = (),
) -> Function:
    """A page compiled for a model, under the name of one of the model's methods."""
    arguments = _arguments(name, page, model, shapes, free)
    tree = model.tree
    function = Function(
        arguments,
        lambda chosen: trace(page, tree, chosen),
        _key(page, tree, arguments.inputs),
        (method, (name, doc, page, model, shapes, free)),
    )
    function.__doc__ = doc
    return function


def evaluate(
    page: Page,
    model: HasTree,
    *args: ArrayLike,
    shapes: Mapping[str, Shape] | None = None,
    free: Iterable[str] = (),
    **named: ArrayLike,
) -> Any:
    """Run a page on numbers, without compiling: the reference for what compiled code must give."""
    arguments = _arguments(
        page_name(page), page, model, shapes, names_given("free", free, "inertia")
    )
    arrays = arguments.bind(args, named)
    return run(page, model.tree, arrays, arguments.inputs, arguments.batch(arrays))


def _arguments(
    name: str,
    page: Page,
    model: HasTree,
    shapes: Mapping[str, Shape] | None,
    free: Iterable[str],
) -> Arguments:
    if not hasattr(model, "tree"):
        raise ModelError(
            f"the model is a {type(model).__name__}. Give an `ar.Model`, such as `ar.load(file)`."
        )
    inputs = page_inputs(page, model.tree, shapes)
    inputs |= free_inputs(free, model.tree, page)
    optional = frozenset(optional_inputs(page)) & inputs.keys()
    return Arguments(name, model.name, inputs, optional, _hints(model.tree, page))


def _hints(tree: Tree, page: Page) -> dict[str, str]:
    """What to add when an input has the wrong shape."""
    kinds = Counter(tree.joint[i].label.split()[0] for i in tree.own)
    joints = " + ".join(f"{n} {kind}" for kind, n in kinds.items()) or "no"
    listed = f": {joints} joints. `model.joint_names` lists them in order."
    force = ": [torque; force] on each body in its own axes. `model.body_names` lists them."
    layouts = {
        "inertia": ", as `model.inertial_parameters()` has it.",
        "placements": ", as `model.placements()` has it.",
    }
    sized = {"nq": listed, "nv": listed, "nb": ", a row for each of `model.body_names`."}
    first = {name: str(each.extents[0]) for name, each in own_inputs(page).items() if each.extents}
    return {
        **{name: sized[n] for name, n in first.items() if n in sized},
        **layouts,
        **dict.fromkeys((name for name in OF_TREE if name != "f_ext"), listed),
        "f_ext": force,
    }


def _key(page: Page, tree: Tree, inputs: Mapping[str, Shape]) -> str | None:
    """What a page of this package computes, known without tracing it; None for a user's page."""
    known = known_page(page)
    if known is None or not all(built_in(joint) for joint in tree.joint):
        return None
    return cache.key(*known, tree.digest(), dict(inputs))


def known_page(page: Page) -> tuple | None:
    """Where in this package a page is, and what is bound in it; None for a user's page."""
    bound: dict[str, Any] = {}
    if isinstance(page, functools.partial):
        page, bound = page.func, page.keywords
    module = sys.modules.get(getattr(page, "__module__", ""))
    ours = module is not None and module.__name__.startswith(PAGES)
    if not ours or getattr(module, page.__name__, None) is not page:
        return None
    return page.__module__, page.__qualname__, bound
