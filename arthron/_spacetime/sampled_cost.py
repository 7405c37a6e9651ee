"""What a phase of a motion costs: an integral of results of samples, or of their squares."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from .._figure.figure import Array
from .._pages.compiled import compile as compiled
from .bsplines import Indices
from .sampled_page import RATES
from .samples import Samples
from .span_page import span_cost
from .sparse_parts import At


class SpanSlopes(NamedTuple):
    """What spans cost, and its derivatives.

    Attributes:
        duration: of the phase [s].
        values: of each span.
        slowing: how much of that a longer duration takes off, in parts of it.
        by_controls: (spans, n, nv).
        by_forces: along the axes of the ground where points are held, (spans, m, points, 3).
    """

    duration: float
    values: Array
    slowing: Array
    by_controls: Array
    by_forces: Array


class SampledCost:
    """An integral over a phase of weighted results of samples, or of their squares.

    Value and gradient are one native call: splines, page and reverse mode, span by span.

    Attributes:
        view: its own.

    Args:
        samples: where they are taken, as many in each span.
        quadrature: weights of samples, over a unit of time.
        weights: of results.
        group: how many samples behind each other are in one span.
        squared: whether results are squared.
    """

    def __init__(
        self, samples: Samples, quadrature: Array, weights: Array, group: int, squared: bool = True
    ) -> None:
        self.samples, self.group, self.squared, self.view = samples, group, squared, id(self)
        self.weights = np.outer(quadrature, weights)
        spans, n = len(quadrature) // group, samples.B.shape[-1]
        self._weights = np.tile(weights, (spans, 1))
        self._controls = samples.own.first + samples.first[::group, None] + np.arange(n)
        self._forces = samples.force_first[::group, None] + np.arange(samples.force_B.shape[-1])
        data = [samples.data[name] for name in samples.page.inputs if name in samples.data]
        rows = [samples.B, samples.force_B[:, 0], quadrature, *data]
        rows = np.concatenate([x.reshape(len(quadrature), -1) for x in rows], 1)
        self._rows = rows.reshape(spans, group, -1)
        shape = samples.page.shapes.get("forces", (0, 3))
        self._held = list(samples.own.points) if shape[0] else []
        self._unpushed = np.zeros((*self._forces.shape, *shape))
        self._lasting = functools.lru_cache(maxsize=1)(self._rows_lasting)

    def at(self, x: Array) -> SpanSlopes:
        """The cost of each span, and its derivatives."""
        s, own = self.samples, self.samples.own
        T, pushes = s.layout.duration(x, s.phase), self._unpushed
        if self._held:
            forces = np.zeros((own.force_knots.count, *pushes.shape[2:]))
            forces[:, self._held] = s.layout.world_forces(x, s.phase)
            pushes = forces[self._forces]
        controls = s.layout.split(x)[0].take(self._controls, 0)
        costs, slopes, by_forces = self._kernel(controls, pushes, self._lasting(T), self._weights)
        if self._held:
            by_forces = np.einsum("skpc,pac->skpa", by_forces[:, :, self._held], own.axes)
        return SpanSlopes(T, costs[:, 0], costs[:, 1], slopes, by_forces)

    def value(self, at: At) -> float:
        """What it costs."""
        return float(at(self).values.sum())

    def add_gradient(self, at: At, total: Array) -> None:
        """Add its derivatives to those by all unknowns."""
        spans, own, nv = at(self), self.samples.own, self.samples.model.nv
        parts = [(own.first * nv, spans.by_controls)]
        parts += [(own.forces, spans.by_forces)] if self._held else []
        for start, slopes in parts:
            _add_overlapping(slopes, total[start:])
        if own.duration is not None:
            total[own.duration] += (spans.values - spans.slowing).sum() / spans.duration

    def columns(self) -> Indices:
        """Numbers of the unknowns of each span, in which all samples depend on the same ones."""
        return self.samples.columns[:: self.group]

    def second(self, at: At, factor: float, more: Array | None = None) -> Array:
        """Second derivatives times a factor, span by span.

        Args:
            at: where the unknowns are.
            factor: the factor.
            more: weights of numbers of samples, (samples, numbers), of which second derivatives of
                the weighted sum are added.
        """
        if self.samples.linear:
            return factor * self._always
        point, samples = at(self.samples), self.samples
        y = squares = factor * point.duration * self.weights
        if self.squared:
            squares = 2.0 * squares
            y = squares * samples.values(point)
        found = samples.bending(
            point, y if more is None else y + more, squares if self.squared else None, self.group
        )
        if samples.own.duration is not None:
            spans = at(self)
            each = [spans.by_controls, *([spans.by_forces] if self._held else [])]
            each += [-spans.slowing / point.duration]
            mixed = np.concatenate([x.reshape(len(found), -1) for x in each], 1)
            mixed *= factor / point.duration
            found[:, -1] += mixed
            found[:, :, -1] += mixed
        return found

    @functools.cached_property
    def _always(self) -> Array:
        """Second derivatives of results that are linear in the unknowns."""
        origin, squares = self.samples.origin, 2.0 * self.weights if self.squared else None
        bent = self.samples.bending(origin, self.weights, squares, self.group)
        return bent * origin.duration

    def _rows_lasting(self, T: float) -> Array:
        """What the page takes of samples of a phase that lasts T: the longer, the slower."""
        rows, (_, ends, n) = self._rows.copy(), self.samples.B.shape
        for power in RATES.values():
            rows[..., power * n : (power + 1) * n] /= T**power
        rows[..., ends * n + self.samples.force_B.shape[-1]] *= T
        return rows

    @functools.cached_property
    def _kernel(self) -> Any:
        """The page of a span, compiled once for a figure."""
        s = self.samples
        shapes = {
            "controls": (s.B.shape[-1], s.model.nq),
            "pushes": self._unpushed.shape[1:],
            "rows": self._rows.shape[1:],
            "weights": self._weights.shape[1:],
        }
        key = ("span cost", s.page, self.squared, *shapes.items())
        page = functools.partial(span_cost, s.page, squared=self.squared)
        return s.model.memo(key, lambda: compiled(page(), s.model, shapes=shapes))


def _add_overlapping(slopes: Array, total: Array) -> None:
    """Add what spans have by several controls each, of which the next span has all but one."""
    spans, n = slopes.shape[:2]
    width = slopes[0, 0].size
    rows = total[: (spans + n - 1) * width].reshape(-1, width)
    for k, each in enumerate(slopes.reshape(spans, n, width).swapaxes(0, 1)):
        rows[k : k + spans] += each
