"""`python -m arthron`, which `make run` runs, in a folder of its own."""

import os
import re
import subprocess
import sys
import tempfile
import webbrowser
from pathlib import Path

import numpy as np
import pytest
from test_page import unpacked

import arthron as ar
from arthron import __main__ as command

ROOT = Path(__file__).parents[1]
SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    unseen = {k: v for k, v in os.environ.items() if k not in SCREENS}
    done = subprocess.run(
        [sys.executable, "-m", "arthron"],
        cwd=folder, env=unseen, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    return folder, done


def test_it_ends_well_and_leaves_a_page(run):
    folder, done = run
    assert (done.returncode, done.stderr) == (0, "")
    text = (folder / "out/puppet.html").read_text()
    told, _ = unpacked(text)
    assert told["physics"]["integrators"] == ["implicit Euler", "leapfrog"]
    assert not told["physics"]["paused"] and len(told["lines"]) == 3
    assert len(text) < 300_000


def test_it_says_what_there_is(run):
    said = run[1].stdout
    assert said.startswith("humanoid: 28 bodies, nq 34, nv 33")
    assert re.search(r"out/puppet.html +\d+ kB, made in \d+\.\d s", said)
    assert "No browser was found; open the file yourself." in said and len(said.splitlines()) < 12


def test_it_opens_the_page(tmp_path, monkeypatch, capsys):
    opened = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["arthron"])
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(webbrowser, "open", lambda url: opened.append(url) or True)
    assert command.main() == 0
    assert opened == [(tmp_path / "out/puppet.html").as_uri()]
    assert "It is now in your browser." in capsys.readouterr().out


@pytest.mark.parametrize("free", [True, False])
@pytest.mark.parametrize("moves", [True, False])
def test_a_figure_of_yours(tmp_path, monkeypatch, capsys, moves, free):
    joint = '<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>'
    ball = '<visual><geometry><sphere radius="1"/></geometry></visual>'
    inertia = "".join(f' i{k}="{int(k[0] == k[1])}"' for k in ("xx", "yy", "zz", "xy", "xz", "yz"))
    heavy = f'<inertial><mass value="1"/><inertia{inertia}/></inertial>'
    links = f'<link name="a">{ball}{heavy}</link>'
    lost = ball.replace('sphere radius="1"', 'mesh filename="nosuch.stl"')
    links += f'<link name="b">{ball if free else lost}{heavy}</link>{joint}' * moves
    (tmp_path / "mine.urdf").write_text(f'<robot name="mine">{links}</robot>')
    monkeypatch.setattr("sys.argv", ["arthron", *["--free"] * free, str(tmp_path / "mine.urdf")])
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for name in SCREENS:
        monkeypatch.delenv(name, raising=False)
    assert command.main() == 0
    said, warned = capsys.readouterr()
    [page] = tmp_path.glob("*/figure.html")
    told, _ = unpacked(page.read_text())
    assert said.startswith(f"mine: {moves + free} bod") and str(page) in said
    goes = moves or free
    assert ("Paused. Press play, then drag any body." in said) == goes == ("physics" in told)
    assert ("Its base is fixed" in said) != free
    assert re.fullmatch("Warning: .* nosuch.stl .*\n" * (moves and not free), warned)


def test_a_file_that_is_none(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["arthron", "nosuch.urdf"])
    assert command.main() == 1 and "nosuch.urdf" in capsys.readouterr().err


def test_the_puppet_dangles():
    scene, q, qd = command.puppet()
    motion = ar.simulate(scene, 6.0, 0.001, integrator="implicit Euler", q=q, qd=qd, keep_every=5)
    joints = motion.q[:, 7:]
    slack = 0.3
    assert np.all(joints > scene.model.q_lower[7:] - slack)
    assert np.all(joints < scene.model.q_upper[7:] + slack)
    feet = np.array([motion.model.frame_pose(x, "left_sole")[2, 3] for x in motion.q[::40]])
    assert np.all(feet > 0.0) and np.ptp(motion.q[:, 0]) > 0.5  # above ground, and swinging
    assert np.all(np.diff(motion.energy[::100]) < 0.0)


def test_a_folder_that_cannot_be_made(tmp_path, monkeypatch, capsys):
    (tmp_path / "out").write_text("in the way")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["arthron"])
    assert command.main() == 1
    assert "out: is a file, and a folder of that name" in capsys.readouterr().err


def test_make_run_installs_no_more_than_it_needs():
    makefile = (ROOT / "Makefile").read_text()
    assert re.search(r"^run: \$\(VENV\)/\.core$", makefile, re.MULTILINE)
