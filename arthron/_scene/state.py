"""The state of a system while a page is traced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .._algorithms.kinematics import poses, velocities
from .._spatial.scalar import Scalar
from .._tree.tree import BodyList, Tree


@dataclass(frozen=True)
class State:
    """The state of a system while a page is traced.

    Attributes:
        t: time [s].
        q: coordinates, by joint.
        qd: velocities, by joint.
        more: further states, by name.
        memory: what the integrator remembers, by name.
        forces: joint forces that constraints took on the way there, nv or none.
        residual: largest joint force that solving for the state left over.
        stuck: zero, or one and the coordinate at which solving for the state got stuck.
        bodies: from the world to each, and their twists, where joints do not say it.
        multipliers: forces along rows of constraints, in the order of rows that do not fix.
        contacts: force, place and gap of each point of contact, one behind the other.
        iterations: passes that solving for contact took.
    """

    t: Scalar
    q: Any
    qd: Any
    more: Mapping[str, Sequence[Scalar]]
    memory: Mapping[str, Sequence[Scalar]] = field(default_factory=dict)
    forces: Sequence[Scalar] = ()
    residual: Scalar = 0.0
    stuck: Scalar = 0.0
    bodies: tuple[BodyList, BodyList] | None = None
    multipliers: Sequence[Scalar] = ()
    contacts: Sequence[Scalar] = ()
    iterations: Scalar = 0.0

    def at(self, t: Scalar) -> State:
        """The same at another time."""
        return replace(self, t=t)

    def kinematics(self, tree: Tree) -> tuple[BodyList, BodyList]:
        """From the world to each body, and its twist."""
        return self.bodies or (poses(tree, self.q), velocities(tree, self.q, self.qd))
