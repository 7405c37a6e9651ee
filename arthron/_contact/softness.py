"""How fast bodies move by an impulse, about: contact gives way by a small part of that."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from .._algorithms.crba import crba
from .._algorithms.kinematics import jacobians
from .._spatial.linear_algebra import Ldl
from .._spatial.scalar import Scalar, divide, maximum
from .._spatial.sums import dot, total
from .._spatial.transform import Transform
from .._tree.tree import JointColumns, Tree

NOTHING = 1e-12
"""Inertia of a joint that is none [kg or kg m^2]."""
HARDLY = 1e-6
"""How fast what cannot turn does, beside how fast it moves [1/m^2]."""
ARM = 0.01
"""The square of the arm at which a body of no mass is pushed [m^2]."""


class Mobility(NamedTuple):
    """How fast a body moves.

    Attributes:
        moves: by an impulse [1/kg].
        turns: by a torque impulse [1/kg m^2].
    """

    moves: Scalar = 0.0
    turns: Scalar = 0.0


def mobilities(tree: Tree, bodies: Iterable[int]) -> dict[int, Mobility]:
    """Of each of some bodies at the neutral pose, the means over all directions.

    By an impulse on its centre of mass, and by one at its radius of gyration that turns it: of a
    ball that nothing holds, twice what its mass is one by.
    """
    there, q = _neutral(tree)
    factors, J = Ldl(_with_mass(there.matrix(crba(there, q)))), jacobians(there, q)
    found: dict[int, Mobility] = {}
    for i in bodies:
        I = tree.I[i]
        massless = isinstance(I.m, float) and I.m == 0.0
        arm = ARM if massless else 0.5 * I.about_com().trace() / I.m
        X = Transform(r=I.com())
        columns = JointColumns({j: [X @ m for m in S] for j, S in J[i].items()})
        size = [dot(row, factors.solve(row)) for row in there.matrix(columns)]
        turns = total(size[:3])
        moves = (total(size[3:]) + arm * turns) / 3.0
        found[i] = Mobility(moves, maximum(turns / 3.0, HARDLY * moves))
    return found


def joint_mobilities(tree: Tree) -> list[Scalar]:
    """How fast each coordinate moves by an impulse along it while the others stand, likewise."""
    there, q = _neutral(tree)
    M = _with_mass(there.matrix(crba(there, q)))
    return [divide(1.0, row[j]) for j, row in enumerate(M)]


def _neutral(tree: Tree) -> tuple[Tree, Any]:
    """The figure at its neutral pose, and that."""
    neutral = [x for i in tree.own for x in tree.joint[i].neutral()]
    there = tree.at(neutral)
    return there, there.positions(neutral)


def _with_mass(M: list[list[Scalar]]) -> list[list[Scalar]]:
    """A mass matrix in which joints that move nothing are as if they did not move."""
    found = [list(row) for row in M]
    for j, row in enumerate(found):
        if isinstance(row[j], float) and row[j] < NOTHING:
            row[j] = 1.0
    return found
