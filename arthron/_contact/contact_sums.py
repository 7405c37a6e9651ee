"""What points of contact do together: wrenches on bodies, and how these change."""

from __future__ import annotations

from dataclasses import dataclass, field

from .._spatial.array import Array
from .._spatial.motions import Force
from .._spatial.scalar import Scalar
from .contact_stiffness import ContactStiffness


@dataclass
class ContactSums:
    """Sums over points.

    Attributes:
        wrenches: on bodies, by number.
        to_world: stiffness of what is between a body and the world.
        between: stiffness of what is between two bodies.
        entries: what else is added to the matrix of velocity coordinates, by row and column.
        matrix: that matrix, row by row, where links that touch each other add to it in loops.
    """

    wrenches: dict[int, Force] = field(default_factory=dict)
    to_world: dict[int, ContactStiffness] = field(default_factory=dict)
    between: dict[tuple[int, int], ContactStiffness] = field(default_factory=dict)
    entries: dict[tuple[int, int], Scalar] = field(default_factory=dict)
    matrix: Array | None = None

    def add_wrench(self, a: int, b: int, force: Force) -> None:
        """A wrench on a body, and its reaction on another one, or on the world."""
        own = self.wrenches
        own[a] = own[a] + force if a in own else force
        if b:
            own[b] = own[b] - force if b in own else -force

    def add_stiffness(self, a: int, b: int, K: ContactStiffness) -> None:
        """How a wrench between two bodies changes with the velocity of one seen from the other."""
        kept, key = (self.between, (a, b)) if b else (self.to_world, a)
        kept[key] = kept[key] + K if key in kept else K  # type: ignore[index]

    def add_entries(self, entries: dict[tuple[int, int], Scalar]) -> None:
        """Entries of the matrix itself."""
        for key, x in entries.items():
            self.entries[key] = self.entries[key] + x if key in self.entries else x
