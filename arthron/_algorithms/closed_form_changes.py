"""What a small change of the state does to M, C and g."""

from __future__ import annotations

from typing import Any, NamedTuple

from .._spatial.gyroscopic import GyroscopicInertia
from .._spatial.motions import Forces, Motion, Subspace
from .._spatial.transform import Transform
from .._tree.tree import JointColumns, JointMatrix, JointTensor, Tree
from .closed_form import Moving, coriolis_forces
from .coupling import plus


class Change(NamedTuple):
    """A small change by one coordinate of a joint.

    The bodies behind it are moved by `s` as one, and their velocities, each in its own axes, change
    by `u`. In the axes of the joint's own body S changes by `dS`, and its rate of change Sdot by
    `dSdot` more than the u x S that comes of u.
    """

    s: Motion
    u: Motion
    dS: Subspace
    dSdot: Subspace

    def seen_from(self, X: Transform) -> Change:
        """The same in the axes of a body that X leads to."""
        return Change(X @ self.s, X @ self.u, X @ self.dS, X @ self.dSdot)


class Changed(NamedTuple):
    """Blocks of the changes of M, C and g: by two joints, by two joints, by one."""

    M: dict[tuple[int, ...], Any]
    C: dict[tuple[int, ...], Any]
    g: dict[tuple[int, ...], Any]


def changed(
    tree: Tree, figure: Moving, changes: dict[int, list[Change]]
) -> tuple[JointTensor, JointTensor, JointMatrix]:
    """Derivatives of M, C and g by coordinates, from what those of each joint change.

    M = S_i . I S_j and C = S_i . (I Sdot_j + B S_j), summed over the bodies behind both joints; see
    `closed_form`.
    """
    totals = JointTensor(), JointTensor(), JointMatrix()
    J, Jdot = figure.columns(tree)
    for h, each in changes.items():
        parts = []
        for change in each:
            at, part = {h: change}, _before(figure, J[h], Jdot[h], h, change)
            _behind(figure, J[h], Jdot[h], h, h, change, part)
            for k in range(h + 1, tree.nb + 1):
                if tree.parent[k] in at:
                    at[k] = at[tree.parent[k]].seen_from(figure.Xup[k])
                    _behind(figure, J[k], Jdot[k], h, k, at[k], part)
            parts.append(part)
        for total, blocks in zip(totals, zip(*parts, strict=True), strict=True):
            for key in blocks[0]:
                total[(*key, h)] = _as_last_axis([block[key] for block in blocks])
    return totals


def _before(figure: Moving, J: JointColumns, Jdot: JointColumns, h: int, by: Change) -> Changed:
    """Pairs of joints before h: I and B of what is behind h change as h moves it."""
    of = GyroscopicInertia.of
    I, B = figure.IC[h], figure.BC[h] + of(figure.IC[h], figure.v[h])
    dI, dB = of(I, by.s).rate(), B.moved(by.s) + of(I, by.u)
    to = Changed({}, {}, {})
    for j in list(J)[:-1]:
        dF = Forces(dI @ s for s in J[j])
        dG = Forces(dI @ sdot + dB @ s for s, sdot in zip(J[j], Jdot[j], strict=True))
        to.g[(j,)] = dF.dot(figure.gamma[h])
        for i in list(J)[:-1]:
            to.C[i, j] = J[i].dot(dG)
            if i <= j:
                to.M[i, j], to.M[j, i] = J[i].dot(dF), dF.dot(J[i])
    return to


def _behind(
    figure: Moving, J: JointColumns, Jdot: JointColumns, h: int, k: int, by: Change, to: Changed
) -> None:
    """Joint k, which is h or behind it, with itself and all before it, in the axes of body k.

    Seen from there, I and the motions of joints behind h stay as they are, and those of joints
    before h are left behind: a column s changes by -by.s x s. Of joints behind h, C changes by u
    alone, and as M does not, antisymmetrically.
    """
    I, v, S = figure.IC[k], figure.v[k], figure.S[k]
    B = figure.BC[k] + GyroscopicInertia.of(I, v)
    F, G = I @ S, coriolis_forces(I, figure.BC[k], v, S, figure.Sd[k])
    N = Forces(B.turned(s) for s in S)
    still = Subspace(Motion() for _ in S)
    dS, dSdot = (by.dS, by.dSdot) if k == h else (still, still)
    dF, dG, dN, U = [], [], [], []
    for s, ds, dsdot, f, g, n in zip(S, dS, dSdot, F, G, N, strict=True):
        turned = I @ by.u.cross(s)
        U.append(turned + by.u.cross(f) + I @ dsdot + B @ ds)
        dF.append(by.s.cross(f) + I @ ds)
        dG.append(by.s.cross(g) + U[-1])
        dN.append(by.s.cross(n) - turned + B.turned(ds))
    dF, dG, dN = Forces(dF), Forces(dG), Forces(dN)
    to.g[(k,)] = dF.dot(figure.gamma[k])
    for j in J:
        if j < h:
            to.M[j, k], to.M[k, j] = J[j].dot(dF), dF.dot(J[j])
            to.C[j, k], to.C[k, j] = J[j].dot(dG), plus(dF.dot(Jdot[j]), dN.dot(J[j]))
        else:
            to.C[k, j], to.C[j, k] = Forces(-u for u in U).dot(J[j]), J[j].dot(Forces(U))
    to.C[h, k] = plus(to.C[h, k], by.dS.dot(G))
    if k == h:
        to.M[h, h] = plus(S.dot(I @ dS), dS.dot(F))
    else:
        to.M[h, k], to.M[k, h] = by.dS.dot(F), F.dot(by.dS)
        to.C[k, h] = plus(to.C[k, h], plus(F.dot(by.dSdot), N.dot(by.dS)))


def _as_last_axis(blocks: list) -> tuple:
    """One block of nested tuples from several, entry by entry."""
    if isinstance(blocks[0], tuple):
        return tuple(_as_last_axis(list(parts)) for parts in zip(*blocks, strict=True))
    return tuple(blocks)
