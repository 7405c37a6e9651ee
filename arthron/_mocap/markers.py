"""Markers of optical motion capture, from C3D files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .._figure.figure import Array
from ..errors import FileError, nearest

METRES = {"mm": 0.001, "cm": 0.01, "m": 1.0, "in": 0.0254, "inch": 0.0254, "ft": 0.3048}


@dataclass(frozen=True, eq=False)
class Markers:
    """Where markers are in time.

    Attributes:
        positions: [m], in the file's axes, (frames, markers, 3); NaN where one was not seen.
        rate: frames a second [Hz].
        names: of the markers.
        path: the file.
    """

    positions: Array
    rate: float
    names: tuple[str, ...]
    path: str

    def __getitem__(self, name: str) -> Array:
        """The way of a marker, (frames, 3)."""
        if name not in self.names:
            known = nearest(str(name), self.names)
            raise FileError(f"no marker {name!r}.{known} `names` lists all.", self.path)
        return self.positions[:, self.names.index(name)]


def load_markers(path: str | Path) -> Markers:
    """Markers of a C3D file, in metres; which axis is up is left as it is.

    Needs `pip install "arthron[c3d]"`.
    """
    name = str(path)
    try:
        import ezc3d  # type: ignore[import-not-found]
    except ImportError:
        raise FileError(
            'C3D files are read by ezc3d: `pip install "arthron[c3d]"` brings it.', name
        ) from None
    if not Path(path).is_file():
        raise FileError("it cannot be read: there is no such file. Check the path.", name)
    try:
        file = ezc3d.c3d(name)
        points = np.asarray(file["data"]["points"], dtype=float)
        said = file["parameters"]["POINT"]
        labels = tuple(str(label) for label in said["LABELS"]["value"])
        unit = "".join(said["UNITS"]["value"][:1]).strip().lower() if "UNITS" in said else ""
        rate = float(said["RATE"]["value"][0])
    except (
        OSError,
        ValueError,
        KeyError,
        IndexError,
        TypeError,
        RuntimeError,
        MemoryError,
    ) as error:
        raise FileError(f"it is no C3D file that ezc3d reads: {error}", name) from None
    if unit not in METRES:
        raise FileError(
            f"its lengths are in {unit!r}. Known units are {', '.join(METRES)}; correct "
            "POINT:UNITS in the file.", name,
        )  # fmt: skip
    positions = np.moveaxis(points[:3], 0, -1).swapaxes(0, 1) * METRES[unit]
    if len(labels) < positions.shape[1] or not 0.0 < rate < np.inf:
        raise FileError(
            f"it has {positions.shape[1]} markers, {len(labels)} names and {rate:g} frames a "
            "second, which cannot be. Write it anew from its source.", name,
        )  # fmt: skip
    return Markers(np.ascontiguousarray(positions), rate, labels[: positions.shape[1]], name)
