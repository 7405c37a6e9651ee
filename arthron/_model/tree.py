"""The figure as pages see it: a frozen tree of joints and inertias."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from .._spatial.inertia import Inertia
from .._spatial.motions import Motion
from .._spatial.scalar import Scalar
from .._spatial.transform import Transform
from .joints import Joint


class BodyList(list):
    """One entry per body and one for the base, which results leave out.

    Entries that are tuples of joint coordinates come out as one vector, end to end; anything else
    comes out stacked, a row a body.
    """


class JointMatrix(dict):
    """A matrix over joint coordinates by its blocks: `H[i, j]` couples joints i and j.

    A block is a tuple of rows. Blocks that are not set are zero.
    """


class JointColumns(dict):
    """A 6 x nv matrix by its joints: `J[j]` holds the columns of joint j."""


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
    """

    parent: tuple[int, ...]
    joint: tuple[Joint, ...]
    Xtree: tuple[Transform, ...]
    I: tuple[Inertia, ...]
    armature: tuple[tuple[float, ...], ...]
    gravity: Motion
    q_start: tuple[int, ...] = field(init=False)
    v_start: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        for name in ("q", "v"):
            starts, total = [], 0
            for joint in self.joint:
                starts.append(total)
                total += getattr(joint, f"n{name}")
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
    def bodies(self) -> range:
        """1..nb, parents before children."""
        return range(1, len(self.parent))

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

    def digest(self) -> str:
        """Hash of everything that pages can see."""
        content = repr((self.parent, self.joint, self.Xtree, self.I, self.armature, self.gravity))
        return hashlib.blake2b(content.encode(), digest_size=20).hexdigest()
