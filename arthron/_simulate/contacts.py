"""Contact along a trajectory: which links touch when, where, and with what force."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .._scene.contact_points import WIDTH
from .._scene.near_links import LinkColumns
from ..errors import SimulationError, nearest

Array = np.ndarray
FAR_AWAY = 1e5
"""Gaps that are larger are of points that a pair does not have just then [m]."""


@dataclass(frozen=True, eq=False)
class Contacts:
    """Points of contact in time. Each is one of a pair of shapes, whether these touch or not.

    Of links that touch each other there are those pairs that come near each other at any time.

    Attributes:
        elements: names of the elements that the points belong to.
        links: the link of each point.
        others: the link that it touches; None is the world.
        force: mean force on the link over the last step, in world axes [N], (..., n, points, 3);
            zero at the start and where nothing touches.
        point: where the point was when that was found, (..., n, points, 3).
        gap: how far apart the links were there [m], (..., n, points); overlaps are less than zero,
            and pairs that were not near are infinitely far.
        iterations: passes of Newton's method in the last step, (..., n).
        overflow: pairs of shapes that had no place, and did not count, (..., n).
        numbers: what steps keep, (..., n, many).
        columns: how that is laid out.
    """

    elements: Sequence[str]
    links: Sequence[str]
    others: Sequence[str | None]
    force: Array
    point: Array
    gap: Array
    iterations: Array
    overflow: Array
    numbers: Array
    columns: tuple[Sequence[Sequence[str | None]], Sequence[LinkColumns]]

    @staticmethod
    def of(
        names: Sequence[Sequence[str | None]], links: Sequence[LinkColumns], numbers: Array,
        iterations: Array,
    ) -> Contacts:  # fmt: skip
        """Out of what steps keep: names of points, and how that of links is laid out."""
        found, first = [list(name) for name in names], WIDTH * len(names)
        lead = numbers.shape[:-1]
        parts = [numbers[..., :first].reshape(*lead, len(names), WIDTH)]
        overflow = np.zeros(lead)
        for each in links:
            own = numbers[..., first : (first := first + each.width)]
            overflow = overflow + np.maximum(own[..., 0] - each.places, 0.0)
            called, part = _by_pair(each, own)
            found += called
            parts.append(part)
        all_points = np.concatenate(parts, axis=-2)
        values = all_points[..., :3], all_points[..., 3:6], all_points[..., 6]
        elements, one, two = ([name[k] for name in found] for k in range(3))
        more = iterations, overflow, numbers, (names, links)
        return Contacts(elements, one, two, *values, *more)  # type: ignore[arg-type]

    @property
    def touching(self) -> Array:
        """Whether each point touches, (..., n, points)."""
        return (self.force != 0.0).any(-1)

    @property
    def penetration(self) -> Array:
        """The deepest overlap at each time [m], zero where there is none, (..., n)."""
        return np.maximum(-self.gap, 0.0).max(-1, initial=0.0)

    def on(self, link: str | Sequence[str]) -> Array:
        """The force of all contact on a link or several, in world axes [N], (..., n, 3)."""
        return np.einsum("...pk,p->...k", self.force, self._signs(link))

    def wrench(self, link: str | Sequence[str], about: Sequence[float] = (0.0, 0.0, 0.0)) -> Array:
        """What a force plate under one link or several has: [moment; force], (..., n, 6).

        Args:
            link: name of a link, or several; contact between these does not count.
            about: point in the world that the moment is about [m].
        """
        force = self.force * self._signs(link)[:, None]
        moment = np.cross(self.point - np.asarray(about, float), force)
        return np.concatenate([moment.sum(-2), force.sum(-2)], -1)

    def center_of_pressure(
        self, link: str | Sequence[str], normal: Sequence[float] = (0.0, 0.0, 1.0)
    ) -> Array:
        """Mean of the points where links are pushed, weighed by normal forces, (..., n, 3).

        NaN while nothing touches. On level ground forces have no moment about it but a vertical
        one (the zero-moment point).

        Args:
            link: name of a link, or several.
            normal: what is up.
        """
        push = (self.force * self._signs(link)[:, None]) @ np.asarray(normal, float)
        total = push.sum(-1)[..., None]
        weighed = np.einsum("...p,...pk->...k", push, self.point)
        return np.divide(weighed, total, out=np.full_like(weighed, np.nan), where=total != 0.0)

    def _signs(self, link: str | Sequence[str]) -> Array:
        """For each point: 1 where it pushes one of some links, -1 where it pushes from them."""
        known = sorted({*self.links, *(x for x in self.others if x is not None)})
        links = [link] if isinstance(link, str) else list(link)
        for each in links:
            if each not in known:
                raise SimulationError(
                    f"no link {each!r} has points of contact.{nearest(str(each), known)}"
                )
        pairs = zip(self.links, self.others, strict=True)
        return np.array([float(a in links) - float(b in links) for a, b in pairs])

    def row(self, index: tuple[int, ...] | Array) -> Contacts:
        """Of one simulation of a batch, or of one at some of its times."""
        each = "force", "point", "gap", "iterations", "overflow", "numbers"
        return replace(self, **{name: getattr(self, name)[index] for name in each})

    def __repr__(self) -> str:
        links = len(dict.fromkeys(self.links))
        return f"<Contacts: {len(self.links)} points on {links} links>"


def _by_pair(columns: LinkColumns, numbers: Array) -> tuple[list[list[str | None]], Array]:
    """Points by pair of shapes, of those that have a place at any time: names and numbers."""
    lead = numbers.shape[:-1]
    places = numbers[..., 1:].reshape(-1, columns.places, 1 + WIDTH * columns.points)
    which = np.where(numbers.reshape(len(places), -1)[:, :1] > 0.0, places[..., 0], -1.0)
    which = which.astype(int)
    used = np.unique(which[which >= 0])
    found = np.zeros((len(places), len(used), columns.points, WIDTH))
    found[..., 6] = np.inf
    row, place = np.nonzero(which >= 0)
    column = np.searchsorted(used, which[row, place])
    own = places[row, place, 1:].reshape(-1, columns.points, WIDTH)
    own[..., 6] = np.where(own[..., 6] > FAR_AWAY, np.inf, own[..., 6])
    found[row, column] = own
    names = [[columns.element, *columns.pairs[k]] for k in used for _ in range(columns.points)]
    return names, found.reshape(*lead, len(names), WIDTH)  # type: ignore[return-value]
