"""Coordinates of joints that are functions of others: q = f(y), hyper-reduced (S19 §2.6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from .._graph.autodiff import jacobian, jvp
from .._graph.evaluate import evaluate
from .._graph.expr import caller, is_scalar
from .._graph.graph import Graph
from .._spatial.inertia import Inertia
from .._spatial.motions import Motion, Subspace
from .._spatial.scalar import Scalar, is_zero
from .._spatial.transform import Transform
from ..errors import TraceError
from .joints import Coordinates, JointState, VectorSpace

Slopes = dict[int, tuple[dict[int, Scalar], ...]]
"""Of each coordinate of each joint that follows: its slopes, by velocity coordinate."""


@dataclass(frozen=True, slots=True)
class Unattached(VectorSpace):
    """Coordinates that move no body of their own: joints follow them.

    Attributes:
        rest: the neutral coordinates.
    """

    rest: tuple[float, ...]

    @property
    def nq(self) -> int:  # type: ignore[override]
        """How many there are."""
        return len(self.rest)

    @property
    def nv(self) -> int:
        """As many."""
        return len(self.rest)

    def __call__(self, q: Coordinates, qd: Coordinates) -> JointState:
        return Transform(), Subspace(Motion() for _ in self.rest), Motion(), Motion()

    def neutral(self) -> tuple[float, ...]:
        """Those given."""
        return self.rest

    def find(self, X: Transform, near: Coordinates) -> tuple[Scalar, ...]:
        """No pose says what they are."""
        return tuple(near)

    def random(self, rng: np.random.Generator) -> tuple[float, ...]:
        """Around the neutral ones."""
        return tuple(x + float(rng.uniform(-1.0, 1.0)) for x in self.rest)

    def regrouped_inertia(self, I: Inertia) -> Inertia:
        """Nothing hangs on them."""
        return Inertia()

    @property
    def label(self) -> str:
        """What they are."""
        return "coordinates"


class CoordinateMap:
    """How some joints follow others: their coordinates are a traced function of those of others.

    Attributes:
        leaders: the joints whose coordinates it takes, and how many each has; 0 stands for
            coordinates that belong to no joint.
        followers: the joints whose coordinates it gives, and how many each has.
        constant: whether its slopes are: the map is linear, and an offset.
    """

    def __init__(
        self,
        function: Callable[[Mapping[int, Sequence[Scalar]]], Mapping[int, Sequence[Scalar]]],
        leaders: Mapping[int, int],
    ) -> None:
        self._graph = Graph()
        y = self._graph.inputs(sum(leaders.values()))
        with self._graph:
            found = function(dict(zip(leaders, cut(y, leaders.values()), strict=True)))
            self._q = [self._graph.lift(x) for i in sorted(found) for x in found[i]]
            rows = jacobian(self._graph, self._q, [x.position for x in y])
        self.leaders = dict(leaders)
        self.followers = {i: len(found[i]) for i in sorted(found)}
        slopes = [
            (row, column, self._graph.lift(x))
            for row, line in enumerate(rows)
            for column, x in enumerate(line)
            if not is_zero(x)
        ]
        self._places = [(row, column) for row, column, _ in slopes]
        self._slopes = [node for *_, node in slopes]
        self.constant = all(node in self._graph.constants for node in self._slopes)

    def __repr__(self) -> str:
        """All that it computes, in short."""
        program = self._graph.digest([*self._q, *self._slopes])
        return f"CoordinateMap({self.leaders}, {self.followers}, {program})"

    def __eq__(self, other: object) -> bool:
        """Whether another one computes the same."""
        return isinstance(other, CoordinateMap) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def values(self, y: Sequence[Scalar]) -> dict[int, list[Scalar]]:
        """f(y): coordinates of the joints that follow, from those of all leaders in a row."""
        return self.by_joint(self.rates(y))

    def by_joint(self, numbers: Sequence[Any]) -> dict[int, list[Any]]:
        """A number per coordinate of joints that follow, joint by joint."""
        return dict(zip(self.followers, cut(numbers, self.followers.values()), strict=True))

    def slopes(self, y: Sequence[Scalar]) -> list[Scalar]:
        """F(y): the slopes that are not zero everywhere, in the order of `by_coordinate`."""
        return evaluate(self._graph, self._slopes, y)

    def slope_rates(self, y: Sequence[Scalar], yd: Sequence[Scalar]) -> list[Scalar]:
        """dF/dt as y moves at yd (S19 2.78)."""
        return jvp(self.slopes, y, yd)[1]

    def slope_second_rates(
        self, y: Sequence[Scalar], yd: Sequence[Scalar], ydd: Sequence[Scalar]
    ) -> list[Scalar]:
        """The second derivative of F by time."""
        n = len(y)
        return jvp(lambda x: self.slope_rates(x[:n], x[n:]), [*y, *yd], [*yd, *ydd])[1]

    def rates(self, *state: Sequence[Scalar]) -> list[Scalar]:
        """f(y) differentiated by time, as often as there are rates of y behind it."""
        if len(state) == 1:
            return evaluate(self._graph, self._q, state[0])
        n, (*before, _), (_, *after) = len(state[0]), state, state
        inner, moving = ([x for each in part for x in each] for part in (before, after))
        return jvp(lambda x: self.rates(*cut(x, [n] * len(before))), inner, moving)[1]

    def transposed(self, y: Sequence[Scalar], tau: Sequence[Scalar]) -> list[Scalar]:
        """F^T tau, by entries of y."""
        total: list[Scalar] = [0.0] * len(y)
        for (row, column), k in zip(self._places, self.slopes(y), strict=True):
            total[column] = total[column] + tau[row] * k
        return total

    def by_coordinate(self, slopes: Sequence[Scalar], index: Sequence[int]) -> Slopes:
        """Slopes by joint, with the velocity coordinate that each entry of y is."""
        rows: list[dict[int, Scalar]] = [{} for _ in self._q]
        for (row, column), x in zip(self._places, slopes, strict=True):
            rows[row][index[column]] = x
        return {i: tuple(each) for i, each in self.by_joint(rows).items()}

    def depends(self, i: int) -> list[int]:
        """The leaders that a joint follows."""
        owner = [j for j, n in self.leaders.items() for _ in range(n)]
        last = dict(zip(self.followers, accumulate(self.followers.values()), strict=True))[i]
        rows = range(last - self.followers[i], last)
        return sorted({owner[column] for row, column in self._places if row in rows})


@dataclass(frozen=True)
class MapAt:
    """Slopes of a map, if there is one, at a state.

    Attributes:
        map: the map.
        index: the velocity coordinate that each entry of y is.
        state: y, and its rates as far as they are known.
    """

    map: CoordinateMap | None
    index: Sequence[int]
    state: Sequence[Sequence[Scalar]]

    @cached_property
    def slopes(self) -> Slopes:
        """F of q = f(y)."""
        return self._at(CoordinateMap.slopes, 0)

    @cached_property
    def slope_rates(self) -> Slopes:
        """dF/dt; none where slopes do not change."""
        return self._at(CoordinateMap.slope_rates, 1)

    @cached_property
    def slope_second_rates(self) -> Slopes:
        """The second derivative of F by time, likewise."""
        return self._at(CoordinateMap.slope_second_rates, 2)

    @property
    def velocity(self) -> dict[int, Scalar]:
        """Rates of y, by velocity coordinate."""
        return dict(zip(self.index, self._known(1)[1], strict=True))

    def rates(self, x: Sequence[Scalar], order: int) -> dict[int, list[Scalar]]:
        """The derivative of f(y) by time of some order, x being that of y."""
        if self.map is None:
            return {}
        nothing = [[0.0] * len(x)] * order
        known = nothing if self.map.constant else self._known(order - 1)
        return self.map.by_joint(self.map.rates(*known, x))

    def bent(self, forces: Mapping[int, Sequence[Scalar]]) -> dict[tuple[int, int], Scalar]:
        """The derivative of F^T forces by y, with forces of joints: by pairs of coordinates."""
        if self.map is None or self.map.constant:
            return {}
        law, (y,) = self.map, self._known(0)
        tau = [x for i in law.followers for x in forces[i]]
        directions = [[float(j == k) for j in range(len(y))] for k in range(len(y))]
        _, *columns = jvp(lambda x: law.transposed(x, tau), y, *directions)
        each = ((a, b, x) for b, column in enumerate(columns) for a, x in enumerate(column))
        return {(self.index[a], self.index[b]): x for a, b, x in each if not is_zero(x)}

    def _at(self, of: Callable[..., list[Scalar]], order: int) -> Slopes:
        if self.map is None or (self.map.constant and order):
            return {}
        state = ((),) if self.map.constant else self._known(order)
        return self.map.by_coordinate(of(self.map, *state), self.index)

    def _known(self, order: int) -> Sequence[Sequence[Scalar]]:
        names = ("q", "qd", "qdd", "qddd")[: order + 1]
        if len(self.state) <= order:
            raise TraceError(
                f"joints follow others by slopes that change with q, and here it is not known "
                f"where they are{caller()}. Let the page take {' and '.join(names)}, or go there: "
                f"`tree.at({', '.join(names)})`."
            )
        return self.state[: order + 1]


def times(slopes: Slopes, x: Any) -> dict[int, list[Scalar]]:
    """Slopes times x, which has a number for each velocity coordinate."""
    found = {}
    for i, rows in slopes.items():
        terms = ([x[j] * k for j, k in row.items()] for row in rows)
        found[i] = [sum(t[1:], t[0]) if t else 0.0 for t in terms]
    return found


def as_coordinates(value: Any, n: int) -> tuple[Scalar, ...] | None:
    """What a user's map returned for a joint of n coordinates; None if that is not it."""
    each = tuple(value) if isinstance(value, tuple | list) else (value,)
    return each if len(each) == n and all(map(is_scalar, each)) else None


def cut(numbers: Sequence[Any], sizes: Any) -> list[list[Any]]:
    """A list in parts of given sizes."""
    ends = list(accumulate(sizes))
    return [list(numbers[end - n : end]) for end, n in zip(ends, sizes, strict=True)]
