"""The figure as pages see it: a frozen tree of joints and inertias."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

from .._graph.expr import caller
from .._graph.graph import mark_body
from .._spatial.inertia import Inertia
from .._spatial.motions import Force, Motion
from .._spatial.scalar import Scalar
from .._spatial.transform import Transform
from ..errors import TraceError
from .coordinate_map import CoordinateMap, MapAt, times
from .joints import Joint


class BodyList(list):
    """One entry per body and one for the base, which results leave out.

    Entries that are tuples of joint coordinates come out as one vector, end to end; anything else
    comes out stacked, a row a body.
    """

    def __getitem__(self, i: Any) -> Any:
        try:
            return list.__getitem__(self, i)
        except (IndexError, TypeError):
            raise TraceError(
                f"a list over bodies was asked for number {i!r}{caller()}. It has numbers from 0 "
                f"(the base) to {len(self) - 1}; `tree.bodies` are those of all bodies, "
                "`model.joint_number(name)` is that of a joint, and `tree.vector(q)` has the "
                "coordinates of all joints in one list."
            ) from None


def _no_arithmetic(self: Any, other: Any) -> Any:
    raise TraceError(
        "arithmetic on `q[i]`, the tuple of a joint's coordinates. Take one of them, `q[i][0]`."
    )


class OfJoint(tuple):
    """The coordinates of one joint: `q[i]`, with `q[i][0]` the first."""

    __slots__ = ()
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _no_arithmetic
    __truediv__ = __rtruediv__ = __pow__ = _no_arithmetic

    def __getitem__(self, k: Any) -> Any:
        try:
            return tuple.__getitem__(self, k)
        except (IndexError, TypeError):
            raise TraceError(
                f"the coordinates of a joint, `q[i]`, were asked for number {k!r}{caller()}. It "
                f"has {len(self)}, of which `q[i][0]` is the first."
            ) from None


class JointForces(BodyList):
    """A tuple of forces per joint. Forces of a joint that follows others act on those."""


class JointCoordinates(BodyList):
    """A tuple of positions, velocities or accelerations per joint, of those that follow too."""


class JointMatrix(dict):
    """A matrix over joint coordinates by its blocks: `H[i, j]` couples joints i and j.

    `tree.matrix(H)` lists its rows. A block is a tuple of rows. Blocks that are not set are zero.
    Blocks may have more indices, `T[i, j, k]` of nested tuples, all the same number of them.

    Attributes:
        axes: how many indices there are.
    """

    axes = 2


class JointTensor(JointMatrix):
    """The same with three indices: a matrix, and the coordinate it is differentiated by."""

    axes = 3


class Shaped(list):
    """Nested lists that have their shape even when they are empty."""

    def __init__(self, rows: Iterable, shape: tuple[int, ...]) -> None:
        super().__init__(rows)
        self.shape = shape


class JointColumns(dict):
    """A matrix with a column per velocity coordinate: `J[j]` holds the columns of joint j.

    `tree.matrix(J)` lists its rows. Columns are motions or forces.

    Attributes:
        row_count: how many rows it has when no joint has columns.
    """

    row_count = 6


class PointColumns(JointColumns):
    """The same, with a column a vector."""

    row_count = 3


STRETCH = 16
"""Bodies of an inner loop that make a chunk of code."""


class _Bodies(tuple[int, ...]):
    """Body numbers that mark in the graph being traced where a page goes on to the next of them."""

    def __iter__(self) -> Iterator[int]:
        for i in range(len(self)):
            mark_body()
            yield self[i]

    def __reversed__(self) -> Iterator[int]:
        for i in range(len(self) - 1, -1, -1):
            mark_body()
            yield self[i]


def _zeros(shape: tuple[int, ...]) -> Any:
    return [_zeros(shape[1:]) for _ in range(shape[0])] if shape else 0.0


def _scalars(column: Any) -> list[Scalar]:
    """The entries of a motion, a force or a vector."""
    return [*column.ang, *column.lin] if isinstance(column, Motion | Force) else [*column]


def _add(total: list, block: Any, shares: Sequence[Sequence[dict]], scale: Scalar) -> None:
    """Add a block to nested lists, each entry to the coordinates that have a share in it."""
    for entry, share in zip(block, shares[0], strict=False):  # none, of what is fixed
        for a, k in share.items():
            if len(shares) == 1:
                total[a] = total[a] + entry * (scale * k)
            else:
                _add(total[a], entry, shares[1:], scale * k)


@dataclass(frozen=True)
class Tree:
    """A kinematic tree (RBDA ch. 4). Bodies are 1..nb, parents first; 0 is the base.

    Attributes:
        parent: parent body of each body; -1 for the base.
        joint: the joint that moves each body in its parent.
        Xtree: transform from the parent's frame to the frame before the joint.
        I: inertia of each body in its own frame.
        armature: inertia added to each joint coordinate [kg m^2 or kg].
        gravity: acceleration of free fall, as a motion of the base frame.
        map: how joints follow others, if any do: they have no coordinates of their own.
        state: where slopes of the map are taken: coordinates that it depends on, and their rates.
        q_start: where the coordinates of each joint start in `q`.
        v_start: where they start in `qd`, `qdd` and `tau`.
    """

    parent: tuple[int, ...]
    joint: tuple[Joint, ...]
    Xtree: tuple[Transform, ...]
    I: tuple[Inertia, ...]
    armature: tuple[tuple[float, ...], ...]
    gravity: Motion
    map: CoordinateMap | None = None
    state: tuple[Sequence[Scalar], ...] = field(default=(), repr=False, compare=False)
    q_start: tuple[int, ...] = field(init=False)
    v_start: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        for name in ("q", "v"):
            starts, total = [], 0
            for i, joint in enumerate(self.joint):
                starts.append(total)
                total += 0 if i in self.followers else getattr(joint, f"n{name}")
            object.__setattr__(self, f"{name}_start", (*starts, total))

    @property
    def nb(self) -> int:
        """How many bodies move."""
        return len(self.parent) - 1

    @property
    def nq(self) -> int:
        """How many position coordinates there are."""
        return self.q_start[-1]

    @property
    def nv(self) -> int:
        """How many velocity coordinates there are."""
        return self.v_start[-1]

    @property
    def bodies(self) -> Sequence[int]:
        """1..nb, parents before children."""
        return _Bodies(range(1, len(self.parent)))

    def stretches(self, numbers: Sequence[int]) -> Iterator[int]:
        """Bodies of a loop inside another one, a stretch of them marked like one body."""
        for k, i in enumerate(numbers):
            if k % STRETCH == 0:
                mark_body()
            yield i

    def ancestors(self, i: int) -> Iterator[int]:
        """Body i, its parent, and so on up to the last body before the base."""
        while i > 0:
            yield i
            i = self.parent[i]

    def lists(self, n: int) -> Iterator[BodyList]:
        """`n` empty lists with a place for the base and every body."""
        return (BodyList([None] * len(self.parent)) for _ in range(n))

    def zero(self, i: int) -> tuple[Scalar, ...]:
        """Joint i at rest: its velocity coordinates, all zero."""
        return (0.0,) * self.joint[i].nv

    def at_rest(self) -> JointCoordinates:
        """Velocities of all joints, zero; likewise accelerations."""
        return JointCoordinates(self.zero(i) for i in range(len(self.parent)))

    def no_forces(self) -> JointForces:
        """Forces of all joints, zero."""
        return JointForces(self.zero(i) for i in range(len(self.parent)))

    def no_wrenches(self) -> BodyList:
        """Forces on all bodies, zero."""
        return BodyList(Force() for _ in self.parent)

    @property
    def followers(self) -> dict[int, int]:
        """Joints that follow others, and how many coordinates each has, none of them its own."""
        return self.map.followers if self.map else {}

    @property
    def own(self) -> Sequence[int]:
        """Joints with coordinates of their own; 0 stands for those that belong to no body."""
        each = enumerate(self.joint)
        return _Bodies(i for i, joint in each if joint.nv and i not in self.followers)

    @property
    def curved(self) -> bool:
        """Whether joints follow others by slopes that change with q."""
        return not (self.map is None or self.map.constant)

    def at(self, *state: Sequence[Scalar]) -> Tree:
        """The tree at q, or at q, qd and further rates, by joint or as vectors.

        Joints may follow others by slopes that change with q: coordinates by joint are made of
        vectors, and vectors and matrices of what is by joint, with those of this state. Pages get
        the tree at their own `q`; who goes on to another one takes `tree.at(q)` there.
        """
        if self.map is None or self.map.constant:
            return self
        flat = [self.vector(x) if isinstance(x, BodyList) else x for x in state]
        starts = [self.q_start, *[self.v_start] * (len(flat) - 1)]
        own = tuple(
            [x[k] for i, n in self.map.leaders.items() for k in range(first[i], first[i] + n)]
            for x, first in zip(flat, starts, strict=True)
        )
        return replace(self, state=own)

    @cached_property
    def led(self) -> MapAt:
        """How joints follow others, at the tree's state."""
        leaders = self.map.leaders if self.map else {}
        starts = ((self.v_start[i], n) for i, n in leaders.items())
        index = [k for first, n in starts for k in range(first, first + n)]
        return MapAt(self.map, index, self.state)

    def positions(self, q: Sequence[Scalar]) -> JointCoordinates:
        """The coordinates of each joint, out of all of them."""
        each = [OfJoint(q[a:b]) for a, b in pairwise(self.q_start)]
        if self.map:
            y = [x for i in self.map.leaders for x in each[i]]
            for i, x in self.map.values(y).items():
                each[i] = OfJoint(x)
        return JointCoordinates(each)

    def rates(self, qd: Sequence[Scalar]) -> JointCoordinates:
        """The velocity of each joint, out of all of them: F qd where joints follow others."""
        each = JointCoordinates(OfJoint(qd[a:b]) for a, b in pairwise(self.v_start))
        for i, x in times(self.led.slopes, qd).items():
            each[i] = OfJoint(x)
        return each

    def accelerations(
        self, qdd: Sequence[Scalar], qd: Sequence[Scalar] | None = None
    ) -> JointCoordinates:
        """The acceleration of each joint: F qdd + dF/dt qd where joints follow others (S19 2.78).

        The velocity of the tree's own state is taken, unless another is given.
        """
        found = self.rates(qdd)
        if self.curved:
            for i, x in times(self.led.slope_rates, qd or self.led.velocity).items():
                found[i] = OfJoint(a + b for a, b in zip(found[i], x, strict=True))
        return found

    def further_rates(self, x: Sequence[Scalar], order: int) -> JointCoordinates:
        """Derivatives of order three or more by time of the coordinates of each joint."""
        each = JointCoordinates(OfJoint(x[a:b]) for a, b in pairwise(self.v_start))
        for i, known in self.led.rates([x[k] for k in self.led.index], order).items():
            each[i] = OfJoint(known)
        return each

    def bending(self, qd: Sequence[Scalar] | dict[int, Scalar]) -> JointCoordinates:
        """dF/dt qd, the acceleration of each joint where that of all coordinates is zero."""
        found = self.at_rest()
        for i, x in times(self.led.slope_rates, qd).items():
            found[i] = OfJoint(x)
        return found

    def coasting(self) -> JointCoordinates:
        """The same at the velocity of the tree's own state."""
        return self.bending(self.led.velocity) if self.curved else self.at_rest()

    def forces(self, tau: Sequence[Scalar]) -> JointForces:
        """The force of each joint, out of all of them; none at joints that follow others."""
        each = (OfJoint(tau[a:b]) for a, b in pairwise(self.v_start))
        return JointForces(self.zero(i) if i in self.followers else x for i, x in enumerate(each))

    def vector(self, entries: BodyList) -> list[Scalar]:
        """One vector out of a tuple per joint: the inverse of `positions`, `rates`, `forces`.

        Forces of joints that follow others are added to those of what they follow: F^T tau.
        """
        acting = isinstance(entries, JointForces)
        first = entries[0] or (self.zero(0) if acting else ())
        if len(first) != self.joint[0].nq:
            raise TraceError(
                f"a list by joint has {first!r} for coordinates that belong to no body, number 0, "
                f"of which there are {self.joint[0].nq}{caller()}. Make it of a vector: "
                "`tree.positions(list)` or `tree.rates(list)`."
            )
        total = [*first, *(x for i in self.bodies if i not in self.followers for x in entries[i])]
        if acting:
            for i in self.bodies:
                if i in self.followers:
                    _add(total, entries[i], [self.led.slopes[i]], 1.0)
        return total

    def matrix(self, blocks: JointColumns | JointMatrix) -> list:
        """The rows of a matrix given by joints, lists of scalars with a column per coordinate.

        A tensor is a list of matrices. What joints do that follow others is added to those that
        they follow.
        """
        if isinstance(blocks, JointColumns):
            return self._rows(blocks)
        if not isinstance(blocks, JointMatrix):
            raise TraceError(
                f"`tree.matrix` was given a {type(blocks).__name__}. Give what pages return for a "
                "matrix, such as `ar.algorithms.point_jacobian` or `mass_matrix`."
            )
        total = _zeros((self.nv,) * blocks.axes)
        for joints, block in blocks.items():
            _add(total, block, [self._shares(i) for i in joints], 1.0)
        return total

    def _rows(self, blocks: JointColumns) -> list[list[Scalar]]:
        columns = {j: [_scalars(column) for column in block] for j, block in blocks.items()}
        sizes = (len(column) for block in columns.values() for column in block)
        rows: list[list[Scalar]] = _zeros((next(sizes, blocks.row_count), self.nv))
        for j, block in columns.items():
            for share, column in zip(self._shares(j), block, strict=True):
                for a, k in share.items():
                    for row, x in zip(rows, column, strict=True):
                        row[a] = row[a] + x * k
        return rows

    def _shares(self, i: int) -> tuple[dict[int, Scalar], ...]:
        """Which velocity coordinates move each coordinate of a joint, and by how much."""
        if i in self.followers:
            return self.led.slopes[i]
        return tuple({k: 1.0} for k in range(self.v_start[i], self.v_start[i + 1]))

    def digest(self) -> str:
        """Hash of everything that pages can see."""
        content = repr([getattr(self, field.name) for field in fields(self) if field.repr])
        return hashlib.blake2b(content.encode(), digest_size=20).hexdigest()
