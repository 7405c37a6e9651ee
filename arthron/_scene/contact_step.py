"""Velocities at the end of a step with contact: limits, equations and contact in one solution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from .._contact.bounds import Along, Bound, Brake
from .._contact.contact_problem import ContactProblem
from .._contact.energy_bound import without_gain
from .._contact.pair import Pair
from .._contact.softness import Mobility, joint_mobilities, mobilities
from .._contact.step_solvers import ArticulatedSolver, MatrixSolver
from .._contact.world_columns import WorldColumns
from .._spatial.array import array
from .._spatial.scalar import Scalar, maximum
from .._spatial.sums import total
from .._spatial.vectors import Vec3
from .._tree.tree import BodyList, Tree
from .accelerations import solve_rows
from .contact_ground import Ground, plane_of
from .contact_links import Links
from .contact_points import pairs_of
from .dry_friction import DryFriction
from .near_links import LinkContacts, near_links
from .rows import Row
from .state import State
from .system import System

MANY = 12
"""Coordinates from which on matrices that links which touch each other fill are arrays, and
factored in loops."""


IMPULSES = "contact.impulses"
"""What steps with contact remember: the impulse of each point, three numbers each, and of links
that are looked for which pairs had a place."""
CHANGE = "contact.change"
"""What else they remember: how contact changed velocities. With that the search begins."""
BOUND = 1e-5
"""How much velocity an impulse of a limit or a rope leaves, beside what it changes."""


@dataclass(frozen=True)
class Collided:
    """What contact does in a step.

    Attributes:
        v: velocities at its end.
        forces: joint forces of contact, of inequalities and of what these change of equations.
        multipliers: forces along rows that do not fix.
        contacts: of each point its mean force, where it is and its gap, one behind the other; then
            what each element of links says of its own.
        residual: largest force of a point that is not by the law.
        iterations: passes of Newton's method.
        memory: impulses of points and what else the next step begins with.
    """

    v: list[Scalar]
    forces: list[Scalar]
    multipliers: list[Scalar]
    contacts: list[Scalar]
    residual: Scalar
    iterations: Scalar
    memory: dict[str, list[Scalar]]

    @property
    def report(self) -> dict[str, Any]:
        """What a state says of contact."""
        each = ("contacts", "residual", "iterations", "memory")
        return {name: getattr(self, name) for name in each}

    def with_equations(self, rows: Sequence[Row], before: Sequence[Scalar]) -> list[Scalar]:
        """Multipliers of rows, with those that equations have without contact."""
        each = iter(before)
        kept = [row for row in rows if not row.fixes]
        pairs = zip(kept, self.multipliers, strict=True)
        return [x + next(each) if row.gap is None else x for row, x in pairs]


def collided(
    system: System, at: State, A: Sequence[Sequence[Scalar]], stiff: Tree | None,
    free: Sequence[Scalar], rows: Sequence[Row], h: Scalar,
) -> Collided:  # fmt: skip
    """The velocities that contact, and rows on velocities, make of `free` ones in a step.

    Args:
        system: what touches what.
        at: where gaps are taken, and velocities before the step.
        A: the matrix of the step, M and what is implicit.
        stiff: the figure whose mass matrix that is, if there is one.
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
    bounds, sides = bounds_of(tree, rows)
    laws = [*bounds, *dry_friction(system, h)]
    pairs = pairs_of(system, found, columns, before, after, h)
    groups = [*pairs, *(x.slots for x in near)]
    known = _remembered(at, pairs, near)
    groups = [group.loaded(own, after) for group, own in zip(groups, known, strict=True)]
    in_loops = tree.nv >= MANY and not equations and not all(group.to_world for group in groups)
    entries = array([x for row in A for x in row]) if in_loops else None
    whole, convex = (
        MatrixSolver(
            A, columns, None if in_loops else partial(_factored, equations, symmetric), entries
        )
        for symmetric in (False, True)
    )
    tree_of = _articulated(stiff, at, columns, laws, equations)
    if all(group.to_world for group in groups):
        solver, apart = tree_of or whole, None
    else:
        solver, apart = whole, tree_of
    count = sum(not row.fixes for row in equations) if equations else None
    problem = ContactProblem(free, columns, groups, laws, solver, convex, count, apart)
    rate = tree.vector(at.qd)
    change = at.memory.get(CHANGE)
    guess = rate if change is None else [x + y for x, y in zip(free, change, strict=True)]
    result = without_gain(problem, known, rate, guess)
    forces = [(x + y) * per for x, y in zip(result.forces, result.taken, strict=True)]
    ties = iter(result.multipliers)
    pushes = iter([maximum(sign * result.bounds[k], 0.0) for k, sign in sides])
    multipliers = [next(ties if row.gap is None else pushes) for row in rows if not row.fixes]
    contacts: list[Scalar] = []
    impulses = [
        x for pair, own in zip(pairs, result.points, strict=False) for x in own[: len(pair.r)]
    ]
    for each, impulse in zip(found, impulses, strict=True):
        contacts += [*(impulse * per), *each.point.point, each.point.gap]
    for links, own in zip(near, result.points[len(pairs) :], strict=True):
        contacts += links.report(own, per)
    own_impulses = [x for impulse in impulses for x in impulse]
    for links, own in zip(near, result.points[len(pairs) :], strict=True):
        own_impulses += links.memory(own)
    change = [x - y for x, y in zip(result.v, free, strict=True)]
    memory = {IMPULSES: own_impulses, CHANGE: change} if IMPULSES in at.memory else {}
    return Collided(
        result.v, forces, [x * per for x in multipliers], contacts, result.residual * per,
        result.iterations, memory,
    )  # fmt: skip


def bounds_of(tree: Tree, rows: Sequence[Row]) -> tuple[list[Bound], list[tuple[int, float]]]:
    """Inequalities as bounds, and of each row which bound it is in and the sign of its push.

    Both sides of one coordinate are one.
    """
    mobility = joint_mobilities(tree)
    bounds: list[Bound] = []
    sides, known = [], {}
    for row in rows:
        if row.gap is None:
            continue
        j, sign = row.bound or (None, 1.0)
        if sign < 0.0 and j in known and bounds[known[j]].most is None:
            bounds[known[j]] = bounds[known[j]]._replace(most=-row.b)
            sides.append((known[j], sign))
            continue
        if sign > 0.0 and j is not None:
            known[j] = len(bounds)
        sides.append((len(bounds), 1.0))
        R = BOUND * total(x * x * mobility[j] for j, x in row.G.items())
        bounds.append(Bound(Along(row.G, R), row.b))
    return bounds, sides


def dry_friction(system: System, h: Scalar) -> list[Brake]:
    """Dry friction of joints, as impulses of a step."""
    tree = system.tree
    mobility = joint_mobilities(tree)
    return [
        Brake(Along({j: 1.0}, BOUND * mobility[j]), maximum(force, 0.0) * h)
        for element, ports in zip(system.elements, system.ports, strict=True)
        if isinstance(element, DryFriction)
        for j, force in element.forces_by_coordinate([tree.v_start[p.body] for p in ports]).items()
    ]


def _remembered(at: State, pairs: Sequence[Pair], near: Sequence[LinkContacts]) -> list:
    """Impulses of the step before, group by group."""
    known = list(at.memory.get(IMPULSES, ()))
    count = sum(3 * len(pair.r) for pair in pairs)
    own = iter(known[:count] or [0.0] * count)
    found: list = [
        [Vec3(next(own), next(own), next(own)) for _ in pair.r] + pair.nothing()[len(pair.r) :]
        for pair in pairs
    ]
    for links in near:
        many = len(links.which) * (1 + 3 * len(links.slots.points))
        found.append(links.remembered(known[count : count + many]))
        count += many
    return found


def _articulated(
    stiff: Tree | None, at: State, columns: WorldColumns,
    laws: Sequence[Bound | Brake], equations: Sequence[Row],
) -> ArticulatedSolver | None:  # fmt: skip
    """What solves the equations of a step where the figure stays a tree, if it does."""
    alone = all(len(law.along.G) == 1 for law in laws) and not equations
    if stiff is None or not alone or stiff.followers:
        return None
    return ArticulatedSolver(stiff, at.q, columns)


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
    each = [mobility.get(i, Mobility()) for i in range(len(system.tree.parent))]
    return [
        near_links(
            x, found, plane_of(x) if isinstance(x, Ground) else None, X0, columns, each,
            before, after, h,
        )
        for x, found in own
    ]  # fmt: skip


def _factored(
    equations: Sequence[Row], symmetric: bool, H: Sequence[Sequence[Scalar]], b: Sequence[Scalar]
) -> tuple[Sequence[Scalar], ...]:
    """(x, r, lambda) with H x = b + r under equations."""
    return solve_rows(H, b, equations, symmetric=symmetric)
