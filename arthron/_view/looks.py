"""What each body of a figure looks like: solids with colours."""

from __future__ import annotations

import colorsys
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .caution import caution
from .solids import Solid, axes, ball, solids, stick

if TYPE_CHECKING:
    from .._model.model import Model

HUES = (0.58, 0.08, 0.45, 0.95, 0.13, 0.75)
"""Colours of limbs, in turn."""

Colour = tuple[int, int, int]
"""Red, green and blue, to 255."""


class ColouredSolid(NamedTuple):
    """A solid, the number of the pose that it rides on, and its colour and opacity."""

    place: int
    solid: Solid
    colour: Colour
    opacity: float = 1.0


def coloured_solids(model: Model) -> list[ColouredSolid]:
    """All that is drawn of a figure."""
    colours = _colours(model)
    return [_part(i, s, colours[i]) for i, some in _solids(model).items() for s in some]


def _part(place: int, solid: Solid, colour: Colour) -> ColouredSolid:
    if solid.color is None:
        return ColouredSolid(place, solid, colour)
    r, g, b, opacity = solid.color
    return ColouredSolid(place, solid, (round(255 * r), round(255 * g), round(255 * b)), opacity)


def _solids(model: Model) -> dict[int, list[Solid]]:
    """What each body looks like: its shapes and those of links merged into it, or else sticks."""
    found: dict[int, list[Solid]] = {i: [] for i in range(model.nb + 1)}
    lost = []
    for body in model.links:
        frame = model.frame(body.name)
        pose = np.array(frame.X.matrix(), float)
        for shape in body.shapes:
            try:
                found[frame.body] += [part.moved(pose) for part in solids(shape)]
            except Exception as error:  # readers of meshes raise what they like
                lost.append(f"{getattr(shape, 'path', shape)} of link {body.name!r}: {error}")
    if lost:
        caution(
            f"shapes of `{model.name}` that cannot be drawn: {len(lost)}. The first is {lost[0]}. "
            "Links without shapes are drawn as sticks.",
        )
    ends = _ends(model)
    lengths = [np.linalg.norm(p) for some in ends.values() for p in some]
    r = 0.07 * float(np.median([l for l in lengths if l > 1e-9] or [1.0]))
    for i in model.tree.bodies:
        if not found[i]:
            sticks = (_stick_to(p, r) for p in ends[i] if np.linalg.norm(p) > 1e-9)
            found[i] = [ball(1.8 * r), *sticks]
    return found


def _stick_to(p: np.ndarray, r: float) -> Solid:
    """A stick from the origin to a point."""
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = axes(p / np.linalg.norm(p)), p / 2
    return stick(float(np.linalg.norm(p)), r).moved(pose)


def _ends(model: Model) -> dict[int, list[np.ndarray]]:
    """For each body, where the joints behind it are, or else its centre of mass, in its axes."""
    tree = model.tree
    ends: dict[int, list[np.ndarray]] = {i: [] for i in tree.bodies}
    for i in tree.bodies:
        if tree.parent[i]:
            ends[tree.parent[i]].append(np.array(tree.Xtree[i].r, float))
    for i in tree.bodies:
        if not ends[i] and tree.I[i].m > 0:
            ends[i].append(np.array(tree.I[i].com(), float))
    return ends


def limbs(model: Model) -> list[int]:
    """Which limb each body is part of: a limb is from one branching of the tree to the next."""
    parent = model.tree.parent
    found, count = [-1], 0
    for i in model.tree.bodies:
        starts = parent[i] == 0 or parent.count(parent[i]) > 1
        found.append(count if starts else found[parent[i]])
        count += starts
    return found


def _colours(model: Model) -> list[Colour]:
    """For what has none: one colour a limb, lighter and darker by turns."""
    limb, parent = limbs(model), model.tree.parent
    colours, dark = [(150, 150, 155)], [False]
    for i in model.tree.bodies:
        dark.append(limb[i] == limb[parent[i]] and not dark[parent[i]])
        rgb = colorsys.hls_to_rgb(HUES[limb[i] % len(HUES)], 0.52 if dark[i] else 0.62, 0.55)
        r, g, b = (round(255 * x) for x in rgb)
        colours.append((r, g, b))
    return colours
