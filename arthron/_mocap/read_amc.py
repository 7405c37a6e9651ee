"""AMC motions of Acclaim's format: for each frame a line of numbers for each bone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from .._figure.figure import Array
from ..errors import FileError, nearest
from .plain_text import Word, number, read_lines
from .read_asf import AsfFile, read_asf
from .skeleton import POSITIONS, ROTATIONS, MotionFile

RATE = 120.0
"""Frames a second: AMC files do not say, and those of the CMU database have 120."""


Said = tuple[int, list[str]]
Frame = tuple[int, dict[str, Said]]
"""The line of a frame, and by bone a line and the words on it."""


def read_amc(path: str | Path, skeleton: str | Path | None = None) -> MotionFile:
    """An AMC file, whose skeleton is in an ASF file; the one beside it when left out."""
    asf = read_asf(_beside(Path(path)) if skeleton is None else skeleton)
    lines, name = read_lines(path), str(path)
    in_degrees = asf.in_degrees
    frames: list[Frame] = []
    for count, line in enumerate(lines, 1):
        parts = line.split("#")[0].split()
        if not parts:
            continue
        if parts[0].startswith(":"):
            in_degrees = {":degrees": True, ":radians": False}.get(parts[0].lower(), in_degrees)
        elif len(parts) == 1 and parts[0].isdigit():
            frames.append((count, {}))
        elif not frames:
            raise FileError(
                f"{parts[0][:40]!r} came where a frame is expected: its number alone on a line.",
                name, count,
            )  # fmt: skip
        elif parts[0] in frames[-1][1]:
            raise FileError(f"the frame has {parts[0][:40]!r} twice.", name, count)
        else:
            frames[-1][1][parts[0]] = count, parts[1:]
    if not frames:
        raise FileError("it has no frames. The file may have been cut off.", name)
    values = _values(asf, frames, name)
    if not in_degrees:
        turns = [c in ROTATIONS for joint in asf.skeleton.joints for c in joint.channels]
        values[:, turns] = np.degrees(values[:, turns])
    root = asf.skeleton.joints[0]
    for k, channel in enumerate(root.channels):
        if channel in POSITIONS:
            values[:, k] += root.offset[POSITIONS.index(channel)]
    return MotionFile(asf.skeleton, values, 1.0 / RATE, name, asf.unit)


def _values(asf: AsfFile, frames: list[Frame], path: str) -> Array:
    """Numbers of all channels, (frames, channels)."""
    expected = {j.name: len(j.channels) for j in asf.skeleton.joints if j.channels}
    rows = []
    for start, (line, said) in enumerate(frames, 1):
        if {name: len(given) for name, (_, given) in said.items()} != expected:
            _complain(f"frame {start}", line, said, expected, path)
        rows.append([text for name in expected for text in said[name][1]])
    try:
        found = np.array(rows, dtype=float).reshape(len(frames), -1)
    except ValueError:
        found = np.array(np.nan)
    if not (np.abs(found) <= 1e9).all():
        for _, said in frames:
            for name, (line, given) in said.items():
                for text in given:
                    number(Word(text, line), path, name)
    return found


def _complain(
    frame: str, line: int, said: Mapping[str, Said], expected: Mapping[str, int], path: str
) -> None:
    """Say what is wrong with a frame."""
    for name, (at, given) in said.items():
        if name not in expected:
            raise FileError(
                f"{frame} has {name[:40]!r}, a bone that moves in no way in the skeleton."
                f"{nearest(name[:40], expected)} Give the skeleton of this motion.", path, at,
            )  # fmt: skip
        if len(given) != expected[name]:
            raise FileError(
                f"bone {name!r} has {len(given)} numbers, and the skeleton has {expected[name]} "
                "degrees of freedom for it. Give the skeleton of this motion.", path, at,
            )  # fmt: skip
    lost = next(name for name in expected if name not in said)
    raise FileError(f"{frame} has no line for bone {lost!r}. Add it.", path, line)


def _beside(path: Path) -> Path:
    """The one ASF file in the folder of a motion."""
    found = sorted(p for p in path.parent.glob("*") if p.suffix.lower() == ".asf")
    if len(found) != 1:
        there = ", ".join(p.name for p in found[:5]) or "none"
        raise FileError(
            f"an AMC file has no skeleton of its own, and of .asf files beside it there are: "
            f"{there}. Say which: `skeleton=\"11.asf\"`.", str(path),
        )  # fmt: skip
    return found[0]
