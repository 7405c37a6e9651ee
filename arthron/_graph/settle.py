"""Loops that look for a choice, such as which of several cases holds, and what follows from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .graph import Graph
from .iterate import flatten, loop
from .loop_body import Implicit


def settle(
    body: Callable[[Any], tuple[Any, Any, Any]], choice: Any, like: Any, limit: int, *, name: str
) -> Any:
    """What follows from a choice that `body` leaves as it is.

    Args:
        body: maps a choice to (what follows from it, the next choice, whether that is as before).
        choice: to begin with: numbers that say which, and have no derivatives. A count of passes
            may be among them, on which nothing that follows depends.
        like: numbers in the form of what follows.
        limit: the most passes.
        name: what messages call the loop.

    Derivatives of the result are those of the last pass alone, in both modes.
    """
    results, as_results = flatten(like)
    chosen, as_choice = flatten(choice)
    n = len(results)
    found: list[Any] = []

    def step(values: Sequence[Any]) -> tuple[list[Any], Any]:
        new, following, done = body(as_choice(values[n:]))
        found[:] = flatten(new)[0]
        return [*found, *flatten(following)[0]], done

    def rule(graph: Graph, carried: Sequence[Any]) -> Implicit:
        """x is what a pass makes of the choice: the residual is its own unknown."""
        both = zip(carried, found, strict=False)
        return Implicit(tuple(graph.lift(x - y) for x, y in both), (), (), lambda _, b: b)

    parts = loop(step, [*results, *chosen], limit, 1.0, name, rule, watched=0)
    return as_results(parts[:n])
