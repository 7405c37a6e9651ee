"""The pictures of docs/contact-scenes.md: examples with contact, at some times side by side.

`python docs/pictures/contact.py` draws `contact-dominoes.png` and the others.
"""

from __future__ import annotations

import runpy
from functools import cache
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

EXAMPLES = Path(__file__).parents[2] / "examples"
SIZE = (640, 180)
SHOWN = {
    "dominoes": ("31_dominoes", [0.0, 0.4, 0.5, 1.0], None),
    "stack": ("32_box_stack", [0.0, 5.0], None),
    "wheel": ("34_rimless_wheel", [0.0, 0.3, 0.6, 0.9], None),
    "gripper": ("35_gripper", [0.0, 0.15, 0.3], 0),
    "panda": ("36_panda_lifts", [0.0, 0.5, 1.0, 2.0], None),
    "cradle": ("37_newtons_cradle", [0.0, 0.36, 0.73], 1),
    "top": ("39_tippe_top", [0.0, 0.995, 1.465, 2.115, 2.51, 2.84, 4.0], None),
    "walker": ("41_passive_walker", [0.0, 0.5, 0.84, 1.18, 1.52], None),
}
"""Of each picture its example, times [s], and which row of a batch."""
ONE, OTHER, GREY = "#3f7fbf", "#d1783c", "#9aa0aa"


@cache
def example(name: str) -> dict:
    """What an example comes to."""
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))


def spins(folder: Path) -> None:
    """Curves of the two tops: how fast one turns, and how far over the other is."""
    figure = Figure(figsize=(6.4, 2.4), layout="constrained", facecolor="white")
    left, right = (figure.add_subplot(1, 2, k) for k in (1, 2))
    boat, top = example("38_rattleback"), example("39_tippe_top")
    left.axhline(0.0, color=GREY, lw=0.8)
    for rate, colour in zip(boat["rate"], (ONE, OTHER), strict=True):
        left.plot(boat["run"].t, rate, color=colour, lw=1.0)
    left.set_title("rattleback, spun either way [rad/s]", fontsize=9, color="#3a3d46")
    left.set_yticks([-5, 0, 5])
    right.plot(top["run"].t, top["angle"], color=ONE, lw=1.2)
    right.set_title("tippe top, from upright [degrees]", fontsize=9, color="#3a3d46")
    right.set_yticks(np.arange(0, 181, 60))
    for axes in (left, right):
        axes.set_xlim(0.0, 6.0)
        axes.set_xlabel("time [s]", fontsize=8, color="#3a3d46")
        axes.tick_params(labelsize=8, colors="#3a3d46", length=2)
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(folder / "contact-spins.png", dpi=100)


def main(folder: Path) -> None:
    """Run the examples and draw them into a folder."""
    for name, (which, times, row) in SHOWN.items():
        found = example(which)
        run = found["run"] if row is None else found["run"].row(row)
        run.save_strip(folder / f"contact-{name}.png", found["scene"], t=times, size=SIZE)
    spins(folder)


if __name__ == "__main__":
    main(Path(__file__).parent)
