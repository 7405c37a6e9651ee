"""What motions cost and what they have to obey, as sparse functions of the unknowns.

Each part says which unknowns it depends on, and has values, first and second derivatives in the
same order.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable, Sequence
from typing import NamedTuple, Protocol, TypeVar

import numpy as np

from .._figure.figure import Array
from .bsplines import Flags, Indices
from .samples import Samples
from .unknowns import Unknowns

Seen = TypeVar("Seen", covariant=True)


class Seeing(Protocol[Seen]):
    """What sees the unknowns in its own way."""

    @property
    def view(self) -> Hashable:
        """Equal for those that see the same."""
        ...

    def at(self, x: Array) -> Seen:
        """Where the unknowns are."""
        ...


class At(Protocol):
    """Where the unknowns are, as a part sees them: computed once."""

    def __call__(self, part: Seeing[Seen]) -> Seen: ...


class SparsePlaces(NamedTuple):
    """Places of a sparse matrix."""

    rows: Indices
    columns: Indices


class Rows(Protocol):
    """Constraints.

    Attributes:
        least: what each is at least.
        most: what each is at most.
        times: when each is, in phases.
        name: what they are, of messages.
    """

    least: Array
    most: Array
    times: Array
    name: str

    def values(self, x: Array, at: At) -> Array:
        """What they are."""
        ...

    def entries(self) -> SparsePlaces:
        """Which unknowns each depends on."""
        ...

    def slopes(self, x: Array, at: At) -> Array:
        """Derivatives at these places."""
        ...

    def second_entries(self) -> SparsePlaces:
        """Which pairs of unknowns they bend with, those of the lower triangle."""
        ...

    def bending(self, x: Array, at: At, multipliers: Array) -> Array:
        """Second derivatives of the sum of multipliers times constraints."""
        ...


class SampledRows:
    """Results of samples within bounds, or differences of two, less places that are unknown.

    Args:
        name: what they are.
        terms: samples and their signs, as many results each.
        least: what each result is at least, at each sample.
        most: the same at most.
        places: for each result the number of an unknown that is taken off; less than zero for none.
        kept: which results of which samples are meant; all when left out.
    """

    def __init__(
        self, name: str, terms: Sequence[tuple[float, Samples]], least: Array, most: Array,
        places: Sequence[int] | None = None, kept: Flags | None = None,
    ) -> None:  # fmt: skip
        self.name, self.terms, self.shape = name, terms, np.shape(least)
        self.kept: Flags = np.ones(self.shape, bool) if kept is None else kept
        self.least, self.most = least[self.kept], most[self.kept]
        self._sample, self._result = np.nonzero(self.kept)
        first = terms[0][1]
        self.times = first.phase + first.times[self._sample]
        each: Indices = np.full(self.shape[1], -1) if places is None else np.asarray(places)
        self.places: Indices = each[self._result]
        self._placed = np.flatnonzero(self.places >= 0)

    def values(self, x: Array, at: At) -> Array:
        """What they are."""
        total = np.zeros(self.shape)
        for sign, s in self.terms:
            total += sign * s.values(at(s))
        found, layout = total[self.kept], self.terms[0][1].layout
        for k in self._placed:
            found[k] -= layout.rest(x, self.places[k], 1)[0]
        return found

    def entries(self) -> SparsePlaces:
        """Which unknowns each depends on."""
        rows, columns = [], []
        for _, s in self.terms:
            own = s.columns[self._sample]
            rows.append(np.repeat(np.arange(len(own)), own.shape[1]))
            columns.append(own.ravel())
        rows.append(self._placed)
        columns.append(self.places[self._placed])
        return SparsePlaces(np.concatenate(rows), np.concatenate(columns))

    def slopes(self, x: Array, at: At) -> Array:
        """Derivatives at these places."""
        found = [np.ravel(sign * s.slopes(at(s))[self.kept]) for sign, s in self.terms]
        return np.concatenate([*found, np.full(len(self._placed), -1.0)])

    def second_entries(self) -> SparsePlaces:
        """Which pairs of unknowns they bend with."""
        each = [triangle(s.columns) for _, s in self.terms if s.bends]
        none = np.zeros(0, int)
        return SparsePlaces(*(np.concatenate([none, *(x[k] for x in each)]) for k in (0, 1)))

    def bending(self, x: Array, at: At, multipliers: Array) -> Array:
        """Second derivatives of the sum of multipliers times results."""
        y = np.zeros(self.shape)
        y[self.kept] = multipliers
        bent = [lower(sign * s.bending(at(s), y)) for sign, s in self.terms if s.bends]
        return np.concatenate([np.zeros(0), *bent])


class Cones:
    """Forces of a phase inside cones of friction: each control of the splines, and so all between.

    With a = mu f_n and a small force s, a - s - |f_t|^2 / (a + s) >= 0 says that |f_t|^2 <= a^2 -
    s^2, which is inside the cone. It is concave where f_n >= 0, and bends little where that is
    more than s.

    Args:
        layout: the unknowns.
        phase: number of the phase.
        friction: coefficient of each point.
        small: a force that is small [N].
    """

    def __init__(self, layout: Unknowns, phase: int, friction: Array, small: float) -> None:
        self.name, self.layout, self.phase = "friction", layout, phase
        self.friction, self.small = friction, small
        own = layout.phases[phase]
        count, points = own.force_knots.count, len(own.points)
        self._columns = own.forces + np.arange(count * points * 3).reshape(count * points, 3)
        self.times: Array = np.repeat(phase + own.force_knots.greville(), points)
        self.least: Array = np.zeros(count * points)
        self.most: Array = np.full(count * points, np.inf)

    def _forces(self, x: Array) -> tuple[Array, Array]:
        """Forces along the ground, (..., 2), and mu f_n + s."""
        f = self.layout.forces(x, self.phase)
        return f[..., :2], self.friction * f[..., 2] + self.small

    def values(self, x: Array, at: At) -> Array:
        """What they are."""
        along, a = self._forces(x)
        return np.ravel(a - 2.0 * self.small - (along * along).sum(-1) / a)

    def entries(self) -> SparsePlaces:
        """Which unknowns each depends on."""
        return SparsePlaces(np.repeat(np.arange(len(self.least)), 3), self._columns.ravel())

    def slopes(self, x: Array, at: At) -> Array:
        """Derivatives at these places."""
        along, a = self._forces(x)
        r = along / a[..., None]
        by_normal = self.friction * (1.0 + (r * r).sum(-1))
        return np.concatenate([-2.0 * r, by_normal[..., None]], -1).ravel()

    def second_entries(self) -> SparsePlaces:
        """Which pairs of unknowns they bend with."""
        return SparsePlaces(*triangle(self._columns))

    def bending(self, x: Array, at: At, multipliers: Array) -> Array:
        """Second derivatives of the sum of multipliers times constraints: -2/a u u^T of two u."""
        along, a = self._forces(x)
        r = along / a[..., None] * self.friction[:, None]
        u = np.zeros((*a.shape, 2, 3))
        u[..., 0, 0] = u[..., 1, 1] = 1.0
        u[..., 2] = -r
        weighted = (-2.0 * multipliers.reshape(a.shape) / a)[..., None, None]
        return lower((weighted * (u.swapaxes(-1, -2) @ u)).reshape(-1, 3, 3))


def triangle(columns: Indices) -> tuple[Indices, Indices]:
    """Rows and columns of the lower triangles of matrices over some unknowns each."""
    i, j = _places(columns.shape[1])
    return columns[:, i].ravel(), columns[:, j].ravel()


def lower(H: Array) -> Array:
    """Entries of these triangles."""
    i, j = _places(H.shape[1])
    return H.reshape(len(H), -1).take(i * H.shape[1] + j, axis=1).ravel()


@functools.cache
def _places(size: int) -> tuple[Indices, Indices]:
    return np.tril_indices(size)
