"""Linkages against their closed forms, against a second cut, and against a matrix in NumPy."""

import functools

import numpy as np
import pytest

import arthron as ar
from arthron._scene.system import State
from arthron.constraints import Loop

BOX = [ar.Box((0.2, 0.1, 0.15), mass=0.8, placement=ar.pose((0.1, 0.03, -0.02), (0.3, 0.2, 1)))]
A, ALPHA, B = 0.3, 0.6, 0.45
BETA = float(np.arcsin(B * np.sin(ALPHA) / A))
LINKS = [ar.pose((length, 0, 0), (twist, 0, 0)) for length, twist in [(A, ALPHA), (B, BETA)] * 2]


@functools.cache
def bennett(cut):
    """Four hinges, no two of them parallel or meeting, that move all the same; cut at one."""
    names = ["one", "two", "three"]
    bodies, before, behind = [], (None, (0, 0, 0)), None
    for k in range(cut):  # from the ground on
        bodies.append(ar.Body(names[k], ar.Revolute("z"), *before, shapes=BOX))
        before = (names[k], LINKS[k])
    for k in reversed(range(cut + 1, 4)):  # and backwards, from its other side
        name, end = names[k - 1], f"{names[k - 1]} end"
        bodies.append(ar.Body(end, ar.Revolute((0, 0, -1)), behind, LINKS[k].inverse()))
        bodies.append(ar.Body(name, ar.Fixed(), end, LINKS[k - 1].inverse(), shapes=BOX))
        behind = end
    loop = Loop(before, (behind, LINKS[cut].inverse()), ar.Revolute("z"), name="last")
    return ar.Scene(ar.Model(bodies), [loop])


def angles(first):
    """Of all four hinges (Bennett's linkage: tan(a/2) tan(b/2) is the same for all poses)."""
    ratio = np.sin(0.5 * (BETA + ALPHA)) / np.sin(0.5 * (BETA - ALPHA))
    second = 2.0 * np.arctan2(ratio, np.tan(0.5 * first))
    return np.stack([first, second, -first, -second], -1)


def turn(x):
    return np.arctan2(np.sin(x), np.cos(x))


@pytest.mark.filterwarnings("ignore::arthron.SimulationWarning")
def test_a_bennett_linkage_has_one_degree_of_freedom():
    first = np.array([0.4, 0.9, 1.7, 2.5])
    found = bennett(3).assemble({"one": first, "qd": {"one": 1.0}}, near=angles(first)[:, :3] + 0.1)
    np.testing.assert_allclose(turn(found["q"] - angles(first)[:, :3]), 0.0, atol=1e-11)
    rates = (angles(first + 1e-5) - angles(first - 1e-5))[:, :3] / 2e-5
    np.testing.assert_allclose(found["qd"], rates, atol=1e-8)


@pytest.mark.filterwarnings("ignore::arthron.SimulationWarning")
def test_a_linkage_moves_alike_wherever_it_is_cut():
    run = {}
    q, rates = angles(np.array(0.9)), (angles(0.9 + 1e-5) - angles(0.9 - 1e-5)) / 2e-5
    for cut, order in {3: (0, 1, 2), 2: (0, 1, 3), 1: (0, 3, 2), 0: (3, 2, 1)}.items():
        scene = bennett(cut)
        run[cut] = ar.simulate(scene, 0.4, 0.1, integrator=ar.integrators.RungeKutta(1e-11),
                               q=q[[*order]], qd=rates[[*order]], progress=False)  # fmt: skip
    assert np.abs(run[1].qd).max() > 1.0
    for name in ("one", "two", "three"):
        one, *others = (bennett(cut).model.frame_pose(run[cut].q, name) for cut in run)
        for other in others:
            np.testing.assert_allclose(one, other, atol=1e-8)
    assert np.ptp(run[3].energy) < 1e-8


RING = np.array([(np.cos(x), np.sin(x), 0.0) for x in (0.1, 1.9, 2.2, 4.0, 4.3, 6.1)])
ON_BASE, ON_TOP = 0.8 * RING, 0.5 * np.roll(RING, 1, 0)


@functools.cache
def stewart():
    """A platform on six legs that slide, universal joints below and balls above."""
    bodies = [ar.Body("top", ar.Free(), placement=(0, 0, 1), shapes=BOX)]
    loops = []
    for k, (foot, anchor) in enumerate(zip(ON_BASE, ON_TOP, strict=True)):
        bodies.append(ar.Body(f"shank {k}", ar.Universal("x", "y"), None, foot, shapes=BOX))
        bodies.append(ar.Body(f"leg {k}", ar.Prismatic("z"), f"shank {k}", shapes=BOX))
        loops.append(Loop((f"leg {k}", (0, 0, 1)), ("top", anchor), ar.Spherical()))
    return ar.Scene(ar.Model(bodies), loops)


def test_the_legs_of_a_stewart_platform_are_as_long_as_its_pose_says():
    scene, rng = stewart(), np.random.default_rng(0)
    turns = rng.normal(size=(3, 4)) * 0.15 + [1, 0, 0, 0]
    top = np.concatenate([rng.uniform(-0.2, 0.2, (3, 3)), turns], -1)
    found = scene.assemble({"top": top})
    q, model = found["q"], scene.model
    T = model.frame_pose(q, "top")
    np.testing.assert_allclose(q[:, model.slice_q("top")], top, atol=1e-15)
    anchors = ON_TOP @ np.swapaxes(T[:, :3, :3], 1, 2) + T[:, None, :3, 3]
    lengths = np.linalg.norm(anchors - ON_BASE, axis=-1)
    legs = np.stack([q[:, model.slice_q(f"leg {k}")][:, 0] for k in range(6)], -1) + 1.0
    np.testing.assert_allclose(legs, lengths, atol=1e-12)


def test_accelerations_and_reactions_are_those_of_one_large_matrix():
    """M qdd - G^T f = tau - bias, G qdd = -dG/dt qd, solved by NumPy with differences for dG/dt.

    Also by the dual form, G M^-1 G^T f = -dG/dt qd - G qdd0 with M^-1 by recursion in O(n)
    (S19 2.118 to 2.120), and in maximal coordinates.
    """
    scene, rng = stewart(), np.random.default_rng(1)
    model = scene.model
    found = scene.assemble(q=model.neutral(), qd=rng.normal(size=model.nv))
    q, qd = found["q"], found["qd"]

    def rows(q):
        parts = []
        for k, anchor in enumerate(ON_TOP):
            one = model.jacobian(q, f"leg {k}", (0, 0, 1), axes="world_aligned")
            parts.append(model.jacobian(q, "top", anchor, axes="world_aligned")[3:] - one[3:])
        return np.concatenate(parts)

    G, h = rows(q), 1e-4
    ahead = [rows(model.integrate(q, x * h * qd)) for x in (1, -1, 2, -2)]
    rate = (8 * (ahead[0] - ahead[1]) - (ahead[2] - ahead[3])) / (12 * h)
    n, m = model.nv, len(G)
    KKT = np.block([[model.mass_matrix(q), -G.T], [G, np.zeros((m, m))]])
    right = np.concatenate([-model.bias_forces(q, qd), -rate @ qd])
    solved = np.linalg.solve(KKT, right)
    setup, tree = scene.setup(), model.tree
    system = setup.system(tree, setup.parameters.pack({}).tolist())
    state = State(0.0, tree.positions(q.tolist()), tree.rates(qd.tolist()), {})
    qdd, forces = system.acceleration(state)
    np.testing.assert_allclose(tree.vector(qdd), solved[:n], rtol=1e-9, atol=1e-8)
    np.testing.assert_allclose(forces, G.T @ solved[n:], rtol=1e-9, atol=1e-8)
    free = model.forward_dynamics(q, qd, np.zeros(n))
    columns = model.inverse_mass_product(q, G)
    pulls = np.linalg.solve(columns @ G.T, -rate @ qd - G @ free)
    np.testing.assert_allclose(free + pulls @ columns, tree.vector(qdd), rtol=1e-9, atol=1e-8)
    by_bodies, _ = ar.integrators.maximal_acceleration(system, state)
    np.testing.assert_allclose(tree.vector(by_bodies), tree.vector(qdd), rtol=1e-9, atol=1e-9)


@pytest.mark.filterwarnings("ignore::arthron.SimulationWarning")
def test_motors_of_a_loop_produce_the_motion_they_should():
    """Forward dynamics undo it; two motors share the load so that squares are smallest."""
    scene, q = bennett(3), angles(np.array([0.9, 1.4]))[:, :3]
    model, n = scene.model, 3
    start = scene.assemble(q=q, qd=np.ones((2, n)))
    state = {"q": start["q"], "qd": start["qd"]}
    qdd = np.array([0.7, 0.0, 0.0])
    for motors in (["one"], ["three"], ["one", "two"], None):
        tau = scene.inverse_dynamics(qdd, state, motors=motors)
        assert not tau[:, [x not in (motors or model.joint_names) for x in model.joint_names]].any()
        qdd, forces = scene.forward_dynamics(state, tau=tau)
        np.testing.assert_allclose(qdd[:, 0], 0.7, atol=1e-9)
        found = model.inverse_dynamics(state["q"], state["qd"], qdd)
        np.testing.assert_allclose(found, tau + forces, atol=1e-9)
        if motors == ["one", "two"]:  # along the one way it moves, forces are as their levers
            way = start["qd"] / start["qd"][:, :1]
            np.testing.assert_allclose(tau[:, 1], tau[:, 0] * way[:, 1], atol=1e-9)
    with pytest.raises(ar.SimulationError, match="from what constraints allow"):
        scene.inverse_dynamics([0.7, 0.0, 0.0], state)


def test_motors_that_do_not_suffice_are_told():
    scene = stewart()
    q = scene.assemble()["q"]
    with pytest.raises(ar.SimulationError, match="to nobody"):
        scene.inverse_dynamics(np.zeros(24), q=q, motors=[f"leg {k}" for k in range(5)])
    legs = [f"leg {k}" for k in range(6)]
    tau = scene.inverse_dynamics(np.zeros(24), q=q, motors=legs)
    qdd, _ = scene.forward_dynamics(q=q, tau=tau)
    np.testing.assert_allclose(qdd, 0.0, atol=1e-9)


def test_legs_give_a_platform_the_acceleration_that_is_asked_for():
    """Forward dynamics under the forces of the legs have it, in a batch too."""
    scene, top = stewart(), np.array([[0.1, 0.2, -0.3, 0.4, 0.5, 1.0], [0, 0, 0, 0, 0, -1.0]])
    q = scene.assemble()["q"]
    tau = scene.inverse_dynamics({"top": top}, q=q, motors=[f"leg {k}" for k in range(6)])
    qdd, _ = scene.forward_dynamics(q=np.stack([q, q]), tau=tau)
    np.testing.assert_allclose(qdd[:, scene.model.slice_qd("top")], top, atol=1e-9)
