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

from .._algorithms.discrete_momentum import discrete_momenta, discrete_momentum_slope
from .._algorithms.dynamics import gravity_forces, inverse_dynamics, mass_matrix
from .._algorithms.takes import takes
from .._compiled import compile as compile_page
from .._differentiate import jacobian
from .._model.tree import BodyList, Tree
from .._page import Page
from .._scene.prescribed import prescribed_joints, rate_at
from .._scene.scene import Scene
from .._spatial.motions import Force
from .discrete_forces import discrete_forces, prescribed_rows
from .implicit import End
from .integrator import Array
from .newton import Newton
from .steps import solve_with


def pages(scene: Scene) -> tuple[Page, Page, Page]:
    """The pages of a step: what its end makes zero, the slope of that, and the velocity behind it.

    They take `(tree, q, start, rate, h, t)`: a guess of the end, the state at the start, the length
    of the step and the time half way.
    """
    inputs = takes(start=("nq",), rate=("nv",), h=(), t=())

    @inputs
    def residual(tree: Tree, q, start, rate, h, t) -> list:
        """Momentum that the step takes less what there is, times h, or what is prescribed instead.

        Behind it the same with nothing prescribed, and what the step leaves before gravity acts at
        its end, times h.
        """
        q0 = tree.positions(start)
        bodies = map(tree.vector, discrete_momenta(tree, q0, q))
        forces = discrete_forces(scene, tree, q0, q, h, t)
        taken, left = (
            [x + y for x, y in zip(*each, strict=True)] for each in zip(bodies, forces, strict=True)
        )
        there = falling_momentum(tree, q0, rate, 0.5 * h)
        lack = [x - h * p for x, p in zip(taken, there, strict=True)]
        told = prescribed_rows(scene, tree, q0, q, rate, h, t)
        return [*(told.get(k, x) for k, x in enumerate(lack)), *lack, *left]

    @inputs
    def without_bodies(tree: Tree, q, start, rate, h, t) -> list:
        """What else there is to the residual: forces, motors, and what is prescribed."""
        q0 = tree.positions(start)
        forces, _ = discrete_forces(scene, tree, q0, q, h, t)
        told = prescribed_rows(scene, tree, q0, q, rate, h, t)
        return [told.get(k, x) for k, x in enumerate(forces)]

    @inputs
    def slope(tree: Tree, q, start, rate, h, t) -> list:
        """Slope of the residual by q."""
        bodies = tree.dense(discrete_momentum_slope(tree, tree.positions(start), q))
        for i in prescribed_joints(scene):
            for k in range(tree.v_start[i], tree.v_start[i + 1]):
                bodies[k] = [0.0] * tree.nv
        rest = jacobian(without_bodies, "q")(tree, q, start, rate, h, t)
        rows = zip(bodies, rest, strict=True)
        return [[x + y for x, y in zip(*row, strict=True)] for row in rows]

    @inputs
    @takes(found=(3, "nv"))
    def finish(tree: Tree, q, rate, h, t, found) -> list:
        """qd at the end, and the joint forces over the step that nothing gives, 2 x nv.

        `found` is what the residual is there.
        """
        _, lack, left = found
        before, given = tree.rates(rate), {}
        for motion in scene.prescribed:
            i = scene.model._joint(motion.joint)
            when = t if motion.acceleration is not None else t + 0.5 * h
            rates = rate_at(tree.joint[i], motion, q[i], before[i], when, h)
            given |= dict(zip(range(tree.v_start[i], tree.v_start[i + 1]), rates, strict=True))
        weight = tree.vector(gravity_forces(tree, q))
        p = [x / h - 0.5 * h * g for x, g in zip(left, weight, strict=True)]
        qd, more = solve_with(tree.dense(mass_matrix(tree, q)), p, given, symmetric=True)
        return [qd, [(x / h + y) / h for x, y in zip(lack, more, strict=True)]]

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
        end, found = self._newton.solve(self._model.integrate(q, h * qd), *given)
        last = self._finish(end, *given[1:], found.reshape(len(q), 3, self._model.nv))
        return End(end, last[:, 0], last[:, 1])
