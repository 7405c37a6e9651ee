"""The default: drift, kick, drift.

Half a step at constant velocity, a change of velocity at the pose half way, half a step at the new
velocity. Such a step is its own inverse as time runs back if its kick is, which keeps energy in
bounds for long runs where forces do; and all evaluations are at one pose, so that they share most
of their work.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from .._algorithms.crba import crba
from .._algorithms.products import of_wrenches
from .._scene.accelerations import solve_chosen, step_matrix
from .._scene.active_set import ActiveSet, Inequalities, TrialSolution
from .._scene.contact_step import Collided, collided
from .._scene.rows import Row
from .._scene.system import State, System
from .._spatial.linear_algebra import Ldl
from .._spatial.scalar import Scalar, absolute, divide
from .._spatial.sums import axpy, dot, positive_part
from .._tree.body_lists import add_lists, step_list
from .._tree.configuration import normalize
from .._tree.tree import BodyList, JointForces, Tree
from .equations import Limits
from .flight import drift, in_flight, turning, with_momentum
from .integrator import Integrator

STAGES = ((), (0.5,), (0.0, 1.0))
"""Where velocities are that the kick is evaluated at: parts of accelerations before."""
WEIGHTS = (0.25, 0.5, 0.25)
"""How much each counts. For forces that are quadratic in velocities the kick is its own inverse up
to terms of the sixth order."""


@dataclass(frozen=True)
class Leapfrog(Integrator):
    """Drift, kick, drift: of second order, and almost its own inverse.

    Stiffness K and damping D of joints, springs' and controllers', are implicit:

        q' = q + h/2 v,  (M + h theta (D + h/2 K)) a = tau - bias at q',
        v1 = v + h a,    q1 = q' + h/2 v1 + h^2 (theta - 1/2) a

    with theta from 1/2, where there is no damping, to 1, where it is strong, such that a damped
    joint slows down as exp(-z), z = h D / m, to the third order (Pade 1, 2). What flies keeps its
    momentum. Links' own forces are explicit. Contact is that half way (Moreau's time stepping).
    """

    contact = True

    def step(self, system: System, state: State, h: Scalar) -> State:
        """The state a time h later."""
        tree, half = system.tree, 0.5 * h
        q, v = drift(tree, state.q, state.qd, half)
        rates = system.rates(state)
        more = {name: axpy(half, rates[name], x) for name, x in state.more.items()}
        system, middle = system.at(State(state.t + half, q, v, more, state.memory))
        tree, v = system.tree, middle.qd
        K, D = joint_slopes(system, middle)
        theta = damping_weights(tree, D, h)
        inertia = _each(lambda x, d, k: h * x * (d + half * k), theta, D, K)
        bounds = bounds_at(system, middle, theta, h)
        above = None if system.touching else bounds  # contact takes them along

        def kicked(chosen: ActiveSet | None) -> TrialSolution:
            """The mean kick; behind it, all that acts on the root from outside."""
            kicks: list[TrialSolution] = []
            for row in STAGES:
                w = v
                for part, kick in zip(row, kicks, strict=True):
                    w = step_list(w, tree.rates(kick.x), part * h) if part else w
                _, at = system.at(replace(middle, qd=w))
                kicks.append(evaluated(system, state, at, v, D, inertia, h, above, chosen))
            return TrialSolution(*(_mean(x) for x in zip(*kicks, strict=True)))

        limits = Inequalities(rows_at(system, state, middle, v, h, above))
        if limits:
            found = limits.settled(kicked, tree.nv, tree.joint[1].nv)
        else:
            found = kicked(None)
        a, outer, multipliers = tree.rates(found.x), found.more, limits.by_row(found)
        forces, more_of_step = limits.forces(found) if system.constrained else (), {}
        if system.touching:
            rows = rows_at(system, state, middle, v, h, bounds)
            hit = hit_at(system, middle, inertia, a, rows, h)
            a = tree.rates([(x - y) / h for x, y in zip(hit.v, tree.vector(v), strict=True)])
            own = hit.forces[tree.v_start[1] : tree.v_start[2]]
            outer = [x + y for x, y in zip(outer, own, strict=True)]
            forces = [x + y for x, y in zip(forces, hit.forces, strict=True)]
            multipliers = hit.with_equations(rows, multipliers)
            more_of_step = hit.report
        rates = system.rates(system.at(replace(middle, qd=step_list(v, a, half)))[1])
        more = {name: axpy(h, rates[name], x) for name, x in state.more.items()}
        late = _each(lambda x, y: h * h * (x - 0.5) * y, theta, a)  # q moves at theta, too
        q1, v1 = drift(tree, q, step_list(v, a, h), half, late)
        q1 = Limits.outward(system, state, h).clipped(tree, state.q, q1)
        after = system.consistent(State(state.t + h, q1, v1, system.tidied(more)))
        _, after = system.at(after)
        q1, v1 = after.q, after.qd
        if in_flight(system):
            q1, v1 = with_momentum(tree, state, q, q1, v1, outer, h)
        q1, v1 = normalize(tree, q1, v1)
        after = replace(after, q=q1, qd=v1, forces=forces, multipliers=multipliers)
        return replace(after, **more_of_step)


def evaluated(
    system: System, start: State, at: State, v: BodyList, D: BodyList, inertia: BodyList, h: Scalar,
    bounds: Sequence[Row] | None, chosen: ActiveSet | None,
) -> TrialSolution:  # fmt: skip
    """A kick at a velocity, its damping linear around that at the beginning, v.

    Accelerations of floating bodies are in axes that do not turn. Behind it are the joint forces of
    all that acts at the first body: those at a floating root are the wrench from outside.
    """
    tree, now = system.at(at)[0].tree, system.loads(at)
    turn = turning(tree, at.qd)
    damped = _each(lambda d, x, y: d * (x - y), D, at.qd, v)
    tau = _each(lambda f, g, k, x: f + g - k * x, now.tau, damped, inertia, turn)
    armature = add_lists(BodyList(tree.armature), inertia)
    stiff = replace(tree, armature=tuple(armature))
    shift = tree.vector(turn)
    bounds = [row._replace(b=row.b - dot(list(row.G.values()), [shift[j] for j in row.G]))
              for row in bounds] if bounds is not None else None  # fmt: skip
    rows = rows_at(system, start, at, v, h, bounds)
    given = at.q, at.qd, now.f_ext, JointForces(tau), rows
    found = solve_chosen(stiff, *given, chosen=chosen)
    outer = add_lists(tau, of_wrenches(tree, at.q, now.f_ext))
    outer = _each(lambda f, k, x: f - k * x, outer, inertia, tree.accelerations(found.x))
    x = [a + b for a, b in zip(found.x, shift, strict=True)]
    return found._replace(x=x, more=list(outer[1]))


def rows_at(
    system: System, start: State, at: State, v: BodyList, h: Scalar, bounds: Sequence[Row] | None
) -> list[Row]:
    """Rows on accelerations half way, inequalities as they are given, or none.

    Coordinates that are fixed get the velocity that they should have at the end. Constraints hold
    to the second order; what they were off at the start, half of it is gone at the end.
    """
    tree, end = system.tree, start.t + h
    q1, v1 = drift(tree, at.q, v, 0.5 * h)
    fixed = system.fixed_rates(q1, start.qd, end, h, mean=at.t, tracking=True)
    wanted = tree.rates([fixed.get(j, x) for j, x in enumerate(tree.vector(v1))])
    _, wanted = drift(tree, q1, wanted, -0.5 * h)  # in axes half way
    change = _each(lambda x, y, z: (x - y) / h - z, wanted, v, turning(tree, at.qd))
    rows = [Row({j: 1.0}, x, fixes=True) for j, x in enumerate(tree.vector(change)) if j in fixed]
    each = iter(bounds or ())
    for row in system.acceleration_rows(at, back=0.5 / h, off=start):
        if not row.fixes and (row.gap is None or bounds is not None):
            rows.append(row if row.gap is None else next(each))
    return rows


def bounds_at(system: System, middle: State, theta: BodyList, h: Scalar) -> list[Row]:
    """Inequalities on accelerations half way.

    From the middle of one step to that of the next, q goes h v1 + h^2 (theta - 1/2) a: there what
    is kept above zero is at zero at the earliest, and at the ends, between two such, above it.
    """
    if not system.bounded:
        return []
    tree = system.tree
    v, parts = tree.vector(middle.qd), tree.vector(theta)
    rows = []
    for row in system.velocity_rows(middle, middle.t + h, h):
        if row.gap is not None:
            per = divide(1.0, h * (parts[row.bound[0]] + 0.5) if row.bound else h)
            along = dot(list(row.G.values()), [v[j] for j in row.G])
            rows.append(row._replace(b=(row.b - along) * per))
    return rows


def hit_at(
    system: System, middle: State, inertia: BodyList, a: BodyList, rows: Sequence[Row], h: Scalar
) -> Collided:
    """What contact half way makes of accelerations, with rows on accelerations there."""
    tree = system.tree
    stiff = replace(tree, armature=tuple(add_lists(BodyList(tree.armature), inertia)))
    v = tree.vector(middle.qd)
    on_rates = []
    for row in rows:
        along = dot(list(row.G.values()), [v[j] for j in row.G])
        on_rates.append(row if row.gap is None else row._replace(b=along + h * row.b))
    A = step_matrix(stiff, middle.q)
    return collided(system, middle, A, stiff, tree.vector(step_list(middle.qd, a, h)), on_rates, h)


def joint_slopes(system: System, state: State) -> tuple[BodyList, BodyList]:
    """(K, D): minus the slopes of each joint force by its own coordinate, and by its velocity.

    Of springs and dampers at joints and of controllers together; zero where they are negative.
    """
    tree = system.tree
    K, D = (tree.at_rest() for _ in range(2))

    def add(to: BodyList, i: int, slopes: Sequence[Scalar]) -> None:
        to[i] = tuple(a + b for a, b in zip(to[i], slopes, strict=True))

    for each in system.loads(state, slopes="joints").slopes:
        k = 0
        for port in each.ports:
            own = range(k, k := k + port.size)
            add(K, port.body, [-each.K[j][j] for j in own])
            add(D, port.body, [each.D[j][j] for j in own])
    K, D = (BodyList(tuple(map(positive_part, joint)) for joint in x) for x in (K, D))
    return K, D


def damping_weights(tree: Tree, D: BodyList, h: Scalar) -> BodyList:
    """theta = (3 m + h D) / (6 m + h D): how much of the velocity at the end damping is taken at.

    m is the inertia of a joint at the neutral pose with all joints behind it free.
    """
    if all(isinstance(d, float) and d == 0.0 for joint in D for d in joint):
        return _each(lambda d: 0.5, D)
    neutral = [x for i in tree.own for x in tree.joint[i].neutral()]
    there = tree.at(neutral)
    factors = Ldl(there.matrix(crba(there, there.positions(neutral))))
    m = _each(absolute, there.rates([divide(1.0, w) for w in factors.w]))
    return _each(
        lambda d, m: 0.5 if isinstance(d, float) and d == 0.0
        else divide(3.0 * m + h * d, 6.0 * m + h * d), D, m
    )  # fmt: skip


def _each(function: Callable[..., Scalar], *lists: BodyList) -> BodyList:
    """A function of each coordinate, by joint."""
    joints = zip(*lists, strict=True)
    return BodyList(tuple(map(function, *(x or () for x in joint))) for joint in joints)


def _mean(each: Sequence[Sequence[Scalar]]) -> list[Scalar]:
    """The weighted mean of what evaluations gave."""
    return [dot(WEIGHTS, x) for x in zip(*each, strict=True)]
