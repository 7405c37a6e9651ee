"""Pages for browsers and Node: compiled to WebAssembly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .._compile.exported import Exported
from .._compile.run.wasm import WASM
from .._graph.program import Shape, Structure
from ..errors import TraceError, nearest
from .compiled import HasTree, compile
from .inputs import names_given
from .takes import Page, page_itself, page_name


def export(
    page: Page,
    model: HasTree,
    *,
    shapes: Mapping[str, Shape] | None = None,
    free: Iterable[str] = (),
    optional: Iterable[str] = (),
) -> Exported:
    """A page compiled to WebAssembly for a model: a module that needs no Python.

    It computes one state at a time in double precision, and agrees with `ar.compile` to the last
    few bits. `ar.export(ar.step(scene), scene.model)` is a step of a simulation.

    Args:
        page: a function `page(tree, q, ...)`; see `docs/pages.md`.
        model: the figure.
        shapes: shape of each input that is not q, qd, qdd, tau or f_ext.
        free: properties of the figure that become inputs, as in `ar.compile`.
        optional: inputs that `ar.compile` would let be left out, and that are to be there: f_ext.
    """
    function = compile(page, model, shapes=shapes, free=free)
    arguments, wanted = function.arguments, names_given("optional", optional, "f_ext")
    for name in wanted:
        if name not in arguments.optional:
            among = ", ".join(sorted(arguments.optional)) or "none"
            raise TraceError(
                f"`optional` names {name!r}, and what `{page_name(page)}` can do without is: "
                f"{among}.{nearest(str(name), arguments.optional)}"
            )
    names = tuple(n for n in arguments.inputs if n in (*arguments.required, *wanted))
    kernel = function.kernel(WASM, names)
    return Exported.of(page_name(page), kernel, names, _results(page, kernel.signature.structure))


def _results(page: Page, structure: Structure) -> tuple[str, ...]:
    """Names of results: those that a page has for them, keys of a dict, numbers, or `result`."""
    if structure is None:
        return ("result",)
    if not isinstance(structure, int):
        return structure
    given = getattr(page_itself(page), "results", ())
    return given if len(given) == structure else tuple(map(str, range(structure)))
