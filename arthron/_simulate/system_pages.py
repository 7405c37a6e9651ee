"""Pages over a system, with the system's states and numbers as their inputs."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from .._compile import cache
from .._compile.arguments import Arguments
from .._compile.function import Function
from .._compile.rollout import Rollout
from .._pages.compiled import known_page
from .._pages.inputs import page_inputs
from .._pages.takes import OF_TREE, Extents, Page, placed, takes
from .._pages.trace import trace
from .._scene.setup import Setup
from .._scene.system import State
from .._tree.tree import BodyList, Tree

Sizes = Mapping[str, int]
"""Further states by name, and how many numbers each is."""
NOTHING: Sizes = MappingProxyType({})


def identifiers(names: Iterable[str]) -> dict[str, str]:
    """What the inputs of further states are called in pages, by the states' own names."""
    found: dict[str, str] = {}
    for name in names:
        plain = re.sub(r"\W", "_", name)
        while not plain.isidentifier() or plain in (*OF_TREE, *found.values()):
            plain = f"x_{plain}"
        found[name] = plain
    return found


def system_page(setup: Setup, body: Callable[..., Any], **inputs: Extents) -> Page:
    """A page that calls `body(system, inputs)` with a system and the named inputs.

    It takes q and qd if these are among the inputs, whatever else is, and behind them `parameters`,
    the numbers of the scene. With `tau` among the inputs it acts on the system.
    """
    size = setup.parameters.size

    def page(tree: Tree, *given: Any, **named: Any) -> Any:
        values = {**dict(zip(names, given, strict=False)), **named}
        numbers = values.pop("parameters")
        tau = values.pop("tau", None)
        tau = None if tau is None else tree.vector(tau)
        tree = placed(tree, values)
        for name, by_joint in (("q", tree.positions), ("qd", tree.rates)):
            if name in values and not isinstance(values[name], BodyList):  # what a step returned
                values[name] = by_joint(values[name])
        return body(setup.system(tree, numbers, tau), values)

    names = [*inputs, "parameters"]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(name, kind) for name in ("tree", *names)]
    page.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    page.__name__ = body.__name__
    own = {n: shape for n, shape in inputs.items() if n not in ("q", "qd", "tau")}
    return takes(**own, parameters=(size,))(page)


def state_inputs(setup: Setup, memory: Sizes = NOTHING) -> dict[str, Extents]:
    """Inputs that make a state, with what an integrator remembers."""
    sizes = {name: v.size for name, v in setup.variables.items()} | dict(memory)
    more = {x: (sizes[name],) for name, x in identifiers(sizes).items()}
    return {"q": ("nq",), "qd": ("nv",), **more}


def state_of(setup: Setup, values: Mapping[str, Any], t: Any, memory: Sizes = NOTHING) -> State:
    """The state out of a page's inputs."""
    names = identifiers((*setup.variables, *memory))
    more, memory = ({n: values[names[n]] for n in each} for each in (setup.variables, memory))
    return State(t, values["q"], values["qd"], more, memory)


def compiled(setup: Setup, name: str, page: Page, uses: Mapping[str, Page] = {}) -> Function:
    """A page over a system, compiled; found without tracing where all of it is known.

    The name says what it is, but for pages that it `uses`.
    """
    model = setup.scene.model
    inputs = page_inputs(page, model.tree)
    return Function(
        Arguments(name, model.name, inputs),
        lambda chosen: trace(page, model.tree, chosen),
        _key(setup, name, inputs, uses),
    )


def repeated(
    setup: Setup, name: str | None, page: Page, states: int, uses: Mapping[str, Page] = {}
) -> Rollout:
    """A page over a system whose first results are next values of its first inputs.

    Without a name it is known by what it computes alone.
    """
    tree = setup.scene.model.tree
    inputs = page_inputs(page, tree)
    key = _key(setup, name, inputs, uses)
    lanes = not setup.link_contacts()  # which each row finds for itself
    return Rollout(lambda: trace(page, tree, inputs), states, key=key, lanes=lanes)


def _key(setup: Setup, name: str | None, inputs: Any, uses: Mapping[str, Page]) -> str | None:
    """What a page computes, known without tracing it; None where a part of it is not ours."""
    key, pages = setup.key(), {n: known_page(page) for n, page in uses.items()}
    if name is None or key is None or None in pages.values():
        return None
    return cache.key("system", name, key, inputs, pages)
