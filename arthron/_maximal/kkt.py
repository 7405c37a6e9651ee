"""Motions of bodies under forces and rows: one sparse matrix, factored along the tree (B96).

Bodies and the multipliers of their joints take turns, children first, so that the factors of a tree
have no more entries than it has joints: linear in the number of links, without loops.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from .._spatial.inertia import Inertia
from .._spatial.linear_algebra import NOTHING, Ldl
from .._spatial.motions import Force, Motion
from .._spatial.scalar import Scalar, is_zero, where
from .._spatial.sums import total
from .._spatial.vectors import Vec3
from .._tree.tree import BodyList, Tree
from .body_rows import UNITS, BodyRow, combined

SIX = range(6)


class BodyMatrix:
    """A symmetric matrix over motions of bodies, by blocks of which the lower ones are kept."""

    def __init__(self) -> None:
        self.blocks: dict[tuple[int, int], list[list[Scalar]]] = {}

    def add(self, rows: Sequence[BodyRow], terms: Sequence[Sequence[Scalar]]) -> None:
        """Add J^T B J, of some rows J and a symmetric matrix B."""
        for row, line in zip(rows, terms, strict=True):
            self.add_product(row.G, combined(line, rows))

    def add_product(self, left: dict[int, Force], right: dict[int, Force]) -> None:
        """Add left^T right, or the lower half of it."""
        for i, f in left.items():
            for j, g in right.items():
                if i >= j:
                    block = self.blocks.setdefault((i, j), [[0.0] * 6 for _ in SIX])
                    for line, x in zip(block, (*f.ang, *f.lin), strict=True):
                        if not is_zero(x):
                            line[:] = [
                                a + x * y for a, y in zip(line, (*g.ang, *g.lin), strict=True)
                            ]


def solve_kkt(
    A: BodyMatrix, f: Sequence[Force], rows: Sequence[BodyRow], joints: Sequence[BodyRow],
    loose: int = 0, active: Mapping[int, Scalar] = NOTHING,
) -> tuple[BodyList, list[Scalar]]:  # fmt: skip
    """(x, lambda) with A x = f + G^T lambda and G x = b (S19 1.73, the other sign of lambda).

    Those of `joints` are independent; one of the other `rows` that says what the rest does is left
    out, as are those whose number in `active` is zero. `loose` is how many coordinates belong to no
    joint: the first numbers of x[0].
    """
    bodies, every = range(len(f)), [*rows, *joints]
    row_at, body_at, n = {}, {}, 0
    for i in bodies:  # eliminated from the end: a body, its joint, then what stands before it
        for k in (k for k, row in enumerate(every) if row.at == i):
            row_at[k], n = n, n + 1
        size = 6 if i else loose
        body_at[i], n = range(n, n + size), n + size
    D: list[list[Scalar]] = [[0.0] * (k + 1) for k in range(n)]
    rhs: list[Scalar] = [0.0] * n
    for (i, j), block in A.blocks.items():
        for a, line in zip(body_at[i], block, strict=False):
            for b, x in zip(body_at[j], line, strict=False):
                if b <= a:
                    D[a][b] = x
    for i in bodies:
        for a, x in zip(body_at[i], (*f[i].ang, *f[i].lin), strict=False):
            rhs[a] = x
    for k, row in enumerate(every):
        rhs[row_at[k]] = where(active[k], row.b, 0.0) if k in active else row.b
        for i, g in row.G.items():
            for a, x in zip(body_at[i], (*g.ang, *g.lin), strict=False):
                D[max(a, row_at[k])][min(a, row_at[k])] = x
    used = {row_at[k]: on for k, on in active.items()}
    found = Ldl(D, [row_at[k] for k in range(len(rows))], used).solve(rhs)
    x = BodyList(motion([found[a] for a in body_at[i]]) for i in bodies)
    return x, [-found[row_at[k]] for k in range(len(every))]


def motion(numbers: Sequence[Scalar]) -> Motion:
    """The motion of up to six numbers, zeros behind them."""
    six = [*numbers, *[0.0] * (6 - len(numbers))]
    return Motion(Vec3(*six[:3]), Vec3(*six[3:]))


def stiffen(A: BodyMatrix, f: BodyList, joints: Sequence[BodyRow], tree: Tree) -> None:
    """Add k G^T (G x - b), which is zero, for joints of bodies that resist not every motion.

    Those without mass, or without inertia about some axis: they could not be eliminated alone.
    """
    k = total(I.m for I in tree.I)
    for row in joints:
        if not _resists(tree.I[row.at]):
            A.add([row], [[k]])
            for i, g in row.G.items():
                f[i] = f[i] + g * (k * row.b)


def _resists(I: Inertia) -> bool:
    """Whether an inertia is known to resist every motion."""
    columns = [I @ Motion(*f) for f in UNITS]
    if not all(isinstance(x, float) for f in columns for x in (*f.ang, *f.lin)):
        return False
    sizes = np.linalg.eigvalsh([[*f.ang, *f.lin] for f in columns])
    return bool(sizes[0] > 1e-9 * sizes[-1])
