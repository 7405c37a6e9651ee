"""Units and axes of a file of motion capture: what they are, and into metres with z up."""

from __future__ import annotations

import reprlib
from collections.abc import Sequence
from dataclasses import replace
from numbers import Real
from typing import NamedTuple

import numpy as np

from .._figure.figure import Array
from ..errors import FileError
from .mass_model import long_bone
from .segment_names import BodyPart
from .segment_tables import body_segments, mean_person
from .skeleton import MotionFile, Offset, Skeleton
from .skeleton_poses import joint_positions

UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "inch": 0.0254, "cmu": 0.0254 / 0.45}
"""Metres; "cmu" is the unit of the CMU database, 1/0.45 inch."""
PERSON = (1.0, 2.5)
"""Statures that are taken for a person's [m]."""
STATURE = (0.3, 3.0)
"""Statures that may be said [m]: of a figure with a person's segments, however small or large."""
TYPICAL = 1.7
CLEARLY = 0.8
"""Cosine of the greatest angle to an axis at which something points along it."""


class FileAxes(NamedTuple):
    """How lengths and directions of a file become the world's.

    Attributes:
        scale: metres a unit.
        up: "y" or "z", what is up in the file.
        about: how that is known, for `clip.about`.
        height: the person's stature [m]: of the rest pose, or what legs say where that is more.
    """

    scale: float
    up: str
    about: dict[str, str]
    height: float

    def to_world(self, v: Array) -> Array:
        """A vector or an axis of the file in the world's axes: (z, x, y) where y is up."""
        return v[..., [2, 0, 1]] if self.up == "y" else v

    def to_file(self, v: Array) -> Array:
        """The other way round."""
        return v[..., [1, 2, 0]] if self.up == "y" else v

    def quaternions(self, q: Array) -> Array:
        """Turns of the file in the world's axes."""
        return np.concatenate([q[..., :1], self.to_world(q[..., 1:])], -1)

    def skeleton(self, skeleton: Skeleton) -> Skeleton:
        """Its offsets in metres and the world's axes."""

        def moved(v: Offset) -> Offset:
            x, y, z = (self.to_world(np.array(v)) * self.scale).tolist()
            return x, y, z

        joints = (
            replace(j, offset=moved(j.offset), ends=tuple(map(moved, j.ends)))
            for j in skeleton.joints
        )
        return replace(skeleton, joints=tuple(joints))


def file_axes(
    file: MotionFile, parts: Sequence[BodyPart], units: str | None, up: str | None,
    height: float | None,
) -> FileAxes:  # fmt: skip
    """What was said of a file, and the rest by looking at its figure."""
    path = file.path
    if units is not None and units not in tuple(UNITS):
        raise FileError(f"`units` is {units!r}. Give one of {', '.join(UNITS)}.", path)
    if up not in (None, "y", "z"):
        raise FileError(f'`up` is {up!r}. Give "y" or "z": which axis of the file is up.', path)
    least, most = STATURE
    if height is not None and not (isinstance(height, Real) and least <= float(height) <= most):
        raise FileError(
            f"`height` is {reprlib.repr(height)}. Give the person's stature in metres, "
            f"{least:g} to {most:g}: 1.8 for 180 cm.", path,
        )  # fmt: skip
    found, how = (up, "given") if up else _up(file, parts)
    rest = _points(file.skeleton, file.skeleton.rest_positions())
    span = max(float(np.ptp(rest[:, 1 if found == "y" else 2])), _by_legs(file.skeleton, parts))
    if not span > 0.0:
        raise FileError("its skeleton has no height: offsets are zero, or nearly.", path)
    scale, unit = _scale(file, span, units, height)
    about = {"units": unit, "up": f"{found}, {how}", "height": f"{span * scale:.3f} m"}
    return FileAxes(scale, found, about, span * scale)


def _by_legs(skeleton: Skeleton, parts: Sequence[BodyPart]) -> float:
    """Stature of a person with such thighs and shanks, as skeletons may end below the crown."""
    table, found = body_segments(), 0.0
    for side in ("left", "right"):
        legs = {
            segment: sum(long_bone(skeleton, parts, k)[1] for k in range(len(parts))
                         if parts[k][:2] == (segment, side))
            for segment in ("thigh", "shank")
        }  # fmt: skip
        if all(legs.values()):
            found = max(found, sum(legs.values()) / sum(table[name].length for name in legs))
    return found * mean_person()[0]


def _scale(
    file: MotionFile, span: float, units: str | None, height: float | None
) -> tuple[float, str]:
    """Metres a unit, and how that is known."""
    if height is not None:
        return height / span, f"{height / span:.6g} m, by the height given"
    if units is not None:
        stature, (least, most) = span * UNITS[units], STATURE
        if not least <= stature <= most:
            near, metres = _nearest_unit(span)
            raise FileError(
                f"`units` is {units!r}, in which the person is {stature:.4g} m tall; {least:g} to "
                f"{most:g} m were expected. In {near} it is {span * metres:.4g} m: give the unit "
                "of the file, or `height=1.75` instead.", file.path,
            )  # fmt: skip
        return UNITS[units], f"{units}, given"
    if file.unit is not None:
        return file.unit, f"{file.unit:.6g} m, as the skeleton's file says"
    best, metres = _nearest_unit(span)
    if not PERSON[0] < span * metres < PERSON[1]:
        raise FileError(
            f"its skeleton is of stature {span:.4g}, which is no person's height in "
            f'{", ".join(UNITS)}. Give `height=1.75` in metres, or `units="cm"`.', file.path,
        )  # fmt: skip
    return metres, f"{best}, guessed"


def _nearest_unit(span: float) -> tuple[str, float]:
    """The unit in which a stature is nearest to a person's, and its metres."""
    return min(UNITS.items(), key=lambda unit: abs(np.log(span * unit[1] / TYPICAL)))


def _up(file: MotionFile, parts: Sequence[BodyPart]) -> tuple[str, str]:
    """Which axis goes from the feet to the head, at rest and in the first frame."""
    low = [k for k, part in enumerate(parts) if part.segment == "foot"]
    low = low or [k for k, part in enumerate(parts) if part.segment in ("shank", "thigh")]
    high = [k for k, part in enumerate(parts) if part.segment == "head"]
    high = high or [k for k, part in enumerate(parts) if part.segment == "trunk_upper"]
    seen: set[str] = set()
    if low and high:
        first = joint_positions(file, slice(0, 1))[0]
        for points in (file.skeleton.rest_positions(), first):
            way = points[high].mean(0) - points[low].mean(0)
            way = way / max(float(np.linalg.norm(way)), 1e-300)
            seen |= {axis for axis, x in zip("xyz", way, strict=True) if x > CLEARLY}
    axes = seen - {"x"}
    if len(axes) != 1:
        raise FileError(
            "it does not tell whether y or z is up: no one axis goes from the feet to the head at "
            'rest and in the first frame. Say it: `up="y"` or `up="z"`.', file.path,
        )  # fmt: skip
    return axes.pop(), "from feet to head"


def _points(skeleton: Skeleton, positions: Array) -> Array:
    """Joints and ends of bones."""
    ends = [positions[k] + np.array(e) for k, j in enumerate(skeleton.joints) for e in j.ends]
    return np.vstack([positions, *ends])
