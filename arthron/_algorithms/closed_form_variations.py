"""Derivatives of M, C and g by one coordinate at a time: d_h M, d_h C, d_h g of G13 24."""

from __future__ import annotations

from typing import Any, NamedTuple

from .._spatial.gyroscopic import GyroscopicInertia
from .._spatial.motions import Forces, Motion, Subspace
from .._spatial.sums import add_blocks
from .._spatial.transform import Transform
from .._tree.tree import JointColumns, JointMatrix, JointTensor, Tree
from .closed_form import Moving, coriolis_forces


class JointVariation(NamedTuple):
    """A small change by one coordinate of joint h, seen from a body behind it.

    The bodies behind h are moved by `s` as one, and their velocities, each in its own axes, change
    by `u`. In the axes of the joint's own body S changes by `dS`, and its rate of change Sdot by
    `dSdot` more than the u x S that comes of u.
    """

    s: Motion
    u: Motion
    dS: Subspace
    dSdot: Subspace

    def seen_from(self, X: Transform) -> JointVariation:
        """The same in the axes of a body that X leads to."""
        return JointVariation(X @ self.s, X @ self.u, X @ self.dS, X @ self.dSdot)


class Differentials(NamedTuple):
    """Blocks of d_h M, d_h C and d_h g: of two joints, of two joints, of one."""

    M: dict[tuple[int, ...], Any]
    C: dict[tuple[int, ...], Any]
    g: dict[tuple[int, ...], Any]


def closed_form_differentials(
    tree: Tree, motion: Moving, variations: dict[int, list[JointVariation]]
) -> tuple[JointTensor, JointTensor, JointMatrix]:
    """d_h M, d_h C and d_h g, stacked over the coordinates of each joint h.

    M_ij = S_i . I S_j and C_ij = S_i . (I Sdot_j + B S_j), with I and B summed over the bodies
    behind both joints; see `closed_form`.
    """
    totals = JointTensor(), JointTensor(), JointMatrix()
    J, Jdot = motion.columns(tree)
    for h, each in variations.items():
        parts = []
        for d_h in each:
            at, d = {h: d_h}, _of_ancestors(motion, J[h], Jdot[h], h, d_h)
            _of_descendant(motion, J[h], Jdot[h], h, h, d_h, d)
            for k in range(h + 1, tree.nb + 1):
                if tree.parent[k] in at:
                    at[k] = at[tree.parent[k]].seen_from(motion.Xup[k])
                    _of_descendant(motion, J[k], Jdot[k], h, k, at[k], d)
            parts.append(d)
        for total, blocks in zip(totals, zip(*parts, strict=True), strict=True):
            for key in blocks[0]:
                total[(*key, h)] = _as_last_axis([block[key] for block in blocks])
    return totals


def _of_ancestors(
    motion: Moving, J: JointColumns, Jdot: JointColumns, h: int, d_h: JointVariation
) -> Differentials:
    """Pairs i, j of joints before h, by d_h I = s x* I - I s x, d_h B = s x* B - B s x + u x* I."""
    of = GyroscopicInertia.of
    I, B = motion.IC[h], motion.BC[h] + of(motion.IC[h], motion.v[h])
    dI, dB = of(I, d_h.s).rate(), B.derivative_along(d_h.s) + of(I, d_h.u)
    d = Differentials({}, {}, {})
    for j in list(J)[:-1]:
        dF = Forces(dI @ s for s in J[j])
        dG = Forces(dI @ sdot + dB @ s for s, sdot in zip(J[j], Jdot[j], strict=True))
        d.g[(j,)] = dF.dot(motion.gamma[h])
        for i in list(J)[:-1]:
            d.C[i, j] = J[i].dot(dG)
            if i <= j:
                d.M[i, j], d.M[j, i] = J[i].dot(dF), dF.dot(J[i])
    return d


def _of_descendant(
    motion: Moving, J: JointColumns, Jdot: JointColumns, h: int, k: int, d_h: JointVariation,
    d: Differentials,
) -> None:  # fmt: skip
    """Joint k, which is h or behind it, with itself and all before it, in the axes of body k.

    Seen from there, I and the motions of joints behind h stay as they are, and those of joints
    before h are left behind: a column s_j changes by -s x s_j. Of joints behind h, C changes by u
    alone, and as M does not, antisymmetrically.
    """
    I, v, S = motion.IC[k], motion.v[k], motion.S[k]
    B = motion.BC[k] + GyroscopicInertia.of(I, v)
    F, G = I @ S, coriolis_forces(I, motion.BC[k], v, S, motion.Sd[k])
    N = Forces(B.transpose_apply(s) for s in S)
    still = Subspace(Motion() for _ in S)
    dS, dSdot = (d_h.dS, d_h.dSdot) if k == h else (still, still)
    dF, dG, dN, U = [], [], [], []
    for s, ds, dsdot, f, g, n in zip(S, dS, dSdot, F, G, N, strict=True):
        Ius = I @ d_h.u.cross(s)
        U.append(Ius + d_h.u.cross(f) + I @ dsdot + B @ ds)
        dF.append(d_h.s.cross(f) + I @ ds)
        dG.append(d_h.s.cross(g) + U[-1])
        dN.append(d_h.s.cross(n) - Ius + B.transpose_apply(ds))
    dF, dG, dN = Forces(dF), Forces(dG), Forces(dN)
    d.g[(k,)] = dF.dot(motion.gamma[k])
    for j in J:
        if j < h:
            d.M[j, k], d.M[k, j] = J[j].dot(dF), dF.dot(J[j])
            d.C[j, k], d.C[k, j] = J[j].dot(dG), add_blocks(dF.dot(Jdot[j]), dN.dot(J[j]))
        else:
            d.C[k, j], d.C[j, k] = Forces(-u for u in U).dot(J[j]), J[j].dot(Forces(U))
    d.C[h, k] = add_blocks(d.C[h, k], d_h.dS.dot(G))
    if k == h:
        d.M[h, h] = add_blocks(S.dot(I @ dS), dS.dot(F))
    else:
        d.M[h, k], d.M[k, h] = d_h.dS.dot(F), F.dot(d_h.dS)
        d.C[k, h] = add_blocks(d.C[k, h], add_blocks(F.dot(d_h.dSdot), N.dot(d_h.dS)))


def _as_last_axis(blocks: list) -> tuple:
    """One block of nested tuples from several, entry by entry."""
    if isinstance(blocks[0], tuple):
        return tuple(_as_last_axis(list(parts)) for parts in zip(*blocks, strict=True))
    return tuple(blocks)
