"""Energies and coordinates of a trajectory against time, through matplotlib."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ArthronError, FileError
from .looks import limbs
from .recording import caption, first_row

if TYPE_CHECKING:
    from .._model.model import Model
    from .._simulate.trajectory import Trajectory

NAMED = 8
"""Lines in a panel up to which each has its name beside it."""
INK = "#3a3d46"
LETTERS = {
    "free": ("x", "y", "z", "qw", "qx", "qy", "qz"),
    "spherical": ("qw", "qx", "qy", "qz"),
}
"""Names of coordinates that have some, by the label of their joint."""


def plot(trajectory: Trajectory, path: Path | None = None) -> Any:
    """Draw a trajectory, the first of a batch, into a file or as a figure of matplotlib."""
    try:
        from matplotlib import colormaps, pyplot
        from matplotlib.figure import Figure
    except ImportError:
        raise ArthronError('`plot` needs matplotlib: `pip install "arthron[view]"`.') from None
    t = trajectory.t
    q, kinetic, potential = (
        first_row(trajectory, x) for x in (trajectory.q, trajectory.kinetic, trajectory.potential)
    )
    panels = list(_panels(trajectory.model, q.shape[-1]))
    wide = 2 if len(panels) > 2 else 1
    rows = math.ceil(len(panels) / wide)
    make = Figure if path is not None else pyplot.figure  # pyplot keeps those that it shall show
    figure = make(figsize=(6.5 * wide, 2.6 + 1.9 * rows), layout="constrained")
    grid = figure.add_gridspec(rows + 1, wide, height_ratios=[1.4, *[1.0] * rows])
    top = figure.add_subplot(grid[0, :])
    energies = {"kinetic": kinetic, "potential": potential, "total": kinetic + potential}
    for (name, values), colour in zip(energies.items(), ("#d1783c", "#3f7fbf", INK), strict=True):
        top.plot(t, values, color=colour, label=name, lw=2.0 if name == "total" else 1.4)
    _dress(top, "energy [J]", True, dict(zip(energies, top.lines, strict=True)))
    for k, names in enumerate(panels):
        axes = figure.add_subplot(grid[1 + k // wide, k % wide], sharex=top)
        few = len(names) <= NAMED
        shades = colormaps["tab10" if few else "viridis"]
        named = {}
        for j, (label, column) in enumerate(names):
            colour = shades(j) if few else shades(0.92 * j / (len(names) - 1))
            [line] = axes.plot(t, q[:, column], color=colour, lw=1.2)
            if few or j in (0, len(names) - 1):
                named[label] = line
        _dress(axes, "q [rad, m]", k >= len(panels) - wide, named)
    figure.suptitle(_title(trajectory), color=INK, parse_math=False)
    if path is None:
        return figure
    try:
        figure.savefig(path, dpi=130, format=path.suffix[1:] or "png")
    except (OSError, ValueError) as error:
        raise FileError(f"the plot cannot be written: {error}.", str(path)) from error
    return path


def _panels(model: Model | None, nq: int) -> Iterator[list[tuple[str, int]]]:
    """Names and columns of coordinates drawn together: those of a limb or of a large joint."""
    if model is None:
        yield from [[(f"q[{k}]", k) for k in range(nq)]] if nq else []
        return
    limb = limbs(model)
    together: dict[Any, list[tuple[str, int]]] = {}
    for joint in model.joint_names:
        where, i = model.slice_q(joint), model.joint_number(joint)
        columns = range(where.start, where.stop)
        letters = LETTERS.get(
            model.tree.joint[i].label, tuple(f"[{k}]" for k in range(len(columns)))
        )
        names = [joint] if len(columns) == 1 else [f"{joint} {letter}" for letter in letters]
        key = limb[i] if len(columns) < 4 else joint
        together.setdefault(key, []).extend(zip(names, columns, strict=True))
    yield from together.values()


def _dress(axes: Any, label: str, bottom: bool, named: dict[str, Any]) -> None:
    """Names of lines beside the panel, quiet lines around it."""
    axes.set_ylabel(label, color=INK)
    legend = axes.legend(
        named.values(),
        [" "] * len(named),  # the names come below: matplotlib leaves out those that start with _
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
        frameon=False,
        fontsize=8,
    )
    for text, name in zip(legend.get_texts(), named, strict=True):
        text.set(text=name, parse_math=False)
    axes.grid(color="#e4e5ea", lw=0.8)
    axes.spines[["top", "right"]].set_visible(False)
    axes.margins(x=0.0)
    axes.tick_params(labelbottom=bottom, labelsize=8, color=INK)
    if bottom:
        axes.set_xlabel("t [s]", color=INK)


def _title(trajectory: Trajectory) -> str:
    name = str(trajectory.about.get("model", "figure"))
    return "   ·   ".join(part for part in (name, caption(trajectory)) if part)
