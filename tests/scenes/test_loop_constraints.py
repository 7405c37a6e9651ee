"""A loop closed by a joint moves as the tree does that has the joint in it, for every kind."""

import numpy as np
import pytest
from scene_cases import AXIS, JOINTS, POINTS, TURNED

import arthron as ar
from arthron._scene.system import State
from arthron.constraints import Constraint, Coupling, Distance, Loop, PrescribedMotion
from arthron.spatial import Vec3

AT = ar.pose((0.1, 0.2, -0.1), (0.5, 0.2, -0.3))
BOX = [ar.Box((0.3, 0.2, 0.5), mass=1.5, placement=ar.pose((0.1, -0.05, 0.2), (0.3, 0.2, 1)))]
KINDS = {
    **{kind: joint for kind, joint in JOINTS.items() if joint.nv < 6},
    "weld": ar.Fixed(),
    "cylindrical": ar.Composite([ar.Prismatic(AXIS), ar.Revolute(-AXIS)]),
    "nested": ar.Composite([ar.Revolute("x"), ar.SplineCurve(POINTS), ar.Spherical()]),
}


def cut_and_whole(joint):
    """Two free bodies with a loop between them, and the tree they are."""
    ends = [ar.Body("one", ar.Free(), shapes=BOX)]
    cut = ar.Model([*ends, ar.Body("shell", ar.Free(), shapes=BOX)])
    inner = [ar.Body("two", joint, "one", TURNED)]
    whole = ar.Model([*ends, *inner, ar.Body("shell", ar.Fixed(), "two", AT, shapes=BOX)])
    return ar.Scene(cut, [Loop(("one", TURNED), ("shell", AT.inverse()), joint)]), whole


def quaternion(R):
    w, x, y, z = ar.spatial.quaternion_from_matrix(ar.spatial.Mat3.from_rows(R))
    return [float(w), float(x), float(y), float(z)]


def of_whole(whole, q, qd):
    """(q, qd) of both bodies as free ones."""
    poses = [whole.frame_pose(q, name) for name in ("one", "shell")]
    places = [[*T[:3, 3], *quaternion(T[:3, :3])] for T in poses]
    twists = [whole.frame_velocity(q, qd, name) for name in ("one", "shell")]
    return np.concatenate(places), np.concatenate(twists)


def system_at(scene, q, qd, loop_q=()):
    setup, tree = scene.setup(), scene.model.tree
    system = setup.system(tree, setup.parameters.pack({}).tolist())
    more = {name: list(map(float, loop_q)) for name in setup.variables}
    return system, State(0.0, tree.positions(q.tolist()), tree.rates(qd.tolist()), more)


def largest_gap(system, state):
    return max(abs(x) for rows in system.constraint_rows(state) for x in rows.errors)


@pytest.mark.parametrize("kind", KINDS)
def test_accelerations_are_those_of_the_tree(kind):
    joint, rng = KINDS[kind], np.random.default_rng(3)
    scene, whole = cut_and_whole(joint)
    q, qd = whole.random(rng), rng.normal(size=whole.nv)
    places, twists = of_whole(whole, q, qd)
    system, state = system_at(scene, places, twists, q[7:] + 1e-5)
    assert largest_gap(system, state) < 1e-8
    found = system.tree.vector(system.acceleration(state)[0])
    qdd = whole.forward_dynamics(q, qd, np.zeros(whole.nv))
    wanted = [whole.frame_acceleration(q, qd, qdd, name) for name in ("one", "shell")]
    np.testing.assert_allclose(found, np.concatenate(wanted), rtol=1e-9, atol=1e-8)


def circle(t):
    """A frame that goes round and turns."""
    R = ar.spatial.rotation(Vec3(0.0, 0.6, 0.8), 2.0 * t)
    return R, Vec3(0.5 * ar.cos(t), 0.3 * ar.sin(2.0 * t), 0.1 * t)


@pytest.mark.parametrize("kind", ["weld", "spherical", "translational", "universal"])
def test_links_on_frames_that_move_do_as_on_links_that_do(kind):
    """A prescribed pose is a loop to a link whose joint is prescribed."""
    joint, rng = KINDS[kind], np.random.default_rng(1)
    free = ar.Body("shell", ar.Free(), shapes=BOX)
    alone = ar.Scene(
        ar.Model([free]),
        [PrescribedMotion("shell", circle, at=AT.inverse(), joint=joint, name="mine")],
    )
    carrier = ar.Body("one", ar.Custom(lambda q: circle(q[0])), shapes=BOX)
    drive = ar.Prescribed("one", velocity=lambda t: 1.0)
    tied = ar.Scene(
        ar.Model([carrier, free]), [drive, Loop(("one", (0, 0, 0)), ("shell", AT.inverse()), joint)]
    )
    whole = ar.Model([carrier, ar.Body("two", joint, "one"),
                      ar.Body("shell", ar.Fixed(), "two", AT, shapes=BOX)])  # fmt: skip
    q, qd = whole.random(rng), rng.normal(size=whole.nv)
    q[0], qd[0] = 0.0, 1.0
    T, twist = whole.frame_pose(q, "shell"), whole.frame_velocity(q, qd, "shell")
    place = np.array([*T[:3, 3], *quaternion(T[:3, :3])])
    found = []
    for scene, first in ((alone, 0), (tied, 1)):
        before = np.array([0.0][:first]), np.array([1.0][:first])
        system, state = system_at(
            scene, np.concatenate([before[0], place]), np.concatenate([before[1], twist])
        )
        assert largest_gap(system, state) < 1e-12
        found.append(system.tree.vector(system.acceleration(state)[0])[first:])
    np.testing.assert_allclose(*found, rtol=1e-9, atol=1e-9)


def test_a_link_has_the_twist_that_is_prescribed():
    """Rows of velocities hold along the way, and their rates have no feedback to hide behind."""
    scene = ar.Scene(
        ar.Model([ar.Body("arm", ar.Spherical(), shapes=BOX), ar.Body("tip", ar.Universal("x", "y"),
                  "arm", (0.3, 0, 0.2), shapes=BOX)]),
        [PrescribedMotion("tip", twist=lambda t: (ar.sin(t), t), rows=(1, 2), at=AT)],
    )  # fmt: skip
    run = ar.simulate(scene, 0.2, 0.02, integrator="Runge-Kutta", progress=False)
    twist = scene.model.frame_velocity(run.q, run.qd, "tip")
    axes = np.array(AT.E)
    found = (twist[:, :3] @ axes.T)[:, 1:]
    np.testing.assert_allclose(found, np.stack([np.sin(run.t), run.t], -1), atol=1e-9)


def test_distances_couplings_and_functions_hold():
    scene, model = held_together()
    run = ar.simulate(scene, 0.2, 0.01, integrator="Runge-Kutta", q=START, progress=False)
    tip, far = (model.frame_pose(run.q, name)[:, :3, 3] for name in ("tip", "end"))
    apart = np.linalg.norm(tip - far, axis=-1)
    np.testing.assert_allclose(apart, apart[0], atol=1e-8)
    gear = run.q @ [0.0, 2.0, -1.0, 0.0, 0.0, 0.0]
    np.testing.assert_allclose(gear, gear[0], atol=1e-8)
    np.testing.assert_allclose(run.q[:, 5], 0.3 * run.q[:, 0], atol=1e-8)
    assert np.abs(run.qd[-1]).max() > 0.1 and (run.parameters["rod.length"] == apart[0]).all()


START = np.array([0.1, 0.3, 0.4, 0.2, -0.3, 0.03])


def held_together():
    """Two arms of three hinges each, off their axes, with a rod, a gear and a function of mine."""
    axes = [(1, 2, -2), "y", "x", (0, 1, 1), "y", "z"]
    names = ["root", "arm", "tip", "base", "fore", "end"]
    bodies = []
    for k, (name, axis) in enumerate(zip(names, axes, strict=True)):
        parent = names[k - 1] if k % 3 else None
        place = (0.05, 0.1, -0.4) if parent else (0.3 * k, 0, 0)
        bodies.append(ar.Body(name, ar.Revolute(axis), parent, place, shapes=BOX))
    model = ar.Model(bodies)
    mine = Constraint(lambda here: here.q[0][0] - 0.3 * here.q[1][0], joints=("end", "root"))
    rod = Distance(("tip", (0, 0, 0)), ("end", (0, 0, 0)), name="rod")
    return ar.Scene(model, [rod, Coupling(("arm", "tip"), (2, -1), None), mine]), model
