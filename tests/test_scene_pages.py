"""Live pages: scenes and figures with whatever is in them become pages, or meet a sentence."""

import base64
import json
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from test_page import FOLDER, Seen, pendulum, unpacked

import arthron as ar
from arthron._view.live import Live
from arthron._view.page import page, script_text
from arthron._view.show import scene_view
from arthron._view.stripped import stripped
from arthron.spatial import Vec3, rotation

sys.path.append(str(Path(__file__).parent / "compile"))
from wasm_cases import NODE, Cases


@dataclass(frozen=True)
class Midpoint(ar.integrators.Integrator):
    """A step at the velocity and the acceleration half way."""

    def step(self, system, state, h):
        def pushed(a, time):
            pairs = zip(system.tree.vector(state.qd), system.tree.vector(a), strict=True)
            return system.tree.rates([v + time * x for v, x in pairs])

        a, _ = system.acceleration(state)
        half = ar.integrators.advanced(system, state, state.qd, pushed(a, h / 2), h / 2)
        a, forces = system.acceleration(half)
        end = ar.integrators.advanced(system, state, half.qd, pushed(a, h), h)
        return replace(end, forces=forces)


@dataclass(frozen=True)
class Wind(ar.Element):
    """Blows at a joint, more and more."""

    strength: float
    joints = ("swing",)
    variables = {"gust": ar.Variable(0.1)}  # noqa: RUF012

    def forces(self, here):
        return [self.strength * here.states["gust"]]

    def rates(self, here):
        return {"gust": 1.0 - here.states["gust"]}


def bent(q):
    """A joint that turns and slides at once."""
    return rotation(Vec3(0.6, 0.8, 0.0), q[0]), Vec3(0.1 * ar.sin(q[0]), 0.0, -0.05 * q[0])


@pytest.fixture(scope="module")
def own():
    """A scene in which nearly everything is somebody's own."""
    rod = ar.Box((0.1, 0.2, 0.6), placement=(0.1, 0.05, -0.3))
    finger = {"shapes": [ar.Box((0.05, 0.05, 0.2), placement=(0, 0, -0.1))]}
    model = ar.Model(
        [
            ar.Body("swing", ar.Revolute("y"), shapes=[rod]),
            ar.Body("bent", ar.Custom(bent), "swing", (0, 0, -0.6), shapes=[rod]),
            ar.Body("left", ar.Revolute("x"), "bent", (0, 0.1, -0.6), **finger),
            ar.Body("right", ar.Revolute("x"), "bent", (0, -0.1, -0.6), **finger,
                    mimic=ar.Mimic("left", -1.0)),
            ar.Body("crank", ar.Revolute("z"), shapes=[rod]),
        ],
        mimic=True, name="own",
    )  # fmt: skip
    return ar.Scene(
        model,
        [Wind(2.0, name="wind"), ar.Prescribed("crank", position=lambda t: 0.4 + ar.sin(2.0 * t))],
        lambda tree, t, q, qd: [-ar.parameter("gain", 3.0) * q[1][0], *([0.0] * (tree.nv - 1))],
    )


def test_what_is_somebodys_own_is_in_the_page(own, tmp_path):
    live = Live.of(own, step=0.005, integrator=Midpoint())
    assert list(live.steps) == ["Midpoint()", "leapfrog"] and live.states["q"][-1] == 0.4
    assert {"gain", "wind.strength", "gravity"} <= set(live.layout)
    cases = Cases(tmp_path)
    given = {**live.states, "tau": np.zeros(own.model.nv), "steps": 0.0, "h": live.step}
    given |= {"parameters": live.values}
    for name, module in live.steps.items():
        rows = {n: np.reshape(given[n], (1, *shape)) for n, shape in module.inputs.items()}
        cases.add(name, module, rows, steps=100)
    for name, found in cases.results().items():
        how = Midpoint() if name == "Midpoint()" else name
        run = ar.simulate(own, 0.5, 0.005, integrator=how)
        assert np.allclose(found["q"], run.q[-1], rtol=0, atol=1e-12)
        assert np.allclose(found["wind_gust"], run.states["wind.gust"][-1], rtol=0, atol=1e-12)
    recording, live = scene_view(own, step=0.005)
    told, arrays = unpacked(page(recording, live))
    assert recording.caption == "Simulated as you watch: drag any body."
    assert bytes(arrays["wasm view"]) == live.view.wasm and told["physics"]["integrators"] == [
        "leapfrog", "implicit Euler"
    ]  # fmt: skip
    assert np.allclose(recording.poses[0, 1:], own.model.body_poses(live.states["q"]))


def test_pages_of_scenes_and_figures(tmp_path, monkeypatch):
    model = pendulum()
    scene = ar.Scene(model)
    q = model.neutral()
    q[0] = 0.5
    path = scene.save_html(tmp_path / "scene.html", q, np.ones(model.nv), step=0.01)
    told, _ = unpacked(path.read_text())
    physics = told["physics"]
    assert (physics["step"], physics["paused"]) == (0.01, False)
    assert physics["start"]["q"] == [*q] and physics["start"]["qd"] == [1.0] * model.nv
    joint = model.joint_names[0]
    named = scene.save_html(path, start={joint: 0.5, "qd": {joint: 2.0}})
    at = unpacked(named.read_text())[0]["physics"]["start"]
    assert at["q"] == [*q] and at["qd"] == [2.0, *np.zeros(model.nv - 1)]
    told, _ = unpacked(model.save_html(tmp_path / "model.html", q).read_text())
    assert told["physics"]["paused"] and told["physics"]["start"]["q"] == [*q]
    for shown in (scene._repr_html_(), model._repr_html_()):
        [(_, frame, _)] = Seen(shown).found
        assert unpacked(frame["srcdoc"])[0]["physics"]["modules"]
    stone = ar.Model([ar.Body("stone", ar.Fixed(), shapes=[ar.Sphere(0.1)])])
    nothing = ar.Model([ar.Body("nothing", ar.Fixed())])
    assert nothing._repr_html_() is None and ar.Scene(nothing)._repr_html_() is None
    for still in (stone, ar.Scene(stone)):
        told, _ = unpacked(still.save_html(tmp_path / "stone.html").read_text())
        assert "physics" not in told and len(told["parts"]) == 1


@pytest.mark.parametrize(
    "given, options, error, said",
    [
        (([0.0],), {}, ar.ShapeError, r"`q` has shape \(1,\) but `pendulum` needs \(..., 6\)"),
        ((np.zeros((2, 6)),), {}, ar.ShapeError, "quaternion of zeros"),
        ((None, np.zeros((3, 5))), {}, ar.ShapeError, r"one simulation, .* axes \(3,\). Give \(6,"),
        ((None, [np.nan] * 5), {}, ar.ShapeError, "`qd` has NaN"),
        ((), {"step": 0.0}, ar.SimulationError, "`step` is 0.0. Give a time above zero"),
        ((), {"step": "1"}, ar.SimulationError, "`step` is '1'"),
        ((), {"integrator": "leap"}, ar.SimulationError, "no integrator 'leap'. Nearest: 'leapfr"),
        ((), {"integrator": "RK4"}, ar.SimulationError, "'RK4'. Nearest: 'Runge-Kutta'. There"),
        ((), {"integrator": "euler"}, ar.SimulationError, "Nearest: 'semi-implicit Euler', 'expl"),
        ((), {"start": {"knee": 1}}, ar.SimulationError, "names 'knee', which is no joint"),
        ((), {"integrator": Midpoint}, ar.SimulationError, "the class Midpoint. Make one of it"),
    ],
)
def test_what_cannot_be_shown(given, options, error, said, tmp_path):
    with pytest.raises(error, match=said):
        ar.Scene(pendulum()).save_html(tmp_path / "a.html", *given, **options)
    assert not list(tmp_path.iterdir())


def test_integrators_that_do_not_take_a_scene_and_places_that_are_none(own, tmp_path):
    with pytest.raises(ar.SimulationError, match=r"'BDF2' takes no states .*'wind.gust'"):
        own.save_html(tmp_path / "a.html", integrator="BDF2")
    with pytest.raises(ar.SimulationError, match=r"joint 'crank' starts 0.4 away from"):
        own.save_html(tmp_path / "a.html", own.model.neutral())
    for show in (own.save_html, own.model.save_html):
        with pytest.raises(ar.FileError, match=r"cannot be written: No such .*in a folder that is"):
            show(tmp_path / "nosuch" / "a.html")
        with pytest.raises(ar.FileError, match="is no path"):
            show(3)


def test_pages_are_small():
    """Of a humanoid, with its physics twice."""
    model = ar.load(ar.figures / "humanoid.urdf", root=ar.Free())
    assert len(page(*scene_view(ar.Scene(model)))) < 300_000


def test_stripped_scripts_do_what_scripts_do(tmp_path):
    odd = r"""/** a */ const a = 'it//s "no" /* comment */'; // one
      // a line ` ' of it
      const b = `  ${a.length ? `in /* it */ ${"}"}` : '`'} // text
        stays ${[1, 2].map((x) => { return { x }.x; })}`; /* two
      lines */ const c = 6 /
        2; // with ' in it
      const d = "\\"; const e = 'it\'s';

      console.log(JSON.stringify([a, b, c, d, e]));
    """
    small = stripped(odd)
    assert "one" not in small and "two" not in small and "\n        stays" in small
    said = [
        subprocess.run([NODE, "-e", x], capture_output=True, text=True, check=True).stdout
        for x in (odd, small)
    ]
    assert said[0] == said[1] != ""
    whole = tmp_path / "page.mjs"
    whole.write_text(script_text())
    assert "/**" not in script_text() and whole.stat().st_size < 76_000
    subprocess.run([NODE, "--check", whole], check=True, capture_output=True)


def opened(model, q, tmp_path, **options):
    """What a page has before its camera in the first moments: by rest, and going along."""
    told, arrays = unpacked(page(*scene_view(ar.Scene(model), q, step=0.005, **options)))
    wasm = {n: base64.b64encode(x).decode() for n, x in arrays.items() if n.startswith("wasm ")}
    given = {"told": told, "wasm": wasm, "extents": arrays["extents"].tolist()}
    (tmp_path / "given.json").write_text(json.dumps(given))
    done = subprocess.run(
        [NODE, "--no-warnings", Path(__file__).with_name("opening_in_node.mjs"), FOLDER.as_uri(),
         tmp_path / "given.json"], capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return told, json.loads(done.stdout)


def test_the_camera_has_before_it_what_a_scene_does_at_first(tmp_path):
    rod = ar.Capsule(0.04, 0.5, placement=(0, 0, -0.25))
    upper = ar.Body("upper", ar.Revolute("y"), shapes=[rod])
    lower = ar.Body("lower", ar.Revolute("y"), "upper", (0, 0, -0.5), shapes=[rod])
    told, found = opened(ar.Model([upper, lower]), [1.2, 0.5], tmp_path)
    rest = found["follows"][0]
    seen = np.array(rest["seen"])
    assert told["held"] and not told["stands"] and len(seen) == 31 and rest["wider"] > 1.2
    assert np.abs(seen[..., 0]).max() < 1 and -0.8 < seen[..., 1].min() < seen[..., 1].max() < 0.94
    assert np.ptp(seen[..., 1], axis=1).max() / 2 > 0.6  # and the figure is not small
    assert rest["time"] == 0 and rest["frames"] == 1  # it starts anew
    assert found["storeys"] == [0, 0, 16, 16, 48, 112]


def test_the_camera_goes_along_with_what_nothing_holds(tmp_path):
    thrown = ar.Body("thrown", ar.Free(), shapes=[ar.Box((0.1, 0.2, 0.5))])
    told, found = opened(ar.Model([thrown]), None, tmp_path)
    away, along = found["follows"]
    assert not told["held"] and along["wider"] == pytest.approx(1.0)
    assert away["wider"] < 1.36 and np.abs(away["seen"][-1]).max() > 1.5
    assert np.abs(along["seen"][-1]).max() < 1


def test_only_what_flies_off_later_is_left_out_of_the_opening(tmp_path):
    """However fine a hand is, and while the page waits."""
    arm = ar.Capsule(0.05, 1.0, placement=(0, 0, -0.5))
    fingers = [ar.Sphere(0.01, placement=(0.02 * k, 0, -1.02), mass=0.01) for k in range(9)]
    bodies = [
        ar.Body("arm", ar.Revolute("y"), shapes=[arm, *fingers]),
        ar.Body("stone", ar.Free(), placement=(0.3, 0, -0.2), shapes=[ar.Sphere(0.05)]),
    ]
    _, found = opened(ar.Model(bodies), None, tmp_path, paused=True)
    first, *later = [len(points) for points in found["follows"][0]["seen"]]
    stone = first // 11
    assert len(later) == 30 and later[2] == first == 11 * stone
    assert {*later[-15:]} == {first - stone}


def test_what_does_not_move_is_before_the_camera_unless_it_is_large():
    floor = ar.Body("floor", ar.Fixed(), shapes=[ar.Box((50, 50, 0.1))])
    foot = ar.Body("foot", ar.Fixed(), shapes=[ar.Box((0.3, 0.3, 0.1))])
    arm = ar.Body("arm", ar.Revolute("y"), shapes=[ar.Capsule(0.1, 0.8)])
    for bodies, widest in (([floor, arm], 0.5), ([foot, arm], 0.5)):
        recording, live = scene_view(ar.Scene(ar.Model(bodies)))
        told, arrays = unpacked(page(recording, live))
        extents = arrays["extents"].reshape(-1, 4)
        assert told["stands"] and (0 in extents[:, 0]) == (foot in bodies)
        assert np.abs(extents[:, 1:]).max() == pytest.approx(widest, rel=0.02)
