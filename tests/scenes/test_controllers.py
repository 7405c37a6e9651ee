"""Controllers: what they compute, and what becomes of a figure that has one."""

import numpy as np
import pytest
from scene_cases import ALL, NEWTON, by_motion, close, figure, follower, pushes, simulate, start

import arthron as ar
from arthron import controllers, forces


def undamped():
    """The figure without damping, on straight joints and a ball."""
    bodies = [
        ar.Body(b.name, b.joint, b.parent, b.placement, shapes=b.shapes) for b in figure().links
    ]
    return ar.Model(bodies)


TARGET = np.array([0.9, 0.2, -0.3, 0.1, 0.5, -0.4, 0.3, 0.2])
TARGET[:4] /= np.linalg.norm(TARGET[:4])


def target(t):
    """A pose that moves; its quaternion is of no particular length."""
    ball = [1.0, 0.2 * ar.sin(t), 0.3 * t, -0.1 * t * t]
    return [*ball, 0.5 * ar.cos(2.0 * t), 0.3 * t, -0.2, ar.sin(t)]


def target_numbers(t):
    ball = [1.0, 0.2 * np.sin(t), 0.3 * t, -0.1 * t * t]
    return np.array([*ball, 0.5 * np.cos(2 * t), 0.3 * t, -0.2, np.sin(t)])


def target_rates(model, t, h=1e-3):
    """Velocity and acceleration of that pose, by differences."""
    ahead, behind = (
        model.difference(target_numbers(t), target_numbers(t + s * h)) for s in (1, -1)
    )
    return (ahead - behind) / (2 * h), (ahead + behind) / h**2


# What they are


def test_gravity_compensation_is_the_force_of_gravity():
    model = undamped()
    q, qd = start(model, 1)
    scene = ar.Scene(model, controller=controllers.gravity_compensation)
    expected = by_motion(model.potential_energy, model, q)
    close(pushes(scene, q, qd), expected, 1e-8)


@pytest.mark.parametrize("compensate", [False, True])
def test_pd_to_a_pose(compensate):
    model = undamped()
    q, qd = start(model, 2)
    k, d = np.arange(1.0, 8.0), 0.1 * np.arange(7.0, 0.0, -1.0)
    controller = controllers.pd(TARGET, k, d, compensate=compensate)
    expected = k * model.difference(q, TARGET) - d * qd + compensate * model.gravity_forces(q)
    close(pushes(ar.Scene(model, controller=controller), q, qd), expected, 1e-12)
    same = ar.Scene(model, controller=controllers.pd(list(TARGET), 3.0, 2))
    close(pushes(same, q, qd), 3.0 * model.difference(q, TARGET) - 2.0 * qd, 1e-12)


def test_pd_to_a_pose_that_moves():
    model, t = undamped(), 0.7
    q, qd = start(model, 3)
    rate, _ = target_rates(model, t)
    expected = 3.0 * model.difference(q, target_numbers(t)) + 2.0 * (rate - qd)
    scene = ar.Scene(model, controller=controllers.pd(target, 3.0, 2.0))
    close(pushes(scene, q, qd, t), expected, 1e-6)


@pytest.mark.parametrize("moves", [False, True])
def test_computed_torque_is_inverse_dynamics(moves):
    model, t = undamped(), 0.7
    q, qd = start(model, 4)
    goal, rate, push = TARGET, np.zeros(7), np.zeros(7)
    if moves:
        goal, (rate, push) = target_numbers(t), target_rates(model, t)
    qdd = push + 5.0 * model.difference(q, goal) + 2.0 * (rate - qd)
    controller = controllers.computed_torque(target if moves else TARGET, 5.0, 2.0)
    found = pushes(ar.Scene(model, controller=controller), q, qd, t)
    close(found, model.inverse_dynamics(q, qd, qdd), 1e-5)


def test_controllers_know_followers():
    model = follower()
    q, qd = start(model, 5)
    goal = model.random(np.random.default_rng(1))
    damping = pushes(ar.Scene(model), q, qd)
    for controller, expected in (
        (controllers.gravity_compensation, model.gravity_forces(q)),
        (controllers.pd(goal, 3.0, 1.0), 3.0 * (goal - q) - qd),
        (controllers.computed_torque(goal, 3.0, 1.0),
         model.inverse_dynamics(q, qd, 3.0 * (goal - q) - qd) - damping),
    ):  # fmt: skip
        found = pushes(ar.Scene(model, controller=controller), q, qd) - damping
        close(found, expected, 1e-12)


def test_a_controller_of_your_own():
    model = undamped()
    q, qd = start(model, 6)

    def mine(tree, t, q, qd):
        hold = tree.vector(ar.algorithms.gravity_forces(tree, q))
        return [g - t * v for g, v in zip(hold, tree.vector(qd), strict=True)]

    found = pushes(ar.Scene(model, controller=mine), q, qd, 0.3)
    close(found, model.gravity_forces(q) - 0.3 * qd, 1e-13)


# What becomes of it


@pytest.mark.parametrize("integrator", ALL)
def test_a_figure_that_is_held_stays(integrator):
    model = undamped()
    q, _ = start(model, 7)
    scene = ar.Scene(model, controller=controllers.gravity_compensation)
    found = simulate(scene, 0.5, 0.01, integrator, q=q)
    assert np.abs(found.qd).max() < 1e-9
    assert np.abs(model.difference(q, found.q[-1])).max() < 1e-9
    free = simulate(ar.Scene(model), 0.5, 0.01, integrator, q=q)
    assert np.abs(free.qd[-1]).max() > 0.5


def test_a_figure_that_is_pushed_by_something_else_too():
    """Forces, controller and what comes from outside add up."""
    model = undamped()
    q, qd = start(model, 8)
    tau = np.arange(7.0)
    spring = forces.JointSpring("leg", 3.0, 0.0, 0.1)
    scene = ar.Scene(model, [spring], controllers.gravity_compensation)
    found = simulate(scene, 1e-3, 1e-3, "explicit Euler", q=q, qd=qd, tau=tau)
    push = tau + model.gravity_forces(q)
    push[model.slice_qd("leg")] -= 3.0 * (q[model.slice_q("leg")] - 0.1)
    expected = model.forward_dynamics(q, qd, push)
    close((found.qd[1] - found.qd[0]) / 1e-3, expected, 1e-10)


@pytest.mark.parametrize("integrator", ALL)
def test_pd_holds_a_pose(integrator):
    model = figure()
    k, d = [50, 50, 50, 30, 5, 5, 20], [10, 10, 10, 5, 0.5, 0.5, 3]
    controller = controllers.pd(TARGET, k, d, compensate=True)
    scene = ar.Scene(model, controller=controller)
    q = model.integrate(TARGET, 0.3 * np.ones(7))
    duration, step = (8.0, 8.0) if integrator == "Runge-Kutta" else (8.0, 2e-3)
    if integrator in NEWTON:
        duration, step = 8.0, 0.02
    found = simulate(scene, duration, step, integrator, q=q)
    assert np.abs(model.difference(found.q[-1], TARGET)).max() < 1e-3
    assert np.abs(found.qd[-1]).max() < 1e-2


def test_errors_of_computed_torque_obey_their_equation():
    """e'' = -d e' - k e, at every joint by itself, on the way to a pose that moves."""
    model, k, d = undamped(), 30.0, 4.0
    scene = ar.Scene(model, controller=controllers.computed_torque(target, k, d))
    rate, _ = target_rates(model, 0.0)
    off, speed = 0.2 * np.array([0, 0, 0, 1, -2, 0.5, 1]), np.array([0, 0, 0, 0.3, 0, -0.2, 0.1])
    q = model.integrate(target_numbers(0.0), off)
    found = simulate(scene, 1.0, 0.1, "Runge-Kutta", q=q, qd=rate + speed, tolerance=1e-11)
    w, t = np.sqrt(k - d * d / 4.0), found.t[:, None]
    decay = np.exp(-0.5 * d * t)
    sine = (speed + 0.5 * d * off) / w
    expected = decay * (off * np.cos(w * t) + sine * np.sin(w * t))
    for row, (at, e) in enumerate(zip(found.q, expected, strict=True)):
        close(model.difference(target_numbers(found.t[row]), at), e, 1e-6, scale=0.4)


def test_an_error_of_a_ball_obeys_it_along_its_axis():
    model, k, d = undamped(), 30.0, 4.0
    axis = np.array([0.6, -0.48, 0.64])
    scene = ar.Scene(model, controller=controllers.computed_torque(TARGET, k, d))
    off = np.concatenate([0.8 * axis, np.zeros(4)])
    q = model.integrate(TARGET, off)
    found = simulate(scene, 1.0, 0.1, "Runge-Kutta", q=q, tolerance=1e-11)
    w = np.sqrt(k - d * d / 4.0)
    for t, at in zip(found.t, found.q, strict=True):
        expected = np.exp(-0.5 * d * t) * (np.cos(w * t) + 0.5 * d / w * np.sin(w * t)) * off
        close(model.difference(TARGET, at), expected, 1e-7, scale=0.8)


@pytest.mark.parametrize("integrator", ["semi-implicit Euler", "implicit Euler", "BDF2"])
def test_computed_torque_follows_a_pose_that_moves(integrator):
    model = undamped()
    scene = ar.Scene(model, controller=controllers.computed_torque(target, 400.0, 40.0))
    rate, _ = target_rates(model, 0.0)
    found = simulate(scene, 1.0, 5e-3, integrator, q=target_numbers(0.0), qd=rate)
    off = model.difference(found.q[-1], target_numbers(found.t[-1]))
    assert np.abs(off).max() < 0.02


def test_controllers_add_up():
    """All return one number a coordinate; gains may be any numbers."""
    model = figure()
    hold, pull = ar.controllers.gravity_compensation, ar.controllers.pd
    gains = np.arange(1.0, 1.0 + model.nv)

    def both(tree, t, q, qd):
        parts = hold(tree, t, q, qd), pull(model.neutral(), gains, np.float32(2.0))(tree, t, q, qd)
        return [a + b for a, b in zip(*parts, strict=True)]

    known = ar.controllers.pd(model.neutral(), gains, 2.0, compensate=True)
    q, qd = start(model, 3)
    close(pushes(ar.Scene(model, controller=both), q, qd),
          pushes(ar.Scene(model, controller=known), q, qd), 1e-13)  # fmt: skip
    track = ar.controllers.computed_torque(model.neutral(), list(gains), 5.0)
    assert np.isfinite(pushes(ar.Scene(model, controller=track), q, qd)).all()


def test_a_target_in_another_chart_moves_as_fast():
    """Rates are compared in the coordinates that the joint is in."""

    def lean(t):
        return (0.3 * t, 1.0 + 0.5 * ar.sin(t), 0.2 * t)

    shape = ar.Box((0.4, 0.3, 0.2), mass=1, placement=(0.02, 0.01, -0.2))
    models = [ar.Model([ar.Body("ball", ar.Euler("xyz", charts=c), shapes=[shape])])
              for c in (True, False)]  # fmt: skip
    targets = (lambda t: (*lean(t), 0.0)), lean
    runs = [
        simulate(ar.Scene(model, controller=ar.controllers.computed_torque(target, 50.0, 10.0)),
                 1.0, 0.05, "Runge-Kutta", q=q, qd=[0.3, 0.5, 0.2])
        for model, target, q in zip(models, targets, ([0, 1, 0, 0], [0, 1, 0]), strict=True)
    ]  # fmt: skip
    assert runs[0].q[-1, 3] == 1.0  # it is in the other chart by then
    expected = np.array([lean(t) for t in runs[0].t])
    for model, run in zip(models, runs, strict=True):
        off = model.body_poses(run.q) - models[1].body_poses(expected)
        assert np.abs(off).max() < 1e-7


def test_slopes_of_a_function_are_part_of_a_step_unless_that_is_not_wanted():
    """Damping that is far too strong for the step holds where it is implicit."""
    model = undamped()

    def brake(tree, t, q, qd):
        return [-2000.0 * x for x in tree.vector(qd)]

    def run(**options):
        scene = ar.Scene(model, controller=controllers.custom(brake, **options))
        return simulate(scene, 0.1, 5e-3, "leapfrog", qd=np.ones(model.nv))

    assert np.abs(run().qd[-1]).max() < 0.05
    with pytest.raises(ar.SimulationError, match=r"the step of 0\.005 s is too large"):
        run(implicit=False)


@pytest.mark.parametrize("integrator", ["leapfrog", "Runge-Kutta"])
def test_computed_torque_in_flight_reckons_with_the_root(integrator):
    """Joints follow their targets although nothing pushes the root."""
    link = [ar.Box((0.1, 0.2, 0.3), mass=1, placement=(0.05, 0.1, -0.2))]
    model = ar.Model([
        ar.Body("trunk", ar.Free(), shapes=link),
        ar.Body("arm", ar.Revolute((1, 2, 0)), "trunk", (0.1, 0.1, -0.4), shapes=link),
        ar.Body("leg", ar.Revolute("y"), "trunk", (-0.1, 0.2, 0.1), shapes=link),
    ])  # fmt: skip
    hold = ar.controllers.computed_torque([0, 0, 0, 1, 0, 0, 0, 0.0, -0.5], 400.0, 40.0)
    start = {"arm": 0.3, "qd": {"trunk": [0.5, -1.0, 2.0, 0.0, 0.0, 3.0]}}
    scene = ar.Scene(model, controller=hold)
    run = ar.simulate(scene, 2.0, 2e-3, integrator=integrator, start=start)
    assert np.abs(run.q[-1, 7:] - [0.0, -0.5]).max() < 1e-6
    off = run.q[:200, 7] * np.exp(20.0 * run.t[:200]) / (1.0 + 20.0 * run.t[:200])
    np.testing.assert_allclose(off, 0.3, rtol=2e-2)  # critically damped, as it should be


# The damping of joints, and nominal models


@pytest.mark.parametrize("root", [None, ar.Free()])
def test_computed_torque_makes_up_for_the_damping_of_joints(root):
    """Errors obey their equation on a damped figure, also where its root floats and is damped."""
    shape = [ar.Capsule(0.1, 0.5, mass=1.0, placement=(0.02, 0.1, -0.3))]
    bodies = [] if root is None else [
        ar.Body("root", root, shapes=[ar.Box((0.3, 0.2, 0.5), mass=4.0)], damping=0.7)
    ]  # fmt: skip
    parent = bodies[0].name if bodies else None
    bodies += [
        ar.Body("upper", ar.Revolute("x"), parent, shapes=shape, damping=2.0),
        ar.Body("lower", ar.Revolute("y"), "upper", (0, 0.1, -0.6), shapes=shape, damping=0.5),
    ]
    model = ar.Model(bodies)
    q, qd = start(model, 3)
    goal = model.random(4)
    scene = ar.Scene(model, controller=controllers.computed_torque(goal, 9.0, 4.0))
    qdd = model.forward_dynamics(q, qd, pushes(scene, q, qd))
    expected = 9.0 * model.difference(q, goal) - 4.0 * qd
    close(qdd[-2:], expected[-2:], 1e-10)


CONTROLLERS = {
    "gravity": lambda model: controllers.custom(controllers.gravity_compensation, model=model),
    "pd": lambda model: controllers.pd(TARGET, 3.0, 1.0, compensate=True, model=model),
    "computed torque": lambda model: controllers.computed_torque(TARGET, 3.0, 1.0, model=model),
    "inside": lambda model: lambda tree, t, q, qd: CONTROLLERS["pd"](model)(tree, t, q, qd),
}


@pytest.mark.parametrize("name", CONTROLLERS)
def test_a_nominal_controller_knows_nothing_of_other_numbers(name):
    model = undamped()
    q, qd = start(model, 4, (2,))
    mass = model.inertial_parameters().ravel() * np.array([[1.0], [1.4]])
    given = {"inertia": mass, "gravity": [(0.0, 0.0, -9.0), (0.5, 0.0, -11.0)]}
    more = {"q": q, "qd": qd, "parameters": given, "record": {"tau": lambda tree, tau: tau}}
    usual = ar.Scene(model, controller=CONTROLLERS[name](None))
    nominal = ar.Scene(model, controller=CONTROLLERS[name](model))
    expected = np.stack([pushes(usual, q[k], qd[k]) for k in range(2)])
    close(simulate(nominal, 1e-3, 1e-3, **more)["tau"][:, 0], expected, 1e-12)
    assert np.abs(simulate(usual, 1e-3, 1e-3, **more)["tau"][:, 0] - expected).max() > 0.1


def test_a_controller_may_compute_with_another_model():
    """And two such models are told apart, though nothing else differs."""
    model = undamped()
    q, qd = start(model, 5)
    for gravity in ((0.0, 0.0, -9.0), (0.0, 0.0, -3.0)):
        other = ar.Model(list(model.links), gravity=gravity)
        scene = ar.Scene(model, controller=CONTROLLERS["gravity"](other))
        run = simulate(scene, 1e-3, 1e-3, q=q, qd=qd, record={"tau": lambda tree, tau: tau})
        close(run["tau"][0], other.gravity_forces(q), 1e-12)


@pytest.mark.parametrize("model, words", [
    (3, "the model of a controller is a int. Give an `ar.Model`"),
    (follower(), "whose joints are not those of"),
])  # fmt: skip
def test_models_that_a_controller_cannot_have(model, words):
    for name in ("gravity", "pd", "computed torque"):
        with pytest.raises(ar.ModelError, match=words):
            ar.Scene(undamped(), controller=CONTROLLERS[name](model))


def test_a_model_without_use_is_refused():
    with pytest.raises(ar.ModelError, match="has a `model`, and nothing to compute with it"):
        controllers.pd(TARGET, 3.0, 1.0, model=undamped())


def test_a_controller_that_returns_a_number_for_each_body():
    def one_each(tree, t, q, qd):
        (tau,) = tree.lists(1)
        for i in tree.bodies:
            tau[i] = -qd[i][0]
        return tau

    model = ar.random_tree(2)
    with pytest.raises(ar.SimulationError, match="returns 2 joint forces"):
        ar.simulate(ar.Scene(model, controller=one_each), 0.01, 1e-2)
