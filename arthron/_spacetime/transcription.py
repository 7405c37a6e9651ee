"""The search for a motion as a nonlinear program, in the form that solvers take."""

from __future__ import annotations

import functools
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from .._algorithms.spline_motion import moved_controls
from .._figure.figure import Array
from .._pages.compiled import compile as compiled
from .bsplines import Indices
from .sampled_cost import SampledCost
from .samples import plain_coordinates
from .sparse_parts import At, Rows, Seeing, SparsePlaces, lower, triangle
from .unknowns import Unknowns
from .weak_balance import WeakBalance


class Transcription:
    """A nonlinear program in the unknowns of a layout (as `ar.optimize.Problem`).

    Args:
        layout: the unknowns.
        costs: what is minimised.
        springs: what is besides, half the sum of springs times squares of unknowns that are no
            controls.
        rows: constraints.
        lower: least values of the unknowns.
        upper: their most.
    """

    def __init__(
        self, layout: Unknowns, costs: Sequence[SampledCost], springs: Array, rows: Sequence[Rows],
        lower: Array, upper: Array,
    ) -> None:  # fmt: skip
        self.layout, self.costs, self.springs, self.rows = layout, costs, springs, rows
        self.lower, self.upper = lower, upper
        self.least = np.concatenate([r.least for r in rows] or [np.zeros(0)])
        self.most = np.concatenate([r.most for r in rows] or [np.zeros(0)])
        self.starts = np.cumsum([0, *(len(r.least) for r in rows)])
        self._plain = layout.controls * layout.model.nv
        own = [layout.times(), *(r.times for r in rows)]
        self.times = np.concatenate(own)
        self._known: tuple[bytes, dict[Hashable, Any]] = (b"", {})

    def names(self, k: int) -> str:
        """What a constraint is."""
        block = int(np.searchsorted(self.starts, k, side="right")) - 1
        return f"{self.rows[block].name} at {self.rows[block].times[k - self.starts[block]]:.3g}"

    def move(self, x: Array, step: Array) -> Array:
        """The unknowns a step further; turns go along the sphere."""
        model, count = self.layout.model, self.layout.controls
        controls, rest = self.layout.split(x)
        kernel = model.memo("moved controls", lambda: compiled(moved_controls, model))
        moved = kernel(controls, np.ascontiguousarray(step[: count * model.nv].reshape(count, -1)))
        return np.concatenate([moved.ravel(), rest + step[count * model.nv :]])

    def coordinates(self, x: Array) -> Array:
        """Numbers that bounds speak of: zero of joints that turn freely."""
        model = self.layout.model
        controls, rest = self.layout.split(x)
        found = np.zeros((len(controls), model.nv))
        of_q, of_v = plain_coordinates(model)
        found[:, of_v] = controls[:, of_q]
        return np.concatenate([found.ravel(), rest])

    def objective(self, x: Array) -> float:
        """What is minimised."""
        at, rest = self._at(x), self.layout.split(x)[1]
        own = 0.5 * float(self.springs[self._plain :] @ (rest * rest))
        return sum(cost.value(at) for cost in self.costs) + own

    def gradient(self, x: Array) -> Array:
        """Its derivatives."""
        at, found = self._at(x), np.zeros(self.layout.size)
        found[self._plain :] = self.springs[self._plain :] * self.layout.split(x)[1]
        for cost in self.costs:
            cost.add_gradient(at, found)
        return found

    def constraints(self, x: Array) -> Array:
        """Values of all constraints."""
        at = self._at(x)
        return np.concatenate([r.values(x, at) for r in self.rows] or [np.zeros(0)])

    def jacobianstructure(self) -> tuple[Indices, Indices]:
        """Places of their derivatives."""
        each = [r.entries() for r in self.rows]
        rows = [e.rows + start for e, start in zip(each, self.starts, strict=False)]
        return _joined(rows), _joined([e.columns for e in each])

    def jacobian(self, x: Array) -> Array:
        """Their derivatives."""
        at = self._at(x)
        return np.concatenate([r.slopes(x, at) for r in self.rows] or [np.zeros(0)])

    def hessianstructure(self) -> tuple[Indices, Indices]:
        """Places of second derivatives, lower triangle."""
        each = [SparsePlaces(*triangle(cost.columns())) for cost in self.costs]
        each += [r.second_entries() for k, r in enumerate(self.rows) if k not in self._carried]
        diagonal = np.arange(self.layout.size)
        each.append(SparsePlaces(diagonal, diagonal))
        return _joined([e.rows for e in each]), _joined([e.columns for e in each])

    def hessian(self, x: Array, multipliers: Array, factor: float) -> Array:
        """Second derivatives of factor * objective + multipliers . constraints."""
        at, own = self._at(x), []
        more: list[Any] = [None] * len(self.costs)
        for k, r in enumerate(self.rows):
            y = multipliers[self.starts[k] : self.starts[k + 1]]
            if k in self._carried:
                balance, j = self._carried[k]
                more[j] = balance.number_weights(y)
            else:
                own.append(r.bending(x, at, y))
        each = zip(self.costs, more, strict=True)
        found = [lower(cost.second(at, factor, weights)) for cost, weights in each]
        return np.concatenate([*found, *own, factor * self.springs])

    @functools.cached_property
    def _carried(self) -> dict[int, tuple[WeakBalance, int]]:
        """By number of row, balances that bend together with a cost of the same samples.

        Second derivatives of a sum take as long as those of one of them.
        """
        costs = {c.samples.view: j for j, c in enumerate(self.costs) if not c.samples.linear}
        return {
            k: (r, costs[r.samples.view])
            for k, r in enumerate(self.rows)
            if isinstance(r, WeakBalance) and r.samples.view in costs
        }

    def _at(self, x: Array) -> At:
        """Where the unknowns are as parts see them, each of which looks once."""
        key = x.tobytes()
        if self._known[0] != key:
            self._known = key, {}
        seen = self._known[1]

        def at(part: Seeing) -> Any:
            if part.view not in seen:
                seen[part.view] = part.at(x)
            return seen[part.view]

        return at


def _joined(parts: list[Indices]) -> Indices:
    return np.concatenate(parts).astype(int) if parts else np.zeros(0, int)
