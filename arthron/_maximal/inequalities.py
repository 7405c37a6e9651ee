"""Inequalities among rows over bodies: which of them hold as equations, found pass by pass."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from .._graph.settle import settle
from .._scene.active_set import MOST, SLACK, TOGETHER
from .._spatial.scalar import Scalar, absolute, maximum, where
from .._tree.tree import BodyList
from .body_rows import BodyRow
from .kkt import motion

Solve = Callable[[Mapping[int, Scalar]], tuple[BodyList, list[Scalar]]]
"""(x, lambda) of all rows but those that are said not to be active, by number."""


class Choice(NamedTuple):
    """A pass of the search.

    Attributes:
        active: 1 for each inequality that holds as an equation.
        passes: how many there were before.
    """

    active: list[Scalar]
    passes: Scalar


def with_inequalities(
    solve: Solve, bodies: int, rows: Sequence[BodyRow], above: Sequence[int]
) -> tuple[BodyList, list[Scalar]]:
    """(x, lambda) with G x >= b and lambda >= 0 in those of all rows whose numbers are `above`.

    None is active at first. What is broken is taken in and what pulls let go, all at once (JP94),
    after a while one by one (M74).
    """
    if not above:
        return solve({})

    def following(last: Choice) -> tuple[tuple, Choice, Scalar]:
        x, multipliers = solve(dict(zip(above, last.active, strict=True)))
        alone, changed = where(last.passes < TOGETHER, 0.0, 1.0), 0.0
        active: list[Scalar] = []
        for k, on in zip(above, last.active, strict=True):
            there, b = rows[k].of(x), rows[k].b
            broken = where(there - b < -SLACK * (absolute(there) + absolute(b)), 1.0, 0.0)
            wanted = where(on, where(multipliers[k] < 0.0, 0.0, 1.0), broken)
            active.append(where(alone * changed, on, wanted))
            changed = maximum(changed, where(on == wanted, 0.0, 1.0))
        numbers = [y for each in x for y in (*each.ang, *each.lin)]
        return (numbers, multipliers), Choice(active, last.passes + 1.0), 1.0 - changed

    none, like = Choice([0.0] * len(above), 0.0), ([0.0] * 6 * bodies, [0.0] * len(rows))
    numbers, multipliers = settle(following, none, like, MOST, name="active set")
    return BodyList(motion(numbers[6 * i : 6 * i + 6]) for i in range(bodies)), multipliers
