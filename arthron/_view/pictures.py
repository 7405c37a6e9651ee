"""Pictures of a trajectory without a browser: one moment, several in one, or a strip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .._simulate.plain_file import plain_path
from ..errors import FileError, ShapeError
from .png import write_png
from .recording import Recording, record, still, times_of
from .still import picture, studio

if TYPE_CHECKING:
    from .._model.model import Model
    from .._scene.scene import Scene
    from .._simulate.trajectory import Trajectory
    from .squash_stretch import SquashStretch

SMALLEST, LARGEST = 16, 8192
"""Pixels that a picture can be wide or high."""
MOMENTS = 5
"""Of a strip, if nobody says which."""
GAP = 160
"""How much wider than the gap between two moments a strip is."""


def draw_png(
    trajectory: Trajectory, path: Path, scene: Scene | None, t: ArrayLike | None, size: Any,
    stretch: SquashStretch | None = None,
) -> Path:  # fmt: skip
    """Draw the last state, that at a time, or those at several on top of each other."""
    require_suffix(path, ("", ".png"))
    size = pixels(size)
    times = times_of(trajectory)[-1:] if t is None else moments(trajectory, t)
    return _draw(record(trajectory, scene, times, stretch), path, size)


def _draw(recording: Recording, path: Path, size: tuple[int, int]) -> Path:
    """Draw all frames into one picture."""
    seen = replace(recording, focus=0.0 * recording.focus)  # all looks are in one place
    return write_png(picture(studio(seen, size), range(len(seen.t))), path)


def draw_strip(
    trajectory: Trajectory, path: Path, scene: Scene | None, t: ArrayLike | None, size: Any,
    stretch: SquashStretch | None = None,
) -> Path:  # fmt: skip
    """Draw moments side by side, seen from one place."""
    require_suffix(path, ("", ".png"))
    width, height = pixels(size)
    known = times_of(trajectory)
    times = np.linspace(known[0], known[-1], MOMENTS) if t is None else moments(trajectory, t)
    gap = max(1, width // GAP)
    wide = (width - gap * (len(times) - 1)) // len(times)
    if wide < SMALLEST:
        raise ShapeError(
            f"{len(times)} moments side by side in {width} pixels have no room. Give a larger "
            "`size`, or fewer times."
        )
    place = studio(record(trajectory, scene, times, stretch), (wide, height))
    strip = np.full((height, width, 3), 255, np.uint8)
    for k in range(len(times)):
        start = k * (wide + gap)
        strip[:, start : start + wide] = picture(place, [k])
    return write_png(strip, path)


def draw_pose(model: Model, path: str | Path, q: ArrayLike | None, size: Any) -> Path:
    """Draw a figure in one pose."""
    place = plain_path(path)
    require_suffix(place, ("", ".png"))
    return _draw(still(model, q), place, pixels(size))


def moments(trajectory: Trajectory, t: ArrayLike) -> np.ndarray:
    """Times that were asked for, in their order; they have to be within the motion."""
    known = times_of(trajectory)
    try:
        times = np.atleast_1d(np.asarray(t, float))
    except (TypeError, ValueError):
        raise ShapeError(f"`t` is {t!r}. Give a time in seconds, or several.") from None
    slack = 1e-9 * max(1.0, float(np.abs(known).max()))
    if times.ndim > 1 or not len(times):
        raise ShapeError(f"`t` has shape {times.shape}. Give a time in seconds, or several.")
    bad = times[~((times >= known[0] - slack) & (times <= known[-1] + slack))]
    if len(bad):
        raise ShapeError(
            f"t = {bad[0]:g} s is not within the motion, which is from {known[0]:g} to "
            f"{known[-1]:g} s. Give times within it."
        )
    return times


def pixels(size: Any) -> tuple[int, int]:
    """Width and height as whole numbers."""
    try:
        width, height = (float(x) for x in size)
    except (TypeError, ValueError):
        width = height = np.nan
    if not all(SMALLEST <= x <= LARGEST and x == round(x) for x in (width, height)):
        raise ShapeError(
            f"`size` is {size!r}. Give width and height in pixels, whole numbers from {SMALLEST} "
            f"to {LARGEST}, such as (640, 480)."
        )
    return round(width), round(height)


def require_suffix(path: Path, known: Sequence[str]) -> None:
    """The end of a file's name says what it is."""
    if path.suffix.lower() not in known:
        names = " or ".join(f'"{suffix}"' for suffix in known if suffix)
        raise FileError(f"ends in {path.suffix!r}. Let the name end in {names}.", str(path))
