"""Joints that move as told: their velocity at the end of a step, or their acceleration."""

from __future__ import annotations

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


def prescribed_rates(scene: Scene, tree: Tree, q, qd, t: Scalar, h: Scalar) -> BodyList:
    """Velocity of each joint at time t, the end of a step of length h; `qd` of those left alone."""
    rates = BodyList(qd)
    for motion in scene.prescribed:
        i = scene.model._joint(motion.joint)
        joint = tree.joint[i]
        if motion.position is not None:
            target, rate, _ = moving_target(joint, motion, t)
            off = joint.difference(q[i], target)
            if motion.gain is None:
                rates[i] = tuple(x / h for x in off)
            else:
                rates[i] = tuple(r + motion.gain * x for r, x in zip(rate, off, strict=True))
        elif motion.velocity is not None:
            rates[i] = told(motion, t, joint.nv)
        elif motion.acceleration is not None:
            pushes = told(motion, t, joint.nv)
            rates[i] = tuple(r + h * a for r, a in zip(qd[i], pushes, strict=True))
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
            target, rate, push = moving_target(joint, motion, t)
            off, k = joint.difference(q[i], target), motion.gain or 0.0
            each = zip(push, rate, qd[i], off, strict=True)
            pushes[i] = tuple(a + 2.0 * k * (r - v) + k * k * x for a, r, v, x in each)
        elif motion.velocity is not None:
            graph = Graph()
            now = graph.input()
            rates = [graph.lift(x) for x in told(motion, now, joint.nv)]
            found = forward(graph, rates, {now.position: 1.0})
            pushes[i] = tuple(evaluate(graph, [graph.lift(x) for x in found], [t]))
        elif motion.acceleration is not None:
            pushes[i] = told(motion, t, joint.nv)
    return pushes


def on_track(scene: Scene, tree: Tree, q, qd, t: Scalar) -> tuple[BodyList, BodyList]:
    """A state with the joints that are held to a position or a velocity where they should be."""
    q, qd = BodyList(q), BodyList(qd)
    for motion in scene.prescribed:
        i = scene.model._joint(motion.joint)
        joint = tree.joint[i]
        if motion.position is not None and motion.gain is None:
            q[i], qd[i], _ = moving_target(joint, motion, t)
        elif motion.velocity is not None:
            qd[i] = told(motion, t, joint.nv)
    return q, qd


def moving_target(joint: Joint, motion: Prescribed, t: Scalar) -> tuple[tuple, tuple, tuple]:
    """Prescribed coordinates at a time, and the velocity and acceleration that go with them."""
    graph = Graph()
    now, then = graph.input(), graph.input()
    at, start = (told(motion, x, joint.nq) for x in (now, then))
    moved = [graph.lift(x) for x in joint.difference(start, at)]
    rates = [graph.lift(x) for x in forward(graph, moved, {now.position: 1.0})]
    pushes = [graph.lift(x) for x in forward(graph, rates, {now.position: 1.0})]
    found = evaluate(graph, [*(graph.lift(x) for x in at), *rates, *pushes], [t, t])
    n, end = joint.nq, joint.nq + joint.nv
    return tuple(found[:n]), tuple(found[n:end]), tuple(found[end:])


def told(motion: Prescribed, t: Scalar, n: int) -> tuple:
    """What a joint is told at a time: a function of the user's, as `n` numbers."""
    who = f"the motion of joint {motion.joint!r}"
    return numbers(who, ask(who, motion.function, t), n)
