"""Forces where no motor is are nothing: on average, about each time.

They are zero weighted by each basis function of the splines of forces. As these add up to one,
momentum over any stretch of time is what forces make of it; what is left between is shorter than
the spans. At single times it could be zero by wriggling in between.
"""

from __future__ import annotations

import functools

import numpy as np

from .._figure.figure import Array
from .samples import Samples
from .sparse_parts import At, SparsePlaces, lower, triangle


class WeakBalance:
    """Integrals of results times basis functions, all zero.

    Args:
        samples: results at the times of a quadrature, `group` of them in each span.
        weights: those of the quadrature.
        group: how many samples a span has.
    """

    def __init__(self, samples: Samples, weights: Array, group: int) -> None:
        knots, self.name = samples.own.force_knots, "balance of forces"
        self.samples, self.group = samples, group
        first, B = knots.local(samples.times)
        self.spans = len(first) // group
        self._first = first[::group]
        self._tests = (weights[:, None] * B[:, 0]).reshape(self.spans, group, -1)
        self._sizes = knots.integrals()
        results = 1 if samples.combine is None else len(samples.combine)
        self.shape = (knots.count, results)
        self.times: Array = np.repeat(samples.phase + knots.greville(), results)
        self.least: Array = np.zeros(knots.count * results)
        self.most: Array = np.zeros(knots.count * results)
        self._rows = self._first[:, None] + np.arange(self._tests.shape[-1])

    @functools.cached_property
    def averaging(self) -> Array:
        """The matrix by which results of all samples are multiplied, (basis functions, samples)."""
        found = np.zeros((self.shape[0], self.spans, self.group))
        for span, rows in enumerate(self._rows):
            found[rows, span] = self._tests[span].T / self._sizes[rows, None]
        return found.reshape(self.shape[0], -1)

    def _averages(self, found: Array) -> Array:
        """Of results of samples, by span and basis function."""
        found = found.reshape(self.spans, self.group, -1)
        return self._tests.swapaxes(1, 2) @ found / self._sizes[self._rows][..., None]

    def values(self, x: Array, at: At) -> Array:
        """What they are."""
        return (self.averaging @ self.samples.values(at(self.samples))).ravel()

    def entries(self) -> SparsePlaces:
        """Which unknowns each depends on."""
        columns = self.samples.columns[:: self.group, None, None]
        results = self.shape[1]
        rows = (self._rows[..., None] * results + np.arange(results))[..., None]
        rows, columns = np.broadcast_arrays(rows, columns)
        return SparsePlaces(rows.ravel(), columns.ravel())

    def slopes(self, x: Array, at: At) -> Array:
        """Derivatives at these places."""
        return self._averages(self.samples.slopes(at(self.samples))).ravel()

    def second_entries(self) -> SparsePlaces:
        """Which pairs of unknowns they bend with."""
        return SparsePlaces(*triangle(self.samples.columns[:: self.group]))

    def bending(self, x: Array, at: At, multipliers: Array) -> Array:
        """Second derivatives of the sum of multipliers times constraints."""
        weights = self._sample_weights(multipliers)
        return lower(self.samples.bending(at(self.samples), weights, group=self.group))

    def number_weights(self, multipliers: Array) -> Array:
        """Weights of the page's numbers at all samples in the sum of multipliers times rows."""
        found, combine = self._sample_weights(multipliers), self.samples.combine
        return found if combine is None else found @ combine

    def _sample_weights(self, multipliers: Array) -> Array:
        y = multipliers.reshape(self.shape) / self._sizes[:, None]
        return (self._tests @ y[self._rows]).reshape(-1, self.shape[1])
