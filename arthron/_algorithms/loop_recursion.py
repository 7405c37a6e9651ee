"""Accelerations under rows of constraints by recursion: loops are closed on the way to the root.

The articulated-body algorithm with rows in it. A row is wrenches on bodies and forces at joints,
F.a + j.qdd = b. On the way to the root each joint takes its share out of the rows that reach it,
as it does of inertias; when the last joint that a row touches is behind, its multiplier is
eliminated, which stiffens the body that all of its ends hang on: IA + F F^T / s (RBDA §7.3, §8.1).
That costs as much for each loop, however many there are and however long the figure is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .._spatial.linear_algebra import NOISE, NOTHING, TINY
from .._spatial.motions import Force, Forces, Motion
from .._spatial.scalar import Scalar, divide, where
from .._spatial.sums import dot, total
from .._tree.tree import BodyList, Tree
from .aba import HeldJoints, articulated
from .kinematics import transforms


class LoopRow(NamedTuple):
    """A row: wrenches by body, in its own axes, forces by joint, and its right-hand side.

    Attributes:
        wrenches: F of each body that it acts on.
        forces: j of each joint.
        b: what F.a + j.qdd is to be, for a figure at rest.
        last: the joint nearest to the root that it moves with.
    """

    wrenches: Mapping[int, Force]
    forces: Mapping[int, Sequence[Scalar]]
    b: Scalar
    last: int


class _Pivot(NamedTuple):
    """A term F w F^T of an inertia, in the form that joints' are taken out in."""

    w: Scalar

    def outer_terms(self, U: Forces) -> list[tuple[Force, Scalar]]:
        return [(U[0], self.w)]


def loop_recursion(
    tree: Tree, q, x: Sequence[Scalar], rows: Sequence[LoopRow], held: HeldJoints = NOTHING
) -> tuple:
    """(qdd, multipliers, f): M qdd = x + G^T multipliers + f, G qdd = b, with G rows of joints.

    f are forces at coordinates that are held, by joint.
    """
    Xup, S = transforms(tree, q)
    U, D, u, a, y = tree.lists(5)
    tau, p, many = tree.forces(x), tree.no_wrenches(), range(len(rows))
    F: list[dict[int, Force]] = [{} for _ in range(tree.nb + 1)]  # of rows, by body
    for r, row in enumerate(rows):
        for i, f in row.wrenches.items():
            F[i][r] = F[i].get(r, Force()) + f
    c: list[Scalar] = [row.b for row in rows]
    s: dict[tuple[int, int], Scalar] = {}
    alone: list[Scalar] = [0.0 for _ in many]
    shares: dict[int, dict[int, tuple[tuple, tuple]]] = {}
    closed: dict[int, list[tuple]] = {}
    IA = BodyList(I.articulated() for I in tree.I)
    for i, _ in articulated(tree, Xup, S, IA, U, D, held=held):
        k = tree.parent[i]
        u[i] = tuple(t - g for t, g in zip(tau[i], S[i].dot(p[i]), strict=True))
        own, (given, _) = {}, D[i].solve_held(u[i], held.get(i, NOTHING))
        shares[i] = own
        for r, row in enumerate(rows):
            if r in F[i] or i in row.forces:
                e = S[i].dot(F[i].get(r, Force()))
                e = tuple(map(sum, zip(e, row.forces.get(i, (0.0,) * len(e)), strict=True)))
                own[r] = e, D[i].solve(e)
        for r, (e, z) in own.items():
            for t, (g, _) in own.items():
                if t <= r:
                    s[r, t] = s.get((r, t), 0.0) + dot(z, g)
            alone[r] = alone[r] + dot(z, e)
            c[r] = c[r] - dot(e, given)
            if k:
                f = Xup[i].T @ (F[i].get(r, Force()) - U[i] * z)
                F[k][r] = F[k].get(r, Force()) + f
        p[k] = p[k] + Xup[i].T @ (p[i] + U[i] * given)
        closed[i] = [_closed(r, rows, k, F, IA, p, c, s, alone) for r in many if rows[r].last == i]
    multipliers: list[Scalar] = [0.0 for _ in many]
    a[0], push = Motion(), {}
    for i in tree.bodies:
        k = tree.parent[i]
        for r, w, f, right, others in reversed(closed[i]):
            left = right - a[k].dot(f) if k else right
            multipliers[r] = w * (left - total(z * multipliers[t] for t, z in others.items()))
        a[i] = Xup[i] @ a[k]
        pull = list(u[i])
        for r, (e, _) in shares[i].items():
            pull = [g + z * multipliers[r] for g, z in zip(pull, e, strict=True)]
        rest = [g - t for g, t in zip(pull, U[i].dot(a[i]), strict=True)]
        y[i], push[i] = D[i].solve_held(rest, held.get(i, NOTHING))
        a[i] = a[i] + S[i] * y[i]
    return y, multipliers, push


def _closed(r: int, rows, k: int, F, IA, p, c, s, alone) -> tuple:
    """Eliminate a row at the body k that all of it hangs on: (r, 1/s, F, c, s of others)."""
    pivot = s.pop((r, r))
    fine = pivot > TINY * alone[r] + NOISE
    w = where(fine, divide(1.0, where(fine, pivot, 1.0)), 0.0)
    others = {t if g == r else g: s.pop((g, t)) for g, t in list(s) if r in (g, t)}
    f, right = F[k].pop(r, Force()) if k else Force(), c[r]
    for t, z in others.items():
        c[t] = c[t] - z * w * right
        for g, x in others.items():
            if g <= t:
                s[t, g] = s.get((t, g), 0.0) - z * w * x
        if k:
            F[k][t] = F[k].get(t, Force()) - f * (z * w)
    if k:
        IA[k] = IA[k].without(Forces((f,)), _Pivot(-w))  # type: ignore[arg-type]
        p[k] = p[k] - f * (w * right)
    return r, w, f, right, others
