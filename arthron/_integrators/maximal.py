"""Maximal coordinates: each body by itself, held by rows of its joints (S19 §1.8 to 1.12)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import ClassVar

from .._algorithms.products import of_wrenches
from .._graph.iterate import iterate
from .._maximal.body_rows import LOOSE
from .._maximal.free_bodies import Bodies
from .._maximal.joints_as_rows import found_coordinates, gaps, joint_rows, rates
from .._maximal.newton_euler import Equations
from .._maximal.port_rows import velocity_rows
from .._maximal.post_stabilisation import projected
from .._scene.system import State, System
from .._spatial.scalar import Scalar, absolute, maximum, where
from .._spatial.sums import axpy, dot
from .._tree.body_lists import add_lists
from .._tree.configuration import normalize
from .._tree.tree import BodyList, Tree
from .._tree.unattached import unattached_rates
from ..errors import SimulationError
from .integrator import Integrator

POSES, TWISTS, WRENCHES = "bodies.poses", "bodies.twists", "joint wrenches"


@dataclass(frozen=True)
class Maximal(Integrator):
    """Linearly implicit Euler in maximal coordinates (S19 1.29, 1.30, 1.73).

    A pose and a twist of each body are what goes on in time, and joints are rows that hold them; q
    and qd are found from these. Slopes of all forces are implicit, as in "implicit Euler". Joints
    drift apart by what poses bend in a step, which comes back as the scene's `stabilisation` has
    it: at a rate gamma (S19 1.81), within one step if left out, or by projection of all bodies.
    """

    solves: ClassVar[bool] = True
    projects: ClassVar[bool] = True
    per_body: ClassVar[Mapping[str, int]] = {POSES: 7, TWISTS: 6, WRENCHES: 6}
    recorded: ClassVar[Sequence[str]] = (WRENCHES,)

    def step(self, system: System, state: State, h: Scalar) -> State:
        """The state a time h later."""
        if system.tree.joint[0].nv > LOOSE:
            raise SimulationError(
                f"joints follow {system.tree.joint[0].nv} coordinates that belong to none of them, "
                f'and "maximal" takes {LOOSE} of these at most. Use "implicit Euler".'
            )
        system, state = system.at(state)
        tree, end, bodies = system.tree, state.t + h, _bodies(system.tree, state)
        given = getattr(system.stabilisation, "gamma", None)
        gamma = 1.0 / h if given is None else given
        X0, v = bodies.X, bodies.v
        now, equations = replace(state, bodies=(X0, v)), Equations(tree, state.q, state.qd, X0, v)
        joints = equations.joints
        back = BodyList([-gamma * x for x in rates(each.C, each.gap)] for each in joints)
        rows = velocity_rows(system, now, joints, end, h, gamma)
        loads = system.loads(now.at(end), slopes="all")
        found = equations.solve(loads, rows, back, h)
        there = bodies.moved(BodyList(x + a * h for x, a in zip(v, found.a, strict=True)), h)
        changes = system.rates(now)
        more = {name: axpy(h, changes[name], x) for name, x in state.more.items()}
        after = replace(state, t=end, more=system.tidied(more))
        if hasattr(system.stabilisation, "tolerance"):  # a projection
            there = projected(system, after, there)
        after = _reached(tree, after, there)
        forces = tree.vector(add_lists(found.tau, of_wrenches(tree, state.q, found.f_ext)))
        poses, twists = there.numbers()
        wrenches = [x for f in found.wrenches[1:] for x in (*f.ang, *f.lin)]
        return replace(
            after, forces=forces if system.constrained else (),
            multipliers=[x for row, x in zip(rows, found.multipliers, strict=True) if row.owner],
            memory={POSES: poses, TWISTS: twists, WRENCHES: wrenches},
        )  # fmt: skip


def _bodies(tree: Tree, state: State) -> Bodies:
    """Bodies where they were left, or where joints put them at the start."""
    left = tuple(state.memory[POSES]), tuple(state.memory[TWISTS])
    fresh = where(dot(left[0][3:7], left[0][3:7]) > 0.0, 0.0, 1.0)  # there is no quaternion yet

    def first(_: tuple) -> tuple[tuple, Scalar]:
        poses, twists = Bodies.of_joints(tree, state.q, state.qd).numbers()
        return (tuple(poses), tuple(twists)), 1.0

    return Bodies.of_numbers(*iterate(first, left, 1, fresh, name="start").values)


def _reached(tree: Tree, state: State, bodies: Bodies) -> State:
    """The state with coordinates of bodies, near those it has, and how far joints are apart."""
    X0, v = bodies.X, bodies.v
    q = found_coordinates(tree, X0, state.q)
    joints = joint_rows(tree, q, X0, v)
    (qd,) = tree.lists(1)
    for i in tree.bodies:
        qd[i] = rates(joints[i].W, v[i] - joints[i].Xup @ v[tree.parent[i]])
    there = tree.at(q)
    qd[0] = unattached_rates(there, qd) if tree.joint[0].nv else ()
    q, qd = normalize(tree, q, there.rates(tree.vector(qd)))
    off = (absolute(x) for each in gaps(tree, joints) for x in each)
    return replace(state, q=q, qd=qd, residual=reduce(maximum, off, 0.0))
