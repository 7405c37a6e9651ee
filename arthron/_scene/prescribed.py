"""Joints that move as told: where they should be, how fast, and with which acceleration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._graph.derive import forward
from .._graph.evaluate import evaluate
from .._graph.graph import Graph
from .._model.joints import Joint
from .._model.tree import BodyList, Tree
from .._spatial.scalar import Scalar
from .ask import ask, numbers
from .scene import Prescribed, Scene


def prescribed_joints(scene: Scene) -> tuple[int, ...]:
    """Numbers of the joints that move as told."""
    return tuple(sorted(scene.model._joint(motion.joint) for motion in scene.prescribed))


def held(motion: Prescribed) -> bool:
    """Whether steps are to end where a joint should be, without a gain to bring it back."""
    return motion.position is not None and motion.gain is None


def rate_at(joint: Joint, motion: Prescribed, q, before, t: Scalar, h: Scalar) -> tuple:
    """Velocity that a joint should have at time t, where it is at q.

    `before` is what it had a time h ago, for those that are told their acceleration.
    """
    if motion.position is not None:
        target, rates, _ = moving_target(joint, motion, q, t)
        k = motion.gain or 0.0
        return tuple(r + k * x for r, x in zip(rates, joint.difference(q, target), strict=True))
    given = told(motion, t, joint.nv)
    if motion.velocity is not None:
        return given
    return tuple(x + h * a for x, a in zip(before, given, strict=True))


def prescribed_rates(scene: Scene, tree: Tree, q, qd, t: Scalar, h: Scalar) -> BodyList:
    """Velocity of each joint for a step of length h that ends at time t; `qd` of those left alone.

    Those that are held to a position get there with it.
    """
    rates = BodyList(qd)
    for motion in scene.prescribed:
        i = scene.model._joint(motion.joint)
        joint = tree.joint[i]
        if held(motion):
            target, _, _ = moving_target(joint, motion, q[i], t)
            rates[i] = tuple(x / h for x in joint.difference(q[i], target))
        else:
            rates[i] = rate_at(joint, motion, q[i], qd[i], t, h)
    return rates


def prescribed_accelerations(scene: Scene, tree: Tree, q, qd, t: Scalar) -> BodyList:
    """Acceleration of each joint at a time, for steps that have no end; zero of those left alone.

    A joint with a gain k that is off its position comes back as a critically damped one does:
    a + 2 k (r - qd) + k^2 (target - q), with r and a the rates of the target.
    """
    pushes = BodyList(tree.zero(i) for i in range(tree.nb + 1))
    for motion in scene.prescribed:
        i = scene.model._joint(motion.joint)
        joint = tree.joint[i]
        if motion.position is not None:
            target, rate, push = moving_target(joint, motion, q[i], t)
            off, k = joint.difference(q[i], target), motion.gain or 0.0
            each = zip(push, rate, qd[i], off, strict=True)
            pushes[i] = tuple(a + 2.0 * k * (r - v) + k * k * x for a, r, v, x in each)
        elif motion.velocity is not None:
            pushes[i] = _told_rates(motion, t, joint.nv)
        else:
            pushes[i] = told(motion, t, joint.nv)
    return pushes


def on_track(scene: Scene, tree: Tree, q, qd, t: Scalar) -> tuple[BodyList, BodyList]:
    """A state with the joints that are held to a position or a velocity as they should be."""
    q, qd = BodyList(q), BodyList(qd)
    for motion in scene.prescribed:
        i = scene.model._joint(motion.joint)
        joint = tree.joint[i]
        if held(motion):
            q[i], qd[i], _ = moving_target(joint, motion, q[i], t)
        elif motion.velocity is not None:
            qd[i] = told(motion, t, joint.nv)
    return q, qd


def moving_target(joint: Joint, motion: Prescribed, q, t: Scalar) -> tuple[tuple, tuple, tuple]:
    """Prescribed coordinates at a time, and the velocity and acceleration that go with them."""

    def target(x: Scalar) -> tuple:
        return told(motion, x, joint.nq, alone=joint.nq == joint.nv)

    return moving_place(joint.integrate, joint.difference, target, q, t)


def moving_place(
    integrate: Callable, difference: Callable, target: Callable[[Scalar], Any], q, t: Scalar
) -> tuple[tuple, tuple, tuple]:
    """Coordinates that are a function of time, with the velocity and acceleration of that.

    They are in the chart that q is in, and as many turns round as q.
    """
    with Graph.inside() as graph:
        near, now, then = graph.inputs(len(q)), graph.input(), graph.input()
        at, start = (integrate(near, difference(near, target(x))) for x in (now, then))
        moved = [graph.lift(x) for x in difference(start, at)]
    rates = [graph.lift(x) for x in forward(graph, moved, {now.position: 1.0})]
    pushes = [graph.lift(x) for x in forward(graph, rates, {now.position: 1.0})]
    found = evaluate(graph, [*(graph.lift(x) for x in at), *rates, *pushes], [*q, t, t])
    n, end = len(at), len(at) + len(rates)
    return tuple(found[:n]), tuple(found[n:end]), tuple(found[end:])


def _told_rates(motion: Prescribed, t: Scalar, n: int) -> tuple:
    """Rates of what a joint is told."""
    with Graph.inside() as graph:
        now = graph.input()
        values = [graph.lift(x) for x in told(motion, now, n)]
    rates = forward(graph, values, {now.position: 1.0})
    return tuple(evaluate(graph, [graph.lift(x) for x in rates], [t]))


def told(motion: Prescribed, t: Scalar, n: int, *, alone: bool = True) -> tuple:
    """What a joint is told at a time: a function of the user's, as `n` numbers.

    One number `alone` may stand for all of them.
    """
    who = f"the motion of joint {motion.joint!r}"
    return numbers(who, ask(who, motion.function, t), n, alone=alone)
