"""Loops inside pages."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from .._spatial.array import Array
from .._spatial.scalar import Entries
from ..errors import TraceError
from .evaluate import insert
from .expr import ArrayExpr, caller, innermost
from .graph import Graph, tracing
from .loop_body import Implicit, LoopBody, repeat

LONGEST = 2**62
"""Passes that native code can count."""


class Iterated(NamedTuple):
    """What a loop ends with.

    Attributes:
        values: carried values, in the form of the start.
        iterations: passes made.
        converged: 1 where the body said so, or no pass was wanted; 0 at the limit, or where a
            value stopped being finite.
    """

    values: Any
    iterations: Any
    converged: Any


def iterate(
    body: Callable[[Any], tuple[Any, Any]],
    start: Any,
    limit: int,
    when: Any = 1.0,
    *,
    name: str | None = None,
) -> Iterated:
    """Repeat `body` until it is done.

    Args:
        body: maps values to (next values, done). It may use any other value of the page; what it
            makes inside is gone when it ends, but for the values it returns.
        start: values to begin with: a scalar, or tuples, lists, vectors and arrays of them.
        limit: the most passes.
        when: where this is zero no pass is made. With a limit of 1 that is a branch: where no row
            of a batch takes it, its work is not done.
        name: what messages call the loop; the name of `body` if left out.

    A row ends when the body says so, when a value that was finite no longer is, or at the limit,
    and keeps its values while others go on. Derivatives go through a loop by forward mode; for
    reverse mode, write what the result must satisfy and use `ar.root`.
    """
    name = name or str(getattr(body, "__name__", "loop"))
    if isinstance(limit, bool) or not isinstance(limit, numbers.Integral) or limit < 1:
        raise TraceError(
            f"the limit of loop {name!r} is {limit!r}. Give a whole number of passes, 1 or more."
        )
    leaves, rebuild = flatten(start)

    def step(values: Sequence[Any]) -> tuple[list[Any], Any]:
        returned = body(rebuild(values))
        if not isinstance(returned, tuple) or len(returned) != 2:
            raise TraceError(
                f"the body of loop {name!r} returned {type(returned).__name__}{caller()}. Return a "
                "pair: the next values, in the form of the start, and whether that is all."
            )
        new, _ = flatten(returned[0])
        sizes = [len(x) if isinstance(x, Entries | ArrayExpr) else None for x in new]
        if sizes != [len(x) if isinstance(x, Entries | ArrayExpr) else None for x in leaves]:
            raise TraceError(
                f"the body of loop {name!r} returned {len(new)} values{caller()} where it started "
                f"with {len(leaves)}, or arrays of another size. Return as many as it takes, and "
                "behind them whether that is all: `return (x, y), done`."
            )
        return new, returned[1]

    parts = loop(step, leaves, min(int(limit), LONGEST), when, name)
    n = len(leaves)
    return Iterated(rebuild(parts[:n]), parts[n], parts[n + 1])


Step = Callable[[Sequence[Any]], tuple[Sequence[Any], Any]]
"""Next values and whether that is all, of values."""


def loop(
    step: Step,
    start: Sequence[Any],
    limit: int,
    when: Any,
    name: str,
    implicit: Callable[[Graph, Sequence[Any]], Implicit] | None = None,
    watched: int | None = None,
) -> list[Any]:
    """All parts of a loop: repeated now on numbers, a loop of the graph being traced otherwise.

    `implicit` says what holds at the result, given the graph of the body and what it carries;
    `watched` how many carried values end a row when they are not finite, all if left out.
    """
    outer, around = innermost([*start, when]), tracing()
    if outer is None or (around is not None and outer.encloses(around)):
        outer = around
    if outer is None:
        return repeat(step, start, limit, when, watched)
    if any(getattr(x, "ndim", 0) for x in start):
        raise TraceError(
            f"loop {name!r} starts with a NumPy array{caller()}. Give `list(x)`, or `ar.array(x)` "
            "to read and write it at an index."
        )
    inner = Graph(by_body=outer.by_body, outer=outer)
    with inner:
        carried = [inner.input_like(x) for x in start]
        new, done = step(carried)
        outputs = [inner.lift(x) for x in (*new, done)]
        rule = None if implicit is None else implicit(inner, carried)
    settled = len(rule.residual) if rule and not rule.jacobian else 0
    body = LoopBody(inner, outputs, limit=limit, name=name, watched=watched, implicit=rule,
                    settled=settled)  # fmt: skip
    return insert(outer, body, [*start, *inner.captured.values(), when])


def flatten(value: Any) -> tuple[list[Any], Callable[[Sequence[Any]], Any]]:
    """The scalars and arrays of nested tuples, lists and vectors, and what puts them back."""
    leaves: list[Any] = []
    _collect(value, leaves)
    return leaves, lambda new: _rebuilt(value, iter(new))


def _collect(value: Any, leaves: list[Any]) -> None:
    if isinstance(value, Array):
        leaves.append(value._entries)
    elif isinstance(value, list | tuple):
        for entry in value:
            _collect(entry, leaves)
    elif isinstance(value, str | dict):
        raise TraceError(
            f"a loop carries {value!r}{caller()}. Carry scalars, arrays, and tuples, lists or "
            "vectors of them."
        )
    elif value is not None:  # lists over bodies have nothing for the base
        leaves.append(float(value) if isinstance(value, int) else value)


def _rebuilt(value: Any, leaves: Iterator[Any]) -> Any:
    if isinstance(value, Array):
        return Array(next(leaves), value.shape)
    if isinstance(value, list | tuple):
        entries = [_rebuilt(entry, leaves) for entry in value]
        return type(value)(*entries) if hasattr(value, "_fields") else type(value)(entries)
    return None if value is None else next(leaves)
