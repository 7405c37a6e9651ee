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

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from .._algorithms.discrete_momentum import discrete_momenta, discrete_momentum_slope
from .._algorithms.dynamics import gravity_forces, inverse_dynamics, mass_matrix
from .._algorithms.takes import takes
from .._differentiate import jacobian
from .._model.tree import BodyList, Tree
from .._page import Page
from .._scene.rows import Row
from .._scene.setup import Setup
from .._scene.solve import solve_rows
from .._scene.system import System
from .._spatial.motions import Force
from .discrete_forces import discrete_forces, fixed_rows
from .implicit import End
from .integrator import Array
from .newton import Newton
from .pages import compiled, system_page

INPUTS = {"q": ("nq",), "start": ("nq",), "rate": ("nv",), "h": (), "t": ()}
"""A guess of the end, the state at the start, the length of the step and the time half way."""


def pages(setup: Setup) -> tuple[Page, Page, Page]:
    """The pages of a step: what its end makes zero, the slope of that, and the velocity behind it.

    They take the `INPUTS` above, the last one `found` besides, and the scene's numbers.
    """

    def residual(system: System, values: Mapping[str, Any]) -> list:
        """Momentum that the step takes less what there is, times h, or what is fixed instead.

        Behind it the same with nothing fixed, and what the step leaves before gravity acts at its
        end, times h.
        """
        tree, (q, start, rate, h, t) = system.tree, (values[name] for name in INPUTS)
        q0 = tree.positions(start)
        bodies = map(tree.vector, discrete_momenta(tree, q0, q))
        forces = discrete_forces(system, q0, q, h, t)
        taken, left = (
            [x + y for x, y in zip(*each, strict=True)] for each in zip(bodies, forces, strict=True)
        )
        there = falling_momentum(tree, q0, rate, 0.5 * h)
        lack = [x - h * p for x, p in zip(taken, there, strict=True)]
        fixed = fixed_rows(system, q0, q, rate, h, t)
        return [*(fixed.get(k, x) for k, x in enumerate(lack)), *lack, *left]

    def without_bodies(system: System, values: Mapping[str, Any]) -> list:
        """What else there is to the residual: forces, motors, and what is fixed."""
        q, start, rate, h, t = (values[name] for name in INPUTS)
        q0 = system.tree.positions(start)
        forces, _ = discrete_forces(system, q0, q, h, t)
        fixed = fixed_rows(system, q0, q, rate, h, t)
        return [fixed.get(k, x) for k, x in enumerate(forces)]

    rest = jacobian(system_page(setup, without_bodies, **INPUTS), "q")

    def slope(tree: Tree, q, start, rate, h, t, parameters) -> list:
        """Slope of the residual by q."""
        system = setup.system(tree, parameters)
        bodies = tree.dense(discrete_momentum_slope(system.tree, tree.positions(start), q))
        for k in setup.fixed_coordinates():
            bodies[k] = [0.0] * tree.nv
        rows = zip(bodies, rest(tree, q, start, rate, h, t, parameters), strict=True)
        return [[x + y for x, y in zip(*row, strict=True)] for row in rows]

    def finish(system: System, values: Mapping[str, Any]) -> list:
        """qd at the end, and the joint forces over the step that nothing gives, 2 x nv.

        `found` is what the residual is there.
        """
        tree, (q, rate, h, t) = system.tree, (values[name] for name in ("q", "rate", "h", "t"))
        _, lack, left = values["found"]
        before, end = tree.rates(rate), t + 0.5 * h
        rates = system.fixed_rates(q, before, end, h, mean=t, tracking=True)
        rows = [Row({j: 1.0}, x, fixes=True) for j, x in rates.items()]
        weight = tree.vector(gravity_forces(tree, q))
        p = [x / h - 0.5 * h * g for x, g in zip(left, weight, strict=True)]
        qd, more, _ = solve_rows(tree.dense(mass_matrix(tree, q)), p, rows, symmetric=True)
        return [qd, [(x / h + y) / h for x, y in zip(lack, more, strict=True)]]

    own = takes(
        **{n: x for n, x in INPUTS.items() if n != "q"}, parameters=(setup.parameters.size,)
    )
    last = {name: INPUTS[name] for name in ("q", "rate", "h", "t")} | {"found": (3, "nv")}
    return (
        system_page(setup, residual, **INPUTS),
        own(slope),
        system_page(setup, finish, **last),
    )


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

    states: Mapping[str, Array] = {}

    def __init__(self, setup: Setup) -> None:
        residual, slope, finish = pages(setup)
        self._model = setup.scene.model
        self._newton = Newton(setup, "variational", residual, slope)
        self._finish = compiled(setup, "variational, finish", finish)

    def step(self, at: Mapping[str, Array], parameters: Array, t: float, h: float) -> End:
        q, qd = at["q"], at["qd"]
        given = q, qd, np.full(len(q), h), np.full(len(q), t + 0.5 * h), parameters
        end, found = self._newton.solve(self._model.integrate(q, h * qd), *given)
        found = found.reshape(len(q), 3, self._model.nv)
        last = self._finish(end, *given[1:4], found, parameters)
        return End(end, last[:, 0], last[:, 1])
