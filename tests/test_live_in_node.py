"""Scenes as live pages step them, against Python: by the page's own modules, in Node."""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from live_pages import stepped
from scipy.spatial.transform import Rotation

import arthron as ar
from arthron._simulate.applied_forces import body_wrenches
from arthron._view.hand import hand
from arthron._view.live import Live
from arthron._view.recording import record
from arthron.spatial import Vec3

sys.path.append(str(Path(__file__).parent / "laws"))
import every_joint

STEPS, STEP = 1000, 0.001
BOTH = ("leapfrog", "implicit Euler")


@dataclass(frozen=True)
class Integral(ar.controllers.Controller):
    """Holds each hinge where it was by a torque that a state of its own adds up."""

    gain: float = 5.0
    variables = {"sum": ar.Variable(0.3)}  # noqa: RUF012

    def forces(self, here):
        x = here.states["sum"]
        return [*([0.0] * (here.tree.nv - 1)), -self.gain * x - 0.2 * here.qd[-1][-1]]

    def rates(self, here):
        return {"sum": here.q[-1][-1] + ar.sin(3.0 * here.t)}


def box(mass, *at):
    """Off all axes."""
    turned = ar.pose(at, (0.4, -0.3, 1.1))
    return ar.Box((0.3, 0.2, 0.1), mass=mass, placement=turned)


def every_kind():
    """A floating trunk with limbs by all kinds of joints, and all kinds of forces on it."""
    model = ar.Model([
        ar.Body("trunk", ar.Free(), shapes=[box(4.0, 0.1, 0.05, -0.1)]),
        ar.Body("arm", ar.Spherical(), "trunk", (0.2, 0.1, 0.3), shapes=[box(1.0, 0.1, 0, -0.3)]),
        ar.Body("fore", ar.Revolute((1, 2, -2)), "arm", (0, 0.1, -0.5), lower=-0.2, upper=0.2,
                shapes=[box(0.6, 0, 0.1, -0.2)]),
        ar.Body("leg", ar.Universal("x", "y"), "trunk", (0, -0.1, -0.3),
                shapes=[box(1.2, 0.05, 0, -0.4)]),
        ar.Body("foot", ar.Prismatic((0, 1, -3)), "leg", (0, 0, -0.6),
                shapes=[box(0.4, 0, 0.1, 0)]),
        ar.Body("tail", ar.Revolute("y"), "trunk", (-0.2, 0, 0), shapes=[box(0.3, -0.3, 0, 0)]),
        ar.Body("head", ar.Revolute("z"), "trunk", (0, 0, 0.4), shapes=[box(0.5, 0, 0.1, 0.1)]),
    ], name="every kind")  # fmt: skip
    hook = (None, (0.2, 0.1, 2.0))
    return ar.Scene(model, [
        ar.forces.Spring(hook, ("trunk", (0.1, 0, 0.3)), 60.0, 1.0, 1.2),
        ar.forces.Cable((hook, ("fore", (0, 0, -0.2)), ("foot", (0, 0, -0.1))), 30.0, 1.0, 2.0),
        ar.forces.JointSpring("arm", 4.0, 0.1), ar.forces.JointSpring("foot", 50.0, 0.5),
        ar.forces.JointLimit("fore", 200.0, 1.0),
        ar.Prescribed("tail", position=lambda t: 0.5 * ar.sin(6.0 * t)),
        Integral(name="control"),
    ])  # fmt: skip


@pytest.fixture(scope="module")
def scene():
    return every_kind()


@pytest.fixture(scope="module")
def start(scene):
    model, rng = scene.model, np.random.default_rng(2)
    q = model.integrate(model.neutral(), 0.3 * rng.normal(size=model.nv))
    q[model.slice_q("tail")] = 0.0  # where it is prescribed
    return q, 0.5 * rng.normal(size=model.nv)


@pytest.fixture(scope="module")
def live(scene, start):
    return Live.of(scene, *start, step=STEP)


def states(told, name):
    return np.array([each["state"][name] for each in told])


def test_a_thousand_steps_are_those_of_python(scene, start, live, tmp_path):
    """With joint forces from outside, another gravity, and a state of a controller's own."""
    tau = 0.3 * np.cos(np.arange(scene.model.nv))
    weak = (0.5, -0.2, -4.0)
    orders = [["numbers", "gravity", weak], ["run", STEPS, STEPS, tau.tolist()]]
    cases = [(live, [["integrator", name], *orders]) for name in BOTH]
    for name, (*_, [found]) in zip(BOTH, stepped(tmp_path, *cases), strict=True):
        run = ar.simulate(
            scene, 1.0, STEP, integrator=name, q=start[0], qd=start[1], tau=tau,
            parameters={"gravity": weak}, keep_every=STEPS,
        )  # fmt: skip
        close = {"rtol": 0.0, "atol": 1e-11}
        np.testing.assert_allclose(found["state"]["q"], run.q[-1], **close)
        np.testing.assert_allclose(found["state"]["qd"], run.qd[-1], **close)
        np.testing.assert_allclose(
            found["state"]["control_sum"], run.states["control.sum"][-1:], **close
        )
        energy = run.kinetic[-1], run.potential[-1]
        np.testing.assert_allclose(found["energy"], energy, rtol=1e-11)
        pushed = body_wrenches(scene, run)[-1].ravel()
        assert np.abs(pushed).max() > 1.0
        np.testing.assert_allclose(found["wrenches"], pushed, **close)


def test_contact_is_among_what_pushes(tmp_path):
    """A ball and a leaning rod on the ground, and the rod on the ball: as in Python, and a film."""
    rod = ar.Capsule(0.03, 0.4, placement=(0.05, 0.0, 0.0), mass=0.5)
    model = ar.Model([
        ar.Body("ball", ar.Free(), shapes=[ar.Sphere(0.1, mass=1.0)]),
        ar.Body("rod", ar.Free(), shapes=[rod]),
    ])  # fmt: skip
    scene = ar.Scene(model, [ar.contacts.Ground(), ar.contacts.Links()])
    q = model.integrate(model.neutral(), [0, 0, 0, 0, 0, 0, 0.2, 1.2, 0, 0, 0, 0])
    q[[2, 7, 8, 9]] = 0.1, 0.17, 0.02, 0.16
    live = Live.of(scene, q, step=STEP)
    [[*_, found]] = stepped(tmp_path, (live, [["run", 300, 300, None], ["wrenches"]]))
    run = ar.simulate(scene, 0.3, STEP, q=q)
    assert (run.contacts.touching.sum(-1) > 2).any()
    expected = body_wrenches(scene, run)
    np.testing.assert_allclose(found, expected[-1].ravel(), atol=1e-9)
    film = record(run, scene)
    at = np.searchsorted(run.t, film.t - 1e-9)
    np.testing.assert_allclose(film.wrenches, expected[at], atol=1e-12)
    T = model.body_poses(run.q)
    for k, name in enumerate(("ball", "rod")):
        moment, force = (T[:, k, :3, :3] @ x[..., None] for x in np.split(expected[:, k], 2, -1))
        moment = moment[..., 0] + np.cross(T[:, k, :3, 3], force[..., 0])
        plate = run.contacts.wrench(name)
        np.testing.assert_allclose(np.c_[moment, force[..., 0]], plate, atol=1e-9)


def test_a_person_falls_as_in_python(tmp_path):
    """Its page, which looks for what is near the ground, and a run, which has all points in it."""
    person = ar.load(ar.figures / "humanoid.urdf", root=ar.Free())
    scene = ar.Scene(person, [ar.contacts.Ground()])
    q = person.neutral()
    q[person.slice_q("left_knee")] = 0.3
    q[2] += 0.031 - person.frame_pose(q, "right_sole")[2, 3]  # toes of the left foot are lower
    live = Live.of(scene, q, step=STEP)
    [[told]] = stepped(tmp_path, (live, [["run", 200, 1]]))
    run = ar.simulate(scene, 0.2, STEP, q=q)
    assert run.contacts.touching[50:].any(-1).all()
    for name in ("q", "qd"):
        np.testing.assert_allclose(states(told, name), getattr(run, name)[1:], rtol=0.0, atol=1e-9)


def test_what_integrators_remember_is_kept_and_forgotten(tmp_path):
    """BDF2 goes on from two states; behind steps of another integrator it begins anew."""
    rod = ar.Cylinder(0.05, 1.0, mass=1.0, placement=(0.1, 0, -0.5))
    scene = ar.Scene(ar.Model([ar.Body("rod", ar.Revolute("y"), shapes=[rod])]))
    live = Live.of(scene, [1.0], [0.5], step=0.01, integrator="BDF2")
    orders = [["run", 50, 50], ["integrator", "leapfrog"], ["run", 10, 10], ["integrator", "BDF2"],
              ["run", 50, 50], ["reset"], ["run", 50, 50]]  # fmt: skip
    [(first, _, _, _, last, _, again)] = stepped(tmp_path, (live, orders))
    q, qd = np.array([1.0]), np.array([0.5])
    for name, steps in (("BDF2", 50), ("leapfrog", 10), ("BDF2", 50)):
        run = ar.simulate(scene, steps * 0.01, 0.01, integrator=name, q=q, qd=qd, keep_every=steps)
        if steps == 50:
            [told] = first if q[0] == 1.0 else last
            np.testing.assert_allclose(told["state"]["q"], run.q[-1], rtol=1e-12)
        q, qd = run.q[-1], run.qd[-1]
    assert again == first


def test_what_blows_up_stops_where_all_was_well_and_goes_on_another_way(live, tmp_path):
    stiff = ["numbers", "Spring(world, trunk).stiffness", [1e8]]
    orders = [["play", 10, 20], stiff, ["play", 10, 20], ["blown"], ["integrator", BOTH[1]],
              ["blown"], [*stiff[:2], [60.0]], ["branch", 9.0], ["play", 10, 20]]  # fmt: skip
    [(_, _, after, blown, _, rest, _, _, again)] = stepped(tmp_path, (live, orders))
    time, end, said = blown
    assert after["trouble"] and time == pytest.approx(end) and 0.18 < after["t"] == end < 0.22
    assert np.abs(after["state"]["qd"]).max() < 100 and np.isfinite(after["energy"]).all()
    assert said == (
        "The simulation blew up at t = 0.20 s: forces are too stiff for steps of 1 ms. "
        "Choose implicit Euler, or give a smaller step= in Python."
    )
    assert rest[2] == said.replace("Choose implicit Euler, or give", "Give")
    assert not again["trouble"] and again["t"] == pytest.approx(end + 0.2)


def test_nothing_is_lost_where_there_is_no_more_behind_it(tmp_path, live):
    """A time between steps is the last one; what is shown of it was at a step."""
    orders = [
        ["play", 2, 20.3],
        ["branch", 0.0406],
        ["moment", 0.0406],
        ["branch", 0.03],
        ["blown"],
    ]
    [(end, _, shown, _, back)] = stepped(tmp_path, (live, orders))
    assert shown == end["t"] == pytest.approx(0.041) and back[1] == pytest.approx(0.02)


def test_going_back_branches_off(live, scene, tmp_path):
    """Frames come by the wall clock, know where bodies were, and can be gone on from."""
    weak = ["numbers", "gravity", (0.0, 0.0, -1.0)]
    orders = [["play", 40, 20], ["resume", 0.411], ["poses", 0.2], weak, ["run", 100, 100]]
    straight = [["run", 400, 400], weak, ["run", 100, 100]]
    (end, _, poses, _, other), (*_, same) = stepped(tmp_path, (live, orders), (live, straight))
    assert end["t"] == pytest.approx(0.8) and same[0]["t"] == pytest.approx(0.5)
    assert other == same
    q, qd = (live.states[name] for name in ("q", "qd"))
    run = ar.simulate(scene, 0.2, STEP, q=q, qd=qd, keep_every=200)
    T = np.array(poses).reshape(-1, 7)[1:]
    expected = scene.model.body_poses(run.q[1])
    np.testing.assert_allclose(T[:, :3], expected[:, :3, 3], atol=1e-9)
    R = Rotation.from_quat(T[:, [4, 5, 6, 3]]).as_matrix()
    np.testing.assert_allclose(R, expected[:, :3, :3], atol=1e-9)


# The hand


@pytest.mark.parametrize("name", every_joint.FIGURES)
def test_joint_forces_of_a_hand_do_its_work(name):
    """tau . qd = f . v for a point of each body, its velocity by differences."""
    model, rng = every_joint.FIGURES[name], np.random.default_rng(4)
    q, qd = model.random(rng), rng.normal(size=model.nv)
    point, force = rng.normal(size=(2, 3))
    h = 1e-6
    for i in range(model.nb):
        given = {"held": np.eye(model.nb)[i], "point": point, "force": force}
        after, now, before = (
            ar.evaluate(hand, model, model.integrate(q, t * qd), *given.values())
            for t in (h, 0.0, -h)
        )
        v = (np.array(after["at"]) - before["at"]) / (2 * h)
        power = np.dot(now["tau"], qd)
        assert power == pytest.approx(force @ v, rel=1e-7, abs=1e-7)
        T = model.body_poses(q)[i]
        np.testing.assert_allclose(now["at"], T[:3, :3] @ point + T[:3, 3], atol=1e-13)


@dataclass(frozen=True)
class Held(ar.Element):
    """A spring and damper from a point of a link to a place, as the hand is."""

    link: str
    point: tuple[float, ...]
    target: tuple[float, ...]
    stiffness: float

    @property
    def links(self):
        return (self.link,)

    def forces(self, here):
        [frame] = here.frames
        gap = Vec3(*self.target) - frame.at(self.point)
        force = gap * self.stiffness - frame.velocity(self.point) * (0.1 * self.stiffness)
        return (frame.wrench(self.point, force),)


@pytest.fixture(scope="module")
def bird():
    """A figure that nothing holds, without gravity."""
    return ar.Model([
        ar.Body("trunk", ar.Free(), shapes=[box(4.0, 0.1, 0.05, -0.1)]),
        ar.Body("wing", ar.Spherical(), "trunk", (0.2, 0.1, 0.3), shapes=[box(1.0, 0.1, 0, -0.3)]),
        ar.Body("tip", ar.Revolute((1, 2, -2)), "wing", (0, 0.1, -0.5),
                shapes=[box(0.6, 0, 0.1, -0.2)]),
    ], gravity=(0, 0, 0))  # fmt: skip


@pytest.fixture(scope="module")
def flying(bird):
    rng = np.random.default_rng(3)
    return Live.of(ar.Scene(bird), bird.random(rng), 0.5 * rng.normal(size=bird.nv), step=STEP)


POINT, TARGET = (0.1, 0.05, -0.3), (0.4, 0.3, 0.2)


def test_a_hand_is_a_spring_and_a_damper(bird, flying, tmp_path):
    """As the step gets shorter, by the first order."""
    q, qd = (flying.states[name] for name in ("q", "qd"))
    soft = ar.Scene(bird, [Held("tip", POINT, TARGET, 40.0)])
    true = ar.simulate(soft, 0.2, 0.001, integrator="Runge-Kutta", q=q, qd=qd, keep_every=200)
    cases = [
        (flying, [["integrator", name], ["step", 0.2 / steps], ["pull", 40.0],
                  ["grab", 3, POINT, TARGET], ["run", steps, steps]])
        for name in BOTH for steps in (200, 2000)
    ]  # fmt: skip
    off = [
        np.abs(bird.difference(true.q[-1], told["state"]["q"])).max()
        for *_, [told] in stepped(tmp_path, *cases)
    ]
    for rough, fine in np.reshape(off, (2, 2)):
        assert rough < 0.12 and fine < 0.12 * rough


def test_what_a_hand_gives_is_kept_when_it_lets_go(bird, flying, tmp_path):
    """Its impulse is the change of momentum; afterwards that stays, and energy in bounds."""
    cases = [
        (flying, [["step", h], ["grab", 3, POINT, TARGET], ["run", round(0.2 / h), 1], ["release"],
                  ["run", 2000, 10]])
        for h in (1e-3, 2e-4)
    ]  # fmt: skip
    off = []
    for case, (*_, held, _, free) in zip(cases, stepped(tmp_path, *cases), strict=True):
        h, told = case[1][0][1], held + free
        P = bird.momentum(states(told, "q"), states(told, "qd"))[len(held) - 1 :]
        np.testing.assert_allclose(P, P[:1].repeat(len(P), 0), atol=1e-11)
        energy = np.array([sum(each["energy"]) for each in free])
        assert np.ptp(energy) < 1e-3 * energy[0]
        force = np.array([each["force"] for each in held])
        q = np.concatenate([flying.states["q"][None], states(held, "q")[:-1]])
        T = bird.body_poses(q)[:, 2]
        at = T[:, :3, :3] @ POINT + T[:, :3, 3]
        impulse = h * np.concatenate([np.cross(at - bird.center_of_mass(q), force), force], 1).sum(
            0
        )
        gained = P[0] - bird.momentum(flying.states["q"], flying.states["qd"])
        assert np.linalg.norm(gained) > 5.0
        off.append(np.abs(gained - impulse).max())
    assert off[0] < 0.15 and off[1] < 0.25 * off[0]


def test_a_hand_holds_a_gram_and_a_giant(tmp_path):
    """A finger at seventy kilograms, and these: their weight stretches it, and all is calm."""
    finger = ar.Capsule(0.005, 0.03, mass=0.001, placement=(0, 0, 0.02))
    model = ar.Model([
        ar.Body("giant", ar.Free(), shapes=[ar.Box((0.4, 0.3, 1.0), mass=70.0)]),
        ar.Body("finger", ar.Revolute("x"), "giant", (0.2, 0, 0.5), shapes=[finger]),
        ar.Body("nail", ar.Revolute("y"), "finger", (0, 0, 0.04), shapes=[finger]),
    ])  # fmt: skip
    q, tip, far = model.neutral(), (0.0, 0.0, 0.03), (0.6, 0.5, 1.2)
    live = Live.of(ar.Scene(model), q, step=STEP)
    sunk = np.subtract(far, (0, 0, 9.81 * model.mass / live.data()["pull"]))
    orders = [["run", 3000, 3000], ["run", 3000, 10], ["release"], ["run", 100, 100]]
    cases = [(live, [["integrator", name], ["grab", body, tip, far], *orders])
             for name in BOTH for body in (1, 3)]  # fmt: skip
    for (_, [_, (_, body, *_), *_]), told in zip(cases, stepped(tmp_path, *cases), strict=True):
        T = model.body_poses(states(told[3], "q"))[:, body - 1]
        at = T[:, :3, :3] @ tip + T[:, :3, 3]
        assert np.linalg.norm(at.mean(0) - sunk) < 0.03
        assert np.linalg.norm(at - sunk, axis=1).max() < 0.25
        [last] = told[-1]
        assert not last["trouble"]


def test_a_hand_pulls_what_follows_and_what_is_prescribed(live, scene, tmp_path):
    slide = {"shapes": [ar.Box((0.02, 0.02, 0.1), mass=0.2)], "damping": 0.5}
    gripper = ar.Model([
        ar.Body("arm", ar.Revolute("y"), shapes=[ar.Box((0.1, 0.1, 0.5), mass=2.0)], damping=0.3),
        ar.Body("one", ar.Prismatic("x"), "arm", (0, 0, 0.3), **slide),
        ar.Body("two", ar.Prismatic("x"), "arm", (0, 0, 0.3), mimic=ar.Mimic("one", -1.0), **slide),
    ], gravity=(0, 0, 0))  # fmt: skip
    point, target = (0.01, 0.0, 0.05), (0.2, 0.0, 0.5)
    cases = [
        (Live.of(ar.Scene(gripper)), [["grab", 3, point, target], ["run", 6000, 6000]]),
        (live, [["grab", 6, (-0.3, 0, 0), (2.0, 0.0, 1.0)], ["run", 500, 500]]),
    ]
    (_, [held]), (_, [tail]) = stepped(tmp_path, *cases)
    T = gripper.frame_pose(np.array(held["state"]["q"]), "two")
    np.testing.assert_allclose(T[:3, :3] @ point + T[:3, 3], target, atol=1e-3)
    where = scene.model.slice_q("tail")
    assert tail["state"]["q"][where][0] == pytest.approx(0.5 * np.sin(6.0 * 0.5), abs=1e-12)
    assert not tail["trouble"] and np.linalg.norm(tail["force"]) > 1.0


def test_a_squashy_ball_is_drawn_by_its_stretch(tmp_path):
    ball = ar.squash.squashy_ball(0.1, 1.0)
    live = Live.of(ar.Scene(ball, [ar.squash.Squashy(5.0)]), start={"stretch": 0.4})
    orders = [["run", 30, 30, None], ["wrenches"], ["stretches", 0.03]]
    [[[told], _, (_, matrix, *_)]] = stepped(tmp_path, (live, orders))
    s = np.exp(told["state"]["q"][0])
    wanted = np.diag([s**-0.5, s**-0.5, s, 1.0])
    assert abs(s - np.exp(0.4)) > 0.1 and np.allclose(np.reshape(matrix, (4, 4)), wanted)
