"""Methods that say how far links of a figure are from each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._collision import whole_figure
from .._collision.candidates import candidates, chosen, shape_pairs
from .._figure.figure import Array
from .._figure.user_input import as_numbers
from ..errors import ModelError, ShapeError
from .computed import bound_page

if TYPE_CHECKING:
    from .model import Model


class Distances(NamedTuple):
    """How far pairs of links are from each other.

    Attributes:
        gap: signed distance of each pair, (..., n) [m]; less than zero where they overlap.
        points: nearest points on the first and on the second link, in the world, (..., n, 2, 3).
        normal: unit vectors from the second to the first, (..., n, 3).
        pairs: names of the links.
    """

    gap: Array
    points: Array
    normal: Array
    pairs: tuple[tuple[str, str], ...]


def collision_pairs(self: Model) -> tuple[tuple[str, str], ...]:
    """Names of all two links that may meet: on different bodies, with no joint between them.

    Links have the shapes of their `collision`; those without meet nothing. Choose among them with
    `pairs=` of `distances`.
    """
    return self.memo("collision pairs", lambda: candidates(self.figure))


def distances(self: Model, q: ArrayLike, *, pairs: Any = None) -> Distances:
    """How far links are from each other: gaps, nearest points and normals.

    Args:
        q: coordinates, (..., nq).
        pairs: pairs of links to look at; each side is a name or a list of names. All of
            `model.collision_pairs()` when left out.
    """
    names, rows = _rows(self, pairs)
    _require_finite(q, "q")
    found = bound_page(self, "distances", whole_figure.distances, {"rows": rows})(q)
    return Distances(found["gap"], found["points"], found["normal"], names)


def distance_jacobian(self: Model, q: ArrayLike, *, pairs: Any = None) -> Array:
    """Derivatives of the gaps of `distances` by the velocity coordinates, (..., n, nv).

    Where nearest points jump, at symmetric places, they are those of one side.
    """
    _, rows = _rows(self, pairs)
    page = whole_figure.distance_jacobian
    _require_finite(q, "q")
    return bound_page(self, "distance_jacobian", page, {"rows": rows})(q)["jacobian"]


def collisions(self: Model, q: ArrayLike, *, pairs: Any = None, margin: ArrayLike = 0.0) -> Array:
    """Whether links meet, one by one for the pairs of `distances`, (..., n).

    Args:
        q: coordinates, (..., nq).
        pairs: pairs of links to look at, as for `distances`.
        margin: gaps smaller than this count [m].
    """
    _, rows = _rows(self, pairs)
    page = bound_page(self, "collisions", whole_figure.collisions, {"rows": rows})
    _require_finite(q, "q")
    _require_finite(margin, "margin")
    return page(q, as_numbers(margin, "`margin`")) > 0.5


def _require_finite(given: ArrayLike, called: str) -> None:
    """With NaN among it nothing would be near anything."""
    numbers = np.atleast_1d(as_numbers(given, f"`{called}`"))
    if not np.isfinite(numbers).all():
        at = tuple(int(k) for k in np.argwhere(~np.isfinite(numbers))[0])
        raise ShapeError(f"`{called}` has {numbers[at]} at {at}. Give finite numbers.")


def _rows(model: Model, pairs: Any) -> tuple[tuple[tuple[str, str], ...], whole_figure.Rows]:
    """Names of links, and the shapes of each pair."""
    names = collision_pairs(model) if pairs is None else chosen(model.figure, pairs)
    if not names:
        raise ModelError(
            f"no two links of `{model.name}` may meet: fewer than two have shapes, or all are "
            "neighbours. Give bodies `shapes` or `collision`, or name `pairs`."
        )
    key = ("shapes of pairs", names)
    return names, model.memo(
        key, lambda: tuple(tuple(shape_pairs(model.figure, a, b)) for a, b in names)
    )
