"""Forces that motions of one joint make at another: what M, C and the derivatives share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .._spatial.motions import Force, Forces, Motion, Subspace
from .._tree.tree import BodyList, JointMatrix, Tree


class Moved(NamedTuple):
    """What a small change of one joint coordinate does to the bodies behind the joint.

    Seen from the body that the joint moves, all of them gain the velocity `u` and the acceleration
    `A`, and those before the joint feel the force `f` besides.
    """

    A: Motion
    u: Motion = Motion()
    f: Force = Force()


def coupling(
    tree: Tree, Xup: BodyList, S: BodyList, IC: BodyList, BC: BodyList, moved: Sequence[BodyList]
) -> list[JointMatrix]:
    """Joint forces at i by coordinates of j: S_i . (I A_j + B u_j), for each kind of change.

    I and B are those of all bodies behind both joints. A force on the way to the base is carried
    from body to body; a motion on the way to the leaves is not: the force that body i feels from
    it, (I S_i) . A + (B^T S_i) . u, is carried to the motion instead (SRW22).
    """
    H = [JointMatrix() for _ in moved]
    for i in reversed(tree.bodies):
        own = [Forces(IC[i] @ m.A + BC[i] @ m.u for m in each[i]) for each in moved]
        for k, F in enumerate(own):
            H[k][i, i] = S[i].dot(F)
        up = [
            Forces(F + m.f for F, m in zip(Fs, each[i], strict=True))
            for Fs, each in zip(own, moved, strict=True)
        ]
        W, Y = IC[i] @ S[i], Forces(BC[i].transpose_apply(s) for s in S[i])
        below = i
        for j in tree.ancestors(tree.parent[i]):
            X = Xup[below].T
            up, W, Y, below = [X @ F for F in up], X @ W, X @ Y, j
            for k, F in enumerate(up):
                H[k][j, i] = S[j].dot(F)
                A, u = (Subspace(getattr(m, x) for m in moved[k][j]) for x in ("A", "u"))
                H[k][i, j] = plus(W.dot(A), Y.dot(u))
    return H


def plus(a, b):
    """a + b of two blocks."""
    return tuple(
        tuple(x + y for x, y in zip(*rows, strict=True)) for rows in zip(a, b, strict=True)
    )
