"""The body of a loop: a graph of its own, and what repeating it means on numbers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._spatial.scalar import Entries
from .graph import Graph
from .ops import Op

Solve = Callable[[Sequence[Sequence[Any]], Sequence[Any]], Sequence[Any]]
"""x with A x = b, of rows of A and entries of b."""


@dataclass(frozen=True)
class Implicit:
    """What holds at the result of a loop, which gives its derivatives: residual(x, captured) = 0.

    All are nodes of the body, as functions of its inputs.

    Attributes:
        residual: as many as x has degrees of freedom.
        jacobian: rows of its derivatives by a displacement e of x; none where it is e itself.
        chart: rows of the derivatives of x itself by e; none where they are those of e, and zero
            for whatever is carried behind.
        solve: how to solve with the Jacobian; with its transpose, elimination does.
    """

    residual: tuple[int, ...]
    jacobian: tuple[tuple[int, ...], ...]
    chart: tuple[tuple[int, ...], ...]
    solve: Solve

    @property
    def nodes(self) -> list[int]:
        """All of them."""
        return [
            *self.residual,
            *(x for rows in (self.jacobian, self.chart) for r in rows for x in r),
        ]

    def like(self, nodes: Sequence[int]) -> Implicit:
        """The same for another graph."""
        rest = iter(nodes)
        residual = tuple(next(rest) for _ in self.residual)
        J, T = (
            tuple(tuple(next(rest) for _ in row) for row in rows)
            for rows in (self.jacobian, self.chart)
        )
        return Implicit(residual, J, T, self.solve)


class LoopBody:
    """A frozen graph. Inputs are carried values, then captured ones; outputs next values and done.

    Attributes:
        graph: the nodes.
        outputs: next value of each carried value, and whether a lane is done.
        carried: how many values are carried.
        limit: the most passes.
        name: what messages call the loop.
        watched: how many carried values, from the first, end a lane when they stop being finite.
        implicit: what holds at the result, if that is known.
        settled: how many carried values, from the first, no pass reads, and none changes that is
            over: lanes that are done may go on with the others then.
        digest: equal for equal bodies.
    """

    def __init__(
        self,
        graph: Graph,
        outputs: Sequence[int],
        *,
        limit: int,
        name: str,
        watched: int | None = None,
        implicit: Implicit | None = None,
        settled: int = 0,
    ) -> None:
        graph.closed = True
        self.graph, self.outputs, self.carried = graph, tuple(outputs), len(outputs) - 1
        self.limit, self.name, self.implicit, self.settled = limit, name, implicit, settled
        self.watched = self.carried if watched is None else watched
        self.sizes = [graph.sizes.get(position) for position in self.outputs[:-1]]

    @functools.cached_property
    def digest(self) -> str:
        """Made when asked for: most bodies are never compared."""
        kinds = [node[1:] for node in self.graph.nodes if node[0] is Op.INPUT]
        known = self.graph.digest(self.nodes)
        return repr((known, kinds, self.limit, self.watched, self.settled, self.name))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LoopBody) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash((self.carried, self.limit, self.watched, self.name))

    def __repr__(self) -> str:
        return self.digest

    @property
    def nodes(self) -> list[int]:
        """Everything that is computed from the inputs."""
        return [*self.outputs, *(self.implicit.nodes if self.implicit else ())]

    def like(self, graph: Graph, nodes: Sequence[int], carried: int, watched: int) -> LoopBody:
        """The same loop around another graph, with `nodes` in place of this one's."""
        n = carried + 1
        implicit = self.implicit.like(nodes[n:]) if self.implicit else None
        return LoopBody(graph, nodes[:n], limit=self.limit, name=self.name, watched=watched,
                    implicit=implicit, settled=self.settled)  # fmt: skip

    @property
    def once(self) -> bool:
        """Whether one pass is all that is made, or nearly always."""
        return self.limit == 1 or self.settled > 0

    def has(self, op: Op) -> bool:
        """Whether an operation occurs in here, or in loops inside."""
        return any(
            node[0] is op or (node[0] is Op.LOOP and node[-1].has(op)) for node in self.graph.nodes
        )


def repeat(
    step: Callable[[Sequence[Any]], tuple[Sequence[Any], Any]],
    start: Sequence[Any],
    limit: int,
    when: Any,
    watched: int | None = None,
) -> list[Any]:
    """A loop on numbers: carried values, iterations, and whether each row converged.

    Rows of a batch stop on their own: when the body says so, when a carried scalar becomes NaN or
    infinite (then not converged; one may start as infinite), or at the limit. Rows that stopped
    keep their values. Entries of arrays, and values handed on unchanged, are not looked at.
    """
    values = list(start)
    watched = len(values) if watched is None else watched
    active = np.asarray(when) != 0
    converged = ~active
    iterations: Any = np.zeros(active.shape)
    with np.errstate(all="ignore"):
        for _ in range(limit):
            if not np.any(active):
                break
            new, done = step(values)
            spoilt = np.asarray(False)
            for x, old in zip(new[:watched], values, strict=False):
                if not isinstance(x, Entries) and x is not old:
                    spoilt = spoilt | np.isnan(x) | (np.isfinite(old) & np.isinf(x))
            done = np.asarray(done) != 0
            values = [_chosen(active, x, old) for x, old in zip(new, values, strict=True)]
            iterations = iterations + active
            converged = np.where(active, ~spoilt & done, converged)
            active = active & ~spoilt & ~done
    return [*values, _plain(iterations), _plain(converged * 1.0)]


def _chosen(active: np.ndarray, x: Any, old: Any) -> Any:
    """x where active, else what there was."""
    if x is old:
        return old
    if isinstance(x, Entries):
        return Entries(_chosen(active, a, b) for a, b in zip(x, old, strict=True))
    if active.ndim == 0:
        return x if active else old
    return _plain(np.where(active, x, old))


def _plain(x: Any) -> Any:
    return x.item() if np.ndim(x) == 0 and isinstance(x, np.ndarray | np.generic) else x
