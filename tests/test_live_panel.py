"""What the panel of a live page moves, draws and records: told by Python, done in Node."""

import json
import subprocess
from dataclasses import dataclass
from math import pi

import numpy as np
import pytest
from live_pages import NODE, PAGE, told
from scipy.spatial.transform import Rotation

import arthron as ar
from arthron._view.live import Live
from arthron._view.page import _packed
from arthron._view.sliders import joint_sliders, number_sliders, slider_setup, units
from arthron.spatial import Force, Vec3


@dataclass(frozen=True)
class Slow(ar.controllers.Controller):
    """A torque that a state of its own decides."""

    gain: float = 5.0
    variables = {"sum": ar.Variable(0.3)}  # noqa: RUF012

    def forces(self, here):
        return [ar.parameter("push", 0.0), *([0.0] * (here.tree.nv - 1))]

    def rates(self, here):
        return {"sum": -self.gain * here.q[1][0]}


@dataclass(frozen=True)
class Wind(ar.Element):
    """A force with a direction."""

    links: tuple[str, ...] = ("a",)
    way: tuple[float, float, float] = (1.0, 2.0, 3.0)
    strength: float = 2.0

    def forces(self, here):
        return (here.frames[0].wrench((0, 0, 0), Vec3(*self.way) * self.strength),)


def body(name, joint, parent=None, **more):
    at = (0, 0.1, -0.5) if parent else (0, 0, 0)
    return ar.Body(name, joint, parent, at, shapes=[ar.Box((0.1, 0.2, 0.3), mass=1.0)], **more)


@pytest.fixture(scope="module")
def scene():
    bodies = [
        body("rod", ar.Revolute("y")), body("box", ar.Prismatic("z"), "rod", lower=-0.1, upper=0.3),
        body("ball", ar.Spherical(), "box"), body("tail", ar.Revolute("x"), "rod"),
        body("kite", ar.Free()),
    ]  # fmt: skip
    return ar.Scene(ar.Model(bodies, name="all \u2028 <kinds>"), [
        ar.forces.Spring((None, (0, 1, 1)), ("ball", (0, 0, -0.2)), 30.0, 0.0),
        ar.forces.JointSpring("box", 50.0, 0.5), ar.forces.JointSpring("ball", (1.0, 2.0, 3.0)),
        ar.Prescribed("tail", position=lambda t: 0.5 * ar.sin(6.0 * t)),
        Slow(name="slow"),
    ])  # fmt: skip


SPANS = [
    [5, 0.01, 4],
    [5, 0.01, 4, 3, 2, 1, 0.5],
    [5, 0.01, 4, 3, 2, 1, 1.2],
    [5, 0.01, 0, 3, 2, 1, 4],
]
VECTORS = [[0, 0, 0], [1e-12, 0, 0], [0.1, -0.2, 0.3], [pi - 1e-9, 0, 0], [-1.0, 2.0, 2.0]]

TABLE = {
    "a": {"type": "u2", "start": 0, "length": 3, "delta": 3},
    "b": {"type": "f8", "start": 8, "length": 2},
}
ARRAYS = np.array([5, 1, 65535, 0], "<u2").tobytes() + np.array([0.1, -3.0]).tobytes()


@pytest.fixture(scope="module")
def live(scene):
    q = scene.model.neutral()
    q[scene.model.slice_q("ball")] = Rotation.from_rotvec((0.3, -1.0, 0.5)).as_quat()[[3, 0, 1, 2]]
    return Live.of(scene, q, 0.5 + np.zeros(scene.model.nv), step=0.001)


@pytest.fixture(scope="module")
def done(live, tmp_path_factory):
    folder = tmp_path_factory.mktemp("panel")
    given = {"scene": told(live, []), "vectors": VECTORS, "spans": SPANS}
    given["pages"] = [_packed({"arrays": TABLE, "name": "x" * k}, ARRAYS) for k in range(9)]
    (folder / "given.json").write_text(json.dumps(given))
    script = PAGE.parents[2] / "tests" / "live_panel_in_node.mjs"
    places = [folder / "given.json", folder / "made.traj"]
    answer = subprocess.run(
        [NODE, "--no-warnings", script, PAGE.as_uri(), *places],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout) | {"path": places[1]}


def test_what_a_page_is_told_is_unpacked_whatever_its_length(done):
    assert len(done["pages"]) == 9
    for k, (data, arrays) in enumerate(done["pages"]):
        assert data == {"arrays": TABLE, "name": "x" * k}
        assert arrays == {"a": [5, 6, 5], "b": [0.1, -3.0]}


# What sliders there are


def test_numbers_of_a_kind_have_one_slider(scene):
    sliders = {x.label: x.names for x in number_sliders(scene.setup())}
    spring = "Spring(world, ball)"
    assert sliders == {
        "push": ("push",),
        "Spring · stiffness [N/m]": (f"{spring}.stiffness",),
        "Spring · rest [m]": (f"{spring}.rest",),  # which the start decides
        "JointSpring · stiffness": ("JointSpring(box).stiffness", "JointSpring(ball).stiffness"),
        "JointSpring · damping [N s/m]": ("JointSpring(box).damping",),
        "slow · gain": ("slow.gain",),
    }  # no places, and no dampers without damping
    setup = slider_setup(scene)
    for slider in number_sliders(setup):
        each = [setup.parameters.each[name].value.ravel() for name in slider.names]
        values = setup.parameters.pack({})[slider.places(setup)]
        np.testing.assert_array_equal(values, np.concatenate(each))


def test_what_is_below_zero_somewhere_or_a_place_has_no_slider():
    model = ar.Model([body("a", ar.Revolute("x"), damping=1.0), body("b", ar.Revolute("y"), "a")])
    limits = [ar.forces.JointLimit(name, 10.0, 0.0, -1.0, 1.0) for name in "ab"]
    springs = [ar.forces.JointSpring(n, 1.0, x, rest=0.5) for n, x in (("a", 0.5), ("b", -0.5))]

    def wind(frames, t):
        return Force(lin=Vec3(*ar.parameter("wind", (1.0, 0.0, -2.0))))

    more = [
        ar.forces.PointForce("a", (1.0, 2.0, 3.0)),
        ar.forces.LinkLoad(("b",), wind),
        Wind(),
        ar.forces.JointSpring("a", 3.0, name="knee"),
    ]
    labels = [x.label for x in number_sliders(ar.Scene(model, [*limits, *springs, *more]).setup())]
    assert labels == [
        "wind[0]", "wind[1]", "wind[2]", "joint damping", "JointLimit · stiffness [N m/rad]",
        "JointSpring · stiffness [N m/rad]", "Wind · strength", "knee · stiffness [N m/rad]",
    ]  # fmt: skip


def test_coordinates_have_sliders_by_kind_and_limits(scene):
    found = {x["name"]: x for x in joint_sliders(scene.setup())}
    turns = [f"ball turn {k}" for k in "xyz"]
    kite = [f"kite {k}" for k in ("x", "y", "z", "turn x", "turn y", "turn z")]
    assert list(found) == ["rod", "box", *turns, "tail", *kite]
    assert found["rod"]["unit"] == "rad" and found["rod"]["low"] is None
    assert (found["box"]["unit"], found["box"]["low"], found["box"]["high"]) == ("m", -0.1, 0.3)
    assert [name for name, x in found.items() if x["fixed"]] == ["tail"]
    assert found["kite z"]["v"] == [9, 12] and found["kite turn z"]["v"] == [6, 9]
    assert [found[name]["turn"] for name in turns] == [0, 1, 2]


@pytest.mark.parametrize(
    "joint, expected",
    [
        (ar.Planar("y"), ["m", "m", "rad"]), (ar.Universal("x", "y"), ["rad"] * 2),
        (ar.Helical("z", 0.1), ["rad"]), (ar.Spherical("exponential"), ["rad"] * 3),
        (ar.Translational(), ["m"] * 3),
    ],
)  # fmt: skip
def test_units_of_coordinates(joint, expected):
    assert units(joint) == expected


def test_charts_have_no_slider():
    scene = ar.Scene(ar.Model([body("a", ar.Euler("xyz", charts=True))]))
    assert joint_sliders(scene.setup()) == []


# What they do


def test_a_coordinate_is_put_where_it_is_wanted_at_rest(live, done):
    q, qd = (live.states[name] for name in ("q", "qd"))
    for told_of, found in zip(live.data()["coordinates"], done["moved"], strict=True):
        assert found["x"] == pytest.approx(0.3, abs=1e-15)
        first, stop = told_of["v"]
        assert not np.any(found["state"]["qd"][first:stop])
        kept = np.delete(np.arange(len(qd)), range(first, stop))
        assert np.array_equal(np.array(found["state"]["qd"])[kept], qd[kept])
        width = 1 if told_of["turn"] is None else 4
        own = range(told_of["q"], told_of["q"] + width)
        others = np.delete(np.arange(len(q)), own)
        assert np.array_equal(np.array(found["state"]["q"])[others], q[others])
        if width == 4:
            before, after = (
                Rotation.from_quat(np.array(x)[[*own]], scalar_first=True).as_rotvec()
                for x in (q, found["state"]["q"])
            )
            before[told_of["turn"]] = 0.3
            np.testing.assert_allclose(after, before, atol=1e-14)
    rod, box, *_ = done["moved"]
    np.testing.assert_allclose(rod["reach"], (-pi, pi))
    assert box["reach"] == [-0.1, 0.3] and done["moved"][6]["reach"] == [-1.5, 2.5]
    assert done["turns"] == pytest.approx(0.3 + 32 * pi)  # of a hinge that went round, no turn less


def test_rotation_vectors(done):
    for v, (q, back, other) in zip(VECTORS, done["turned"], strict=True):
        np.testing.assert_allclose(
            q, Rotation.from_rotvec(v).as_quat(scalar_first=True), atol=1e-15
        )
        np.testing.assert_allclose(back, Rotation.from_rotvec(v).as_rotvec(), atol=1e-12)
        np.testing.assert_allclose(other, back, atol=1e-12)
    small, large = ["29°", "0°", "3.10 cm", "\u22121.23 m", "2.00"], ["\u2212557 cm", "7.1e7°"]
    assert done["words"] == small + large


# What is recorded


def test_a_recording_is_a_trajectory(scene, live, done, tmp_path):
    run = ar.load_trajectory(done["path"], scene.model)
    states = done["states"]
    np.testing.assert_allclose(run.t, [x["t"] for x in states], rtol=1e-15)
    assert len(run) == 19 and done["seconds"] == pytest.approx(0.09)
    columns = {"q": run.q, "qd": run.qd, "slow_sum": run.states["slow.sum"][:, None]}
    for name, found in columns.items():
        expected = np.array([x["state"][name] for x in states])
        np.testing.assert_allclose(found, expected, rtol=1e-15)
    np.testing.assert_allclose(run.kinetic, scene.model.kinetic_energy(run.q, run.qd), rtol=1e-12)
    assert run.about["integrator"] == "leapfrog, implicit Euler"
    assert (run.about["step"], run.about["keep_every"]) == (0.001, 5)
    assert np.array_equal(run.parameters["gravity"], (0.5, 0, -3))
    rest = "Spring(world, ball).rest"
    assert set(run.parameters) == {"gravity", rest} and run.parameters[rest] > 0.5
    assert np.abs(run["tail"].q - 0.5 * np.sin(6.0 * run.t)[:, None]).max() < 1e-3
    assert np.abs(run.forces[1:]).max() > 1e-3  # of what is prescribed
    assert run.save_html(tmp_path / "run.html").exists() and run.plot(tmp_path / "run.png").exists()
    run.save(tmp_path / "again.traj")
    assert np.array_equal(ar.load_trajectory(tmp_path / "again.traj", scene.model).q, run.q)


def test_a_recording_tells_when_numbers_changed(done):
    before, changed, after, seconds = done["about"]
    assert "changed" not in before and changed["changed"] == {"gravity": pytest.approx(0.14)}
    assert "changed" not in after and seconds < 0.015


def test_a_recording_knows_its_figure_and_when_it_is_damaged(done, tmp_path):
    other = ar.Model([body("rod", ar.Revolute("y"))])
    with pytest.raises(ar.FileError, match="is another figure: it has 1 coordinates"):
        ar.load_trajectory(done["path"], other)
    content = bytearray(done["path"].read_bytes())
    content[-5] ^= 1
    (tmp_path / "bad.traj").write_bytes(content)
    with pytest.raises(ar.FileError, match="is damaged"):
        ar.load_trajectory(tmp_path / "bad.traj")


# What is drawn


def test_curves_that_move_most_have_colours_and_keep_them(done):
    few, first, second, third = done["slots"]
    assert few == [0, 2, -1, -1, -1]
    assert sorted(first) == [0, 2, 3, 4, 5]  # not what hardly moves
    assert second == first  # a little more is no reason
    assert sorted(third) == [0, 3, 4, 5, 6]
    assert all(k == j or k == 2 for k, j in zip(first, third, strict=True))


def test_ticks_are_round_and_few(done):
    few, many, times = done["ticks"]
    np.testing.assert_allclose(few, (0, 0.5, 1))
    np.testing.assert_allclose(many, (98, 100, 102, 104))
    np.testing.assert_allclose(times, (2, 4, 6, 8, 10, 12))


def test_frames_that_are_drawn_stay_the_same_as_time_goes_on(done):
    one, two = map(np.array, done["lately"])
    assert one[-1] == 25.0 and one[0] <= 15.0 <= one[2] and len(one) < 170
    shared = one[(one > 15.2) & (one < 24.9)]
    assert np.isin(shared, two).all() and np.diff(one).max() < 0.1


def test_there_are_graphs_of_what_there_is(scene, live, done):
    graphs = {x["title"]: x for x in done["graphs"]}
    assert list(graphs) == [
        "energy [J]", "angles [°]", "positions [m]", "torques [N m]", "forces [N]",
    ]  # fmt: skip
    kinetic, potential, total = graphs["energy [J]"]["values"]
    assert kinetic == pytest.approx(
        scene.model.kinetic_energy(live.states["q"], live.states["qd"])
    ) and total == pytest.approx(kinetic + potential)
    turns = dict(zip(graphs["angles [°]"]["names"], graphs["angles [°]"]["values"], strict=True))
    assert turns["ball turn y"] == pytest.approx(np.degrees(-1.0))
    assert graphs["forces [N]"]["names"] == ["box", "kite x", "kite y", "kite z"]
    box = graphs["forces [N]"]["values"][0]
    assert box == pytest.approx(-0.5 * 0.5, abs=1e-9)  # its damper; the springs are at rest
