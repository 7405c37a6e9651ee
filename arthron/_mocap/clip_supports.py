"""Which feet stand when, by where they are and how fast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from .._algorithms.planned_motion import BodyPoint
from .._figure.figure import Array
from .._figure.shapes import Box, Capsule, Cylinder, Shape, Sphere
from .._model.model import Model
from ..errors import ModelError
from .foot_contact import (
    LOW,
    SHORTEST,
    SLOW,
    WINDOW,
    Flags,
    lowest_about,
    touches,
    without_short_runs,
)
from .segment_names import SEGMENT_OF, split_name

if TYPE_CHECKING:
    from .clip import Clip


@dataclass(frozen=True, eq=False)
class Foot:
    """A foot in time: the bodies behind an ankle, of which the heaviest is pushed.

    Attributes:
        link: the heaviest body's name.
        body: its number among the bodies that move, from 0.
        ankle: where the first of its bodies is, in the world, (frames, 3).
        points: ends of its solids, in the world, (frames, points, 3).
        floor: how low each point gets about each time, (frames, points).
        radii: how far the solids reach below their points, (points,).
        ends: the points, each in its body's frame, as pages count bodies.
        upside_down: whether all of it is above the figure's centre of mass, where no foot bears.
    """

    link: str
    body: int
    ankle: Array
    points: Array
    floor: Array
    radii: Array
    ends: tuple[BodyPoint, ...]
    upside_down: Flags

    def stands(self, rate: float, height: float = LOW, speed: float = SLOW) -> Flags:
        """Whether some point touches the ground, (frames,); never where `upside_down`."""
        found = np.any(touches(self.points, self.floor, rate, height, speed), axis=1)
        return without_short_runs(found, round(SHORTEST * rate)) & ~self.upside_down


def feet_of(clip: Clip) -> list[Foot]:
    """The left and the right foot, as far as they are there."""
    model, groups = clip.model, _foot_bodies(clip)
    poses, masses = model.body_poses(clip.q), model.inertial_parameters()[::10]
    com = model.center_of_mass(clip.q)[:, 2]
    feet = []
    for numbers in groups.values():
        points, radii, ends = [], [], []
        for number in numbers:
            own, thick = _solid_ends(model, number)
            ends += [(number + 1, (float(x), float(y), float(z))) for x, y, z in own]
            R, p = poses[:, number, :3, :3], poses[:, number, None, :3, 3]
            points.append(own @ np.swapaxes(R, -1, -2) + p)
            radii += thick
        heaviest = max(numbers, key=lambda k: masses[k])
        where = np.concatenate(points, 1)
        floor = lowest_about(where[..., 2], round(WINDOW * clip.rate))
        over = where[..., 2].min(1) > com
        link, ankle = model.body_names[heaviest], poses[:, numbers[0], :3, 3]
        feet.append(Foot(link, heaviest, ankle, where, floor, np.array(radii), (*ends,), over))
    if len(feet) == 2 and len(feet[0].radii) == len(feet[1].radii):  # both walk on one floor
        both = np.minimum(feet[0].floor, feet[1].floor)
        feet = [replace(foot, floor=both) for foot in feet]
    return feet


def ground_height(feet: Sequence[Foot]) -> Array:
    """Where the ground is about each time, (frames,): as low as the feet get."""
    return np.min([(foot.floor - foot.radii).min(1) for foot in feet], axis=0)


def _foot_bodies(clip: Clip) -> dict[str, list[int]]:
    """Numbers of the bodies of each foot, by its side."""
    model = clip.model
    found: dict[str, list[int]] = {}
    for number, name in enumerate(model.body_names):
        side, word = split_name(name)
        segment = SEGMENT_OF.get(word)
        if clip.source is not None:  # which knows what was said of names
            segment, side, _ = clip.source.parts[name]
        if segment == "foot":
            y = model.body_poses(model.neutral())[number, 1, 3]
            found.setdefault(side or ("left" if y >= 0.0 else "right"), []).append(number)
    if not found:
        raise ModelError(
            f"`{model.name}` has no body that is called a foot, an ankle or toes, so it is not "
            "known what stands on the ground. Call them so, or read the file with "
            '`segments={"joint": "foot"}`.'
        )
    return found


def _solid_ends(model: Model, number: int) -> tuple[Array, list[float]]:
    """Ends of a body's solids in its frame, and radii about them; its origin where it has none."""
    points, radii = [], []
    for shape in model.bodies[number].collision or ():
        ends, radius = _ends(shape)
        R, p = (np.array(x, dtype=float) for x in (shape.placement.R, shape.placement.r))
        points += [R @ end + p for end in ends]
        radii += [radius] * len(ends)
    return (np.array(points), radii) if points else (np.zeros((1, 3)), [0.0])


def _ends(shape: Shape) -> tuple[list[Array], float]:
    """Where a solid ends, and how much thicker it is there."""
    match shape:
        case Capsule() | Cylinder():
            half = np.array([0.0, 0.0, 0.5 * shape.length])
            return [half, -half], shape.radius if isinstance(shape, Capsule) else 0.0
        case Box():
            signs = product((-0.5, 0.5), repeat=3)
            return [np.array(sign) * np.array(shape.size) for sign in signs], 0.0
        case Sphere():
            return [np.zeros(3)], shape.radius
    return [np.zeros(3)], 0.0
