"""A variational step: the action of the step has no slope, so what symmetry keeps is kept.

From q0 to q1 in a time h, each body is taken to move its centre of mass straight and to turn
steadily; gravity acts at both ends, forces half way. The slopes of the action A of the step by q0
and q1 are the momenta it takes at its start and leaves at its end (MW01 1.5):

    p0 = -dA/dq0,   p1 = dA/dq1,   p = M(q) qd

The first is solved for q1, the second gives qd. The step is symplectic, so that energy stays in
bounds over long runs. A knows nothing of coordinates and does not change when all is moved, turned
or set in motion: momentum, and that about the centre of mass, is kept to the last digits.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .._algorithms.configuration import difference, integrate
from .._algorithms.discrete_momentum import discrete_momenta, discrete_momentum_slope
from .._algorithms.dynamics import gravity_forces, inverse_dynamics, mass_matrix
from .._algorithms.takes import takes
from .._compiled import compile as compile_page
from .._differentiate import jacobian, vjp
from .._model.tree import BodyList, JointForces, Tree
from .._page import Page
from .._scene.lists import dot, times
from .._scene.prescribed import held, moving_target, rate_at
from .._scene.scene import Scene
from .._spatial.motions import Force
from .._spatial.scalar import Scalar
from .implicit import End
from .integrator import Array
from .newton import Newton
from .steps import joint_forces, solve_with


@takes(start=("nq",), end=("nq",), e0=("nv",), e1=("nv",), centre=("nq",), force=("nv",))
def work(tree: Tree, start, end, e0, e1, centre, force) -> Scalar:
    """Work of a force along how the place half way moves from `centre`.

    The step goes from integrate(start, e0) to integrate(end, e1).
    """
    first = integrate(tree, tree.positions(start), tree.rates(e0))
    last = integrate(tree, tree.positions(end), tree.rates(e1))
    middle, _ = half_way(tree, first, last)
    return dot(force, tree.vector(difference(tree, tree.positions(centre), middle)))


def half_way(tree: Tree, first, last) -> tuple[BodyList, BodyList]:
    """The place half way between two, and the way from one to the other."""
    gone = difference(tree, first, last)
    return integrate(tree, first, times(gone, 0.5)), gone


def momenta(scene: Scene, tree: Tree, start, end, h, t) -> tuple[list, list]:
    """What motors and forces of a scene take at the start of a step and leave at its end, times h.

    Motors turn with velocity coordinates, whatever these stand for.
    """
    m, gone = half_way(tree, start, end)
    pairs = zip(tree.armature[1:], gone[1:], strict=True)
    motors = [(), *(tuple(a * x for a, x in zip(*pair, strict=True)) for pair in pairs)]
    geared = tree.vector(JointForces(motors))
    if not (scene.forces or scene.controller or any(scene.laws.values())):
        return geared, geared
    tau = tree.vector(joint_forces(scene, tree, m, times(gone, 1.0 / h), t))
    zero, places = [0.0] * tree.nv, [tree.vector(x) for x in (start, end, m)]
    slopes = vjp(work, "e0", "e1")(tree, *places[:2], zero, zero, places[2], tau, 1.0)
    return (
        [x - h * h * y for x, y in zip(geared, slopes[0], strict=True)],
        [x + h * h * y for x, y in zip(geared, slopes[1], strict=True)],
    )


def pages(scene: Scene) -> tuple[Page, Page, Page]:
    """The pages of a step: what its end makes zero, the slope of that, and the velocity behind it.

    All take `(tree, q, start, rate, h, t)`: a guess of the end, the state at the start, the length
    of the step and the time half way.
    """
    model = scene.model
    told = {
        k
        for motion in scene.prescribed
        for k in range(*model.slice_qd(motion.joint).indices(model.nv))
    }
    inputs = takes(start=("nq",), rate=("nv",), h=(), t=())

    @inputs
    def rest(tree: Tree, q, start, rate, h, t) -> list:
        """The residual but for bodies: forces and motors, and all of joints that move as told."""
        start, before = tree.positions(start), tree.rates(rate)
        rows, _ = momenta(scene, tree, start, q, h, t)
        m, gone = half_way(tree, start, q)
        for motion in scene.prescribed:
            i = model._joint(motion.joint)
            joint, at = tree.joint[i], slice(tree.v_start[i], tree.v_start[i + 1])
            if held(motion):
                target, _, _ = moving_target(joint, motion, q[i], t + 0.5 * h)
                rows[at] = joint.difference(target, q[i])
            else:
                wanted = rate_at(joint, motion, m[i], before[i], t, 0.5 * h)
                rows[at] = [x / h - y for x, y in zip(gone[i], wanted, strict=True)]
        return rows

    @inputs
    def residual(tree: Tree, q, start, rate, h, t) -> list:
        """Momentum that the step takes less what there is, times h."""
        rows, q0 = rest(tree, q, start, rate, h, t), tree.positions(start)
        taken = tree.vector(discrete_momenta(tree, q0, q)[0])
        each = zip(rows, taken, falling_momentum(tree, q0, rate, 0.5 * h), strict=True)
        return [x if k in told else x + y - h * p for k, (x, y, p) in enumerate(each)]

    @inputs
    def slope(tree: Tree, q, start, rate, h, t) -> list:
        """Slope of the residual by q."""
        rows = jacobian(rest, "q")(tree, q, start, rate, h, t)
        bodies = tree.dense(discrete_momentum_slope(tree, tree.positions(start), q))
        for k, row in enumerate(bodies):
            if k not in told:
                rows[k] = [x + y for x, y in zip(rows[k], row, strict=True)]
        return rows

    @inputs
    def finish(tree: Tree, q, start, rate, h, t) -> tuple[list, list]:
        """qd at the end, and the joint forces over the step that nothing gives."""
        q0, before, given = tree.positions(start), tree.rates(rate), {}
        for motion in scene.prescribed:
            i = model._joint(motion.joint)
            when = t if motion.acceleration is not None else t + 0.5 * h
            rates = rate_at(tree.joint[i], motion, q[i], before[i], when, h)
            given |= dict(zip(range(tree.v_start[i], tree.v_start[i + 1]), rates, strict=True))
        taken, left = (
            [(x + y) / h for x, y in zip(tree.vector(bodies), rest, strict=True)]
            for bodies, rest in zip(
                discrete_momenta(tree, q0, q), momenta(scene, tree, q0, q, h, t), strict=True
            )
        )
        weight = tree.vector(gravity_forces(tree, q))
        left = [x - 0.5 * h * g for x, g in zip(left, weight, strict=True)]
        qd, more = solve_with(tree.dense(mass_matrix(tree, q)), left, given, symmetric=True)
        there = falling_momentum(tree, q0, rate, 0.5 * h)
        return qd, [(x - y + z) / h for x, y, z in zip(taken, there, more, strict=True)]

    return residual, slope, finish


def falling_momentum(tree: Tree, q, rate, time) -> list:
    """M(q) qd after gravity has acted for a time: M qd - time g(q).

    As joint forces that take a figure at rest to this velocity in unit time.
    """
    still = BodyList(tree.zero(i) for i in range(tree.nb + 1))
    nothing = BodyList(Force() for _ in tree.parent)
    lifted = replace(tree, gravity=tree.gravity * -time)
    return tree.vector(inverse_dynamics(lifted, q, still, tree.rates(rate), nothing))


class Variational:
    """Steps of a scene, its forces taken half way."""

    history = 0

    def __init__(self, scene: Scene) -> None:
        residual, slope, finish = pages(scene)
        self._model = scene.model
        self._newton = Newton(scene.model, residual, slope)
        self._finish = compile_page(finish, scene.model)

    def step(self, q: Array, qd: Array, history: Array, t: float, h: float) -> End:
        given = q, qd, np.full(len(q), h), np.full(len(q), t + 0.5 * h)
        end = self._newton.solve(self._model.integrate(q, h * qd), *given)
        return End(end, *self._finish(end, *given))
