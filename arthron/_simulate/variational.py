"""A variational step: the action of the step has no slope, so what symmetry keeps is kept.

The motion from q0 to q1 in a time h is taken to be steady, with velocity v = difference(q0, q1) / h
and the state m half way. Its action is A = h L(m, v), and its slopes by q0 and q1 are the momenta
that the step takes at its start and leaves at its end (MW01 1.2):

    p0 = -dA/dq0,   p1 = dA/dq1,   p = M(q) qd

The first is solved for q1, the second gives qd. Forces act for the time h in the middle. The step
is symplectic, so that energy stays in bounds over long runs, and momenta that the figure's symmetry
keeps are kept to the last digits.
"""

from __future__ import annotations

import numpy as np

from .._algorithms.configuration import difference, integrate
from .._algorithms.dynamics import mass_matrix
from .._algorithms.energy import kinetic_energy, potential_energy
from .._algorithms.products import of_wrenches
from .._algorithms.takes import takes
from .._compiled import compile as compile_page
from .._differentiate import vjp
from .._model.joints import Joint
from .._model.tree import BodyList, JointForces, Tree
from .._scene.loads import loads
from .._scene.prescribed import moving_target, told
from .._scene.scene import Prescribed, Scene
from .._spatial.scalar import Scalar
from .implicit import End
from .integrator import Array
from .newton import Newton
from .steps import added, control, dot, solve_with, times


@takes(start=("nq",), end=("nq",), e0=("nv",), e1=("nv",), h=(), centre=("nq",), force=("nv",))
def action(tree: Tree, start, end, e0, e1, h, centre, force) -> Scalar:
    """h L half way between integrate(start, e0) and integrate(end, e1), and work of a force.

    The force works along how the place half way moves from `centre`.
    """
    first = integrate(tree, tree.positions(start), tree.rates(e0))
    last = integrate(tree, tree.positions(end), tree.rates(e1))
    middle, v = half_way(tree, first, last, h)
    away = tree.vector(difference(tree, tree.positions(centre), middle))
    work = kinetic_energy(tree, middle, v) - potential_energy(tree, middle) + dot(force, away)
    return h * work


def half_way(tree: Tree, first, last, h) -> tuple[BodyList, BodyList]:
    """The place half way between two, and the velocity from one to the other."""
    gone = difference(tree, first, last)
    return integrate(tree, first, times(gone, 0.5)), times(gone, 1.0 / h)


class Variational:
    """Steps of a scene; forces are those at half time, K and D exact."""

    history = 0

    def __init__(self, scene: Scene) -> None:
        model = scene.model

        def momenta(tree: Tree, start, end, h, t) -> tuple[list, list]:
            """What a step takes at its start and leaves at its end."""
            m, v = half_way(tree, tree.positions(start), end, h)
            now = loads(scene, tree, m, v, t)
            tau = added(now.tau, control(scene, tree, m, v, t))
            tau = tree.vector(JointForces(added(tau, of_wrenches(tree, m, now.f_ext))))
            zero, ends = [0.0] * tree.nv, (start, tree.vector(end))
            slopes = vjp(action, "e0", "e1")(tree, *ends, zero, zero, h, tree.vector(m), tau, 1.0)
            return [-x for x in slopes[0]], list(slopes[1])

        @takes(start=("nq",), rate=("nv",), h=(), t=())
        def residual(tree: Tree, q, start, rate, h, t) -> list:
            """Momentum there is less what the step takes, times h."""
            there = momentum(tree, tree.positions(start), rate)
            taken, _ = momenta(tree, start, q, h, t)
            rows = [h * (x - y) for x, y in zip(taken, there, strict=True)]
            m, v = half_way(tree, tree.positions(start), q, h)
            before = tree.rates(rate)
            for motion in scene.prescribed:  # these have their motion instead
                i = model._joint(motion.joint)
                at = slice(tree.v_start[i], tree.v_start[i + 1])
                rows[at] = _off(tree.joint[i], motion, q[i], m[i], v[i], before[i], h, t)
            return rows

        @takes(start=("nq",), rate=("nv",), h=(), t=())
        def finish(tree: Tree, q, start, rate, h, t) -> tuple[list, list]:
            """qd at the end, and the joint forces over the step that nothing gives."""
            there = momentum(tree, tree.positions(start), rate)
            taken, left = momenta(tree, start, q, h, t)
            before, given = tree.rates(rate), {}
            for motion in scene.prescribed:
                i = model._joint(motion.joint)
                rates = _rates(tree.joint[i], motion, q[i], before[i], h, t)
                given |= dict(zip(range(tree.v_start[i], tree.v_start[i + 1]), rates, strict=True))
            qd, more = solve_with(tree.dense(mass_matrix(tree, q)), left, given, symmetric=True)
            sums = zip(taken, there, more, strict=True)
            return qd, [(x - y + z) / h for x, y, z in sums]

        self._model = model
        self._newton = Newton(model, residual)
        self._finish = compile_page(finish, model)

    def step(self, q: Array, qd: Array, history: Array, t: float, h: float) -> End:
        given = q, qd, np.full(len(q), h), np.full(len(q), t + 0.5 * h)
        end = self._newton.solve(self._model.integrate(q, h * qd), *given)
        return End(end, *self._finish(end, *given))


def momentum(tree: Tree, q, rate) -> list:
    """M(q) qd"""
    return [dot(row, rate) for row in tree.dense(mass_matrix(tree, q))]


def _off(joint: Joint, motion: Prescribed, end, middle, v, before, h, t) -> list:
    """How far the velocity of a step is from what a joint is told, at half time t."""
    if motion.position is not None and motion.gain is None:
        target, _, _ = moving_target(joint, motion, t + 0.5 * h)
        return list(joint.difference(target, end))
    if motion.position is not None:
        target, rates, _ = moving_target(joint, motion, t)
        away = joint.difference(middle, target)
        wanted = tuple(r + motion.gain * x for r, x in zip(rates, away, strict=True))
    elif motion.velocity is not None:
        wanted = told(motion, t, joint.nv)
    else:
        push = told(motion, t, joint.nv)
        wanted = tuple(x + 0.5 * h * a for x, a in zip(before, push, strict=True))
    return [x - y for x, y in zip(v, wanted, strict=True)]


def _rates(joint: Joint, motion: Prescribed, end, before, h, t) -> tuple:
    """Velocity of a joint that is told, at the end of a step with half time t."""
    if motion.position is not None:
        target, rates, _ = moving_target(joint, motion, t + 0.5 * h)
        away, k = joint.difference(end, target), motion.gain or 0.0
        return tuple(r + k * x for r, x in zip(rates, away, strict=True))
    if motion.velocity is not None:
        return told(motion, t + 0.5 * h, joint.nv)
    push = told(motion, t, joint.nv)
    return tuple(x + h * a for x, a in zip(before, push, strict=True))
