"""Contact along a trajectory: which links touch when, where, and with what force."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..errors import SimulationError, nearest

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Contacts:
    """Points of contact in time. Each is one of a pair of shapes, whether these touch or not.

    Attributes:
        elements: names of the elements that the points belong to.
        links: the link of each point.
        others: the link that it touches; None is the world.
        force: mean force on the link over the last step, in world axes [N], (..., n, points, 3);
            zero at the start and where nothing touches.
        point: where the point was when that was found, (..., n, points, 3).
        gap: how far apart the links were there [m], (..., n, points); overlaps are less than zero.
        iterations: passes of Newton's method in the last step, (..., n).
    """

    elements: Sequence[str]
    links: Sequence[str]
    others: Sequence[str | None]
    force: Array
    point: Array
    gap: Array
    iterations: Array

    @staticmethod
    def of(names: Sequence[Sequence[str | None]], numbers: Array, iterations: Array) -> Contacts:
        """Out of what steps keep, (..., n, points, 7)."""
        elements, links, others = ([name[k] for name in names] for k in range(3))
        parts = numbers[..., :3], numbers[..., 3:6], numbers[..., 6]
        return Contacts(elements, links, others, *parts, iterations)  # type: ignore[arg-type]

    @property
    def touching(self) -> Array:
        """Whether each point touches, (..., n, points)."""
        return (self.force != 0.0).any(-1)

    @property
    def penetration(self) -> Array:
        """The deepest overlap at each time [m], zero where there is none, (..., n)."""
        return np.maximum(-self.gap, 0.0).max(-1, initial=0.0)

    def on(self, link: str) -> Array:
        """The force of all contact on a link, in world axes [N], (..., n, 3)."""
        known = {*self.links, *self.others} - {None}
        if link not in known:
            near = nearest(str(link), sorted(map(str, known)))
            raise SimulationError(f"no link {link!r} has points of contact.{near}")
        signs = [float(a == link) - float(b == link)
                 for a, b in zip(self.links, self.others, strict=True)]  # fmt: skip
        return np.einsum("...pk,p->...k", self.force, np.array(signs))

    def row(self, index: tuple[int, ...]) -> Contacts:
        """Of one simulation of a batch."""
        parts = {name: getattr(self, name)[index]
                 for name in ("force", "point", "gap", "iterations")}  # fmt: skip
        return replace(self, **parts)

    def numbers(self) -> Array:
        """What steps keep, (..., n, points * 7)."""
        each = np.concatenate([self.force, self.point, self.gap[..., None]], -1)
        return each.reshape(*each.shape[:-2], -1)

    def __repr__(self) -> str:
        links = len(dict.fromkeys(self.links))
        return f"<Contacts: {len(self.links)} points on {links} links>"
