"""RedMax's scenes with friction inside joints and on floors end where its repaired targets do.

With loops and floors there are two targets: with the reactions that joints carry, and with S19
2.115's difference in their place. As a script, this file writes the table of `docs/redmax.md`.
"""

import re
from pathlib import Path
from typing import NamedTuple

import friction_scenes
import numpy as np
import pytest

pytest.importorskip("daqp")

DOCUMENT = Path(__file__).parents[2] / "docs/redmax.md"


class Target(NamedTuple):
    """Where a scene ends: energy, what it is compared with, coordinates and velocities."""

    H: float
    scale: float
    tolerance: float
    q: tuple[float, ...]
    qd: tuple[float, ...]


TARGETS = {
    ("27", "reactions"): Target(
        -137492.96208980118, 137492.96, 1e-7, (-1.5172710880208697, -0.2883733289172657), (0, 0)
    ),
    ("29", "reactions"): Target(
        -256391.5066462612, 277325.63, 1e-6, (0, 32.67633178534368), (0, 64.70567355956497)
    ),
    ("30", "reactions"): Target(
        -16045.468203518256, 16046.86, 1e-6,
        (0, 1.645333410008585, -1.9687078521126402, -0.4246351271454528),
        (0, -0.3141751567129428, 0.2372324549039731, 0.09807528071350224),
    ),
    ("30", "difference"): Target(
        -15878.17225772508, 15885.20, 1e-6,
        (0, 1.5485008523103432, -1.894423952634195, -0.3939488635047301),
        (0, 0.6631672633529779, -0.5177538749323202, -0.21326690976915283),
    ),
    ("31", "reactions"): Target(
        -91050.22184094155, 91050.22, 1e-7, (1.6022416949354434, -1.1901853888568688, 0), (0, 0, 0)
    ),
    ("31", "difference"): Target(
        -90672.9868285328, 90672.98, 1e-7, (1.6640363585661058, -1.2477752116062668, 0), (0, 0, 0)
    ),
    ("33", "reactions"): Target(
        28318.35751751534, 27502.48, 1e-5,
        (0, 0.0175149398, 0, 16.8514067934, 0, 0.3386360086, 12.5663706144, -12.5568839276,
         0.0071269538, 0, 0, 0, 0, 0),
        (0, -0.2274124485, 0, 10.1325171699, 0, -3.7883225548, 12.5663706144, -21.0827498178,
         0.3502566703, 0, 0, 0, 0, 0),
    ),
}  # fmt: skip
"""By scene and what friction feels. 33 has no tolerance of its own, but 1 % of H."""
ROUGH = {("33", "difference"): (26090.30209168524, 24177.65)}
"""H, and what it is compared with."""


def energy(run) -> float:
    return float(run.energy[-1] - run.potential[0])


@pytest.mark.parametrize(("key", "felt"), TARGETS)
def test_ends_where_the_target_does(key, felt):
    target = TARGETS[key, felt]
    run = friction_scenes.found(key).run(felt)
    assert abs(energy(run) - target.H) < target.tolerance * target.scale
    q, qd = np.array(target.q), np.array(target.qd)
    assert np.abs(run.q[-1] - q).max() < target.tolerance
    assert (np.abs(run.qd[-1] - qd) / (1.0 + np.abs(qd))).max() < target.tolerance


def test_difference_on_balls_ends_near_its_target():
    (key, felt), (H, scale) = next(iter(ROUGH.items()))
    assert abs(energy(friction_scenes.found(key).run(felt)) - H) < 1e-2 * scale


def test_linkage_on_balls_rolls_as_it_should():
    """The crank goes round at two turns a second, all is closed, and nothing moves sideways."""
    case = friction_scenes.found("33")
    run, model = case.run("reactions"), case.scene.model
    assert np.abs(run.qd[2:, model.slice_qd("link 1")] - 4.0 * np.pi).max() < 1e-9
    assert np.abs(run.q[:, 4]).max() < 1e-9
    assert run.contacts.penetration.max() < 0.26
    ends = [model.frame_pose(run.q, name) @ np.array([x, 0.0, 0.0, 1.0])
            for name, x in (("centre 3", -6.0), ("centre 0", 5.0))]  # fmt: skip
    assert np.linalg.norm(ends[1] - ends[0], axis=-1).max() < 0.12


def table() -> list[str]:
    """Rows of the document's table."""
    lines = []
    wanted = {key: (x.H, x.scale) for key, x in TARGETS.items()} | ROUGH
    for (key, felt), (H, scale) in sorted(wanted.items()):
        case = friction_scenes.found(key)
        own = energy(case.run(felt))
        lines.append(f"| {key} | {case.name} | {felt} | {H:.6f} | {own:.6f} "
                     f"| {abs(own - H) / scale:.0e} |")  # fmt: skip
    return lines


def of_document() -> re.Match:
    found = re.search(r"\| scene \| name \| felt .*\n\|---.*\n((?:\|.*\n)*)", DOCUMENT.read_text())
    assert found
    return found


def test_document_is_true():
    """Numbers of the table are those of the runs, to what targets are held to."""
    rows = of_document()[1].splitlines()
    assert len(rows) == len(TARGETS) + len(ROUGH)
    for row in rows:
        key, name, felt, wanted, H, off = row.strip("| ").split(" | ")
        case = friction_scenes.found(key)
        target, scale, *rest = TARGETS.get((key, felt)) or ROUGH[key, felt]
        tolerance = rest[0] if rest else 1e-2
        assert name == case.name and abs(float(wanted) - target) < 1e-6
        assert abs(float(H) - energy(case.run(felt))) < tolerance * scale
        assert float(off) < tolerance


if __name__ == "__main__":
    text, (start, end) = DOCUMENT.read_text(), of_document().span(1)
    DOCUMENT.write_text(text[:start] + "\n".join(table()) + "\n" + text[end:])
