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
        errors = [absolute(x) for each in system.constraint_errors(at) for x in each]
        return reduce(maximum, errors, 0.0)

    def closer(q: list[Scalar]) -> tuple[list[Scalar], Scalar]:
        at = replace(state, q=tree.positions(q))
        d, _, _ = solve_rows(_mass(system, at), rest, system.closing_rows(at), symmetric=True)
        there = integrate(tree, at.q, tree.rates(d))
        fine = off(replace(state, q=there)) <= tolerance
        return tree.vector(there), where(fine, 1.0, 0.0)

    going = where(off(state) > tolerance, 1.0, 0.0)
    q = iterate(closer, q, MOST, going, name="projection").values
    at = replace(state, q=tree.positions(q))
    rows = system.closing_rows(at, of="rates")
    e, _, _ = solve_rows(_mass(system, at), rest, rows, symmetric=True)
    return replace(at, qd=add_lists(at.qd, tree.rates(e)))


def _mass(system: System, state: State) -> list[list[Scalar]]:
    return system.tree.matrix(mass_matrix(system.tree, state.q))
