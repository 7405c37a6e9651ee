"""Derivatives of forward dynamics by recursion, for long figures."""

from __future__ import annotations

from .._spatial.motions import Force, Forces, Motion, Subspace
from .._spatial.transform import Transform
from .._spatial.vectors import Vec3
from .._tree.tree import BodyList, Shaped, Tree
from .aba import aba, articulated
from .coupling import Moved
from .small_moves import small_moves


def articulated_derivatives(tree: Tree, q, qd, tau, f_ext) -> tuple[list, list, list]:
    """(dqdd/dq, dqdd/dqd, dqdd/dtau): a column is what a figure at rest does when forces act on it.

    The forces are those that keep qdd while a joint coordinate changes (CM18 eq. 11), with the
    sign turned. Bodies behind that joint gain A and u all alike, as `Moved` says, so the force
    they hand on is IA A + BA u, with the articulated inertia IA (RBDA 7.2) and with BA, which sums
    up Coriolis forces in the same way. All is seen from the base, so that nothing is carried from
    frame to frame: a joint and a column meet in some thirty operations.
    """
    qdd = aba(tree, q, qd, tau, f_ext)
    Xup, S, dS, f, B, by_q, by_qd, _ = small_moves(tree, q, qd, qdd, f_ext)
    still = BodyList(Transform() for _ in tree.parent)
    X, IA, BA, U, D = tree.lists(5)
    X[0], IA[0], BA[0] = Transform(), tree.I[0].articulated(), _matrix(B[0])
    turned = BodyList(dS)
    for i in tree.bodies:
        X[i] = Xup[i] @ X[tree.parent[i]]
        IA[i] = (X[i].T @ tree.I[i] @ X[i]).articulated()
        BA[i] = _matrix(X[i].T @ B[i] @ X[i])
        turned[i] = [ds.dot(f[i]) for ds in dS[i]]
        base = X[i].inverse()
        S[i] = base @ S[i]
        for each in (by_q, by_qd):
            each[i] = [Moved(base @ m.A, base @ m.u, base @ m.f) for m in each[i]]
    chain = _Chain(tree, S, U, D)
    for i, _ in articulated(tree, still, S, IA, U, D):
        chain.W[i], chain.V[i] = Subspace(D[i].solve(S[i])), Forces(D[i].solve(U[i]))
        Y = [S[i].dot(F) for F in BA[i]]
        chain.Y[i] = Forces(D[i].solve([_force(row) for row in zip(*Y, strict=True)]))
        rest = (F - U[i] * D[i].solve(y) for F, y in zip(BA[i], Y, strict=True))
        BA[tree.parent[i]] = Forces(F + G for F, G in zip(BA[tree.parent[i]], rest, strict=True))
    columns: tuple[list, ...] = [], [], []
    for j in tree.bodies:
        for k in range(len(S[j])):
            for found, m, t in (
                (columns[0], by_q[j][k], turned[j][k]),
                (columns[1], by_qd[j][k], tree.zero(j)),
            ):
                F = -(IA[j] @ m.A) - BA[j] * (*m.u.ang, *m.u.lin)
                x = [s - y for s, y in zip(S[j].dot(F), t, strict=True)]
                found.append(chain.column(j, F - m.f, x, m))
            unit = [1.0 if n == k else 0.0 for n in range(len(S[j]))]
            columns[2].append(chain.column(j, Force(), unit, None))
    n = range(tree.nv)
    tau_rows = [[columns[2][max(r, c)][min(r, c)] for c in n] for r in n]  # symmetric
    rows = ([[column[r] for column in each] for r in n] for each in columns[:2])
    by_q, by_qd, by_tau = (Shaped(each, (tree.nv, tree.nv)) for each in (*rows, tau_rows))
    return by_q, by_qd, by_tau


class _Chain:
    """What all columns share: of each joint S, U = IA S, D, and D^-1 times S, U and BA^T S."""

    def __init__(self, tree: Tree, S: BodyList, U: BodyList, D: BodyList) -> None:
        self.tree, self.S, self.U, self.D = tree, S, U, D
        self.W, self.V, self.Y = tree.lists(3)

    def column(self, j: int, F: Force, x: list, moved: Moved | None) -> list:
        """Accelerations when F acts on body j, and joint j itself feels x.

        Bodies behind the joint move as in `moved`, if at all; else those beyond it are left out.
        """
        tree, S, U, V = self.tree, self.S, self.U, self.V
        z: dict[int, tuple] = {j: self.D[j].solve(x)}
        F = F - U[j] * z[j]
        for i in tree.stretches(list(tree.ancestors(tree.parent[j]))):
            z[i] = self.W[i].dot(F)
            F = F - U[i] * z[i]
        a: dict[int, Motion] = {0: Motion()}
        behind: set[int] = set()
        A, u = (moved.A, -moved.u) if moved else (Motion(), Motion())
        found: list = []
        for i in tree.stretches(range(1, len(tree.parent) if moved else j + 1)):
            p = tree.parent[i]
            if p == j or p in behind:
                behind.add(i)
            start = z.get(i) or (self.Y[i].dot(u) if i in behind else tree.zero(i))
            rate = [s - y for s, y in zip(start, V[i].dot(a[p]), strict=True)]
            a[i] = a[p] + S[i] * rate
            if i == j:
                a[i] = a[i] + A
            found += rate
        return found


def _matrix(B) -> Forces:
    """The columns of a map from motions to forces."""
    axes = [Vec3(*(1.0 if n == k else 0.0 for n in range(3))) for k in range(3)]
    return Forces(B @ m for m in (*(Motion(e) for e in axes), *(Motion(Vec3(), e) for e in axes)))


def _force(six) -> Force:
    return Force(Vec3(*six[:3]), Vec3(*six[3:]))
