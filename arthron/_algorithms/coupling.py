"""Forces that motions of one joint make at another: what M, C and the derivatives share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .._spatial.motions import Force, Forces, Motion, Subspace
from .._spatial.sums import add_blocks
from .._tree.tree import BodyList, JointMatrix, Tree


class Variation(NamedTuple):
    """What a small change of one joint coordinate does to the bodies behind the joint (SRW22).

    Seen from the body that the joint moves, the force I a + B v is on each of them, and those
    before the joint feel the force f besides. By q, that is I Psiddot + 2 B Psidot, and S x* f; by
    qd, I (Psidot + Sdot) + 2 B S; by qdd, I S.
    """

    a: Motion
    v: Motion = Motion()
    f: Force = Force()


def coupling(
    tree: Tree, Xup: BodyList, S: BodyList, IC: BodyList, BC: BodyList,
    variations: Sequence[BodyList],
) -> list[JointMatrix]:  # fmt: skip
    """Joint forces at i by coordinates of j: S_i . (IC a_j + BC v_j), for each kind of variation.

    IC and BC are those of all bodies behind both joints. A force on the way to the base is carried
    from body to body; a motion on the way to the leaves is not: the force that body i feels from
    it, (IC S_i) . a + (BC^T S_i) . v, is carried to the motion instead (SRW22).
    """
    H = [JointMatrix() for _ in variations]
    for i in reversed(tree.bodies):
        own = [Forces(IC[i] @ d.a + BC[i] @ d.v for d in each[i]) for each in variations]
        for k, F in enumerate(own):
            H[k][i, i] = S[i].dot(F)
        up = [
            Forces(F + d.f for F, d in zip(Fs, each[i], strict=True))
            for Fs, each in zip(own, variations, strict=True)
        ]
        W, Y = IC[i] @ S[i], Forces(BC[i].transpose_apply(s) for s in S[i])
        below = i
        for j in tree.ancestors(tree.parent[i]):
            X = Xup[below].T
            up, W, Y, below = [X @ F for F in up], X @ W, X @ Y, j
            for k, F in enumerate(up):
                H[k][j, i] = S[j].dot(F)
                a, v = (Subspace(getattr(d, x) for d in variations[k][j]) for x in ("a", "v"))
                H[k][i, j] = add_blocks(W.dot(a), Y.dot(v))
    return H
