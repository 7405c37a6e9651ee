"""Films of a trajectory without a browser: GIF and MP4."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._simulate.progress import Bar
from ..errors import ArthronError, FileError, ShapeError
from .pictures import pixels, require_suffix
from .recording import record, times_of
from .squash_stretch import SquashStretch
from .still import Studio, picture, studio

if TYPE_CHECKING:
    from .._scene.scene import Scene
    from .._simulate.trajectory import Trajectory

FASTEST = {".gif": 50.0, ".mp4": 240.0}
"""Frames a second; browsers play faster GIF slowly."""
NEEDED = {
    ".gif": ("PIL.Image", "Pillow", "view"),
    ".mp4": ("imageio_ffmpeg", "imageio-ffmpeg", "film"),
}
"""What writes them: the module, its package, and the extra that brings it."""
SAMPLED = 4
"""Frames that the colours of a GIF are taken from."""
GREYS, VIVID = 96, 16
"""Of its 256 colours, and how much red, green and blue differ in the others."""


def draw_film(
    trajectory: Trajectory, path: Path, scene: Scene | None, fps: Any, size: Any,
    stretch: SquashStretch | None = None,
) -> Path:  # fmt: skip
    """Draw the motion as it goes, one second in one second."""
    require_suffix(path, tuple(FASTEST))
    size, kind = pixels(size), path.suffix.lower()
    try:
        rate = float(fps)
    except (TypeError, ValueError):
        rate = np.nan
    if not 0.1 <= rate <= FASTEST[kind]:
        raise ShapeError(
            f"`fps` is {fps!r}. Give frames a second, from 0.1 to {FASTEST[kind]:g} of a "
            f"{kind[1:].upper()} film."
        )
    library = _library(kind)
    if kind == ".mp4" and any(x % 2 for x in size):
        raise ShapeError(f"`size` is {size!r}. MP4 films have even widths and heights.")
    known = times_of(trajectory)
    count = 1 + int(np.floor((known[-1] - known[0]) * rate + 1e-6))
    times = np.minimum(known[0] + np.arange(count) / rate, known[-1])
    if isinstance(stretch, SquashStretch):
        stretch = replace(stretch, frame=stretch.frame or 1.0 / rate)
    place = studio(record(trajectory, scene, times, stretch), size)
    part = path.with_name(f"{path.stem}.part{path.suffix}")  # a film of before stays until then
    try:
        part.write_bytes(b"")
        WRITERS[kind](library, place, part, rate)
        part.replace(path)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise FileError(f"the film cannot be written: {why}.", str(path)) from error
    finally:
        part.unlink(missing_ok=True)
    return path


def _library(kind: str) -> Any:
    """What writes films of a kind, if it is there."""
    module, package, extra = NEEDED[kind]
    try:
        return import_module(module)
    except ImportError:
        raise ArthronError(
            f'{kind[1:].upper()} films need {package}: `pip install "arthron[{extra}]"`.'
        ) from None


def _frames(place: Studio) -> Iterator[np.ndarray]:
    """All pictures, with a bar on the terminal that says how far it is."""
    count = len(place.recording.t)
    bar = Bar(count, True)
    try:
        for k in range(count):
            yield picture(place, [k])
            bar.show(k + 1)
    finally:
        bar.close()


def _write_gif(image: Any, place: Studio, path: Path, fps: float) -> None:
    count = len(place.recording.t)
    some = np.unique(np.linspace(0, count - 1, SAMPLED).astype(int))
    palette = _palette(image, np.stack([picture(place, [k]) for k in some]))
    frames = (_indexed(image, frame, palette) for frame in _frames(place))
    ends = np.round(100.0 * np.arange(count + 1) / fps)  # whole hundredths, and true on the whole
    durations = (10.0 * np.diff(ends)).astype(int).tolist()
    next(frames).save(
        path, format="GIF", save_all=True, append_images=frames, duration=durations, loop=0
    )


def _palette(image: Any, pictures: np.ndarray) -> Any:
    """A picture that has the colours of a GIF: greys, white among them, and those of the figure."""
    palette = image.new("P", (1, 1))
    colours = np.repeat(np.linspace(0, 255, GREYS).astype(np.uint8), 3)
    vivid = pictures[np.ptp(pictures, axis=-1) > VIVID]
    if len(vivid):
        own = image.fromarray(vivid[None]).quantize(256 - GREYS).getpalette()
        colours = np.append(colours, np.array(own[: 3 * (256 - GREYS)], np.uint8))
    palette.putpalette(colours.tobytes())
    return palette


def _indexed(image: Any, frame: np.ndarray, palette: Any) -> Any:
    """A picture in the colours of another."""
    found = image.fromarray(frame).quantize(palette=palette, dither=image.Dither.NONE)
    white = (frame.min(-1) >= 252).astype(np.uint8)  # Pillow looks at six of eight bits
    found.paste(GREYS - 1, mask=image.fromarray(255 * white))
    return found


def _write_mp4(ffmpeg: Any, place: Studio, path: Path, fps: float) -> None:
    writer = ffmpeg.write_frames(str(path), place.size, fps=fps, quality=8, macro_block_size=2)
    writer.send(None)
    try:
        for frame in _frames(place):
            writer.send(np.ascontiguousarray(frame))
    finally:
        writer.close()


WRITERS = {".gif": _write_gif, ".mp4": _write_mp4}
