"""The pictures of docs/spacetime.md: a lamp hops, what its hinges do for it, and other hops.

`python docs/pictures/lamp.py` runs examples/46_lamp_hop.py and 52_lamp_variations.py and draws
`lamp-hop.png` and `lamp-hops.png`.
"""

from __future__ import annotations

import contextlib
import io
import runpy
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

EXAMPLES = Path(__file__).parents[2] / "examples"
COLOURS = {"leg": "#3f7fbf", "arm": "#d1783c", "head": "#6f9a6a"}
DARK, PALE = "#3a3d46", "#e4e6ea"


def main(folder: Path) -> None:
    """Run the examples and draw them into a folder."""
    with contextlib.redirect_stdout(io.StringIO()):
        hop = runpy.run_path(str(EXAMPLES / "46_lamp_hop.py"))
        others = runpy.run_path(str(EXAMPLES / "52_lamp_variations.py"))
    with_torques(hop["motion"], hop["lamp"], folder / "lamp-hop.png")
    side_by_side(others["motions"], others["FAR"], folder / "lamp-hops.png")


def side_by_side(motions, far, path) -> None:
    """A strip for each motion, one below the other."""
    figure = Figure(figsize=(8.0, 6.6), layout="constrained", facecolor="white")
    for axes, (name, motion) in zip(figure.subplots(len(motions), 1), motions.items(), strict=True):
        strip(axes, motion, motion.problem.model, frames=13)
        top = "up a" in name and motion.motion(motion.motion.duration)[0][0] - 0.015
        if top:
            axes.plot((7.5 * 0.32 + far, 13 * 0.32 + far), (top, top), color=DARK, linewidth=0.8)
        axes.set_title(f"{name}: cost {motion.cost:.0f}", loc="left", fontsize=9, color=DARK)
    figure.savefig(path, dpi=110)


def with_torques(motion, lamp, path) -> None:
    """A strip of a motion, and its torques below."""
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
    figure.savefig(path, dpi=110)


def strip(axes, motion, lamp, frames=17) -> None:
    """The lamp at times that are as far from each other, each drawn to the right of the last."""
    t = np.linspace(0.0, motion.motion.duration, frames)
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
