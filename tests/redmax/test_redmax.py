"""RedMax's scenes end where its reference says: energy, coordinates and poses.

As a script, this file writes the table of `docs/redmax.md`.
"""

import json
import re
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import scenes

import arthron as ar

HERE = Path(__file__).parent
DOCUMENT = HERE.parents[1] / "docs/redmax.md"
REFERENCE = json.loads((HERE / "reference.json").read_text())
RUNS = [(key, integrator) for key, runs in REFERENCE["runs"].items() for integrator in runs]
CHARTS = REFERENCE["charts"]


@cache
def run(key: str, integrator: str) -> ar.Trajectory:
    return scenes.found(key).run(integrator)


def energy(trajectory: ar.Trajectory) -> float:
    """What the reference calls H: energy at the end, less potential energy at the start."""
    return float(trajectory.energy[-1] - trajectory.potential[0])


def rotation(w, x, y, z):
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def pose_errors(case: scenes.Case, trajectory: ar.Trajectory, bodies) -> np.ndarray:
    """Largest error of position and of the rotation's entries at the end, link by link."""
    errors = []
    for name, body in zip(case.centres(), bodies, strict=True):
        pose = case.scene.model.frame_pose(trajectory.q[-1], name)
        off = abs(pose[:3, 3] - body[:3]).max(), abs(pose[:3, :3] - rotation(*body[3:7])).max()
        errors.append(off)
    return np.array(errors)


def assert_state(model: ar.Model, q, qd, wanted_q, wanted_qd, tolerance: float) -> None:
    """The same coordinates, rotation vectors by the short way round; rates beside 1 + |rate|."""
    q, qd = model.normalize(q, qd)
    wanted_q, wanted_qd = model.normalize(wanted_q, wanted_qd)
    assert abs(q - wanted_q).max() < tolerance
    assert (abs(qd - wanted_qd) / (1 + abs(wanted_qd))).max() < tolerance


@pytest.mark.parametrize(("key", "integrator"), RUNS)
def test_ends_where_the_reference_does(key, integrator):
    case, wanted = scenes.found(key), REFERENCE["runs"][key][integrator]
    model, found, tolerance = case.scene.model, run(key, integrator), wanted["tolerance"]
    assert abs(energy(found) - wanted["H"]) < tolerance * wanted["scale"]
    assert_state(model, found.q[-1], found.qd[-1], wanted["q"], wanted["qd"], tolerance)
    assert pose_errors(case, found, wanted["bodies"]).max() < tolerance
    for name, body in zip(case.centres(), wanted["bodies"], strict=True):
        twist, off = np.array(body[7:]), model.frame_velocity(found.q[-1], found.qd[-1], name)
        assert (abs(off - twist) / (1 + abs(twist).max())).max() < tolerance


@pytest.mark.parametrize(
    ("key", "integrator"), [r for r in RUNS if "rows" in REFERENCE["runs"][r[0]][r[1]]]
)
def test_goes_through_the_same_states(key, integrator):
    """At a quarter, half and three quarters of the time, as the reference itself was run."""
    wanted, found = REFERENCE["runs"][key][integrator], run(key, integrator)
    for part, q, qd in wanted["rows"]:
        k = round(part * (len(found) - 1))
        model, tolerance = scenes.found(key).scene.model, wanted["row_tolerance"]
        assert_state(model, found.q[k], found.qd[k], q, qd, tolerance)


def test_euler_angles_in_one_chart():
    """Where no chart is changed there is nothing to choose, and BDF2 agrees as all others do."""
    found = scenes.euler_angles(charts=False).run("BDF2")
    assert abs(energy(found) - CHARTS["H_without_charts"]) < 1e-8 * CHARTS["scale"]


def test_euler_angles_in_charts():
    """Our second chart is another than the reference's: same steps, same motion to its accuracy."""
    case, found = scenes.found("diff 7"), run("diff 7", "BDF2")
    steps, joints = np.nonzero(np.diff(found.q[:, [3, 7]], axis=0))
    assert list(steps + 1) == [342, 425] and list(joints) == [1, 1]
    assert pose_errors(case, found, CHARTS["bodies"]).max() < 5e-3
    assert abs(energy(found) - CHARTS["H"]) < 5e-4 * CHARTS["scale"]
    fine = replace(case, step=case.step / 2).run("BDF2")
    far, near = (pose_errors(case, x, CHARTS["bodies_continuous"]).max() for x in (found, fine))
    assert far < 1e-2 and near < far / 3


@pytest.mark.parametrize(("key", "tolerance"), [("15", 5e-5), ("23", 1e-6)])
def test_maximal_coordinates_lead_to_the_same(key, tolerance):
    """As steps get short: what three runs have in common with none, extrapolated twice."""
    case, wanted = scenes.found(key), REFERENCE["runs"][key]["Runge-Kutta"]
    model, steps = case.scene.model, (1e-3, 5e-4, 2.5e-4)
    ends = [replace(case, step=h).run("maximal").q[-1] for h in steps]
    off = [model.difference(np.array(wanted["q"]), q) for q in ends]
    assert abs(off[2]).max() < 0.02
    first = [2.0 * b - a for a, b in pairwise(off)]
    assert abs(4.0 * first[1] - first[0]).max() / 3.0 < tolerance


def table() -> list[str]:
    """Rows of the document's table."""
    rows = []
    for key, integrator in RUNS:
        wanted = REFERENCE["runs"][key][integrator]
        rows.append((key, integrator, wanted["H"], wanted["scale"], energy(run(key, integrator))))
    charts = ("diff 7", "BDF2", CHARTS["H"], CHARTS["scale"], energy(run("diff 7", "BDF2")))
    rows.insert(rows.index(next(r for r in rows if r[:2] == ("diff 7", "BDF1"))) + 1, charts)
    lines = []
    for key, integrator, wanted, scale, H in rows:
        name, off = scenes.found(key).name, abs(H - wanted) / scale
        wanted, H = (x if abs(x) > 5e-7 else 0.0 for x in (wanted, H))
        beside = f"{off:.0e}" if off > 1e-13 else "≤ 1e-13"
        lines.append(f"| {key} | {name} | {integrator} | {wanted:.6f} | {H:.6f} | {beside} |")
    return lines


def test_document_is_true():
    first = DOCUMENT.read_text().split("\n## ")[0]
    rows = re.findall(r"^\| ((?:diff )?-?\d+ \|.*) \|$", first, re.MULTILINE)
    assert len(rows) == len(RUNS) + 1
    for row in rows:
        key, name, integrator, wanted, H, off = row.split(" | ")
        assert name == scenes.found(key).name
        data = REFERENCE["runs"][key].get(integrator, CHARTS | {"tolerance": 1e-8})
        tolerance = data["tolerance"] * data["scale"] + 1e-6
        assert abs(float(wanted) - data["H"]) < 1e-6
        assert abs(float(H) - energy(run(key, integrator))) < tolerance
        assert float(off.lstrip("≤ ")) <= 10 * data["tolerance"] or (key, integrator) == (
            "diff 7",
            "BDF2",
        )


if __name__ == "__main__":
    text = DOCUMENT.read_text()
    start = text.index("\n", text.index("|---")) + 1
    end = text.index("\n\n", start) + 1
    DOCUMENT.write_text(text[:start] + "\n".join(table()) + "\n" + text[end:])
