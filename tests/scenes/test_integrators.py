"""Steps in time: what each is by definition, and its order."""

import functools

import numpy as np
import pytest
from scene_cases import (
    ALL,
    NEWTON,
    ORDERS,
    apart,
    by_motion,
    close,
    exact,
    figure,
    follower,
    hinges,
    pulls,
    pushes,
    simulate,
    slopes,
    sprung,
    start,
)

import arthron as ar
from arthron import forces
from arthron._scene.accelerations import recursive
from arthron._scene.loads import implicit_matrix
from arthron._scene.rows import Row
from arthron._simulate.native_steps import step_page


def forced():
    """The figure with springs, and forces of time and state that have lopsided slopes."""

    def swirl(q, qd, t):
        return [0.3 * qd[1] - 0.2 * q[1], 0.5 * ar.sin(3.0 * t) - 0.1 * qd[2], 0.4 * q[2] * qd[0]]

    return ar.Scene(figure(), [*pulls(), forces.JointTorque("trunk", swirl)], limits=False)


def timed():
    """The claw, where one finger follows another, with springs and a force of time."""
    return ar.Scene(follower(), [
        forces.Spring.per_strain(("three", (0.1, 0, -0.3)), (None, (0.3, 0.2, -0.9)),
                                 8.0, 0.3, 0.5),
        forces.PointToPoint(("two", (0, 0, -0.3)), ("three", (0, 0.1, -0.2)), 5.0),
        forces.JointSpring("palm", 3.0, 0.1),
        forces.JointSpring("two", 40.0, 0.5),
        forces.JointTorque("one", lambda q, qd, t: ar.cos(2.0 * t) - 0.1 * qd[0]),
    ])  # fmt: skip


SCENES = {"puppet": forced, "claw": timed}
H = 0.01


def free_fall(scene, q, qd, t):
    """qdd of a scene, by its mass matrix."""
    model = scene.model
    push = pushes(scene, q, qd, t) - model.bias_forces(q, qd)
    return np.linalg.solve(model.mass_matrix(q), push[..., None])[..., 0]


def residual_forces(scene, q, qd, qdd, t):
    """Joint forces that a motion takes and nothing gives."""
    return scene.model.inverse_dynamics(q, qd, qdd) - pushes(scene, q, qd, t)


def by_rate(scene, q, qd, t):
    e = np.eye(scene.model.nv)
    many = np.broadcast_to(q, (len(e), len(q)))
    sides = [pushes(scene, many, qd + sign * 1e-4 * e, t) for sign in (1.0, -1.0)]
    return (sides[0] - sides[1]).T / 2e-4


# Each step by its definition


def at_joints(scene):
    """The scene with its forces at joints alone."""
    return ar.Scene(scene.model, [f for f in scene.elements if not f.links], limits=False)


@pytest.mark.parametrize("name", SCENES)
def test_a_step_that_is_explicit(name):
    scene = SCENES[name]()
    model = scene.model
    q, qd = start(model, 1)
    found = simulate(scene, 5 * H, H, "explicit Euler", q=q, qd=qd)
    for k in range(5):
        after = qd + H * free_fall(scene, q, qd, k * H)
        q, qd = model.integrate(q, H * qd), after
        assert apart(model, found.q[k + 1], q) < 1e-12
        close(found.qd[k + 1], qd, 1e-12)


@pytest.mark.parametrize("name", SCENES)
def test_a_step_that_is_semi_implicit(name):
    """Forces as they are now, but the damping of each joint coordinate as it will be."""
    scene = SCENES[name]()
    model = scene.model
    q, qd = start(model, 1)
    found = simulate(scene, 5 * H, H, "semi-implicit Euler", q=q, qd=qd)
    for k in range(5):
        damp = np.diag(np.diag(-by_rate(at_joints(scene), q, qd, k * H)))
        push = pushes(scene, q, qd, k * H) - model.bias_forces(q, qd)
        qd = qd + H * np.linalg.solve(model.mass_matrix(q) + H * damp, push)
        q = model.integrate(q, H * qd)
        assert apart(model, found.q[k + 1], q) < 1e-10
        close(found.qd[k + 1], qd, 1e-9)


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("implicit", ["symmetric", "exact", "none"])
def test_a_step_that_is_linearly_implicit(implicit, name):
    scene = SCENES[name]()
    model = scene.model
    q, qd = start(model, 2)
    found = simulate(scene, 3 * H, H, "implicit Euler", q=q, qd=qd, slopes=implicit)
    for k in range(3):
        end = (k + 1) * H
        stiff, damp = 0.0 * model.mass_matrix(q), 0.0 * model.mass_matrix(q)
        if implicit == "exact":
            stiff = by_motion(lambda q: pushes(scene, q, qd, end), model, q)  # noqa: B023
            damp = -by_rate(scene, q, qd, end)
        elif implicit == "symmetric":  # of links; of joints as it is
            damp, stiff = (
                slopes(
                    scene, q, qd, end, lambda tree, q, now, h=h: implicit_matrix(tree, q, now, h)
                )
                for h in (1e-9, 1.0)
            )
            damp = damp / 1e-9
            stiff = damp - stiff
            damp, stiff = 0.5 * (damp + damp.T), 0.5 * (stiff + stiff.T)
        push = pushes(scene, q, qd, end) + H * stiff @ qd - model.bias_forces(q, qd)
        A = model.mass_matrix(q) + H * damp - H * H * stiff
        qd = qd + np.linalg.solve(A, H * push)
        q = model.integrate(q, H * qd)
        assert apart(model, found.q[k + 1], q) < 1e-8
        close(found.qd[k + 1], qd, 1e-6)


@pytest.mark.parametrize("name", SCENES)
def test_a_step_of_the_first_backward_difference(name):
    scene = SCENES[name]()
    model = scene.model
    q, qd = start(model, 3)
    found = simulate(scene, 5 * H, H, "BDF1", q=q, qd=qd)
    for k in range(5):
        v = model.difference(found.q[k], found.q[k + 1]) / H
        close(found.qd[k + 1], v, 1e-11)
        residual = residual_forces(scene, found.q[k + 1], v, (v - found.qd[k]) / H, (k + 1) * H)
        assert np.abs(residual).max() < 1e-7


@pytest.mark.parametrize("name", SCENES)
def test_a_step_of_the_second_backward_difference(name):
    scene = SCENES[name]()
    model = scene.model
    q, qd = start(model, 4)
    found = simulate(scene, 6 * H, H, "BDF2", q=q, qd=qd)
    for k in range(1, 6):
        now = model.difference(found.q[k], found.q[k + 1])
        before = model.difference(found.q[k - 1], found.q[k])
        v = (3.0 * now - before) / (2.0 * H)
        close(found.qd[k + 1], v, 1e-11)
        a = (3.0 * v - 4.0 * found.qd[k] + found.qd[k - 1]) / (2.0 * H)
        assert np.abs(residual_forces(scene, found.q[k + 1], v, a, (k + 1) * H)).max() < 1e-7


def turn(R):
    """Rotation vectors of matrices (..., 3, 3)."""
    sine = 0.5 * np.stack([R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0],
                           R[..., 1, 0] - R[..., 0, 1]], -1)  # fmt: skip
    n = np.linalg.norm(sine, axis=-1, keepdims=True)
    cosine = 0.5 * (np.trace(R, axis1=-2, axis2=-1)[..., None] - 1.0)
    return sine * np.where(n > 0.0, np.arctan2(n, cosine) / np.maximum(n, 1e-300), 1.0)


def momenta(scene, q0, q1, h, t):
    """What a variational step takes at its start and leaves at its end: slopes of its action."""
    model = scene.model
    inertias = [ar.Inertia.from_parameters(list(p))
                for p in model.inertial_parameters().reshape(-1, 10)]  # fmt: skip
    mass, centres, spins = (np.array([f(I) for I in inertias], float) for f in (
        lambda I: I.m, lambda I: I.com(), lambda I: I.about_com()))  # fmt: skip
    gone = model.difference(q0, q1)
    centre = model.integrate(q0, 0.5 * gone)
    force = pushes(scene, centre, gone / h, t + 0.5 * h)

    def action(first, last):
        X, Y = model.body_poses(first), model.body_poses(last)
        w = turn(np.swapaxes(X[..., :3, :3], -1, -2) @ Y[..., :3, :3])
        at = [(P[..., :3, :3] @ centres[..., None])[..., 0] + P[..., :3, 3] for P in (X, Y)]
        twice = np.einsum("...bi,bij,...bj->...", w, spins, w)
        twice = twice + np.einsum("b,...bi->...", mass, (at[1] - at[0]) ** 2)
        m = model.integrate(first, 0.5 * model.difference(first, last))
        away = model.difference(np.broadcast_to(centre, m.shape), m)
        weight = 0.5 * (model.potential_energy(first) + model.potential_energy(last))
        return 0.5 * twice / h + h * (away @ force - weight)

    def at_start(q):
        return action(q, np.broadcast_to(q1, q.shape))

    def at_end(q):
        return action(np.broadcast_to(q0, q.shape), q)

    motors = 0.0
    if not model.tree.followers:
        motors = np.concatenate(model.tree.armature[1:]) * gone / h
    ends = -by_motion(at_start, model, q0, 1e-3), by_motion(at_end, model, q1, 1e-3)
    return ends[0] + motors, ends[1] + motors


@pytest.mark.parametrize("name", SCENES)
def test_a_step_that_is_variational(name):
    scene = SCENES[name]()
    model = scene.model
    q, qd = start(model, 5)
    found = simulate(scene, 5 * H, H, "variational", q=q, qd=qd)
    for k in range(5):
        taken, left = momenta(scene, found.q[k], found.q[k + 1], H, k * H)
        close(model.mass_matrix(found.q[k]) @ found.qd[k], taken, 1e-9)
        close(model.mass_matrix(found.q[k + 1]) @ found.qd[k + 1], left, 1e-9)
    assert 0.0 < found.residual[1:].max() < 1e-8


def test_runge_kutta_obeys_the_equations_of_motion():
    scene, h = timed(), 1e-3
    q, qd = start(scene.model, 6)
    found = simulate(scene, 8 * h, h, "Runge-Kutta", q=q, qd=qd, tolerance=1e-13)
    weights = np.array([3, -32, 168, -672, 0, 672, -168, 32, -3]) / (840.0 * h)
    close(weights @ found.q, found.qd[4], 1e-9)
    close(weights @ found.qd, free_fall(scene, found.q[4], found.qd[4], 4 * h), 1e-9)


# Order of accuracy


@functools.cache
def truth_of(name):
    """How a scene really moves: where from, where to."""
    scene, duration, seed = {"sprung": (sprung(), 0.32, 0), "timed": (timed(), 0.1, 7)}[name]
    q, qd = start(scene.model, seed)
    return q, qd, exact(scene, duration, q, qd)


@pytest.mark.parametrize("integrator", ORDERS)
def test_order_of_accuracy(integrator):
    scene = sprung()
    model, order = scene.model, ORDERS[integrator]
    q, qd, truth = truth_of("sprung")
    errors = []
    for h in (0.005, 0.0025, 0.00125):
        found = simulate(scene, 0.32, h, integrator, q=q, qd=qd)
        end = np.abs(found.qd[-1] - truth.qd[-1]).max()
        errors.append(max(end, apart(model, found.q[-1], truth.q[-1])))
    print(integrator, errors)
    rates = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.abs(rates - order).max() < 0.25


@pytest.mark.parametrize("integrator", ALL)
def test_motion_with_a_follower_comes_to_the_same(integrator):
    scene = timed()
    q, qd, truth = truth_of("timed")
    found = simulate(scene, 0.1, 1e-3, integrator, q=q, qd=qd)
    assert apart(scene.model, found.q[-1], truth.q[-1]) < (0.02 if integrator in ORDERS else 1e-7)


# Both ways to solve


def tangle():
    """A tree of many joints with forces on single links and joints only."""
    kinds = ["revolute", "prismatic", "universal", "spherical", "exponential"]
    model = ar.random_tree(7, 1.4, 0.8, 0.95, joints=kinds, rng=3)
    joints = zip(model.joint_names, model.bodies, strict=True)
    springs = [
        forces.JointSpring(name, 20.0 if body.joint.nq == body.joint.nv else 0.0, 1.0)
        for name, body in joints
    ]
    links = model.body_names
    return ar.Scene(model, [
        *springs,
        forces.BodyDamping(links[-1], 0.2, (0.1, 0.2, 0.3)),
        forces.PointForce(links[2], (1.0, 2.0, -3.0), (0.1, 0.0, 0.2)),
        forces.Spring.per_strain((links[3], (0.1, 0.1, 0.0)), (None, (0.5, 0.2, 0.3)),
                                 50.0, 0.4, 2.0),
    ])  # fmt: skip


def test_dense_and_recursive_solvers_give_the_same_motion():
    scene = tangle()
    model = scene.model
    first, h = start(model, 4), np.float64(0.01)
    states = {}
    for solver in ("dense", "recursive"):
        setup = scene.setup()
        page = step_page(setup, ar.integrators.ImplicitEuler(solver=solver))
        step, numbers = ar.compile(page, model), setup.parameters.pack({})
        q, qd = first
        path = []
        for k in range(200):
            q, qd, _ = step(q, qd, np.float64(k), h, numbers)
            path.append(np.concatenate([model.body_poses(q).ravel(), qd]))
        states[solver] = np.array(path)
    assert not np.array_equal(states["dense"], states["recursive"])  # they are two ways
    close(states["recursive"], states["dense"], 1e-10)
    known = simulate(scene, 2.0, 0.01, "implicit Euler", q=first[0], qd=first[1])
    close(np.concatenate([model.body_poses(known.q[-1]).ravel(), known.qd[-1]]),
          states["dense"][-1], 1e-10)  # fmt: skip


def test_long_figures_are_solved_by_recursion():
    for nb, expected in ((3, False), (40, True)):
        model = ar.random_tree(nb, 1.0, 0.5, 1.0, joints=["revolute"], rng=1)
        assert recursive(model.tree, (), "auto") is expected
    assert not recursive(model.tree, (Row({2: 1.0}, 0.0, fixes=True),), "auto")
    assert not recursive(model.tree, (Row({2: 1.0}, 0.0),), "recursive")  # it knows of no rows
    assert not recursive(follower().tree, (), "auto")


# Where Newton's method has a hard time


@pytest.mark.parametrize("integrator", NEWTON)
def test_newton_finds_what_it_looks_for_even_at_large_steps(integrator):
    """No step is taken that leaves joint forces unexplained."""
    scene, h = sprung(), 0.1
    model = scene.model
    q, qd = start(model, 3, speed=4.0)
    try:
        found = simulate(scene, 3.0, h, integrator, q=q, qd=qd)
    except ar.SimulationError as error:  # it may say that it cannot
        assert "Newton" in str(error)
        found = error.trajectory
    for k in range(1, len(found) - 1):
        if integrator == "variational":
            taken, _ = momenta(scene, found.q[k], found.q[k + 1], h, k * h)
            close(model.mass_matrix(found.q[k]) @ found.qd[k], taken, 1e-7)
            continue
        now = model.difference(found.q[k], found.q[k + 1])
        before = model.difference(found.q[k - 1], found.q[k])
        at, t = found.q[k + 1], (k + 1) * h
        v = now / h if integrator == "BDF1" else (3.0 * now - before) / (2.0 * h)
        a = (v - found.qd[k]) / h
        if integrator == "BDF2":
            a = (3.0 * v - 4.0 * found.qd[k] + found.qd[k - 1]) / (2.0 * h)
        size = np.abs(model.inverse_dynamics(at, v, a)).max()
        assert np.abs(residual_forces(scene, at, v, a, t)).max() < 1e-6 * max(1.0, size)


# What was wrong once


def test_exact_slopes_in_long_figures():
    """Recursion knows the symmetric slopes alone."""
    model = ar.random_tree(24, 1.0, 0.3, 1.0, joints=["revolute"], rng=2)
    scene = ar.Scene(model, [forces.JointSpring(name, 300.0, 1.0) for name in model.joint_names])
    assert recursive(model.tree, (), "auto")
    q, qd = start(model, 1)
    one, other = (
        simulate(scene, 0.02, 0.01, "implicit Euler", q=0.1 * q, qd=qd, slopes=implicit)
        for implicit in ("symmetric", "exact")
    )
    close(other.qd, one.qd, 1e-9)  # springs at joints have symmetric slopes


def test_stiff_controllers_with_slopes():
    model = figure()
    scene = ar.Scene(model, controller=ar.controllers.pd(model.neutral(), 2e4, 200.0))
    q, _ = start(model, 2)
    with pytest.raises(ar.SimulationError):
        simulate(scene, 3.0, 0.02, "implicit Euler", q=q, slopes="none")
    for which in ("symmetric", "exact"):
        calm = simulate(scene, 3.0, 0.02, "implicit Euler", q=q, slopes=which)
        assert np.abs(model.difference(model.neutral(), calm.q[-1])).max() < 0.01


@pytest.mark.parametrize("joint, armature", [
    (ar.Spherical(), (0.2, 0.0, 0.0)), (ar.Spherical("exponential"), (0.0, 0.1, 0.0)),
    (ar.Free(), 0.1), (ar.Universal("x", "y"), (0.3, 0.1)),
])  # fmt: skip
def test_armature_means_the_same_to_a_variational_step(joint, armature):
    shape = ar.Box((0.1, 0.2, 0.3), mass=1, placement=(0.05, 0.1, -0.2))
    model = ar.Model([ar.Body("body", joint, shapes=[shape], armature=armature)])
    scene, (q, qd) = ar.Scene(model), start(model, 2)
    truth = exact(scene, 0.5, q, qd)
    errors = [
        apart(model, simulate(scene, 0.5, h, "variational", q=q, qd=qd).q[-1], truth.q[-1])
        for h in (0.01, 0.005)
    ]
    assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.4)
    assert errors[1] < 2e-3


@pytest.mark.parametrize("root", [ar.Free(), ar.Free("exponential")])
def test_a_variational_figure_that_falls_keeps_its_spin(root):
    """Momentum about the centre of mass, which is off the origin and fast, in any coordinates."""
    link = [ar.Box((0.1, 0.2, 0.3), mass=1, placement=(0.05, 0.1, -0.2))]
    model = ar.Model([
        ar.Body("body", root, shapes=link),
        ar.Body("arm", ar.Spherical(), "body", (0.1, 0.1, -0.4), shapes=link),
        ar.Body("hand", ar.Revolute((1, 2, 0)), "arm", (0.1, 0.1, -0.4), shapes=link),
    ])  # fmt: skip
    qd = np.random.default_rng(2).normal(size=model.nv)
    found = simulate(ar.Scene(model), 3.0, 0.01, "variational", qd=qd)
    momentum = model.momentum(found.q, found.qd)
    assert np.abs(momentum[:, :3] - momentum[0, :3]).max() < 1e-9
    fall = momentum[:, 3:] - model.mass * found.t[:, None] * [0.0, 0.0, -9.81]
    assert np.abs(fall - fall[0]).max() < 1e-9
    centre = model.center_of_mass(found.q)
    path = centre[0] + found.t[:, None] * momentum[0, 3:] / model.mass
    path[:, 2] -= 0.5 * 9.81 * found.t**2
    assert np.abs(centre - path).max() < 1e-9


@pytest.mark.parametrize("integrator", NEWTON)
def test_the_row_that_newton_cannot_solve_is_named(integrator):
    model = hinges()
    brake = forces.JointTorque(
        "leg", lambda q, qd, t: ar.where(q[0] > 3.0, ar.where(qd[0] > 0.0, -1e4, 1e4), 0.0)
    )
    q, qd = start(model, 1, (3,), speed=0.1)
    q[:, model.slice_q("leg")] = np.array([[0.1], [4.0], [0.2]])
    with pytest.warns(ar.SimulationWarning, match=r"in simulation 1: .*most is missing at .*'leg'"):
        run = simulate(ar.Scene(model, [brake]), 1.0, 0.01, integrator, q=q, qd=qd)
    assert run.status.tolist() == ["whole", "failed", "whole"]
    assert run.failures[0].element == "leg"


def test_runge_kutta_does_not_step_over_what_is_short():
    """Where nothing happens its steps would be long; it looks at least once for each kept state."""
    model = ar.Model([ar.Body("cart", ar.Prismatic("x"), shapes=[ar.Sphere(0.1, mass=2)])])
    push = ar.keyframes([1.0, 1.05, 1.1], [0.0, 100.0, 0.0])
    scene = ar.Scene(model, [forces.JointTorque("cart", lambda q, qd, t: push(t))])
    found = simulate(scene, 2.0, 0.01, "Runge-Kutta")
    assert found.qd[-1, 0] == pytest.approx(2.5, abs=1e-8)


@pytest.mark.parametrize(("integrator", "rows"), [
    ("BDF1", [8, 56]), ("BDF2", [1, 4, 14, 30, 41, 45]), ("variational", [1, 11, 13, 15, 31, 32]),
])  # fmt: skip
def test_a_step_that_one_guess_does_not_find(integrator, rows):
    """Close to where a joint is singular, the way that velocity points is no good guess."""
    link = [ar.Box((0.1, 0.15, 0.6), mass=1, placement=(0.02, 0.03, -0.3))]
    model = ar.Model([
        ar.Body("a", ar.Euler("xyz"), shapes=link),
        ar.Body("b", ar.Universal("x", (1, 0.2, 0)), "a", (0, 0, -0.6), shapes=link),
    ])  # fmt: skip
    rng = np.random.default_rng(0)
    q = np.zeros((64, model.nq))
    q[:, 1] = np.pi / 2 - 10.0 ** rng.uniform(-6, -1, 64) * np.sign(rng.normal(size=64))
    qd = rng.normal(size=(64, model.nv))
    run = simulate(ar.Scene(model), 0.2, 1e-3, integrator, q=q[rows], qd=qd[rows])
    assert (run.status == "whole").all()
