"""Joints that follow coordinates by a map: the model of all joints, projected (S19 2.77, 2.79)."""

import dataclasses
import math
import pickle

import numpy as np
import pytest
from every_joint import BENT, curve, figure, knee, of_kinds, saddle, sheet
from law_figures import assert_close

import arthron as ar
from arthron.algorithms import (
    accelerations,
    bias_forces,
    coriolis_matrix,
    forward_dynamics,
    gravity_forces,
    inverse_dynamics,
    jacobians,
    joint_torques,
    kinetic_energy,
    mass_matrix,
    momentum,
    poses,
    potential_energy,
    velocities,
)
from arthron.spatial import Vec3

EXACT = 1e-9
"""Slopes are by complex steps, and their rates by differences of these."""
KINDS = (
    "revolute", "prismatic", "helical", "planar", "planar translation", "translational",
    "universal", "exponential", "euler", "revolute",
)  # fmt: skip
JOINTS = [
    *of_kinds(*KINDS), ar.Custom(knee), ar.Custom(saddle, 2, start=(0.2, -0.1)), curve(), sheet(),
    ar.Composite([ar.Universal("y", "z"), ar.Helical("x", 0.2)]),
]  # fmt: skip
FREE = figure(JOINTS, 2.0, 43)
OWN = next(str(b.joint_name) for b in FREE.bodies[4:] if b.joint.nv == 1)
SIZES = {str(b.joint_name): b.joint.nv for b in FREE.bodies if b.joint_name != OWN}
COUNT = sum(SIZES.values())
rng = np.random.default_rng(8)
W, V, C = rng.normal(size=(COUNT, 2)), rng.normal(size=(COUNT, 2)), rng.normal(size=COUNT)


def row(k, y, sin):
    """Coordinate k of all that follow, of numbers or symbols."""
    a, b = y
    return 0.3 * (C[k] + W[k, 0] * a + W[k, 1] * b + sin(V[k, 0] * a + V[k, 1] * b) + a * b * b)


def every(y):
    """All joints but one follow two coordinates, each in its own way."""
    found, k = {}, 0
    for name, n in SIZES.items():
        found[name] = tuple(row(j, y, ar.sin) for j in range(k, k + n))
        k += n
    return found


MODEL = FREE.reduced(every, 2, neutral=(0.1, 0.2))


def joints_at(q, qd, qdd):
    """q, qd, qdd of all joints, and F, from those of the reduced model, without the graph."""
    h = 1e-4

    def value(y):
        return np.array([row(k, y, np.sin) for k in range(COUNT)])

    def slopes(y):
        e = 1e-30j * np.eye(2)
        return np.stack([value(y + e[k]).imag / 1e-30 for k in range(2)], -1)

    y, yd = q[:2], qd[:2]
    fourth = ((1, 8), (-1, -8), (2, -1), (-2, 1))
    F, Fdot = slopes(y), sum(w * slopes(y + k * h * yd) for k, w in fourth) / (12 * h)
    at = np.cumsum([0, *(FREE.tree.joint[i].nv for i in FREE.tree.bodies)])
    own = FREE.tree.v_start[FREE.joint_number(OWN)]
    led = [k for k in range(FREE.nv) if k != own]
    G, Gdot, full = (np.zeros((at[-1], *shape)) for shape in ((3,), (3,), ()))
    G[led, :2], G[own, 2], Gdot[led, :2] = F, 1.0, Fdot
    full[led], full[own] = value(y), q[2]
    return full, G @ qd, G @ qdd + Gdot @ qd, G


STATE = MODEL.random(3), rng.normal(size=3), rng.normal(size=3)
FULL = joints_at(*STATE)


def of(page, model, *state):
    return ar.evaluate(page, model, *state)


def test_motion_is_that_of_all_joints():
    (q, qd, qdd), (x, xd, xdd, F) = STATE, FULL
    assert_close(of(poses, MODEL, q), of(poses, FREE, x), 1e-13)
    assert_close(of(velocities, MODEL, q, qd), of(velocities, FREE, x, xd), 1e-12)
    assert_close(of(accelerations, MODEL, q, qd, qdd), of(accelerations, FREE, x, xd, xdd), EXACT)
    assert_close(of(jacobians, MODEL, q), of(jacobians, FREE, x) @ F, 1e-12)
    for page in (kinetic_energy, momentum):
        assert_close(of(page, MODEL, q, qd), of(page, FREE, x, xd), 1e-12)
    assert_close(of(potential_energy, MODEL, q), of(potential_energy, FREE, x), 1e-12)


def test_forces_are_those_of_all_joints_projected():
    (q, qd, qdd), (x, xd, xdd, F) = STATE, FULL
    f_ext = rng.normal(size=(MODEL.nb, 6))
    tau = F.T @ of(inverse_dynamics, FREE, x, xd, xdd, f_ext)
    assert_close(of(inverse_dynamics, MODEL, q, qd, qdd, f_ext), tau, EXACT)
    assert_close(of(forward_dynamics, MODEL, q, qd, tau, f_ext), qdd, 1e-7)
    assert_close(of(mass_matrix, MODEL, q), F.T @ of(mass_matrix, FREE, x) @ F, 1e-12)
    assert_close(of(gravity_forces, MODEL, q), F.T @ of(gravity_forces, FREE, x), 1e-12)
    bias = F.T @ of(inverse_dynamics, FREE, x, xd, xdd - F @ qdd)
    assert_close(of(bias_forces, MODEL, q, qd), bias, EXACT)
    turning = bias - of(gravity_forces, MODEL, q)
    assert_close(of(coriolis_matrix, MODEL, q, qd) @ qd, turning, EXACT)


def test_conversions_come_back():
    """From poses, velocities and joint forces to coordinates that belong to no joint."""
    model, (q, qd, _) = BENT["bent"], (BENT["bent"].random(1), *np.ones((2, BENT["bent"].nv)))
    page = ar.algorithms.generalized_coordinates
    found, off = of(page, model, of(poses, model, q), model.integrate(q, 0.05 * qd))
    assert_close(model.difference(q, found), 0.0 * qd, 1e-10, scale=1.0)
    assert np.abs(off).max() < 1e-10
    twists = of(velocities, model, q, qd)
    assert_close(of(ar.algorithms.generalized_velocities, model, q, twists)[0], qd, 1e-12)
    torques = of(joint_torques, model, q, qd)
    back = of(ar.algorithms.generalized_forces_of_joints, model, q, torques)
    assert_close(back, qd, 1e-12)
    (number,) = (i for i, b in enumerate(model.bodies) if b.joint_name == "joint3")
    assert np.abs(torques[number]).max() > 0.0  # forces of y are at joints that follow it


def crank(y):
    """A crank, and a rod whose end slides on a line through the crank's axis."""
    return {"crank": y[0], "rod": -y[0] - ar.asin(0.4 * ar.sin(y[0]))}


BODY = ar.Inertia.from_com(1.0, (0.1, 0.02, 0.05), np.diag([0.01, 0.02, 0.015]))
LINKAGE = ar.Model(
    [
        ar.Body("crank", ar.Revolute("y"), inertia=BODY),
        ar.Body("rod", ar.Revolute("y"), "crank", (0.2, 0, 0), BODY),
        ar.Body("arm", ar.Revolute("x"), "rod", (0.2, 0.1, 0), BODY),
    ]
)
ENGINE = LINKAGE.reduced(crank, name="angle", neutral=0.4)
START = {"angle": 0.4, "arm": 0.3, "qd": {"angle": 2.0}}


@pytest.fixture(scope="module")
def swinging():
    """The engine, with springs and damping at all kinds of joints, and its motion."""
    bodies = [dataclasses.replace(b, damping=0.02) for b in LINKAGE.bodies]
    model = ar.Model(bodies).reduced(crank, name="angle", neutral=0.4)
    scene = ar.Scene(model, [ar.forces.JointSpring("angle", 3.0, rest=1.0)])
    return scene, ar.simulate(
        scene, 0.2, 0.2, integrator="Runge-Kutta", start=START, progress=False
    )


@pytest.mark.parametrize(
    "name, order",
    [("leapfrog", 2), ("variational", 2), ("BDF2", 2), ("semi-implicit Euler", 1),
     ("implicit Euler", 1), ("explicit Euler", 1)],
)  # fmt: skip
def test_integrators_agree_to_their_order(swinging, name, order):
    scene, exact = swinging
    runs = (
        ar.simulate(scene, 0.2, h, integrator=name, start=START, progress=False)
        for h in (4e-3, 2e-3)
    )
    far, near = (np.abs(run.q[-1] - exact.q[-1]).max() for run in runs)
    assert near < 1e-2 and 2.0 ** (order - 0.25) < far / near < 2.0 ** (order + 0.35)


def test_the_motion_is_that_with_loops_closed():
    """The same engine with all its joints, and its loop as a row of constraints."""

    @dataclasses.dataclass(frozen=True)
    class Slides(ar.Element):
        links = ("rod",)

        def constraint(self, here):
            return here.frames[0].at((0.5, 0, 0)).z

    more = {"integrator": "Runge-Kutta", "progress": False}
    one = ar.simulate(ar.Scene(ENGINE), 0.3, 0.05, start=START, **more)
    q, qd = (np.array([*x]) for x in ((0.4, 0.3), (2.0, 0.0)))
    start = ENGINE.unreduced_coordinates(q)
    h = 1e-5
    ahead, behind = (ENGINE.unreduced_coordinates(q + k * qd) for k in (h, -h))
    rates = (ahead - behind) / (2 * h)
    many = ar.simulate(ar.Scene(LINKAGE, [Slides()]), 0.3, 0.05, q=start, qd=rates, **more)
    assert_close(ENGINE.unreduced_coordinates(one.q), many.q, 1e-7)


def test_a_map_may_be_the_root_of_an_equation():
    def by_root(y):
        (rod,) = ar.root(lambda x: [ar.sin(x[0] + y[0]) + 0.4 * ar.sin(y[0])], [-1.4 * y[0]]).values
        return {"crank": y[0], "rod": rod}

    model = LINKAGE.reduced(by_root, name="angle", neutral=0.4)
    q, qd, qdd = 0.5 * np.random.default_rng(0).normal(size=(3, 2))
    for page in (inverse_dynamics, forward_dynamics):
        assert_close(of(page, model, q, qd, qdd), of(page, ENGINE, q, qd, qdd), 1e-12)
    for page in (ar.jacobian(inverse_dynamics, "q"), ar.algorithms.rnea_derivatives):
        found, expected = (of(page, each, q, qd, qdd) for each in (model, ENGINE))
        assert_close(np.ravel(found), np.ravel(expected), 1e-12)


def test_energy_is_kept_by_leapfrog():
    run = ar.simulate(ar.Scene(ENGINE), 20.0, 2e-3, start=START, progress=False, keep_every=10)
    assert np.ptp(run.energy) < 2e-3 * run.kinetic.max()
    first, last = run.energy[:200].mean(), run.energy[-200:].mean()
    assert abs(last - first) < 1e-4 * run.kinetic.max()  # no drift


def test_closed_loops_by_numpy():
    """Accelerations of an umbrella with three ribs beside M, bias and rows of its loops."""
    A, B, top = 0.3, 0.28, 0.7
    rod = ar.Inertia.from_com(0.2, (0.01, 0.02, 0.15), np.diag([0.002, 0.003, 0.001]))
    bodies = [ar.Body("runner", ar.Prismatic("z"), inertia=ar.Inertia(0.3))]
    for k in range(3):
        turn = (0, 0, 2 * math.pi * k / 3)
        bodies.append(ar.Body(f"rib{k}", ar.Revolute("y"), None, ar.pose((0, 0, top), turn), rod))
        bodies.append(ar.Body(f"bar{k}", ar.Revolute("y"), "runner", ar.pose(rpy=turn), rod))

    def opened(y):
        (d,) = y
        rib = math.pi - ar.acos((A * A + d * d - B * B) / (2.0 * A * d))
        bar = ar.acos((B * B + d * d - A * A) / (2.0 * B * d))
        each = range(3)
        return {"runner": top - d} | {f"rib{k}": rib for k in each} | {f"bar{k}": bar for k in each}

    free = ar.Model(bodies)
    model, y, yd = free.reduced(opened, neutral=0.4), np.array([0.35]), np.array([0.8])

    def joints(tree, q, qd, qdd):
        return [[x[i][0] for i in tree.bodies] for x in (q, qd, qdd)]

    ydd = of(forward_dynamics, model, y, yd, [1.5])
    q, qd, qdd = of(joints, model, y, yd, ydd)
    force = np.eye(free.nv)[0] * -1.5  # y goes down as the runner goes up

    def gaps(tree, q):
        X = poses(tree, q)
        found = []
        for k in range(3):
            rib, bar = (free.joint_number(f"{name}{k}") for name in ("rib", "bar"))
            off = X[rib].E @ (
                X[bar].r + X[bar].R @ Vec3(0, 0, B) - X[rib].r - X[rib].R @ Vec3(0, 0, A)
            )
            found += [off.x, off.z]
        return found

    assert np.abs(of(gaps, free, q)).max() < 1e-14
    G, Gdot = of(ar.jacobian(gaps, "q"), free, q), of(ar.rate(ar.jacobian(gaps, "q")), free, q, qd)
    M, bias = of(mass_matrix, free, q), of(bias_forces, free, q, qd)
    K = np.block([[M, G.T], [G, np.zeros((6, 6))]])
    found = np.linalg.solve(K, [*(force - bias), *(-Gdot @ qd)])[: free.nv]
    assert_close(qdd, found, EXACT)


def test_mimic_is_the_linear_case(tmp_path):
    bodies = [
        dataclasses.replace(b, armature=0.0, mimic=ar.Mimic("crank", -1.5, 0.2) if k == 1 else None)
        for k, b in enumerate(LINKAGE.bodies)
    ]
    mimic = ar.Model(bodies, mimic=True)
    assert not mimic.tree.curved and mimic.tree.followers == {2: 1}
    plain = mimic.unreduced().reduced(lambda y: {"crank": y[0], "rod": -1.5 * y[0] + 0.2})
    q, qd, qdd = np.random.default_rng(5).normal(size=(3, 2))
    found = of(inverse_dynamics, mimic, q, qd, qdd)
    assert_close(of(inverse_dynamics, plain, q, qd, qdd), found, 1e-13)
    plain.save_urdf(tmp_path / "engine.urdf")
    read = ar.load(tmp_path / "engine.urdf", mimic=True)
    assert read.joint_names == ("crank", "arm")
    assert_close(of(inverse_dynamics, read, q, qd, qdd), found, 1e-13)
    with pytest.raises(ar.ModelError, match=r"map that URDF cannot say.*unreduced"):
        ENGINE.save_urdf(tmp_path / "bent.urdf")
    both = ar.Model(bodies, mimic=True).reduced(lambda y: {"crank": ar.sin(y[0])})
    assert both.joint_names == ("y", "arm")
    assert np.allclose(
        of(unreduced, both, [0.3, 0.0])[:2], (math.sin(0.3), 0.2 - 1.5 * math.sin(0.3))
    )


def unreduced(tree, q):
    return [x for i in tree.bodies for x in q[i]]


def test_the_model_says_what_it_is():
    assert ENGINE.joint_names == ("angle", "arm") and ENGINE.nq == ENGINE.nv == 2
    assert ENGINE.neutral().tolist() == [0.4, 0.0] and ENGINE.slice_q("arm") == slice(1, 2)
    text = repr(ENGINE)
    assert "angle: 1 coordinate that joints follow" in text and "follows angle" in text
    assert ENGINE.unreduced().joint_names == LINKAGE.joint_names
    assert pickle.loads(pickle.dumps(ENGINE)).tree == ENGINE.tree
    limited = LINKAGE.reduced(crank, lower=0.1, upper=0.5, neutral=0.2)
    drawn = limited.random(0, 20)[:, 0]
    assert 0.1 <= drawn.min() and drawn.max() <= 0.5 and limited.q_lower[0] == 0.1
    assert ENGINE.lock("angle", [0.4, 0.1]).joint_names == ("arm",)
    assert ENGINE.lock("arm", [0.4, 0.1]).joint_names == ("angle",)
    assert ENGINE.tree.digest() != LINKAGE.reduced(lambda y: {"rod": ar.sin(y[0])}).tree.digest()


def test_what_leads_is_found_given_and_driven():
    """Inverse kinematics, a given motion, and a controller, all of y."""
    place = of(poses, ENGINE, [1.0, 0.5])[2, :3, 3]
    found = ar.ik.solve(ENGINE, [ar.ik.Point("arm", place)], start=[0.6, 0.0])
    assert found.solved and np.abs(of(poses, ENGINE, found.q)[2, :3, 3] - place).max() < 1e-6
    more = {"progress": False, "start": {"arm": 0.3}}
    motion = ar.Prescribed("angle", position=lambda t: 0.4 + ar.sin(t))
    given = [
        ar.simulate(ar.Scene(ENGINE, [motion]), 0.4, 4e-3, integrator=how, **more).q[-1]
        for how in ("leapfrog", "Runge-Kutta")
    ]
    assert_close(given[0], given[1], 1e-4)
    assert abs(given[0][0] - 0.4 - math.sin(0.4)) < 1e-12
    pull = ar.controllers.computed_torque([0.8, 0.1], 40.0, 12.0)
    run = ar.simulate(ar.Scene(ENGINE, controller=pull), 3.0, 5e-3, **more)
    assert np.abs(run.q[-1] - [0.8, 0.1]).max() < 1e-4


def test_singular_points_are_finite():
    """Where no joint moves with y, y stays, and the others go on."""
    model = LINKAGE.reduced(lambda y: {"crank": y[0] ** 2, "rod": y[0] ** 3}, neutral=0.5)
    qdd = of(forward_dynamics, model, [0.0, 0.3], [0.4, 0.0], [0.0, 0.0])
    assert np.isfinite(qdd).all() and qdd[1] != 0.0


SAID = {
    "no function": (lambda: LINKAGE.reduced(3), ["map is 3", "returns a dict"]),
    "no dict": (lambda: LINKAGE.reduced(lambda y: y), ["Return a dict"]),
    "no joint": (lambda: LINKAGE.reduced(lambda y: {"rot": y[0]}), ["'rot'", "'rod'"]),
    "too many": (lambda: LINKAGE.reduced(lambda y: {"rod": y * 2}), ["coordinates: 1"]),
    "no size": (lambda: LINKAGE.reduced(crank, 0), ["`size` is 0"]),
    "no start": (lambda: LINKAGE.reduced(crank, neutral=(1, 2)), ["`neutral`"]),
    "a name": (lambda: LINKAGE.reduced(crank, name="arm"), ["called 'arm'", "`name`"]),
    "not finite": (
        lambda: LINKAGE.reduced(lambda y: {"rod": ar.sqrt(y[0])}),
        ["not finite", "`neutral`"],
    ),
    "singular": (lambda: LINKAGE.reduced(lambda y: {"rod": y[0] ** 2}), ["singular", "`neutral`"]),
    "twice": (lambda: ENGINE.reduced(crank), ["is reduced", "unreduced"]),
    "attached": (lambda: LINKAGE.attach(ENGINE, "arm", prefix="b"), ["is reduced", "reduce the"]),
    "quaternion": (
        lambda: ar.Model([ar.Body("ball", ar.Spherical(), inertia=BODY)]).reduced(
            lambda y: {"ball": (y[0],) * 4}
        ),
        ["4 coordinates and 3 velocities", "ar.Euler"],
    ),
    "a follower": (lambda: ENGINE.joint_number("rod"), ["follows 'angle'", "unreduced"]),
    "its spring": (
        lambda: ar.Scene(ENGINE, [ar.forces.JointSpring("rod", 1.0)]),
        ["follows 'angle'"],
    ),
    "no q": (
        lambda: ar.evaluate(lambda tree, qd: qd[1][0], ENGINE, [0.0, 0.0]),
        ["slopes that change", "tree.at(q)"],
    ),
    "no rest": (
        lambda: ar.evaluate(
            lambda tree, q: ar.JointCoordinates([(), *q[1:]]), ENGINE, [0.4, 0.0]
        ),
        ["belong to no body", "tree.positions"],
    ),
    "losses": (
        lambda: ar.Model([dataclasses.replace(b, damping=0.1) for b in LINKAGE.bodies])
        .reduced(crank, neutral=0.4)
        .joint_parameters(),
        ["armature, damping or friction", "'y'"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", SAID)
def test_what_is_refused(case):
    action, words = SAID[case]
    with pytest.raises(ar.ArthronError) as error:
        action()
    for word in words:
        assert word in str(error.value), error.value
