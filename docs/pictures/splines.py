"""The picture of docs/joints.md: a spline of the same control frames in four bases.

`python docs/pictures/splines.py` draws `splines.png`.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import arthron as ar

PLACES = [(0.0, 0.0), (0.6, 1.3), (1.9, 1.5), (2.4, 0.3), (2.9, -0.9), (4.3, -0.6), (4.5, 0.9)]
TURNS = [0.6, 0.9, -0.2, -1.2, -0.9, 0.6, 1.3]
"""Control frames: where they are in the plane [m], and how they are turned in it [rad]."""
BASES = {
    "b-spline": {},
    "catmull-rom": {"basis": "catmull-rom"},
    "bezier": {"basis": "bezier"},
    "knots=(0, 0, 0, 0, 1, 1, 2, 3, 3, 3, 3)": {"knots": (0, 0, 0, 0, 1, 1, 2, 3, 3, 3, 3)},
}
FRAMES_A_SEGMENT, LENGTH = 6, 0.22
"""How many frames are drawn between two knots, and how long their axes are [m]."""
CURVE, ACROSS, GREY = "#d1783c", "#3f7fbf", "#9aa0aa"


def main(folder: Path) -> None:
    """Draw the picture into a folder."""
    figure = Figure(figsize=(8.0, 4.6), layout="constrained", facecolor="white")
    frames = [ar.pose((x, y, 0.0), (0.0, 0.0, a)) for (x, y), a in zip(PLACES, TURNS, strict=True)]
    for k, (name, options) in enumerate(BASES.items(), 1):
        axes = figure.add_subplot(2, 2, k, aspect="equal", xlim=(-0.4, 5.0), ylim=(-1.4, 1.9))
        axes.set_axis_off()
        axes.set_title(name, fontsize=9, color="#3a3d46")
        axes.plot(*zip(*PLACES, strict=True), ":", color=GREY, lw=1.0)
        for frame in frames:
            cross(axes, frame, GREY, GREY, 1.0)
        curve = ar.SplineCurve(frames, **options)
        breaks = curve.law.pose.spline.breaks
        x, y, _ = at(curve, np.linspace(breaks[0], breaks[-1], 300)).r
        axes.plot(x, y, color=CURVE, lw=1.8)
        for a, b in pairwise(breaks):
            for q in np.linspace(a, b, FRAMES_A_SEGMENT, endpoint=False):
                cross(axes, at(curve, q), CURVE, ACROSS, 0.8)
        knots = at(curve, np.array(breaks)).r
        axes.plot(knots.x, knots.y, "o", color=CURVE, ms=5)
    figure.savefig(folder / "splines.png", dpi=100)


def at(curve, q):
    """Where the frame is at some coordinates."""
    X, _, _, _ = curve([q], [0.0])
    return X


def cross(axes, frame, along: str, across: str, width: float) -> None:
    """The two axes of a frame that lie in the plane."""
    x, y, _ = frame.r
    for axis, colour in ((frame.E.x, along), (frame.E.y, across)):
        axes.plot([x, x + LENGTH * axis.x], [y, y + LENGTH * axis.y], color=colour, lw=width)


if __name__ == "__main__":
    main(Path(__file__).parent)
