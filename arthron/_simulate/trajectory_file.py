"""A trajectory on disk: a file that only grows, and knows when it was damaged."""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import os
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import FileError, SimulationError
from .figure_identity import figure_difference, figure_identity
from .from_columns import trajectory_of
from .plain_file import cannot, reading, writing
from .records import Damaged, Record, content_of, fill, head_of, walk, write
from .segment import Block
from .trajectory import Array, Trajectory

if TYPE_CHECKING:
    from .._model.model import Model

VERSION = b"3"
MAGIC = b"arthron trajectory " + VERSION + b"\n"
ABOUT, STATES, OPEN, ENDS = b"HEAD", b"DATA", b"OPEN", b"ENDS"
"""Kinds of records: the first one; states; states in which simulations of a batch were over before
others, which are whole only with what follows them: what is known of those."""
BLOCK = 1 << 20
"""The most bytes of a record of states, unless one state takes more."""
LISTED = 4
"""Differences between runs that a message names."""
GIVE = "Give a file that `save` or `simulate` wrote, or a name that is not taken."
CUT = "It was cut, or what wrote it was killed. Simulate again, or give a copy that is whole."


class TrajectoryFile:
    """A trajectory on disk: a record of what it is, then records of states as they came.

    Records are only ever added, so that a run which is killed leaves all whole ones behind; each
    has checksums, so that one which was changed is found.

    Args:
        path: where it is.
        about: what the trajectory says about itself.
        batch: leading axes.
        columns: what a state holds behind its time, and how many numbers for each of a batch; what
            a trajectory has and is not there is zero.
        run: digests of what decides the run that writes it, by what that is called, so that
            another run can tell whether it is the same; none of a trajectory that was saved.
        parameters: numbers of the scene that were given, or that the start decided.
        figure: what identifies the figure, if that is known.
    """

    def __init__(
        self, path: Path, about: Mapping[str, Any], batch: Sequence[int],
        columns: Mapping[str, int], run: Mapping[str, str] | None = None,
        parameters: Mapping[str, Array] | None = None, figure: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        self.path, self.about, self.batch = path, json.loads(json.dumps(dict(about))), tuple(batch)
        self.columns, self.run, self.figure = dict(columns), dict(run or {}), figure
        self.parameters = dict(parameters or {})
        self.rows = math.prod(self.batch)
        self.width = 1 + self.rows * sum(self.columns.values())
        shapes = {name: x.shape for name, x in self.parameters.items()}
        header = {"about": self.about, "batch": self.batch, "columns": columns, "run": self.run,
                  "figure": figure, "parameters": shapes}  # fmt: skip
        numbers = b"".join(x.astype("<f8").tobytes() for x in self.parameters.values())
        self._open_with(json.dumps(header).encode() + b"\n" + numbers)
        self._file: FileIO | None = None

    def _open_with(self, content: bytes) -> None:
        """Let the header hold that, however whoever wrote it spaced its JSON."""
        head, self._first = head_of(ABOUT, content, zlib.crc32(MAGIC))
        self.head = MAGIC + head + content
        self._end, self._chain = len(self.head), self._first

    @staticmethod
    def at(path: Path) -> TrajectoryFile:
        """A file that is there."""
        with reading(path) as file:
            return TrajectoryFile._in(path, file)

    @staticmethod
    def _in(path: Path, file: FileIO) -> TrajectoryFile:
        """What an open file says about itself."""
        file.seek(0)
        first = file.read(len(MAGIC))
        if first != MAGIC:
            raise FileError(_not_ours(first), str(path))
        try:
            record = next(walk(file, len(MAGIC), zlib.crc32(MAGIC)), None)
            content = None if record is None else content_of(file, record)
        except Damaged as damaged:
            raise FileError(
                f"is damaged: its header, at byte {damaged.at}, is not what was written, and "
                "without it the numbers mean nothing. Give a copy that is whole, or simulate again "
                "under a name that is not taken.",
                str(path),
            ) from damaged
        if content is None:
            raise FileError(f"ends in its header. {CUT}", str(path))
        try:
            return TrajectoryFile._of(path, content)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise FileError(f"is no trajectory of arthron. {GIVE}", str(path)) from error

    @staticmethod
    def _of(path: Path, content: bytes) -> TrajectoryFile:
        """The file with a header."""
        text, _, numbers = content.partition(b"\n")
        header, parameters, at = json.loads(text), {}, 0
        for name, shape in header["parameters"].items():
            many = math.prod(shape)
            parameters[name] = np.frombuffer(numbers[at : at + 8 * many], "<f8").reshape(shape)
            at += 8 * many
        found = TrajectoryFile(path, header["about"], header["batch"], header["columns"],
                               header["run"], parameters, header["figure"])  # fmt: skip
        found._open_with(content)
        if not {"q", "qd", "kinetic", "potential"} <= set(found.columns):
            raise ValueError("states are missing")
        return found

    def begin(self) -> int:
        """Make it ready to add records; returns how many states there are of the same simulation.

        Until it is closed, nobody else can begin.
        """
        self._file = writing(self.path)
        try:
            there = self._file.read(len(self.head))
            if not self.head.startswith(there):
                raise SimulationError(self._other(TrajectoryFile._in(self.path, self._file)))
            if there != self.head:  # new, or killed before its header was written
                self._file.truncate(0)
                self._file.seek(0)
                write(self._file, self.head)
            records, damaged = self._whole(self._file)
            if damaged is not None:
                raise self._damage(*self._states(self._file))
            if records:
                self._end, self._chain = records[-1].end, records[-1].chain
            self._file.truncate(self._end)
            self._file.seek(self._end)
        except OSError as error:
            raise FileError(f"cannot be written: {error.strerror}.", str(self.path)) from error
        return sum(self._count(record) for record in records)

    def _other(self, there: TrajectoryFile) -> str:
        """How the simulation in the file differs."""
        return (
            f"{self.path} holds another simulation: {self._difference(there)}. Give a new file, or "
            "remove that one."
        )

    def _difference(self, there: TrajectoryFile) -> str:
        if not there.run:
            return "it was written by `save`, and cannot be resumed"
        for name, value in self.about.items():
            if there.about.get(name) != value:
                return f"its `{name}` is {there.about.get(name)!r}, not {value!r}"
        if there.batch != self.batch:
            return f"its batch has the shape {there.batch}, not {self.batch}"
        if there.figure and self.figure:
            figure = figure_difference(there.figure, self.figure)
            if figure:
                return figure
        names = [x for x in self.run | there.run if there.run.get(x) != self.run.get(x)]
        more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
        return f"it differs in its {', '.join(names[:LISTED])}{more}"

    def write(self, block: Block) -> None:
        """Add a block of states, and what is known of rows that were over in it."""
        for states in self.packed(block.t, block.columns):
            self._add(OPEN if block.ends else STATES, states)
        if block.ends:
            self._add(ENDS, _as_json(block.ends))

    def _add(self, kind: bytes, content: bytes | memoryview) -> None:
        assert self._file is not None
        head, chain = head_of(kind, content, self._chain)
        try:
            write(self._file, head, content)
        except OSError as error:
            with contextlib.suppress(OSError):  # else it is cut off when a run goes on
                self._file.truncate(self._end)
                self._file.seek(self._end)
            raise FileError(
                f"cannot be written: {error.strerror}. The states before are whole. Mend that, and "
                "simulate again with the same `file` to go on from there.",
                str(self.path),
            ) from error
        self._end, self._chain = self._end + len(head) + len(content), chain

    def packed(self, t: Array, columns: Mapping[str, Array]) -> Iterator[memoryview]:
        """States (rows, n, ...) as blocks of numbers, a row a state."""
        many = max(1, BLOCK // (8 * self.width))
        for first in range(0, len(t), many):
            now = slice(first, min(first + many, len(t)))
            block = np.empty((now.stop - first, self.width), "<f8")
            block[:, 0] = t[now]
            at = 1
            for name, width in self.columns.items():
                there = block[:, at : at + self.rows * width]
                there = there.reshape(len(block), self.rows, width)
                for k in range(width):  # much faster than short rows
                    there[:, :, k] = columns[name][:, now, k].T
                at += self.rows * width
            yield block.data.cast("B")

    def read(self, model: Model | None = None) -> Trajectory:
        """All states so far, of the figure that was simulated."""
        if model is not None:
            self._check_figure(model)
        try:
            t, columns, ends = self.records()
        except FileError as error:
            if error.trajectory is not None:
                error.trajectory = replace(error.trajectory, model=model)
            raise
        return self._trajectory(t, columns, ends, model)

    def _check_figure(self, model: Model) -> None:
        here = figure_identity(model)
        sizes = {"nq": self.columns["q"], "nv": self.columns["qd"]}
        there = self.figure or here | sizes | {"name": self.about.get("model", "figure")}
        difference = figure_difference(there, here)
        if difference is not None:
            raise FileError(
                f"holds a motion of `{there['name']}`, and `{model.name}` is another figure: "
                f"{difference}. Give the one that was simulated, or none to read the numbers only: "
                "`ar.load_trajectory(path)`.",
                str(self.path),
            )

    def records(self) -> Block:
        """All whole states, and what is known of rows that were over in them."""
        with reading(self.path) as file:
            states, ends, damaged = self._states(file)
        if damaged is not None:
            raise self._damage(states, ends, damaged)
        return Block(*self._columns(states), ends)

    def _whole(self, file: FileIO) -> tuple[list[Record], int | None]:
        """Whole records behind the header, and where the first is whose head is damaged."""
        records, damaged = [], None
        try:
            for record in walk(file, len(self.head), self._first):
                records.append(record)
        except Damaged as error:
            damaged = error.at
        while records and records[-1].kind == OPEN:  # what belongs to them was not written
            records.pop()
        return records, damaged

    def _states(self, file: FileIO) -> tuple[Array, list[dict], int | None]:
        """All states and ends before the first record that is damaged, and where that is."""
        records, damaged = self._whole(file)
        states = np.empty((sum(self._count(record) for record in records), self.width), "<f8")
        content, done, ends = states.reshape(-1).view(np.uint8).data, 0, []
        for record in records:
            try:
                if record.kind == ENDS:
                    ends += json.loads(content_of(file, record))
                else:
                    fill(file, record, content[done:])
                    done += record.size
            except Damaged as error:
                return states[: done // (8 * self.width)], ends, error.at
        return states, ends, damaged

    def _count(self, record: Record) -> int:
        """How many states a record holds."""
        return record.size // (8 * self.width) if record.kind in (STATES, OPEN) else 0

    def _columns(self, states: Array) -> tuple[Array, dict[str, Array]]:
        """Times and columns of states that are rows."""
        widths = [1, *(self.rows * n for n in self.columns.values())]
        t, *parts = np.split(states, np.cumsum(widths)[:-1], axis=1)
        found = {}
        for (name, width), part in zip(self.columns.items(), parts, strict=True):
            found[name] = np.moveaxis(part.reshape(len(states), self.rows, width), 0, 1)
        return t[:, 0], found

    def _trajectory(
        self, t: Array, columns: Mapping[str, Array], ends: Sequence[Mapping[str, Any]],
        model: Model | None = None,
    ) -> Trajectory:  # fmt: skip
        found = trajectory_of(t, columns, self.about, self.batch, self.parameters, model, ends)
        return replace(found, figure=self.figure)

    def _damage(self, states: Array, ends: list[dict], at: int | None) -> FileError:
        """What to say of a record that is damaged."""
        t, columns = self._columns(states)
        until = f"The {len(t)} states up to t = {t[-1]:.6g} s" if len(t) else "No states"
        error = FileError(
            f"is damaged: the record at byte {at} is not what was written. {until} before that are "
            "whole, in `error.trajectory`. Give a copy that is whole; or cut the file there, "
            f"`os.truncate(path, {at})`, and simulate with the same `file` to go on from there.",
            str(self.path),
        )
        error.trajectory = self._trajectory(t, columns, ends)
        return error

    def close(self) -> None:
        """No more is added."""
        if self._file:
            self._file.close()


def save(trajectory: Trajectory, path: Path) -> None:
    """Write all of a trajectory to a file, without loss."""
    columns = trajectory.columns()
    batch = trajectory.q.shape[:-2]
    widths = {name: math.prod(x.shape[len(batch) + 1 :]) for name, x in columns.items()}
    model = trajectory.model
    file = TrajectoryFile(
        path, trajectory.about, batch, widths, parameters=trajectory.parameters,
        figure=trajectory.figure if model is None else figure_identity(model),
    )  # fmt: skip
    rows = (file.rows, len(trajectory))
    arrays = {name: x.reshape(*rows, widths[name]) for name, x in columns.items()}
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(temporary, "wb", buffering=0) as out:
            write(out, file.head)
            chain = file._first
            ends = [(ENDS, _as_json(trajectory.ends))] if trajectory.ends else []
            states = ((STATES, block) for block in file.packed(trajectory.t, arrays))
            for kind, content in itertools.chain(states, ends):
                head, chain = head_of(kind, content, chain)
                write(out, head, content)
        temporary.replace(path)
    except (OSError, ValueError) as error:
        with contextlib.suppress(OSError, ValueError):
            temporary.unlink(missing_ok=True)
        raise cannot("written", path, error) from error


def load_trajectory(path: str | Path, model: Model | None = None) -> Trajectory:
    """Read a trajectory that `save` or a simulation wrote; with the model, it can be viewed.

    A file that was damaged is an error whose `trajectory` holds the states before the damage; one
    that was cut short gives the states that are whole.
    """
    if not isinstance(path, str | Path):
        raise FileError("is no path. Give the path first, then the model.", repr(path))
    return TrajectoryFile.at(Path(path)).read(model)


def _as_json(ends: Sequence[Mapping[str, Any]]) -> bytes:
    return json.dumps([dict(end) for end in ends]).encode()


def _not_ours(first: bytes) -> str:
    """What to say of a file that begins in another way."""
    if not first:
        return f"is empty. {CUT}"
    if MAGIC.startswith(first):
        return f"ends in its first line. {CUT}"
    other = re.fullmatch(rb"arthron trajectory (\d)\n", first)
    if other and other[1] < VERSION:
        return (
            "was written by an older arthron, in a format without checksums. Simulate again, "
            "under a name that is not taken."
        )
    return f"is no trajectory of this arthron. {GIVE}"
