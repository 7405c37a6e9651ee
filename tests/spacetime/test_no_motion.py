"""Problems that cannot be solved end in a sentence with the condition and by how much."""

import re

import numpy as np
import pytest
from motion_cases import BLOCK, cart_pole, hop, lamp, swing_up

import arthron as ar
from arthron._spacetime.motion_costs import Setting
from arthron.spacetime import (
    Apart,
    Foothold,
    Keyframe,
    MotionProblem,
    Periodic,
    Phase,
    Require,
    Smoothness,
    TorqueEnergy,
    TorqueLimits,
    VelocityLimits,
    Waypoint,
)


def block(*conditions, phases=None):
    return MotionProblem(BLOCK, phases or Phase(1.0, 6), TorqueEnergy(), conditions), None


def ends(far=0.8):
    return Keyframe(0, [0.0]), Keyframe(1, [far])


def arm():
    link = ar.Capsule(0.04, 0.4, placement=(0, 0, -0.2))
    upper = ar.Body("upper", ar.Revolute("y"), shapes=[link])
    lower = ar.Body(
        "lower", ar.Revolute("y"), parent="upper", placement=(0, 0, -0.4), shapes=[link]
    )
    return ar.Model([upper, lower])


def reach(position, **more):
    goal = Waypoint("lower", 1, position=position, point=(0, 0, -0.4), **more)
    return MotionProblem(
        arm(), Phase(1.0, 6), TorqueEnergy(), [Keyframe(0, [0.3, 0.5]), goal]
    ), None


def jump(duration):
    problem, guess = hop(far=2.0)
    first, _, last = problem.phases
    flight = Phase(duration, 6)
    return MotionProblem(
        problem.model, [first, flight, last], problem.costs, problem.conditions
    ), guess


def momentum(tree, q, qd):
    return [qd[1][0]]


CASES = {
    "position of 'lower'": lambda: reach((2.0, 0.0, 0.0)),
    "velocity of 'lower'": lambda: reach((0.5, None, -0.3), velocity=(0.0, 1.0, 0.0)),
    "torque|pose": lambda: block(*ends(), TorqueLimits({"block": 5.0})),
    "speed": lambda: block(*ends(), VelocityLimits({"block": 0.5})),
    "pose": lambda: block(
        Keyframe(0, [0.0]), Keyframe(0.5, [0.2], None), Keyframe(0.5, [0.4], None)
    ),
    "momentum": lambda: block(*ends(), Require(momentum, (0, 1), most=0.3)),
    "pose of a period": lambda: block(*ends(), Periodic(1, shift={"block": 0.5})),
    "squared": lambda: (
        MotionProblem(arm(), Phase(1.0, 6), Smoothness(), [Apart(("lower", "upper"), 0.5)]), None
    ),
    "balance|place|pose|height|velocity|friction": lambda: jump((0.05, 0.06)),
    "balance|place|friction|pose|velocity": lambda: hop(friction=1e-3, far=0.4),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_cannot_be_is_told(name):
    problem, guess = CASES[name]()
    motion = problem.solve(guess, progress=False, most=200)
    assert motion.status != "solved", motion.cost
    message = motion.optimum.message
    assert re.search(rf"({name}).* at [\d.]+ is violated by [\d.e+-]+", message)
    assert message.startswith("no motion ") and "Perhaps there is none" in message
    told = [float(x) for x in re.findall(r"violated by ([\d.e+-]+)", message)]
    assert min(told) > 1e-8  # what holds is not told of


UNITS = {
    "position of 'lower'": "m",
    "velocity of 'lower'": "m/s",
    "pose": "m",
    "squared": "m^2",
    "balance|place|pose|height|velocity|friction": "N or N m",
}


@pytest.mark.parametrize("name", UNITS)
def test_violations_have_units(name):
    problem, guess = CASES[name]()
    message = problem.solve(guess, progress=False, most=100).optimum.message
    assert re.search(rf"is violated by [\d.e+-]+ {re.escape(UNITS[name])}(,| \()", message), message


def test_units_of_joints():
    """Of those joints that a condition speaks of."""
    names = [
        w.name
        for condition in (
            Keyframe(0, {"cart": 0.0}),
            Keyframe(0, {"pole": 0.0}, qdd={"pole": 0.0}),
            TorqueLimits({"cart": 1.0}),
            VelocityLimits({"cart": 1.0, "pole": 1.0}),
        )
        for w in condition.wanted(Setting(cart_pole(), (), np.ones(2, bool)))
    ]
    assert names == [
        "pose [m]", "velocity [m/s]", "pose [rad]", "velocity [rad/s]", "acceleration [rad/s^2]",
        "torque [N]", "speed [rad/s or m/s]",
    ]  # fmt: skip


def test_most_is_advised_where_only_optimality_is_missing():
    motion = swing_up(8).solve(progress=False)
    part = swing_up(8).solve(progress=False, most=motion.optimum.iterations - 2)
    message = part.optimum.message
    assert part.status == "too many iterations" and part.optimum.violation < 1e-4, message
    assert "Allow more with `most`" in message and "Perhaps" not in message


def test_forces_that_are_left_are_told_of():
    """Splines of few spans leave much where no motor is, at single times."""
    coarse, fine = (hop(spans=spans) for spans in ((3, 4, 3), (16, 12, 16)))
    (problem, guess), weight = coarse, lamp().mass * 9.81
    motion = problem.solve(guess, progress=False)
    left = motion.trajectory().residual.max()
    assert motion.solved and left > 0.5 * weight
    assert f"a force of {left:.3g} N or N m is left" in repr(motion) and "spans" in repr(motion)
    problem, guess = fine
    motion = problem.solve(guess, progress=False)
    assert motion.trajectory().residual.max() < 0.1 * weight and "is left" not in repr(motion)


def test_limits_that_exclude_the_start():
    model = cart_pole()
    problem = MotionProblem(model, Phase(1.0), TorqueEnergy(), [Keyframe(0, [2.5, 0.0])])
    with pytest.raises(ar.ModelError, match=r"joint 'cart' 0\.5 beyond its limits"):
        problem.solve()


def free(*conditions):
    ball = ar.Model([ar.Body("a", ar.Free(), shapes=[ar.Sphere(0.1, mass=1.0)])])
    return MotionProblem(ball, Phase(1.0), Smoothness(), conditions)


def moved():
    return block(*ends())[0].solve(progress=False)


MISTAKES = {
    "a phase and a cost": lambda: MotionProblem(BLOCK, [], TorqueEnergy()),
    "has no joint 'blok' to be passive": lambda: MotionProblem(
        BLOCK, Phase(1.0), TorqueEnergy(), passive=["blok"]
    ),
    "time above zero": lambda: Phase(0.0),
    "3 or more": lambda: Phase(1.0, degree=2),
    "1 or more": lambda: Phase(1.0, spans=0),
    "increase from 0 to 1": lambda: block(phases=Phase(1.0, knots=[0.0, 2.0]))[0].built(),
    "three numbers each": lambda: Foothold("base", [(0.0, 1.0)]),
    "unit vector": lambda: Foothold("base", normal=(0.0, 0.0, 2.0)),
    "numbers of zero or more": lambda: Foothold("base", friction=-1.0),
    "from 0 to 1": lambda: block(Keyframe(3, [0.0]))[0].built(),
    "Give 3 numbers, None for one that is open": lambda: reach((1.0, 2.0))[0].built(),
    "no joint 'hand'": lambda: block(Keyframe(0, {"hand": 1.0}))[0].built(),
    "an array of shape (2,) is given for 1 numbers": lambda: block(
        Keyframe(0, [0.0, 1.0])
    )[0].built(),
    "Give pairs (when, q)": lambda: block(*ends())[0].built([(5.0, [1.0])]),
    "of length 2": lambda: free(Keyframe(0, [0, 0, 0, 2, 0, 0, 0])).built(),
    "Give 4 numbers": lambda: MotionProblem(
        ar.Model([ar.Body("a", ar.Spherical(), shapes=[ar.Sphere(0.1, mass=1.0)])]),
        Phase(1.0), TorqueEnergy(), [Keyframe(0, {"a": 1.0})],
    ).built(),
    "no joint 'x' to shift": lambda: block(*ends(), Periodic(1, shift={"x": 1.0}))[0].built(),
    "Give 3 numbers": lambda: free(Periodic(1, shift={"a": 1.0})).built(),
    "effort limits are": lambda: block(TorqueLimits())[0].built(),
    "`duration` of a phase is 'a'": lambda: Phase("a"),
    "`duration` of a phase is (1, 2, 3)": lambda: Phase((1, 2, 3)),
    "`spans` of a phase is 2.5": lambda: Phase(1.0, 2.5),
    "Give two links": lambda: Apart("c", 1.0),
    "a length above zero": lambda: Apart(("a", "b"), -1.0),
    "has no bounds": lambda: block(Require(momentum, 1))[0].built(),
    "weights are -1.0": lambda: MotionProblem(BLOCK, Phase(1.0), TorqueEnergy(-1.0)).built(),
    "Give a list of joints": lambda: MotionProblem(
        BLOCK, Phase(1.0), TorqueEnergy(), passive="block"
    ),
    "`conditions` has": lambda: MotionProblem(BLOCK, Phase(1.0), TorqueEnergy(), [TorqueEnergy()]),
    "no body or frame 'arm'": lambda: block(Waypoint("arm", 1, position=(0, 0, 0)))[0].built(),
    "`phases` has 1.0": lambda: MotionProblem(BLOCK, 1.0, TorqueEnergy()),
    "`conditions` has 5": lambda: MotionProblem(BLOCK, Phase(1.0), TorqueEnergy(), 5),
    "`costs` has <class": lambda: MotionProblem(BLOCK, Phase(1.0), TorqueEnergy),
    "the model is 'arm'": lambda: MotionProblem("arm", Phase(1.0), TorqueEnergy()),
    "`footholds` of a phase has 'base'": lambda: Phase(0.5, footholds=["base"]),
    "`duration` of a phase is '1'": lambda: Phase("1"),
    "`degree` of a phase is '5'": lambda: Phase(1.0, degree="5"),
    "no option 'progres'. Nearest: 'progress'": lambda: block(*ends())[0].solve(progres=False),
    "`most` is '5'": lambda: block(*ends())[0].solve(most="5"),
    "`most` is 2.5": lambda: block(*ends())[0].solve(most=2.5),
    "`tolerance` is -1": lambda: block(*ends())[0].solve(tolerance=-1),
    "`progress` is 'x'": lambda: block(*ends())[0].solve(progress="x"),
    "`rate` is '30'": lambda: moved().trajectory("30"),
    "`rate` is 0": lambda: moved().trajectory(0),
    "`stiffness` of the controller is -5.0": lambda: moved().controller(-5, 1),
    "`damping` of the controller is [1.0, 2.0]": lambda: moved().controller(5, [1, 2]),
    "`Periodic` is from 0.0 to 0": lambda: Periodic(0),
    "`since` of `Periodic` is 'a'": lambda: Periodic(1, since="a"),
    "`at` of `Keyframe` is -1": lambda: Keyframe(-1, [0.0]),
    "`at` of `Keyframe` is 'a'": lambda: Keyframe("a", [0.0]),
    "`at` of `Keyframe` is (0, 1)": lambda: Keyframe((0, 1), [0.0]),
    "`at` of a condition is 3": lambda: block(Keyframe(3, [0.0]))[0].built(),
    "`at` of a condition is 'b'": lambda: block(Require(momentum, "b", 1.0))[0].built(),
    "`at` of a condition is (0, 1, 2)": lambda: block(
        Require(momentum, (0, 1, 2), 1.0)
    )[0].built(),
    "Give one of as many phases, spans": lambda: block(
        *ends(), phases=Phase(1.0, 7)
    )[0].solve(moved()),
    "weights are 'a'": lambda: MotionProblem(BLOCK, Phase(1.0), TorqueEnergy("a")).built(),
    "weights are -2.0": lambda: MotionProblem(
        BLOCK, Phase(1.0), TorqueEnergy(root=-2.0)
    ).built(),
    "`passive` is 3": lambda: MotionProblem(BLOCK, Phase(1.0), TorqueEnergy(), passive=3),
    "for 4 velocities": lambda: MotionProblem(
        ar.Model([ar.Body("a", ar.Composite([ar.Spherical(), ar.Prismatic("x")]),
                          shapes=[ar.Sphere(0.1, mass=1.0)])]),
        Phase(1.0), TorqueEnergy(),
    ),
}  # fmt: skip


@pytest.mark.parametrize("words", MISTAKES)
def test_mistakes_meet_a_sentence(words):
    with pytest.raises(ar.ArthronError) as error:
        MISTAKES[words]()
    assert words in str(error.value)


def test_one_of_each_is_enough():
    foot = Foothold("base")
    assert Phase(0.5, footholds=foot) == Phase(0.5, footholds=[foot])
    ends = Keyframe(0, [0.0])
    problem = MotionProblem(BLOCK, Phase(1.0), TorqueEnergy(), ends)
    assert problem == MotionProblem(BLOCK, [Phase(1.0)], [TorqueEnergy()], [ends])


def test_interrupted_searches_keep_the_best(monkeypatch):
    problem, guess = hop()
    built = problem.built(guess)
    calls = []

    def hessian(self, *given):
        calls.append(1)
        if len(calls) == 20:
            raise KeyboardInterrupt
        return honest(self, *given)

    honest = type(built.program).hessian
    monkeypatch.setattr(type(built.program), "hessian", hessian)
    motion = problem.solve(guess, progress=False)
    assert motion.status == "interrupted" and motion.optimum.iterations > 10
    assert np.isfinite(motion.motion(0.1)[0]).all()
    monkeypatch.undo()
    assert problem.solve(motion, progress=False).status == "solved"
