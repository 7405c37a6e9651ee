"""Operations of methods and of steps in time, kept in a file, so that changes of them show.

`python tests/compile/test_op_counts.py` writes the file anew.
"""

import json
import sysconfig
from pathlib import Path

import pytest

import arthron as ar

FILE = Path(__file__).with_name("op_counts.json")
ROBOTS = Path(sysconfig.get_paths()["purelib"]) / "cmeel.prefix/share/example-robot-data/robots"
FIGURES = {
    "humanoid floating": (ar.figures / "humanoid.urdf", ar.Free()),
    "panda": (ROBOTS / "panda_description/urdf/panda.urdf", None),
    "talos_reduced": (ROBOTS / "talos_data/robots/talos_reduced.urdf", None),
}
METHODS = (
    "body_poses body_velocities body_accelerations body_jacobians inverse_dynamics "
    "forward_dynamics mass_matrix bias_forces gravity_forces kinetic_energy potential_energy "
    "momentum center_of_mass com_jacobian"
).split()
STEPS = ("leapfrog", "semi-implicit Euler", "BDF1")


def op_counts(figure: str) -> dict[str, int]:
    path, root = FIGURES[figure]
    model = ar.load(path, root=root)
    counts = {method: getattr(model, method).op_count for method in METHODS}
    steps = {name: ar.step(ar.Scene(model), name) for name in STEPS}
    return counts | {f"{n} step": ar.compile(page, model).op_count for n, page in steps.items()}


@pytest.mark.parametrize("figure", FIGURES)
def test_op_counts_are_as_recorded(figure):
    assert op_counts(figure) == json.loads(FILE.read_text())[figure]


if __name__ == "__main__":
    counts = {figure: op_counts(figure) for figure in FIGURES}
    FILE.write_text(json.dumps(counts, indent=2) + "\n")
