"""Motion as splines in time: joints with plain coordinates in these, turns on their sphere.

A B-spline of rotations is a product of turns from each control rotation to the next, each as far
as the sum of the basis functions from there on (cumulative splines; SUS20).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from .._pages.differentiate import hessian, jacobian, vjp
from .._spatial.scalar import Scalar
from .._spatial.sums import dot, total
from .._spatial.transform import (
    exp_quaternion,
    exp_so3,
    log_quaternion,
    quaternion_product,
    quaternion_rotation,
)
from .._spatial.vectors import Vec3
from .._tree.balls import Ball, Floating
from .._tree.joints import Joint
from .._tree.tree import JointCoordinates, Tree

Splined = tuple[Sequence[Scalar], Sequence[Scalar], Sequence[Scalar]]


def spline_motion(tree: Tree, controls, basis) -> tuple[JointCoordinates, ...]:
    """q, qd and qdd where basis functions and their first two derivatives have given values."""
    each = [tree.positions(row) for row in controls]
    rows = [splined(joint, [c[i] for c in each], basis) for i, joint in enumerate(tree.joint)]
    q, qd, qdd = (JointCoordinates(tuple(row[k]) for row in rows) for k in range(3))
    return q, qd, qdd


def moved_spline(tree: Tree, controls, basis, moved, *, joint: Joint) -> list[list[Scalar]]:
    """How far q of a joint is from that of controls if these are moved, and qd and qdd then."""
    there = [moved_control(joint, q, e) for q, e in zip(controls, moved, strict=True)]
    q1, qd, qdd = splined(joint, there, basis)
    far = joint.difference(splined(joint, controls, basis)[0], q1)
    return [[*far], [*qd], [*qdd]]


def spline_slopes(tree: Tree, controls, basis, *, joint: Joint) -> list:
    """Derivatives of `moved_spline` where nothing is moved."""
    page = functools.partial(moved_spline, joint=joint)
    return jacobian(page, "moved")(tree, controls, basis, _nothing(joint, controls))


def spline_bending(tree: Tree, controls, basis, weights, *, joint: Joint) -> tuple:
    """Second derivatives of the sum of weights times `moved_spline`, where nothing is moved."""
    page = functools.partial(moved_spline, joint=joint)
    second = hessian(page, ("moved", "moved"))
    return second(tree, controls, basis, _nothing(joint, controls), weights)


def spline_pull(tree: Tree, controls, basis, weights, *, joint: Joint) -> list:
    """First derivatives of that sum, by reverse mode."""
    page = functools.partial(moved_spline, joint=joint)
    (found,) = vjp(page, "moved")(tree, controls, basis, _nothing(joint, controls), weights)
    return found


def _nothing(joint: Joint, controls: Sequence) -> tuple:
    return ((0.0,) * joint.nv,) * len(controls)


def moved_control(joint: Joint, q: Sequence[Scalar], e: Sequence[Scalar]) -> Sequence[Scalar]:
    """Coordinates of a joint, displaced: turned about axes of the body, moved in those before."""
    if isinstance(law_of(joint), Floating):
        turned = quaternion_product(q[3:], exp_quaternion(Vec3(*e[:3])))
        return (*(x + y for x, y in zip(q[:3], e[3:], strict=True)), *turned)
    return joint.integrate(q, e)


def moved_controls(tree: Tree, q, dq) -> JointCoordinates:
    """The same of all joints."""
    each = (moved_control(joint, q[i], dq[i]) for i, joint in enumerate(tree.joint))
    return JointCoordinates(map(tuple, each))


def splined(joint: Joint, controls: Sequence[Any], basis: Sequence[Sequence[Scalar]]) -> Splined:
    """q, qd and qdd of one joint."""
    law = law_of(joint)
    if isinstance(law, Ball):
        return _turning(controls, basis)
    if isinstance(law, Floating):
        p, v, a = (_mixed([q[:3] for q in controls], row) for row in basis)
        turn, w, wd = _turning([q[3:] for q in controls], basis)
        to_body = quaternion_rotation(*turn).T
        w, wd, v = Vec3(*w), Vec3(*wd), to_body @ Vec3(*v)
        return (*p, *turn), (*w, *v), (*wd, *(to_body @ Vec3(*a) - w.cross(v)))
    q, qd, qdd = (_mixed(controls, row) for row in basis)
    return q, qd, qdd


def law_of(joint: Joint) -> Joint:
    """What a joint with a choice of coordinates does."""
    return getattr(joint, "law", joint)


def _mixed(controls: Sequence[Sequence[Scalar]], weights: Sequence[Scalar]) -> list[Scalar]:
    return [dot(weights, row) for row in zip(*controls, strict=True)]


def _turning(controls: Sequence[Sequence[Scalar]], basis: Sequence[Sequence[Scalar]]) -> Splined:
    """Quaternion, angular velocity and its rate in axes of the body (SUS20, eq. 26 and 29)."""
    q: Sequence[Scalar] = controls[0]
    w, wd = Vec3(), Vec3()
    for k in range(1, len(controls)):
        far, rate, change = (total(row[k:]) for row in basis)
        aw, ax, ay, az = controls[k - 1]
        d = log_quaternion(quaternion_product((aw, -ax, -ay, -az), controls[k]))
        back = exp_so3(d * far).T
        w = back @ w
        wd = back @ wd + w.cross(d) * rate + d * change
        w = w + d * rate
        q = quaternion_product(q, exp_quaternion(d * far))
    return q, [*w], [*wd]
