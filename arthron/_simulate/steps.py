"""One step in time, as a page: the state a moment later.

Each takes `(tree, q, qd, k, h, pushes)`: the state, how many steps of length h have led to it, and
joint forces from outside. It returns `(q, qd, k + 1)` at the end, and behind them, when some joints
move as told, the joint forces that takes. What the scene's forces do, and how they change, is
traced into it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from .._algorithms.configuration import integrate, normalize
from .._algorithms.crba import crba
from .._algorithms.dynamics import bias_forces, deep, forward_dynamics
from .._algorithms.energy import kinetic_energy, potential_energy
from .._algorithms.hybrid import hybrid_dynamics
from .._algorithms.inverse_mass import inverse_mass_product
from .._algorithms.products import of_wrenches
from .._algorithms.takes import takes
from .._differentiate import jacobian
from .._model.tree import BodyList, JointForces, Tree
from .._scene.ask import ask
from .._scene.lists import added, dot, moved, times
from .._scene.loads import added_inertia, body_and_joint_terms, loads, stepped
from .._scene.prescribed import (
    prescribed_accelerations,
    prescribed_joints,
    prescribed_rates,
)
from .._scene.scene import Scene
from .._spatial.scalar import Scalar
from .._spatial.solve import Ldl, eliminated
from ..errors import SimulationError

Step = Callable[..., tuple]

SLOPES = ("symmetric", "exact", "none")
"""Which slopes of forces linearly implicit steps may use."""


def semi_implicit_euler(scene: Scene) -> Step:
    """qd first, from the forces now; then q, from the new qd (symplectic Euler).

    The damping of joints is that at the end of the step, (M + h D) qdd = tau - bias, which costs
    nothing and stays stable for light links; all else is as it is now.
    """

    @takes(k=(), h=(), pushes=("nv",))
    def step(tree: Tree, q, qd, k, h, pushes) -> tuple:
        t, end = h * k, h * (k + 1.0)
        joints = loads(scene, tree, q, qd, t, slopes=True).joints
        damped = list(tree.armature)
        for i, (_, D) in joints.items():
            damped[i] = tuple(
                a + h * row[j] for j, (a, row) in enumerate(zip(damped[i], D, strict=True))
            )
        tree = replace(tree, armature=tuple(damped))
        qdd, forces = acceleration(scene, tree, q, qd, t, (end, h), pushes)
        rate = moved(qd, qdd, h)
        q, qd = normalize(tree, integrate(tree, q, times(rate, h)), rate)
        return (q, qd, k + 1.0, *forces)

    return step


def explicit_euler(scene: Scene) -> Step:
    """q and qd from the velocities and the forces now."""

    @takes(k=(), h=(), pushes=("nv",))
    def step(tree: Tree, q, qd, k, h, pushes) -> tuple:
        t, end = h * k, h * (k + 1.0)
        qdd, forces = acceleration(scene, tree, q, qd, t, (end, h), pushes)
        after, rate = moved(qd, qdd, h), BodyList(qd)
        for i in prescribed_joints(scene):  # these end where they should
            rate[i] = after[i]
        q, qd = normalize(tree, integrate(tree, q, times(rate, h)), after)
        return (q, qd, k + 1.0, *forces)

    return step


def implicit_euler(scene: Scene, implicit: str = "symmetric", solver: str = "auto") -> Step:
    """Linearly implicit: (M + h D - h^2 K) dqd = h (tau + h K qd - bias) (S19 2.75).

    K and D are slopes of the scene's forces: "symmetric", the symmetric part of what they are for
    links and joints (S19), "exact", those of the joint forces they come to, the controller's
    included, or "none". Gravity and velocity products are explicit. Forces that depend on time are
    those at the end of the step. Joints that move as told have their dqd (S19 2.103). The solver is
    "dense", with factors of the matrix, or "recursive", with the terms of K and D in articulated
    inertias (S19 Alg. 10), which is what long figures of simple forces get.
    """

    @takes(k=(), h=(), pushes=("nv",))
    def step(tree: Tree, q, qd, k, h, pushes) -> tuple:
        end = h * (k + 1.0)
        now = loads(scene, tree, q, qd, end, slopes=implicit == "symmetric")
        f_ext, tau = stepped(tree, now, qd, h)
        tau = JointForces(added(tau, control(scene, tree, q, qd, end, pushes)))
        bias = tree.vector(bias_forces(tree, q, qd, f_ext))
        push = [h * (x - b) for x, b in zip(tree.vector(tau), bias, strict=True)]
        more = tree.dense(added_inertia(tree, q, now, h))
        if implicit == "exact":
            K, D = exact_slopes(scene, tree, q, qd, end)
            rate = tree.vector(qd)
            push = [x + h * h * dot(row, rate) for x, row in zip(push, K, strict=True)]
            more = [[h * (d - h * k) for d, k in zip(*rows, strict=True)]
                    for rows in zip(D, K, strict=True)]  # fmt: skip
        forces: tuple = ()
        short = implicit != "exact" and recursive(scene, tree, solver)
        terms = body_and_joint_terms(tree, now, h) if short else None
        if terms is not None:
            change = inverse_mass_product(tree, q, push, terms[1], terms[0])
        else:
            told = tree.vector(moved(prescribed_rates(scene, tree, q, qd, end, h), qd, -1.0))
            given = {
                j: told[j]
                for i in prescribed_joints(scene)
                for j in range(tree.v_start[i], tree.v_start[i + 1])
            }
            A = tree.dense(crba(tree, q))
            A = [[x + y for x, y in zip(*rows, strict=True)] for rows in zip(A, more, strict=True)]
            found, reaction = solve_with(A, push, given, symmetric=implicit != "exact")
            change = tree.rates(found)
            forces = ([x / h for x in reaction],) if given else ()
        after = moved(qd, change, 1.0)
        q, qd = normalize(tree, integrate(tree, q, times(after, h)), after)
        return (q, qd, k + 1.0, *forces)

    return step


def exact_slopes(scene: Scene, tree: Tree, q, qd, t) -> tuple[list, list]:
    """Slope by q of all joint forces of a scene, and minus that by qd."""

    @takes(t=())
    def total(tree: Tree, q, qd, t) -> JointForces:
        return joint_forces(scene, tree, q, qd, t)

    K = jacobian(total, "q")(tree, q, qd, t)
    return K, [[-x for x in row] for row in jacobian(total, "qd")(tree, q, qd, t)]


def recursive(scene: Scene, tree: Tree, solver: str) -> bool:
    """Whether to solve by recursion: if asked to, or when it costs less."""
    if solver != "auto" or scene.prescribed or any(tree.follow):
        return solver == "recursive"
    return deep(tree)


def solve_with(
    A: Sequence, b: Sequence, given: dict[int, Scalar], *, symmetric: bool
) -> tuple[list, list]:
    """(x, r) with A x = b + r, where some x are given and r is zero at the others."""
    n = range(len(b))
    free = [k for k in n if k not in given]
    rest = [b[i] - dot([A[i][k] for k in given], list(given.values())) for i in free]
    inner = [[A[i][j] for j in free] for i in free]
    solved = Ldl(inner).solve(rest) if symmetric else eliminated(inner, rest)
    found = dict(zip(free, solved, strict=True))
    x = [given[k] if k in given else found[k] for k in n]
    r = [dot(A[k], x) - b[k] if k in given else 0.0 for k in n]
    return x, r


def acceleration(
    scene: Scene, tree: Tree, q, qd, t, step=None, pushes=None
) -> tuple[BodyList, tuple]:
    """qdd of a scene, and the forces of joints that move as told.

    With the end and the length of a step, these are where they should be behind it.
    """
    f_ext, tau, _ = acting(scene, tree, q, qd, t, pushes)
    joints = prescribed_joints(scene)
    if not joints:
        return forward_dynamics(tree, q, qd, tau, f_ext), ()
    if any(tree.follow):
        raise SimulationError(
            "a figure whose joints follow others has joints that move as told: this integrator "
            'cannot do that. Use "implicit Euler", "BDF1", "BDF2" or "variational".'
        )
    if step is None:
        wanted = prescribed_accelerations(scene, tree, q, qd, t)
    else:
        end, h = step
        told = prescribed_rates(scene, tree, q, qd, end, h)
        wanted = times(moved(told, qd, -1.0), 1.0 / h)
    qdd, forces = hybrid_dynamics(tree, q, qd, wanted, tau, f_ext, prescribed=joints)
    reaction = [
        tuple(a - b for a, b in zip(forces[i], tau[i], strict=True))
        if i in joints
        else tree.zero(i)
        for i in range(1, tree.nb + 1)
    ]
    return qdd, (tree.vector(BodyList([(), *reaction])),)


def acting(scene: Scene, tree: Tree, q, qd, t, pushes=None) -> tuple[BodyList, JointForces, Scalar]:
    """Wrenches and joint forces of a scene, its controller's included, and potential energy."""
    now = loads(scene, tree, q, qd, t)
    tau = JointForces(added(now.tau, control(scene, tree, q, qd, t, pushes)))
    return now.f_ext, tau, now.energy


def joint_forces(scene: Scene, tree: Tree, q, qd, t) -> JointForces:
    """All that acts in a scene, as joint forces."""
    f_ext, tau, _ = acting(scene, tree, q, qd, t)
    return JointForces(added(tau, of_wrenches(tree, q, f_ext)))


def control(scene: Scene, tree: Tree, q, qd, t, pushes=None) -> BodyList:
    """Joint forces of the scene's controller, and those given from outside."""
    rest = BodyList(tree.zero(i) for i in range(tree.nb + 1))
    outside = rest if pushes is None else tree.forces(pushes)
    if scene.controller is None:
        return outside
    given = ask("the controller", scene.controller, tree, t, q, qd)
    forces: Any = None
    if isinstance(given, BodyList):
        forces = given if [len(x) for x in given[1:]] == [len(x) for x in rest[1:]] else None
    else:
        each = list(given) if isinstance(given, Iterable) else [given]
        if len(each) == tree.nv and not any(x is None for x in each):
            forces = tree.forces(each)
    if forces is None:
        raise SimulationError(
            f"the controller returned {given!r}. A controller takes (tree, t, q, qd) and returns "
            f"{tree.nv} joint forces, one for each velocity coordinate."
        )
    return added(forces, outside)


def energy(scene: Scene) -> Callable[..., Any]:
    """The page of (kinetic, potential) energy of a scene."""

    @takes(t=())
    def page(tree: Tree, q, qd, t) -> tuple[Scalar, Scalar]:
        stored = loads(scene, tree, q, qd, t).energy
        return kinetic_energy(tree, q, qd), potential_energy(tree, q) + stored

    return page


def pushing(scene: Scene) -> Callable[..., Any]:
    """The page of wrenches and joint forces of a scene, its controller's included."""

    @takes(t=())
    def page(tree: Tree, q, qd, t) -> tuple:
        return acting(scene, tree, q, qd, t)[:2]

    return page


STEPS: dict[str, Callable[..., Step]] = {
    "semi-implicit Euler": semi_implicit_euler,
    "explicit Euler": explicit_euler,
    "implicit Euler": implicit_euler,
}
