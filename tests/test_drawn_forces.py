"""Forces and axes that a page draws, and what a ray meets of a figure."""

import json
import subprocess
from dataclasses import dataclass, replace

import numpy as np
import pytest
from live_pages import NODE, PAGE
from test_page import unpacked

import arthron as ar
from arthron._view.page import page
from arthron._view.page_data import page_data
from arthron._view.recording import record, still

HOOK, END = (0.3, 0.2, 1.0), (0.05, 0.1, -0.7)


@dataclass(frozen=True)
class Forgotten(ar.Element):
    """Pulls at a link by a state that is not kept."""

    variables = {"x": ar.Variable(1.0, saved=False)}  # noqa: RUF012
    links = ("end",)

    def forces(self, here):
        return (here.frames[0].wrench((0, 0, 0), ar.spatial.Vec3(here.states["x"], 0.0, 0.0)),)

    def rates(self, here):
        return {"x": 0.0}


def swing(*elements):
    rod = ar.Capsule(0.05, 0.8, placement=(0.1, 0, -0.4), mass=2.0)
    model = ar.Model([
        ar.Body("rod", ar.Revolute("y"), shapes=[rod]),
        ar.Body("end", ar.Spherical(), "rod", (0, 0, -0.8), shapes=[rod]),
        ar.Body("side", ar.Revolute("x"), "rod", (0.4, 0, -0.4), shapes=[ar.Sphere(0.2, mass=1.0)]),
    ], name="swing")  # fmt: skip
    return ar.Scene(model, elements)


@pytest.fixture(scope="module")
def film():
    spring = ar.forces.Spring((None, HOOK), ("end", END), 40.0, 2.0, 0.5)
    scene = swing(spring)
    run = ar.simulate(scene, 0.5, 0.005, q=[0.5, 1, 0, 0, 0, 0.3], qd=[1, 1, 2, 3, 0])
    return record(run, scene), run


def pull(run, k):
    """Where the spring pulls in a frame, and its force, in the world."""
    T, twist = run.model.body_poses(run.q[k])[1], run.model.body_velocities(run.q[k], run.qd[k])[1]
    at = T[:3, :3] @ END + T[:3, 3]
    v = T[:3, :3] @ (twist[3:] + np.cross(twist[:3], END))
    gap = np.subtract(HOOK, at)
    length = np.linalg.norm(gap)
    way = gap / length
    return T, at, (40.0 * (length - 0.5) - 2.0 * v @ way) * way


def test_films_know_what_pulled(film):
    recording, run = film
    told, arrays = unpacked(page(recording))
    assert told["pushed"] == [2]
    found = arrays["wrenches"].reshape(6, -1).T
    for k, t in enumerate(recording.t):
        T, at, force = pull(run, np.searchsorted(run.t, t - 1e-9))
        torque = np.cross(at - T[:3, 3], force)
        expected = np.concatenate([T[:3, :3].T @ torque, T[:3, :3].T @ force])
        np.testing.assert_allclose(found[k], expected, rtol=1e-5, atol=1e-5)


def test_where_it_is_not_known_nothing_is_drawn(film):
    _, run = film
    told, arrays = unpacked(page(record(run)))
    assert told["pushed"] == [] and not len(arrays["wrenches"])
    scene = swing(Forgotten())
    run = ar.simulate(scene, 0.01, 0.005)
    assert record(run, scene).wrenches.size == 0


def test_axes_stay_on_some_body():
    """Of a universal joint one is its parent's; the second of an Euler joint is across."""
    model = ar.Model([
        ar.Body("fork", ar.Universal("x", "y"), None, ar.pose((0, 0, 1), (0.3, 0.2, 0.1))),
        ar.Body("gimbal", ar.Euler("zyx"), "fork", (0, 0, -0.5)),
        ar.Body("track", ar.SplineCurve([ar.pose((k, k * k, 0)) for k in range(5)]), "gimbal"),
        ar.Body("slide", ar.Helical("z", 0.1), "track", shapes=[ar.Sphere(0.1, mass=1.0)]),
    ])  # fmt: skip
    fork, gimbal, slide = page_data(still(model))[0]["joints"]
    assert fork["on"] == [0, 1] and gimbal["on"] == [1, None, 2] and slide["on"] == [4]
    placement = np.array(model.tree.Xtree[1].R, float)
    np.testing.assert_allclose(fork["axes"], [placement[:, 0], (0, 1, 0)], atol=1e-8)
    np.testing.assert_allclose(
        [gimbal["axes"][0], gimbal["axes"][2]], [(0, 0, 1), (1, 0, 0)], atol=1e-9
    )
    q, k, h = model.random(np.random.default_rng(1)), model.slice_qd("gimbal"), 1e-6
    R = [model.body_poses(x)[1, :3, :3] for x in (q, q + h * np.eye(model.nq)[k.start + 1])]
    turn = (R[1] - R[0]) @ R[0].T / h
    first = model.body_poses(q)[0, :3, :3] @ gimbal["axes"][0]
    across = np.cross(R[0] @ gimbal["axes"][2], first)
    np.testing.assert_allclose(
        np.abs([turn[2, 1], turn[0, 2], turn[1, 0]]),
        np.abs(across / np.linalg.norm(across)),
        atol=1e-5,
    )


# The page's part

SCRIPT = """
const [folder, given] = process.argv.slice(1);
const { Figure } = await import(`${folder}/figure.js`);
const { poseMatrix, placed } = await import(`${folder}/math.js`);
const { told, poses, wrenches, rays } = JSON.parse(given);
const figure = new Figure(told, {}, { upload: () => ({}) });
const at = Float64Array.from(poses.flat());
const hits = rays.map(([from, way]) => figure.hit(at, from, way, 0.01));
const matrices = figure.matrices(at, [0, 0, 0]);
const arrows = figure.forces(wrenches, matrices, 0.6, 0.01).map((one) => Array.from(one.matrix));
const axes = figure.axes(matrices, 0.1).map((one) => Array.from(one.matrix));
const world = hits.map((hit) => hit && placed(at, hit.body, hit.point));
process.stdout.write(JSON.stringify({ hits, world, arrows, axes }));
"""


def drawn(told, poses, wrenches, rays):
    given = json.dumps({"told": told, "poses": poses, "wrenches": wrenches, "rays": rays})
    done = subprocess.run(
        [NODE, "--no-warnings", "--input-type=module", "-e", SCRIPT, PAGE.as_uri(), given],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def seen():
    """A wall of the world, a ball before it that swings, and a thread beside them."""
    model = ar.Model([
        ar.Body("wall", ar.Fixed(), None, (0, 2, 0), shapes=[ar.Box((0.5, 0.1, 2.0))]),
        ar.Body("ball", ar.Revolute("y"), shapes=[ar.Sphere(0.2, mass=1.0)]),
        ar.Body("thread", ar.Revolute("x"), None, (1, 0, 0),
                shapes=[ar.Cylinder(0.001, 1.0, mass=1.0)]),
        ar.Body("block", ar.Revolute("z"), None, (0, 1, 0),
                shapes=[ar.Box((0.2, 0.2, 0.2), mass=2.0, placement=(0, 0, 0.3))]),
    ])  # fmt: skip
    told, _ = page_data(still(model))
    poses = [[0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0, 0], [1, 0, 0, 1, 0, 0, 0],
             [0, 1, 0, 1, 0, 0, 0]]  # fmt: skip
    eye = [0, -3, 0]
    places = [(0.0, 0.0), (0.1, 0.1), (1.02, 0.2), (1.05, 0.2), (0.0, 0.225), (0.4, 0.4), (0, 3)]
    rays = [[eye, [x, 3, z]] for x, z in places]
    c = told["masses"][3]["at"]
    force, arm = np.array([3.0, 0, 4.0]), np.array([0.1, 0.2, 0.0])
    pulled = np.concatenate([np.cross(np.add(c, arm), force) + 0.5 * force, force])
    wrenches = [*np.zeros(12), *pulled]
    return drawn(told, poses, wrenches, rays), c, force, arm


def test_a_ray_meets_what_is_in_front_and_thin_things_beside_it(seen):
    hits = seen[0]["hits"]
    assert [hit and hit["body"] for hit in hits] == [1, 1, 2, None, 3, None, None]
    assert hits[0]["depth"] == pytest.approx(2.8 / 3, abs=1e-4)
    np.testing.assert_allclose(hits[0]["point"], (0, -0.2, 0), atol=1e-4)
    assert np.linalg.norm(hits[1]["point"]) == pytest.approx(0.2, rel=0.01)  # its triangles
    world = np.array([at for at in seen[0]["world"] if at])
    np.testing.assert_allclose(world[3][1], 0.9, atol=1e-6)  # the block before the wall


def test_an_arrow_is_on_the_line_of_action(seen):
    """Where that is nearest to the centre of mass, and as long as it is strong."""
    found, c, force, arm = seen
    rod, tip = (np.reshape(m, (4, 4)).T for m in found["arrows"])
    way = force / 5.0
    foot = rod[:3, 3] - 0.5 * rod[:3, 2] - (0, 1, 0)
    nearest = np.add(c, arm - way * (arm @ way))
    np.testing.assert_allclose(foot, nearest, atol=1e-6)
    end = tip[:3, 3] + tip[:3, 2] - (0, 1, 0)
    length = 0.6 * min(1.0, 5.0 / (9.81 * 4.0))
    np.testing.assert_allclose(end - foot, length * way, atol=1e-6)


def test_axes_are_where_joints_turn(seen):
    rods = np.reshape(seen[0]["axes"][::2], (-1, 4, 4))
    np.testing.assert_allclose(
        rods[:, 2, :3], 0.2 * np.array([(0, 1, 0), (1, 0, 0), (0, 0, 1)]), atol=1e-7
    )
    np.testing.assert_allclose(rods[:, 3, :3], [(0, 0, 0), (1, 0, 0), (0, 1, 0)], atol=1e-7)


def test_a_run_of_another_scene(film):
    run = replace(film[1], parameters={"thread.rest": np.array(0.5)})
    with pytest.raises(
        ar.ModelError, match=r"^this run was simulated with another scene: .*'thread"
    ):
        record(run, swing())
