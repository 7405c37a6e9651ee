"""Derivatives of forward dynamics by recursion, for floating and for long figures."""

from __future__ import annotations

from collections.abc import Sequence

from .._spatial.motions import Forces, Motion
from .._tree.tree import BodyList, Shaped, Tree
from .articulated_variations import ArticulatedVariation, articulated_variations


def articulated_derivatives(tree: Tree, q, qd, tau, f_ext) -> tuple[list, list, list]:
    """(dqdd/dq, dqdd/dqd, dqdd/dtau): columns are what a figure at rest does when a joint changes.

    The changes are forces that keep qdd while q or qd of the joint moves (CM18 eq. 11), or a unit
    of tau. Joints before it answer to the force that it sends them, joints elsewhere only to the
    acceleration of the last body on their way that they share with it: six products each.
    """
    S, V, Y, variations = articulated_variations(tree, q, qd, tau, f_ext)
    figure = _Passive(tree, S, V, Y)
    columns: tuple[list, ...] = [], [], []
    for j in tree.bodies:
        rows = tree.nb, tree.nb, j  # dqdd/dtau is symmetric: half of it will do
        answers = [
            [figure.answer(j, change, last) for change in each]
            for each, last in zip(variations[j], rows, strict=True)
        ]
        for found, each in zip(columns, answers, strict=True):
            found += (rates for rates, _ in each)
        figure.add(j, [a for _, a in answers[2]])
    n = range(tree.nv)
    tau_rows = [[columns[2][max(r, c)][min(r, c)] for c in n] for r in n]
    rows = ([[column[r] for column in each] for r in n] for each in columns[:2])
    by_q, by_qd, by_tau = (Shaped(each, (tree.nv, tree.nv)) for each in (*rows, tau_rows))
    return by_q, by_qd, by_tau


class _Passive:
    """A figure at rest without gravity, all of it seen from its first body.

    Attributes:
        P: for each body and each one before it, forces with -P . a the rates of the joint when the
            one before accelerates with a.
        Q: the same for a velocity u of that body and all behind it, -Q . u.
        N: for each body and each joint up to it, its acceleration by units of the joint's tau.
    """

    def __init__(self, tree: Tree, S: BodyList, V: BodyList, Y: BodyList) -> None:
        self.tree, self.S, self.V = tree, S, V
        self.P, self.Q, self.N = ([{} for _ in tree.parent] for _ in range(3))
        for i in tree.bodies:
            P, Q = V[i], Y[i]
            for k in tree.stretches(list(tree.ancestors(tree.parent[i]))):
                self.P[i][k], self.Q[i][k] = P, Q
                K = P.dot(S[k])
                P = Forces(F - V[k] * x for F, x in zip(P, K, strict=True))
                Q = Forces(F - Y[k] * x for F, x in zip(Q, K, strict=True))

    def add(self, j: int, own: Sequence[Motion]) -> None:
        """Go on to body j, `own` its accelerations by units of its own joint's tau."""
        S, V, before = self.S[j], self.V[j], self.N[self.tree.parent[j]]
        for k, units in before.items():
            self.N[j][k] = [a - S * V.dot(a) for a in units]
        self.N[j][j] = own

    def answer(self, j: int, change: ArticulatedVariation, last: int) -> tuple[list, Motion]:
        """Rates of the joints up to the last one, and the acceleration of body j."""
        tree, S, p = self.tree, self.S, self.tree.parent[j]
        a: dict[int, Motion] = {0: Motion()}
        rates: dict[int, Sequence] = {}
        for k, units in self.N[p].items():
            rates[k] = [-unit.dot(change.F) for unit in units]
            a[k] = a[tree.parent[k]] + S[k] * rates[k]
        rate = [x - y for x, y in zip(change.rate, self.V[j].dot(a[p]), strict=True)]
        a[j] = a[p] + S[j] * rate + change.A
        rates[j] = [x - y for x, y in zip(rate, change.along, strict=True)]
        shared = list(range(last + 1))
        found: list = []
        for i in tree.stretches(range(1, last + 1)):
            if i not in rates:
                c = shared[i] = shared[tree.parent[i]]
                rates[i] = [-x for x in self.P[i][c].dot(a[c])] if c else tree.zero(i)
                if c == j:
                    lag = self.Q[i][c].dot(change.u)
                    rates[i] = [x - y for x, y in zip(rates[i], lag, strict=True)]
            found += rates[i]
        return found, a[j]
