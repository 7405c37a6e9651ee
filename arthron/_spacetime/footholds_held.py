"""Footholds of the phases of a motion: what stays where it is, and what stays above its ground."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from .._algorithms.planned_motion import BodyPoint
from .._figure.figure import Array
from .._model.model import Model
from .bsplines import often
from .footing import FootRow, foot_page, foot_rows, foot_times
from .motion_conditions import OFTEN
from .motion_inputs import body_point
from .motion_phase import Foothold, Phase
from .sampled_page import SampledPage
from .samples import Samples
from .sparse_parts import Rows, SampledRows
from .splined_motion import between
from .unknowns import Unknowns


@dataclass
class Stance:
    """A foothold in a phase.

    Attributes:
        foothold: it.
        points: numbers of its points.
        page: where these are.
        rows: coordinates that stay.
        places: numbers of unknowns that these are, from 0 on; less than zero for none.
        goes_on: whether it was there in the phase before.
    """

    foothold: Foothold
    points: tuple[int, ...]
    page: SampledPage
    rows: list[FootRow] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    goes_on: bool = False


@dataclass(frozen=True)
class Footing:
    """All footholds of a motion.

    Attributes:
        points: points that may be pushed, by body.
        stances: footholds of each phase.
        places: how many places are unknown.
    """

    points: tuple[BodyPoint, ...]
    stances: tuple[tuple[Stance, ...], ...]
    places: int

    def pushed(self, k: int) -> tuple[tuple[int, ...], Array]:
        """Points that are pushed in a phase, and axes along which they are."""
        points = tuple(p for stance in self.stances[k] for p in stance.points)
        axes = [stance.foothold.axes() for stance in self.stances[k] for _ in stance.points]
        return points, np.array(axes).reshape(-1, 3, 3)

    def each(self, k: int, name: str) -> Array:
        """A number of the foothold of each point that is pushed in a phase."""
        return np.array([getattr(s.foothold, name) for s in self.stances[k] for _ in s.points])


def find_footing(model: Model, phases: Sequence[Phase], when: Array, poses: Array) -> Footing:
    """All footholds of phases of a motion that is near to poses."""
    numbers: dict[BodyPoint, int] = {}
    places, found = 0, []
    before: dict[Foothold, Stance] = {}
    for k, phase in enumerate(phases):
        now = {}
        pose = between(model, when, poses, np.array([k + 0.5]))[0]
        for foothold in phase.footholds:
            own = [body_point(model, foothold.link, p) for p in foothold.points]
            points = tuple(numbers.setdefault(p, len(numbers)) for p in own)
            stance = Stance(foothold, points, foot_page(model, own))
            if foothold in before:
                stance.rows, stance.places = before[foothold].rows, before[foothold].places
                stance.goes_on = True
            else:
                stance.rows = foot_rows(foothold, stance.page, pose)
                for row in stance.rows:
                    stance.places.append(places if row.height is None else -1)
                    places += row.height is None
            now[foothold] = stance
        found.append((*now.values(),))
        before = now
    return Footing((*numbers,), (*found,), places)


def standing_rows(layout: Unknowns, footing: Footing, given: Collection[float]) -> list[Rows]:
    """Points of footholds stay; pose and velocity are given at some ends of phases."""
    found: list[Rows] = []
    for k, stances in enumerate(footing.stances):
        greville = layout.phases[k].knots.greville()
        for stance in stances:
            kept = np.stack([
                foot_times(
                    len(greville), from_state=k in given, goes_on=stance.goes_on,
                    to_state=k + 1 in given, free=row.height is None,
                )
                for row in stance.rows
            ], -1)  # fmt: skip
            some = kept.any(-1)
            combine = np.stack([row.combine for row in stance.rows])
            samples = Samples(layout, k, greville[some], stance.page, combine)
            value = np.tile([row.height or 0.0 for row in stance.rows], (len(samples.times), 1))
            unknown = [layout.places + p if p >= 0 else -1 for p in stance.places]
            name = f"place of {stance.foothold.link!r} [m]"
            found.append(
                SampledRows(name, [(1.0, samples)], value, value, unknown, kept=kept[some])
            )
    return found


def clearance_rows(layout: Unknowns, footing: Footing) -> list[Rows]:
    """Points of footholds stay above the lowest of their grounds while they are not held."""
    grounds: dict[tuple[int, Foothold], tuple[int, Stance]] = {}
    for stance in (s for each in footing.stances for s in each):
        for number, point in enumerate(stance.points):
            grounds[point, stance.foothold] = number, stance
    lowest: dict[tuple, float] = {}
    for point, foothold in grounds:
        key = point, foothold.normal
        lowest[key] = min(foothold.height, lowest.get(key, np.inf))
    found: list[Rows] = []
    for k, own in enumerate(layout.phases):
        times = often(own.knots.greville(), OFTEN)[OFTEN + 1 : -OFTEN - 1]
        above: dict[int, list[Array]] = {}
        least: dict[int, list[float]] = {}
        stances: dict[int, Stance] = {}
        for (point, foothold), (number, stance) in grounds.items():
            low = lowest[point, foothold.normal]
            if point in own.points or foothold.height > low or not len(times):
                continue
            row = np.zeros(3 * len(stance.points))
            row[3 * number : 3 * number + 3] = foothold.normal
            above.setdefault(id(stance), []).append(row)
            least.setdefault(id(stance), []).append(low)
            stances[id(stance)] = stance
        for key, rows in above.items():
            samples = Samples(layout, k, times, stances[key].page, np.stack(rows))
            low = np.tile(least[key], (len(times), 1))
            name = f"height of {stances[key].foothold.link!r} [m]"
            found.append(SampledRows(name, [(1.0, samples)], low, np.full(low.shape, np.inf)))
    return found
