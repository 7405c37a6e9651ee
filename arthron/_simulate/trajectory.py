"""What a simulation leaves behind: states in time, kept in memory and in a file that only grows."""

from __future__ import annotations

import contextlib
import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import FileError, SimulationError

if TYPE_CHECKING:
    from .._api import Model
    from .._scene.scene import Scene

Array = np.ndarray
MAGIC = b"arthron trajectory 1\n"
SCALARS = ("kinetic", "potential", "residual")


@dataclass(frozen=True, eq=False)
class Trajectory:
    """States of a figure in time. Leading axes of all but `t` are a batch.

    Attributes:
        t: times [s], (n,).
        q: coordinates, (..., n, nq).
        qd: velocities, (..., n, nv).
        kinetic: kinetic energy [J], (..., n).
        potential: potential energy of gravity and of the scene's forces [J], (..., n).
        forces: joint forces that it took to move joints as told, zero at the others and at the
            start: at that time for "BDF1", "BDF2" and "Runge-Kutta", over the last step for the
            others, (..., n, nv).
        residual: largest joint force that solving the steps since the state before left over [N m
            or N]; zero of integrators that solve none, (..., n).
        about: what made it: name of the model, integrator, step, ...
        model: the figure, unless it was read from a file without one.
    """

    t: Array
    q: Array
    qd: Array
    kinetic: Array
    potential: Array
    forces: Array
    residual: Array
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
        path, batch = Path(path), self.q.shape[:-2]
        columns = {name: 1 for name in SCALARS} | {"q": self.q.shape[-1], "qd": self.qd.shape[-1]}
        columns |= {"forces": columns["qd"]} if self.forces.any() else {}
        file = TrajectoryFile(path, self.about, batch, columns)
        rows = (file.rows, len(self))
        arrays = {n: getattr(self, n).reshape(*rows, width) for n, width in columns.items()}
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            temporary.write_bytes(file.head + file.packed(self.t, arrays))
            temporary.replace(path)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise FileError(f"cannot be written: {error.strerror}.", str(path)) from error
        return path

    def plot(self, path: str | Path | None = None) -> Any:
        """Draw energies and coordinates against time, of the first of a batch.

        With a path, the picture is written there and the path comes back; without, the figure of
        matplotlib does. Needs `pip install "arthron[view]"`.
        """
        from .._view.plot import plot

        return plot(self, path)

    def acted(self, scene: Scene) -> dict[str, Array]:
        """What acted: joint forces of each force of the scene, of its controller, and of damping.

        By what they are, "the JointSpring at joint 'knee'" say, (..., n, nv) each; their sum is all
        that acted besides gravity, `tau` of the simulation, and `forces`.
        """
        from .acting import acted

        return acted(scene, self)

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

    Args:
        path: where it is.
        about: what the trajectory says about itself.
        batch: leading axes.
        columns: what a record holds behind its time, and how many numbers for each of a batch;
            what a trajectory has and is not there is zero.
        scene: a digest of what is simulated, so that another run can tell whether it is the same.
    """

    def __init__(
        self, path: Path, about: Mapping[str, Any], batch: Sequence[int],
        columns: Mapping[str, int], scene: str | None = None,
    ) -> None:  # fmt: skip
        self.path, self.about, self.batch = path, dict(about), tuple(batch)
        self.columns, self.scene = dict(columns), scene
        self.rows = math.prod(self.batch)
        self.record = 1 + self.rows * sum(self.columns.values())
        header = {"about": self.about, "batch": self.batch, "columns": columns, "scene": scene}
        self.head = MAGIC + json.dumps(header).encode() + b"\n"
        self._file: Any = None

    @staticmethod
    def at(path: Path) -> TrajectoryFile:
        """A file that is there."""
        try:
            with path.open("rb") as file:
                magic, header = file.readline(), json.loads(file.readline() or b"null")
            if magic != MAGIC:
                raise ValueError("its first line is another")
            names = ("about", "batch", "columns", "scene")
            found = TrajectoryFile(path, *(header[name] for name in names))
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
        t, found = self.records()
        widths = {"q": nq, "qd": nv, "forces": nv} | dict.fromkeys(SCALARS, 0)
        arrays = {}
        for name, width in widths.items():
            array = found.get(name, np.zeros((self.rows, len(t), max(1, width))))
            arrays[name] = array.reshape(*self.batch, len(t), *[width] * bool(width))
        return Trajectory(t, **arrays, about=self.about, model=model)

    def records(self) -> tuple[Array, dict[str, Array]]:
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
        return t[:, 0], found

    def close(self) -> None:
        """No more is added."""
        if self._file:
            self._file.close()


def load_trajectory(path: str | Path, model: Model | None = None) -> Trajectory:
    """Read a trajectory that `save` or a simulation wrote; with the model, it can be viewed."""
    return TrajectoryFile.at(Path(path)).read(model)
