"""Where a page goes on to another body, in what is made of its graph."""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator, Sequence

from .graph import Graph


def marking(graph: Graph, order: Sequence[int], target: Graph) -> Iterable[int]:
    """Nodes of a graph in an order, with a mark in `target` wherever they go on to another body.

    What is made of them in `target` meanwhile, by substitution or differentiation, keeps the bodies
    apart then, and like bodies share code.
    """
    return order if not target.by_body or not graph.marks else _marking(graph, order, target)


def _marking(graph: Graph, order: Sequence[int], target: Graph) -> Iterator[int]:
    starts, stretch = list(graph.marks), -1
    for position in order:
        at = bisect.bisect(starts, position)
        if at != stretch:
            target.marks.append(len(target.nodes))
        stretch = at
        yield position
