"""The picture of docs/contact.md: what a step costs against points that touch.

The numbers are those of `python benchmarks/contact.py counts` on one core of an AMD EPYC (Zen 4).
"""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure

POINTS = [4, 8, 16, 24, 32, 48, 64]
MEASURED = {
    "MuJoCo": ("#9aa0aa", [4.2, 6.9, 12.6, 18.2, 24.9, 39.0, 50.8]),
    "arthron, alone": ("#d1783c", [0.8, 1.5, 3.3, 4.9, 6.3, 9.5, 14.0]),
    "arthron, in a batch": ("#3f7fbf", [0.18, 0.35, 0.71, 1.14, 1.56, 2.43, 3.31]),
}
"""Colour and microseconds a step."""


def main(folder: Path) -> None:
    """Draw it into a folder."""
    figure = Figure(figsize=(6.4, 2.8), layout="constrained", facecolor="white")
    axes = figure.add_subplot()
    for name, (colour, each) in MEASURED.items():
        axes.loglog(POINTS, each, "o-", color=colour, lw=1.2, ms=3, label=name)
    axes.set_xticks(POINTS, map(str, POINTS), minor=False)
    axes.set_xticks([], minor=True)
    axes.set_xlabel("points that touch, four of each free box", fontsize=8, color="#3a3d46")
    axes.set_ylabel("µs a step, one thread", fontsize=8, color="#3a3d46")
    axes.tick_params(labelsize=8, colors="#3a3d46", length=2)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(fontsize=8, frameon=False)
    figure.savefig(folder / "contact-cost.png", dpi=100)


if __name__ == "__main__":
    main(Path(__file__).parent)
