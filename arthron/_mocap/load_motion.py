"""Clips from files of motion capture."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from numbers import Real
from pathlib import Path

import numpy as np

from .._figure.figure import Array
from .._model.model import Model
from ..errors import FileError, ModelError, ShapeError
from .clip import Clip
from .clip_source import ClipSource
from .figure_of_skeleton import coordinates_of, figure_of
from .file_axes import file_axes
from .mass_model import body_inertias
from .read_amc import read_amc
from .read_bvh import read_bvh
from .segment_names import body_parts
from .segment_tables import mean_person
from .skeleton import MotionFile

OTHERS = {
    ".asf": "This is a skeleton without motion: give it as `skeleton` of an AMC file.",
    ".c3d": "This is a file of markers: `ar.mocap.load_markers` reads those.",
    ".fbx": "Export it as BVH, which Blender and MotionBuilder do.",
}
"""What to do with files of other kinds."""

MASS = (2.0, 500.0)
"""Masses that may be said [kg]."""
ROUNDING = 2e-4
"""Relative: 0.03333 s are a thirtieth of a second, and 59.94 Hz are not 60."""
JUMP = 0.5
"""From one frame to the next [rad or m]: how far a first frame is off that is none."""


def load_motion(
    path: str | Path,
    *,
    skeleton: str | Path | None = None,
    height: float | None = None,
    mass: float | None = None,
    sex: str | None = None,
    units: str | None = None,
    up: str | None = None,
    segments: Mapping[str, str] | None = None,
    rate: float | None = None,
) -> Clip:
    """A clip from a BVH file, or from an AMC file and its ASF skeleton, in metres with z up.

    Of files with y up, a person who looks along z looks along the world's x, with y to the left.
    What was guessed is in `clip.about`.

    Args:
        path: the file, .bvh or .amc.
        skeleton: the .asf file of an .amc file; the one that lies beside it when left out.
        height: the person's stature [m]; by `units` when left out.
        mass: of the person [kg]; as heavy as mean people of that height when left out.
        sex: "female" or "male", whose mass is spread so (D96); None for the mean of both.
        units: of lengths in the file, "m", "cm", "mm", "inch" or "cmu"; guessed when left out.
        up: "y" or "z", which axis of the file is up; found out when left out.
        segments: segments of `ar.mocap.body_segments` by joint, for names that are not known.
        rate: frames a second [Hz], whatever the file says; what it says when left out, which AMC
            files do not: 120 is taken for those.
    """
    file = read_motion(path, skeleton)
    name = file.path
    least, most = MASS
    if mass is not None and not (isinstance(mass, Real) and least <= float(mass) <= most):
        raise FileError(
            f"`mass` is {reprlib.repr(mass)}. Give the person's mass in kg, {least:g} to {most:g}.",
            name,
        )
    if rate is not None and not (isinstance(rate, Real) and 0.0 < float(rate) < np.inf):
        raise FileError(
            f"`rate` is {reprlib.repr(rate)}. Give frames a second, more than zero [Hz].", name
        )
    try:
        parts = body_parts(file.skeleton.names, segments)
        axes = file_axes(file, parts, units, up, height)
        stature, mean_mass = mean_person(sex)
        weight = mean_mass * (axes.height / stature) ** 2 if mass is None else float(mass)
        world = axes.skeleton(file.skeleton)
        model = figure_of(world, parts, axes, body_inertias(world, parts, weight, axes.height, sex))
        q = coordinates_of(file, model, axes)
        about = {**axes.about, "mass": f"{weight:.2f} kg, {'guessed' if mass is None else 'given'}"}
        source = ClipSource(file.skeleton, axes, dict(zip(file.skeleton.names, parts, strict=True)))
        if _jumps(model, q):
            about["first frame"] = "far from the next: a rest pose? `clip[1:]` leaves it out"
        frames = _rate(file.frame_time) if rate is None else float(rate)
        return Clip(model, q, frames, Path(path).stem, about, source)
    except (ModelError, ShapeError) as error:
        raise FileError(str(error), name) from error


def _rate(frame_time: float) -> float:
    """Frames a second: whole where few digits of the time are all that keeps it from that."""
    rate = 1.0 / frame_time
    return float(round(rate)) if abs(rate - round(rate)) < ROUNDING * rate else rate


def _jumps(model: Model, q: Array) -> bool:
    """Whether the way from the first frame to the second is out of all proportion."""
    steps = np.abs(model.difference(q[:12][:-1], q[:12][1:])).max(-1, initial=0.0)
    return len(steps) > 2 and steps[0] > max(JUMP, 4.0 * float(steps[1:].max()))


def read_motion(path: str | Path, skeleton: str | Path | None = None) -> MotionFile:
    """What a file of motion capture holds, in its own units and axes."""
    if not isinstance(path, str | Path):
        raise FileError(f"a {type(path).__name__} is no path. Give the name of a file.", repr(path))
    ending = Path(path).suffix.lower()
    if ending == ".amc":
        return read_amc(path, skeleton)
    if ending != ".bvh":
        what = OTHERS.get(ending, "Give one of these, or export the motion as BVH.")
        raise FileError(f"motion is read from .bvh and .amc files. {what}", str(path))
    if skeleton is not None:
        raise FileError("a BVH file has a skeleton of its own. Leave `skeleton` out.", str(path))
    return read_bvh(path)
