"""Which feet stand during a transition, where, and what each bears (R96)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from .._algorithms.planned_motion import BodyPoint
from .._figure.figure import Array
from .clip import Clip
from .clip_supports import Foot, feet_of

HELD = 2
"""Points of a foot that stay where they are, of those that are lowest."""


@dataclass(frozen=True)
class Planted:
    """A foot that stands for a part of a transition.

    Attributes:
        foot: the link.
        points: of it, those that stay.
        start: when it begins to, in seconds of the transition.
        end: until when.
        before: where the points are at the start of the transition, (n, 3).
        after: where they are at its end, (n, 3).
    """

    foot: str
    points: tuple[BodyPoint, ...]
    start: float
    end: float
    before: Array
    after: Array

    def places(self, t: Array) -> Array:
        """Where the points are to be, (times, n, 3): from where they were to where they will."""
        part = np.clip((t - self.start) / max(self.end - self.start, 1e-12), 0.0, 1.0)
        blend = (part * part * (3.0 - 2.0 * part))[:, None, None]
        return self.before + blend * (self.after - self.before)

    def holds(self, t: Array) -> Array:
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
    before, after = feet_of(a), feet_of(b)
    standing = [foot.stands(a.rate) for foot in before], [foot.stands(b.rate) for foot in after]
    spans: dict[int, list[tuple[float, float]]] = {}
    for k in range(len(before)):
        stays = _run(standing[0][k][leave:], a.rate, duration)
        comes = _run(standing[1][k][enter::-1], b.rate, duration)
        if stays > 0.0 and comes > 0.0:
            spans[k] = [(0.0, duration)]
        else:
            spans[k] = [(0.0, stays)] * (stays > 0.0) + [(duration - comes, duration)] * (
                comes > 0.0
            )
    _close_gap(spans, duration)
    planted, feet, links = [], [], []
    for k, (first, second) in enumerate(zip(before, after, strict=True)):
        points = _points(a, first, leave)
        feet.append((first.body + 1, _middle(points)))
        links.append(first.link)
        here, there = _places(a, points, leave), _places(b, points, enter)
        for start, end in spans[k]:
            ends = (here if start <= 0.0 else there), (there if end >= duration else here)
            planted.append(Planted(first.link, points, start, end, *ends))
    return SupportPlan(duration, tuple(feet), tuple(links), tuple(planted))


def _run(stands: Array, rate: float, duration: float) -> float:
    """For how long a foot goes on to stand, from the first of some frames on [s]."""
    if not len(stands) or not stands[0]:
        return 0.0
    if stands.all():
        return max((len(stands) - 1) / rate, 0.5 * duration)
    return float(np.argmin(stands)) / rate


def _close_gap(spans: Mapping[int, list[tuple[float, float]]], duration: float) -> None:
    """Let stances last until the next begins, where somebody stands at both ends."""
    ends = [end for each in spans.values() for start, end in each if start <= 0.0]
    starts = [start for each in spans.values() for start, end in each if end >= duration]
    if not ends or not starts or max(ends) >= min(starts):
        for each in spans.values():
            each[:] = [(max(s, 0.0), min(e, duration)) for s, e in each]
        return
    middle = 0.5 * (max(ends) + min(starts))
    for each in spans.values():
        each[:] = [
            (s, middle)
            if s <= 0.0 and e == max(ends)
            else (middle, e)
            if s == min(starts)
            else (s, e)
            for s, e in each
        ]


def _points(clip: Clip, foot: Foot, frame: int) -> tuple[BodyPoint, ...]:
    """Points of the foot's own link that are lowest in a frame."""
    X = clip.model.body_poses(clip.q[frame])[foot.body]
    own = (foot.points[frame] - X[:3, 3]) @ X[:3, :3]
    low = np.argsort(foot.points[frame][:, 2], kind="stable")[:HELD]
    return tuple((foot.body + 1, tuple(float(x) for x in own[k])) for k in sorted(low))


def _places(clip: Clip, points: tuple[BodyPoint, ...], frame: int) -> Array:
    X = clip.model.body_poses(clip.q[frame])
    return np.stack([X[body - 1, :3, :3] @ place + X[body - 1, :3, 3] for body, place in points])


def _middle(points: tuple[BodyPoint, ...]) -> tuple[float, float, float]:
    x, y, z = np.mean([place for _, place in points], axis=0)
    return float(x), float(y), float(z)
