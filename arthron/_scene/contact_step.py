"""Velocities at the end of a step with contact: limits, equations and contact in one solution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from .._contact.contact_problem import Bound, ContactProblem
from .._contact.energy_bound import without_gain
from .._contact.softness import mobilities
from .._contact.world_columns import WorldColumns
from .._graph.block_cholesky import solved_by_blocks
from .._spatial.scalar import Scalar
from .._spatial.sums import dot, total
from .._tree.tree import BodyList
from .accelerations import solve_rows
from .contact_ground import Ground, plane_of
from .contact_links import Links
from .contact_points import STICKING, pairs_of
from .near_links import LinkContacts, near_links
from .rows import Row
from .state import State
from .system import System

MANY = 48
"""Coordinates from which on matrices that links which touch each other fill are factored by
blocks, in loops: a straight program would have a hundred thousand operations."""


@dataclass(frozen=True)
class Collided:
    """What contact does in a step.

    Attributes:
        v: velocities at its end.
        forces: joint forces of contact, of inequalities and of what these change of equations.
        multipliers: forces along rows that do not fix.
        contacts: of each point its mean force, where it is and its gap, one behind the other; then
            what each element of links says of its own.
        residual: largest joint force that is left over.
        iterations: passes of Newton's method.
    """

    v: list[Scalar]
    forces: list[Scalar]
    multipliers: list[Scalar]
    contacts: list[Scalar]
    residual: Scalar
    iterations: Scalar

    @property
    def report(self) -> dict[str, Any]:
        """What a state says of contact."""
        return {"contacts": self.contacts, "residual": self.residual, "iterations": self.iterations}

    def with_equations(self, rows: Sequence[Row], before: Sequence[Scalar]) -> list[Scalar]:
        """Multipliers of rows, with those that equations have without contact."""
        each = iter(before)
        kept = [row for row in rows if not row.fixes]
        pairs = zip(kept, self.multipliers, strict=True)
        return [x + next(each) if row.gap is None else x for row, x in pairs]


def collided(
    system: System, at: State, A: Sequence[Sequence[Scalar]], free: Sequence[Scalar],
    rows: Sequence[Row], h: Scalar,
) -> Collided:  # fmt: skip
    """The velocities that contact, and rows on velocities, make of `free` ones in a step.

    Args:
        system: what touches what.
        at: where gaps are taken, and velocities before the step.
        A: the matrix of the step, M and what is implicit.
        free: velocities at its end without contact and without inequalities, equations included.
        rows: all of them; inequalities on velocities at the end.
        h: the length of the step.
    """
    system, at = system.at(at)
    tree, per = system.tree, 1.0 / h
    columns = WorldColumns(tree, at.q)
    found = system.contact_points(at)
    before, after = (columns.twists(v) for v in (tree.vector(at.qd), free))
    near = _link_contacts(system, at, columns, before, after, h)
    equations = [row._replace(b=0.0) for row in rows if row.gap is None]
    bounds = [
        Bound(row.G, row.b, STICKING * total(x * x / A[j][j] for j, x in row.G.items()))
        for row in rows if row.gap is not None
    ]  # fmt: skip
    pairs = pairs_of(system, found, columns, before, after, h)
    problem = ContactProblem(
        A, free, columns, [*pairs, *(x.slots for x in near)], bounds,
        partial(_solved, equations, bool(near) and tree.nv > MANY),
        sum(not row.fixes for row in equations),
    )  # fmt: skip
    guess = [x - y for x, y in zip(tree.vector(at.qd), free, strict=True)]
    if equations:  # which hold for what is free, and may not have held before
        guess, _, _ = solve_rows(A, [dot(line, guess) for line in A], equations, symmetric=True)
    guess = [x + y for x, y in zip(guess, free, strict=True)]
    result = without_gain(problem, guess, tree.vector(at.qd))
    away = [x - y for x, y in zip(result.v, free, strict=True)]
    ties, pushes = iter(result.multipliers), iter(result.bounds)
    multipliers = [next(ties if row.gap is None else pushes) for row in rows if not row.fixes]
    contacts: list[Scalar] = []
    impulses = (x for pair in result.points[: len(pairs)] for x in pair)
    for each, impulse in zip(found, impulses, strict=True):
        contacts += [*(impulse * per), *each.point.point, each.point.gap]
    for links, own in zip(near, result.points[len(pairs) :], strict=True):
        contacts += links.report(own, per)
    return Collided(
        result.v, [dot(line, away) * per for line in A], [x * per for x in multipliers], contacts,
        result.residual * per, result.iterations,
    )  # fmt: skip


def _link_contacts(
    system: System, at: State, columns: WorldColumns, before: BodyList, after: BodyList, h: Scalar
) -> list[LinkContacts]:
    """Links that may touch each other in a step, of all elements; twists are by `columns`."""
    own = [(x, x.found) for x in system.elements if isinstance(x, Links | Ground) and x.found]
    if not own:
        return []
    X0, _ = at.kinematics(system.tree)
    bodies = {i for _, found in own for pair in found.bodies for i in pair if i}
    mobility = mobilities(system.tree, sorted(bodies))
    each = [mobility.get(i, 0.0) for i in range(len(system.tree.parent))]
    return [
        near_links(
            x, found, plane_of(x) if isinstance(x, Ground) else None, X0, columns, each,
            before, after, h,
        )
        for x, found in own
    ]  # fmt: skip


def _solved(
    equations: Sequence[Row], by_blocks: bool, H: Sequence[Sequence[Scalar]], b: Sequence[Scalar]
) -> tuple[Sequence[Scalar], ...]:
    """(x, r, lambda) with H x = b + r under equations."""
    if by_blocks and not equations:
        return solved_by_blocks(H, b), [0.0] * len(b), []
    return solve_rows(H, b, equations, symmetric=True)
