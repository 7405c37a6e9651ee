"""The picture of docs/control.md: an arm lifts more than it knows of, and learns what it is.

`python docs/pictures/adaptive.py` runs examples/18_adaptive_control.py and draws `adaptive.png`.
"""

from __future__ import annotations

import contextlib
import io
import runpy
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

EXAMPLE = Path(__file__).parents[2] / "examples/18_adaptive_control.py"
COLOURS = {"computed torque": "#8a8f99", "passivity-based": "#3f7fbf", "adaptive": "#d1783c"}
DARK, PALE = "#3a3d46", "#e4e6ea"
LEARNED = {
    0: ("mass", "#d1783c", 109.0),
    3: ("first moment", "#a8562a", 90.5),
    4: ("moment across the axis", "#8a6a9a", 69.0),
    6: ("moment about it", "#6f9a6a", 42.0),
}
"""Parameters of the last link: name, colour, and where the name is [%]."""
SHOWN, WINDOW = 20.0, 1.0
"""Duration [s], and how long a time the largest error is taken of [s]."""


def main(folder: Path) -> None:
    """Run the example and draw what it found into a folder."""
    with contextlib.redirect_stdout(io.StringIO()):
        example = runpy.run_path(str(EXAMPLE))
    figure = Figure(figsize=(8.0, 3.0), layout="constrained", facecolor="white")
    left, right = figure.subplots(1, 2, width_ratios=(1.25, 1.0))
    errors(left, {name: (run.t, example["off"](run)) for name, run in example["runs"].items()})
    parameters(right, example["runs"]["adaptive"].t, example["learned"], example["true"])
    for axes in (left, right):
        axes.set(xlim=(0.0, SHOWN), xlabel="time [s]")
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(color=PALE, lw=0.7)
    figure.savefig(folder / "adaptive.png", dpi=100)


def errors(axes, runs: dict) -> None:
    """How far the joints are from their target: all of it pale, and the largest of a while."""
    degrees = 180.0 / np.pi
    for name, (t, off) in runs.items():
        size = round(WINDOW / (t[1] - t[0]))
        most = np.array([off[max(0, k - size) : k + size + 1].max() for k in range(len(off))])
        axes.plot(t, degrees * off, color=COLOURS[name], lw=0.7, alpha=0.45)
        axes.plot(t, degrees * most, color=COLOURS[name], lw=1.8)
        above = 1.2 * degrees * most[(t > 9.5) & (t < 14.5)].max()
        axes.text(12.0, above, name, color=COLOURS[name], ha="center")
    axes.set(yscale="log", ylim=(0.01, 60.0), title="farthest joint from its target")
    axes.yaxis.set_major_locator(FixedLocator([0.01, 0.1, 1.0, 10.0]))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}°"))


def parameters(axes, t: np.ndarray, learned: np.ndarray, true: np.ndarray) -> None:
    """What the adaptive controller has learned of the last link and its load, as parts of it."""
    axes.axhline(100.0, color=DARK, lw=1.0, ls=(0, (5, 3)))
    for k, (name, colour, height) in LEARNED.items():
        axes.plot(t, 100.0 * learned[:, k] / true[k], color=colour, lw=1.8)
        axes.text(SHOWN - 0.2, height, name, color=colour, ha="right", va="center", size=9)
    axes.set(ylim=(0.0, 150.0), title="learned of hand and load")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g} %"))


if __name__ == "__main__":
    main(Path(__file__).parent)
