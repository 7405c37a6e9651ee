"""What a joint forbids: functions of the pose of one frame in another that it keeps at zero."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._spatial.scalar import Scalar, atan2, cos, divide, sin
from .._spatial.transform import Transform
from .._spatial.vectors import Mat3, Vec3
from .._tree.balls import Ball, EulerCharts, Exponential
from .._tree.chain import Chain
from .._tree.joints import Fixed, Helical, Planar, Prismatic, Revolute
from .._tree.kinds import (
    Composite,
    Euler,
    PlanarTranslation,
    Spherical,
    Translational,
    Universal,
)

Rows = list[Scalar]


def forbidden(joint: Any) -> Callable[[Transform], Rows] | None:
    """Rows of a joint over the transform across it, in closed form; None for kinds without one.

    Positions are in the axes of the frame before the joint [m]; turns are 2 tan(angle / 2), which
    has no second zero half a turn away. That these rates are the ways in which S does not move is
    S19 1.69, whose rows are those to drop.
    """
    match joint:
        case Fixed():
            return lambda X: [*_turn(X.R), *X.r]
        case Revolute(axis=u):
            return lambda X: [*X.r, *_tilt(u, X.R)]
        case Prismatic(axis=u):
            return lambda X: [*_turn(X.R), *_across(u, X.r)]
        case Helical(axis=u, pitch=0.0):
            return forbidden(Revolute(u))
        case Helical(axis=u, pitch=pitch):
            return lambda X: [*_across(u, X.r), *_tilt(u, X.R), pitch * _behind(u, pitch, X)]
        case Planar(normal=n):
            return lambda X: [n.dot(X.r), *_tilt(n, X.R)]
        case Spherical() | Euler() | Ball() | Exponential() | EulerCharts():
            return lambda X: [*X.r]
        case Universal(first=a, second=b):
            return lambda X: [*X.r, a.dot(X.R @ b) - a.dot(b)]
        case Translational():
            return lambda X: [*_turn(X.R)]
        case PlanarTranslation(normal=n):
            return lambda X: [*_turn(X.R), n.dot(X.r)]
        case Composite(joints=joints) | Chain(joints=joints) if _cylindrical(joints):
            u: Vec3 = joints[0].axis  # type: ignore[attr-defined]
            return lambda X: [*_across(u, X.r), *_tilt(u, X.R)]
    return None


def units_of(joint: Any) -> list[str]:
    """What those rows are measured in, "m" or "rad" each; none for kinds without a closed form."""
    rows = forbidden(joint)
    shifted = rows(Transform(r=Vec3(0.31, 0.53, 0.71))) if rows else []
    return ["m" if abs(x) > 1e-6 else "rad" for x in shifted]  # type: ignore[arg-type]


def _turn(R: Mat3) -> Vec3:
    """2 tan(angle / 2) about the axis of a rotation."""
    w = Vec3(R.z.y - R.y.z, R.x.z - R.z.x, R.y.x - R.x.y)
    return w * divide(2.0, 1.0 + R.x.x + R.y.y + R.z.z)


def _tilt(u: Vec3, R: Mat3) -> Rows:
    """2 tan(angle / 2) of an axis that should stay where it is, in two directions across it."""
    v = R @ u
    k = divide(2.0, 1.0 + u.dot(v))
    return [k * x for x in _across(u, v)]


def _across(u: Vec3, r: Vec3) -> Rows:
    """The parts of a vector across an axis."""
    return [axis.dot(r) for axis in Planar(u).axes()]


def _behind(u: Vec3, pitch: float, X: Transform) -> Scalar:
    """How far the turn of a screw is behind what it has come along its axis [rad]."""
    R, angle = X.R, u.dot(X.r) / pitch
    w = Vec3(R.z.y - R.y.z, R.x.z - R.z.x, R.y.x - R.x.y)
    s, c = u.dot(w), R.x.x + R.y.y + R.z.z - u.dot(R @ u)
    return atan2(c * sin(angle) - s * cos(angle), c * cos(angle) + s * sin(angle))


def _cylindrical(joints: Any) -> bool:
    """Whether two joints turn about one axis and slide along it."""
    kinds = {type(joint) for joint in joints}
    if len(joints) != 2 or kinds != {Revolute, Prismatic}:
        return False
    a, b = (joint.axis for joint in joints)
    return abs(abs(a.dot(b)) - 1.0) < 1e-12
