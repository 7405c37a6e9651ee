"""A variational step: the action of the step has no slope, so what symmetry keeps is kept.

From q0 to q1 in a time h, each body is taken to move its centre of mass straight and to turn
steadily; gravity acts at both ends, forces half way. The slopes of the action A of the step by q0
and q1 are the momenta it takes at its start and leaves at its end (MW01 §1.5):

    p0 = -dA/dq0,   p1 = dA/dq1,   p = M(q) qd

The first is solved for q1, the second gives qd. The step is symplectic, so that energy stays in
bounds over long runs. A knows nothing of coordinates and does not change when all is moved, turned
or set in motion: momentum, and that about the centre of mass, is kept to the last digits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from typing import ClassVar

from .._algorithms.discrete_momentum import discrete_momenta
from .._algorithms.dynamics import gravity_forces, inverse_dynamics, mass_matrix
from .._scene.accelerations import solve_rows
from .._scene.rows import Row
from .._scene.system import State, System
from .._spatial.scalar import Scalar, absolute, maximum
from .._spatial.sums import scale
from .._tree.configuration import integrate, normalize
from .._tree.tree import BodyList, Tree
from .discrete_forces import discrete_forces, fixed_rows
from .equations import Limits, solve_step, stuck_at
from .integrator import Integrator


@dataclass(frozen=True)
class Variational(Integrator):
    """Slopes of a discrete action; forces are taken half way."""

    constraints: ClassVar[bool] = False
    states: ClassVar[bool] = False
    solves: ClassVar[bool] = True
    loops: ClassVar[bool] = True

    def step(self, system: System, state: State, h: Scalar) -> State:
        """The state a time h later."""
        tree, q0, rate = system.tree, state.q, system.tree.vector(state.qd)
        half, end = state.t + 0.5 * h, state.t + h
        there = falling_momentum(tree, q0, rate, 0.5 * h)

        def momenta(d: list[Scalar]) -> tuple[BodyList, list[Scalar], list[Scalar]]:
            """q, momentum that the step takes less what there is, and what it leaves, times h."""
            q = integrate(tree, q0, tree.rates(d))
            bodies = discrete_momenta(tree, q0, q)
            forces = discrete_forces(system, q0, q, h, half)
            taken, left = (
                [x + y for x, y in zip(*each, strict=True)]
                for each in zip(bodies, forces, strict=True)
            )
            return q, [x - h * p for x, p in zip(taken, there, strict=True)], left

        def residual(d: list[Scalar]) -> list[Scalar]:
            """What is left over of momenta, or what limits or fixed coordinates are off instead."""
            q, impulses, _ = momenta(d)
            fixed = fixed_rows(system, q0, q, rate, h, half)
            impulses = limits.kept(impulses, d, slopes)
            return [fixed.get(k, x) for k, x in enumerate(impulses)]

        def slope(d: list[Scalar]) -> list[list[Scalar]]:
            """Of the residual, for bodies that do not turn: M + h/2 D - h^2/4 K."""
            middle = integrate(tree, q0, tree.rates(scale(0.5, d)))
            here = tree.at(middle)
            there = State(half, middle, here.rates(scale(1.0 / h, d)), {})
            slopes = system.loads(there, slopes="all").slopes
            added = system.added_inertia(there, slopes, 0.5 * h).matrix
            M = here.matrix(mass_matrix(here, middle))
            rows = [
                [x + y for x, y in zip(*row, strict=True)] for row in zip(M, added, strict=True)
            ]
            for j in fixed_rows(system, q0, middle, rate, h, half):
                rows[j] = [float(j == k) for k in range(len(d))]
            return rows

        guess, limits = scale(h, rate), Limits.of(system, state, h)
        slopes = slope(guess)
        d, found = solve_step(residual, limits.slopes(slopes, guess), guess)
        q, impulses, left = momenta(d)
        rates = system.fixed_rates(q, state.qd, end, h, mean=half, tracking=True)
        rows = [Row({j: 1.0}, x, fixes=True) for j, x in rates.items()]
        tree = tree.at(q)
        weight = tree.vector(gravity_forces(tree, q))
        p = [x / h - 0.5 * h * g for x, g in zip(left, weight, strict=True)]
        qd, more, _ = solve_rows(tree.matrix(mass_matrix(tree, q)), p, rows, symmetric=True)
        taken = [(x / h + y) / h for x, y in zip(impulses, more, strict=True)]
        off = [0.0 if k in rates else x / (h * h) for k, x in enumerate(residual(d))]
        free, held = map(absolute, off), {*rates, *limits.coordinates}
        forces = [x if k in held else 0.0 for k, x in enumerate(taken)] if held else []
        q, qd = normalize(tree, q, tree.rates(qd))
        stuck = stuck_at(found, off)
        return State(end, q, qd, {}, {}, forces, reduce(maximum, free, 0.0), stuck)


def falling_momentum(tree: Tree, q, rate, time) -> list:
    """M(q) qd after gravity has acted for a time: M qd - time g(q).

    As joint forces that take a figure at rest to this velocity in unit time.
    """
    still = tree.at_rest()
    nothing = tree.no_wrenches()
    lifted = replace(tree, gravity=tree.gravity * -time)
    return tree.vector(inverse_dynamics(lifted, q, still, tree.rates(rate), nothing))
