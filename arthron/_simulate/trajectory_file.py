"""A trajectory on disk: a file that only grows."""

from __future__ import annotations

import contextlib
import json
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import FileError, SimulationError
from .segment import Block
from .trajectory import Array, Trajectory, trajectory_of

if TYPE_CHECKING:
    from .._api import Model

MAGIC = b"arthron trajectory 2\n"
LONGEST = 1_000_000
"""The most bytes of a line at the beginning of a file."""


class TrajectoryFile:
    """A trajectory on disk: a line of JSON, then one record of numbers after the other.

    Records are only ever added, so that a run which is killed leaves all whole ones behind.

    Args:
        path: where it is.
        about: what the trajectory says about itself.
        batch: leading axes.
        columns: what a record holds behind its time, and how many numbers for each of a batch;
            what a trajectory has and is not there is zero.
        scene: a digest of what is simulated, so that another run can tell whether it is the same.
        parameters: numbers of the scene that were given, or that the start decided.
    """

    def __init__(
        self, path: Path, about: Mapping[str, Any], batch: Sequence[int],
        columns: Mapping[str, int], scene: str | None = None,
        parameters: Mapping[str, Array] | None = None,
    ) -> None:  # fmt: skip
        self.path, self.about, self.batch = path, json.loads(json.dumps(dict(about))), tuple(batch)
        self.columns, self.scene = dict(columns), scene
        self.parameters = dict(parameters or {})
        self.rows = math.prod(self.batch)
        self.record = 1 + self.rows * sum(self.columns.values())
        shapes = {name: x.shape for name, x in self.parameters.items()}
        header = {"about": self.about, "batch": self.batch, "columns": columns, "scene": scene,
                  "parameters": shapes}  # fmt: skip
        numbers = b"".join(x.astype("<f8").tobytes() for x in self.parameters.values())
        self.head = MAGIC + json.dumps(header).encode() + b"\n" + numbers
        self._file: Any = None

    @staticmethod
    def at(path: Path) -> TrajectoryFile:
        """A file that is there."""
        try:
            with path.open("rb") as file:
                magic, header = (
                    file.readline(LONGEST),
                    json.loads(file.readline(LONGEST) or b"null"),
                )
                if magic != MAGIC:
                    raise ValueError("its first line is another")
                parameters = {}
                for name, shape in header["parameters"].items():
                    raw = file.read(8 * math.prod(shape))
                    parameters[name] = np.frombuffer(raw, "<f8").reshape(shape)
            found = TrajectoryFile(path, header["about"], header["batch"], header["columns"],
                                   header["scene"], parameters)  # fmt: skip
            if not {"q", "qd", "kinetic", "potential"} <= set(found.columns):
                raise ValueError("states are missing")
        except OSError as error:
            raise FileError(f"cannot be read: {error.strerror}.", str(path)) from error
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise FileError(
                "is no trajectory of arthron. Give a file that `save` or `simulate` wrote, or a "
                "name that is not taken.",
                str(path),
            ) from error
        return found

    @property
    def count(self) -> int:
        """How many whole records there are."""
        return max(0, self.path.stat().st_size - len(self.head)) // (8 * self.record)

    def begin(self) -> int:
        """Make it ready to add records; returns how many there are of the same simulation."""
        try:
            there = b""
            with contextlib.suppress(FileNotFoundError), self.path.open("rb") as file:
                there = file.read(len(self.head))
            if not self.head.startswith(there):
                raise SimulationError(self._other())
            if there != self.head:  # new, or killed before its first line was written
                self.path.write_bytes(self.head)
            self._file = self.path.open("r+b")
            self._file.truncate(len(self.head) + 8 * self.record * self.count)
            self._file.seek(0, os.SEEK_END)
        except OSError as error:
            raise FileError(f"cannot be written: {error.strerror}.", str(self.path)) from error
        return self.count

    def _other(self) -> str:
        """How the simulation in the file differs."""
        there = TrajectoryFile.at(self.path)
        found = "its scene, its start or what it was given is not the same"
        for name, value in self.about.items():
            if there.about.get(name) != value:
                found = f"its `{name}` is {there.about.get(name)!r}, not {value!r}"
                break
        return (
            f"{self.path} holds another simulation: {found}. Give a new file, or remove that one."
        )

    def write(self, block: Block) -> None:
        """Add a block of states."""
        self.append(block.t, block.columns)

    def append(self, t: Array, columns: Mapping[str, Array]) -> None:
        """Add states: times (n,) and arrays (rows, n, ...)."""
        try:
            self._file.write(self.packed(t, columns))
            self._file.flush()
        except OSError as error:
            raise FileError(f"cannot be written: {error.strerror}.", str(self.path)) from error

    def packed(self, t: Array, columns: Mapping[str, Array]) -> bytes:
        """States as records."""
        n = len(t)
        parts = [t.reshape(n, 1)]
        for name, width in self.columns.items():
            parts.append(np.moveaxis(columns[name], 1, 0).reshape(n, self.rows * width))
        return np.concatenate(parts, axis=1).astype("<f8").tobytes()

    def read(self, model: Model | None = None) -> Trajectory:
        """All states so far."""
        nq, nv = self.columns["q"], self.columns["qd"]
        if model is not None and (model.nq, model.nv) != (nq, nv):
            raise FileError(
                f"holds a figure with {nq} coordinates and {nv} velocities, and `{model.name}` has "
                f"{model.nq} and {model.nv}.",
                str(self.path),
            )
        t, found, _ = self.records()
        return trajectory_of(t, found, self.about, self.batch, self.parameters, model)

    def records(self) -> Block:
        """Times (n,) and columns (rows, n, ...) of all whole records."""
        try:
            many = self.count
            raw = np.fromfile(self.path, "<f8", many * self.record, offset=len(self.head))
        except OSError as error:
            raise FileError(f"cannot be read: {error.strerror}.", str(self.path)) from error
        widths = [1, *(self.rows * n for n in self.columns.values())]
        t, *parts = np.split(raw.reshape(many, self.record), np.cumsum(widths)[:-1], axis=1)
        found = {}
        for (name, width), part in zip(self.columns.items(), parts, strict=True):
            found[name] = np.moveaxis(part.reshape(many, self.rows, width), 0, 1)
        return Block(t[:, 0], found, [])

    def close(self) -> None:
        """No more is added."""
        if self._file:
            self._file.close()


def save(trajectory: Trajectory, path: Path) -> None:
    """Write all of a trajectory to a file, without loss."""
    columns = trajectory.columns()
    batch = trajectory.q.shape[:-2]
    widths = {name: math.prod(x.shape[len(batch) + 1 :]) for name, x in columns.items()}
    file = TrajectoryFile(path, trajectory.about, batch, widths, parameters=trajectory.parameters)
    rows = (file.rows, len(trajectory))
    arrays = {name: x.reshape(*rows, widths[name]) for name, x in columns.items()}
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(file.head + file.packed(trajectory.t, arrays))
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise FileError(f"cannot be written: {error.strerror}.", str(path)) from error


def load_trajectory(path: str | Path, model: Model | None = None) -> Trajectory:
    """Read a trajectory that `save` or a simulation wrote; with the model, it can be viewed."""
    return TrajectoryFile.at(Path(path)).read(model)
