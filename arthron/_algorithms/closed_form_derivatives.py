"""Derivatives of M, C and g by the state, each entry by each coordinate."""

from __future__ import annotations

from .._pages.differentiate import jacobian
from .._spatial.motions import Motion, Subspace
from .._tree.subspace_derivatives import subspace_dot_dq, subspace_dq
from .._tree.tree import JointTensor, Tree
from .closed_form import Moving, closed_form, moving
from .closed_form_variations import JointVariation, closed_form_differentials


def closed_form_dq(tree: Tree, q, qd) -> dict:
    """Derivatives of M, C and g by q, which is the last axis (G13 24a, 24b, 24d, 33)."""
    if tree.curved:
        return jacobian(closed_form, "q")(tree, q, qd)
    motion = moving(tree, q, qd)
    variations = {h: _by_q(tree, motion, q, qd, h) for h in tree.bodies if tree.joint[h].nv}
    M, C, g = closed_form_differentials(tree, motion, variations)
    return {"M": M, "C": C, "g": g}


def closed_form_dqd(tree: Tree, q, qd) -> JointTensor:
    """Derivative of C by qd, which is the last axis (G13 24c). C is linear in qd."""
    if tree.curved:
        return jacobian(closed_form, "qd")(tree, q, qd)["C"]
    motion = moving(tree, q, qd)
    variations = {h: _by_qd(tree, motion, q, h) for h in tree.bodies if tree.joint[h].nv}
    return closed_form_differentials(tree, motion, variations)[1]


def _by_q(tree: Tree, motion: Moving, q, qd, h: int) -> list[JointVariation]:
    """The bodies behind joint h are moved along each column of S."""
    joint, v, variations = tree.joint[h], motion.v[h], []
    vp = motion.Xup[h] @ motion.v[tree.parent[h]]
    slopes = zip(subspace_dq(joint, q[h]), subspace_dot_dq(joint, q[h], qd[h]), strict=True)
    for s, (dS, dSd) in zip(motion.S[h], slopes, strict=True):
        u = vp.cross(s) + dS * qd[h]
        dSdot = Subspace(dd + v.cross(d) for d, dd in zip(dS, dSd, strict=True))
        variations.append(JointVariation(s, u, dS, dSdot))
    return variations


def _by_qd(tree: Tree, motion: Moving, q, h: int) -> list[JointVariation]:
    """The bodies behind joint h gain each column of S in velocity."""
    still = Subspace(Motion() for _ in motion.S[h])
    slopes = zip(motion.S[h], subspace_dq(tree.joint[h], q[h]), strict=True)
    return [JointVariation(Motion(), s, still, dS) for s, dS in slopes]
