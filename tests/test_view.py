"""What is shown of a trajectory: the page that plays it, and the plot."""

import math
import re
import sys

import numpy as np
import pytest

import arthron as ar
from arthron import __main__ as command
from arthron._view import recording
from arthron._view.camera import FIELD, stage
from arthron._view.looks import limbs
from arthron._view.plot import _panels
from arthron._view.recording import record
from arthron._view.solids import solids

pytest.importorskip("matplotlib", reason="no matplotlib installed")
from matplotlib.image import imread


def swinging(bodies, duration=0.5, **options):
    scene = ar.Scene(ar.Model(bodies, name="swing"))
    return ar.simulate(scene, duration, 0.005, **options)


def rod(name="rod", parent=None, **options):
    rounded = ar.Capsule(0.05, 0.8, placement=(0, 0, -0.4))
    return ar.Body(name, ar.Revolute("y"), parent, shapes=[rounded], **options)


@pytest.fixture(scope="module")
def swing():
    return swinging([rod()], q=[0.5])


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("puppet")
    assert command.play(folder) == 0
    return folder / "puppet.html"


# The page


def test_the_page_needs_nothing_else(page):
    text = page.read_text(encoding="utf-8")
    assert set(re.findall(r"https?://[\w./-]+", text)) <= {"http://www.w3.org/2000/svg"}
    assert all(link.startswith("data:") for link in re.findall(r"\s(?:src|href)=\"([^\"]*)", text))
    assert "<title>humanoid · arthron</title>" in text
    assert page.stat().st_size < 3e5


def test_frames_are_states_at_their_times(swing):
    film = record(swing)
    assert len(film.t) == 16 and film.t[0] == 0.0 and film.t[-1] == swing.t[-1]
    assert np.all(np.abs(np.diff(film.t) - 1 / 30) < 0.01)
    chosen = np.searchsorted(swing.t, film.t)
    assert np.allclose(film.poses[:, 1:], swing.model.body_poses(swing.q[chosen]))


def test_long_motions_have_fewer_frames(swing, monkeypatch):
    monkeypatch.setattr(recording, "POSES", 5)
    film = record(swing)
    assert len(film.t) == 5 and film.t[-1] == swing.t[-1]


def test_a_batch_shows_its_first(swing):
    both = swinging([rod()], q=[[0.5], [1.0]])
    assert np.allclose(record(both).poses, record(swing).poses)


def volume(part):
    a, b, c = (part.vertices[part.faces[:, k]] for k in range(3))
    return np.einsum("ij,ij->", a, np.cross(b, c)) / 6


TURNED = ar.pose((0.3, -0.2, 0.1), (0.4, 0.5, 0.6))
SHAPES = [
    ar.Sphere(0.3, placement=TURNED),
    ar.Ellipsoid((0.1, 0.2, 0.3), placement=TURNED),
    ar.Cylinder(0.1, 0.5, placement=TURNED),
    ar.Capsule(0.1, 0.5, placement=TURNED),
    ar.Box((0.1, 0.2, 0.3), placement=TURNED),
]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: type(s).__name__)
def test_solids_are_closed_and_as_large_as_their_shapes(shape):
    [found] = solids(shape)
    assert volume(found) == pytest.approx(shape.volume(), rel=0.03)  # outwards, without holes
    edges = np.sort(found.vertices[found.faces[:, [0, 1, 1, 2, 2, 0]]].reshape(-1, 6).round(9), 1)
    assert np.all(np.unique(edges, axis=0, return_counts=True)[1] % 2 == 0)
    local = (found.vertices - np.array(TURNED.r)) @ np.array(TURNED.E).T
    half = {
        "Sphere": (0.3, 0.3, 0.3), "Ellipsoid": (0.1, 0.2, 0.3), "Box": (0.05, 0.1, 0.15),
        "Cylinder": (0.1, 0.1, 0.25), "Capsule": (0.1, 0.1, 0.35),
    }[type(shape).__name__]  # fmt: skip
    assert np.allclose(np.abs(local).max(0), half, rtol=0.02)


@pytest.mark.parametrize("scale", [(1, 1, 1), (1, -2, 1)])
def test_meshes_come_from_their_files(tmp_path, scale):
    corners, sides = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n", "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
    path = tmp_path / "corner.obj"
    path.write_text(corners + sides)
    [found] = solids(ar.Mesh(str(path), scale))
    assert volume(found) == pytest.approx(abs(math.prod(scale)) / 6)


def test_a_mesh_that_cannot_be_read_becomes_a_stick():
    lost = [ar.Mesh("nosuch.stl")]
    inertia = ar.Inertia.from_com(1.0, (0, 0, -1), np.eye(3).tolist())
    run = swinging([ar.Body("rod", ar.Revolute("y"), inertia=inertia, shapes=lost)])
    with pytest.warns(UserWarning, match=r"of `swing` .* drawn: 1. .* nosuch.stl of link 'rod'"):
        film = record(run)
    low = min(part.solid.vertices[:, 2].min() for part in film.parts)
    assert {part.place for part in film.parts} == {1} and -1.1 < low < -1.0


def test_a_warning_of_lost_shapes_is_at_the_line_that_asks_for_a_page(tmp_path):
    inertia = ar.Inertia.from_com(1.0, (0, 0, -1), np.eye(3).tolist())
    lost = [ar.Body("rod", ar.Revolute("y"), inertia=inertia, shapes=[ar.Mesh("nosuch.stl")])]
    run = swinging(lost, 0.01)
    with pytest.warns(UserWarning, match="nosuch.stl") as warned:
        run.save_html(tmp_path / "a.html")
    assert warned[0].filename == __file__


def test_merged_links_and_bare_bodies_are_drawn():
    heavy = ar.Inertia.from_com(1.0, (0, 0, -0.5), np.eye(3).tolist())
    run = swinging(
        [
            ar.Body("base", ar.Fixed(), placement=(0, 0, 1), shapes=[ar.Box((0.2, 0.2, 0.2))]),
            ar.Body("bare", ar.Revolute("y"), "base", inertia=heavy),
            ar.Body("round", ar.Revolute("y"), "bare", placement=(0.6, 0, 0), inertia=heavy),
            ar.Body("tip", ar.Fixed(), "round", (0, 0, -0.7), shapes=[ar.Sphere(0.1)]),
        ]
    )
    film = record(run)
    spans = {
        i: np.concatenate([p.solid.vertices for p in film.parts if p.place == i]) for i in (0, 1, 2)
    }
    block = [(-0.1, -0.1, 0.9), (0.1, 0.1, 1.1)]
    assert np.allclose([spans[0].min(0), spans[0].max(0)], block, atol=1e-3)
    assert spans[1][:, 0].max() > 0.6 and abs(spans[1][:, 2]).max() < 0.1  # to the next joint
    assert np.allclose(spans[2].mean(0), (0, 0, -0.7), atol=1e-6)


def test_springs_and_cables_reach_from_end_to_end():
    end = rod("end", "rod", placement=(0, 0, -0.8))
    tip = ar.Body("tip", ar.Fixed(), "end", placement=(0, 0, -0.8))
    model = ar.Model([rod(), end, tip], name="swing")
    pull = ar.forces.PointToPoint((None, (1, 0, 1)), ("tip", (0, 0, 0)), 5.0)
    through = ar.forces.Cable.per_strain(
        ((None, (0, 1, 0)), ("rod", (0, 0, -0.1)), ("end", (0, 0, 0))), 1, 1
    )
    spring = ar.forces.Spring.per_strain((None, (-1, 0, 0)), ("rod", (0, 0, -0.2)), 1.0, 0.5)
    scene = ar.Scene(model, [pull, through, spring, ar.forces.BodyDamping("end", 0.1)])
    run = ar.simulate(scene, 1.0, 0.01)
    film, bare = record(run, scene), record(run)
    assert len(bare.parts) == len(film.parts) == 2 and not bare.lines
    assert [line.kind for line in film.lines] == ["cable", "cable", "cable", "spring"]
    assert [[i for i, _ in line.ends] for line in film.lines] == [[0, 2], [0, 1], [1, 2], [0, 1]]
    ends = film.line_ends()
    for k in (0, 17, 30):
        (rod_at, end_at), tip = film.poses[k, 1:], film.poses[k, 2] @ (0, 0, -0.8, 1)
        through = (rod_at @ (0, 0, -0.1, 1))[:3]
        here = [
            [(1, 0, 1), tip[:3]],
            [(0, 1, 0), through],
            [through, end_at[:3, 3]],
            [(-1, 0, 0), (rod_at @ (0, 0, -0.2, 1))[:3]],
        ]
        assert np.allclose(ends[k], here)
    sticks = [part.solid for part in film.line_solids(17)]
    for stick, (a, b) in zip(sticks, ends[17], strict=True):
        along = (stick.vertices - a) @ (b - a) / np.linalg.norm(b - a)
        assert np.allclose((along.min(), along.max()), (0, np.linalg.norm(b - a)), atol=0.02)
        assert np.allclose(stick.vertices.mean(0), (a + b) / 2)
    longest = np.linalg.norm(ends[:, 0, 1] - ends[:, 0, 0], axis=1).max()
    assert film.lines[0].radius == pytest.approx(0.005 * longest)
    corners = film.points()
    assert all(np.linalg.norm(corners - p, axis=1).min() < 1e-9 for p in ends[0].reshape(-1, 3))


@pytest.mark.parametrize("gravity", [(0, 0, -9.81), (0, -981.0, 0), (0, 0, 0), (1.0, 2.0, -3.0)])
def test_ground_and_camera_fit(gravity):
    model = ar.Model([rod()], gravity=gravity)
    run = ar.simulate(ar.Scene(model), 0.1, 0.001, q=[0.5])
    film = record(run)
    seen = stage(film)
    up, points = film.up, film.points()
    assert np.allclose(
        up, -np.array(gravity) / np.linalg.norm(gravity) if any(gravity) else (0, 0, 1)
    )
    angles = run.q[np.searchsorted(run.t, film.t), 0]
    tips = -0.85 * np.stack([np.sin(angles), 0 * angles, np.cos(angles)], 1)
    assert np.allclose([np.linalg.norm(points - tip, axis=1).min() for tip in tips], 0, atol=0.05)
    axes = seen.axes.T
    assert np.allclose(axes.T @ axes, np.eye(3)) and np.linalg.det(axes) > 0
    low = (points @ up).min()
    assert seen.spots[0] @ up == pytest.approx(min(low, 0.0))
    assert np.allclose(axes[:, 2], up)
    back = seen.eye - seen.middle
    away = np.linalg.norm(back)
    deep = away - (points - seen.middle) @ back / away
    assert np.all(deep > 0)
    across = np.linalg.norm(np.cross(points - seen.middle, back / away), axis=1)
    assert np.all(across / deep < 1.5 * math.tan(FIELD / 2))
    assert (across / deep).max() > 0.3 * math.tan(FIELD / 2)


def test_limbs_end_where_the_tree_branches():
    humanoid = ar.load(ar.figures / "humanoid.urdf", root=ar.Free())
    limb = dict(zip(humanoid.body_names, limbs(humanoid)[1:], strict=True))
    assert limb["left_upper_arm"] == limb["left_hand"] != limb["right_hand"]
    assert limb["waist_yaw"] == limb["torso"] != limb["head"]
    assert len(set(limb.values())) == 7


# The plot


def test_a_plot_is_a_picture_with_lines(swing, tmp_path):
    path = swing.plot(tmp_path / "swing.png")
    assert path == tmp_path / "swing.png"
    picture = imread(path)[..., :3]
    assert min(picture.shape[:2]) > 300 and (np.ptp(picture, axis=-1) > 0.2).mean() > 0.002


def test_a_plot_without_a_path_is_a_figure():
    from matplotlib import pyplot

    both = swinging([rod()], q=[[0.5], [1.0]])
    figure = both.plot()
    energy, angle = figure.axes
    assert "the first of 2" in figure.get_suptitle()
    assert [line.get_label() for line in energy.lines] == ["kinetic", "potential", "total"]
    assert np.array_equal(energy.lines[2].get_ydata(), both.energy[0])
    assert np.array_equal(angle.lines[0].get_ydata(), both.q[0, :, 0])
    pyplot.close(figure)


def test_every_coordinate_is_plotted_once_by_limb():
    humanoid = ar.load(ar.figures / "humanoid.urdf", root=ar.Free())
    panels = list(_panels(humanoid, humanoid.nq))
    assert sorted(column for panel in panels for _, column in panel) == list(range(34))
    assert len(panels) == 7 and max(map(len, panels)) == 7
    assert [name for name, _ in panels[1]] == ["waist_yaw", "waist_pitch", "waist_roll"]


def test_many_lines_are_named_at_their_ends_only():
    run = swinging([rod(f"r{k}", f"r{k - 1}" if k else None) for k in range(10)], 0.05)
    names = [t.get_text() for t in run.plot().axes[1].get_legend().get_texts()]
    assert names == ["r0", "r9"]


# What is said when it cannot be


def test_a_trajectory_without_a_model(swing, tmp_path):
    swing.save(tmp_path / "swing.traj")
    bare = ar.load_trajectory(tmp_path / "swing.traj")
    with pytest.raises(ar.ModelError, match=r"`ar.load_trajectory\(path, model\)` reads it"):
        bare.save_html(tmp_path / "swing.html")
    assert bare.plot(tmp_path / "bare.png").exists()
    known = ar.load_trajectory(tmp_path / "swing.traj", swing.model)
    assert known.save_html(tmp_path / "swing.html").exists()


def test_what_is_missing_is_named(swing, tmp_path, monkeypatch):
    for package in ("matplotlib", "trimesh"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ar.ArthronError, match=r'needs matplotlib: `pip install "arthron\[view\]"`'):
        swing.plot(tmp_path / "file")
    assert swing.save_html(tmp_path / "file").exists()  # shapes need nothing else
    mesh = ar.Body("a", ar.Revolute("y"), inertia=ar.Inertia.from_com(1, (0, 0, 1), (1, 1, 1)),
                   shapes=[ar.Mesh("a.dae", mass=0.0)])  # fmt: skip
    with pytest.warns(UserWarning, match=r'needs trimesh: `pip install "arthron\[view\]"`'):
        record(swinging([mesh], 0.01))


def test_places_that_cannot_be_written(swing, tmp_path):
    with pytest.raises(ar.FileError, match="page cannot be written: No such file"):
        swing.save_html(tmp_path / "nosuch" / "swing.html")
    with pytest.raises(ar.FileError, match="plot cannot be written"):
        swing.plot(tmp_path / "nosuch" / "swing.png")
    with pytest.raises(ar.FileError, match="not supported"):
        swing.plot(tmp_path / "swing.nosuch")


def test_nothing_is_printed(swing, tmp_path, capfd):
    swing.save_html(tmp_path / "swing.html")
    assert capfd.readouterr() == ("", "")
