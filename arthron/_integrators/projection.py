"""Projection: a state moved to where constraints hold, by as little as masses allow."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from .._algorithms.dynamics import mass_matrix
from .._graph.iterate import iterate
from .._scene.accelerations import solve_rows
from .._scene.system import State, System
from .._spatial.scalar import Scalar, absolute, maximum, where
from .._tree.body_lists import add_lists
from .._tree.configuration import integrate
from .._tree.tree import BodyList

MOST = 8
"""Passes for positions."""


def projected(system: System, state: State) -> State:
    """The state nearest to one at which constraints hold, in the metric of the mass matrix.

    M d = G^T l with G d = -g, again and again, then M e = G^T m with G (v + e) = -dg/dt: what is
    left is in d after the first pass to the second power.
    """
    tree, tolerance = system.tree, system.projection
    if tolerance is None:
        return state
    q, rest = tree.vector(state.q), [0.0] * tree.nv

    def off(at: State) -> Scalar:
        errors = [absolute(x) for rows in system.constraint_rows(at) for x in rows.errors]
        return reduce(maximum, errors, 0.0)

    def nearest(at: State, of: str) -> BodyList:
        """The least change that ends what constraints are off, or its rates."""
        here, at = system.at(at)
        M = here.tree.matrix(mass_matrix(here.tree, at.q))
        d, _, _ = solve_rows(M, rest, here.closing_rows(at, of), symmetric=True)
        return here.tree.rates(d)

    def closer(q: list[Scalar]) -> tuple[list[Scalar], Scalar]:
        at = replace(state, q=tree.positions(q))
        there = integrate(tree, at.q, nearest(at, "errors"))
        fine = off(replace(state, q=there)) <= tolerance
        return tree.vector(there), where(fine, 1.0, 0.0)

    going = where(off(state) > tolerance, 1.0, 0.0)
    q = iterate(closer, q, MOST, going, name="projection").values
    _, at = system.at(replace(state, q=tree.positions(q)))
    return replace(at, qd=add_lists(at.qd, nearest(at, "rates")))
