"""What a simulation leaves behind: states in time, kept in memory and in a file that only grows."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import FileError

if TYPE_CHECKING:
    from .._api import Model
    from .._scene.scene import Scene

Array = np.ndarray
MAGIC = b"arthron trajectory 1\n"
COLUMNS = ("t", "q", "qd", "kinetic", "potential", "forces")


@dataclass(frozen=True)
class Trajectory:
    """States of a figure in time. Leading axes of all but `t` are a batch.

    Attributes:
        t: times [s], (n,).
        q: coordinates, (..., n, nq).
        qd: velocities, (..., n, nv).
        kinetic: kinetic energy [J], (..., n).
        potential: potential energy of gravity and of the scene's forces [J], (..., n).
        forces: joint forces that it took to move joints as told, over the step before, zero at the
            others, (..., n, nv).
        about: what made it: name of the model, integrator, step, ...
        model: the figure, unless it was read from a file without one.
    """

    t: Array
    q: Array
    qd: Array
    kinetic: Array
    potential: Array
    forces: Array
    about: Mapping[str, Any] = field(default_factory=dict)
    model: Model | None = None

    @property
    def energy(self) -> Array:
        """Kinetic and potential energy [J], (..., n)."""
        return self.kinetic + self.potential

    def __len__(self) -> int:
        """How many states there are."""
        return len(self.t)

    def __repr__(self) -> str:
        name, batch = self.about.get("model", "figure"), self.q.shape[:-2]
        many = f" of {batch}" if batch else ""
        span = f"{self.t[0]:g} to {self.t[-1]:g} s" if len(self.t) else "no time"
        return f"<Trajectory of {name}{many}: {len(self.t)} states from {span}>"

    def save(self, path: str | Path) -> Path:
        """Write all of it to a file, without loss; `ar.load_trajectory` reads it back."""
        path = Path(path)
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        with TrajectoryFile.create(temporary, self) as file:
            file.append(self)
        temporary.replace(path)
        return path

    def plot(self, path: str | Path | None = None) -> Any:
        """Draw energies and coordinates against time, of the first of a batch.

        With a path, the picture is written there and the path comes back; without, the figure of
        matplotlib does. Needs `pip install "arthron[view]"`.
        """
        from .._view.plot import plot

        return plot(self, path)

    def save_html(self, path: str | Path, scene: Scene | None = None) -> Path:
        """Write a page that plays the motion in any browser, of the first of a batch.

        Bodies are drawn by their shapes, or as sticks where they have none; with the scene, its
        springs and cables too. Needs `pip install "arthron[view]"`.
        """
        from .._view.html import write_html
        from .._view.recording import record

        return write_html(record(self, scene), path)


class TrajectoryFile:
    """A trajectory on disk: a line of JSON, then one record of numbers after the other.

    Records are only ever added, so that a run which is killed leaves all whole ones behind.
    """

    def __init__(self, path: Path, header: dict[str, Any], offset: int) -> None:
        self.path, self.header, self._offset = path, header, offset
        self._file = path.open("r+b")
        self._file.seek(0, os.SEEK_END)

    @staticmethod
    def create(path: Path, like: Trajectory) -> TrajectoryFile:
        """A new file for trajectories like this one, without its states."""
        header = {
            "about": dict(like.about),
            "batch": like.q.shape[:-2],
            "nq": like.q.shape[-1],
            "nv": like.qd.shape[-1],
            "forces": bool(like.about.get("prescribed")),
        }
        text = MAGIC + json.dumps(header).encode() + b"\n"
        try:
            path.write_bytes(text)
        except OSError as error:
            raise FileError(f"cannot be written: {error.strerror}.", str(path)) from error
        return TrajectoryFile(path, header, len(text))

    @staticmethod
    def open(path: Path) -> TrajectoryFile:
        """A file that is there; a record cut short at its end is dropped."""
        try:
            with path.open("rb") as file:
                magic, line = file.readline(), file.readline()
                header, offset = json.loads(line or b"null"), file.tell()
        except (OSError, ValueError) as error:
            raise FileError(f"cannot be read as a trajectory: {error}.", str(path)) from error
        if magic != MAGIC or not isinstance(header, dict):
            raise FileError("is no trajectory of arthron.", str(path))
        found = TrajectoryFile(path, header, offset)
        whole = (path.stat().st_size - offset) // found.record_bytes
        found._file.truncate(offset + whole * found.record_bytes)
        found._file.seek(0, os.SEEK_END)
        return found

    @property
    def _widths(self) -> list[int]:
        rows = int(np.prod(self.header["batch"], dtype=int))
        nq, nv = rows * self.header["nq"], rows * self.header["nv"]
        return [1, nq, nv, rows, rows, nv if self.header["forces"] else 0]

    @property
    def record_bytes(self) -> int:
        """Bytes of one time."""
        return 8 * sum(self._widths)

    def append(self, part: Trajectory) -> None:
        """Add the states of a trajectory."""
        n = len(part.t)
        columns = [part.t.reshape(n, 1)]
        for name in COLUMNS[1:]:
            array = getattr(part, name)
            if name == "forces" and not self.header["forces"]:
                continue
            axis = len(self.header["batch"])
            columns.append(np.moveaxis(array, axis, 0).reshape(n, -1))
        self._file.write(np.ascontiguousarray(np.concatenate(columns, axis=1), "<f8").tobytes())
        self._file.flush()

    def read(self, model: Model | None = None) -> Trajectory:
        """All states so far."""
        raw = np.fromfile(self.path, "<f8", offset=self._offset).reshape(-1, sum(self._widths))
        parts = np.split(raw, np.cumsum(self._widths)[:-1], axis=1)
        batch, n = tuple(self.header["batch"]), len(raw)
        sizes = self.header["nq"], self.header["nv"]
        if model is not None and (model.nq, model.nv) != sizes:
            raise FileError(
                f"holds a figure with {sizes[0]} coordinates and {sizes[1]} velocities, and "
                f"`{model.name}` has {model.nq} and {model.nv}.",
                str(self.path),
            )
        nv = self.header["nv"]
        shapes = [(self.header["nq"],), (nv,), (), (), (nv,)]
        if not self.header["forces"]:
            parts[-1] = np.zeros((n, math.prod(batch) * nv))
        arrays = [
            np.moveaxis(part.reshape(n, *batch, *shape), 0, len(batch))
            for part, shape in zip(parts[1:], shapes, strict=True)
        ]
        return Trajectory(parts[0][:, 0], *arrays, about=self.header["about"], model=model)

    def __enter__(self) -> TrajectoryFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def load_trajectory(path: str | Path, model: Model | None = None) -> Trajectory:
    """Read a trajectory that `save` or a simulation wrote; with the model, it can be viewed."""
    with TrajectoryFile.open(Path(path)) as file:
        return file.read(model)
