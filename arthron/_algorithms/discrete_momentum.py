"""Momenta at both ends of a step on which bodies move steadily, and their slope by its end.

In unit time each body moves its centre of mass straight and turns steadily. With w the rotation
vector of the turn, Ic the inertia about the centre of mass and L the left Jacobian of rotations,
its momentum is the same all the way in axes that stand still, those of where it starts:

    n = L(w)^-T Ic w,   f = m (c1 - c0)

A small displacement d of the end, a motion in these axes, changes that momentum p by

    dp = H d + 1/2 d x* p

where H is like the inertia of a rigid body half way. The second part is all that is not symmetric:
a step depends on the motion from its start to its end alone, and exp(a) exp(b) = exp(a + b +
1/2 [a, b] + ...). What hangs behind a joint moves as one body in a displacement of it, so that both
H and p add up, and the slope is a composite-rigid-body algorithm.
"""

from __future__ import annotations

from typing import NamedTuple

from .._model.tree import BodyList, JointForces, JointMatrix, Tree
from .._spatial.inertia import Inertia
from .._spatial.motions import Force, Forces, Motion
from .._spatial.scalar import Scalar, atan2, minimum, sqrt, where
from .._spatial.transform import Transform
from .._spatial.vectors import Mat3, Vec3
from .crba import composites
from .kinematics import transforms


def discrete_momenta(tree: Tree, q0, q1) -> tuple[JointForces, JointForces]:
    """Momenta taken at q0 and left at q1 by a step in unit time (MW01 1.5, Legendre transforms)."""
    (X0, S0), (X1, S1) = transforms(tree, q0), transforms(tree, q1)
    Y = displacements(tree, X0, X1)
    p = BodyList(map(steady_momentum, tree.I, Y))
    p0, p1 = (JointForces(() for _ in Y) for _ in range(2))
    for i in reversed(tree.bodies):
        p0[i], p1[i] = S0[i].dot(p[i]), S1[i].dot(Y[i] @ p[i])
        p[tree.parent[i]] += X0[i].T @ p[i]
    return p0, p1


def discrete_momentum_slope(tree: Tree, q0, q1) -> JointMatrix:
    """Slope of the momenta taken at q0 by displacements of q1 (RBDA Tab. 6.2 with two ends)."""
    (X0, S0), (X1, S1) = transforms(tree, q0), transforms(tree, q1)
    Y = displacements(tree, X0, X1)
    p = BodyList(map(steady_momentum, tree.I, Y))
    H, J = composites(tree, X0, map(steady_inertia, tree.I, Y)), JointMatrix()
    for i in reversed(tree.bodies):
        p[tree.parent[i]] += X0[i].T @ p[i]
        F0 = Forces(Y[i] @ changed(H[i], -p[i], m) for m in S0[i])  # where body i ends
        F1 = Forces(changed(H[i], p[i], brought_back(Y[i], m)) for m in S1[i])  # where it starts
        J[i, i], below = S0[i].dot(F1), i
        for j in tree.ancestors(tree.parent[i]):
            F0, F1 = X1[below].T @ F0, X0[below].T @ F1
            J[j, i], J[i, j], below = S0[j].dot(F1), F0.dot(S1[j]), j
    return J


def displacements(tree: Tree, X0: BodyList, X1: BodyList) -> BodyList:
    """Y[i]: from where body i starts to where it ends, so that `Y[i].R` is its turn."""
    Y = BodyList(Transform() for _ in tree.parent)
    for i in tree.bodies:
        (E, r), (E0, r0), (E1, r1) = Y[tree.parent[i]], X0[i], X1[i]
        Y[i] = Transform(E1 @ E @ E0.T, E0 @ (r + E.T @ r1 - r0))
    return Y


class Turn(NamedTuple):
    """A rotation vector w, with L(w)^-1 = 1 - [w]/2 + k [w]^2 of the left Jacobian L.

    Attributes:
        w: the rotation vector.
        k: (1 - x cot x) / |w|^2 with x = |w|/2.
        dk: how k changes: dk/d(w) = dk w^T.
    """

    w: Vec3
    k: Scalar
    dk: Scalar


def turned(R: Mat3) -> Turn:
    """The rotation vector of a turn by less than pi."""
    sine = Vec3(R.z.y - R.y.z, R.x.z - R.z.x, R.y.x - R.x.y)  # twice that of the angle
    n2, cosine = sine.dot(sine), R.trace() - 1.0
    small = n2 < 4e-24  # there the angle is its sine, and [w]^2 nothing, to the last digit
    n2 = where(small, 1.0, n2)
    n = sqrt(n2)
    ratio = where(small, 0.5, atan2(n, cosine) / n)
    s, x_cot_x = n2 * ratio * ratio, ratio * (1.0 + 0.5 * cosine)
    return Turn(sine * ratio, (1.0 - x_cot_x) / s, (x_cot_x * (1.0 + 2.0 * ratio) - 2.0) / (s * s))


def steady_momentum(I: Inertia, Y: Transform) -> Force:
    """Momentum of a body that is displaced by Y in unit time."""
    c, (w, k, _), (ball, Ic) = I.com(), turned(Y.R), split(I.about_com())
    u = Ic @ w
    f = (Y.r + Y.R @ c - c) * I.m
    return Force(w * ball + u + w.cross(u * 0.5 + w.cross(u) * k) + c.cross(f), f)


def steady_inertia(I: Inertia, Y: Transform) -> Inertia:
    """H of a body that is displaced by Y in unit time, about where its frame starts.

    That of turning is the Hessian of 1/2 w . Ic w by w as the turn goes on, exp(d) exp(w).
    """
    (w, k, dk), (ball, Ic) = turned(Y.R), split(I.about_com())
    u, s, trace, one = Ic @ w, w.dot(w), Ic.trace(), Mat3.identity()
    wu, a, b = w.dot(u), 1.0 - k * s, 3.0 * k * k + dk
    y = u * (0.75 + k - b * s) + w.cross(u) * (2.0 * k) + w * (b * wu - 0.25 * trace + ball * k)
    turning = Ic * (a * a - 0.25 * s) + one * (wu * (a * k - 0.5) + 0.25 * trace * s + ball * a)
    tilted = w.tilde @ Ic * (0.5 * a)
    turning = turning + (tilted + tilted.T) + symmetric(w, y)
    end = Y.r + Y.R @ I.com()
    moving = one * I.h.dot(end) - symmetric(I.h, end)
    return Inertia(I.m, (I.h + end * I.m) * 0.5, turning + moving)


def split(Ic: Mat3) -> tuple[Scalar, Mat3]:
    """The moment of a ball, for which L(w)^-T Ic w is Ic w, and what is left, with a zero in it."""
    ball = minimum(Ic.x.x, minimum(Ic.y.y, Ic.z.z))
    return ball, Ic - Mat3.identity() * ball


def symmetric(a: Vec3, b: Vec3) -> Mat3:
    """(a b^T + b a^T) / 2"""
    ab = a.outer(b * 0.5)
    return ab + ab.T


def changed(H: Inertia, p: Force, d: Motion) -> Force:
    """H d + 1/2 d x* p"""
    n, f = p.ang * 0.5, p.lin * 0.5
    ang = (H.I - n.tilde) @ d.ang + (H.h - f).cross(d.lin)
    return Force(ang, d.lin * H.m - (H.h + f).cross(d.ang))


def brought_back(Y: Transform, m: Motion) -> Motion:
    """Y^-1 m"""
    w = Y.R @ m.ang
    return Motion(w, Y.R @ m.lin + Y.r.cross(w))
