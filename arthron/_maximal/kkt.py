"""Twists of bodies under forces and rows: one sparse matrix, factored along the tree.

Bodies and the multipliers of their joints take turns, children first, so that factors of a tree
have no more entries than it has joints: the order of Baraff, linear in the number of links.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from .._spatial.linear_algebra import Ldl
from .._spatial.motions import Force, Motion
from .._spatial.scalar import Scalar, is_zero
from .._spatial.vectors import Vec3
from .._tree.tree import BodyList

SIX = range(6)


class BodyRow(NamedTuple):
    """One equation over motions of bodies, the sum of G[i] . x[i] = b.

    Attributes:
        G: its coefficients, by body; the world has none.
        b: its right-hand side.
        at: it is eliminated behind this body, and with that behind all that can move it.
    """

    G: Mapping[int, Force]
    b: Scalar
    at: int

    def __call__(self, x: Sequence[Motion]) -> Scalar:
        """G x"""
        total: Scalar = 0.0
        for i, g in self.G.items():
            total = total + x[i].dot(g)
        return total


class BodyMatrix:
    """A symmetric matrix over motions of bodies, by blocks of which the lower ones are kept."""

    def __init__(self) -> None:
        self.blocks: dict[tuple[int, int], list[list[Scalar]]] = {}

    def add(
        self, left: Iterable[Mapping[int, Force]], right: Iterable[Mapping[int, Force]]
    ) -> None:
        """Add the sum of left^T right, with rows over motions of bodies."""
        for one, other in zip(left, right, strict=True):
            for i, f in one.items():
                for j, g in other.items():
                    if i >= j and i and j:
                        self._add(i, j, f, g)

    def _add(self, i: int, j: int, f: Force, g: Force) -> None:
        block = self.blocks.setdefault((i, j), [[0.0] * 6 for _ in SIX])
        x, y = (*f.ang, *f.lin), (*g.ang, *g.lin)
        for a in SIX:
            if not is_zero(x[a]):
                for b in SIX:
                    block[a][b] = block[a][b] + x[a] * y[b]


def solve_kkt(
    A: BodyMatrix, f: Sequence[Force], rows: Sequence[BodyRow]
) -> tuple[BodyList, list[Scalar]]:
    """(x, lambda) with A x = f + G^T lambda and G x = b (S19 1.73, the other sign of lambda)."""
    bodies = range(1, len(f))
    standing: dict[int, list[int]] = {i: [] for i in bodies}
    for k, row in enumerate(rows):
        standing[row.at].append(k)
    row_at, body_at, n = {}, {}, 0
    for i in bodies:  # eliminated from the end: a body, then rows that stand before it
        for k in standing[i]:
            row_at[k] = n
            n += 1
        body_at[i] = n
        n += 6
    D: list[list[Scalar]] = [[0.0] * (k + 1) for k in range(n)]
    rhs: list[Scalar] = [0.0] * n
    for (i, j), block in A.blocks.items():
        for a in SIX:
            for b in range(a + 1) if i == j else SIX:
                D[body_at[i] + a][body_at[j] + b] = block[a][b]
    for i in bodies:
        rhs[body_at[i] : body_at[i] + 6] = [*f[i].ang, *f[i].lin]
    for k, row in enumerate(rows):
        rhs[row_at[k]] = row.b
        for i, g in row.G.items():
            for a, x in enumerate((*g.ang, *g.lin), body_at[i]):
                high, low = max(a, row_at[k]), min(a, row_at[k])
                D[high][low] = x
    found = Ldl(D).solve(rhs)
    x = BodyList([Motion()])
    for i in bodies:
        six = found[body_at[i] : body_at[i] + 6]
        x.append(Motion(Vec3(*six[:3]), Vec3(*six[3:])))
    return x, [-found[row_at[k]] for k in range(len(rows))]


def pushed(rows: Sequence[BodyRow], multipliers: Sequence[Scalar], into: BodyList) -> None:
    """Add the wrenches G^T lambda of rows to those on bodies."""
    for row, x in zip(rows, multipliers, strict=True):
        for i, g in row.G.items():
            into[i] = into[i] + g * x
