"""What small variations at a joint do while all bodies behind it give way."""

from __future__ import annotations

from typing import NamedTuple

from .._spatial.motions import Force, Forces, Motion, Subspace
from .._spatial.scalar import Scalar
from .._spatial.transform import Transform
from .._tree.tree import BodyList, Tree
from .aba import aba, articulated
from .state_variations import state_variations


class ArticulatedVariation(NamedTuple):
    """A small change at one joint, while its parent is held.

    The joint answers with `rate` less `along`, the bodies behind it gain the velocity `u` and the
    acceleration `A` besides `rate`, and its parent feels the force `F`.
    """

    rate: tuple[Scalar, ...]
    F: Force
    A: Motion
    u: Motion
    along: tuple[Scalar, ...]


def articulated_variations(tree: Tree, q, qd, tau, f_ext) -> tuple[BodyList, ...]:
    """S, V, Y, and the variations by q, qd and tau of each joint, seen from the tree's first body.

    Bodies that give way hand on Ia a + Ba v of a `Variation`, with the articulated inertia Ia
    (RBDA 7.43), and with Ba, which sums up Coriolis forces in the same way. When body p moves with
    acceleration a and velocity u, the joint behind it answers with -V . a - Y . u.

    A motion along the joint's own is taken back by the joint: nothing else feels it. Of a free
    body nothing else is left when it is moved as a whole.
    """
    qdd = aba(tree, q, qd, tau, f_ext)
    Xup, S, dS, f, B, by_q, by_qd, _ = state_variations(tree, q, qd, qdd, f_ext)
    IA = BodyList(I.articulated() for I in tree.I)
    BA = BodyList(b.articulated() for b in B)
    X, U, D, V, Y, variations = tree.lists(6)
    for i, Ia in articulated(tree, Xup, S, IA, U, D):
        p = tree.parent[i]
        V[i] = Forces(D[i].solve(U[i]))
        Y[i] = Forces(D[i].solve([BA[i].transpose_apply(s) for s in S[i]]))
        Ba = BA[i].without(U[i], Y[i])
        if p:
            BA[p] = BA[p] + Xup[i].T @ Ba @ Xup[i]
        turned, rest = [ds.dot(f[i]) for ds in dS[i]], [tree.zero(i)] * len(S[i])
        variations[i] = [], [], []
        for found, each, torques in zip(
            variations[i], (by_q[i], by_qd[i]), (turned, rest), strict=False
        ):
            for d, t in zip(each, torques, strict=True):
                along = _along(S[i], d.a)
                A = d.a - S[i] * along
                t = (x - k * y for x, k, y in zip(t, tree.armature[i], along, strict=True))
                e = D[i].solve(list(t))
                rate = zip(V[i].dot(A), Y[i].dot(d.v), e, strict=True)
                F = Ia @ A + Ba @ d.v + d.f - U[i] * e
                found.append(
                    ArticulatedVariation(tuple(-(x + y + z) for x, y, z in rate), F, A, d.v, along)
                )
        for n, F in enumerate(V[i]):
            unit = [1.0 if n == k else 0.0 for k in range(len(S[i]))]
            variations[i][2].append(
                ArticulatedVariation(D[i].solve(unit), F, Motion(), Motion(), tree.zero(i))
            )
    for i in tree.bodies:
        p = tree.parent[i]
        X[i] = Xup[i] @ X[p] if p else Transform()
        back, forces = X[i].inverse(), X[i].T
        S[i], V[i], Y[i] = back @ S[i], forces @ V[i], forces @ Y[i]
        variations[i] = [
            [c._replace(F=forces @ c.F, A=back @ c.A, u=back @ c.u) for c in each]
            for each in variations[i]
        ]
    return S, V, Y, variations


def _along(S: Subspace, m: Motion) -> tuple[Scalar, ...]:
    """The part of a motion along each of those joint motions that are axes of the frame."""
    found: list[Scalar] = []
    for s in S:
        pairs = list(zip((*s.ang, *s.lin), (*m.ang, *m.lin), strict=True))
        fixed = all(isinstance(x, float) for x, _ in pairs)
        axis = fixed and sorted(abs(x) for x, _ in pairs) == [0.0] * 5 + [1.0]
        found.append(sum(x * y for x, y in pairs if x) if axis else 0.0)
    return tuple(found)
