"""A variational step: the action of the step has no slope, so what symmetry keeps is kept.

From q0 to q1 in a time h, each body is taken to move its centre of mass straight and to turn
steadily; gravity acts at both ends, forces half way. The slopes of the action A of the step by q0
and q1 are the momenta it takes at its start and leaves at its end (MW01 1.2):

    p0 = -dA/dq0,   p1 = dA/dq1,   p = M(q) qd

The first is solved for q1, the second gives qd. The step is symplectic, so that energy stays in
bounds over long runs. A knows nothing of coordinates and does not change when all is moved, turned
or set in motion: momentum, and that about the centre of mass, is kept to the last digits.
"""

from __future__ import annotations

import numpy as np

from .._algorithms.configuration import difference, integrate
from .._algorithms.dynamics import mass_matrix
from .._algorithms.energy import potential_energy
from .._algorithms.kinematics import poses
from .._algorithms.takes import takes
from .._compiled import compile as compile_page
from .._differentiate import vjp
from .._model.tree import BodyList, JointForces, Tree
from .._scene.lists import dot, times
from .._scene.prescribed import held, moving_target, rate_at
from .._scene.scene import Scene
from .._spatial.scalar import Scalar, atan2, sqrt, where
from .._spatial.vectors import Mat3, Vec3
from .implicit import End
from .integrator import Array
from .newton import Newton
from .steps import joint_forces, solve_with


@takes(start=("nq",), end=("nq",), e0=("nv",), e1=("nv",), h=(), centre=("nq",), force=("nv",))
def action(tree: Tree, start, end, e0, e1, h, centre, force) -> Scalar:
    """Action of a step from integrate(start, e0) to integrate(end, e1), with work of a force.

    The force works along how the place half way moves from `centre`.
    """
    first = integrate(tree, tree.positions(start), tree.rates(e0))
    last = integrate(tree, tree.positions(end), tree.rates(e1))
    twice: Scalar = 0.0
    for I, X, Y in zip(tree.I[1:], poses(tree, first)[1:], poses(tree, last)[1:], strict=True):
        turn = turned(X.E @ Y.R)
        twice = twice + turn.dot(I.about_com() @ turn)
        if I.m != 0.0:
            way = (Y.r + Y.R @ I.com()) - (X.r + X.R @ I.com())
            twice = twice + I.m * way.dot(way)
    gravity = 0.5 * (potential_energy(tree, first) + potential_energy(tree, last))
    middle, _ = half_way(tree, first, last, h)
    work = dot(force, tree.vector(difference(tree, tree.positions(centre), middle)))
    return 0.5 * twice / h + h * (work - gravity)


def turned(R: Mat3) -> Vec3:
    """The rotation vector of a turn by less than pi."""
    sine = Vec3(R.z.y - R.y.z, R.x.z - R.z.x, R.y.x - R.x.y) * 0.5
    n2, cosine = sine.dot(sine), 0.5 * (R.x.x + R.y.y + R.z.z - 1.0)
    small = n2 < 1e-24  # there the angle is its sine to the last digit
    n = sqrt(where(small, 1.0, n2))
    return sine * where(small, 1.0, atan2(n, cosine) / n)


def half_way(tree: Tree, first, last, h) -> tuple[BodyList, BodyList]:
    """The place half way between two, and the velocity from one to the other."""
    gone = difference(tree, first, last)
    return integrate(tree, first, times(gone, 0.5)), times(gone, 1.0 / h)


class Variational:
    """Steps of a scene, its forces taken half way."""

    history = 0

    def __init__(self, scene: Scene) -> None:
        model = scene.model

        def momenta(tree: Tree, start, end, h, t) -> tuple[list, list]:
            """What a step takes at its start and leaves at its end."""
            m, v = half_way(tree, tree.positions(start), end, h)
            tau = tree.vector(joint_forces(scene, tree, m, v, t))
            zero, ends = [0.0] * tree.nv, (start, tree.vector(end))
            slopes = vjp(action, "e0", "e1")(tree, *ends, zero, zero, h, tree.vector(m), tau, 1.0)
            geared = tree.vector(armature_momentum(tree, v))
            return (
                [y - x for x, y in zip(slopes[0], geared, strict=True)],
                [x + y for x, y in zip(slopes[1], geared, strict=True)],
            )

        @takes(start=("nq",), rate=("nv",), h=(), t=())
        def residual(tree: Tree, q, start, rate, h, t) -> list:
            """Momentum that the step takes less what there is, times h."""
            there = momentum(tree, tree.positions(start), rate)
            taken, _ = momenta(tree, start, q, h, t)
            rows = [h * (x - y) for x, y in zip(taken, there, strict=True)]
            m, v = half_way(tree, tree.positions(start), q, h)
            before = tree.rates(rate)
            for motion in scene.prescribed:  # these have their motion instead
                i = model._joint(motion.joint)
                joint, at = tree.joint[i], slice(tree.v_start[i], tree.v_start[i + 1])
                if held(motion):
                    target, _, _ = moving_target(joint, motion, q[i], t + 0.5 * h)
                    rows[at] = joint.difference(target, q[i])
                else:
                    wanted = rate_at(joint, motion, m[i], before[i], t, 0.5 * h)
                    rows[at] = [x - y for x, y in zip(v[i], wanted, strict=True)]
            return rows

        @takes(start=("nq",), rate=("nv",), h=(), t=())
        def finish(tree: Tree, q, start, rate, h, t) -> tuple[list, list]:
            """qd at the end, and the joint forces over the step that nothing gives."""
            there = momentum(tree, tree.positions(start), rate)
            taken, left = momenta(tree, start, q, h, t)
            before, given = tree.rates(rate), {}
            for motion in scene.prescribed:
                i = model._joint(motion.joint)
                when = t if motion.acceleration is not None else t + 0.5 * h
                rates = rate_at(tree.joint[i], motion, q[i], before[i], when, h)
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


def armature_momentum(tree: Tree, v: BodyList) -> JointForces:
    """Of motors, which turn with velocity coordinates, whatever these stand for."""
    pairs = zip(tree.armature[1:], v[1:], strict=True)
    return JointForces([(), *(tuple(a * x for a, x in zip(*p, strict=True)) for p in pairs)])


def momentum(tree: Tree, q, rate) -> list:
    """M(q) qd"""
    return [dot(row, rate) for row in tree.dense(mass_matrix(tree, q))]
