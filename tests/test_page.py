"""The page that plays a motion: what it holds, what it may load, and that names in it are text."""

import base64
import hashlib
import html
import json
import re
import webbrowser
import zlib
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import arthron as ar
from arthron._view import page_data as data_of_page
from arthron._view.decimate import decimated
from arthron._view.page import SCRIPTS, page, script_text
from arthron._view.page_data import page_data, quaternions
from arthron._view.recording import record, still
from arthron._view.solids import Solid

FOLDER = Path(ar.__file__).parent / "_view" / "page"
LIVE = {
    "coordinates", "grab", "hand", "live", "physics", "plots", "recorder", "sliders", "wasm",
}  # fmt: skip
"""Scripts that simulate, and show and change that; the others draw and play."""
NAME = "</script><script>alert('關節 \"{{data}}\" &amp; \udc80')</script>"


def pendulum(name="pendulum", **options):
    rounded = ar.Capsule(0.05, 0.8, placement=(0, 0, -0.4))
    upper = ar.Body(name, ar.Revolute("y"), shapes=[rounded])
    slide = ar.Body(
        "slide", ar.Prismatic("z"), name, (0, 0, -0.8), shapes=[ar.Box((0.1, 0.2, 0.1))]
    )
    ball = ar.Body("ball", ar.Spherical(), "slide", (0, 0, -0.2), shapes=[ar.Sphere(0.1)])
    return ar.Model([upper, slide, ball], name=name, **options)


class Seen(HTMLParser):
    """Texts of elements, and their attributes, as a browser finds them."""

    def __init__(self, text):
        super().__init__()
        self.found, self.open = [], None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes), []))
        self.open = self.found[-1][2]

    def handle_endtag(self, tag):
        self.open = None

    def handle_data(self, data):
        if self.open is not None:
            self.open.append(data)

    def of(self, tag, **wanted):
        return ["".join(text) for name, attributes, text in self.found
                if name == tag and wanted.items() <= attributes.items()]  # fmt: skip


def unpacked(text):
    """JSON and arrays of a page, as its script reads them."""
    [packed] = Seen(text).of("script", id="data")
    letters = str.maketrans(",.:[", "<>&(")
    raw = zlib.decompress(base64.b85decode(packed[1:].translate(letters)), -15)
    first = 8 + int.from_bytes(raw[:8], "little")
    told, arrays = json.loads(raw[8:first]), {}
    for name, entry in told["arrays"].items():
        array = np.frombuffer(raw, f"<{entry['type']}", entry["length"], first + entry["start"])
        if "delta" in entry:
            rows = array.reshape(-1, entry["delta"])
            array = np.cumsum(rows, 1, dtype=array.dtype).ravel()
        arrays[name] = array
    return told, arrays


@pytest.fixture(scope="module")
def run():
    return ar.simulate(ar.Scene(pendulum()), 0.5, 0.005, start={"pendulum": 0.5})


@pytest.fixture(scope="module")
def text(run):
    return page(record(run))


def test_a_policy_lets_nothing_in_but_its_own_script_and_style(text):
    seen = Seen(text)
    [(_, meta, _)] = [f for f in seen.found if f[1].get("http-equiv") == "Content-Security-Policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in meta["content"].split(";"))
    assert rules["default-src"] == "'none'" and "wasm-unsafe-eval" in rules["script-src"]
    for tag, rule in (("style", "style-src"), ("script", "script-src")):
        [own] = seen.of(tag, **({"type": "module"} if tag == "script" else {}))
        digest = base64.b64encode(hashlib.sha256(own.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in rules[rule] and "unsafe-inline" not in rules[rule]
    assert all(
        "style" not in a and not any(k.startswith("on") for k in a) for _, a, _ in seen.found
    )
    links = [a[k] for _, a, _ in seen.found for k in ("src", "href") if k in a]
    assert links == ["data:,"] and not re.search(r"https?://|url\(|@import|\bfetch\(", text)


def test_names_are_text():
    model = pendulum(NAME)
    made = page(still(model))
    plain = page(still(pendulum()))
    assert made.count("<script") == plain.count("<script") and made.count("<!--") == 0
    seen = Seen(made)
    assert seen.of("h1") == [NAME] and seen.of("title") == [f"{NAME} · arthron"]
    assert unpacked(made)[0]["bodies"] == ["", NAME, "slide", "ball"]
    made.encode("utf-8", "xmlcharrefreplace")  # half of a character, too


def test_the_film_is_the_motion(run, text):
    film = record(run)
    told, arrays = unpacked(text)
    n, nb = len(film.t), run.model.nb
    assert np.array_equal(arrays["times"], film.t) and told["bodies"][1:] == [
        "pendulum",
        "slide",
        "ball",
    ]
    assert np.array_equal(arrays["energy"].reshape(n, 2), film.energy)
    assert np.allclose(film.energy.sum(1), run.energy[np.searchsorted(run.t, film.t)])
    at = arrays["positions"].reshape(nb, 3, n).transpose(2, 0, 1)
    assert np.allclose(at, film.poses[:, 1:, :3, 3], atol=1e-6)
    turns = arrays["turns"].reshape(nb, 4, n).transpose(2, 0, 1) / 32767
    assert np.allclose(rotations(turns), film.poses[:, 1:, :3, :3], atol=2e-4)


def rotations(q):
    w, x, y, z = np.moveaxis(q / np.linalg.norm(q, axis=-1, keepdims=True), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def test_quaternions_of_any_rotation_without_jumps():
    q = np.random.default_rng(0).normal(size=(50, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    q = np.concatenate([np.eye(4), q])  # half turns, too
    found = quaternions(rotations(q))
    assert np.allclose(rotations(found), rotations(q), atol=1e-12)
    angle = np.linspace(0, 4 * np.pi, 200)
    turning = quaternions(
        rotations(np.stack([np.cos(angle), 0 * angle, np.sin(angle), 0 * angle], 1))
    )
    assert np.abs(np.diff(turning, axis=0)).max() < 0.1


def test_shapes_go_by_their_sizes_and_joints_by_their_axes(text):
    told, _ = unpacked(text)
    capsule, box, ball = told["parts"]
    assert (capsule["kind"], capsule["sizes"]) == ("capsule", [0.05, 0.8])
    assert capsule["body"] == 1 and capsule["pose"] == [0, 0, -0.4, 1, 0, 0, 0]
    assert (box["kind"], box["sizes"], ball["kind"]) == ("box", [0.1, 0.2, 0.1], "sphere")
    assert [j["name"] for j in told["joints"]] == ["pendulum", "slide", "ball"]
    turn, slide, round_ = told["joints"]
    assert turn["axes"] == [[0, 1, 0]] and turn["slides"] == [False]
    assert slide["axes"] == [[0, 0, 1]] and slide["slides"] == [True] and len(round_["axes"]) == 3
    assert sum(m["mass"] for m in told["masses"]) == pytest.approx(pendulum().mass)
    assert len(told["masses"]) == len(told["bodies"])
    [(body, tip)] = told["tips"]  # of a ball about its joint there is none farther out
    assert body == 3 and np.linalg.norm(tip) <= 0.1


def test_the_centre_of_mass_is_that_of_the_model(run, text):
    told, _ = unpacked(text)
    poses = record(run).poses[7]
    sums = [m["mass"] * (poses[i] @ (*m["at"], 1))[:3] for i, m in enumerate(told["masses"])]
    q = run.q[np.searchsorted(run.t, record(run).t[7])]
    assert np.allclose(sum(sums) / run.model.mass, run.model.center_of_mass(q), atol=1e-6)


def grid(n, bend):
    """A square of triangles, bent upwards."""
    x, y = np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, n))
    points = np.stack([x.ravel(), y.ravel(), bend * x.ravel() ** 2], 1)
    a = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    faces = np.concatenate([np.stack([a, a + 1, a + n + 1], 1), np.stack([a, a + n + 1, a + n], 1)])
    return Solid(points, faces)


def test_meshes_of_too_many_triangles_have_fewer(tmp_path, monkeypatch):
    fine = [grid(60, 0.3), grid(40, 0.0)]
    coarse = decimated(fine, 900)
    assert 450 < sum(len(mesh.faces) for mesh in coarse) <= 900
    for mesh, original in zip(coarse, fine, strict=True):
        assert np.allclose(mesh.vertices.max(0), original.vertices.max(0), atol=0.05)
        x, _, z = mesh.vertices.T
        assert np.allclose(z, original.vertices[:, 2].max() * x**2, atol=0.01)  # on the surface
    above, below = grid(40, 0.0), grid(40, 0.0)
    both = np.concatenate([above.vertices, below.vertices - (0, 0, 1e-3)])
    shell = Solid(both, np.concatenate([above.faces, below.faces[:, ::-1] + len(above.vertices)]))
    [thin] = decimated([shell], 600)
    assert set(thin.vertices[:, 2].round(6)) == {0.0, -1e-3}  # inside and outside stay apart
    monkeypatch.setattr(data_of_page, "TRIANGLES", 2)
    corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
    (tmp_path / "a.obj").write_text(corners + "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
    mesh = ar.Mesh(tmp_path / "a.obj", color=(1, 0, 0))
    film = still(ar.Model([ar.Body("a", ar.Revolute("y"), shapes=[mesh, ar.Sphere(0.1)])]))
    with pytest.warns(UserWarning, match="4 triangles, and pages hold 2: they are drawn with"):
        page_data(film)
    scene = ar.Scene(film.model)
    for shown in (ar.simulate(scene, 0.02, 0.01), scene, film.model):
        with pytest.warns(UserWarning, match="4 triangles") as warned:
            shown.save_html(tmp_path / "a.html")
        assert warned[0].filename == __file__  # the line that asked for the page


def test_meshes_are_whole_numbers_in_a_box(tmp_path):
    corners = "v 0 0 0\nv 2 0 0\nv 0 3 0\nv 0 0 -1\n"
    (tmp_path / "a.obj").write_text(corners + "f 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n")
    film = still(ar.Model([ar.Body("a", ar.Revolute("y"), shapes=[ar.Mesh(tmp_path / "a.obj")])]))
    told, arrays = unpacked(page(film))
    [part] = told["parts"]
    mesh = part["mesh"]
    points = arrays[mesh["points"]].reshape(-1, 3) / 65535 * mesh["span"] + mesh["low"]
    faces = arrays[mesh["faces"]].reshape(-1, 3)
    solid = film.parts[0].solid
    assert np.allclose(points[faces], solid.vertices[solid.faces], atol=1e-4)


def test_scripts_are_one_file_of_unique_names_and_small():
    texts = [(FOLDER / f"{name}.js").read_text() for name in SCRIPTS]
    assert {p.stem for p in FOLDER.glob("*.js")} == {*SCRIPTS, "wasm"}  # that runs what is exported
    drawing = [text for name, text in zip(SCRIPTS, texts, strict=True) if name not in LIVE]
    assert sum(map(len, drawing)) < 100_000 and max(text.count("\n") for text in texts) < 400
    assert len(script_text()) < 100_000  # with all of the live part
    names = re.findall(
        r"^(?:export )?(?:async )?(?:const|let|function|class) (\w+)", "\n".join(texts), re.M
    )
    assert len(names) == len(set(names)) > 50
    whole = script_text()
    assert not re.search(r"^(import|export)\b", whole, re.M) and "</script" not in whole
    for k, text in enumerate(texts):
        assert set(re.findall(r"^import [^;]*'\./(\w+)\.js'", text, re.M)) <= set(SCRIPTS[:k])


def test_a_humanoid_for_six_seconds_is_small():
    model = ar.load(ar.figures / "humanoid.urdf", root=ar.Free())
    t, rng = np.linspace(0, 6, 181), np.random.default_rng(0)
    q = np.repeat(model.neutral()[None], len(t), 0)
    q[:, 7:] += np.sin(t[:, None] * rng.uniform(0.5, 3, model.nq - 7))
    zeros = {k: np.zeros((len(t), model.nv)) for k in ("qd", "forces")}
    energy = {k: np.zeros(len(t)) for k in ("kinetic", "potential", "residual")}
    film = record(ar.Trajectory(t, q, **zeros, **energy, model=model))
    assert len(film.t) == 181 and len(page(film)) < 300_000


# Doors


def test_show_opens_a_page_or_says_where_it_is(run, monkeypatch, capsys):
    opened = []
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(webbrowser, "open", lambda url: opened.append(url) or True)
    path = run.show()
    assert opened == [path.as_uri()] and "<title>pendulum" in path.read_text()
    assert capsys.readouterr().out == ""
    monkeypatch.setattr(webbrowser, "open", lambda url: False)
    spring = ar.forces.Spring((None, (1, 0, 0)), ("ball", (0, 0, 0)), 1.0)
    for shown in (run.model, ar.Scene(run.model, [spring])):
        path = shown.show(run.q[0])
        assert f"{path}\nNo browser was found; open the file yourself." in capsys.readouterr().out
        told, arrays = unpacked(path.read_text())
        alone = shown is run.model
        assert len(arrays["times"]) == 1 and len(told["lines"]) == (not alone)
        assert told["physics"]["paused"] == alone and told["physics"]["start"]["q"] == [*run.q[0]]
        path.unlink()
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr(webbrowser, "open", lambda url: pytest.fail("a browser in a terminal"))
    run.model.show().unlink()
    with pytest.raises(ar.ShapeError, match=r"`q` has shape \(2,\) but `pendulum` needs \(..., 6"):
        run.model.show([0.0, 1.0])


def test_notebooks_get_a_frame_that_reaches_nothing(run):
    shown = run._repr_html_()
    [(_, frame, _)] = Seen(shown).found
    assert frame["sandbox"] == "allow-scripts allow-downloads" and frame["title"] == "pendulum"
    assert frame["srcdoc"] == page(record(run)) and html.escape(frame["srcdoc"]) in shown
    bare = ar.Trajectory(**{**run.__dict__, "model": None})
    assert bare._repr_html_() is None
