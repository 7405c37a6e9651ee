"""Derivatives of M, C and g by the state, each entry by each coordinate."""

from __future__ import annotations

from .._spatial.motions import Motion, Subspace
from .._tree.subspace_derivatives import subspace_dot_dq, subspace_dq
from .._tree.tree import JointTensor, Tree
from .closed_form import Moving, moving
from .closed_form_changes import Change, changed


def closed_form_dq(tree: Tree, q, qd) -> dict:
    """Derivatives of M, C and g by q, which is the last axis (G13 24a, 24b, 24d, 33)."""
    figure = moving(tree, q, qd)
    M, C, g = changed(tree, figure, {i: _by_q(tree, figure, q, qd, i) for i in tree.bodies})
    return {"M": M, "C": C, "g": g}


def closed_form_dqd(tree: Tree, q, qd) -> JointTensor:
    """Derivative of C by qd, which is the last axis (G13 24c). C is linear in qd."""
    figure = moving(tree, q, qd)
    return changed(tree, figure, {i: _by_qd(tree, figure, q, i) for i in tree.bodies})[1]


def _by_q(tree: Tree, figure: Moving, q, qd, i: int) -> list[Change]:
    """The bodies behind joint i are moved along each column of S."""
    joint, v, changes = tree.joint[i], figure.v[i], []
    vp = figure.Xup[i] @ figure.v[tree.parent[i]]
    slopes = zip(subspace_dq(joint, q[i]), subspace_dot_dq(joint, q[i], qd[i]), strict=True)
    for s, (dS, dSd) in zip(figure.S[i], slopes, strict=True):
        u = vp.cross(s) + dS * qd[i]
        dSdot = Subspace(dd + v.cross(d) for d, dd in zip(dS, dSd, strict=True))
        changes.append(Change(s, u, dS, dSdot))
    return changes


def _by_qd(tree: Tree, figure: Moving, q, i: int) -> list[Change]:
    """The bodies behind joint i gain each column of S in velocity."""
    still = Subspace(Motion() for _ in figure.S[i])
    slopes = zip(figure.S[i], subspace_dq(tree.joint[i], q[i]), strict=True)
    return [Change(Motion(), s, still, dS) for s, dS in slopes]
