"""Constraints of a user's own hold, and move figures as joints built to the same end do."""

import dataclasses
import functools

import numpy as np
import pytest
from own_elements import Gear, Pin, Rod, Tray
from scene_cases import NATIVE, TURNED, figure, simulate

import arthron as ar
from arthron._scene.element import Here, MovingFrame
from arthron.spatial import Vec3

PLACE = (0.3, -0.2, 1.5)
FREE = ("root", "arm", "tip", "leg")


def limbs(**more):
    """A root off its axes with two branches, one of them behind a ball joint."""
    capsule = ar.Capsule(0.06, 0.4, mass=0.6, placement=(0.05, 0.02, -0.2))
    return [
        ar.Body("root", shapes=[ar.Box((0.3, 0.2, 0.5), mass=2, placement=(0.1, 0.05, -0.3))],
                **more),
        ar.Body("arm", ar.Spherical(), "root", TURNED, shapes=[capsule]),
        ar.Body("tip", ar.Revolute((1, 2, -2)), "arm", (0, 0, -0.4), shapes=[capsule]),
        ar.Body("leg", ar.Universal("x", "y"), "root", (-0.1, 0, -0.5), shapes=[capsule]),
    ]  # fmt: skip


def pinned():
    built = ar.Model(limbs(joint=ar.Spherical(), placement=PLACE))
    return built, [], Pin("root", (0, 0, 0), PLACE, name="mine")


def lying():
    """Origin of the root in a plane that stands still, turned from the world's."""
    frame = ar.pose(PLACE, (0.3, -0.2, 0.1))
    slide = ar.Composite([ar.PlanarTranslation(), ar.Spherical()])
    built = ar.Model(limbs(joint=slide, placement=frame))
    normal = np.array([*(frame.R @ Vec3(0.0, 0.0, 1.0))])
    return built, [], Tray("root", (0, 0, 0), tuple(normal), float(normal @ PLACE), name="mine")


def carried():
    """The same on a plane that goes up and down: a joint that moves as prescribed."""
    slide = ar.Composite([ar.PlanarTranslation(), ar.Spherical()])
    lift = ar.Body("lift", ar.Prismatic("z"), placement=PLACE, shapes=[ar.Sphere(0.1, mass=1)])
    built = ar.Model([lift, *limbs(joint=slide, parent="lift")])
    up = ar.Prescribed("lift", position=lambda t: 0.1 * (1.0 - ar.cos(6.0 * t)))
    return built, [up], Tray("root", (0, 0, 0), (0.0, 0.0, 1.0), PLACE[2], 0.1, name="mine")


def hanging():
    """Origin of the root at the end of a rod without mass."""
    line = ar.Body("line", ar.Universal("x", "y"), placement=PLACE)
    built = ar.Model([line, *limbs(joint=ar.Spherical(), parent="line", placement=(0, 0, -0.7))])
    return built, [], Rod(("root", (0, 0, 0)), (None, PLACE), 0.7, name="mine")


def geared():
    """Two hinges on two branches, the second of which follows the first."""
    finger = [ar.Capsule(0.05, 0.4, mass=0.3, placement=(0.02, 0.05, -0.2))]
    bodies = [
        ar.Body("root", ar.Spherical(), shapes=[ar.Box((0.3, 0.2, 0.1), mass=1)]),
        ar.Body("arm", ar.Revolute("x"), "root", (0.1, 0, -0.1), shapes=finger),
        ar.Body("tip", ar.Prismatic((1, 0, 2)), "arm", (0, 0, -0.4), shapes=finger),
        ar.Body("leg", ar.Revolute((0, 1, 1)), "root", (-0.1, 0, -0.1), shapes=finger,
                mimic=ar.Mimic("arm", -2.0, 0.1)),
    ]  # fmt: skip
    return ar.Model(bodies, mimic=True), [], Gear("arm", "leg", -2.0, 0.1, name="mine")


CASES = {make.__name__: make for make in (pinned, lying, carried, hanging, geared)}
EACH = pytest.mark.parametrize("case", CASES)


@functools.cache
def pair(case):
    """(built, constrained, start of each): two scenes that should move alike."""
    rotation = pytest.importorskip("scipy.spatial.transform").Rotation
    built, more, constraint = CASES[case]()
    q = built.random(np.random.default_rng(5))
    qd = np.random.default_rng(6).normal(size=built.nv)
    if case == "carried":
        q[0] = qd[0] = 0.0
    if case == "hanging":
        q[:2] = 0.4, -0.3  # far from where a universal joint is stuck
    if case == "geared":
        free = ar.Model([dataclasses.replace(b, mimic=None) for b in built.bodies])
        x, v = built.slice_q("arm"), built.slice_qd("arm")
        given = {"leg": -2.0 * q[x] + 0.1, "qd": {"leg": -2.0 * qd[v]}}
        names = ("root", "arm", "tip")
    else:
        free = ar.Model(limbs(joint=ar.Free()))
        pose = built.frame_pose(q, "root")
        turn = rotation.from_matrix(pose[:3, :3]).as_quat()
        twist = built.frame_velocity(q, qd, "root")
        given = {"root": [*pose[:3, 3], turn[3], *turn[:3]], "qd": {"root": twist}}
        names = FREE[1:]
    for name in names:
        given[name] = q[built.slice_q(name)]
        given["qd"][name] = qd[built.slice_qd(name)]
    return ar.Scene(built, more), ar.Scene(free, [constraint]), {"q": q, "qd": qd}, given


def poses(scene, q):
    return np.stack([scene.model.frame_pose(q, name) for name in FREE], -3)


@functools.cache
def reference(case):
    built, _, start, _ = pair(case)
    run = simulate(built, 0.4, 0.1, "Runge-Kutta", start=start, tolerance=1e-11)
    return poses(built, run.q)


def off(scene, run):
    """How far the constraint is off along a run."""
    element = scene.elements[0]

    @ar.takes(t=())
    def page(tree, q, t):
        X0 = ar.algorithms.poses(tree, q)
        places = [None if link is None else scene.model.frame(link) for link in element.links]
        frames = [MovingFrame() if p is None else MovingFrame(p.X @ X0[p.body]) for p in places]
        own = [q[scene.model.joint_number(j)] for j in element.joints]
        return element.constraint(Here(t, frames, own, own, (), {}, tree))

    return np.abs(ar.evaluate(page, scene.model, run.q, run.t)).max()


@EACH
def test_it_moves_as_a_joint_that_is_built_so(case):
    _, scene, _, start = pair(case)
    run = simulate(scene, 0.4, 0.1, "Runge-Kutta", start=start, tolerance=1e-11)
    assert np.abs(poses(scene, run.q) - reference(case)).max() < 1e-8
    assert off(scene, run) < 1e-9
    assert np.ptp(reference(case), axis=0).max() > 0.1  # and it moves


@EACH
@pytest.mark.parametrize("integrator", NATIVE)
def test_steps_converge_to_that(case, integrator):
    _, scene, _, start = pair(case)
    errors, gaps = [], []
    for h in (4e-4, 2e-4):
        run = simulate(scene, 0.4, h, integrator, start=start)
        errors.append(np.abs(poses(scene, run.q[-1]) - reference(case)[-1]).max())
        gaps.append(off(scene, run))
    assert 1.7 < errors[0] / errors[1] < 2.3, errors
    assert gaps[1] < 1e-5, gaps
    assert gaps[1] < 1e-13 or gaps[0] / gaps[1] > 1.7, gaps


def loop():
    """The figure without friction, its hand tied to its leg by a rod."""
    bodies = [dataclasses.replace(b, damping=0.0) for b in figure().bodies]
    model = ar.Model(bodies, name="puppet")
    q = np.array([0.9, 0.1, -0.3, 0.2, 0.4, -0.3, 0.2, 0.1])
    ends = ("hand", (0.05, 0.1, -0.3)), ("leg", (0.1, 0.0, -0.6))
    one, two = (model.frame_pose(q, link) @ [*point, 1.0] for link, point in ends)
    rod = Rod(*ends, float(np.linalg.norm(one - two)))
    return ar.Scene(model, [rod], limits=False), q, ends


def test_a_loop_that_a_rod_closes_keeps_its_energy():
    scene, q, _ = loop()
    run = simulate(scene, 1.0, 0.05, "Runge-Kutta", q=q, tolerance=1e-11)
    assert run.kinetic.max() > 5.0
    assert np.ptp(run.energy) < 1e-8 * run.kinetic.max()
    assert off(scene, run) < 1e-9


@pytest.mark.parametrize("integrator", NATIVE)
def test_steps_of_a_loop_gain_and_lose_less_the_shorter_they_are(integrator):
    scene, q, _ = loop()
    drift, gaps = [], []
    for h in (1e-3, 5e-4):
        run = simulate(scene, 0.5, h, integrator, q=q)
        drift.append(np.ptp(run.energy))
        gaps.append(off(scene, run))
    assert gaps[0] < 1e-4 and 3.5 < gaps[0] / gaps[1] < 4.5  # a step's own, no drift
    assert 1.6 < drift[0] / drift[1] < 2.5 and drift[1] < 0.05 * run.kinetic.max()


def test_the_forces_of_a_constraint_are_those_that_textbooks_have():
    """G^T lambda out of M qdd + bias = tau + G^T lambda, G qdd = b, with G by differences."""
    scene, q, ends = loop()
    model = scene.model
    run = simulate(scene, 0.3, 0.1, "Runge-Kutta", q=q, tolerance=1e-12)

    def half_square(q):
        one, two = (model.frame_pose(q, link) @ [*point, 1.0] for link, point in ends)
        return 0.5 * ((one - two) ** 2).sum()

    def by_motion(q, h=1e-4):
        e = h * np.eye(model.nv)
        return np.array([
            8.0 * (half_square(model.integrate(q, x)) - half_square(model.integrate(q, -x)))
            - half_square(model.integrate(q, 2 * x)) + half_square(model.integrate(q, -2 * x))
            for x in e
        ]) / (12.0 * h)  # fmt: skip

    for x, v, forces in zip(run.q[1:], run.qd[1:], run.forces[1:], strict=True):
        G, h = by_motion(x), 1e-4
        b = -(by_motion(model.integrate(x, h * v)) - by_motion(model.integrate(x, -h * v))) @ v
        _, tension = model.constrained_dynamics(x, v, np.zeros(model.nv), G[None], [b / (2 * h)])
        np.testing.assert_allclose(forces, G * tension[0], rtol=1e-5, atol=1e-5)


def test_a_constraint_and_a_joint_that_is_prescribed_go_together():
    """The leg is moved, the hand follows at the end of the rod."""
    scene, q, _ = loop()
    move = ar.Prescribed("leg", position=lambda t: 0.1 + 0.2 * ar.sin(3.0 * t) ** 2)
    both = ar.Scene(scene.model, [*scene.elements, move])
    exact = simulate(both, 0.4, 0.1, "Runge-Kutta", q=q, tolerance=1e-11)
    assert off(both, exact) < 1e-8
    for integrator in NATIVE:
        errors = []
        for h in (1e-3, 5e-4):
            run = simulate(both, 0.4, h, integrator, q=q)
            errors.append(np.abs(scene.model.body_poses(run.q[-1])
                                 - scene.model.body_poses(exact.q[-1])).max())  # fmt: skip
            close = 0.1 + 0.2 * np.sin(3.0 * run.t) ** 2
            assert np.abs(run["leg"].q[:, 0] - close).max() < 1e-12
        assert 1.6 < errors[0] / errors[1] < 2.4


@pytest.mark.parametrize("integrator", [*NATIVE, "Runge-Kutta"])
def test_constraints_of_figures_with_followers(integrator):
    """A rod at a finger that follows: the same whether it does by the model or by a row."""
    built, free = (scene.model for scene in pair("geared")[:2])
    q, qd = built.neutral(), np.zeros(built.nv)
    q[built.slice_q("arm")] = 0.3
    ends = ("leg", (0.02, 0.05, -0.4)), (None, (0.5, 0.2, -0.6))
    length = np.linalg.norm((built.frame_pose(q, "leg") @ [*ends[0][1], 1.0])[:3] - ends[1][1])
    rod = Rod(*ends, float(length))
    one = ar.Scene(built, [rod])
    two = ar.Scene(free, [rod, Gear("arm", "leg", -2.0, 0.1)])
    more = {"integrator": integrator, "tolerance": 1e-10}
    first = simulate(one, 0.2, 2e-3, start={"q": q, "qd": qd}, **more)
    second = simulate(two, 0.2, 2e-3, start={"arm": 0.3, "leg": -0.5}, **more)
    assert np.abs(poses(one, first.q) - poses(two, second.q)).max() < 1e-9
    assert off(one, first) < 1e-4 and np.ptp(first["tip"].position, axis=0).max() > 0.01


def test_a_start_that_is_off_is_closed_or_refused():
    scene, q, ends = loop()
    longer = ar.Scene(scene.model, [Rod(*ends, 0.9, name="mine")])
    run = simulate(longer, 0.01, 1e-3, q=q)
    assert 0.01 < np.abs(run.q[0] - q).max() < 0.3 and off(longer, run) < 1e-5
    longest = ar.Scene(scene.model, [Rod(*ends, 3.0, name="mine")])
    with pytest.raises(ar.SimulationError, match=r"the Rod 'mine' stays \d\.\d+ \[m or rad\] open"):
        simulate(longest, 0.01, 1e-3, q=q)
    lengths = {"mine.length": [0.85, 3.0, 0.9]}
    with pytest.raises(ar.SimulationError, match="in 1 of 3 simulations"):
        simulate(longer, 0.01, 1e-3, q=q, parameters=lengths)


@dataclasses.dataclass(frozen=True)
class Stretched(Rod):
    """A rod that is longer from a moment on."""

    def constraint(self, here):
        return Rod.constraint(self, here) - ar.where(here.t > 2.5e-3, 5e-4, 0.0)


@pytest.mark.parametrize("integrator", NATIVE)
def test_what_is_off_is_gone_after_a_few_steps(integrator):
    """It does not go to and fro: explicit steps move with the velocity of the one before."""
    scene, q, _ = loop()
    rod = scene.elements[0]
    scene = ar.Scene(scene.model, [Stretched(rod.a, rod.b, rod.length)])
    run = simulate(scene, 0.02, 1e-3, integrator, q=q)
    longer = dataclasses.replace(rod, length=float(np.sqrt(rod.length**2 + 1e-3)))
    late = dataclasses.replace(run, t=run.t[6:], q=run.q[6:])
    assert off(ar.Scene(scene.model, [rod]), run) > 3e-4
    assert off(ar.Scene(scene.model, [longer]), late) < 1e-7


@pytest.mark.parametrize("case", ["pinned", "lying", "hanging"])
@pytest.mark.parametrize("integrator", ["semi-implicit Euler", "Runge-Kutta"])
def test_what_a_constraint_holds_does_not_pass_through_joints(case, integrator):
    """A free joint carries nothing: all that holds its body is the constraint's."""
    _, scene, _, given = pair(case)
    pages = {f"at {name}": ar.sensors.joint_wrench(scene.model, name) for name in ("root", "tip")}
    run = simulate(scene, 0.1, 0.01, integrator, start=given, record=pages)
    assert np.abs(run["at root"]).max() < 1e-9 and np.abs(run["at tip"]).max() > 0.1
    axis = np.array([1, 2, -2]) / 3.0
    assert np.abs(run["at tip"][:, :3] @ axis).max() < 1e-9  # its hinge turns freely


def test_wrenches_through_the_joints_of_a_loop():
    """Rods that carry a force are felt at joints that turn freely as no torque about their axes."""
    scene, q, ends = loop()
    model = scene.model
    page = ar.sensors.joint_wrench(model, "shoulder")
    run = simulate(scene, 0.3, 0.05, "Runge-Kutta", q=q, tolerance=1e-11,
                   record={"w": page, "f": lambda tree, f_ext: f_ext})  # fmt: skip
    J = np.stack([model.jacobian(run.q, name) for name in model.body_names], -3)
    by_wrenches = np.einsum("tbik,tbi->tk", J, run["f"])
    np.testing.assert_allclose(by_wrenches[1:], run.forces[1:], rtol=1e-9, atol=1e-9)
    assert np.abs(run.forces[1:]).max(-1).min() > 0.1 and ends[0][0] == "hand"
    k = model.slice_qd("shoulder").start
    qdd = model.forward_dynamics(run.q, run.qd, run.forces)[1:, k]
    along = np.einsum("ti,ti->t", model.jacobian(run.q, "arm")[..., k], run["w"])[1:]
    np.testing.assert_allclose(along, -0.05 * qdd, rtol=1e-8)  # its rotor's, nothing else
