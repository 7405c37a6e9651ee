"""Which links of a figure may meet: all but neighbours, or those that are named."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from .._figure.body import Body
from .._figure.figure import Figure
from .._figure.shapes import Shape
from .._figure.terrain import HeightField, Plane
from .._spatial.transform import Transform
from ..errors import ModelError, nearest

GROUND = (Plane, HeightField)


class Collider(NamedTuple):
    """A shape on a body.

    Attributes:
        link: name of the link that it belongs to; None for the world's own.
        body: number of the body that the link is part of.
        shape: the shape.
        X: transform from the body to the shape's own axes.
    """

    link: str | None
    body: int
    shape: Shape
    X: Transform


def colliders(figure: Figure, link: str) -> list[Collider]:
    """The shapes of a link that others meet."""
    home = figure.frames[link]
    return [
        Collider(link, home.body, shape, shape.placement @ home.X)
        for shape in _links(figure)[link].collision or ()
    ]


def _links(figure: Figure) -> dict[str, Body]:
    return {body.name: body for body in figure.description.links}


def candidates(figure: Figure) -> tuple[tuple[str, str], ...]:
    """Names of two links each that may meet.

    They have shapes, are on different bodies, and no joint is between them: neither between the
    links themselves nor what is fixed to them. What is fixed to the world each for itself is no
    neighbour of what moves on it.
    """
    links = _links(figure)
    solid = [name for name in figure.frames if links[name].collision]
    found = []
    for i, a in enumerate(solid):
        for b in solid[i + 1 :]:
            both = {figure.frames[a].body, figure.frames[b].body}
            if len(both) == 2 and not _neighbours(links, a, b) and _may_meet(figure, a, b):
                found.append((a, b))
    return tuple(found)


def _may_meet(figure: Figure, a: str, b: str) -> bool:
    """Whether there are shapes of both that can: ground does not meet ground."""
    return bool(shape_pairs(figure, a, b))


def shape_pairs(figure: Figure, a: str, b: str) -> list[tuple[Collider, Collider]]:
    """Shapes of two links, each with each, but for ground with ground."""
    return [
        (x, y)
        for x in colliders(figure, a)
        for y in colliders(figure, b)
        if not (isinstance(x.shape, GROUND) and isinstance(y.shape, GROUND))
    ]


def _rigid(links: dict[str, Body], name: str) -> str:
    """The link at the root of all that is fixed together with one, up to the next joint."""
    body = links[name]
    while body.part_of_parent and body.parent is not None:
        body = links[body.parent]
    return body.name


def _neighbours(links: dict[str, Body], a: str, b: str) -> bool:
    roots = _rigid(links, a), _rigid(links, b)
    for one, other in (roots, roots[::-1]):
        parent = links[one].parent
        if parent is not None and _rigid(links, parent) == other:
            return True
    return False


def chosen(figure: Figure, pairs: Any) -> tuple[tuple[str, str], ...]:
    """Pairs of links that a user names; each side is a link, or a list of links: a group."""
    if pairs is None:
        return candidates(figure)
    wanted = (
        "Give a list of pairs, such as [('hand', 'table')]; each side is a link, or a list of links"
    )
    if isinstance(pairs, str) or not isinstance(pairs, Iterable):
        raise ModelError(f"`pairs` is {pairs!r}. {wanted}.")
    found: dict[tuple[str, str], None] = {}
    for pair in pairs:
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise ModelError(f"`pairs` has {pair!r}. {wanted}.")
        if not all(isinstance(side, Iterable) for side in pair):
            raise ModelError(f"`pairs` has {pair!r}. {wanted}.")
        sides = [[side] if isinstance(side, str) else list(side) for side in pair]
        for a in sides[0]:
            for b in sides[1]:
                _require_meeting(figure, a, b)
                if (b, a) not in found:
                    found[a, b] = None
    if not found:
        raise ModelError(
            f"`pairs` is {pairs!r} and names no two links. {wanted}; leave it out for all that may "
            "meet."
        )
    return tuple(found)


def _require_meeting(figure: Figure, a: str, b: str) -> None:
    own = figure.description.name
    for name in (a, b):
        if name not in figure.frames:
            raise ModelError(
                f"no link {name!r} in `{own}`.{nearest(str(name), figure.frames)} "
                f"`model.frame_names` lists all {len(figure.frames)}."
            )
        if not colliders(figure, name):
            raise ModelError(
                f"link {name!r} of `{own}` has no shapes to meet. Give its body `shapes` or "
                "`collision`, or leave the pair out."
            )
    if figure.frames[a].body == figure.frames[b].body:
        raise ModelError(
            f"links {a!r} and {b!r} of `{own}` are parts of one body, and their distance is always "
            "the same. Leave the pair out."
        )
