"""The pictures of docs/spacetime.md: a person of 44 DoF jumps, and turns over in the air.

`python docs/pictures/person.py` draws them from the motions that lie beside it, which
examples/48_standing_jump.py found, and for the somersault the same with a guess that turns.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import arthron as ar

HERE = Path(__file__).parent


def main(folder: Path) -> None:
    """Draw both into a folder."""
    person = ar.load(ar.figures / "person.urdf", root=ar.Free())
    for name in ("person-jump", "person-somersault"):
        run = ar.load_trajectory(HERE / f"{name}.arthron", person)
        run.save_strip(folder / f"{name}.png", t=np.linspace(0.1, run.t[-1] - 0.1, 9))


if __name__ == "__main__":
    main(HERE)
