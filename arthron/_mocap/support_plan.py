"""Which feet stand during a transition, where, and what each bears (R96)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from .._algorithms.planned_motion import BodyPoint
from .._figure.figure import Array
from .._spacetime.bsplines import Flags
from .clip import Clip
from .clip_supports import Foot, feet_of

FLAT = 0.02
"""Points of a foot stay where they are that are no higher than this above its lowest [m]."""
SAME, STEP = 0.03, 0.2
"""How near a foot stands to where it stood, if it is said not to have stepped [m]; for what part of
a transition it stands at either end if it has."""
REACH, MORE = 1.0, 0.02
"""How far a foot is from the root at most, beside the standing figure, and how much farther than
where its clip has it [m]."""


@dataclass(frozen=True)
class Planted:
    """A foot that stands for a part of a transition.

    Attributes:
        foot: the link.
        points: ends of its solids.
        low: which of these stay where they are, (n,).
        start: when it begins to, in seconds of the transition.
        end: until when.
        before: where the points are at the start of the transition, (n, 3).
        after: where they are at its end, (n, 3).
    """

    foot: str
    points: tuple[BodyPoint, ...]
    low: Flags
    start: float
    end: float
    before: Array
    after: Array

    def places(self, t: Array) -> Array:
        """Where the points are to be, (times, n, 3): from where they were to where they will."""
        part = np.clip((t - self.start) / max(self.end - self.start, 1e-12), 0.0, 1.0)
        blend = (part * part * (3.0 - 2.0 * part))[:, None, None]
        return self.before + blend * (self.after - self.before)

    def holds(self, t: Array) -> Flags:
        """Whether it stands at times."""
        return (t >= self.start - 1e-9) & (t <= self.end + 1e-9)


@dataclass(frozen=True)
class SupportPlan:
    """All feet of a transition.

    Attributes:
        duration: of the transition [s].
        feet: bodies and points that bear what the root lacks.
        planted: which of them stand when.
    """

    duration: float
    feet: tuple[BodyPoint, ...]
    links: tuple[str, ...]
    planted: tuple[Planted, ...]

    def shares(self, t: Array) -> Array:
        """What part of the ground's push each foot bears, (times, feet).

        Two that stand hand over from the one that stood to the one that will stand.
        """
        found = np.zeros((len(t), len(self.feet)))
        for k, link in enumerate(self.links):
            for p in self.planted:
                if p.foot == link:
                    whole = p.start <= 0.0 and p.end >= self.duration
                    rise = 1.0 if p.start <= 0.0 else t - p.start + 1e-6
                    fall = 1.0 if p.end >= self.duration else p.end - t + 1e-6
                    load = np.minimum(rise, fall) if not whole else np.full(len(t), 0.5)
                    found[:, k] = np.where(p.holds(t), np.maximum(load, found[:, k]), found[:, k])
        total = found.sum(-1, keepdims=True)
        return np.divide(found, total, out=np.zeros_like(found), where=total > 0.0)


def plan_supports(a: Clip, leave: int, b: Clip, enter: int, duration: float) -> SupportPlan:
    """Who stands between a frame of one clip and one of another, which is placed already.

    A foot that stands when the first is left goes on as long as it does there, and one that stands
    when the second is entered stands as long before as it did there, half of the transition where
    a clip says no more. Between, nobody is in the air unless somebody is at an end.
    """
    before = feet_of(a)
    standing = _standing(a, before, b)
    spans: dict[int, list[tuple[float, float]]] = {}
    held, feet = [], []
    for k, foot in enumerate(before):
        stays = min(_run(standing[0][k][leave:], a.rate, duration), duration)
        comes = min(_run(standing[1][k][enter::-1], b.rate, duration), duration)
        points = foot.ends
        here, there = places_of(a, points, leave), places_of(b, points, enter)
        held.append((points, here, there))
        feet.append((foot.body + 1, push_point(a, foot)))
        if stays and comes:
            low = low_points(here) | low_points(there)
            same = np.linalg.norm((there - here)[low, :2], axis=-1).max() < SAME
            part = STEP * duration
            stepped = [(0.0, min(stays, part)), (duration - min(comes, part), duration)]
            spans[k] = [(0.0, duration)] if same else stepped
        elif stays:  # and is in the air at the end, as long before as it was there
            swings = _run(np.logical_not(standing[1][k][enter::-1]), b.rate, duration)
            spans[k] = [(0.0, min(stays, duration - _swing(swings, duration)))]
        elif comes:
            swings = _run(np.logical_not(standing[0][k][leave:]), a.rate, duration)
            spans[k] = [(max(duration - comes, _swing(swings, duration)), duration)]
        else:
            spans[k] = []
    _close_gap(spans, duration)
    for k, foot in enumerate(before):
        spans[k] = _within_reach(spans[k], foot.body, (a, leave), (b, enter), duration)
    planted = []
    for k, (points, here, there) in enumerate(held):
        for start, end in spans[k]:
            ends = (here if start <= 0.0 else there), (there if end >= duration else here)
            low = low_points(ends[0]) & low_points(ends[1])
            low = low if low.any() else low_points(ends[0])
            planted.append(Planted(before[k].link, points, low, start, end, *ends))
    return SupportPlan(duration, (*feet,), tuple(foot.link for foot in before), (*planted,))


def pivots(a: Clip, leave: int, b: Clip, enter: int) -> list[tuple[Array, Array]]:
    """Where points of each foot that stands at both ends are there, (n, 3) each."""
    feet, found = feet_of(a), []
    for k, (first, second) in enumerate(zip(*_standing(a, feet, b), strict=True)):
        if first[leave] and second[enter]:
            here, there = (places_of(c, feet[k].ends, f) for c, f in ((a, leave), (b, enter)))
            low = low_points(here) | low_points(there)
            found.append((here[low], there[low]))
    return found


def _standing(a: Clip, feet: list[Foot], b: Clip) -> tuple[list[Array], list[Array]]:
    """Whether each foot stands in each frame of both clips."""
    return [f.stands(a.rate) for f in feet], [f.stands(b.rate) for f in feet_of(b)]


def _within_reach(
    spans: list[tuple[float, float]], body: int, leaving: tuple[Clip, int],
    entering: tuple[Clip, int], duration: float,
) -> list[tuple[float, float]]:  # fmt: skip
    """Stances for as long as a leg reaches: the root goes the straight way."""
    (a, leave), (b, enter) = leaving, entering
    still = a.model.body_poses(a.model.neutral())
    longest = REACH * np.linalg.norm(still[body, :3, 3] - still[0, :3, 3])
    part = np.linspace(0.0, 1.0, 61)
    root = a.q[leave, :3] + part[:, None] * (b.q[enter, :3] - a.q[leave, :3])
    found = []
    for start, end in spans:
        first, last = start, end
        if start <= 0.0:
            away = np.linalg.norm(root - a.model.body_poses(a.q[leave])[body, :3, 3], axis=-1)
            far = part[away > max(longest, away[0] + MORE)]
            last = min(end, duration * far[0]) if len(far) else end
        if end >= duration:
            away = np.linalg.norm(root - b.model.body_poses(b.q[enter])[body, :3, 3], axis=-1)
            far = part[away > max(longest, away[-1] + MORE)]
            first = max(start, duration * far[-1]) if len(far) else start
        whole = start <= 0.0 and end >= duration
        if whole and (first > start or last < end):
            found += [(start, min(last, STEP * duration)), (max(first, end - STEP * duration), end)]
        elif last > first:
            found.append((first, last))
    return found


def _swing(seen: float, duration: float) -> float:
    """How long a foot is in the air that is so at one end, and was so long in its clip [s]."""
    return float(np.clip(seen, 0.5 * duration, (1.0 - STEP) * duration))


def _run(stands: Array, rate: float, duration: float) -> float:
    """For how long a foot goes on to stand, from the first of some frames on [s]."""
    if not len(stands) or not stands[0]:
        return 0.0
    if stands.all():
        return max((len(stands) - 1) / rate, 0.5 * duration)
    return float(np.argmin(stands)) / rate


def _close_gap(spans: Mapping[int, list[tuple[float, float]]], duration: float) -> None:
    """Let a foot stand until another does, where somebody stands at both ends.

    A foot that steps by itself is in the air between, for it cannot be in two places.
    """
    ends = [(end, k) for k, each in spans.items() for start, end in each if start <= 0.0]
    starts = [(start, k) for k, each in spans.items() for start, end in each if end >= duration]
    if not ends or not starts:
        return
    (last, goes), (first, comes) = max(ends), min(starts)
    if last < first and goes != comes:
        middle = 0.5 * (last + first)
        spans[goes][:] = [(s, middle) if s <= 0.0 else (s, e) for s, e in spans[goes]]
        spans[comes][:] = [(middle, e) if e >= duration else (s, e) for s, e in spans[comes]]


def low_points(places: Array) -> Flags:
    """Which points of a foot are on the ground."""
    return places[:, 2] < places[:, 2].min() + FLAT


def places_of(clip: Clip, points: tuple[BodyPoint, ...], frame: int) -> Array:
    X = clip.model.body_poses(clip.q[frame])
    return np.stack([X[body - 1, :3, :3] @ place + X[body - 1, :3, 3] for body, place in points])


def push_point(clip: Clip, foot: Foot) -> tuple[float, float, float]:
    """A point of the foot's link between all its ends, where it is pushed."""
    X = clip.model.body_poses(clip.model.neutral())
    ends = [X[body - 1, :3, :3] @ place + X[body - 1, :3, 3] for body, place in foot.ends]
    own = X[foot.body, :3, :3].T @ (np.mean(ends, axis=0) - X[foot.body, :3, 3])
    x, y, z = own.round(6)
    return float(x), float(y), float(z)
