"""Momentum of a body that moves steadily.

In unit time the centre of mass moves straight from c0 to c1, and the body turns by the rotation
vector w. With Ic the inertia about the centre of mass and L the left Jacobian of rotations,
the momentum that -d/dc0 and -d/d(turn) of the action 1/2 (m |c1 - c0|^2 + w . Ic w) give is

    n = L(w)^-T Ic w,   f = m (c1 - c0)

and it is the same at the end, in axes that stand still. Everything here is about the origin and in
the axes of the body's frame at its start.
"""

from __future__ import annotations

from typing import NamedTuple

from .._spatial.inertia import Inertia
from .._spatial.motions import Force
from .._spatial.scalar import Scalar, atan2, minimum, sqrt, where
from .._spatial.transform import Transform
from .._spatial.vectors import Mat3, Vec3


def steady_momentum(I: Inertia, Y: Transform) -> Force:
    """p of a body that is displaced by Y in unit time."""
    c, (w, k), (ball, Ic) = I.com(), log_so3_below_pi(Y.R), split(I.about_com())
    u = Ic @ w
    f = (Y.r + Y.R @ c - c) * I.m
    return Force(w * ball + u + w.cross(u * 0.5 + w.cross(u) * k) + c.cross(f), f)


class Turn(NamedTuple):
    """A rotation vector w, and k in L(w)^-1 = 1 - [w]/2 + k [w]^2 of the left Jacobian L.

    Attributes:
        w: the rotation vector.
        k: (1 - x cot x) / |w|^2 with x = |w|/2.
    """

    w: Vec3
    k: Scalar


def log_so3_below_pi(R: Mat3) -> Turn:
    """That of a rotation by less than pi."""
    sine = Vec3(R.z.y - R.y.z, R.x.z - R.z.x, R.y.x - R.x.y)  # twice that of the angle
    n2, cosine = sine.dot(sine), R.trace() - 1.0
    small = n2 < 4e-24  # there the angle is its sine, and [w]^2 nothing, to the last digit
    n2 = where(small, 1.0, n2)
    n = sqrt(n2)
    ratio = where(small, 0.5, atan2(n, cosine) / n)
    s, x_cot_x = n2 * ratio * ratio, ratio * (1.0 + 0.5 * cosine)
    return Turn(sine * ratio, (1.0 - x_cot_x) / s)


def split(Ic: Mat3) -> tuple[Scalar, Mat3]:
    """The moment of a ball, of which L(w)^-T Ic w is Ic w, and what is left, which has a zero."""
    ball = minimum(Ic.x.x, minimum(Ic.y.y, Ic.z.z))
    return ball, Ic - Mat3.identity() * ball
