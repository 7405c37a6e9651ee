"""Accelerations of a figure under forces and rows of constraints: one door to all solvers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .._algorithms.crba import crba
from .._algorithms.dynamics import bias_forces, deep, forward_dynamics, movable
from .._algorithms.hybrid import hybrid_dynamics
from .._algorithms.inverse_mass import inverse_mass_product
from .._spatial.linear_algebra import Ldl, eliminated
from .._spatial.scalar import Scalar, is_zero
from .._spatial.sums import dot
from .._tree.tree import BodyList, JointForces, Tree
from ..errors import SimulationError
from .rows import Row


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
    """(qdd, r, lambda): (M + added) qdd + bias = tau + J^T f_ext + r, r = G^T lambda, G qdd = b.

    By recursion where rows leave the figure a tree and that costs less than factors of the matrix;
    rows that fix single coordinates are eliminated, others bordered (RBDA §8.1, S19 2.96). Without
    rows r is empty; lambda is that of those others. The solver may be asked for: "recursive" or
    "dense".
    """
    ties = bool(tree.followers)
    if added is None and not rows:
        return forward_dynamics(tree, q, qd, tau, f_ext), [], []
    joints = None if ties or added is not None else _whole_joints(tree, rows)
    if joints is not None:
        return *_recursion(tree, q, qd, f_ext, tau, rows, joints), []
    bias = tree.vector(bias_forces(tree, q, qd, f_ext))
    rhs = [x - b for x, b in zip(tree.vector(tau), bias, strict=True)]
    if added is not None and added.terms is not None and recursive(tree, rows, solver):
        bodies, at_joints = added.terms
        return inverse_mass_product(tree, q, rhs, at_joints, bodies), [], []
    A = movable(tree, crba(tree, q))
    if added is not None:
        both = zip(A, added.matrix, strict=True)
        A = [[x + y for x, y in zip(*lines, strict=True)] for lines in both]
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
    G = [[row.G.get(j, 0.0) for j in free] for row in others]
    known = [row.b - dot([row.G.get(k, 0.0) for k in given], list(given.values()))
             for row in others]  # fmt: skip
    order, m = _tree_order(G, len(free)), len(others)
    both = [
        *([0.0] * m + line for line in G),
        *([line[k] for line in G] + row for k, row in enumerate(inner)),
    ]
    both, right = [[both[i][j] for j in order] for i in order], [*known, *rest]
    right = [right[i] for i in order]
    at = [k for k, i in enumerate(order) if i < m]
    y = Ldl(both, at).solve(right) if symmetric else eliminated(both, right, at)
    solved = dict(zip(order, y, strict=True))
    multipliers = [-solved[k] for k in range(m)]
    found = {k: solved[m + i] for i, k in enumerate(free)}
    x = [given[k] if k in given else found[k] for k in n]
    r = [dot(A[k], x) - b[k] if k in given
         else dot([row.G.get(k, 0.0) for row in others], multipliers) for k in n]  # fmt: skip
    by_row = dict(zip(map(id, others), multipliers, strict=True))
    return x, r, [by_row.get(id(row), 0.0) for row in bordered]


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


def _tree_order(G: Sequence[Sequence[Scalar]], n: int) -> list[int]:
    """Rows of G, from 0 on, and n columns behind them, in the order in which a tree is factored.

    From the last on, as columns are: each row just after all columns that it has entries in, so
    that rows far apart on a figure do not meet; the first of equal ones first.
    """
    lowest = [next(k for k, x in enumerate(line) if not is_zero(x)) for line in G]
    order: list[int] = []
    for k in range(n):
        order += [i for i in reversed(range(len(G))) if lowest[i] == k]
        order.append(len(G) + k)
    return order
