"""What is looked up by number: which coordinates move a pair of bodies, and how bodies move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from .._spatial.array import array
from .._spatial.motions import Motion
from .._spatial.scalar import Scalar
from .._spatial.vectors import Vec3
from .vector_arrays import Arrays


class Paths(NamedTuple):
    """Which coordinates move one body of a pair and not the other, as tables.

    Rows have equal length; a sign of zero is none.

    Attributes:
        bodies: numbers of the two bodies of each pair; 0 is the world.
        length: of each row.
        coordinates: numbers of velocity coordinates.
        signs: 1 where they move the first body, -1 the second.
        entries: rows and columns of the matrix of velocities that any pair adds to.
    """

    bodies: Sequence[tuple[int, int]]
    length: int
    coordinates: tuple[float, ...]
    signs: tuple[float, ...]
    entries: tuple[tuple[int, int], ...]

    @staticmethod
    def of(tree: Any, bodies: Sequence[tuple[int, int]]) -> Paths:
        """Of pairs of bodies of a tree."""
        rows = []
        for a, b in bodies:
            up, down = ({*tree.ancestors(k)} for k in (a, b))
            sides = {**dict.fromkeys(up - down, 1.0), **dict.fromkeys(down - up, -1.0)}
            rows.append([
                (j, sides[i]) for i in sorted(sides)
                for j in range(tree.v_start[i], tree.v_start[i + 1])
            ])  # fmt: skip
        length = max(map(len, rows))
        entries = {(i, j) for row in rows for i, _ in row for j, _ in row}
        rows = [row + [(0, 0.0)] * (length - len(row)) for row in rows]
        flat = [x for row in rows for x in row]
        return Paths(
            bodies, length, tuple(float(j) for j, _ in flat), tuple(s for _, s in flat),
            tuple(sorted(entries)),
        )  # fmt: skip


class Twists(NamedTuple):
    """Motions that can be read at a number, six arrays."""

    numbers: Arrays

    @staticmethod
    def of(motions: Sequence[Motion | None]) -> Twists:
        """Of as many; None does not move."""
        rows = [[*m.ang, *m.lin] for m in (m or Motion() for m in motions)]
        return Twists(tuple(array([row[i] for row in rows]) for i in range(6)))

    def __call__(self, k: Scalar) -> Motion:
        """That of a number."""
        numbers = [x[k] for x in self.numbers]
        return Motion(Vec3(*numbers[:3]), Vec3(*numbers[3:]))
