"""Optimal control: against the Riccati equation, finite differences, and simulations."""

import dataclasses
import functools

import numpy as np
import pytest
from motion_cases import cart_pole

import arthron as ar
from arthron._spacetime.box_newton import box_newton
from arthron.errors import ModelError, ShapeError, SimulationError
from arthron.spacetime import ControlProblem, QuadraticCost

MASS = 2.0
BLOCK = ar.Model([ar.Body("block", ar.Prismatic("x"), shapes=[ar.Box((0.1,) * 3, mass=MASS)])])
ROD = ar.Capsule(0.02, 1.0, mass=0.3, placement=(0, 0, -0.5))
PENDULUM = ar.Model([ar.Body("pole", ar.Revolute("y"), shapes=[ROD], effort=0.4)])


def test_linear_control_is_the_riccati_equation():
    """Quadratic costs of a point mass: gains and cost by backward recursion, in one iteration."""
    h, N = 0.05, 40
    problem = ControlProblem(
        BLOCK, N * h, h, QuadraticCost(pose=3.0, velocity=0.5, torque=0.1),
        QuadraticCost(pose=7.0, velocity=2.0), q=[1.0], qd=[-0.3],
    )  # fmt: skip
    found = problem.solve(progress=False)
    assert found.status == "solved" and found.iterations == 1
    A, B = np.array([[1.0, h], [0.0, 1.0]]), np.array([[h * h], [h]]) / MASS
    P, gains = np.diag([7.0, 2.0]), []
    for _ in range(N):
        K = np.linalg.solve(h * 0.1 + B.T @ P @ B, B.T @ P @ A)
        P = h * np.diag([3.0, 0.5]) + A.T @ P @ (A - B @ K)
        gains.append(-K)
    x = np.array([1.0, -0.3])
    np.testing.assert_allclose(found.gains, gains[::-1], rtol=1e-10)
    np.testing.assert_allclose(found.cost, x @ P @ x, rtol=1e-10)
    np.testing.assert_allclose(found.u[0], gains[-1] @ x, rtol=1e-10)


def test_quadratic_programs_in_a_box():
    """What holds at the least: no slope where free, one that pushes outwards at bounds."""
    rng = np.random.default_rng(0)
    for n in (1, 2, 5, 9):
        for _ in range(30):
            J, g = rng.normal(size=(n + 1, n)), 3.0 * rng.normal(size=n)
            H, low, high = J.T @ J + 0.01 * np.eye(n), -rng.random(n), rng.random(n)
            x, free = box_newton(H, g, low, high, rng.normal(size=n))
            slope = H @ x + g
            assert ((low <= x) & (x <= high)).all()
            np.testing.assert_allclose(slope[free], 0.0, atol=1e-10)
            assert (slope[x == low] >= -1e-10).all() and (slope[x == high] <= 1e-10).all()
            assert ((x == low) | (x == high))[~free].all()


@functools.cache
def swung(second_order=False):
    problem = ControlProblem(
        cart_pole(), 2.0, 0.02, QuadraticCost(torque=1e-2),
        QuadraticCost(q={"pole": np.pi}, pose=100.0, velocity=10.0),
        passive=["pole"], limits={"cart": 12.0},
    )  # fmt: skip
    return problem.solve(second_order=second_order, progress=False)


@functools.cache
def pumped():
    """A pendulum whose motor is too weak to lift it at once."""
    return ControlProblem(
        PENDULUM, 4.0, 0.02, QuadraticCost(torque=1e-2),
        QuadraticCost(q=[np.pi], pose=20.0, velocity=2.0),
    ).solve(np.array([0.1]), progress=False)  # fmt: skip


def turn_about(inertia=(0.5, 0.7, 0.9)):
    """A body with thrusters that turns around, once about each axis."""
    body = ar.Body(
        "craft", ar.Free(), inertia=ar.Inertia.from_com(1.5, (0, 0, 0), np.diag(inertia))
    )
    craft = ar.Model([body], gravity=(0, 0, 0))
    goal = craft.integrate(craft.neutral(), [1.2, -0.9, 1.5, 0.3, 0.2, -0.4])
    return goal, ControlProblem(
        craft, 2.0, 0.05, QuadraticCost(torque=1e-3),
        QuadraticCost(q=goal, pose=100.0, velocity=10.0), passive=(), limits={"craft": 1.2},
        qd=[0.3, -0.8, 0.2, 0.0, 0.1, 0.0],
    )  # fmt: skip


def costs_of(found, tau):
    """Costs of joint forces, from a simulation."""
    problem = found.problem
    run = ar.simulate(
        problem.scene, problem.duration, problem.step, integrator=problem.integrator,
        q=found.q[0], qd=found.qd[0], tau=tau, progress=False,
    )  # fmt: skip
    model, (torque,), (end,) = problem.model, *problem.costs
    goal = end.numbers(model)[: model.nq]
    off = model.difference(goal, run.q[..., -1, :])
    return (
        problem.step * torque.torque * (tau**2).sum((-1, -2))
        + end.pose * (off**2).sum(-1) + end.velocity * (run.qd[..., -1, :] ** 2).sum(-1)
    )  # fmt: skip


@pytest.mark.parametrize("find", [swung, lambda: swung(True), pumped, lambda: turned()[1]])
def test_no_change_of_controls_is_for_the_better(find):
    """Central differences of the cost of simulations along random directions within limits."""
    found = find()
    assert found.status == "solved"
    tau, most = found.joint_forces, np.zeros(found.problem.model.nv)
    most[found.problem.driven] = found.problem.torque_limits
    np.testing.assert_allclose(costs_of(found, tau), found.cost, rtol=1e-12)
    inside = (np.abs(tau) < most - 1e-4) & found.problem.driven
    ways = np.random.default_rng(0).normal(size=(8, *tau.shape)) * inside
    small = 1e-5
    up, down = costs_of(found, tau + small * ways), costs_of(found, tau - small * ways)
    slopes = (up - down) / (2.0 * small * np.linalg.norm(ways, axis=(1, 2)))
    assert np.abs(slopes).max() < 1e-6 * max(1.0, found.cost)
    assert (up + down - 2.0 * found.cost > 0.0).all()


def test_swing_up_within_limits():
    """Limits hold to the last bit, and hold something back; Newton's method finds the same."""
    found, other = swung(), swung(True)
    assert np.abs(found.u).max() == 12.0
    assert abs(found.q[-1, 1] - np.pi) < 0.02 and np.abs(found.qd[-1]).max() < 0.1
    assert abs(found.cost - other.cost) < 1e-8 * found.cost
    np.testing.assert_allclose(found.u, other.u, atol=1e-3)
    assert other.iterations < found.iterations
    pump = pumped()
    assert np.abs(pump.u).max() == 0.4 and abs(pump.q[-1, 0] - np.pi) < 0.1
    turns = np.count_nonzero(np.diff(np.sign(pump.qd[1:, 0])))
    assert turns >= 2  # it swings back and forth first


@functools.cache
def turned():
    goal, problem = turn_about()
    return goal, problem.solve(progress=False)


def test_a_floating_body_turns_around():
    goal, found = turned()
    assert found.status == "solved"
    assert np.abs(found.problem.model.difference(goal, found.q[-1])).max() < 1e-2
    assert np.abs(found.u).max() == 1.2
    np.testing.assert_allclose(np.linalg.norm(found.q[:, 3:], axis=1), 1.0, atol=1e-12)
    run = ar.simulate(
        ar.Scene(found.problem.model, controller=found.controller()), 2.0, 0.05,
        integrator="semi-implicit Euler", qd=found.qd[0], progress=False,
    )  # fmt: skip
    np.testing.assert_allclose(run.q, found.q, atol=1e-9)


def test_feedback_holds_a_motion_that_begins_elsewhere():
    """Where it begins as planned it is as planned; elsewhere gains bring it back."""
    found = swung()
    scene = ar.Scene(found.problem.model, controller=found.controller())
    same = ar.simulate(scene, 2.0, 0.02, integrator="semi-implicit Euler", progress=False)
    np.testing.assert_allclose(same.q, found.q, atol=1e-9)
    np.testing.assert_allclose(found.trajectory().q, found.q)
    away = {"q": [0.02, 0.05], "duration": 2.0, "step": 1e-3, "progress": False}
    held = ar.simulate(scene, **away)
    blind = ar.simulate(
        ar.Scene(found.problem.model), tau=np.repeat(found.joint_forces, 20, 0), **away
    )
    off, loose = (abs(run.q[-1, 1] - np.pi) for run in (held, blind))
    assert off < 0.15 and loose > 3.0 * off


def test_costs_that_are_pages():
    """The same cost as a page of one's own, time and all, comes to the same."""

    def squares(tree, q, tau, t):
        return 3.0 * q[1][0] ** 2 + 0.1 * tau[1][0] ** 2 + 0.0 * t

    def end(tree, q, qd):
        return 7.0 * q[1][0] ** 2 + 2.0 * qd[1][0] ** 2

    own = ControlProblem(BLOCK, 1.0, 0.05, squares, [end], q=[1.0])
    ours = ControlProblem(
        BLOCK, 1.0, 0.05, [QuadraticCost(pose=3.0), QuadraticCost(torque=0.1)],
        QuadraticCost(pose=7.0, velocity=2.0), q=[1.0],
    )  # fmt: skip
    a, b = own.solve(progress=False), ours.solve(progress=False)
    np.testing.assert_allclose(a.u, b.u, rtol=1e-10)
    assert "solved after 1 iterations" in repr(a)


def test_a_search_goes_on_and_stops():
    problem = swung().problem
    part = problem.solve(most=5, progress=False)
    assert part.status == "too many iterations" and "not solved" in part.message
    assert problem.solve(swung(), progress=False).iterations == 0
    seen = []

    def stop(*now):
        seen.append(now)
        if len(seen) == 4:
            raise KeyboardInterrupt

    broken = problem.solve(progress=stop)
    assert broken.status == "interrupted" and broken.iterations == 3
    assert broken.cost == seen[-1][1] < seen[0][1]


@pytest.mark.parametrize("last", "xyz")
def test_searches_end_where_the_cost_has_no_more_digits(last):
    """An arm upright: steps to first order are too long, and gains soon less than rounding."""
    link = [ar.Capsule(0.04, 0.3, placement=(0, 0, 0.15))]
    bodies = [
        ar.Body("b0", ar.Revolute("z"), shapes=[ar.Cylinder(0.06, 0.2, placement=(0, 0, 0.1))])
    ]
    for k, axis in enumerate(f"yy{last}", 1):
        at = (0, 0, 0.2 if k == 1 else 0.3)
        bodies.append(
            ar.Body(f"b{k}", ar.Revolute(axis), parent=f"b{k - 1}", placement=at, shapes=link)
        )
    problem = ControlProblem(
        ar.Model(bodies), 1.0, 0.02, QuadraticCost(torque=0.01),
        QuadraticCost(q=[0.5] * 4, pose=100.0, velocity=10.0),
    )  # fmt: skip
    found, other = (problem.solve(second_order=x, progress=False) for x in (False, True))
    assert found.status == other.status == "solved", found
    np.testing.assert_allclose(found.cost, other.cost, rtol=1e-10)
    np.testing.assert_allclose(found.q, other.q, atol=1e-4)
    part = problem.solve(most=3, progress=False)
    assert "`solve(control, second_order=True)`" in repr(part)


def test_a_search_stalls_where_the_residual_gets_no_smaller():
    """A tolerance that double precision cannot reach ends in a sentence, not at the last one."""
    found = swung().problem.solve(swung(), tolerance=1e-17, progress=False)
    assert found.status == "stalled" and found.iterations < 300
    assert "by more than rounding" in found.message and abs(found.cost - swung().cost) < 1e-9


GOAL = QuadraticCost(pose=1.0)
BAD = [
    (ModelError, "no joint 'pol' to be passive", {"passive": ["pol"]}),
    (ModelError, "has a motor", {"passive": ["cart", "pole"]}),
    (ModelError, "the scene is a str", {"scene": "arm"}),
    (ModelError, "takes what is not known there", {"final": QuadraticCost(torque=1.0)}),
    (ModelError, "takes what is not known there", {"final": lambda tree, tau: 0.0}),
    (ModelError, "`running` has 3", {"running": 3}),
    (ModelError, "no joint 'pol'", {"running": QuadraticCost(q={"pol": 1.0})}),
    (ModelError, "returned 2 numbers", {"running": lambda tree, q: [q[1][0], q[2][0]]}),
    (ModelError, "Give numbers above zero", {"limits": {"cart": -1.0}}),
    (ModelError, "'history.q' besides q and qd", {"integrator": "BDF2"}),
    (SimulationError, "steps", {"step": 0.03}),
    (ModelError, "weights are -1.0", {"running": QuadraticCost(torque=-1.0)}),
    (ModelError, "weights are {'cart': -2}", {"final": QuadraticCost(pose={"cart": -2})}),
    (ModelError, "weights are nan", {"final": QuadraticCost(velocity=np.nan)}),
    (ShapeError, "the guess has shape (3,)", {"guess": np.zeros(3)}),
    (ShapeError, "leading axes", {"q": np.zeros((4, 2))}),
    (SimulationError, "is lost after", {"guess": np.full(2, 1e200)}),
]  # fmt: skip


@pytest.mark.parametrize(("error", "words", "given"), BAD, ids=[words for _, words, _ in BAD])
def test_what_cannot_be_asked(error, words, given):
    given = {"scene": cart_pole(), "duration": 0.1, "step": 0.02, "running": GOAL} | given
    guess = given.pop("guess", None)
    with pytest.raises(error, match=words.replace("(", r"\(").replace(")", r"\)")):
        ControlProblem(**given).solve(guess, progress=False)


def test_what_is_no_time_is_told_of_at_once():
    for duration in (-1.0, "1", np.nan):
        with pytest.raises(SimulationError, match=r"`duration` is .* Give a time above zero"):
            ControlProblem(BLOCK, duration, 0.1, GOAL)
    for options in ({"most": "5"}, {"tolerance": -1}, {"progress": 3}):
        with pytest.raises(ModelError, match=r"`(most|tolerance|progress)` is .* Give "):
            ControlProblem(BLOCK, 1.0, 0.1, GOAL).solve(**options)


def test_springs_of_a_scene_and_another_integrator():
    """What acts in the scene is part of steps; leapfrog ones come to nearly the same."""
    scene = ar.Scene(PENDULUM, [ar.forces.JointSpring("pole", 2.0, 0.1)])
    costs = QuadraticCost(torque=1e-2), QuadraticCost(q=[0.5], pose=20.0, velocity=2.0)
    found = [
        ControlProblem(scene, 1.0, 0.01, *costs, integrator=name).solve(progress=False)
        for name in ("semi-implicit Euler", "leapfrog")
    ]
    assert all(x.status == "solved" for x in found)
    np.testing.assert_allclose(found[0].q, found[1].q, atol=0.02)
    run = ar.simulate(scene, 1.0, 0.01, tau=found[1].joint_forces, progress=False)
    np.testing.assert_allclose(run.q, found[1].q, atol=1e-9)


def test_a_problem_is_data():
    """The same scene with other numbers is compiled once."""
    problem = swung().problem
    other = dataclasses.replace(problem, running=QuadraticCost(torque=2e-2))
    assert other.pages is problem.pages
