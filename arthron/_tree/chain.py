"""Joints made of joints: several in a row, with nothing but motion between them (S19 §2.4.10)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from .._spatial.inertia import Inertia
from .._spatial.motions import Motion, Subspace
from .._spatial.scalar import Scalar
from .._spatial.transform import Transform
from ..errors import JointError
from .joints import Coordinates, Joint, JointState
from .search import search


@dataclass(frozen=True)
class Chain:
    """Joints one behind the other, as if with massless bodies between them.

    Coordinates are those of the first joint, then of the second, and so on. Singular where the
    motions of its joints line up.

    Attributes:
        joints: from the parent to the child.
        label: what to call it in the drawn tree.
        rest: the neutral coordinates; those of the joints when left out.
    """

    joints: tuple[Joint, ...]
    label: str = "chain"
    rest: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        given = self.joints if isinstance(self.joints, tuple | list) else ()
        if not given or any(isinstance(j, type) or not hasattr(j, "integrate") for j in given):
            raise JointError(
                f"a composite of {self.joints!r}. Give a list of joints such as "
                '`[ar.Revolute("x"), ar.Prismatic("x")]`.'
            )
        object.__setattr__(self, "joints", tuple(self.joints))

    @property
    def nq(self) -> int:
        """How many position coordinates there are."""
        return sum(joint.nq for joint in self.joints)

    @property
    def nv(self) -> int:
        """How many velocity coordinates there are."""
        return sum(joint.nv for joint in self.joints)

    def __call__(self, q: Coordinates, qd: Coordinates) -> JointState:
        X, v, c, columns = Transform(), Motion(), Motion(), []
        for joint, qk, qdk in zip(self.joints, self._q(q), self._v(qd), strict=True):
            XJ, S, vJ, cJ = joint(qk, qdk)
            X = XJ @ X
            v = XJ @ v + vJ
            c = XJ @ c + cJ + v.cross(vJ)
            columns = [*(XJ @ column for column in columns), *S]
        return X, Subspace(columns), v, c

    def neutral(self) -> tuple[float, ...]:
        """Each joint at its own neutral, unless another rest was given."""
        return self.rest or tuple(x for joint in self.joints for x in joint.neutral())

    def random(self, rng: np.random.Generator) -> tuple[float, ...]:
        """Each joint at random."""
        return tuple(x for joint in self.joints for x in joint.random(rng))

    def integrate(self, q: Coordinates, dq: Coordinates) -> tuple[Scalar, ...]:
        """Each joint by its own displacement."""
        parts = zip(self.joints, self._q(q), self._v(dq), strict=True)
        return tuple(x for joint, a, b in parts for x in joint.integrate(a, b))

    def difference(self, q0: Coordinates, q1: Coordinates) -> tuple[Scalar, ...]:
        """Each joint's own displacement."""
        parts = zip(self.joints, self._q(q0), self._q(q1), strict=True)
        return tuple(x for joint, a, b in parts for x in joint.difference(a, b))

    def find(self, X: Transform, near: Coordinates) -> tuple[Scalar, ...]:
        """Searched for: one joint may make up for another."""
        return search(self, X, near)

    def normalize(
        self, q: Coordinates, qd: Coordinates
    ) -> tuple[tuple[Scalar, ...], tuple[Scalar, ...]]:
        """Each joint normalised by itself."""
        parts = zip(self.joints, self._q(q), self._v(qd), strict=True)
        pairs = [joint.normalize(a, b) for joint, a, b in parts]
        return tuple(x for a, _ in pairs for x in a), tuple(x for _, b in pairs for x in b)

    def regrouped_inertia(self, I: Inertia) -> Inertia:
        """What every joint of the row passes on whole: rotational inertia, or mass, if any."""
        parts = (Inertia(I=I.I), Inertia(I.m))
        whole = (
            part for part in parts if all(j.regrouped_inertia(part) == part for j in self.joints)
        )
        return next(whole, Inertia())

    def _q(self, q: Coordinates) -> Iterator[Coordinates]:
        return _cut(q, [joint.nq for joint in self.joints])

    def _v(self, qd: Coordinates) -> Iterator[Coordinates]:
        return _cut(qd, [joint.nv for joint in self.joints])


def _cut(scalars: Coordinates, sizes: Sequence[int]) -> Iterator[Coordinates]:
    for size, end in zip(sizes, accumulate(sizes), strict=True):
        yield scalars[end - size : end]
