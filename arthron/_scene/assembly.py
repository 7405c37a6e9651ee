"""Poses and velocities that constraints allow, by the least change of given ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from .._graph.iterate import iterate
from .._spatial.linear_algebra import Ldl, add_diagonal
from .._spatial.scalar import Scalar, epsilon, maximum, minimum, sqrt, where
from .._spatial.sums import dot, select, total
from .._tree.configuration import integrate
from .._tree.tree import JointCoordinates
from .state import State
from .system import System

LIMIT, AGAIN = 200, 4
"""Steps towards a pose, and solutions for velocities, each of which takes what the last left."""
SHORT = 64.0
"""A step this many roundings long is as good as none."""
LONGEST = 1.0
"""How far a step goes, at most: from a pose in line it would go round and round [rad or m]."""
LEAST = 1e-10
"""Damping beside the size of the matrix: rows may say the same."""


class Assembly(NamedTuple):
    """A state that constraints allow, or as near to it as there is.

    Attributes:
        q: coordinates.
        qd: velocities.
        gaps: what each element is still off.
        rates: how fast each of them changes.
    """

    q: Any
    qd: Any
    gaps: list[list[Scalar]]
    rates: list[list[Scalar]]


def assembled(
    system: System, state: State, mobility: Sequence[Sequence[Scalar]], held: Sequence[Scalar]
) -> Assembly:
    """The state nearest to another that constraints allow, by steps of Gauss and Newton.

    dq = -W G^T (G W G^T + k)^-1 g, with W how easily each coordinate is changed, and k as Levenberg
    and Marquardt choose it; velocities likewise, which are linear.

    Args:
        system: what acts.
        state: where to begin.
        mobility: W of positions, and of velocities, nv numbers each; zero for what is to stay.
        held: for each element that constrains, zero where that is to be left out.
    """
    tree = system.tree

    def at(q: Sequence[Scalar]) -> State:
        return replace(state, q=tree.positions(q))

    def step(values: Any) -> tuple[Any, Scalar]:
        q, damping = values
        now = at(q)
        g, G = _flat(_gaps(system, now, held)), _matrix(system, now, held, of_places=True)
        dq = _correction(G, mobility[0], g, damping)
        length = sqrt(dot(dq, dq) + 1e-300)
        dq = [x * minimum(1.0, LONGEST / length) for x in dq]
        other = tree.vector(integrate(tree, now.q, tree.rates(dq)))
        after = _flat(_gaps(system, at(other), held))
        closer = dot(after, after) < dot(g, g)
        short = length <= SHORT * epsilon(length) * sqrt(1.0 + dot(q, q))
        more, less = maximum(10.0 * damping, 1e-4), maximum(0.1 * damping, LEAST)
        return (select(closer, other, q), where(closer, less, more)), short

    start = tree.vector(JointCoordinates(state.q))
    q, _ = iterate(step, (start, LEAST), LIMIT, name="assembly").values
    closed = at(q)
    G = _matrix(system, closed, held, of_places=False)

    def faster(qd: Any) -> tuple[Any, Scalar]:
        rates = _flat(_rates(system, replace(closed, qd=tree.rates(qd)), held))
        change = _correction(G, mobility[1], rates, LEAST)
        return [a + b for a, b in zip(qd, change, strict=True)], 0.0

    start = tree.vector(JointCoordinates(state.qd))
    qd = tree.rates(iterate(faster, start, AGAIN, name="velocities").values)
    last = replace(closed, qd=qd)
    return Assembly(last.q, qd, _gaps(system, last, held), _rates(system, last, held))


def _correction(
    G: Sequence[Sequence[Scalar]], W: Sequence[Scalar], g: Sequence[Scalar], damping: Scalar
) -> list[Scalar]:
    """-W G^T (G W G^T + damping of its size)^-1 g"""
    GW = [[x * w for x, w in zip(row, W, strict=True)] for row in G]
    A = [[dot(a, b) for b in G] for a in GW]
    size = total(A[k][k] for k in range(len(A))) + 1e-100
    x = Ldl(add_diagonal(A, [damping * size] * len(A))).solve(g)
    return [-dot(column, x) for column in zip(*GW, strict=True)]


def _matrix(
    system: System, state: State, held: Sequence[Scalar], *, of_places: bool
) -> list[list[Scalar]]:
    """G of all elements that are held; of those rows that have a place to be, or of all."""
    n, lines = range(system.tree.nv), []
    for each, here in zip(system.constraint_rows(state), held, strict=True):
        rows = each.velocity_rows(system.tree, state.q, 1.0)
        for row, has_place in zip(rows, each.of_places, strict=True):
            kept = has_place or not of_places
            lines.append([where(here, row.G.get(j, 0.0), 0.0) if kept else 0.0 for j in n])
    return lines


def _gaps(system: System, state: State, held: Sequence[Scalar]) -> list[list[Scalar]]:
    each = zip(system.constraint_rows(state), held, strict=True)
    return [[where(here, x, 0.0) for x in rows.errors] for rows, here in each]


def _rates(system: System, state: State, held: Sequence[Scalar]) -> list[list[Scalar]]:
    each = zip(system.constraint_rows(state), held, strict=True)
    return [[where(here, x, 0.0) for x in rows.rates] for rows, here in each]


def _flat(lists: Sequence[Sequence[Scalar]]) -> list[Scalar]:
    return [x for each in lists for x in each]
