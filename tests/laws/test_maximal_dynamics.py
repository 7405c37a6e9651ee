"""Maximal coordinates are another way to the same motion: bodies one by one, held by joints."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from every_joint import FIGURES, each, figure, of_kinds
from law_figures import PUPPET, rebuilt

import arthron as ar
from arthron import forces
from arthron.algorithms import joint_wrenches, velocities
from arthron.spatial import Vec3

MAXIMAL = ar.integrators.Maximal()


@dataclass(frozen=True)
class Apart(ar.Element):
    """Keeps points of two links at a distance that grows in time."""

    a: str
    b: str

    @property
    def links(self):
        return (self.a, self.b)

    def constraint(self, here):
        d = here.frames[0].at((0.3, -0.1, 0.2)) - here.frames[1].at((0.0, 0.2, 0.1))
        return d.dot(d) - 1.0 - 0.3 * here.t


def led(model):
    """Names of joints that follow others."""
    return {model.bodies[i - 1].joint_name for i in model.tree.followers}


def acting(model):
    """Something of each kind: on joints, on links, between links, and through several of them."""
    first, second, *_, last = (body.name for body in model.bodies)
    simple = [b.joint_name for b in model.bodies if b.joint.nq == b.joint.nv]
    simple = [name for name in simple if name not in led(model)]
    return [
        *(forces.JointSpring(name, 5.0 + k, 0.3, rest=0.1) for k, name in enumerate(simple)),
        forces.BodyDamping(last, 0.5),
        forces.Spring((first, (0.1, 0.2, 0.0)), (last, (0.0, 0.1, 0.3)), 30.0, 1.0, rest=0.3),
        forces.Cable(
            ((second, (0.1, 0, 0)), (None, (0, 0, 2)), (last, (0, 0.1, 0))), 20.0, 0.5, rest=0.5
        ),
    ]  # fmt: skip


def prescribed(model):
    """A joint that is moved, if there is a simple one that no other follows."""
    hinges = (b.joint_name for b in model.bodies if b.joint.nv == 1)
    tied = led(model) | {b.mimic.joint for b in model.bodies if b.mimic}
    free = [name for name in hinges if name not in tied]
    return [ar.Prescribed(x, acceleration=lambda t: ar.sin(3.0 * t) + 0.5) for x in free[:1]]


def apart(model):
    """Two links at a distance."""
    _, second, *_, last = (body.name for body in model.bodies)
    return [Apart(second, last)]


def brake(tree, t, q, qd):
    """A controller that slows down all joints."""
    return [-0.3 * x for x in tree.vector(qd)]


def at_a_state(model, elements):
    """A system and a state of it, on numbers, with forces from outside and a controller."""
    rng, setup = np.random.default_rng(0), ar.Scene(model, elements, brake).setup()
    numbers = setup.parameters.pack({}).tolist()
    system = setup.system(model.tree, numbers, rng.normal(size=model.nv).tolist())
    qd, rest = 0.5 * rng.normal(size=model.nv), setup.start(model.neutral())
    q = [*map(np.float64, model.random(rng))]
    return system, system.state(np.float64(0.2), q, [*map(np.float64, qd)], rest.more)


def six(wrenches):
    return np.array([[*f.ang, *f.lin] for f in wrenches[1:]], float)


def assert_same(model, elements):
    """Accelerations and wrenches through joints at a state, by bodies and by joints, to 1e-11."""
    system, state = at_a_state(model, elements)
    qdd, wrenches = ar.integrators.maximal_acceleration(system, state)
    wanted, tree = system.acceleration(state)[0], system.at(state)[0].tree
    x, y = (np.array(tree.vector(a), float) for a in (qdd, wanted))
    assert abs(x - y).max() < 1e-11 * abs(y).max()
    reactions = joint_wrenches(tree, state.q, state.qd, wanted, system.wrenches(state))
    assert abs(six(wrenches) - six(reactions)).max() < 1e-11 * abs(six(reactions)).max()


@each(FIGURES)
def test_accelerations_and_reactions_are_those_of_joints(name):
    """With springs, cables and dampers, constraints, and joints that are moved."""
    model = FIGURES[name]
    assert_same(model, [*acting(model), *prescribed(model), *apart(model)])


def test_limits_that_push_do_so_by_either_way():
    """Hinges are beyond limits, to which they are pushed; some more than others pull them."""
    tree, numbers = PUPPET.tree, map(PUPPET.joint_number, PUPPET.joint_names)
    joints = [x for x, i in zip(PUPPET.joint_names, numbers, strict=True) if tree.joint[i].nq == 1]
    many = len(joints)
    limits = ar.JointLimits(joints, ((-9.0,),) * many, ((-4.0,),) * many)
    assert_same(PUPPET, [*acting(PUPPET), limits, *apart(PUPPET)])
    system, state = at_a_state(PUPPET, [limits])
    now, rows = system.loads(state), system.acceleration_rows(state)
    assert sum(x > 1.0 for x in system.solve(state, now.f_ext, now.tau, rows)[2]) >= 2 <= many


WEAK = ar.Model([
    ar.Body("point", ar.Revolute("y"), inertia=ar.Inertia.from_com(1, (0.1, 0.2, -0.5), (0, 0, 0))),
    ar.Body("cross", ar.Universal(), parent="point", placement=(0, 0, -0.5)),
    ar.Body("rod", ar.Revolute((1, 2, 3)), parent="cross", placement=(0.1, 0, -0.5),
            inertia=ar.Inertia.from_com(2, (0.1, 0.2, -0.5), (0.1, 0.1, 0.05))),
    ar.Body("line", ar.Spherical(), parent="point", armature=0.1,
            inertia=ar.Inertia.from_com(2, (0, 0, -0.5), (0.1, 0.1, 0))),
], name="weak")  # fmt: skip
"""Bodies that alone would have no one acceleration: a point, nothing at all, and a line."""


@pytest.mark.parametrize("model", [WEAK, PUPPET.unmerge("post")], ids=lambda model: model.name)
def test_bodies_without_inertia_of_their_own_and_fixed_ones(model):
    assert_same(model, [])


@each(FIGURES)
def test_a_step_from_rest_is_that_of_implicit_euler(name):
    """A long one, with stiffness and damping of everything: M + h D - h^2 K is the same matrix."""
    model = FIGURES[name]
    system, state = at_a_state(model, [*acting(model), *prescribed(model)])
    state = replace(state, qd=system.tree.at_rest())
    memory = {n: [0.0] * k * model.nb for n, k in MAXIMAL.per_body.items()}
    found = MAXIMAL.step(system, replace(state, memory=memory), 0.05)
    wanted = ar.integrators.ImplicitEuler().step(system, state, 0.05)
    twists = six(velocities(system.tree, state.q, wanted.qd))
    off = np.reshape(found.memory["bodies.twists"], twists.shape) - twists
    assert abs(twists).max() > 0.1 and abs(off).max() < 1e-11 * abs(twists).max()


@pytest.fixture(scope="module")
def swinging():
    """Two branches behind a ball with a spring between links, and how they move exactly."""
    model = figure(of_kinds("spherical", "universal", "revolute"), 2.0, 41)
    scene = ar.Scene(model, acting(model)[-2:-1])
    start = {"q": model.random(np.random.default_rng(1)), "qd": np.full(model.nv, 0.3)}
    exact = ar.simulate(scene, 0.2, 0.2, integrator="Runge-Kutta", **start, progress=False)

    def run(integrator, h, duration=0.2, **more):
        given = start | {"integrator": integrator, "progress": False} | more
        return ar.simulate(scene, duration, h, **given)

    return run, exact, scene


def test_motion_is_the_same_as_steps_get_short(swinging):
    run, exact, _ = swinging
    runs = [run("maximal", h) for h in (2e-3, 1e-3)]
    off = [abs(r.model.difference(r.q[-1], exact.q[-1])).max() for r in runs]
    assert off[1] < 5e-3 and 1.9 < off[0] / off[1] < 2.1
    energy = [abs(r.energy[-1] - exact.energy[-1]) for r in runs]
    assert 1.8 < energy[0] / energy[1] < 2.2


def test_wrenches_through_joints_are_recorded(swinging):
    """Over a step, so that they are those at its ends to first order."""
    run, _, scene = swinging
    off = []
    for h in (2e-3, 1e-3):
        found = run("maximal", h)
        wanted = found.joint_wrenches(scene)[-1]
        assert found["joint wrenches"].shape == (len(found), found.model.nb, 6)
        off.append(abs(found["joint wrenches"][-1] - wanted).max() / abs(wanted).max())
    assert off[1] < 0.02 and 1.7 < off[0] / off[1] < 2.3


def test_runs_are_batched_saved_and_go_on(swinging, tmp_path):
    run, _, _ = swinging
    path = tmp_path / "run.traj"
    whole = run("maximal", 2e-3)
    run("maximal", 2e-3, 0.1, file=path)
    again = run("maximal", 2e-3, file=path)
    assert np.array_equal(whole.q, again.q) and np.array_equal(whole.residual, again.residual)
    read = ar.load_trajectory(path, whole.model)
    assert np.array_equal(read["joint wrenches"], whole["joint wrenches"])
    many = run("maximal", 2e-3, q=np.stack([whole.q[0]] * 3), qd=np.full((3, 6), 0.3))
    assert abs(many.q[1] - whole.q).max() < 1e-12


def chain(n):
    """Hinges about two axes in turn."""
    rod = ar.Capsule(0.03, 0.3, mass=1.0, placement=(0.05, 0.0, -0.2))
    return ar.Model([
        ar.Body(f"link{k}", ar.Revolute("xy"[k % 2]), parent=f"link{k - 1}" if k else None,
                placement=(0, 0, -0.4) if k else (0, 0, 0), shapes=[rod])
        for k in range(n)
    ])  # fmt: skip


def test_joints_drift_apart_unless_they_are_held():
    """Without stabilisation it adds up; gamma leaves what a step bends, projection nothing."""
    each = ar.Baumgarte(gamma=0.0), ar.Baumgarte(gamma=20.0), ar.Baumgarte(), ar.Projection()
    loose, slow, held, projected = (
        ar.simulate(
            ar.Scene(chain(2), stabilisation=x), 0.5, 5e-3, integrator="maximal", qd=[5.0, 8.0],
            progress=False,
        ).residual
        for x in each
    )  # fmt: skip
    assert loose[-1] > 0.01 and loose[-1] > 20.0 * slow[-1]
    assert 4.0 * held[-1] < slow[-1] and 1e-4 < held.max() < 1e-3  # about (h w)^2 / 2
    assert projected.max() < 1e-11


def operations(n):
    page = ar.step(ar.Scene(chain(n)), "maximal")
    return ar.compile(page, chain(n)).op_count


def test_operations_are_linear_in_links():
    """Baraff: each link of a chain costs the same, however many there are."""
    counts = [operations(n) for n in (4, 8, 12)]
    assert abs(counts[1] - counts[0] - (counts[2] - counts[1])) < 10


def test_what_flies_keeps_its_momentum_to_first_order():
    """Angular momentum and speed of the centre of mass, of bodies that push each other."""
    model = figure(of_kinds("free", "spherical"), 1.0, 42)
    model = rebuilt(model, lambda _: {"armature": 0.0}, gravity=(0, 0, 0))
    first, *_, last = (body.name for body in model.bodies)
    scene = ar.Scene(
        model, [forces.Spring((first, (0.3, 0, 0)), (last, (0, 0, 0.2)), 20.0, rest=0.2)]
    )
    rng, off = np.random.default_rng(0), []
    start = {"q": model.random(rng), "qd": rng.normal(size=model.nv)}
    for h in (2e-3, 1e-3):
        found = ar.simulate(scene, 0.2, h, integrator="maximal", **start, progress=False)
        p = model.momentum(found.q, found.qd)
        off.append(abs(p[-1] - p[0]).max() / abs(p[0]).max())
    assert off[1] < 5e-3 and 1.8 < off[0] / off[1] < 2.2


@dataclass(frozen=True)
class Rod(ar.Element):
    """Keeps the origin of a link at a distance from a point of the world that moves up."""

    link: str
    length: float

    @property
    def links(self):
        return (self.link,)

    def constraint(self, here):
        d = here.frames[0].X.r - Vec3(0.3, 0.4, 2.0 * here.t * here.t)
        return d.dot(d) - self.length * self.length


def test_loops_and_prescribed_joints():
    """Rows on bodies that are no joint's: the same motion, and the same forces, as on joints."""
    model, q = chain(3), [0.1, 0.3, 0.5]
    tip = model.frame_pose(q, "link2")[:3, 3]
    moved = ar.Prescribed("link0", position=lambda t: 0.1 + 0.3 * t * t)
    scene = ar.Scene(model, [Rod("link2", float(np.linalg.norm(tip - (0.3, 0.4, 0.0)))), moved])
    exact, *runs = (
        ar.simulate(scene, 0.2, h, integrator=how, q=q, progress=False)
        for how, h in (("Runge-Kutta", 0.2), ("maximal", 2e-3), ("maximal", 1e-3))
    )
    far, near = (abs(r.q[-1] - exact.q[-1]).max() for r in runs)
    assert near < 5e-3 and 1.8 < far / near < 2.2
    assert abs(runs[0].q[:, 0] - 0.1 - 0.3 * runs[0].t ** 2).max() < 1e-12
    far, near = (abs(r.forces[-1] - exact.forces[-1]).max() for r in runs)
    assert near < 4e-2 * abs(exact.forces[-1]).max() and 1.7 < far / near < 2.3
    held = replace(scene, stabilisation=ar.Projection())
    found = ar.simulate(held, 0.2, 2e-3, integrator="maximal", q=q, progress=False)
    at = model.frame_pose(found.q, "link2")[:, :3, 3] - (0.3, 0.4, 0.0)
    at[:, 2] -= 2.0 * found.t**2
    assert np.ptp(np.linalg.norm(at, axis=1)) < 1e-11
