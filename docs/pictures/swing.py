"""The pictures of README and docs/scenes.md: a humanoid swings on threads.

`python docs/pictures/swing.py` draws `strobe.png`, five looks at one swing, and `energy.png`.
"""

from __future__ import annotations

import math
from pathlib import Path

from matplotlib.figure import Figure

import arthron as ar
from arthron.__main__ import HOOK, puppet

STEP, TILT, REACH = 1e-3, 1.1, 1.5
"""Step [s], how far the puppet is pulled back [rad], and how far from the hook it is held [m]."""
LOOKS, APART = 5, 0.32
"""How often it is seen, and the time from one look to the next [s]."""
SHOWN = 3.45
"""Duration of which energies are drawn [s]."""
SIZE = (640, 400)
"""Of the looks, in pixels."""


def main(folder: Path) -> None:
    """Simulate the swing and draw both pictures into a folder."""
    strobe(folder / "strobe.png")
    energy(folder / "energy.png")


def swing(duration: float, every: float) -> tuple[ar.Trajectory, ar.Scene]:
    """The puppet of `make run`, pulled farther back and let go; states are kept `every` seconds."""
    scene, q, qd = puppet()
    q[:3] = HOOK[0] - REACH * math.sin(TILT), HOOK[1], HOOK[2] - REACH * math.cos(TILT)
    q[3:7] = math.cos(TILT / 2), 0.0, math.sin(TILT / 2), 0.0
    keep, start = round(every / STEP), {"q": q, "qd": 0.0 * qd}
    motion = ar.simulate(
        scene, duration, STEP, integrator="implicit Euler", keep_every=keep, **start
    )
    return motion, scene


def energy(path: Path) -> None:
    """Kinetic and potential energy, and their sum, against time."""
    motion, _ = swing(SHOWN, 0.01)
    figure = Figure(figsize=(8.0, 2.6), layout="constrained", facecolor="white")
    axes = figure.add_subplot(xlabel="time [s]", ylabel="energy [J]", xlim=(0.0, SHOWN))
    for name, colour in (("kinetic", "#d1783c"), ("potential", "#3f7fbf"), ("energy", "#3a3d46")):
        axes.plot(motion.t, getattr(motion, name), color=colour, lw=1.6)
        label = "total" if name == "energy" else name
        axes.text(SHOWN + 0.03, getattr(motion, name)[-1], label, color=colour, va="center")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#e4e6ea", lw=0.7)
    figure.savefig(path, dpi=100)


def strobe(path: Path) -> None:
    """Looks at one swing on top of each other."""
    motion, scene = swing(APART * (LOOKS - 1), APART)
    motion.save_png(path, scene, t=motion.t, size=SIZE)


if __name__ == "__main__":
    main(Path(__file__).parent)
