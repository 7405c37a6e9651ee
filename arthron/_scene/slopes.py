"""What elements keep at zero or above, of places or of velocities, and how that changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, NamedTuple

from .._graph.autodiff import forward
from .._graph.expr import is_scalar
from .._spatial.scalar import Scalar, is_zero
from .._spatial.sums import dot
from ..errors import ModelError
from .call_user import call_user
from .element import Element, Here, described
from .ports import Local, Port, port_velocities


class Slopes(NamedTuple):
    """Functions g of where ports are, and of time, or w of how fast they are, that are kept.

    Attributes:
        g: values of g; zero for w, of which nothing has to come back.
        G: for each, its slope in each way the ports move; that of w by velocities.
        rate: G v + dg/dt; w itself.
        bend: how that changes as the ports move on with the velocities they have.
        at_rest: w less G v.
        of_places: whether each is a g.
    """

    g: list
    G: list[list]
    rate: list
    bend: list
    at_rest: list
    of_places: list[bool]


def slopes_of(element: Element, what: str, at: Sequence[Port], here: Here) -> Slopes:
    """What an element keeps, its "constraint" or "inequality", with first and second slopes."""
    kind = type(element)
    if what == "inequality":
        return _of_places(element, what, at, here)
    parts = []
    if kind.constraint is not Element.constraint:
        parts.append(_of_places(element, what, at, here))
    if kind.velocity_constraint is not Element.velocity_constraint:
        parts.append(_of_velocities(element, at, here))
    return Slopes(*([*chain.from_iterable(each)] for each in zip(*parts, strict=True)))


def _asked(who: str, method: Callable, local: Local, other: bool) -> list:
    """What a method returned: numbers, or nothing if there is an `other` that may."""
    with local.graph:
        given = call_user(who, method, local.here)
        values = list(given) if isinstance(given, tuple | list) else [given]
        if not (values or other) or not all(map(is_scalar, values)):
            raise ModelError(
                f"{who} returned {given!r}. Return one number, or a tuple of numbers, that are to "
                f"be zero{' or above' * who.startswith('`inequality`')}."
                f"{' Did you forget `return`?' * (given is None)}"
            )
        return values


def _of_places(element: Element, what: str, at: Sequence[Port], here: Here) -> Slopes:
    local = Local(at, here)
    graph, who = local.graph, f"`{what}` of {described(element)}"
    other = type(element).velocity_constraint is not Element.velocity_constraint
    values = _asked(who, getattr(element, what), local, other and what == "constraint")
    g = [graph.lift(x) for x in values]
    moves, speeds = _directions(local)
    if any(not is_zero(x) for d in speeds for x in forward(graph, g, d)):
        raise ModelError(
            f"{who} depends on velocities. Give functions of where links and joints are, and of "
            "time."
        )
    if not element.reads_states and any(
        not is_zero(x) for k in local.of_states for x in forward(graph, g, {k: 1.0})
    ):
        raise ModelError(
            f"{who} depends on states of the element. Give functions of where links and joints "
            "are, and of time."
        )
    now: Any = local.here.t
    columns = [forward(graph, g, d) for d in moves]
    by_time = forward(graph, g, {now.position: 1.0})
    v = port_velocities(at, local.here)
    with graph:
        rate = [b + sum((c[i] * x for c, x in zip(columns, v, strict=True)), 0.0)
                for i, b in enumerate(by_time)]  # fmt: skip
    bend = _going_on(local, rate, moves, v)
    G, (now_g, rate, bend) = _here(local, len(g), columns, (values, rate, bend))
    return Slopes(now_g, G, rate, bend, [0.0] * len(g), [True] * len(g))


def _of_velocities(element: Element, at: Sequence[Port], here: Here) -> Slopes:
    local = Local(at, here)
    graph, who = local.graph, f"`velocity_constraint` of {described(element)}"
    other = type(element).constraint is not Element.constraint
    values = _asked(who, element.velocity_constraint, local, other)
    w = [graph.lift(x) for x in values]
    moves, speeds = _directions(local)
    columns = [forward(graph, w, d) for d in speeds]
    flat = [graph.lift(x) for column in columns for x in column]
    if any(not is_zero(x) for d in speeds for x in forward(graph, flat, d)):
        raise ModelError(
            f"{who} is not linear in velocities. Give functions that are, of links and joints."
        )
    v = port_velocities(at, local.here)
    bend = _going_on(local, values, moves, v)
    G, (rate, bend) = _here(local, len(w), columns, (values, bend))
    still = [x - dot(row, port_velocities(at, here)) for x, row in zip(rate, G, strict=True)]
    return Slopes([0.0] * len(w), G, rate, bend, still, [False] * len(w))


def _directions(local: Local) -> tuple[list[dict], list[dict]]:
    """How symbols change as ports move in each of their ways, and as velocities do."""
    moves, speeds = ([d for each in local.along for d in each[k]] for k in (0, 1))
    return moves, speeds


def _going_on(local: Local, rates: Sequence, moves: Sequence[dict], v: Sequence) -> list:
    """How fast functions change as ports move on with the velocities they have."""
    now: Any = local.here.t
    with local.graph:
        on: dict[int, Any] = {now.position: 1.0}
        for d, x in zip(moves, v, strict=True):
            for position, r in d.items():
                on[position] = on.get(position, 0.0) + r * x
    return forward(local.graph, [local.graph.lift(x) for x in rates], on)


def _here(
    local: Local, n: int, columns: Sequence[Sequence], parts: Sequence[Sequence]
) -> tuple[list[list[Scalar]], list[list[Scalar]]]:
    """Rows out of columns, and other lists of n functions, at the state that is seen."""
    found = local.here_at([x for part in (*columns, *parts) for x in part])
    each = [found[k * n : (k + 1) * n] for k in range(len(columns) + len(parts))]
    m = len(columns)
    return [[each[k][i] for k in range(m)] for i in range(n)], [list(x) for x in each[m:]]
