"""The picture of docs/spacetime.md: a lamp hops, and what its hinges do for it.

`python docs/pictures/lamp.py` runs examples/46_lamp_hop.py and draws `lamp-hop.png`.
"""

from __future__ import annotations

import contextlib
import io
import runpy
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

EXAMPLE = Path(__file__).parents[2] / "examples/46_lamp_hop.py"
COLOURS = {"leg": "#3f7fbf", "arm": "#d1783c", "head": "#6f9a6a"}
DARK, PALE = "#3a3d46", "#e4e6ea"


def main(folder: Path) -> None:
    """Run the example and draw it into a folder."""
    with contextlib.redirect_stdout(io.StringIO()):
        example = runpy.run_path(str(EXAMPLE))
    motion, lamp = example["motion"], example["lamp"]
    figure = Figure(figsize=(8.0, 4.2), layout="constrained", facecolor="white")
    above, below = figure.subplots(2, 1, height_ratios=(1.4, 1.0))
    strip(above, motion, lamp)
    t = motion.times(400.0)
    for name, colour in COLOURS.items():
        tau = motion.joint_forces(t)[:, lamp.slice_qd(name)]
        below.plot(t, tau, color=colour, label=name, linewidth=1.4)
    stand, fly, _ = motion.durations
    below.axvspan(stand, stand + fly, color=PALE, zorder=0)
    below.text(
        stand + 0.5 * fly, 0.9 * below.get_ylim()[1], "flight", ha="center", va="top", color=DARK
    )
    below.set(xlim=(0.0, t[-1]), xlabel="time [s]", ylabel="torque [N m]")
    below.legend(frameon=False, ncols=3, loc="lower left", fontsize=8)
    for side in ("top", "right"):
        below.spines[side].set_visible(False)
    figure.savefig(folder / "lamp-hop.png", dpi=110)


def strip(axes, motion, lamp) -> None:
    """The lamp at times that are as far from each other, each drawn to the right of the last."""
    t = np.linspace(0.0, motion.motion.duration, 17)
    X = lamp.body_poses(motion.motion(t)[0])
    for k, (base, leg, arm, head) in enumerate(X):
        right = 0.32 * k
        foot = [(base @ [x, 0, -0.015, 1])[[0, 2]] for x in (-0.1, 0.1)]
        rods = [leg[[0, 2], 3], arm[[0, 2], 3], head[[0, 2], 3]]
        shade = [
            (head @ [x, 0, z, 1])[[0, 2]]
            for x, z in ((0.02, 0), (0.06, 0.1), (-0.06, 0.1), (-0.02, 0))
        ]
        for points, width in ((foot, 4.0), (rods, 2.0)):
            x, z = np.transpose(points)
            axes.plot(x + right, z, color=DARK, linewidth=width, solid_capstyle="round")
        x, z = np.transpose(shade)
        axes.fill(x + right, z, color="#d1783c")
    axes.axhline(0.0, color=PALE, zorder=0)
    axes.set_aspect("equal")
    axes.axis("off")


if __name__ == "__main__":
    main(Path(__file__).parent)
