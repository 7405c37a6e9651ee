"""Equations of a step with contact: (A + J^T K J + more) x = b, with A the matrix of the step.

By factors of the matrix, or, where contact is with the world and nothing else ties joints together,
by articulated bodies (RBDA §7.3), whose inertias contact adds to. Neither is symmetric where
something slides. Links that touch each other fill the matrix anywhere: it is an array then. What
does not depend on contact is done once, whatever passes there are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from .._algorithms.kinematics import poses
from .._spatial.array import Array, array, solved
from .._spatial.linear_algebra import eliminated
from .._spatial.motions import Force, Motion
from .._spatial.scalar import Scalar, divide, is_zero
from .._spatial.transform import Transform
from .._tree.tree import Tree
from .contact_stiffness import ContactStiffness
from .contact_sums import ContactSums
from .world_columns import WorldColumns


class Solved(NamedTuple):
    """What equations come to.

    Attributes:
        x: the unknowns.
        taken: what equations take of each coordinate; nothing where there are none.
        multipliers: those of equations.
    """

    x: Sequence[Scalar]
    taken: Sequence[Scalar] = ()
    multipliers: Sequence[Scalar] = ()


@dataclass(frozen=True)
class MatrixSolver:
    """By factors of the matrix.

    Attributes:
        A: the matrix of the step.
        columns: how bodies move.
        factored: (H, b) -> (x, r, multipliers) with H x = b + r, where r is what equations take;
            None where there are no equations and the matrix is an array.
        entries: A as that array, row by row.
    """

    A: Sequence[Sequence[Scalar]]
    columns: WorldColumns
    factored: Callable[[Sequence[Sequence[Scalar]], Sequence[Scalar]], tuple] | None
    entries: Array | None = None

    def begin(self, sums: ContactSums) -> None:
        """Begin with the array, if the matrix is to be one, and what points of the world add."""
        if self.entries is not None:
            H = self.entries
            for (i, j), x in self._added(sums).items():
                H = H.set(i * len(self.A) + j, self.A[i][j] + x)
            sums.matrix = H

    def solve(self, sums: ContactSums, b: Sequence[Scalar]) -> Solved:
        """x with (A + what the sums have) x = b."""
        if sums.matrix is not None:
            return Solved([*solved(sums.matrix, array(list(b)))], [0.0] * len(b))
        assert self.factored is not None
        return Solved(*self.factored(self.matrix(sums), b))

    def matrix(self, sums: ContactSums) -> list[list[Scalar]]:
        """A + J^T K J + entries."""
        H = [list(row) for row in self.A]
        for (i, j), x in self._added(sums).items():
            H[i][j] = H[i][j] + x
        return H

    def _added(self, sums: ContactSums) -> dict[tuple[int, int], Scalar]:
        """J^T K J + entries, where these may be other than zero."""
        more = self.columns.matrix(sums.to_world, sums.between)
        found = {(i, j): x for i, row in enumerate(more) for j, x in enumerate(row)
                 if not is_zero(x)}  # fmt: skip
        for key, x in sums.entries.items():
            found[key] = found[key] + x if key in found else x
        return found


def gather(
    solver: MatrixSolver | ArticulatedSolver, groups: Sequence[Any], states: Sequence[Any],
    sums: ContactSums, add: Callable[[Any, Any], None],
) -> None:  # fmt: skip
    """Add what groups do in their states: those on the world first, then links among themselves."""
    pairs = [*zip(groups, states, strict=True)]
    for group, state in pairs:
        if group.to_world:
            add(group, state)
    solver.begin(sums)
    for group, state in pairs:
        if not group.to_world:
            add(group, state)


class ArticulatedSolver:
    """By articulated bodies, all seen from one point in world axes; contact is with the world.

    Joints of several coordinates are as many of one: at one configuration they add up.
    """

    def __init__(self, tree: Tree, q: Any, columns: WorldColumns) -> None:
        self._tree, self._columns = tree, columns
        X0 = poses(tree, q)
        self._inertia = {}
        for i in tree.bodies:
            X = Transform(X0[i].E, X0[i].r - columns.origin)
            own = tree.I[i].pulled_back(X.E, X.r).articulated()
            self._inertia[i] = ContactStiffness.of(own)

    def begin(self, sums: ContactSums) -> None:
        """Nothing: inertias take in all that points of the world add."""

    def solve(self, sums: ContactSums, b: Sequence[Scalar]) -> Solved:
        """x with (M + armature + what the sums have) x = b."""
        tree, S = self._tree, self._columns.S
        IA: dict[int, ContactStiffness] = dict(self._inertia)
        for i, K in sums.to_world.items():
            IA[i] = IA[i] + K
        pA: dict[int, Force] = {}
        steps: dict[int, tuple[Motion, Force, Scalar, Scalar]] = {}
        for i in reversed(tree.bodies):
            if not tree.parent[i]:
                continue
            for a in reversed(range(len(S[i]))):
                k, s = tree.v_start[i] + a, S[i][a]
                U, W = IA[i] @ s, IA[i].T @ s
                w = divide(1.0, s.dot(U) + tree.armature[i][a] + sums.entries.get((k, k), 0.0))
                u = b[k] - (s.dot(pA[i]) if i in pA else 0.0)
                steps[k] = s, W, w, u
                IA[i] = IA[i].without(U, W, w)
                pA[i] = pA.get(i, Force()) + U * (w * u)
            p = tree.parent[i]
            IA[p] = IA[p] + IA[i]
            pA[p] = pA[p] + pA[i] if p in pA else pA.get(i, Force())
        V: dict[int, Motion] = {}
        x: list[Scalar] = []
        for i in tree.bodies:
            if not tree.parent[i]:
                own = self._first(i, IA[i], pA.get(i), sums, b)
                V[i] = S[i] * own
                x += own
                continue
            v = V[tree.parent[i]]
            for a in range(len(S[i])):
                s, W, w, u = steps[tree.v_start[i] + a]
                x.append(w * (u - v.dot(W)))
                v = v + s * x[-1]
            V[i] = v
        return Solved(x)

    def _first(
        self, i: int, IA: ContactStiffness, pA: Force | None, sums: ContactSums, b: Sequence[Scalar]
    ) -> list[Scalar]:
        """Rates of a joint on the world, whose coordinates are found together."""
        tree, S, first = self._tree, self._columns.S[i], self._tree.v_start[i]
        K = [[s.dot(U) for U in [IA @ t for t in S]] for s in S]
        for a, armature in enumerate(tree.armature[i]):
            K[a][a] = K[a][a] + armature + sums.entries.get((first + a, first + a), 0.0)
        rest = [b[first + a] - (s.dot(pA) if pA else 0.0) for a, s in enumerate(S)]
        return eliminated(K, rest)
