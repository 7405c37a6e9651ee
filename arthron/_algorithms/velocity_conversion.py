"""From velocities of bodies to those of joints, and back (LJ12 §6.1).

Least squares are by normal equations. They add (rad/s)^2 and (m/s)^2 as plain numbers, unless they
are weighted, and they need joints that are not singular: where motions of a joint line up, as at
the pole of Euler angles, results are large or NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .._pages.takes import takes
from .._spatial.inertia import ArticulatedInertia
from .._spatial.linear_algebra import Ldl
from .._spatial.motions import Force, Forces, Motion, Subspace
from .._spatial.scalar import Scalar, where
from .._spatial.vectors import Mat3, Vec3
from .._tree.tree import BodyList, JointColumns, Tree
from .._tree.unattached import unattached_rates
from .crba import crba
from .kinematics import transforms
from .kinematics import velocities as reached
from .products import of_wrenches, six_vectors


def joint_jacobians(tree: Tree, q) -> BodyList:
    """J^ of each joint: its own motion in the axes of the parent, at the body (LJ12 52, 63).

    nb x 6 x nv, [angular; linear] = R S in the columns of the joint and zero in others. The angular
    rows are those that LJ12 has for three Euler angles (52) and for a rotation vector (54).
    """
    Xup, S = transforms(tree, q)
    J = BodyList(JointColumns() for _ in tree.parent)
    for i in tree.bodies:
        R = Xup[i].R
        J[i][i] = Subspace(Motion(R @ m.ang, R @ m.lin) for m in S[i])
    return J


@takes(velocities=("nb", 6))
def generalized_velocities(tree: Tree, q, velocities) -> tuple[BodyList, BodyList]:
    """The qd of given body velocities, joint by joint, and what they miss (LJ12 62, 66).

    Each joint takes S^+ of the twist of its body less that of the parent. The residual is zero if
    and only if joints can move bodies so; if they cannot, `generalized_velocities_least_squares`
    comes closest, and this does not. `velocities` are nb x 6, the twist of each body in its own
    axes, as `Model.body_velocities`, and so is the residual: velocities at that qd less the given
    ones. A joint that follows another moves as that one does; its own given velocity only shows in
    the residual.
    """
    Xup, S = transforms(tree, q)
    v = six_vectors(Motion, velocities)
    qd = BodyList([tree.zero(0), *(() for _ in tree.bodies)])
    for i in tree.bodies:
        s, StS = normal(S[i])
        qd[i] = StS.solve(s.dot(v[i] - Xup[i] @ v[tree.parent[i]]))
    qd[0] = unattached_rates(tree, qd)
    return _with_residual(tree, q, tree.vector(qd), v)


@takes(velocities=("nb", 6), weights=("nb", 6))
def generalized_velocities_least_squares(
    tree: Tree, q, velocities, weights
) -> tuple[BodyList, BodyList]:
    """The qd that bring J qd closest to given body velocities, and what they miss (LJ12 61).

    Velocities and residual are those of `generalized_velocities`. The sum of squares of the
    residual, each times its weight, is the least there is. What has weight zero is not known: it
    is not read, and its residual is zero. Any n independent rows J' of J are enough (LJ12 §6.1);
    fewer give large numbers or NaN.
    """
    rows = zip(velocities, weights, strict=True)
    known = [[where(w > 0.0, x, 0.0) for x, w in zip(*row, strict=True)] for row in rows]
    v, W = six_vectors(Motion, known), [ArticulatedInertia(*_diagonal(w)) for w in _rows(weights)]
    Jtv = of_wrenches(tree, q, BodyList(B @ m for B, m in zip(W, v, strict=True)))
    H = crba(replace(tree, I=tuple(W), armature=tree.at_rest()), q)  # J^T W J
    qd, off = _with_residual(tree, q, Ldl(tree.matrix(H)).solve(tree.vector(Jtv)), v)
    return qd, BodyList(_masked(m, w) for m, w in zip(off, _rows(weights), strict=True))


def normal(S: Subspace) -> tuple[Forces, Ldl]:
    """The columns of S as wrenches, and S^T S factored."""
    s = Forces(Force(*m) for m in S)
    return s, Ldl(S.dot(s))


def _with_residual(tree: Tree, q, qd, v: BodyList) -> tuple[BodyList, BodyList]:
    rates = tree.rates(qd)
    return rates, BodyList(a - b for a, b in zip(reached(tree, q, rates), v, strict=True))


def _rows(weights) -> list[Sequence[Scalar]]:
    """Six numbers a body, and zeros for the base."""
    return [(0.0,) * 6, *weights]


def _diagonal(w: Sequence[Scalar]) -> tuple[Mat3, Mat3, Mat3]:
    """Blocks of the 6 x 6 matrix that has w on its diagonal."""
    return Mat3.diagonal(*w[:3]), Mat3.diagonal(0.0, 0.0, 0.0), Mat3.diagonal(*w[3:])


def _masked(m: Motion, w: Sequence[Scalar]) -> Motion:
    """A twist, and zero where the weight is."""
    six = [where(k > 0.0, x, 0.0) for x, k in zip((*m.ang, *m.lin), w, strict=True)]
    return Motion(Vec3(*six[:3]), Vec3(*six[3:]))
