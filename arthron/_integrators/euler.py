"""Euler's three: one step in time, from what acts now or at the end.

What forces do, and how they change, is traced into a step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from .._pages.differentiate import jacobian
from .._pages.takes import takes
from .._scene.accelerations import AddedInertia, fixed, step_matrix
from .._scene.contact_step import collided
from .._scene.loads import extrapolated_forces
from .._scene.rows import Row
from .._scene.system import State, System
from .._spatial.scalar import Scalar
from .._spatial.sums import dot
from .._tree.body_lists import add_lists, step_list
from .._tree.tree import BodyList, JointForces, Tree
from .integrator import Integrator, advanced, one_of


@dataclass(frozen=True)
class SemiImplicitEuler(Integrator):
    """qd first, from the forces now; then q, from the new qd.

    The damping of joints is that at the end of the step, (M + h D) qdd = tau - bias, which costs
    nothing and stays stable for light links; all else is as it is now.
    """

    contact = True

    def step(self, system: System, state: State, h: Scalar) -> State:
        """The state a time h later."""
        now = system.loads(state, slopes="joints")
        damped = list(system.tree.armature)
        for slopes in now.slopes:
            k = 0
            for port in slopes.ports:
                own = range(k, k := k + port.size)
                damped[port.body] = tuple(
                    a + h * slopes.D[j][j] for a, j in zip(damped[port.body], own, strict=True)
                )
        rows = system.velocity_rows(state, state.t + h, h)
        stiff = replace(system.tree, armature=tuple(damped))
        rate, found = ended(system, state, now.f_ext, now.tau, rows, h, stiff=stiff)
        return replace(advanced(system, state, rate, rate, h), **found)


@dataclass(frozen=True)
class ExplicitEuler(Integrator):
    """q and qd from the velocities and the forces now.

    The new velocity moves q in the step after this one: it is that one's end at which constraints
    hold. Coordinates that are fixed move with their new velocity, and end where they should.
    """

    def step(self, system: System, state: State, h: Scalar) -> State:
        """The state a time h later."""
        now, tree, end = system.loads(state), system.tree, state.t + h
        fixing = [row for row in system.velocity_rows(state, end, h) if row.fixes]
        ends = fixed(fixing)
        rate = [ends.get(k, x) for k, x in enumerate(tree.vector(state.qd))]
        later = []
        for row in system.velocity_rows(state, end + h, h):
            speed = dot(list(row.G.values()), [rate[j] for j in row.G])
            if row.gap is not None:
                later.append(row.after(h * speed, h))
            elif not row.fixes:
                later.append(row._replace(b=row.b - speed))
        rows = on_accelerations(system, state, [*fixing, *later], h)
        qdd, forces, multipliers = system.solve(state, now.f_ext, now.tau, rows)
        after = advanced(system, state, tree.rates(rate), step_list(state.qd, qdd, h), h)
        return replace(after, forces=forces, multipliers=multipliers)


@dataclass(frozen=True)
class ImplicitEuler(Integrator):
    """Linearly implicit: (M + h D - h^2 K) qdd = tau + h K qd - bias (S19 2.75).

    K and D are slopes of the forces: "symmetric", the symmetric part of what they are for links and
    joints (S19), "exact", those of the joint forces they come to, the controller's included, or
    "none". Gravity and velocity products are explicit. Forces that depend on time are those at the
    end of the step. The solver is "dense", with factors of the matrix, or "recursive", with the
    terms of K and D in articulated inertias (S19 Alg. 10); "auto" takes what costs less.
    """

    slopes: str = "symmetric"
    solver: str = "auto"

    @property
    def contact(self) -> bool:  # type: ignore[override]
        """Whether the matrix of its steps is symmetric."""
        return self.slopes != "exact"

    def __post_init__(self) -> None:
        one_of("slopes", self.slopes, ("symmetric", "exact", "none"))
        one_of("solver", self.solver, ("auto", "dense", "recursive"))

    def step(self, system: System, state: State, h: Scalar) -> State:
        """The state a time h later."""
        tree, end = system.tree, state.t + h
        now = system.loads(state.at(end), slopes="all" if self.slopes == "symmetric" else "none")
        f_ext, tau = extrapolated_forces(now, h)
        if self.slopes == "exact":
            K, D = exact_slopes(system, state.at(end))
            rate = tree.vector(state.qd)
            tau = JointForces(add_lists(tau, tree.forces([h * dot(row, rate) for row in K])))
            matrix = [[h * (d - h * k) for d, k in zip(*rows, strict=True)]
                      for rows in zip(D, K, strict=True)]  # fmt: skip
            more = AddedInertia(matrix, symmetric=False)
        else:
            more = system.added_inertia(state, now.slopes, h)
        rows = system.velocity_rows(state, end, h)
        rate, found = ended(system, state, f_ext, tau, rows, h, more, self.solver)
        return replace(advanced(system, state, rate, rate, h), **found)


def ended(
    system: System, state: State, f_ext: BodyList, tau: JointForces, rows: Sequence[Row], h: Scalar,
    added: AddedInertia | None = None, solver: str = "auto", stiff: Tree | None = None,
) -> tuple[BodyList, dict[str, Any]]:  # fmt: skip
    """Velocities at the end of a step under rows on them, and what a state says of rows.

    `stiff` is the figure with what is implicit at joints in its armature, if that is known.
    """
    implicit = system if stiff is None else replace(system, tree=stiff)
    if not system.touching:
        own = on_accelerations(system, state, rows, h)
        qdd, forces, multipliers = implicit.solve(state, f_ext, tau, own, added, solver)
        rate = step_list(state.qd, qdd, h)
        return rate, {"forces": forces, "multipliers": multipliers}
    own = on_accelerations(system, state, [row for row in rows if row.gap is None], h)
    qdd, forces, multipliers = implicit.solve(state, f_ext, tau, own, added, solver)
    tree = implicit.at(state)[0].tree
    A = step_matrix(tree, state.q, added)
    free = tree.vector(step_list(state.qd, qdd, h))
    hit = collided(system, state, A, tree if added is None else None, free, rows, h)
    total = [x + y for x, y in zip(forces or [0.0] * tree.nv, hit.forces, strict=True)]
    multipliers = hit.with_equations(rows, multipliers)
    return tree.rates(hit.v), {"forces": total, "multipliers": multipliers, **hit.report}


def exact_slopes(system: System, state: State) -> tuple[list, list]:
    """Slope by q of all joint forces, and minus that by qd, controllers' included."""

    @takes(t=())
    def total(tree: Tree, q, qd, t) -> JointForces:
        return replace(system, tree=tree).joint_forces(State(t, q, qd, state.more))

    given = system.tree, state.q, state.qd, state.t
    K, D = (jacobian(total, wrt)(*given) for wrt in ("q", "qd"))
    return K, [[-x for x in row] for row in D]


def on_accelerations(system: System, state: State, rows: Sequence[Row], h: Scalar) -> list[Row]:
    """Rows on velocities at the end of a step as rows on the acceleration that leads there."""
    if not rows:
        return []
    qd, per = system.tree.vector(state.qd), 1.0 / h
    return [
        row._replace(b=(row.b - dot(list(row.G.values()), [qd[j] for j in row.G])) * per)
        for row in rows
    ]
