"""Contact along a trajectory: which links touch when, where, and with what force."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .._scene.contact_points import WIDTH
from .._scene.near_links import LinkColumns
from ..errors import ShapeError, SimulationError, nearest

if TYPE_CHECKING:
    from .._model.model import Model

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
        figure: names of all links, whether they touch or not, where these are known.
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
    figure: Sequence[str] = ()

    @staticmethod
    def of(
        names: Sequence[Sequence[str | None]], links: Sequence[LinkColumns], numbers: Array,
        iterations: Array, figure: Sequence[str] = (),
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
        more = iterations, overflow, numbers, (names, links), figure
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

    def wrench(self, link: str | Sequence[str], about: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
        """What a force plate under one link or several has: [moment; force], (..., n, 6).

        Args:
            link: name of a link, or several; contact between these does not count.
            about: point in the world that the moment is about [m], or one for each time, and for
                each row of a batch, (..., n, 3).
        """
        force = self.force * self._signs(link)[:, None]
        middle = self._vectors("about", about, "a point: three numbers [m]")
        moment = np.cross(self.point - middle[..., None, :], force)
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
        up = self._vectors("normal", normal, "what is up: three numbers")
        push = np.einsum("...pk,...k->...p", self.force * self._signs(link)[:, None], up)
        total = push.sum(-1)[..., None]
        weighed = np.einsum("...p,...pk->...k", push, self.point)
        return np.divide(weighed, total, out=np.full_like(weighed, np.nan), where=total != 0.0)

    def _signs(self, link: str | Sequence[str]) -> Array:
        """For each point: 1 where it pushes one of some links, -1 where it pushes from them."""
        met = sorted({*self.links, *(x for x in self.others if x is not None)})
        known = [*met, *(name for name in self.figure if name not in met)]
        links = [link] if isinstance(link, str) else link
        if not isinstance(links, tuple | list) or not all(isinstance(x, str) for x in links):
            raise SimulationError(f"`link` is {link!r}. Give the name of a link, or several.")
        for each in links:
            if each not in known:
                raise SimulationError(
                    f"no link {each!r} has points of contact.{nearest(str(each), known)}"
                )
        pairs = zip(self.links, self.others, strict=True)
        return np.array([float(a in links) - float(b in links) for a, b in pairs])

    def _vectors(self, name: str, given: ArrayLike, wanted: str) -> Array:
        """Three numbers for each time, (..., n, 3)."""
        lead = self.force.shape[:-2]
        try:
            return np.broadcast_to(np.asarray(given, float), (*lead, 3))
        except (TypeError, ValueError):
            came = f"has shape {np.shape(given)}" if np.ndim(given) else f"is {given!r}"
            raise ShapeError(
                f"`{name}` {came}. Give {wanted}, or these for each time, {(*lead, 3)}."
            ) from None

    def kept(self) -> dict[str, Array]:
        """What a file holds of them, by name."""
        return {"contacts": self.numbers, "iterations": self.iterations}

    def row(self, index: tuple[int, ...] | Array) -> Contacts:
        """Of one simulation of a batch, or of one at some of its times."""
        each = "force", "point", "gap", "iterations", "overflow", "numbers"
        return replace(self, **{name: getattr(self, name)[index] for name in each})

    def __repr__(self) -> str:
        links = len(dict.fromkeys(self.links))
        return f"<Contacts: {len(self.links)} points on {links} links>"


def contacts_in(
    about: Mapping[str, Any], shaped: Callable[[str, Sequence[int]], Array], model: Model | None
) -> Contacts | None:
    """Contacts out of the columns of a trajectory, if anything could touch."""
    if not {"contacts", "link contacts"} & about.keys():
        return None
    names = about.get("contacts", ())
    links = [LinkColumns(*x) for x in about.get("link contacts", ())]
    numbers = shaped("contacts", (WIDTH * len(names) + sum(x.width for x in links),))
    figure = [body.name for body in model.links] if model else []
    return Contacts.of(names, links, numbers, shaped("iterations", ()), figure)


def some_contacts(found: Contacts | None) -> Contacts:
    """Contacts of a trajectory, refused where nothing could touch."""
    if found is None:
        raise SimulationError(
            "there are no `contacts` in this trajectory, as nothing in its scene is rigid contact: "
            "give it `ar.contacts.Ground()` or `Links()`. Of `SmoothGround`, a force like others, "
            "`trajectory.acted(scene)` has what acted."
        )
    return found


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
