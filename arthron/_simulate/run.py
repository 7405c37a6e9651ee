"""A run: segments of states one after the other, handed to whatever takes them in."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from .._compile.function import Function
from .._pages.takes import Page
from .._scene.setup import Setup
from ..errors import ArthronError, SimulationError, SimulationWarning
from .diagnose import LONGEST, Cause, diagnose
from .figure_identity import figure_identity
from .from_columns import trajectory_of
from .gaps import GAPS
from .native_steps import NativeSteps
from .observe import observer
from .opened import warn_of_open, warn_of_overflow, warn_of_overlaps
from .progress import Bar
from .run_identity import force_checksums, run_identity
from .segment import Array, Block, RowEnd, RunSettings, Segment, Snapshot
from .start import Start
from .trajectory import Trajectory
from .trajectory_file import TrajectoryFile

FIRST = 64
"""Steps of all rows before the first look around."""
OFTEN = 0.5
"""Seconds between two looks around, about: to write what there is, and show a bar."""
CHECKSUMS = "history.tau"
"""Column of checksums of forces for each step."""


class Sink(Protocol):
    """What takes in the blocks of a run: memory, a file, a view."""

    def write(self, block: Block) -> None:
        """Take in states that follow those before."""
        ...


class Run:
    """A simulation from a start, for many rows at once.

    Args:
        setup: the figure and what acts on it.
        steps: how it goes on.
        settings: step, and what is given besides.
        about: what its trajectory says about itself.
        start: where it starts.
        record: what is kept along the way besides, by name.
        until: what ends it.
    """

    def __init__(
        self, setup: Setup, steps: NativeSteps, settings: RunSettings, about: Mapping[str, Any],
        start: Start, record: Mapping[str, Page], until: Page | None = None,
    ) -> None:  # fmt: skip
        self._watched = dict(record) | ({} if until is None else {"until": until})
        self._setup, self._steps, self._settings = setup, steps, settings
        self._about, self._batch, self._values = about, start.batch, start.values
        self._given = start
        self._rows, scene = math.prod(start.batch), setup.scene
        self._records_tau = settings.tau is not None and bool(record)
        self._memory = {n: np.tile(np.atleast_1d(np.asarray(v.start, float)), (self._rows, 1))
                        for n, v in steps.memory.items()}  # fmt: skip
        self._start = Snapshot(0, start.states | self._memory, *np.zeros((2, self._rows)))
        kept = {n: x for n, x in self._start.states.items() if self._saved(n)}
        self._sizes = {name: x.shape[1] for name, x in kept.items()}
        key = ("observer", setup.named, tuple(record.items()), self._records_tau)
        self._observe, self._shapes = scene.memo(key, lambda: self._observer(record))

    def _saved(self, name: str) -> bool:
        return name not in self._steps.memory or self._steps.memory[name].saved

    def _observer(self, record: Mapping[str, Page]) -> tuple[Function, dict[str, tuple[int, ...]]]:
        """What measures along the way, and shapes of what that gives."""
        self._observe = observer(self._setup, record, tau=self._records_tau)
        first = {name: x[:, None] for name, x in self._start.states.items()}
        found = self._observed(first, np.zeros((self._rows, 1), int))
        return self._observe, {name: x.shape[2:] for name, x in found.items()}

    def go(self, count: int, path: Path | None, bar: Bar) -> Trajectory:
        """Simulate until `count` states are kept behind the first, or all rows are over."""
        kept = Memory(self._columns(), self._rows, count + 1)
        file = None if path is None else self._file(path)
        sinks: list[Sink] = [kept] if file is None else [kept, file]
        try:
            if file is not None and file.begin():
                block, every = file.records(), self._settings.every
                ends = [x for x in block.ends if x["steps"] + x["failed"] <= count * every]
                kept.write(block._replace(ends=ends))  # what is there may go on for longer
                self._check_forces(kept, file.path)
            for block in self.segments(self._last(kept), count, bar.show):
                for sink in sinks:
                    sink.write(block)
        except (ArthronError, KeyboardInterrupt) as error:
            if getattr(error, "trajectory", None) is None:  # a damaged file has its own
                error.trajectory = self._trajectory(kept)  # type: ignore[union-attr]
            raise
        finally:
            if file is not None:
                file.close()
        return self._whole(kept)

    def _last(self, kept: Memory) -> Snapshot | None:
        """Where kept states end, if there are any."""
        if not kept.n:
            return None
        states = {n: kept.columns[n][:, kept.n - 1].copy() for n in self._sizes} | self._forgotten()
        status, ended = np.zeros((2, self._rows))
        for end in kept.ends:
            status[end["row"]], ended[end["row"]] = 1.0 + end["failed"], end["steps"]
        return Snapshot((kept.n - 1) * self._settings.every, states, status, ended)

    def segments(
        self, at: Snapshot | None, count: int, progress: Callable[[int], None]
    ) -> Iterator[Block]:
        """What follows a snapshot, the start if there is none, block by block."""
        if at is None:
            at = self._start
            columns = {name: x[:, None] for name, x in at.states.items()}
            columns |= {n: np.zeros((self._rows, 1, k)) for n, k in self._steps.columns.items()}
            yield self._block(0, Segment(columns, []), [])
        every = self._settings.every
        many = max(1, FIRST // max(1, self._rows * every))
        while (done := at.steps // every) < count and not self._over(at):
            began, many = time.perf_counter(), min(many, count - done)
            at = at._replace(states={**at.states, **self._forgotten()})
            found = self._advance(at, many, lambda k, done=done: progress(done + k))
            causes = self._causes(at, found.ends, count)
            yield self._block(done + 1, found, causes)
            at = self._after(at, found, many)
            took = time.perf_counter() - began
            if took < OFTEN:
                many *= 2
            elif took > 2.0 * OFTEN:
                many = max(1, many // 2)
            progress(at.steps // every)

    def _over(self, at: Snapshot) -> bool:
        return bool(self._rows and (at.status > 0.0).all())

    def _forgotten(self) -> dict[str, Array]:
        """What the integrator works out anew when a run goes on from kept states."""
        return {name: x for name, x in self._memory.items() if not self._saved(name)}

    def _advance(self, at: Snapshot, many: int, progress: Callable[[int], None]) -> Segment:
        if not self._rows:  # many simulations, of which there is none
            widths = {n: x.shape[1] for n, x in at.states.items()} | dict(self._steps.columns)
            return Segment({n: np.zeros((0, many, k)) for n, k in widths.items()}, [])
        found = self._steps.advance(self._settings, at, many, progress)
        status = at.status.copy()
        status[[end.row for end in found.ends]] = 1.0
        if status.all():  # none goes on: what is kept ends with the last of them
            every = self._settings.every  # a row that failed has no state behind its last good one
            last = max(end.steps // every if end.failed else -(-end.steps // every)
                       for end in found.ends)  # fmt: skip
            n = last - at.steps // every
            found = Segment({name: x[:, :n] for name, x in found.columns.items()}, found.ends)
        return found

    def _after(self, at: Snapshot, found: Segment, many: int) -> Snapshot:
        """Where rows are behind a segment: those that are over, where they were last."""
        over = at.status > 0.0
        n = found.columns["q"].shape[1]
        states = {name: np.where(over[:, None], x, found.columns[name][:, -1]) if n else x.copy()
                  for name, x in at.states.items()}  # fmt: skip
        status, ended = at.status.copy(), at.ended.copy()
        for end in found.ends:
            status[end.row], ended[end.row] = end.status, end.steps
            for name, x in end.states.items():
                states[name][end.row] = x
        return Snapshot(at.steps + many * self._settings.every, states, status, ended)

    def _columns(self) -> dict[str, int]:
        """What is kept of each state, and how many numbers that is."""
        seen = {name: math.prod(shape) for name, shape in self._shapes.items()}
        sums = {name: 1 for name in self._checksums(0, 1)}
        return self._sizes | seen | dict(self._steps.columns) | sums

    def _block(self, first: int, found: Segment, ends: Sequence[Mapping[str, Any]]) -> Block:
        """A segment, with energies and what is recorded."""
        n = found.columns["q"].shape[1]
        steps = self._settings.every * (first + np.arange(n))
        own = np.tile(steps, (self._rows, 1))
        for end in found.ends:  # those that ended are where they were then
            own[end.row] = np.minimum(own[end.row], end.steps)
        every = {**found.columns, **self._observed(found.columns, own)}
        every |= self._checksums(first, n)
        shape = self._rows, n
        columns = {name: every[name].reshape(*shape, k) for name, k in self._columns().items()}
        return Block(self._settings.step * steps, columns, ends)

    def _observed(self, states: Mapping[str, Array], steps: Array) -> dict[str, Array]:
        """Energies and what is recorded of states (rows, n, ...) after so many steps (rows, n)."""
        own = [np.ascontiguousarray(states[name]) for name in ("q", "qd", *self._setup.variables)]
        numbers, tau = self._settings.parameters[:, None], self._settings.tau
        own.append(self._settings.step * steps)
        if self._records_tau and tau is not None:  # of the step that begins there, or the last
            if tau.ndim == 3:
                rows = np.arange(len(tau))[:, None] if len(tau) > 1 else 0
                own.append(tau[rows, np.minimum(steps, tau.shape[1] - 1)])
            else:
                own.append(tau[:, None])
        return self._observe(*own, numbers[0, 0] if len(numbers) == 1 else numbers)

    def _causes(self, at: Snapshot, ends: Sequence[RowEnd], count: int) -> list[dict[str, Any]]:
        """What a trajectory says about rows that are over."""
        failed = [end for end in ends if end.failed]
        start = self._start if at.steps < LONGEST else at
        many = count * self._settings.every
        given = self._setup, self._steps, self._settings, start, failed, many
        causes = diagnose(*given) if failed else []
        why = {end.row: cause for end, cause in zip(failed, causes, strict=True)}
        nothing = Cause("", None)
        return [
            {"row": end.row, "steps": end.steps, "failed": end.failed}
            | why.get(end.row, nothing)._asdict()
            for end in ends
        ]

    def _whole(self, kept: Memory) -> Trajectory:
        """The trajectory of a run that is over, unless nothing of it went well."""
        found = self._trajectory(kept)
        warn_of_open(self._setup, found)
        warn_of_overflow(found)
        warn_of_overlaps(self._setup, found)
        if not found.failures:
            return found
        error = found.failures[0]
        if len(found.failures) == self._rows:
            raised = SimulationError(f"{error} What was simulated before is in `error.trajectory`.")
            raised.trajectory = found
            raised.row, raised.t, raised.element = error.row, error.t, error.element
            raise raised
        warnings.warn(
            f"{len(found.failures)} of {self._rows} simulations could not go on; the others are "
            f"whole, and `trajectory.status` tells which. {error}",
            SimulationWarning,
            stacklevel=4,
        )
        return found

    def _trajectory(self, kept: Memory) -> Trajectory:
        columns = {name: array[:, : kept.n] for name, array in kept.columns.items()}
        return trajectory_of(
            kept.t[: kept.n], columns, self._about_all(), self._batch, self._values,
            self._setup.scene.model, kept.ends,
        )  # fmt: skip

    def _about_all(self) -> dict[str, Any]:
        """What a trajectory says about itself: shapes of what it holds too."""
        setup = self._setup
        saved = {n: np.shape(v.start) for n, v in setup.variables.items() if v.saved}
        gaps = {n.removeprefix(GAPS): x[0] for n, x in self._shapes.items() if n.startswith(GAPS)}
        taken = ("kinetic", "potential", *(f"{GAPS}{name}" for name in gaps))
        record = {n: x for n, x in self._shapes.items() if n not in taken}
        how = self._steps.integrator
        record |= {n: (setup.scene.model.nb, how.per_body[n]) for n in how.recorded}
        about = dict(self._about) | {"states": saved, "record": record}
        more = {"multipliers": setup.multipliers(), "gaps": gaps}
        more["contacts"] = [list(x) for x in setup.contacts()]
        more["link contacts"] = [list(x) for x in setup.link_contacts()]
        return about | {name: many for name, many in more.items() if many}

    def _file(self, path: Path) -> TrajectoryFile:
        return TrajectoryFile(
            path, self._about_all(), self._batch, self._columns(), self._identity(), self._values,
            figure_identity(self._setup.scene.model),
        )  # fmt: skip

    def _identity(self) -> dict[str, str]:
        given = self._setup, self._steps, self._settings, self._given
        return run_identity(*given, self._watched)

    def _checksums(self, first: int, n: int) -> dict[str, Array]:
        """Of forces for each step that led to n kept states, if there are such forces."""
        tau = self._settings.tau
        if tau is None or tau.ndim < 3:
            return {}
        found = force_checksums(tau, self._settings.every, first, n)
        return {CHECKSUMS: np.broadcast_to(found, (self._rows, n, 1))}

    def _check_forces(self, kept: Memory, path: Path) -> None:
        """Refuse to go on from states to which other forces have led."""
        for name, sums in self._checksums(0, kept.n).items():
            same = (kept.columns[name][:, : kept.n] == sums).all((0, 2))
            if not same.all():
                t = kept.t[np.argmin(same)]
                raise SimulationError(
                    f"{path} holds another simulation: its `tau` before t = {t:.6g} s is not the "
                    "same. Give a new file, or remove that one."
                )


class Memory:
    """Blocks of a run side by side, (rows, n, ...), with room for all that will come."""

    def __init__(self, widths: Mapping[str, int], rows: int, room: int) -> None:
        try:
            self.n, self.t = 0, np.zeros(room)
            self.columns = {name: np.zeros((rows, room, width)) for name, width in widths.items()}
        except (MemoryError, ValueError, OverflowError):  # the latter are NumPy's beyond all memory
            size = 8.0 * room * (1 + rows * sum(widths.values()))
            raise SimulationError(
                f"{room:.3g} states that are kept take {size / 2**30:.3g} GiB, and there is no such"
                " memory. Keep fewer of them, `keep_every=100` say, or give a shorter duration."
            ) from None
        self.ends: list[Mapping[str, Any]] = []

    def write(self, block: Block) -> None:
        """Keep states behind those there are, as many as there is room for."""
        first, last = self.n, min(len(self.t), self.n + len(block.t))
        self.t[first:last] = block.t[: last - first]
        for name, array in block.columns.items():
            there = self.columns[name][:, first:last]
            there[:] = array[:, : last - first].reshape(there.shape)
        self.ends += block.ends
        self.n = last
