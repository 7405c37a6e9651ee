"""Momentum of a body that moves steadily, and how it changes with where the body ends.

In unit time the centre of mass moves straight from c0 to c1, and the body turns by the rotation
vector w. With Ic the inertia about the centre of mass and L the left Jacobian of rotations,
the momentum that -d/dc0 and -d/d(turn) of the action 1/2 (m |c1 - c0|^2 + w . Ic w) give is

    n = L(w)^-T Ic w,   f = m (c1 - c0)

and it is the same at the end, in axes that stand still. A small displacement d of the end, a motion
in these axes, changes the momentum p by

    dp = H d + 1/2 d x* p

with H like the inertia of a rigid body half way. All that is not symmetric is in the second part:
the action depends on the motion from start to end alone, and exp(a) exp(b) = exp(a + b + 1/2 [a, b]
+ ...). Everything here is about the origin and in the axes of the body's frame at its start.
"""

from __future__ import annotations

from typing import NamedTuple

from .._spatial.inertia import Inertia
from .._spatial.motions import Force, Motion
from .._spatial.scalar import Scalar, atan2, minimum, sqrt, where
from .._spatial.transform import Transform
from .._spatial.vectors import Mat3, Vec3


def steady_momentum(I: Inertia, Y: Transform) -> Force:
    """p of a body that is displaced by Y in unit time."""
    c, (w, k, _), (ball, Ic) = I.com(), turned(Y.R), split(I.about_com())
    u = Ic @ w
    f = (Y.r + Y.R @ c - c) * I.m
    return Force(w * ball + u + w.cross(u * 0.5 + w.cross(u) * k) + c.cross(f), f)


def steady_inertia(I: Inertia, Y: Transform) -> Inertia:
    """H of a body that is displaced by Y in unit time.

    That of turning is the Hessian of 1/2 w . Ic w as the turn goes on, by d in exp(d) exp(w).
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


def changed(H: Inertia, p: Force, d: Motion) -> Force:
    """H d + 1/2 d x* p; with -p, the transpose."""
    n, f = p.ang * 0.5, p.lin * 0.5
    ang = (H.I - n.tilde) @ d.ang + (H.h - f).cross(d.lin)
    return Force(ang, d.lin * H.m - (H.h + f).cross(d.ang))


class Turn(NamedTuple):
    """A rotation vector w, and k in L(w)^-1 = 1 - [w]/2 + k [w]^2 of the left Jacobian L.

    Attributes:
        w: the rotation vector.
        k: (1 - x cot x) / |w|^2 with x = |w|/2.
        dk: the slope of k by w, as dk w^T.
    """

    w: Vec3
    k: Scalar
    dk: Scalar


def turned(R: Mat3) -> Turn:
    """That of a rotation by less than pi."""
    sine = Vec3(R.z.y - R.y.z, R.x.z - R.z.x, R.y.x - R.x.y)  # twice that of the angle
    n2, cosine = sine.dot(sine), R.trace() - 1.0
    small = n2 < 4e-24  # there the angle is its sine, and [w]^2 nothing, to the last digit
    n2 = where(small, 1.0, n2)
    n = sqrt(n2)
    ratio = where(small, 0.5, atan2(n, cosine) / n)
    s, x_cot_x = n2 * ratio * ratio, ratio * (1.0 + 0.5 * cosine)
    return Turn(sine * ratio, (1.0 - x_cot_x) / s, (x_cot_x * (1.0 + 2.0 * ratio) - 2.0) / (s * s))


def split(Ic: Mat3) -> tuple[Scalar, Mat3]:
    """The moment of a ball, of which L(w)^-T Ic w is Ic w, and what is left, which has a zero."""
    ball = minimum(Ic.x.x, minimum(Ic.y.y, Ic.z.z))
    return ball, Ic - Mat3.identity() * ball


def symmetric(a: Vec3, b: Vec3) -> Mat3:
    """(a b^T + b a^T) / 2"""
    ab = a.outer(b * 0.5)
    return ab + ab.T
