"""The picture of docs/view.md: the puppet of `make run`, five times side by side.

`python docs/pictures/strip.py` draws `strip.png`.
"""

from __future__ import annotations

from pathlib import Path

import arthron as ar
from arthron.__main__ import puppet

STEP, DURATION = 1e-3, 2.4
"""Of the simulation [s]."""
SIZE = (800, 260)


def main(folder: Path) -> None:
    """Simulate the puppet and draw it into a folder."""
    scene, q, qd = puppet()
    motion = ar.simulate(
        scene, DURATION, STEP, integrator="implicit Euler", q=q, qd=qd, keep_every=100
    )
    motion.save_strip(folder / "strip.png", scene, size=SIZE)


if __name__ == "__main__":
    main(Path(__file__).parent)
