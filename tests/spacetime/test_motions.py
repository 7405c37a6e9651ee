"""Motions that are found: against closed forms, another solver, and the laws of mechanics."""

import functools

import numpy as np
import pytest
from motion_cases import BLOCK, HERE, hop, lamp, swing_up

import arthron as ar
from arthron.spacetime import Keyframe, MotionProblem, Phase, Power, Smoothness, TorqueEnergy


def kkt(motion):
    """How far the gradient of the Lagrangian is from zero, from the program and multipliers."""
    found, program = motion.optimum, motion.built.program
    slope = program.gradient(found.x)
    rows, columns = program.jacobianstructure()
    np.add.at(slope, columns, program.jacobian(found.x) * found.multipliers[rows])
    slope += found.upper_multipliers - found.lower_multipliers
    return np.abs(slope).max() / max(1.0, np.abs(found.multipliers).max() / 100.0)


@pytest.mark.parametrize("spans", [1, 4, 15])
def test_from_rest_to_rest_is_a_cubic(spans):
    """Least squared force over T takes 12 m^2 d^2 / T^3, whatever the knots."""
    problem = MotionProblem(
        BLOCK, Phase(1.5, spans), TorqueEnergy(), [Keyframe(0, [0.0]), Keyframe(1, [0.8])]
    )
    motion = problem.solve(progress=False)
    assert motion.status == "solved"
    assert abs(motion.cost - 12.0 * 4.0 * 0.64 / 1.5**3) < 1e-10
    s = np.linspace(0.0, 1.0, 9)
    q, _, _ = motion.motion(1.5 * s)
    np.testing.assert_allclose(q[:, 0], 0.8 * s * s * (3.0 - 2.0 * s), atol=1e-10)


def test_time_that_costs():
    """With a cost of time beside it, T is where that is worth it: 12 m^2 d^2 / T^3 + w T."""

    def one(tree, q):
        return [1.0 + 0.0 * q[1][0]]

    time = ar.spacetime.Cost(one, weights=36.0, squared=False)
    problem = MotionProblem(
        BLOCK,
        Phase((0.1, 5.0), 3),
        [TorqueEnergy(), time],
        [Keyframe(0, [0.0]), Keyframe(1, [0.8])],
    )
    motion = problem.solve(progress=False)
    assert abs(motion.durations[0] - (3.0 * 12.0 * 4.0 * 0.64 / 36.0) ** 0.25) < 1e-8


@functools.cache
def swung(spans):
    return swing_up(spans).solve(progress=False)


def test_iterations_do_not_grow_with_knots():
    motions = [swung(spans) for spans in (8, 25, 80)]
    assert all(m.status == "solved" and kkt(m) < 1e-8 for m in motions)
    assert max(m.optimum.iterations for m in motions) <= 16
    coarse, fine, finer = (m.cost for m in motions)
    assert abs(fine - finer) < 1e-3 * finer and abs(fine - finer) < 0.05 * abs(coarse - finer)


def test_a_swing_up_is_that_of_another_solver():
    pounce = pytest.importorskip("pounce")
    built = swing_up(25).built()
    program = built.program
    bounds = (
        np.clip(x, -1e20, 1e20) for x in (program.lower, program.upper, program.least, program.most)
    )
    lb, ub, cl, cu = bounds
    other = pounce.Problem(n=len(lb), m=len(cl), problem_obj=program, lb=lb, ub=ub, cl=cl, cu=cu)
    other.add_option("tol", 1e-10)
    other.add_option("print_level", 0)
    x, info = other.solve(built.start)
    assert abs(swung(25).cost - info["obj_val"]) < 1e-8 * info["obj_val"]
    assert np.abs(swung(25).optimum.x - x).max() < 1e-6


def test_torque_limits_hold_and_cost():
    free, held = swung(25), swing_up(25, limit=12.0).solve(progress=False)
    assert held.status == "solved" and held.cost > free.cost
    t = held.times()
    assert np.abs(free.joint_forces(t)[:, 0]).max() > 13.0
    assert 12.0 - 1e-6 < np.abs(held.joint_forces(t)[:, 0]).max() < 12.5  # a little between samples
    assert np.abs(held.joint_forces(t)[:, 1]).max() < 0.05  # the pole has no motor


@functools.cache
def hopped(**given):
    problem, guess = hop(**given)
    return problem.solve(guess, progress=False)


def off_parabola(motion):
    """How far the centre of mass is from free fall in flight."""
    stand, fly, _ = motion.durations
    s, g = np.linspace(1e-9, fly - 1e-9, 100), motion.problem.model.gravity
    c = motion.problem.model.center_of_mass(motion.motion(stand + s)[0])
    fall = 0.5 * g * s[:, None] ** 2
    line = np.polynomial.polynomial.polyfit(s, c - fall, 1)
    return np.abs(c - fall - line[0] - s[:, None] * line[1]).max()


def test_a_lamp_hops_by_the_laws_of_mechanics():
    motion = hopped()
    assert motion.status == "solved" and kkt(motion) < 1e-8
    stand, fly, _ = motion.durations
    q = motion.motion(np.linspace(0.0, stand, 50))[0]
    assert np.abs(q[:, :3] - HERE[:3]).max() < 1e-9  # the base stays
    assert np.abs(motion.forces(stand + np.linspace(1e-6, fly - 1e-6, 50))).max() == 0.0
    assert off_parabola(motion) < 1e-4
    t = stand + np.linspace(0.05, fly - 0.05, 50)
    assert (motion.problem.model.frame_pose(motion.motion(t)[0], "base")[:, 2, 3] > 0.015).all()


def test_fine_flights_fall_freely():
    motion = hopped(spans=(8, 24, 8))
    assert motion.solved and off_parabola(motion) < 1e-6


@pytest.mark.parametrize("friction", [0.8, 0.3])
def test_forces_stay_in_cones(friction):
    motion = hopped(friction=friction)
    assert motion.status == "solved"
    t = np.linspace(0.0, motion.motion.duration, 300)
    f = motion.forces(t)
    assert (f[..., 2] >= 0.0).all()
    assert (np.hypot(f[..., 0], f[..., 1]) <= friction * f[..., 2] + 1e-12).all()
    assert f[..., 2].sum(-1).max() > 1.5 * lamp().mass * 9.81  # it pushes off


def test_searches_begin_with_forces_that_hold_the_figure():
    """A lamp that leans is held by the ends of its base unequally, and nothing is left over."""
    built = hop()[0].built([(0, HERE), (3, HERE)])
    layout = built.program.layout
    start = layout.world_forces(built.start, 0)
    weight, (back, front) = lamp().mass * 9.81, start[0, :, 2]
    np.testing.assert_allclose(
        start.sum(1), np.tile([0.0, 0.0, weight], (len(start), 1)), atol=1e-9
    )
    centre = lamp().center_of_mass(HERE)[0]
    assert abs(0.1 * (front - back) / weight - centre) < 1e-9 and abs(centre) > 0.01


def test_trajectories_are_looked_at(tmp_path):
    run = swung(8).trajectory(50.0)
    assert run.q.shape == (101, 2) and run.residual.max() < 1.0
    np.testing.assert_allclose(run.energy, run.kinetic + run.potential)
    assert run.save_html(tmp_path / "swing.html").stat().st_size > 10_000
    run.save_png(tmp_path / "swing.png")


def test_a_warm_start_takes_few_iterations():
    again = swing_up(25).solve(swung(25), progress=False)
    assert again.optimum.iterations <= 4 and abs(again.cost - swung(25).cost) < 1e-8


def test_powers_and_smoothness_cost_too():
    ends = [Keyframe(0, [0.0]), Keyframe(1, [0.8])]
    for cost in (Power(), Smoothness()):
        motion = MotionProblem(BLOCK, Phase(1.0, 6), cost, ends).solve(progress=False)
        assert motion.status == "solved"


def two_links(bar):
    """An arm of two links, and a ball that it should not meet."""
    link = ar.Capsule(0.03, 0.4, placement=(0, 0, -0.2), mass=1.0)
    return ar.Model(
        [
            ar.Body("bar", ar.Fixed(), placement=bar, shapes=[ar.Sphere(0.05)]),
            ar.Body("upper", ar.Revolute("y"), shapes=[link]),
            ar.Body(
                "lower", ar.Revolute("y"), parent="upper", placement=(0, 0, -0.4), shapes=[link]
            ),
        ]
    )


def test_an_arm_goes_around_what_is_in_the_way():
    """A ball where the hand goes by, a little to one side of its middle."""
    ends, pairs = [Keyframe(0, [0.0, 0.0]), Keyframe(1, [-1.6, 0.0])], [("bar", "lower")]
    free = MotionProblem(two_links((9, 0, 0)), Phase(1.0, 12), TorqueEnergy(), ends)
    found = free.solve(progress=False)
    middle = free.model.frame_pose(found.motion(0.5)[0], "lower") @ [0.03, 0.0, -0.38, 1.0]
    model = two_links(middle[:3])
    assert model.distances(found.motion(0.5)[0], pairs=pairs).gap[0] < -0.04
    clear = [*ends, ar.spacetime.Clear(pairs, 0.02)]
    motion = MotionProblem(model, Phase(1.0, 12), TorqueEnergy(), clear).solve(progress=False)
    gaps = model.distances(motion.motion(motion.times())[0], pairs=pairs).gap
    assert motion.solved and gaps.min() > 0.01 and motion.cost > found.cost


def test_distances_that_are_searched_for_are_refused():
    egg = [ar.Ellipsoid((0.1, 0.1, 0.2), mass=1.0)]
    model = ar.Model([ar.Body(name, ar.Prismatic("x"), shapes=egg) for name in "ab"])
    problem = MotionProblem(model, Phase(1.0), TorqueEnergy(), [ar.spacetime.Clear([("a", "b")])])
    with pytest.raises(ar.ModelError, match="has no second derivatives"):
        problem.built()


def test_nothing_hovers():
    """A lamp that is held nowhere falls, however its hinges wriggle."""
    ends = [Keyframe(0, HERE), Keyframe(1, HERE)]
    problem = MotionProblem(lamp(), Phase(0.5, 6), TorqueEnergy(), ends)
    assert not problem.solve(progress=False, most=60).solved


def test_motions_rest_before_and_after():
    motion = swung(8).motion
    for t, there in ((-1.0, 0.0), (9.0, 2.0)):
        q, qd, qdd = motion(t)
        np.testing.assert_allclose(q, motion(there)[0], atol=1e-12)
        assert not qd.any() and not qdd.any()
    hop = hopped()
    for t in (-9.0, 99.0):  # what pushes holds it
        np.testing.assert_allclose(hop.joint_forces(t)[:3], 0.0, atol=1e-9)
        np.testing.assert_allclose(hop.forces(t)[:, 2].sum(), lamp().mass * 9.81)
    end = hop.motion.duration
    assert np.abs(hop.forces(99.0) - hop.forces(end)).max() > 1e-3


def upright_arm():
    """An arm of two links that stands on its joint."""
    link = ar.Capsule(0.04, 0.4, placement=(0, 0, 0.2))
    return ar.Model(
        [
            ar.Body("upper", ar.Revolute("y"), shapes=[link]),
            ar.Body(
                "lower", ar.Revolute("y"), parent="upper", placement=(0, 0, 0.4), shapes=[link]
            ),
        ]
    )


def test_controllers_hold_the_last_pose_and_the_first():
    """Their joint forces at the end stop the motion; on and on, they would tear it away."""
    arm, first, last = upright_arm(), np.array([-0.2, 0.1]), np.array([0.6, 0.4])
    ends = [Keyframe(0, first), Keyframe(1, last)]
    motion = MotionProblem(arm, Phase(1.0), TorqueEnergy(), ends).solve(progress=False)
    rest = motion.joint_forces([-1.0, 1.0 + 1e-9])
    np.testing.assert_allclose(rest, arm.gravity_forces(np.stack([first, last])), atol=1e-9)
    assert np.abs(motion.joint_forces([0.0, 1.0]) - rest).max() > 1.0
    held = motion.controller(20.0, 4.0)
    scene = ar.Scene(arm, controller=held)
    run = ar.simulate(scene, 4.0, 1e-3, q=first, progress=False)
    assert np.abs(run.q[run.t >= 1.0] - last).max() < 2e-3
    assert np.abs(run.q[-1] - last).max() < 1e-5
    np.testing.assert_allclose(held.hold, rest, atol=1e-9)


def test_pages_of_forces_alone():
    def push(tree, forces):
        return [f[2] for f in forces]

    problem, guess = hop(conditions=[ar.spacetime.Require(push, (0, 1), most=30.0)])
    motion = problem.solve(guess, progress=False)
    assert (
        motion.solved and motion.forces(np.linspace(0.0, motion.durations[0]))[..., 2].max() < 31.0
    )
