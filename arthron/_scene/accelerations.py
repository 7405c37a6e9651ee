"""Accelerations of a figure under forces and rows of constraints: one door to all solvers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from .._algorithms.crba import crba
from .._algorithms.dynamics import bias_forces, deep, forward_dynamics, movable
from .._algorithms.hybrid import hybrid_dynamics
from .._algorithms.inverse_mass import inverse_mass_product
from .._algorithms.loop_recursion import LoopRow, loop_recursion
from .._spatial.linear_algebra import Ldl, bordered_matrix, eliminated, tree_order
from .._spatial.motions import Force
from .._spatial.scalar import Scalar, is_zero
from .._spatial.sums import dot
from .._tree.tree import BodyList, JointForces, Tree
from ..errors import SimulationError
from .active_set import limited
from .rows import Row

LOOPED = 40
"""The same as `DEEP`, for figures with rows of constraints."""


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

    G qdd = b of rows that are equations; G qdd >= b and lambda >= 0 of others, for the symmetric
    part of what is added. By recursion where equations leave the figure a tree and that costs less
    than factors of the matrix; those that fix single coordinates are eliminated, others bordered
    (RBDA §8.1, S19 2.96). Without rows r is empty; lambda is that of those which do not fix. The
    solver may be asked for: "recursive" or "dense".
    """
    equations = [row for row in rows if row.gap is None]
    dense = _dense(tree, equations, added, solver)
    A = _matrix(tree, q, added) if dense and (rows or added is not None) else None
    found = _equations(tree, q, qd, f_ext, tau, equations, added, A)
    if len(equations) == len(rows):
        return found

    def matrix() -> list[list[Scalar]]:
        whole = A or _matrix(tree, q, added)
        return whole if added is None or added.symmetric else _symmetric(whole)

    return with_inequalities(tree, found, rows, matrix)


def bounded_acceleration(
    tree: Tree, q, qdd: BodyList, rows: Sequence[Row]
) -> tuple[BodyList, list, list]:
    """(qdd, r, lambda) nearest to a qdd that obeys equations among rows, with all of them obeyed.

    r and lambda are what that takes more.
    """
    known = not deep(tree) or bool(tree.followers)
    A = _matrix(tree, q, None) if known else None
    found = qdd, [], [0.0] * sum(row.gap is None and not row.fixes for row in rows)
    return with_inequalities(tree, found, rows, lambda: A or _matrix(tree, q, None))


def with_inequalities(
    tree: Tree, found: tuple[BodyList, list, list], rows: Sequence[Row],
    matrix: Callable[[], Sequence[Sequence[Scalar]]],
) -> tuple[BodyList, list, list]:  # fmt: skip
    """(qdd, r, lambda) of equations, changed such that inequalities among the rows hold, too."""
    qdd, r, multipliers = found
    kept = [row for row in rows if not row.fixes]
    before = iter(multipliers)
    first = [next(before) if row.gap is None else 0.0 for row in kept]
    x, more, change = limited(matrix, tree.vector(qdd), rows)
    r = [a + b for a, b in zip(r, more, strict=True)] if r else more
    return tree.accelerations(x), r, [a + b for a, b in zip(first, change, strict=True)]


def _symmetric(A: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
    """(A + A^T) / 2"""
    n = range(len(A))
    return [[0.5 * (A[i][j] + A[j][i]) for j in n] for i in n]


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
    return deep(tree, LOOPED) and all(row.at_ports and not row.fixes for row in rows)


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


def _equations(
    tree: Tree, q, qd, f_ext: BodyList, tau: JointForces, rows: Sequence[Row],
    added: AddedInertia | None, A: list | None,
) -> tuple[BodyList, list, list]:  # fmt: skip
    """The same under equations alone, by factors of A if that is given."""
    if added is None and not rows:
        return forward_dynamics(tree, q, qd, tau, f_ext), [], []
    if A is None and added is None and _closes_loops(tree, rows):
        bias = tree.vector(bias_forces(tree, q, qd, f_ext))
        rhs = [x - b for x, b in zip(tree.vector(tau), bias, strict=True)]
        moved = _that_move(rows, range(tree.nv))
        qdd, found = loop_recursion(tree, q, rhs, _loop_rows(tree, moved))
        pulls = [dot([row.G.get(j, 0.0) for row in moved], found) for j in range(tree.nv)]
        return qdd, pulls, _of_all(rows, moved, found)
    if A is None and added is None:
        return *_recursion(tree, q, qd, f_ext, tau, rows, _whole_joints(tree, rows) or {}), []
    bias = tree.vector(bias_forces(tree, q, qd, f_ext))
    rhs = [x - b for x, b in zip(tree.vector(tau), bias, strict=True)]
    if A is None:
        bodies, at_joints = added.terms  # type: ignore[union-attr, misc]
        return inverse_mass_product(tree, q, rhs, at_joints, bodies), [], []
    symmetric = added is None or added.symmetric
    qdd, r, multipliers = solve_rows(A, rhs, rows, symmetric=symmetric)
    return tree.accelerations(qdd), r if rows else [], multipliers


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


def _recursion(
    tree: Tree, q, qd, f_ext, tau, rows: Sequence[Row], joints: dict[int, tuple]
) -> tuple[BodyList, list]:
    """The same by the articulated-body algorithm, in which fixed joints are rigid (S19 Alg. 9)."""
    wanted = BodyList(joints.get(i, tree.zero(i)) for i in range(tree.nb + 1))
    qdd, forces = hybrid_dynamics(tree, q, qd, wanted, tau, f_ext, prescribed=tuple(joints))
    r = BodyList([(), *(
        tuple(a - b for a, b in zip(forces[i], tau[i], strict=True)) if i in joints
        else tree.zero(i)
        for i in range(1, tree.nb + 1)
    )])  # fmt: skip
    return qdd, tree.vector(r)


def fixed(rows: Sequence[Row]) -> dict[int, Scalar]:
    """What rows that fix a coordinate say it is, by coordinate."""
    return {j: row.b for row in rows if row.fixes for j in row.G}


def solve_rows(
    A: Sequence, b: Sequence, rows: Sequence[Row], *, symmetric: bool
) -> tuple[list, list, list]:
    """(x, r, lambda) with A x = b + r, where r = G^T lambda and G x = what rows say.

    lambda is that of rows that do not fix single coordinates.
    """
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
    y = Ldl(K, at).solve(right) if symmetric else eliminated(K, right, at)
    solved = dict(zip(order, y, strict=True))
    multipliers = [-solved[k] for k in range(m)]
    found = {k: solved[m + i] for i, k in enumerate(free)}
    x = [given[k] if k in given else found[k] for k in n]
    r = [dot(A[k], x) - b[k] if k in given
         else dot([row.G.get(k, 0.0) for row in others], multipliers) for k in n]  # fmt: skip
    return x, r, _of_all(bordered, others, multipliers)


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
