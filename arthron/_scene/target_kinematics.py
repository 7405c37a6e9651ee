"""Targets that move: coordinates as a function of time, with their velocity and acceleration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._graph.autodiff import forward
from .._graph.evaluate import evaluate
from .._graph.graph import Graph
from .._spatial.scalar import Scalar


def target_kinematics(
    integrate: Callable, difference: Callable, target: Callable[..., Any], q, t: Scalar
) -> tuple[tuple, tuple, tuple]:
    """Coordinates that are a function of time, with the velocity and acceleration of that.

    They are in the chart that q is in, and as many turns round as q. `target` is given the time and
    q.
    """
    with Graph.inside() as graph:
        near, now, then = graph.inputs(len(q)), graph.input(), graph.input()
        at, start = (integrate(near, difference(near, target(x, near))) for x in (now, then))
        moved = [graph.lift(x) for x in difference(start, at)]
    rates = [graph.lift(x) for x in forward(graph, moved, {now.position: 1.0})]
    pushes = [graph.lift(x) for x in forward(graph, rates, {now.position: 1.0})]
    found = evaluate(graph, [*(graph.lift(x) for x in at), *rates, *pushes], [*q, t, t])
    n, end = len(at), len(at) + len(rates)
    return tuple(found[:n]), tuple(found[n:end]), tuple(found[end:])
