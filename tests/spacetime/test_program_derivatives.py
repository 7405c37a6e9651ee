"""The nonlinear program of a motion: derivatives against complex steps and differences."""

import functools

import numpy as np
import pytest
from motion_cases import branching

import arthron as ar
from arthron._algorithms.planned_motion import pushed_joint_forces
from arthron._pages.trace import run
from arthron.spacetime import (
    Apart,
    Cost,
    Foothold,
    Keyframe,
    MotionProblem,
    Near,
    Periodic,
    Phase,
    Power,
    Require,
    Smoothness,
    SplineMotion,
    TorqueEnergy,
    TorqueLimits,
    VelocityLimits,
    Waypoint,
)


def height(tree, q):
    X = ar.algorithms.poses(tree, q)
    return X[1].r.z * X[3].r.z


@functools.cache
def everything():
    """A program with every cost and condition, durations unknown, and a point of its search."""
    model, rng = branching(ar.Free()), np.random.default_rng(3)
    far = model.integrate(model.neutral(), 0.3 * rng.standard_normal(model.nv))
    clip = SplineMotion.near(model, np.linspace(0, 1, 4), model.random(rng, 4), spans=5)
    three = Foothold("trunk", [(0.1, 0, 0), (-0.1, 0.1, 0), (0, -0.1, 0)], 0.7)
    tilted = Foothold("hand", [(0.0, 0, -0.1)], 0.7, -1.1, normal=(0.6, 0.0, 0.8))
    problem = MotionProblem(
        model,
        [
            Phase((0.3, 0.6), 3, footholds=[three, tilted]),
            Phase((0.2, 0.5), 2, knots=[0.0, 0.3, 1.0]),
            Phase(0.4, 2, degree=4, footholds=[tilted]),
        ],
        [TorqueEnergy({"tail": 2.0}), Power(1e-2), Smoothness(0.1), Near(clip, 0.2), Cost(height)],
        [
            Keyframe(0, model.neutral()),
            Keyframe(2, {"tail": (0.1, 0.2)}, {"tail": (0.0, 0.5)}),
            Keyframe(3, far),
            Waypoint("hand", 1.5, position=(0.1, None, 0.2)),
            Waypoint("hand", (0.2, 2.2), velocity=([-1.0] * 3, [1.0] * 3)),
            TorqueLimits({"tail": 10.0}),
            VelocityLimits({"hand": 8.0}, at=(0, 1)),
            Require(height, (1, 2), least=0.0),
            Apart(("hand", "tail"), 0.1, at=1.2),
            Periodic(3, 1.0, shift={"trunk": (0.3, 0.0, 0.0)}),
        ],
    )
    built = problem.built()
    step = 0.2 * rng.standard_normal(len(built.program.lower))
    return built.program, built.program.move(built.start, step), rng


def jacobian_of(program, x):
    J = np.zeros((len(program.least), len(program.lower)))
    np.add.at(J, program.jacobianstructure(), program.jacobian(x))
    return J


def along(f, program, x, d, h=1e-4):
    """The derivative of f along d, by differences of fourth order."""
    at = [f(program.move(x, k * h * d)) for k in (-2, -1, 1, 2)]
    return (at[0] - 8.0 * at[1] + 8.0 * at[2] - at[3]) / (12.0 * h)


def test_first_derivatives_on_manifolds():
    program, x, rng = everything()
    for _ in range(3):
        d = rng.standard_normal(len(program.lower))
        slope = program.gradient(x) @ d
        assert abs(along(program.objective, program, x, d) - slope) < 1e-9 * abs(slope)
        rates = jacobian_of(program, x) @ d
        found = along(program.constraints, program, x, d)
        assert np.abs(found - rates).max() < 1e-9 * np.abs(rates).max()


def test_second_derivatives_on_manifolds():
    """H d d against differences of the Lagrangian along the way x moves."""
    program, x, rng = everything()
    y = rng.standard_normal(len(program.least))
    H = np.zeros((len(program.lower),) * 2)
    np.add.at(H, program.hessianstructure(), program.hessian(x, y, 0.7))
    H += np.tril(H, -1).T
    for _ in range(3):
        d, h = rng.standard_normal(len(program.lower)), 2e-3
        f = [
            0.7 * program.objective(z) + y @ program.constraints(z)
            for z in (program.move(x, k * h * d) for k in range(-3, 4))
        ]
        weights = np.array([2.0, -27.0, 270.0, -490.0, 270.0, -27.0, 2.0]) / (180.0 * h * h)
        assert abs(weights @ f - d @ H @ d) < 2e-6 * abs(d @ H @ d)


def pushed_power(tree, q, qd, forces):
    """What ground and gravity do, of some sign."""
    V = ar.algorithms.velocities(tree, q, qd)
    return [V[1].lin.z * forces[0][2] * 1e-2, V[3].ang.x + q[3][0] * forces[0][0]]


@pytest.mark.parametrize("page", [height, pushed_power])
@pytest.mark.parametrize("root", [ar.Free(), ar.Planar("y")], ids=["free", "planar"])
def test_costs_that_are_not_squared(root, page):
    """Two phases as long as they like, the first on a foot."""
    model, rng = branching(root), np.random.default_rng(4)
    foot = Foothold("trunk", [(0.1, 0.0, 0.0)], 0.7)
    phases = [Phase((0.3, 0.6), 3, footholds=[foot]), Phase((0.2, 0.5), 2)]
    cost = Cost(page, 0.7 if page is height else (2.0, -1.0), squared=False)
    built = MotionProblem(model, phases, cost).built()
    program = built.program
    x = program.move(built.start, 0.2 * rng.standard_normal(len(program.lower)))
    for _ in range(3):
        d = rng.standard_normal(len(program.lower))
        slope = program.gradient(x) @ d
        assert abs(along(program.objective, program, x, d) - slope) < 1e-9 * abs(slope)


def test_gradients_against_complex_steps():
    """Of torque energy with forces and an unknown duration, from its definition (1e-10)."""
    model = ar.random_tree(4, 2.0, joints=("revolute", "prismatic", "planar"), rng=4)
    foot = Foothold("body3", [(0.1, 0.2, 0.0), (0.0, 0.0, 0.3)])
    problem = MotionProblem(
        model, Phase((0.5, 0.9), 3, footholds=[foot]), TorqueEnergy(), passive=()
    )
    built = problem.built()
    program, rng = built.program, np.random.default_rng(5)
    x = built.start + 0.3 * rng.standard_normal(len(built.start))
    x[program.layout.phases[0].duration] = 0.7
    own = program.layout.phases[0]
    nv, count = model.nv, own.knots.count
    page = functools.partial(pushed_joint_forces, points=built.points)

    def energy(x):
        T = x[own.duration]
        controls = x[: count * nv].reshape(count, nv)
        forces = x[own.forces : own.forces + own.force_count].reshape(-1, 2, 3) @ own.axes[0]
        s, weight = own.knots.gauss(4)
        first, B = own.knots.local(s)
        local = controls[first[:, None] + np.arange(6)]
        given = {n: np.einsum("sk,skj->sj", B[:, k], local) / T**k for k, n in enumerate(SHAPES)}
        first, B = own.force_knots.local(s)
        given["forces"] = np.einsum("sk,skpc->spc", B[:, 0], forces[first[:, None] + np.arange(4)])
        shapes = dict.fromkeys(SHAPES, (nv,)) | {"forces": (2, 3)}
        tau = run(page, model.tree, given, shapes, s.shape)
        springs = 0.5 * (program.springs * x * x).sum()
        return T * weight @ (tau**2).sum(-1) + springs

    slopes = np.array([energy(x + 1e-30j * e).imag / 1e-30 for e in np.eye(len(x))])
    assert abs(program.objective(x) - energy(x)) < 1e-12 * energy(x)
    assert np.abs(program.gradient(x) - slopes).max() < 1e-10 * np.abs(slopes).max()


SHAPES = ("q", "qd", "qdd")


def test_names_of_constraints_say_what_and_when():
    program, _, _ = everything()
    names = {program.names(k) for k in range(len(program.least))}
    assert {
        "pose [rad or m] at 0", "pose [rad] at 2", "speed [rad/s] at 0", "friction at 0",
        "position of 'hand' [m] at 1.5",
    } <= names  # fmt: skip
    assert any(name.startswith("height of 'trunk' [m] at 1.") for name in names)


@pytest.mark.parametrize("root", [ar.Free(), ar.Planar("y")], ids=["free", "planar"])
def test_unknowns_have_their_time(root):
    model = branching(root)
    problem = MotionProblem(model, [Phase((0.2, 0.4), 3), Phase(0.5, 2)], Smoothness())
    times = problem.built().program.times
    layout = problem.built().program.layout
    unknown = times[: layout.size]
    assert np.isnan(unknown).sum() == 1 and np.nanmax(unknown) == 2.0
