"""A target that keeps links apart: obstacles, and the figure's own limbs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from .._collision.candidates import chosen, shape_pairs
from .._collision.whole_figure import gap_row, nearest_contacts
from .._spatial.scalar import Scalar, where
from .targets import Placed, Rows


@dataclass(frozen=True)
class Clearance:
    """Links no nearer to each other than a gap, (...) [m].

    Attributes:
        value: the least gap.
        pairs: pairs of links, as `model.distances` has them; all that may meet when left out.
            Obstacles are links that are fixed to the world.
        weight: how much this target counts beside others.
    """

    value: ArrayLike
    pairs: Any = None
    weight: float = 1.0
    shape = ()
    numbers = 1

    def rows(self, placed: Placed, goal: Sequence[Scalar]) -> Rows:
        """What is missing of each gap; nothing where it is large enough."""
        figure, tree = placed.model.figure, placed.tree
        pairs = tuple(tuple(shape_pairs(figure, a, b)) for a, b in chosen(figure, self.pairs))
        rows = []
        for contact, shapes in zip(nearest_contacts(placed.X0, pairs), pairs, strict=True):
            bodies = [collider.body for collider in shapes[0]]
            J = gap_row(tree, placed.X0, placed.S, contact, *bodies)
            short = goal[0] - contact.gap
            k = where(short > 0.0, self.weight, 0.0)
            rows.append((short * k, [x * k for x in J]))
        return rows
