"""Unknowns of a motion that is looked for: where each stands among all.

They are controls of the splines, phase after phase, of which the last of a phase is the first of
the next; controls of the forces at points that are held; durations; and where points are held.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .._figure.figure import Array
from .._model.model import Model
from .bsplines import Knots
from .motion_phase import Phase


@dataclass(frozen=True)
class PhaseUnknowns:
    """Those of one phase.

    Attributes:
        knots: of coordinates, over a unit of time.
        force_knots: of forces, which are as smooth as accelerations.
        first: number of its first control among all.
        points: numbers of the points that are pushed.
        axes: of the forces at each, two along the ground and its normal, (points, 3, 3).
        forces: number of its first force unknown.
        duration: number of its duration; None where that is given.
        given: its duration, or that which the search begins with [s].
    """

    knots: Knots
    force_knots: Knots
    first: int
    points: tuple[int, ...]
    axes: Array
    forces: int
    duration: int | None
    given: float

    @property
    def force_count(self) -> int:
        """How many force unknowns there are."""
        return 3 * len(self.points) * self.force_knots.count


@dataclass(frozen=True)
class Unknowns:
    """All of them.

    Attributes:
        model: the figure.
        phases: those of each phase.
        controls: how many controls there are.
        places: number of the first unknown place.
        size: how many unknowns there are.
    """

    model: Model
    phases: tuple[PhaseUnknowns, ...]
    controls: int
    places: int
    size: int

    @staticmethod
    def of(
        model: Model,
        phases: Sequence[Phase],
        pushed: Sequence[tuple[tuple[int, ...], Array]],
        places: int,
    ) -> Unknowns:
        """Those of phases, in each of which points are pushed along axes, and of unknown places."""
        knots = [Knots.between(phase.breaks(), phase.degree) for phase in phases]
        firsts = np.cumsum([0, *(k.count - 1 for k in knots)])
        at = (firsts[-1] + 1) * model.nv
        each = []
        for phase, own, first, (points, axes) in zip(
            phases, knots, firsts[:-1], pushed, strict=True
        ):
            forces = own.of_degree(phase.degree - 2)
            free = phase.longest > phase.shortest
            own_phase = PhaseUnknowns(
                own, forces, int(first), points, axes, int(at), None, phase.start_duration
            )
            each.append((own_phase, free))
            at += own_phase.force_count
        found = []
        for own_phase, free in each:
            found.append(replace(own_phase, duration=int(at)) if free else own_phase)
            at += free
        return Unknowns(model, tuple(found), int(firsts[-1]) + 1, int(at), int(at) + places)

    def split(self, x: Array) -> tuple[Array, Array]:
        """(controls, all other numbers): controls are (count, nq)."""
        end = self.controls * self.model.nq
        return x[:end].reshape(self.controls, -1), x[end:]

    def rest(self, x: Array, first: int, count: int) -> Array:
        """Numbers of unknowns that are no controls, by the number of the first."""
        start = first - self.controls * self.model.nv
        return self.split(x)[1][start : start + count]

    def duration(self, x: Array, k: int) -> float:
        """How long a phase takes [s]."""
        own = self.phases[k]
        return own.given if own.duration is None else float(self.rest(x, own.duration, 1)[0])

    def forces(self, x: Array, k: int) -> Array:
        """Controls of forces in a phase along the axes of the ground, (count, points, 3)."""
        own = self.phases[k]
        found = self.rest(x, own.forces, own.force_count)
        return found.reshape(own.force_knots.count, len(own.points), 3)

    def world_forces(self, x: Array, k: int) -> Array:
        """The same in world axes."""
        return np.einsum("kpa,pac->kpc", self.forces(x, k), self.phases[k].axes)

    def times(self) -> Array:
        """When each unknown counts, in phases; NaN where that is always."""
        found = np.full(self.size, np.nan)
        nv = self.model.nv
        for k, own in enumerate(self.phases):
            rows = slice(own.first * nv, (own.first + own.knots.count) * nv)
            found[rows] = np.repeat(k + own.knots.greville(), nv)
            when = np.repeat(k + own.force_knots.greville(), 3 * len(own.points))
            found[own.forces : own.forces + own.force_count] = when
        return found
