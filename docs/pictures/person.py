"""The pictures of docs/spacetime.md: a person of 44 DoF jumps from standing, and turns over.

`python docs/pictures/person.py` draws `person-jump.png` from the motion that lies beside it, which
examples/48_standing_jump.py found, and `somersault.png` from that which 49_somersault.py begins
with.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import arthron as ar

HERE = Path(__file__).parent


def main(folder: Path) -> None:
    """Draw it into a folder."""
    person = ar.load(ar.figures / "person.urdf", root=ar.Free())
    run = ar.load_trajectory(HERE / "person-jump.arthron", person)
    run.save_strip(folder / "person-jump.png", t=np.linspace(0.1, run.t[-1] - 0.1, 9))
    run = ar.load_trajectory(HERE.parents[1] / "examples/somersault.arthron", person)
    run.save_strip(folder / "somersault.png", t=np.linspace(0.5, 2.3, 13), size=(1280, 300))


if __name__ == "__main__":
    main(HERE)
