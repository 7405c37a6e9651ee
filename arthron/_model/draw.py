"""The figure as text."""

from __future__ import annotations

import numpy as np

from .._algorithms.energy import total_mass
from .._figure.figure import Figure

MANY = 60
"""Bodies drawn before the rest is only counted."""


def draw_tree(figure: Figure) -> str:
    """One line per body: name, joint, limits and mass, indented by depth."""
    tree = figure.tree
    children: dict[int, list[int]] = {}
    for i in tree.bodies:
        children.setdefault(tree.parent[i], []).append(i)
    rows: list[tuple[str, str, str, str]] = []
    stack = [(i, "", i == children[0][-1]) for i in reversed(children.get(0, []))]
    while stack and len(rows) < MANY:
        i, indent, last = stack.pop()
        body = figure.bodies[i - 1]
        label = tree.joint[i].label
        if body.joint_name != body.name:
            label = f"{label}  {body.joint_name}"
        if i in tree.followers:
            label += f", follows {figure.followed(i).replace(chr(39), '')}"
        rows.append(
            (f"{indent}{'└─ ' if last else '├─ '}{body.name}", label, _limits(figure, i),
             f"{tree.I[i].m:.4g} kg")
        )  # fmt: skip
        below = children.get(i, [])
        for j in reversed(below):
            stack.append((j, indent + ("   " if last else "│  "), j == below[-1]))
    widths = [max((len(row[k]) for row in rows), default=0) for k in range(4)]
    lines = [
        f"{figure.description.name}: {tree.nb} bodies, nq {tree.nq}, nv {tree.nv}, "
        f"{total_mass(tree):.5g} kg, {len(figure.frames)} frames"
    ]
    if tree.joint[0].nv:
        held = figure.holder(0)
        count = tree.joint[0].nv
        lines.append(f"{held.name}: {count} coordinate{'s' * (count > 1)} that joints follow")
    lines.append("base")
    for name, joint, limits, mass in rows:
        line = f"{name:<{widths[0]}}  {joint:<{widths[1]}}  {limits:<{widths[2]}}  "
        lines.append(f"{line}{mass:>{widths[3]}}")
    if tree.nb > len(rows):
        lines.append(f"... and {tree.nb - len(rows)} more bodies")
    if figure.warnings:
        count = len(figure.warnings)
        lines.append(f"{count} warning{'s' if count > 1 else ''}: see model.warnings")
    return "\n".join(lines)


def _limits(figure: Figure, i: int) -> str:
    where = slice(figure.tree.q_start[i], figure.tree.q_start[i + 1])
    low, high = figure.per_coordinate("lower")[where], figure.per_coordinate("upper")[where]
    if len(low) != 1 or not (np.isfinite(low[0]) or np.isfinite(high[0])):
        return ""
    return f"[{low[0]:.3g}, {high[0]:.3g}]"
