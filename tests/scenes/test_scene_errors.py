"""Bad scenes end in an error of arthron's that names the culprit, and the time if there is one."""

import contextlib
import math
import pickle
import re
import signal

import numpy as np
import pytest
from scene_cases import ALL, NATIVE, NEWTON, figure, follower, simulate, sprung, start

import arthron as ar
from arthron import forces
from arthron.spatial import Force, Vec3

NAN = math.nan
MODEL = figure()
BALL, HINGE, LINK = "trunk", "leg", "arm"


def scene(*elements, **more):
    """A scene and its first steps: what is wrong shows by then."""
    return simulate(ar.Scene(MODEL, elements, **more), 0.02, 0.01)


def run(*elements, duration=0.1, step=0.01, controller=None, prescribed=(), **more):
    return simulate(ar.Scene(MODEL, [*elements, *prescribed], controller), duration, step, **more)


def turn(function, joint=HINGE):
    return forces.JointTorque(joint, function)


def prescribed(function, joint=HINGE, way="velocity"):
    return ar.Prescribed(joint, **{way: function})


@contextlib.contextmanager
def within(seconds):
    """Ends what hangs."""

    def late(*_):
        raise TimeoutError(f"not done in {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def broken(*_):
    raise KeyError("my mistake")


def refuses(bad, *words):
    """It ends in an error of ours that has these words in it; the error pickles."""
    with within(60.0), pytest.raises(ar.ArthronError) as info:
        bad()
    text = str(info.value)
    for word in words:
        assert re.search(word, text), f"no {word!r} in: {text}"
    assert text.endswith((".", ")", "`", "?")), text
    assert str(pickle.loads(pickle.dumps(info.value))) == text
    return info.value


# When a scene is made


MADE = {
    "no model": (lambda: ar.Scene("panda"), "str", "ar.Model"),
    "an unknown link": (lambda: scene(forces.BodyDamping("amr", 1.0)), "BodyDamping", "'amr'",
                        "'arm'", "frame_names"),
    "an unknown link of two": (
        lambda: scene(forces.PointToPoint(("arm", (0, 0, 0)), ("lag", (0, 0, 0)), 1.0)),
        "PointToPoint", "'lag'", "'leg'"),
    "an unknown link of a cable": (
        lambda: scene(forces.Cable.per_strain((("arm", (0, 0, 0)), ("padd", (0, 0, 0))), 1.0, 1.0)),
        "Cable", "'padd'", "'pad'"),
    "an unknown link of a load": (
        lambda: scene(forces.LinkLoad(("haand",), lambda f, t: Force())), "'haand'", "'hand'"),
    "a number for a link": (lambda: scene(forces.BodyDamping(1, 1.0)), "link 1"),
    "an unknown joint": (lambda: scene(forces.JointSpring("sholder", 1.0)), "JointSpring",
                         "'sholder'", "'shoulder'", "joint_names"),
    "a link for a joint": (lambda: scene(forces.JointLimit("arm", 1.0)), "JointLimit", "'arm'"),
    "a torque at an unknown joint": (lambda: scene(turn(broken, "lex")), "'lex'", "'leg'"),
    "an unknown joint that is prescribed": (lambda: scene(prescribed(broken, "lex")), "Prescribed",
                                      "'lex'", "'leg'"),
    "a joint prescribed twice": (
        lambda: scene(prescribed(lambda t: 1.0), prescribed(lambda t: 2.0)), "'leg'", "twice"),
    "a joint without a motion": (lambda: ar.Prescribed("leg"), "'leg'", "position"),
    "a joint prescribed in two ways": (
        lambda: ar.Prescribed("leg", lambda t: t, lambda t: 1.0), "'leg'", "one of"),
    "a motion that is a number": (lambda: ar.Prescribed("leg", velocity=1.0), "'leg'", "function"),
    "a gain of no position": (
        lambda: ar.Prescribed("leg", velocity=lambda t: 1.0, gain=2.0), "'leg'", "gain"),
    "a follower": (lambda: ar.Scene(follower(), [forces.JointSpring("three", 1.0)]), "'three'",
                   "follows"),
    "a follower that is prescribed": (
        lambda: ar.Scene(follower(), [prescribed(lambda t: 1.0, "three")]), "'three'",
        "follows"),
    "a word for a force": (lambda: scene("spring"), "'spring'", "ar.forces"),
    "a class for a force": (lambda: scene(forces.BodyDamping), "BodyDamping", "ar.forces"),
    "a controller that is none": (lambda: scene(controller=3.0), "controller", "3.0"),
    "names for places": (lambda: scene(forces.PointToPoint("arm", "leg", 1.0)), "PointToPoint",
                         "point"),
    "a load of nothing": (lambda: scene(forces.LinkLoad(("arm",))), "'arm'", "wrench"),
    "a point of two numbers": (lambda: scene(forces.PointForce("arm", (1.0, 2.0))), "PointForce",
                               "three"),
    "a point of four numbers": (
        lambda: scene(forces.PointForce("arm", (1.0, 2.0, 3.0), (0, 0, 0, 0))), "PointForce",
        "three"),
    "a cable of one point": (
        lambda: scene(forces.Cable((("arm", (0, 0, 0)),), 1.0)), "Cable", "two"),
    "no rest length": (
        lambda: scene(forces.Spring.per_strain(("arm", (0, 0, 0)), (None, (0, 0, 0)), 1.0, 0.0)),
        "rest"),
    "a stiffness that is no number": (lambda: scene(forces.JointSpring("leg", NAN)), "JointSpring",
                                      "'leg'", "nan"),
    "a stiffness that is text": (lambda: scene(forces.JointSpring("leg", "3")), "'leg'", "'3'",
                                 "finite numbers"),
    "a damping that is no number": (lambda: scene(forces.BodyDamping("arm", NAN)), "BodyDamping",
                                    "'arm'", "nan"),
    "stiffnesses too few": (lambda: scene(forces.JointSpring(BALL, (1.0, 2.0))), "JointSpring",
                            "'trunk'", "3"),
    "a rest too short": (lambda: scene(forces.JointSpring(BALL, 1.0, 0.0, (1.0, 0.0))),
                         "JointSpring", "'trunk'", "4"),
    "limits of a ball": (lambda: scene(forces.JointLimit(BALL, 1.0, 0.0, -1.0, 1.0)), "JointLimit",
                         "'trunk'"),
    "limits too few": (lambda: scene(forces.JointLimit("hand", 1.0, 0.0, (-1.0,), 1.0)),
                       "JointLimit", "'hand'", "2"),
    "no limits at all": (lambda: scene(forces.JointLimit("hand", 1.0)), "JointLimit", "'hand'",
                         "limit"),
    "limits the wrong way round": (
        lambda: scene(forces.JointLimit("leg", 1.0, 0.0, 1.0, -1.0)), "JointLimit", "'leg'"),
    "a gain below zero": (
        lambda: ar.Prescribed("leg", lambda t: t, gain=-1.0), "'leg'", "gain", "-1.0"),
    "a rest that is no rotation": (
        lambda: scene(forces.JointSpring(BALL, 1.0, 0.0, (0, 0, 0, 0))), "'trunk'", "rest"),
    "a force on the world": (lambda: scene(forces.PointForce(None, (1, 0, 0))), "PointForce"),
    "a torque that is no function": (lambda: scene(turn(3.0)), "'leg'", "function"),
}  # fmt: skip


@pytest.mark.parametrize("name", MADE)
def test_a_scene_that_cannot_be(name):
    bad, *words = MADE[name]
    refuses(bad, *words)


# When a simulation starts


STARTED = {
    "no scene": (lambda: simulate(MODEL, 0.1, 0.01), "Model", "ar.Scene"),
    "a step of zero": (lambda: run(step=0.0), "step", "0.0"),
    "a step below zero": (lambda: run(step=-0.1), "step", "-0.1"),
    "a step that is no number": (lambda: run(step=NAN), "step", "nan"),
    "a step for ever": (lambda: run(step=math.inf), "step", "inf"),
    "a word for a step": (lambda: run(step="fast"), "step", "'fast'"),
    "a duration below zero": (lambda: run(duration=-1.0), "duration", "-1.0"),
    "a duration that is no number": (lambda: run(duration=NAN), "duration", "nan"),
    "a duration for ever": (lambda: run(duration=math.inf), "duration", "inf"),
    "no duration": (lambda: run(duration=None), "duration", "None"),
    "a step longer than it all": (lambda: run(step=0.3), "0.1 s", "0.3 s"),
    "steps that do not fit": (lambda: run(step=0.03), "0.1 s", "0.03 s"),
    "kept states that do not fit": (lambda: run(keep_every=3), "every 3"),
    "nothing kept": (lambda: run(keep_every=0), "keep_every", "0"),
    "half a step kept": (lambda: run(keep_every=2.5), "keep_every", "2.5"),
    "a word for what is kept": (lambda: run(keep_every="all"), "keep_every", "'all'"),
    "an integrator misspelt": (lambda: run(integrator="implict Euler"), "'implict Euler'",
                               "Nearest: 'implicit Euler'"),
    "no integrator": (lambda: run(integrator=None), "None", "'BDF2'"),
    "slopes misspelt": (lambda: ar.integrators.ImplicitEuler("symetric"),
                        "'symetric'", "'symmetric'"),
    "no tolerance": (lambda: ar.integrators.RungeKutta(0.0), "tolerance", "1e-9"),
    "BDF of another order": (lambda: ar.integrators.BDF(3), "order 3", "1 and 2"),
    "a class": (lambda: run(integrator=ar.integrators.Leapfrog), r"`Leapfrog\(\)`"),
    "a solver misspelt": (lambda: ar.integrators.ImplicitEuler(solver="dens"), "'dense'"),
    "q too short": (lambda: run(q=[1.0, 0.0]), "`q`", r"\(2,\)", "puppet", "8"),
    "q of one number": (lambda: run(q=1.0), "`q`", r"\(\)"),
    "q of words": (lambda: run(q="home"), "`q`"),
    "q of complex numbers": (lambda: run(q=1j * np.ones(8)), "`q`"),
    "qd too long": (lambda: run(qd=np.zeros(8)), "`qd`", r"\(8,\)", "7"),
    "NaN in q": (lambda: run(q=np.full(8, NAN)), "`q`", "finite|nan|NaN"),
    "NaN in qd": (lambda: run(qd=np.full(7, NAN)), "`qd`", "finite|nan|NaN"),
    "NaN in tau": (lambda: run(tau=np.full(7, NAN)), "`tau`", "finite|nan|NaN"),
    "a quaternion of zeros": (lambda: run(q=np.zeros(8)), "`q`", "trunk", "neutral"),
    "tau too short": (lambda: run(tau=np.zeros(6)), "`tau`", r"\(6,\)", "7"),
    "tau for too few steps": (lambda: run(tau=np.zeros((7, 7))), "`tau`", "10 steps"),
    "tau of too few rows and steps": (
        lambda: run(q=np.tile(MODEL.neutral(), (3, 1)), tau=np.zeros((3, 7, 7))), "`tau`"),
    "batches that do not fit": (
        lambda: run(q=np.tile(MODEL.neutral(), (3, 1)), qd=np.zeros((4, 7))), "`q`", "`qd`",
        r"\(3,", r"\(4,"),
    "inertia too short": (
        lambda: run(parameters={"inertia": np.ones(39)}), "'inertia'", "39", "40"),
    "mass below zero": (
        lambda: run(parameters={"inertia": -MODEL.inertial_parameters()}), "`inertia`", "mass"),
    "half a step too many": (lambda: run(duration=1_000_000.5, step=1.0), "1e"),
    "no mass": (lambda: run(parameters={"inertia": np.zeros(40)}),),
}  # fmt: skip


@pytest.mark.parametrize("name", STARTED)
def test_a_simulation_that_cannot_start(name):
    bad, *words = STARTED[name]
    refuses(bad, *words)


# Functions of the user's that are not what they should be


FUNCTIONS = {
    "a torque that raises": (lambda: run(turn(broken)), "'leg'", "my mistake"),
    "a torque of two arguments": (lambda: run(turn(lambda q, qd: 1.0)), "'leg'"),
    "a torque of too few": (lambda: run(turn(lambda q, qd, t: (1.0, 2.0), BALL)), "'trunk'", "3"),
    "a torque of too many": (lambda: run(turn(lambda q, qd, t: [1.0] * 4, BALL)), "'trunk'", "3"),
    "a torque of nothing": (lambda: run(turn(lambda q, qd, t: None)), "'leg'", "None"),
    "a torque with an if": (
        lambda: run(turn(lambda q, qd, t: 1.0 if t > 0.1 else 0.0)), "`if`", "ar.where"),
    "a torque of math": (lambda: run(turn(lambda q, qd, t: math.sin(t))), "arthron's `sin`"),
    "a load that raises": (lambda: run(forces.LinkLoad((LINK,), broken)), "'arm'", "my mistake"),
    "a load of nothing": (
        lambda: run(forces.LinkLoad((LINK,), lambda f, t: None)), "'arm'", "None"),
    "a load of a vector": (
        lambda: run(forces.LinkLoad((LINK,), lambda f, t: Vec3(1.0, 2.0, 3.0))), "'arm'", "Force"),
    "a load of too few": (
        lambda: run(forces.LinkLoad((LINK, "leg"), lambda f, t: (Force(),))), "'arm'", "each link"),
    "a load of too many": (
        lambda: run(forces.LinkLoad((LINK,), lambda f, t: (Force(), Force()))), "'arm'"),
    "a potential that raises": (
        lambda: run(forces.LinkLoad((LINK,), potential=broken)), "'arm'", "my mistake"),
    "a potential of nothing": (
        lambda: run(forces.LinkLoad((LINK,), potential=lambda f, t: None)), "'arm'", "None"),
    "a controller that raises": (lambda: run(controller=broken), "controller", "my mistake"),
    "a controller of too few": (
        lambda: run(controller=lambda tree, t, q, qd: [1.0]), "controller", "7"),
    "a controller of too many": (
        lambda: run(controller=lambda tree, t, q, qd: [1.0] * 8), "controller", "7"),
    "a controller that returns q": (
        lambda: run(controller=lambda tree, t, q, qd: q), "controller", "7"),
    "a controller of one number": (
        lambda: run(controller=lambda tree, t, q, qd: 1.0), "controller", "7"),
    "a controller of nothing": (
        lambda: run(controller=lambda tree, t, q, qd: None), "controller", "None"),
    "a target too short": (
        lambda: run(controller=ar.controllers.pd([0.0], 1.0, 1.0)), "target", "1", "8"),
    "a moving target too short": (
        lambda: run(controller=ar.controllers.pd(lambda t: [t], 1.0, 1.0)), "target", "1", "8"),
    "a target of nothing": (
        lambda: run(controller=ar.controllers.pd(lambda t: None, 1.0, 1.0)), "is None", "8",
        "model.neutral()"),
    "gains too few": (
        lambda: run(controller=ar.controllers.pd(MODEL.neutral(), [1.0, 2.0], 1.0)), "2", "7"),
    "a motion that raises": (lambda: run(prescribed=[prescribed(broken)]), "'leg'", "my mistake"),
    "a motion of too few": (
        lambda: run(prescribed=[prescribed(lambda t: (1.0, 2.0), BALL)]), "'trunk'", "2", "3"),
    "a place of too few": (
        lambda: run(prescribed=[prescribed(lambda t: (1.0, t), BALL, "position")]),
        "'trunk'", "2", "4"),
    "a motion of nothing": (lambda: run(prescribed=[prescribed(lambda t: None)]), "'leg'", "None"),
    "a motion of math": (lambda: run(prescribed=[prescribed(lambda t: math.cos(t))]), "arthron's"),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_that_is_not_what_it_should_be(name):
    bad, *words = FUNCTIONS[name]
    refuses(bad, *words)


def test_functions_that_go_wrong_are_named_whatever_the_integrator():
    for integrator in ("implicit Euler", "BDF1", "Runge-Kutta"):
        refuses(lambda i=integrator: run(turn(broken), integrator=i), "'leg'", "my mistake")


# In the middle of a run


def late(t):
    """Not a number from 0.055 s on."""
    return ar.sqrt(0.055 - t)


LATE = {
    "a torque": (lambda: [turn(lambda q, qd, t: late(t))], {}, "JointTorque", "'leg'"),
    "a load": (lambda: [forces.LinkLoad(
        (LINK,), lambda f, t: f[0].wrench((0, 0, 0), Vec3(late(t))))], {}, "LinkLoad", "'arm'"),
    "a potential": (lambda: [forces.LinkLoad(
        (LINK,), potential=lambda f, t: late(t) * f[0].at((0, 0, 0)).x)], {}, "LinkLoad", "'arm'"),
    "a controller": (list, {"controller": lambda tree, t, q, qd: [late(t)] * 7}, "controller"),
    "a motion": (list, {"prescribed": [prescribed(lambda t: late(t) + 1.0)]}, "'leg'"),
}  # fmt: skip


@pytest.mark.parametrize("what", LATE)
@pytest.mark.parametrize("integrator", ALL)
def test_what_is_no_number_is_named_with_its_time(integrator, what):
    elements, more, *words = LATE[what]
    calm = [forces.BodyDamping("leg", 0.1), forces.JointSpring("hand", 1.0)]
    error = refuses(
        lambda: run(*calm, *elements(), duration=0.2, integrator=integrator, **more), *words
    )
    assert isinstance(error, ar.SimulationError)
    time = [float(x) for x in re.findall(r"t = ([0-9.e-]+) s", str(error))]
    assert time, str(error)
    assert all(0.05 <= t <= 0.08 for t in time), str(error)
    assert "BodyDamping" not in str(error)
    before = error.trajectory
    assert 5 <= len(before) <= 8
    np.testing.assert_allclose(before.t, 0.01 * np.arange(len(before)), atol=1e-12)
    assert np.isfinite(before.q).all()
    assert np.isfinite(before.qd).all()


@pytest.mark.parametrize("integrator", ["semi-implicit Euler", "implicit Euler", "BDF2"])
def test_the_culprit_is_found_between_kept_states(integrator):
    """At the last kept state, 0.05 s before, everything was fine."""
    error = refuses(
        lambda: run(
            forces.BodyDamping("leg", 0.1), turn(lambda q, qd, t: ar.sqrt(0.085 - t)),
            duration=0.3, keep_every=5, integrator=integrator,
        ),
        "JointTorque", "'leg'",
    )  # fmt: skip
    assert len(error.trajectory) == 2


@pytest.mark.parametrize("integrator", ALL)
def test_what_is_no_number_from_the_start(integrator):
    error = refuses(
        lambda: run(turn(lambda q, qd, t: ar.sqrt(-1.0 - t)), integrator=integrator),
        "JointTorque", "'leg'", "t = 0",
    )  # fmt: skip
    assert len(error.trajectory) == 1


def test_a_force_of_state_that_is_no_number():
    """The hinge turns past where its torque is defined."""
    spin = np.zeros(7)
    spin[MODEL.slice_qd("leg")] = 10.0
    error = refuses(
        lambda: run(turn(lambda q, qd, t: ar.log(0.255 - q[0])), qd=spin, duration=0.5),
        "JointTorque", "'leg'",
    )  # fmt: skip
    angle = error.trajectory.q[:, MODEL.slice_q("leg")]
    assert 3 < len(angle) < 30
    assert angle[:-1].max() < 0.255


@pytest.mark.parametrize("integrator", ["explicit Euler", "semi-implicit Euler"])
def test_a_step_that_is_too_large(integrator):
    error = refuses(
        lambda: run(forces.JointSpring("leg", 1e7, 0.0, 0.3), duration=5.0, integrator=integrator),
        "puppet", r"t = 0\.", r"step of 0\.01 s is too large",
    )  # fmt: skip
    before = error.trajectory
    assert len(before) >= 3
    assert np.isfinite(before.q).all()
    assert f"{0.01 * len(before):g} s" in str(error)


def test_the_row_of_a_batch_is_named():
    q, qd = start(MODEL, 1, (5,), speed=0.1)
    q[:, MODEL.slice_q("leg")] = 0.1
    q[3, MODEL.slice_q("leg")] = 5.0
    torque = turn(lambda q, qd, t: ar.log(2.0 - q[0]))
    with pytest.warns(ar.SimulationWarning, match=r"1 of 5 .*simulation 3.*JointTorque.*'leg'"):
        found = run(torque, q=q, qd=qd)
    (error,) = found.failures
    assert (error.row, error.t, error.element) == ((3,), 0.0, "JointTorque(leg)")
    assert found.status.tolist() == ["whole"] * 3 + ["failed", "whole"]
    error = refuses(lambda: run(torque, q=q[3:4], qd=qd[3:4]), "JointTorque", r"simulation 0\b")
    assert error.trajectory.q.shape[0] == 1 and error.row == (0,)


@pytest.mark.parametrize("integrator", NEWTON)
def test_newton_says_when_and_keeps_what_was_before(integrator):
    """A brake that would turn the hinge round within a step: no speed at its end is right."""

    def brake(q, qd, t):
        return ar.where(t < 0.295, 0.0, ar.where(qd[0] > 0.0, -1e4, 1e4))

    error = refuses(
        lambda: run(turn(brake), duration=1.0, integrator=integrator), r"t = 0\.29|t = 0\.3"
    )
    assert isinstance(error, ar.SimulationError)
    assert 28 <= len(error.trajectory) <= 32


def test_states_before_an_error_are_those_of_a_run_without():
    late = turn(lambda q, qd, t: 1e-12 * ar.sqrt(3.005 - t))
    bad = ar.Scene(MODEL, [*sprung().elements, late], limits=False)
    q, qd = start(MODEL, 2)
    whole = simulate(sprung(), 3.0, 0.01, q=q, qd=qd)
    with pytest.raises(ar.SimulationError) as info:
        simulate(bad, 5.0, 0.01, q=q, qd=qd)
    before = info.value.trajectory
    assert len(before) in (301, 302)
    np.testing.assert_allclose(before.q[:101], whole.q[:101], rtol=1e-6, atol=1e-6)


def test_an_error_has_a_word_on_what_was_simulated():
    error = refuses(lambda: run(turn(lambda q, qd, t: late(t))), "error.trajectory")
    assert "puppet" in repr(error.trajectory)
    assert ar.SimulationError("x").trajectory is None


def test_integrators_are_the_ones_that_are_listed():
    error = refuses(lambda: run(integrator="Heun"), *(repr(name) for name in ALL))
    assert set(NATIVE) < set(ALL)
    assert isinstance(error, ar.SimulationError)


def test_no_scipy_is_needed(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "scipy", None)
    monkeypatch.setitem(sys.modules, "scipy.integrate", None)
    assert len(ar.simulate(ar.Scene(MODEL), 0.1, 0.01, integrator="Runge-Kutta")) == 11
