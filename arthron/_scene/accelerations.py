"""Accelerations of a figure under forces and rows of constraints: one door to all solvers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .._algorithms.crba import crba
from .._algorithms.dynamics import bias_forces, deep, movable
from .._algorithms.hybrid import hybrid_sweep
from .._algorithms.inverse_mass import held_inverse_product
from .._algorithms.loop_recursion import LoopRow, loop_recursion
from .._spatial.linear_algebra import NOISE, Held, Ldl, bordered_matrix, eliminated, tree_order
from .._spatial.motions import Force
from .._spatial.scalar import Scalar, is_zero, where
from .._spatial.sums import dot, total
from .._tree.tree import BodyList, JointForces, Tree
from ..errors import SimulationError
from .active_set import ActiveSet, Inequalities, TrialSolution
from .rows import Row

LOOPED = 40
"""The same as `DEEP`, for figures with rows of constraints."""
SOFT = 1e-12
"""How much inequalities give way, beside what they move: more than fit are then told apart."""


class AddedInertia(NamedTuple):
    """What an implicit step adds to the mass matrix.

    Attributes:
        matrix: all of it, nv x nv.
        terms: the same as terms of bodies and of joints, where it is no more than that.
        symmetric: whether the matrix is.
    """

    matrix: list[list[Scalar]]
    terms: tuple[BodyList, JointForces] | None = None
    symmetric: bool = True


def solve(
    tree: Tree, q, qd, f_ext: BodyList, tau: JointForces, rows: Sequence[Row] = (),
    added: AddedInertia | None = None, solver: str = "auto",
) -> tuple[BodyList, list, list]:  # fmt: skip
    """(qdd, r, lambda): (M + added) qdd + bias = tau + J^T f_ext + r, r = G^T lambda.

    G qdd = b of rows that are equations; G qdd >= b and lambda >= 0 of others. By recursion where
    rows leave the figure a tree and that costs less than factors of the matrix; those that fix
    single coordinates are eliminated, others bordered (RBDA §8.1, S19 2.96). Without rows r is
    empty; lambda is that of those which do not fix. The solver may be asked for: "recursive" or
    "dense".
    """
    given = tree, q, qd, f_ext, tau, rows, added, solver
    limits = Inequalities(rows)
    if not limits:
        found = solve_chosen(*given)
    else:
        found = limits.settled(lambda chosen: solve_chosen(*given, chosen), tree.nv)
    return tree.accelerations(found.x), limits.forces(found) if rows else [], limits.by_row(found)


def solve_chosen(
    tree: Tree, q, qd, f_ext: BodyList, tau: JointForces, rows: Sequence[Row] = (),
    added: AddedInertia | None = None, solver: str = "auto", chosen: ActiveSet | None = None,
) -> TrialSolution:  # fmt: skip
    """The same where it is known which inequalities hold as equations."""
    limits = Inequalities(rows)
    on, held = limits.rows(chosen), limits.held(chosen)
    if _dense(tree, on, added, solver):
        A, rhs = _matrix(tree, q, added), _forces(tree, q, qd, f_ext, tau)
        return solve_matrix(A, rhs, rows, chosen, symmetric=added is None or added.symmetric)
    return _solution(limits, *_recursion(tree, q, qd, f_ext, tau, on, added, held))


def solve_matrix(
    A: Sequence, b: Sequence, rows: Sequence[Row], chosen: ActiveSet | None, *,
    symmetric: bool = True,
) -> TrialSolution:  # fmt: skip
    """The same for a matrix, A x = b + r."""
    limits = Inequalities(rows)
    held = limits.held(chosen)
    return _solution(limits, *solve_held_rows(A, b, limits.rows(chosen), held, symmetric=symmetric))


def _solution(
    limits: Inequalities, x: list, at_fixed: Mapping, multipliers: list, pushes: Mapping
) -> TrialSolution:
    """What a solver found, in order."""
    fixing, pushing = ([of[j] for j in each] for of, each in
                       ((at_fixed, limits.fixed), (pushes, limits.bounds)))  # fmt: skip
    return TrialSolution(x, fixing, multipliers, pushing, [])


def _forces(tree: Tree, q, qd, f_ext: BodyList, tau: JointForces) -> list[Scalar]:
    """Joint forces that are left to accelerate the figure."""
    bias = tree.vector(bias_forces(tree, q, qd, f_ext))
    return [x - b for x, b in zip(tree.vector(tau), bias, strict=True)]


def _dense(tree: Tree, rows: Sequence[Row], added: AddedInertia | None, solver: str) -> bool:
    """Whether factors of the matrix are what solves equations."""
    if added is not None:
        return added.terms is None or not recursive(tree, rows, solver)
    if tree.followers:
        return True
    if not rows:
        return not deep(tree)
    return _whole_joints(tree, rows) is None and not _closes_loops(tree, rows)


def _closes_loops(tree: Tree, rows: Sequence[Row]) -> bool:
    """Whether rows are taken in by recursion: in long figures, where none fixes a coordinate."""
    return deep(tree, LOOPED) and all(
        row.at_ports and not row.fixes and row.gap is None for row in rows
    )


def _loop_rows(tree: Tree, rows: Sequence[Row]) -> list[LoopRow]:
    """Rows as wrenches on bodies and forces at joints."""
    found = []
    for row in rows:
        wrenches: dict[int, Force] = {}
        forces: dict[int, Sequence[Scalar]] = {}
        for port, force in zip(*row.forces(1.0), strict=True):
            if port.X is None:
                forces[port.body] = force
            elif port.body:
                wrenches[port.body] = wrenches.get(port.body, Force()) + port.X.T @ force
        first = min(row.G)
        last = next(i for i in tree.bodies if tree.v_start[i] <= first < tree.v_start[i + 1])
        found.append(LoopRow(wrenches, forces, row.b, last))
    return found


def _matrix(tree: Tree, q, added: AddedInertia | None) -> list[list[Scalar]]:
    """M + added."""
    A = movable(tree, crba(tree, q))
    if added is None:
        return A
    both = zip(A, added.matrix, strict=True)
    return [[x + y for x, y in zip(*lines, strict=True)] for lines in both]


def _recursion(
    tree: Tree, q, qd, f_ext: BodyList, tau: JointForces, rows: Sequence[Row],
    added: AddedInertia | None, held: Held,
) -> tuple[list, dict[int, Scalar], list, dict[int, Scalar]]:  # fmt: skip
    """(x, forces that fix, lambda, pushes) by the articulated-body algorithm."""
    first, multipliers, at = tree.v_start, [], {}
    joints: dict[int, dict] = {}
    for i in tree.bodies:
        own = {j - first[i]: held[j] for j in range(first[i], first[i + 1]) if j in held}
        joints |= {i: own} if own else {}
    if added is not None:
        bodies, at_joints = added.terms  # type: ignore[misc]
        rhs = _forces(tree, q, qd, f_ext, tau)
        qdd, push = held_inverse_product(tree, q, rhs, at_joints, bodies, joints)
    elif any(not row.fixes for row in rows):
        rhs = _forces(tree, q, qd, f_ext, tau)
        moved = _that_move(rows, range(tree.nv))
        qdd, found, push = loop_recursion(tree, q, rhs, _loop_rows(tree, moved), joints)
        multipliers = _of_all(rows, moved, found)
    else:  # fixed joints are rigid (S19 Alg. 9)
        rigid = _whole_joints(tree, rows) or {}
        wanted = BodyList(rigid.get(i, tree.zero(i)) for i in range(tree.nb + 1))
        qdd, forces, _, push = hybrid_sweep(tree, q, qd, wanted, tau, f_ext, rigid, joints)
        for i in rigid:
            at |= {
                first[i] + k: a - b for k, (a, b) in enumerate(zip(forces[i], tau[i], strict=True))
            }
    pushes = {first[i] + k: f for i, own in push.items() for k, f in own.items()}
    return tree.vector(qdd), at, multipliers, pushes


def recursive(tree: Tree, rows: Sequence[Row], solver: str) -> bool:
    """Whether to solve with added terms by recursion: if asked to, or where that costs less."""
    if rows or tree.followers:  # more than a tree with terms on its diagonal
        return False
    return deep(tree) if solver == "auto" else solver == "recursive"


def _whole_joints(tree: Tree, rows: Sequence[Row]) -> dict[int, tuple] | None:
    """What rows say of joints, if each joint is fixed in all of its coordinates or in none."""
    if not all(row.fixes for row in rows):
        return None
    given = fixed(rows)
    found = {}
    for i in tree.bodies:
        own = [given.get(j) for j in range(tree.v_start[i], tree.v_start[i + 1])]
        if any(x is not None for x in own):
            if any(x is None for x in own):
                return None
            found[i] = tuple(own)
    return found


def fixed(rows: Sequence[Row]) -> dict[int, Scalar]:
    """What rows that fix a coordinate say it is, by coordinate."""
    return {j: row.b for row in rows if row.fixes for j in row.G}


def solve_rows(
    A: Sequence, b: Sequence, rows: Sequence[Row], *, symmetric: bool
) -> tuple[list, list, list]:
    """(x, r, lambda) with A x = b + r, where r = G^T lambda and G x = what rows say.

    lambda is that of rows that do not fix single coordinates.
    """
    x, at, multipliers, _ = solve_held_rows(A, b, rows, {}, symmetric=symmetric)
    others = [row for row in rows if not row.fixes]
    r = [at[k] if k in at else dot([row.G.get(k, 0.0) for row in others], multipliers)
         for k in range(len(b))]  # fmt: skip
    return x, r, multipliers


def solve_held_rows(
    A: Sequence, b: Sequence, rows: Sequence[Row], held: Held, *, symmetric: bool
) -> tuple[list, dict[int, Scalar], list, dict[int, Scalar]]:
    """(x, r at fixed coordinates, lambda, f): the same with f where held, of rows that are on."""
    n, given = range(len(b)), fixed(rows)
    free = [k for k in n if k not in given]
    bordered = [row for row in rows if not row.fixes]
    others = _that_move(bordered, free)
    rest = [b[i] - dot([A[i][k] for k in given], list(given.values())) for i in free]
    inner = [[A[i][j] for j in free] for i in free]
    place = {k: i for i, k in enumerate(free)}
    G = [{place[k]: x for k, x in row.G.items() if k in place and not is_zero(x)} for row in others]
    known = [row.b - dot([row.G.get(k, 0.0) for k in given], list(given.values()))
             for row in others]  # fmt: skip
    order, m, right = tree_order(G, len(free)), len(others), [*known, *rest]
    K, at = bordered_matrix(inner, G, order)
    right = [right[i] for i in order]
    where_to = {i: p for p, i in enumerate(order)}
    still = {where_to[m + place[j]]: x for j, x in held.items()}
    above, soft = {}, {}
    for k, row in enumerate(others):
        if row.gap is not None:
            moves = total(x * x / inner[j][j] for j, x in G[k].items())
            above[where_to[k]] = where(moves > NOISE, row.on, 0.0)  # a rope along a straight arm
            soft[where_to[k]] = SOFT * moves + NOISE
    if symmetric:
        used = {**above, **{p: free for p, (free, _) in still.items()}}
        y, push = Ldl(K, at, used, soft).solve_held(right, still)
    else:
        y, push = _eliminated_held(K, right, still, above, soft, at)
    solved = dict(zip(order, y, strict=True))
    multipliers = [-solved[k] for k in range(m)]
    found = {k: solved[m + i] for i, k in enumerate(free)}
    x = [given[k] if k in given else found[k] for k in n]
    pushes = {j: push[where_to[m + place[j]]] for j in held}
    at_fixed = {k: dot(A[k], x) - b[k] for k in given}
    return x, at_fixed, _of_all(bordered, others, multipliers), pushes


def _eliminated_held(
    K: Sequence[Sequence[Scalar]], b: Sequence[Scalar], held: Held, on: Mapping[int, Scalar],
    soft: Mapping[int, Scalar], multipliers: Sequence[int],
) -> tuple[list[Scalar], dict[int, Scalar]]:  # fmt: skip
    """As `Ldl.solve_held` for a matrix that is not symmetric: other lines stand in for some."""
    rows, right = [list(row) for row in K], list(b)
    for p, is_on in on.items():
        rows[p] = [is_on * x for x in rows[p]]
        rows[p][p], right[p] = is_on * (1.0 - soft[p]) - 1.0, is_on * b[p]
    for p, (free, x) in held.items():
        rows[p] = [a if i == p or is_zero(a) else free * a for i, a in enumerate(rows[p])]
        right[p] = free * b[p] + K[p][p] * x
    y = eliminated(rows, right, [p for p in multipliers if p not in on])
    return y, {p: dot(K[p], y) - b[p] for p in held}


def _of_all(
    rows: Sequence[Row], some: Sequence[Row], multipliers: Sequence[Scalar]
) -> list[Scalar]:
    """Multipliers of all rows, zero but for those of some."""
    known = dict(zip(map(id, some), multipliers, strict=True))
    return [known.get(id(row), 0.0) for row in rows]


def _that_move(rows: Sequence[Row], free: Sequence[int]) -> list[Row]:
    """Rows that some coordinate of those that are free can change.

    Others say nothing, as those of a hinge across the plane that a figure moves in, unless all of
    an element's are such.
    """
    found = [row for row in rows if not all(is_zero(row.G.get(j, 0.0)) for j in free)]
    for row in rows:
        if all(row.who != other.who for other in found):
            raise SimulationError(
                f"`constraint` of {row.who} depends on nothing that can move: its links or joints "
                "are fixed, or prescribed. Leave it out, or let something move."
            )
    return found
