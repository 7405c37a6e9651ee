"""The pictures of docs/mocap.md: a transition, and its torque beside that of a cubic.

`python docs/pictures/transition.py` draws `transition.png` and `transition-torque.png`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import arthron as ar


def main(folder: Path) -> None:
    """Draw them into a folder."""
    walk, reach = ar.mocap.walk(duration=2.0), ar.mocap.reach()
    way = ar.mocap.transition(walk, reach, 0.6, leave=203, enter=63, progress=False)
    when = np.linspace(walk.times[203] - 0.3, walk.times[203] + 1.0, 12)
    way.clip.trajectory().save_strip(folder / "transition.png", t=when, size=(1280, 300))
    way.plot(folder / "transition-torque.png")


if __name__ == "__main__":
    main(Path(__file__).parent)
