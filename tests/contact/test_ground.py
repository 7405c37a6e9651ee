"""Ground: blocks on slopes, balls that bounce, boxes that tumble, a figure that falls."""

import numpy as np
import pytest

import arthron as ar
from arthron.errors import ModelError, SimulationError

G = 9.81
MU = 0.5
STEP = 1e-3
NAMED = {"Ground.velocity": np.zeros(3), "Ground.restitution": 0.0}
"""Numbers that are zero, as inputs: one program for all tests of blocks."""


@pytest.fixture(scope="module")
def block():
    """A block with an arm that falls to its limit, on the ground."""
    arm = ar.Capsule(0.03, 0.2, mass=0.5, placement=(0.1, 0.0, 0.1))
    return ar.Scene(
        ar.Model([
            ar.Body("block", ar.Free(), shapes=[ar.Box((0.4, 0.3, 0.2), mass=2.0)]),
            ar.Body("arm", ar.Revolute("y"), parent="block", placement=(0.0, 0.0, 0.1),
                    shapes=[arm], lower=0.0, upper=0.0),
        ]),
        [ar.contacts.Ground(friction=MU)],
    )  # fmt: skip


def sliding(scene, duration, slopes=0.0, speed=0.0, **options):
    """The block on slopes tan(theta), to begin with at a speed along them."""
    angle = np.arctan(np.asarray(slopes))
    gravity = G * np.stack([np.sin(angle), 0.0 * angle, -np.cos(angle)], -1)
    q, qd = scene.model.neutral(), np.zeros(scene.model.nv)
    q[2], qd[3] = 0.1, speed
    parameters = NAMED | {"gravity": gravity} | options.pop("parameters", {})
    return ar.simulate(scene, duration, step=STEP, q=q, qd=qd, parameters=parameters, **options)


def test_blocks_stick_and_slide(block):
    """Below the angle of friction a block stays, above it slides as Coulomb has it."""
    slopes = np.array([0.0, 0.99, 1.2, 2.0]) * MU
    run = sliding(block, 0.5, slopes)
    assert np.abs(run.q[:2, -1, 0]).max() < 5e-7  # 0.1 mm in 10^5 steps
    angle = np.arctan(slopes[2:])
    expected = G * (np.sin(angle) - MU * np.cos(angle))
    found = (run.qd[2:, -1, 3] - run.qd[2:, 100, 3]) / (run.t[-1] - run.t[100])
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    assert run.contacts.penetration.max() < 1e-6
    assert np.abs(run.q[:, :, 2] - 0.1).max() < 1e-6  # sliding does not lift


def test_ground_carries_the_weight(block):
    run = sliding(block, 0.3)
    total = run.contacts.on("block")
    np.testing.assert_allclose(total[200:], [[0.0, 0.0, 2.5 * G]] * 101, atol=1e-6)
    np.testing.assert_allclose(run.contacts.force[-1, :4].sum(0), total[-1], atol=1e-12)
    assert run.contacts.touching[-1].tolist() == [True] * 4 + [False] * 2
    assert run.contacts.links == ["block"] * 4 + ["arm"] * 2
    assert set(run.contacts.elements) == {"Ground"} and set(run.contacts.others) == {None}
    assert run.contacts.gap[-1, 4:].min() > 0.05
    assert np.abs(run.q[-1, :3] - [0.0, 0.0, 0.1]).max() < 1e-7
    assert run.residual.max() < 1e-5


def test_stopping_distance(block):
    """v^2 / 2 mu g, and then it stays."""
    run = sliding(block, 0.5, speed=1.5)
    np.testing.assert_allclose(run.q[-1, 0], 1.5**2 / (2.0 * MU * G), rtol=1e-4)
    assert np.abs(run.qd[-1]).max() < 1e-6


def test_conveyors_carry(block):
    run = sliding(block, 0.5, parameters={"Ground.velocity": np.array([0.4, -0.3, 0.0])})
    np.testing.assert_allclose(run.qd[-1, 3:6], [0.4, -0.3, 0.0], atol=1e-5)
    way = 0.5**2 / (2.0 * MU * G)
    np.testing.assert_allclose(np.hypot(*run.q[-1, :2]), 0.5 * 0.5 - way, atol=1e-3)


@pytest.mark.parametrize("how", ["semi-implicit Euler", "implicit Euler"])
def test_other_steps(block, how):
    run = sliding(block, 0.2, 2.0 * MU, integrator=how)
    a = G * (np.sin(np.arctan(1.0)) - MU * np.cos(np.arctan(1.0)))
    np.testing.assert_allclose((run.qd[-1, 3] - run.qd[100, 3]) / 0.1, a, rtol=1e-6)
    assert run.contacts.penetration.max() < 1e-6


def test_trajectories_keep_contacts(block, tmp_path):
    run = sliding(block, 0.05, np.array([0.3, 0.7]))
    back = ar.load_trajectory(run.save(tmp_path / "run.arthron"), block.model)
    for name in ("force", "point", "gap", "iterations"):
        np.testing.assert_array_equal(getattr(back.contacts, name), getattr(run.contacts, name))
    assert back.contacts.links == run.contacts.links
    np.testing.assert_array_equal(run.row(1).contacts.force, run.contacts.force[1])
    with pytest.raises(SimulationError, match=r"no link 'blok' has points.*Nearest: 'block'"):
        run.contacts.on("blok")


def test_tumbling_gains_no_energy(block):
    rng = np.random.default_rng(0)
    q, many = np.tile(block.model.neutral(), (16, 1)), 16
    q[:, 2], turn = 0.6, rng.normal(size=(many, 4))
    q[:, 3:7] = turn / np.linalg.norm(turn, axis=1, keepdims=True)
    qd = 3.0 * rng.normal(size=(many, block.model.nv))
    qd[:, 6] = 0.0
    run = ar.simulate(block, 0.8, step=STEP, q=q, qd=qd, parameters=NAMED)
    start = run.energy[:, 0] + 2.5 * G  # zero well below the ground
    assert ((run.energy.max(-1) - run.energy[:, 0]) / start).max() < 1e-5
    assert (np.diff(run.energy) / start[:, None]).max() < 1e-4
    assert run.contacts.touching.any((1, 2)).sum() > 12
    assert run.contacts.penetration.max() < 1e-3
    alone = ar.simulate(block, 0.8, step=STEP, q=q[3], qd=qd[3], parameters=NAMED)
    np.testing.assert_allclose(alone.q, run.q[3], atol=1e-6)


def test_balls_bounce():
    """Each time as high as e^2 of the time before, but for what moves within a step."""
    ball = ar.Model([ar.Body("ball", ar.Free(), shapes=[ar.Sphere(0.1, mass=1.0)])])
    scene = ar.Scene(ball, [ar.contacts.Ground(restitution=0.5)])
    q = ball.neutral()
    q[2] = 1.1
    e = np.array([0.0, 0.4, 0.8, 1.0])
    run = ar.simulate(scene, 1.0, step=STEP, q=q, parameters={"Ground.restitution": e})
    landed = run.contacts.touching[..., 0].argmax(-1)
    for k, first in enumerate(landed):
        peak = run.q[k, first:, 2].max() - 0.1
        np.testing.assert_allclose(peak, e[k] ** 2, atol=0.01)
    assert (run.energy.max(-1) <= run.energy[:, 0] * (1.0 + 1e-9)).all()


@pytest.mark.parametrize("shape", [ar.Sphere(0.1, mass=1.0), ar.Box((0.4, 0.3, 0.2), mass=2.0)])
@pytest.mark.parametrize("floor", [None, ar.Plane()])
@pytest.mark.parametrize("e", [0.5, 1.0])
def test_what_bounces_comes_back_with_all_of_it(shape, floor, e):
    """However soft contact is to be solvable: on ground, and on a floor that is a link."""
    model = ar.Model([ar.Body("ball", ar.Free(), shapes=[shape])])
    contact: ar.Element = ar.contacts.Ground(restitution=e)
    if floor is not None:
        model = ar.Model([ar.Body("floor", ar.Fixed(), shapes=[floor]), *model.links])
        contact = ar.contacts.Links(restitution=e)
    q = model.neutral()
    q[2] = 1.1
    run = ar.simulate(ar.Scene(model, [contact]), 0.6, STEP, q=q)
    hit = int(run.contacts.touching.any(-1).argmax())
    np.testing.assert_allclose(run.qd[hit, 5], -e * run.qd[hit - 1, 5], rtol=2e-6)
    assert run.energy.max() <= run.energy[0] * (1.0 + 1e-12)


def test_loops_and_contact_in_one_solution():
    """Two blocks held by a loop, one of them over the edge of nothing: both rest on the ground."""
    shape = ar.Box((0.2, 0.2, 0.2), mass=1.0)
    model = ar.Model([ar.Body(name, ar.Free(), shapes=[shape]) for name in ("left", "right")])
    loop = ar.constraints.Distance(("left", (0.0, 0.0, 0.0)), ("right", (0.0, 0.0, 0.0)), 0.5)
    scene = ar.Scene(model, [loop, ar.contacts.Ground(friction=0.3)])
    q = model.neutral()
    q[:3], q[7:10] = (-0.25, 0.0, 0.11), (0.25, 0.0, 0.11)
    qd = np.zeros(12)
    qd[3], qd[10] = 1.0, 0.4
    run = ar.simulate(scene, 0.5, step=STEP, q=q, qd=qd)
    apart = np.linalg.norm(run["right"].position - run["left"].position, axis=-1)
    np.testing.assert_allclose(apart, 0.5, atol=1e-5)
    total = run.contacts.on("left") + run.contacts.on("right")
    np.testing.assert_allclose(total[-1], [0.0, 0.0, 2.0 * G], atol=1e-4)


def test_soft_ground():
    """A stiffness is what it says; smooth ground slides and sinks as it should, in any steps."""
    model = ar.Model([ar.Body("block", ar.Free(), shapes=[ar.Box((0.4, 0.3, 0.2), mass=2.0)])])
    q = model.neutral()
    q[2] = 0.1
    soft = ar.Scene(model, [ar.contacts.Ground(stiffness=5e3, dissipation=0.05)])
    run = ar.simulate(soft, 0.6, step=STEP, q=q)
    np.testing.assert_allclose(0.1 - run.q[-1, 2], 2.0 * G / (4 * 5e3), rtol=1e-3)
    smooth = ar.Scene(model, [ar.contacts.SmoothGround(friction=MU, stiffness=1e5)])
    qd = np.zeros(6)
    qd[3] = 2.0
    for how in ("leapfrog", "Runge-Kutta"):
        run = ar.simulate(smooth, 0.2, step=STEP, q=q, qd=qd, integrator=how)
        np.testing.assert_allclose(run.qd[-1, 3], 2.0 - MU * G * 0.2, rtol=0.02)
        assert run.touched is None and abs(run.q[-1, 2] - 0.1) < 2e-4


def test_what_ground_refuses():
    bare = ar.Model(
        [ar.Body("a", ar.Free(), inertia=ar.Inertia.from_com(1.0, (0, 0, 0), (1, 1, 1)))]
    )
    with pytest.raises(ModelError, match=r"nothing to touch.*no shape that moves"):
        ar.Scene(bare, [ar.contacts.Ground()])
    with pytest.raises(ModelError, match=r"`restitution` of the Ground is 1.5.*from 0 to 1"):
        ar.contacts.Ground(restitution=1.5)
    for of in ((), (None,), 3, ("ball", 3), {"ball": 1}):
        for kind in (ar.contacts.Ground, ar.contacts.SmoothGround):
            with pytest.raises(ModelError, match=r"Ground is of .*Give names of links"):
                kind(of=of)
    with pytest.raises(ModelError, match=r"`velocity`.*of which 0\.5 m/s are along its normal"):
        ar.contacts.Ground(velocity=(1.0, 0.0, 0.5))
    ar.contacts.Ground(velocity=(1.0, 0.0, -1.0), normal=(1.0, 0.0, 1.0))
    with pytest.raises(ModelError, match="`normal` of the Ground is 'up'"):
        ar.contacts.Ground(normal="up")
    ball = ar.Model([ar.Body("ball", ar.Free(), shapes=[ar.Sphere(0.1)])])
    with pytest.raises(SimulationError, match=r"'Runge-Kutta' takes no contact.*SmoothGround"):
        ar.simulate(
            ar.Scene(ball, [ar.contacts.Ground()]), 0.1, step=STEP, integrator="Runge-Kutta"
        )


def test_a_start_in_the_ground_is_told(block, recwarn):
    sliding(block, 0.01)
    assert not recwarn
    with pytest.warns(ar.SimulationWarning, match=r"'block' starts 0\.1 m deep in the ground"):
        run = ar.simulate(block, 0.1, step=STEP, q=block.model.neutral(), parameters=NAMED)
    assert np.abs(run.qd).max() < 2.0  # it is not thrown


def test_what_touches_is_what_collides():
    def ball(**more):
        return ar.Body("ball", ar.Free(), shapes=[ar.Sphere(0.1, mass=1.0)], **more)

    ground = ar.contacts.Ground()
    small = ar.Scene(ar.Model([ball(collision=[ar.Sphere(0.05)])]), [ground])
    assert small.elements[0].fitted(small.model).shapes == ((ar.Sphere(0.05),),)
    with pytest.raises(ModelError, match="nothing to touch"):
        ar.Scene(ar.Model([ball(collision=[])]), [ground])


def test_a_person_falls():
    """With the settings there are: nothing explodes, nothing sinks in."""
    person = ar.load(ar.figures / "humanoid.urdf", root=ar.Free())
    scene = ar.Scene(person, [ar.contacts.Ground()])
    q = person.neutral()
    q[2] += 0.05 - person.frame_pose(q, "left_sole")[2, 3]
    run = ar.simulate(scene, 0.8, step=STEP, q=q)
    assert np.isfinite(run.q).all()
    assert run.contacts.penetration.max() < 1e-3
    assert np.diff(run.energy).max() < 1e-6 * run.energy[0]
    assert {"left_foot", "right_foot"} <= {
        link
        for link, on in zip(run.contacts.links, run.contacts.touching.any(0), strict=True)
        if on
    }
