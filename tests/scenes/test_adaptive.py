"""Controllers that follow a target by its energy: passivity-based, and learning as they go."""

import functools
import sysconfig
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from scene_cases import NATIVE, close, follower, pushes, simulate, start, system
from state_cases import figure_of_all

import arthron as ar
from arthron import controllers
from arthron._scene.system import State
from arthron.algorithms import bias_forces, crba, difference, integrate
from arthron.identify import pseudo_inertia

ROBOTS = Path(sysconfig.get_paths()["purelib"]) / "cmeel.prefix/share/example-robot-data/robots"
PANDA = ROBOTS / "panda_description/urdf/panda.urdf"
K, L = 7.0, 3.0
DIFFERENCES = np.array([1.0, 2.0, 3.0, -1.0, -2.0, -3.0]), np.array([45.0, -9, 1, -45, 9, -1]) / 60


def slope(function, h):
    """Derivative of a function of time at zero, by differences of sixth order in long double."""
    steps, weights = DIFFERENCES
    h = np.longdouble(h)
    return sum(w * function(k * h) for k, w in zip(steps, weights, strict=True)) / h


# The law: V' = -s K s, for every joint


@functools.cache
def every_joint():
    """(what is true, what is thought): every kind of joint, some damped, other masses behind."""
    true, nominal = figure_of_all(), figure_of_all(heavier=1.7)
    damped = [
        ar.Body(
            b.name,
            b.joint,
            b.parent,
            b.placement,
            inertia=b.inertia,
            damping=0.3 * (k % 3),
            joint_name=b.joint_name,
            armature=0.1,
        )
        for k, b in enumerate(true.links)
    ]
    return ar.Model(damped), nominal


@functools.cache
def way(model):
    """Where a target starts, and how far it goes."""
    rng = np.random.default_rng(1)
    return model.random(rng), 0.4 * rng.normal(size=model.nv)


def target(model):
    """A target that moves every coordinate of every joint."""
    tree = model.tree
    at, far = (x.tolist() for x in way(model))

    def place(t):
        moved = tree.rates([x * ar.sin((1.0 + 0.1 * k) * t) for k, x in enumerate(far)])
        return tree.vector(integrate(tree, tree.positions(at), moved))

    return place


def place(model, t):
    """The same, on numbers."""
    at, far = (np.asarray(x, np.longdouble) for x in way(model))
    return ar.evaluate(integrate, model, at, far * np.sin((1.0 + 0.1 * np.arange(model.nv)) * t))


def sliding(model, q, qd, t):
    """s = qd - qd_target - L e, the velocity of the target, in the chart of q, by differences."""

    def away(k):
        return ar.evaluate(difference, model, q, place(model, t + k))

    now = ar.evaluate(integrate, model, q, away(0.0))
    placed = functools.partial(ar.evaluate, integrate, model, q)
    rate = slope(lambda k: ar.evaluate(difference, model, now, placed(away(k))), 2e-3)
    return qd - rate - L * away(0.0)


def acts(scene, q, qd, t, estimates):
    """(tau, rate of the estimates) of a scene with one controller that has them as its state."""
    size = len(estimates)

    @ar.takes(t=(), p=(size,))
    def page(tree, q, qd, t, p):
        whole, state = system(scene, tree), State(t, q, qd, {"controller.inertia": list(p)})
        rates = whole.rates(state).get("controller.inertia", [])
        return whole.loads(state).tau, rates

    return ar.evaluate(page, scene.model, q, qd, t, estimates)


def divergence(estimate, true):
    """log det E - log det J + tr(E^-1 J) - 4 of pseudo-inertias, over all links."""
    E, J = (pseudo_inertia(x.astype(float).reshape(-1, 10)) for x in (estimate, true))
    both = np.linalg.solve(E, J)
    return (np.trace(both, axis1=-2, axis2=-1) - np.linalg.slogdet(both)[1] - 4.0).sum()


@pytest.mark.parametrize("law", ["known", "adaptive", "natural"])
def test_the_energy_of_errors_falls_as_it_should(law):
    model, nominal = every_joint()
    gains = np.linspace(0.5, 2.0, 10)
    goal, more = target(model), {"root": True}
    controller = {
        "known": lambda: controllers.passivity_based(goal, L, K, **more),
        "adaptive": lambda: controllers.adaptive(goal, L, K, gains, **more),
        "natural": lambda: controllers.adaptive(goal, L, K, 2.0, natural=True, **more),
    }[law]()
    scene = ar.Scene(model, controller=controller)
    true = model.inertial_parameters()
    estimate = np.zeros(0) if law == "known" else nominal.inertial_parameters()
    q, qd = start(model, 3)
    t = 0.4
    tau, rate = acts(scene, q, qd, t, estimate)
    mass = ar.evaluate(crba, model, q)
    qdd = np.linalg.solve(mass, tau - ar.evaluate(bias_forces, model, q, qd))

    def energy(k):
        at = ar.evaluate(integrate, model, q, k * qd + 0.5 * k * k * qdd)
        s = sliding(model, at, qd + k * qdd, t + k)
        total = 0.5 * s @ ar.evaluate(crba, model, at) @ s
        if law == "adaptive":
            off = estimate + k * rate - true
            total = total + 0.5 * (off**2 / np.tile(gains, model.nb)).sum()
        if law == "natural":
            total = total + 0.5 * divergence(estimate + k * rate, true)
        return total

    q, qd = (np.asarray(x, np.longdouble) for x in (q, qd))
    s = sliding(model, q, qd, t)
    close(slope(energy, 2e-5), -K * s @ s, 1e-9)


def test_joints_that_follow_and_are_damped():
    """M qdd_ref + C qd_ref + g - K s from matrices, and damping made up for."""
    model = follower()
    q, qd = start(model, 5)
    goal = model.random(np.random.default_rng(1))
    s, (M, C, g) = qd - L * (goal - q), (
        model.mass_matrix(q), model.coriolis_matrix(q, qd), model.gravity_forces(q)
    )  # fmt: skip
    scene = ar.Scene(model, controller=controllers.passivity_based(goal, L, K))
    assert np.abs(pushes(ar.Scene(model), q, qd)).max() > 0.01
    close(pushes(scene, q, qd), M @ (-L * qd) + C @ (qd - s) + g - K * s, 1e-12)


# What becomes of it

ROD = [ar.Capsule(0.05, 0.4, mass=1.0, placement=(0.02, 0.01, -0.2))]
EASE = np.array([0.5, 0.6, 0.7]), np.array([2.0, 1.3, 1.7])


def arm(payload, **more):
    """Three hinges and something in the hand."""
    held = [ar.Sphere(0.06, mass=payload, placement=(0.03, 0, -0.05))]
    return ar.Model(
        [
            ar.Body("base", ar.Revolute("z"), shapes=ROD, damping=0.3, **more),
            ar.Body("upper", ar.Revolute("y"), "base", (0, 0, -0.1), shapes=ROD, **more),
            ar.Body("lower", ar.Revolute("y"), "upper", (0, 0, -0.4), shapes=ROD, **more),
            ar.Body("hand", ar.Fixed(), "lower", (0, 0, -0.4), shapes=held),
        ],
        name="arm",
    )


def swaying(t):
    return [a * ar.sin(w * t) for a, w in zip(*EASE, strict=True)]


def errors(run):
    """How far the joints are from where they should be, at most, (..., n)."""
    return np.abs(run.q - EASE[0] * np.sin(EASE[1] * run.t[:, None])).max(-1)


NOMINAL, LOADED = arm(0.2), arm(3.0)
START = {"qd": EASE[0] * EASE[1], "keep_every": 50}


def learner(adaptation=400.0, **more):
    """A scene in which an arm learns what it holds, and believes that it is next to nothing."""
    more = {"learns": ["hand"], "natural": True, "model": NOMINAL} | more
    control = controllers.adaptive(swaying, 8.0, 12.0, adaptation, **more)
    return ar.Scene(LOADED, controller=control)


LEARNER = learner()


def test_errors_vanish_for_every_payload_and_its_mass_is_learned():
    """Each row of a batch has its own payload, and all start with the same wrong one."""
    masses = [0.2, 1.0, 3.0, 6.0]
    true = np.stack([arm(m).inertial_parameters() for m in masses])
    run = simulate(LEARNER, 20.0, 2e-3, "leapfrog", parameters={"inertia": true}, **START)
    found = run["controller.inertia"]
    assert found.shape == (4, 201, 10)
    close(found[:, 0], np.tile(NOMINAL.inertial_parameters()[-10:], (4, 1)), 1e-15)
    assert errors(run)[:, -20:].max() < 2e-4
    close(found[:, -1, 0], 1.0 + np.array(masses), 2e-3)
    wrong = ar.Scene(
        LOADED, controller=controllers.passivity_based(swaying, 8.0, 12.0, model=NOMINAL)
    )
    assert errors(simulate(wrong, 20.0, 2e-3, "leapfrog", **START))[-20:].max() > 0.05


def test_natural_estimates_stay_real_bodies_and_plain_ones_need_not():
    """Both track: what forces do not tell of may be anything."""
    real, plain = (
        simulate(scene, 20.0, 2e-3, "leapfrog", **START)
        for scene in (LEARNER, learner(20.0, natural=False))
    )
    assert np.linalg.eigvalsh(pseudo_inertia(real["controller.inertia"])).min() > 0.0
    assert np.linalg.eigvalsh(pseudo_inertia(plain["controller.inertia"][-1])).min() < 0.0
    assert errors(plain)[-20:].max() < 1e-3


@pytest.mark.parametrize("integrator", [*NATIVE, "leapfrog", "Runge-Kutta"])
def test_every_integrator_that_has_states_learns(integrator):
    step = 2e-3 if integrator in ("leapfrog", "Runge-Kutta") else 2.5e-4
    run = simulate(LEARNER, 4.0, step, integrator, **START)
    assert errors(run)[-10:].max() < 1e-3
    close(run["controller.inertia"][-1, 0], 4.0, 5e-3)


def test_stiff_gains_hold_at_long_steps():
    """With the default integrator, at four milliseconds, whatever the gains."""
    gains = {"controller.damping": [12.0, 1e3, 1e4], "controller.bandwidth": [8.0, 50.0, 50.0]}
    run = ar.simulate(LEARNER, 4.0, 4e-3, parameters=gains, progress=False, **START)
    assert (errors(run)[:, -10:].max(-1) < [2e-3, 5e-5, 5e-5]).all()


def test_a_ball_and_a_free_body_come_to_a_target_that_moves():
    """The ball from most of a half turn away."""
    box = [ar.Box((0.3, 0.2, 0.5), mass=1.5, placement=ar.pose((0.1, -0.05, 0.2), (0.3, 0.2, 1)))]
    model = ar.Model([ar.Body("ball", ar.Spherical(), shapes=box),
                      ar.Body("bird", ar.Free(), shapes=box)])  # fmt: skip
    far = [1.5, -1.5, 2.0, 0.3, -0.4, 0.2, 0.3, 0.2, -0.5]
    q = model.integrate(place(model, 0.0).astype(float), far)
    control = controllers.passivity_based(target(model), 5.0, 4.0, root=True)
    run = simulate(
        ar.Scene(model, controller=control), 4.0, 1e-3, "explicit Euler", q=q, keep_every=200
    )
    off = [np.abs(model.difference(at, place(model, t).astype(float))).max()
           for t, at in zip(run.t, run.q, strict=True)]  # fmt: skip
    assert off[0] > 1.9 and max(off[-3:]) < 1e-3


# What it is made of


def test_true_parameters_make_it_the_controller_that_knows_them():
    model, nominal = every_joint()
    q, qd = start(model, 6)
    names = model.body_names[3:9]
    more = {"root": True, "model": nominal}
    adaptive = controllers.adaptive(target(model), L, K, 1.0, learns=names, **more)
    true = nominal.inertial_parameters().reshape(-1, 10)[3:9].ravel()
    found, _ = acts(ar.Scene(model, controller=adaptive), q, qd, 0.3, true)
    known = ar.Scene(model, controller=controllers.passivity_based(target(model), L, K, **more))
    close(found, acts(known, q, qd, 0.3, np.zeros(0))[0], 1e-12)


def test_without_adaptation_it_is_the_controller_of_its_model():
    known = ar.Scene(
        LOADED, controller=controllers.passivity_based(swaying, 8.0, 12.0, model=NOMINAL)
    )
    expected = simulate(known, 1.0, 2e-3, "leapfrog", **START)
    found = simulate(
        LEARNER, 1.0, 2e-3, "leapfrog", parameters={"controller.adaptation": 0.0}, **START
    )
    close(found.q, expected.q, 1e-10)
    assert np.ptp(found["controller.inertia"], axis=0).max() == 0.0


def test_where_estimates_start():
    """As the model has them, or as a parameter or a state says."""
    guess = 1.5 * NOMINAL.inertial_parameters()[-10:]
    for more in (
        {"parameters": {"controller.prior": guess}},
        {"start": {"controller.inertia": guess}},
    ):
        run = ar.simulate(LEARNER, 4e-3, 2e-3, progress=False, **more)
        close(run["controller.inertia"][0], guess, 1e-15)


def test_forces_stay_within_effort_limits():
    weak = arm(3.0, effort=6.0)
    control = controllers.adaptive(swaying, 8.0, 12.0, 4.0, effort_limits=True)
    scene = ar.Scene(weak, controller=control)
    run = simulate(scene, 0.5, 2e-3, "leapfrog", **START)
    acted = run.acted(scene)["the controller"]
    assert np.abs(acted).max() == 6.0 and np.isfinite(run["controller.inertia"]).all()


@dataclass(frozen=True)
class Weighing(controllers.Controller):
    """Remembers the mass of the figure that it computes with."""

    variables = {"sum": ar.Variable(0.0)}  # noqa: RUF012

    def forces(self, here):
        return [0.0] * here.tree.nv

    def rates(self, here):
        return {"sum": here.tree.I[3].m}


def test_rates_of_a_controller_see_its_own_model():
    run = simulate(ar.Scene(LOADED, controller=Weighing(model=NOMINAL)), 0.1, 0.05)
    close(run["controller.sum"][-1], 0.1 * 1.2, 1e-12)


# A panda


def test_a_panda_learns_what_it_holds():
    """A file's robot with two kilograms in its hand, which its controller knows nothing of."""
    fingers = ["panda_finger_joint1", "panda_finger_joint2"]
    model = ar.load(PANDA).lock(fingers, np.zeros(9))
    held = ar.Body(
        "held", ar.Fixed(), "panda_hand", (0, 0, 0.1), shapes=[ar.Sphere(0.05, mass=2.0)]
    )
    loaded = ar.Model([*model.links, held], name="loaded")
    middle = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8])

    def sway(t):
        return [x + 0.3 * ar.sin((1.0 + 0.3 * k) * t) for k, x in enumerate(middle.tolist())]

    speed = 0.3 * (1.0 + 0.3 * np.arange(7))
    more = {"learns": ["panda_hand"], "natural": True, "model": model}
    learning = controllers.adaptive(sway, 10.0, 10.0, 100.0, **more)
    run = ar.simulate(ar.Scene(loaded, controller=learning), 10.0, 2e-3, q=middle, qd=speed,
                      keep_every=50, progress=False)  # fmt: skip
    off = np.abs(run.q - middle - 0.3 * np.sin(np.outer(run.t, speed / 0.3))).max(-1)
    close(run["controller.inertia"][-1, 0], loaded.inertial_parameters()[-10], 0.02)
    assert off[-20:].max() < 1e-3


@pytest.mark.parametrize("natural", [False, True])
def test_a_gain_in_a_list_is_that_gain(natural):
    runs = [simulate(learner(gain, natural=natural), 4e-3, 2e-3) for gain in (0.5, [0.5])]
    one, listed = (run["controller.inertia"] for run in runs)
    assert np.ptp(one, axis=0).max() > 0.0
    np.testing.assert_array_equal(one, listed)
