"""`python -m arthron motion`: tables of what moved people, for folders of clips."""

import csv
import subprocess
import sys

import numpy as np
import pytest
from mocap_files import amc_text, asf_text, write_bvh

import arthron as ar
from arthron import __main__ as command
from arthron._mocap.motion_command import motion_command


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "clips"
    (place / "sub").mkdir(parents=True)
    write_bvh(place, "walk.bvh", frames=80, size=0.2)
    write_bvh(place / "sub", "run.bvh", frames=60, size=0.2, seed=4)
    (place / "sub" / "a.asf").write_text(asf_text())
    (place / "sub" / "a.amc").write_text(amc_text(frames=60))
    (place / "notes.txt").write_text("nothing")
    return place


def test_a_folder_becomes_tables(folder, tmp_path, capsys):
    out = tmp_path / "tables"
    assert motion_command([str(folder), "--mass", "66", "--out", str(out)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in said] == ["a.amc", "run.bvh", "walk.bvh"]
    assert "80 frames at 120 Hz, 66.0 kg, on the ground" in said[2] and "N m at" in said[2]
    assert sorted(p.relative_to(out).as_posix() for p in out.rglob("*.csv")) == [
        "sub/a.amc.csv", "sub/run.bvh.csv", "walk.bvh.csv",
    ]  # fmt: skip
    with (out / "walk.bvh.csv").open() as file:
        header, *rows = csv.reader(file)
    numbers = np.array(rows, dtype=float)
    clip = ar.load_motion(folder / "walk.bvh", mass=66).smoothed(6.0)
    forces = clip.inverse_dynamics()
    column = {name: numbers[:, k] for k, name in enumerate(header)}
    assert len(column) == numbers.shape[1] == 1 + clip.model.nv - 6 + 12 + 3
    assert column["time [s]"] == pytest.approx(clip.times)
    knee = forces.tau[:, clip.model.slice_qd("LeftLeg")][:, 0]
    assert column["LeftLeg [N m]"] == pytest.approx(knee, rel=1e-6, abs=1e-6)
    hip = forces.tau[:, clip.model.slice_qd("RightUpLeg")][:, 2]
    assert column["RightUpLeg z [N m]"] == pytest.approx(hip, rel=1e-6, abs=1e-6)
    assert column["residual force z [N]"] == pytest.approx(
        forces.residual[:, 5], rel=1e-6, abs=1e-6
    )
    assert set(column["LeftFoot stands"]) <= {0.0, 1.0}
    assert (column["center of pressure outside"] == forces.outside).all()
    part = f"{100 * forces.outside.mean():.0f} %"
    assert f"centre of pressure outside the feet in {part} of frames" in said[2]


def test_files_that_cannot_be_used_end_in_a_sentence_and_the_rest_goes_on(folder, tmp_path, capsys):
    (folder / "broken.bvh").write_text("HIERARCHY\nROOT\n")
    write_bvh(folder, "slow.bvh", rate=10.0)
    assert motion_command([str(folder), "--out", str(tmp_path / "tables")]) == 1
    said, wrong = capsys.readouterr()
    assert len(said.splitlines()) == 3
    assert "broken.bvh: it has no line MOTION" in wrong
    assert "slow.bvh: `cutoff` is 6.0 Hz" in wrong and "2 of 5 files could not be used" in wrong


@pytest.mark.parametrize("path, said", [
    ("nowhere", "there is no such file or folder"), ("empty", "there is no file .bvh or .amc"),
])  # fmt: skip
def test_nothing_to_do_is_told(tmp_path, capsys, path, said):
    (tmp_path / "empty").mkdir()
    assert motion_command([str(tmp_path / path)]) == 1
    assert said in capsys.readouterr().err


def test_a_rest_pose_in_front_is_left_out(tmp_path, capsys):
    path = write_bvh(tmp_path, "rest.bvh", frames=40)
    lines = path.read_text().splitlines()
    lines[-40] = " ".join(["0", "95", "0", *["80"] * (len(lines[-40].split()) - 3)])
    path.write_text("\n".join(lines))
    assert motion_command([str(path), "--out", str(tmp_path)]) == 0
    assert "rest.bvh: 39 frames" in capsys.readouterr().out


def test_it_is_reached_from_the_command_line(tmp_path, monkeypatch, capsys):
    path = write_bvh(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["arthron", "motion", str(path), "--height", "1.8"])
    assert command.main() == 0
    assert (tmp_path / "out/walk.bvh.csv").exists()
    done = subprocess.run(
        [sys.executable, "-m", "arthron", "motion", "--help"], capture_output=True, text=True
    )
    assert done.returncode == 0 and "--cutoff" in done.stdout
