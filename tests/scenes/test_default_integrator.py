"""The default: what people meet in their first hour simply works."""

import numpy as np
import pytest
from scene_cases import ALL, close, figure

import arthron as ar
from arthron import forces

PENDULUM = ar.Model([
    ar.Body("upper", ar.Revolute("y"), shapes=[ar.Capsule(0.04, 0.5, placement=(0, 0, -0.25))]),
    ar.Body("lower", ar.Revolute("y"), "upper", (0, 0, -0.5),
            shapes=[ar.Capsule(0.04, 0.5, placement=(0, 0, -0.25))]),
])  # fmt: skip
"""README's."""
GRAVITY = np.array([0.0, 0.0, -9.81])


def drift(run):
    """Largest change of energy beside the largest kinetic energy."""
    return np.abs(run.energy - run.energy[0]).max() / run.kinetic.max()


def test_energy_of_a_double_pendulum_in_200_000_steps():
    run = ar.simulate(ar.Scene(PENDULUM), 200.0, 1e-3, q=[1.5, 0.3], keep_every=20)
    assert run.about["integrator"] == "leapfrog"
    assert drift(run) < 3e-4


def test_energy_of_a_tree_in_five_million_steps():
    run = ar.simulate(ar.Scene(ar.random_tree(3, rng=1)), 5000.0, 1e-3, keep_every=1000)
    assert drift(run) < 3e-4


def posed(model, rng):
    """Ten targets within limits; a floating root's is where it starts."""
    targets = model.random(rng, 10)
    if model.bodies[0].joint.nv == 6:
        targets[:, :7] = model.neutral()[:7]
    return targets


@pytest.mark.parametrize("step", [1e-3, 4e-3])
def test_a_pd_controlled_humanoid_settles(step):
    model = ar.load(ar.figures / "humanoid.urdf")
    targets = posed(model, 0)
    hold = ar.controllers.pd(targets[0], 200.0, 20.0, compensate=True)
    run = ar.simulate(ar.Scene(model, controller=hold), 10.0, step, keep_every=50,
                      parameters={"controller.target": targets})  # fmt: skip
    assert np.isfinite(run.q).all()
    assert np.abs(run.q[:, -1] - targets).max() < 1e-2
    assert np.abs(run.qd[:, -1]).max() < 1e-2  # nothing rings


@pytest.mark.parametrize("step", [1e-3, 4e-3])
def test_a_pd_controlled_humanoid_in_flight_falls_as_all_things_do(step):
    model = ar.load(ar.figures / "humanoid.urdf", root=ar.Free())
    targets = posed(model, 1)
    hold = ar.controllers.pd(targets[0], 200.0, 20.0, compensate=True)
    run = ar.simulate(ar.Scene(model, controller=hold), 10.0, step, keep_every=50,
                      parameters={"controller.target": targets})  # fmt: skip
    assert np.isfinite(run.q).all()
    centre = model.center_of_mass(run.q)
    close(centre, centre[:, :1] + 0.5 * run.t[:, None] ** 2 * GRAVITY, 1e-9)


FLIERS = {
    "quaternions": ar.Free(),
    "rotation vector": ar.Free("exponential"),
}


def flier(root, gravity=(0.0, 0.0, 0.0)):
    """Two arms with balls, hinges and springs on a floating trunk."""
    link = [ar.Box((0.1, 0.2, 0.3), mass=1, placement=(0.05, 0.1, -0.2))]
    model = ar.Model([
        ar.Body("trunk", root, shapes=link),
        ar.Body("arm", ar.Spherical(), "trunk", (0.1, 0.1, -0.4), shapes=link),
        ar.Body("hand", ar.Revolute((1, 2, 0)), "arm", (0.1, 0.1, -0.4), shapes=link, armature=0.1),
        ar.Body("leg", ar.Universal(), "trunk", (-0.1, 0.2, 0.1), shapes=link),
    ], gravity=gravity)  # fmt: skip
    return model, [forces.JointSpring("hand", 20.0, 0.1), forces.JointSpring("leg", 5.0)]


def momenta(model, run):
    """Momentum about the centre of mass along a run."""
    return model.momentum(run.q, run.qd)


@pytest.mark.parametrize("root", FLIERS)
def test_momentum_in_flight(root):
    model, springs = flier(FLIERS[root])
    qd = np.random.default_rng(3).normal(size=model.nv)
    run = ar.simulate(ar.Scene(model, springs), 20.0, 2e-3, qd=qd, keep_every=10)
    p = momenta(model, run)
    size = np.abs(p).max()
    assert np.abs(p - p[0]).max() < (1e-9 if root == "quaternions" else 2e-3) * size
    centre, mass = model.center_of_mass(run.q), model.inertial_parameters()[::10].sum()
    straight = centre[0] + run.t[:, None] * p[0, 3:] / mass
    close(centre, straight, 1e-9 if root == "quaternions" else 1e-2)


def test_what_acts_from_outside_changes_momentum_by_its_impulse():
    model, springs = flier(ar.Free(), GRAVITY)
    thread = forces.Spring(("hand", (0.1, 0, 0)), (None, (0, 0, 3.0)), 30.0, 0.5, rest=0.5)
    drag = forces.BodyDamping("leg", 0.3, (0.1, 0.0, 0.1))
    pull = forces.PointForce("arm", (1.0, 2.0, -3.0), (0.1, 0.0, 0.2))
    qd = np.random.default_rng(3).normal(size=model.nv)

    def ends(step):
        scene = ar.Scene(model, [*springs, thread, drag, pull])
        run = ar.simulate(scene, 1.0, step, qd=qd, keep_every=round(0.1 / step))
        return momenta(model, run)[-1]

    exact = ar.simulate(ar.Scene(model, [*springs, thread, drag, pull]), 1.0, 0.1, qd=qd,
                        integrator=ar.integrators.RungeKutta(1e-12))  # fmt: skip
    truth = momenta(model, exact)[-1]
    off = [np.abs(ends(h) - truth).max() for h in (4e-3, 2e-3, 1e-3)]
    assert off[2] < 1e-3
    assert off[0] / off[1] > 3.0 and off[1] / off[2] > 3.0  # of second order


def test_a_step_back_undoes_a_step():
    """The defect is of the sixth order: with half the step it is sixty times smaller."""
    model = ar.random_tree(5, rng=4)
    page = ar.step(ar.Scene(model))
    step, numbers = ar.compile(page, model), page.values
    q, qd = model.random(1), np.random.default_rng(2).normal(size=model.nv)

    def defect(h):
        there = step(q, qd, 0.0, h, numbers)[:2]
        back = step(*there, 0.0, -h, numbers)[:2]
        return np.abs(back[1] - qd).max()

    coarse, fine = defect(4e-2), defect(2e-2)
    assert 0.0 < coarse < 1e-4 and coarse / fine > 30.0


@pytest.mark.parametrize("damping", [0.1, 3.0, 300.0, 3e4])
def test_a_damped_wheel_slows_down_as_it_should(damping):
    disc = ar.Cylinder(0.2, 0.1, mass=1)
    wheel = ar.Model([ar.Body("wheel", ar.Revolute("z"), damping=damping, shapes=[disc])])
    inertia, h = 0.5 * 0.2**2, 1e-3
    run = ar.simulate(ar.Scene(wheel), 0.1, h, qd=[5.0])
    z = damping * h / inertia
    if z < 1.0:
        close(run.qd[:, 0], 5.0 * np.exp(-damping * run.t / inertia), 5e-3 * z)
    assert np.abs(run.qd[-1, 0]) <= 5.0 * np.exp(-min(damping * 0.1 / inertia, 30.0)) + 1e-12
    assert (np.abs(run.qd[1:, 0]) < np.abs(run.qd[:-1, 0]) + 1e-300).all()


def test_stiff_undamped_joints_keep_their_energy():
    """Springs that swing faster than steps can follow."""
    model = ar.random_tree(5, rng=4)
    springs = [forces.JointSpring(name, 1e5) for name in model.joint_names]
    qd = 0.1 * np.random.default_rng(0).normal(size=model.nv)
    scene = ar.Scene(model, springs)
    run = ar.simulate(scene, 20.0, 1e-3, qd=qd, keep_every=5)
    gained = run.energy - run.energy[0]  # it goes up and down with what steps do not resolve
    first, last = (gained[part].mean() for part in (slice(0, 1000), slice(-1000, None)))
    assert abs(last - first) < 0.05 * run.kinetic[0] and drift(run) < 1.0


def test_controllers_of_ones_own_have_their_slopes_in_the_step():
    model = figure()

    def stiff(tree, t, q, qd):
        away = ar.algorithms.difference(tree, q, tree.positions(model.neutral()))
        pairs = zip(tree.vector(away), tree.vector(qd), strict=True)
        return [3000.0 * x - 300.0 * v for x, v in pairs]

    q = model.integrate(model.neutral(), 0.3 * np.ones(model.nv))
    run = ar.simulate(ar.Scene(model, controller=stiff), 2.0, 4e-3, q=q)
    assert np.abs(model.difference(model.neutral(), run.q[-1])).max() < 1e-2
    explicit = ar.controllers.custom(stiff, implicit=False)
    with pytest.raises(ar.SimulationError, match="too large"):
        ar.simulate(ar.Scene(model, controller=explicit), 2.0, 4e-3, q=q)


@pytest.mark.parametrize("integrator", ALL)
def test_all_of_them_are_objects_with_names(integrator):
    one = ar.integrators.NAMED[integrator]
    found = [ar.simulate(ar.Scene(PENDULUM), 0.05, 0.01, q=[1.5, 0.3], integrator=x)
             for x in (integrator, one)]  # fmt: skip
    assert np.array_equal(found[0].q, found[1].q)
    assert found[1].about["integrator"] == integrator


def free_arm(placement=None, damping=0.0, root=None):
    """An arm on a floating trunk that may be placed and damped."""
    link = [ar.Box((0.1, 0.2, 0.3), mass=1, placement=(0.05, 0.1, -0.2))]
    place = ar.pose((0.0, 0.0, 0.0)) if placement is None else placement
    return ar.Model([
        ar.Body("trunk", root or ar.Free(), placement=place, shapes=link, damping=damping),
        ar.Body("arm", ar.Revolute((1, 2, 0)), "trunk", (0.1, 0.1, -0.4), shapes=link),
    ])  # fmt: skip


def whirl(t):
    """Position and attitude of a body that is led around."""
    angle = 0.5 * ar.sin(3.0 * t)
    return [0.1 * t, 0.2 * ar.cos(2.0 * t), 0.3, ar.cos(angle), 0.0, ar.sin(angle), 0.0]


PLACED = ar.pose((0.3, -0.2, 0.5), (0.4, -0.3, 1.1))
SIX = np.array([0.5, -1.0, 2.0, 0.3, 0.2, -0.4])
LED = {
    "placed": (free_arm(PLACED), [forces.PointForce("arm", (1.0, 2.0, -3.0), (0.1, 0, 0.2))]),
    "damped": (free_arm(damping=0.7), []),
    "held": (free_arm(), [ar.controllers.pd(np.eye(8)[3] * 1.0, 5.0, 2.0, root=True)]),
    "led": (free_arm(), [ar.Prescribed("trunk", position=whirl)]),
    "led by velocity": (free_arm(), [ar.Prescribed("trunk", velocity=lambda t: [
        ar.cos(3.0 * t), 0.5, -1.0, 0.3, ar.sin(2.0 * t), 0.1])]),
    "brought back": (free_arm(), [ar.Prescribed("arm", position=lambda t: 0.3 * ar.sin(4.0 * t),
                                                gain=20.0)]),
}  # fmt: skip


@pytest.mark.parametrize("name", LED)
def test_second_order_of_free_joints_that_are_placed_damped_or_led(name):
    model, acting = LED[name]
    hold = [x for x in acting if isinstance(x, ar.controllers.Controller)]
    scene = ar.Scene(model, [x for x in acting if x not in hold], *hold)
    more = {} if name.startswith("led") else {"start": {"qd": {"trunk": SIX, "arm": 1.2}}}

    def end(integrator, step):
        run = ar.simulate(scene, 0.2, step, integrator=integrator, **more)
        return np.concatenate([model.body_poses(run.q[-1])[..., :3, 3].ravel(), run.qd[-1]])

    truth = end(ar.integrators.RungeKutta(1e-12), 0.05)
    off = [np.abs(end("leapfrog", h) - truth).max() for h in (4e-3, 2e-3)]
    assert off[0] < 0.05 and off[0] / off[1] > 3.5


def test_momentum_in_flight_with_prescribed_joints():
    model = free_arm(PLACED)
    swing = ar.Prescribed("arm", position=lambda t: 0.5 * ar.sin(3.0 * t))
    still = replace_gravity(model)
    run = ar.simulate(ar.Scene(still, [swing]), 5.0, 5e-3, start={"qd": {"trunk": SIX}})
    p = momenta(still, run)
    assert np.abs(p - p[0]).max() < 1e-10 * np.abs(p).max()


def replace_gravity(model):
    return model.replace(gravity=(0.0, 0.0, 0.0))
