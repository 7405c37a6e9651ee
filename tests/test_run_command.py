"""`python -m arthron`, which `make run` runs, in a folder of its own."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import arthron as ar
from arthron import __main__ as command

ROOT = Path(__file__).parents[1]
FILES = ("out/puppet.html", "out/puppet.png", "out/puppet.traj")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    pytest.importorskip("matplotlib", reason="no matplotlib installed")
    folder = tmp_path_factory.mktemp("run")
    done = subprocess.run(
        [sys.executable, "-m", "arthron"], cwd=folder, capture_output=True, text=True, timeout=300
    )
    return folder, done


def test_it_ends_well_and_leaves_files(run):
    folder, done = run
    assert (done.returncode, done.stderr) == (0, "")
    for file in FILES:
        assert file in done.stdout and (folder / file).stat().st_size > 10_000


def test_it_says_how_it_went(run):
    said = run[1].stdout
    assert said.startswith("humanoid: 28 bodies, nq 34, nv 33")
    assert "6 s in 6000 steps" in said and re.search(r"steps per second +[\d,]+", said)
    start, end = map(float, re.search(r"(\S+) J at the start, (\S+) J at the end", said).groups())
    assert start > end > 0
    for part in ("load", "compile", "simulate", "page", "plot"):
        assert re.search(rf"{part} \d+\.\d\d s", said)


def test_its_trajectory_dangles(run):
    scene, q, _ = command.puppet()
    motion = ar.load_trajectory(run[0] / "out/puppet.traj", scene.model)
    assert motion.t[-1] == pytest.approx(6.0) and np.array_equal(motion.q[0], q)
    joints = motion.q[:, 7:]
    slack = 0.3
    assert np.all(joints > scene.model.q_lower[7:] - slack)
    assert np.all(joints < scene.model.q_upper[7:] + slack)
    feet = np.array([motion.model.frame_pose(x, "left_sole")[2, 3] for x in motion.q[::40]])
    assert np.all(feet > 0.0) and np.ptp(motion.q[:, 0]) > 0.5  # above ground, and swinging
    assert np.all(np.diff(motion.energy[::100]) < 0.0)


def test_without_what_draws_it_still_simulates(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["arthron"])
    monkeypatch.setattr(command, "DURATION", 0.1)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert command.main() == 0
    said = capsys.readouterr().out
    assert "No plot: `plot` needs" in said
    assert {p.name for p in (tmp_path / "out").iterdir()} == {"puppet.traj", "puppet.html"}


def test_a_folder_that_cannot_be_made(tmp_path, monkeypatch, capsys):
    (tmp_path / "out").write_text("in the way")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["arthron"])
    monkeypatch.setattr(command, "DURATION", 0.1)
    assert command.main() == 1
    assert "out: is a file, and a folder of that name" in capsys.readouterr().err


def test_make_run_installs_what_it_needs():
    makefile = (ROOT / "Makefile").read_text()
    assert re.search(r"^run: \$\(VENV\)/\.view$", makefile, re.MULTILINE)
    assert re.search(r'\.view:.*\n\t.*install.*"\.\[view\]"', makefile)
