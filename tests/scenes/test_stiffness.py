"""Stiffness and damping of a scene, against differences of its joint forces."""

import functools

import numpy as np
import pytest
from own_elements import Puller, Rod
from scene_cases import by_motion, close, follower, hinges, pushes, simulate

import arthron as ar
from arthron import forces
from arthron._scene.system import State
from arthron.spatial import Mat3, Vec3

BOX = [ar.Box((0.3, 0.2, 0.5), mass=1.5, placement=ar.pose((0.1, -0.05, 0.2), (0.3, 0.2, 1)))]


@functools.cache
def figure():
    """A free body with two branches: a ball, and a hinge with limits behind an oblique slide."""
    return ar.Model(
        [
            ar.Body("trunk", ar.Free(), shapes=BOX),
            ar.Body("arm", ar.Spherical(), "trunk", ar.pose((0.3, -0.1, 0.2), (0.4, -0.3, 1.1)),
                    shapes=BOX, damping=(0.3, 0.2, 0.1)),
            ar.Body("pad", ar.Fixed(), "arm", ar.pose((0.1, 0, -0.3), (1, 0, 2))),
            ar.Body("hip", ar.Prismatic((1, 2, -2)), "trunk", (0, 0.1, -0.4), shapes=BOX),
            ar.Body("leg", ar.Revolute("y"), "hip", (0.1, -0.2, -0.1), shapes=BOX,
                    lower=-0.4, upper=0.7),
        ],
        name="flyer",
    )  # fmt: skip


def drag(frames, t):
    one, two = frames
    return one.wrench((0, 0.1, 0), one.velocity((0, 0.1, 0)) * (-1.0 - t)), two.wrench(
        (0, 0, 0), Vec3(ar.sin(3.0 * t), 0.2, 0.5)
    )


def well(frames, t):
    x = frames[0].at((0.1, 0.2, 0))
    return (2.0 + t) * (x.x * x.x * x.y + x.z * x.z)


def wound(q, qd, t):
    return (3.0 + t) * ar.sin(q[0]) * qd[0] - qd[0] ** 3


@functools.cache
def scene():
    """Every kind of force there is, elements of the user's and a controller among them."""
    pad, leg, world = ("pad", (0, 0.1, -0.1)), ("leg", (0.1, 0, -0.3)), (None, (0.5, 0.3, 1.0))
    return ar.Scene(
        figure(),
        [
            forces.BodyDamping("leg", 0.2, (0.1, 0.0, 0.3), name="BodyDamping"),
            forces.PointForce("pad", (1.0, -2.0, 0.5), (0.1, 0.0, -0.3), name="PointForce"),
            forces.PointToPoint(pad, leg, 20.0, 1.0, name="PointToPoint"),
            forces.Spring(leg, world, 30.0, 3.0, 0.4, name="Spring"),
            forces.Spring(pad, world, 40.0, 2.0, name="open"),
            forces.Cable([world, pad, leg], 50.0, 4.0, 0.5, name="Cable"),
            forces.Cable([world, pad, leg], 50.0, 4.0, 50.0, name="slack"),
            forces.JointSpring("arm", (5.0, 3.0, 2.0), 0.5, (0.9, 0.1, -0.3, 0.2),
                               name="JointSpring"),
            forces.JointLimit("leg", 60.0, 5.0, name="JointLimit"),
            forces.JointTorque("hip", wound, name="JointTorque"),
            forces.LinkLoad(("pad", "trunk"), wrench=drag, name="LinkLoad"),
            forces.LinkLoad(("arm",), potential=well, name="well"),
            Puller("trunk", "pad", (0.1, 0.2, 0.3), 8.0, 0.1, name="Puller"),
            Rod(pad, world, 1.0, name="Rod"),
        ],
        ar.controllers.computed_torque(figure().neutral(), 7.0, 2.0),
    )  # fmt: skip


@functools.cache
def state():
    """Three states by name, their times, and a number that each of them has its own of."""
    model, rng = figure(), np.random.default_rng(3)
    q = model.random(rng, size=3)
    q[:, model.slice_q("leg")] = [[0.9], [-0.6], [0.2]]  # beyond the limits and between them
    qd = rng.normal(size=(3, model.nv))
    at = {"q": q, "qd": qd, "Puller.a": np.array([0.3, 0.5, 0.7])}
    return at, np.array([0.1, 0.7, 1.3]), {"Spring.stiffness": np.array([10.0, 30.0, 90.0])}


def joint_forces(q, qd):
    """Joint forces of each element at states next to those, from wrenches and Jacobians."""
    at, t, parameters = state()
    spring = scene().elements[4]
    parameters = parameters | {"open.rest": spring.length(figure(), at["q"])}
    setup = scene().setup(parameters)
    packed = setup.parameters.pack(parameters)

    @ar.takes(t=(), a=(), numbers=(setup.parameters.size,))
    def page(tree, q, qd, t, a, numbers):
        system = setup.system(tree, numbers)
        now = State(t, q, qd, {"Puller.a": [a], "Puller.path": [0.0, 2.0]})
        each = [system.only([k]).loads(now) for k in range(len(setup.scene.names))]
        return [x.f_ext for x in each], [tree.vector(x.tau) for x in each]

    f_ext, tau = ar.evaluate(page, figure(), q, qd, t, at["Puller.a"], packed)
    J = figure().body_jacobians(q)
    total = tau + np.einsum("...ebk,...bkv->...ev", f_ext, J)
    return np.moveaxis(total, -2, 0)


def named(slopes):
    """Slopes of each element that exerts forces, by name."""
    names = scene().names
    return {n: -x for n, x in zip(names, slopes, strict=True) if n != "Rod"}


@functools.cache
def expected_stiffness():
    at, _, _ = state()
    one = by_motion(lambda q: np.moveaxis(joint_forces(q, at["qd"]), 0, -2), figure(), at["q"])
    return named(np.moveaxis(one, -3, 0))


@functools.cache
def expected_damping(h=1e-3):
    """By velocity they are polynomials of third degree at most: differences are exact."""
    at, _, _ = state()
    steps = h * np.eye(figure().nv)[:, None]
    one, two = (
        joint_forces(at["q"], at["qd"] + k * steps) - joint_forces(at["q"], at["qd"] - k * steps)
        for k in (1, 2)
    )
    return named(np.moveaxis((8.0 * one - two) / (12.0 * h), 1, -1))


@functools.cache
def found(kind):
    at, t, parameters = state()
    return getattr(scene(), kind)(at, t=t, parameters=parameters, by_element=True)


def test_every_force_is_among_them():
    kinds = {type(x).__name__ for x in scene().elements}
    assert kinds >= {n for n, x in vars(forces).items() if isinstance(x, type)} - {"MovingFrame"}


ACTING = [name for name in scene().names if name != "Rod"]


@pytest.mark.parametrize("name", ACTING)
def test_slopes_are_those_of_the_joint_forces(name):
    """Of every element, levers that change included: exact, not what implicit steps take."""
    close(found("stiffness")[name], expected_stiffness()[name], 1e-9, scale=1.0)
    close(found("damping")[name], expected_damping()[name], 1e-9, scale=1.0)
    largest = [np.abs(found(kind)[name]).max() > 0.1 for kind in ("stiffness", "damping")]
    assert any(largest) == (name != "slack")
    assert list(found("stiffness")) == list(found("damping")) == ACTING


# A small scene


@functools.cache
def small():
    """Hinges with a spring between links and one at a joint, and one that moves as prescribed."""
    return ar.Scene(
        hinges(),
        [
            forces.Spring(("pad", (0, 0, 0.1)), (None, (0, 0, 2)), 50.0, 3.0, name="band"),
            forces.JointSpring("leg", 7.0, 0.4, 0.2, name="knee"),
            ar.Prescribed("shoulder", position=lambda t: 0.3 + t),
        ],
    )


def test_a_spring_at_a_joint_is_its_own_matrix():
    """Above zero for what pulls back and what slows down, by name or in all."""
    at = {"hand": 0.4, "qd": {"leg": 1.0}}
    K, D = (f(at, by_element=True) for f in (small().stiffness, small().damping))
    assert np.array_equal(K["knee"], np.diag([0, 0, 7.0])) and list(K) == ["band", "knee"]
    assert np.array_equal(D["knee"], np.diag([0, 0, 0.4]))
    close(small().stiffness(at), sum(K.values()), 1e-14)
    close(small().damping(at), sum(D.values()), 1e-14)
    assert np.linalg.eigvalsh(K["band"]).max() > 1.0  # of no length but its own, it is taut nowhere
    close(K["band"], K["band"].T, 1e-14)


def test_states_are_read_as_those_of_simulations():
    """By joint, in batches, along a run with times and rest lengths of its own, and at its end."""
    model = hinges()
    assert small().stiffness({"leg": [0.1, 0.2, 0.3]}).shape == (3, 3, 3)
    assert np.array_equal(small().stiffness(), small().stiffness(q=model.neutral()))
    run = simulate(small(), 0.1, 0.02, start={"hand": [0.4, 0.5]}, parameters={"knee.damping": 2.0})
    along = small().stiffness(q=run.q, qd=run.qd, t=run.t, parameters={
        "band.rest": run.parameters["band.rest"][:, None], "knee.damping": 2.0})  # fmt: skip
    end = small().stiffness(run.last(), t=0.1, parameters=run.parameters)
    assert along.shape == (2, 6, 3, 3) and np.array_equal(along[:, -1], end)
    assert np.abs(end - small().stiffness(run.last())).max() > 0.1  # of the length it has there


def test_what_does_not_act():
    alone = ar.Scene(hinges())
    assert np.array_equal(alone.stiffness({"leg": [0.1, 0.2]}), np.zeros((2, 3, 3)))
    assert alone.damping(by_element=True) == {}


def test_joints_that_follow_others():
    model = follower()
    q, qd = model.random(1), np.random.default_rng(1).normal(size=model.nv)
    claw = ar.Scene(model, [
        forces.Spring(("three", (0, 0.1, -0.2)), ("two", (0, 0, -0.1)), 40.0, 3.0, 0.1),
        forces.JointSpring("one", 3.0, 0.2)])  # fmt: skip
    close(claw.stiffness(q=q, qd=qd), -by_motion(lambda q: pushes(claw, q, qd), model, q), 1e-9)


def pendulum():
    """Two masses on threads of unit length, one below the other."""
    mass = ar.Inertia.from_com(1.0, Vec3(0.0, 0.0, -1.0), Mat3.from_rows(np.zeros((3, 3))))
    return ar.Model(
        [ar.Body("upper", ar.Revolute("y"), inertia=mass),
         ar.Body("lower", ar.Revolute("y"), "upper", (0, 0, -1), inertia=mass)]
    )  # fmt: skip


def test_natural_frequencies():
    """Of a double pendulum g (2 +- sqrt 2), of which gravity is all; of springs alone 3 +- sqrt 8.

    K of the scene has no gravity in it: that is `gravity_forces_dq`.
    """
    model = pendulum()
    springs = ar.Scene(model, [forces.JointSpring(n, k) for n, k in (("upper", 1), ("lower", 1))])
    M, weight = (f(model.neutral()) for f in (model.mass_matrix, model.gravity_forces_dq))
    w2 = np.linalg.eigvals(np.linalg.solve(M, weight))
    close(np.sort(w2), 9.81 * (2.0 + np.sqrt(2.0) * np.array([-1, 1])), 1e-13)
    w2 = np.linalg.eigvals(np.linalg.solve(M, springs.stiffness()))
    close(np.sort(w2), 3.0 + np.sqrt(8.0) * np.array([-1, 1]), 1e-13)


def test_states_that_cannot_be():
    for given, words in (
        ({"t": [0.0, 1.0], "q": np.zeros((3, 3))}, ["`q` (3,)", "`t` (2,)", "states"]),
        ({"t": "now"}, ["`t`", "'now'", "real numbers"]),
        ({"state": {"ellbow": 0.1}}, ["`state` names 'ellbow'", "no joint"]),
        ({"state": {"leg": [[0.1, 0.2]]}, "q": np.zeros(3)}, ["`state` gives 'q.leg' twice"]),
        ({"state": np.zeros(3)}, ["`state` is array", "`q=`"]),
        ({"parameters": {"band.stifness": 1.0}}, ["band.stiffness"]),
    ):
        with pytest.raises(ar.ArthronError) as error:
            small().stiffness(**given)
        assert all(word in str(error.value) for word in words), str(error.value)
