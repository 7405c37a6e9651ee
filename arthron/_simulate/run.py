"""One simulation under way: states are kept, written as they come, and not lost when it fails."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .._compile.function import Function
from .._page import Page, page_inputs, trace
from .._scene.setup import Setup
from .._scene.system import System
from ..errors import ArthronError, SimulationError
from .diagnose import diagnose
from .figure_identity import figure_identity
from .integrator import Array, Failure, Integrator, Segment, Settings, Snapshot, segment
from .native import ENDED
from .observe import observer
from .pages import state_inputs, state_of, system_page
from .progress import Bar
from .start import Start
from .trajectory import Trajectory, trajectory_of
from .trajectory_file import TrajectoryFile

FIRST = 64
"""Steps of all rows before the first look around."""
OFTEN = 0.5
"""Seconds between two looks around, about: to write what there is, and show a bar."""


class Run:
    """A simulation from a start, for many rows at once.

    Args:
        setup: the figure and what acts on it.
        integrator: how it goes on.
        settings: step, and what is given besides.
        about: what its trajectory says about itself.
        start: where it starts.
        record: what is kept along the way besides, by name.
        until: what ends it.
    """

    def __init__(
        self, setup: Setup, integrator: Integrator, settings: Settings, about: Mapping[str, Any],
        start: Start, record: Mapping[str, Page], until: Page | None = None,
    ) -> None:  # fmt: skip
        self._watched = dict(record) | ({} if until is None else {ENDED: until})
        self._setup, self._integrator, self._settings = setup, integrator, settings
        self._about, self._batch, self._values = about, start.batch, start.values
        self._rows, scene = math.prod(start.batch), setup.scene
        self._pushed = settings.tau is not None and bool(record)
        key = ("observer", setup.named, tuple(record.items()), self._pushed)
        own = {n: np.tile(x, (self._rows, 1)) for n, x in integrator.states.items()}
        self._start = Snapshot(0, start.states | own)
        self._sizes = {name: x.shape[1] for name, x in self._start.states.items()}
        self._observe, self._shapes = scene.cached(key, lambda: self._observer(record))

    def _observer(self, record: Mapping[str, Page]) -> tuple[Function, dict[str, tuple[int, ...]]]:
        """What measures along the way, and shapes of what that gives."""
        self._observe = observer(self._setup, record, tau=self._pushed)
        first = {name: x[:, None] for name, x in self._start.states.items()}
        found = self._observed(first, np.zeros(1, int))
        return self._observe, {name: x.shape[2:] for name, x in found.items()}

    def go(self, count: int, path: Path | None, progress: bool) -> Trajectory:
        """Simulate until `count` states are kept behind the first, or all rows have ended."""
        kept = _Kept(self._columns(), self._rows, count + 1)
        file = None if path is None else self._file(path)
        bar = Bar(count, progress)
        try:
            at = self._begin(kept, file)
            block = max(1, FIRST // max(1, self._rows * self._settings.every))
            while kept.n <= count and not self._ended(at):
                began, done = time.perf_counter(), kept.n - 1
                many = min(block, count - done)
                found = self._advance(at, many, lambda k, done=done: bar.show(done + k))
                self._keep(at, found.columns, kept, file)
                if found.failure:
                    raise self._failure(found.failure)
                states = {name: found.columns[name][:, -1] for name in at.states}
                at = Snapshot(at.steps + many * self._settings.every, states)
                took = time.perf_counter() - began
                if took < OFTEN:
                    block *= 2
                elif took > 2.0 * OFTEN:
                    block = max(1, block // 2)
                bar.show(kept.n - 1)
        except (ArthronError, KeyboardInterrupt) as error:
            if getattr(error, "trajectory", None) is None:  # a damaged file has its own
                error.trajectory = self._trajectory(kept)  # type: ignore[union-attr]
            raise
        finally:
            bar.close()
            if file is not None:
                file.close()
        return self._trajectory(kept)

    def _ended(self, at: Snapshot) -> bool:
        return bool(ENDED in at.states and self._rows and (at.states[ENDED] > 0.0).all())

    def _advance(self, at: Snapshot, many: int, progress: Callable[[int], None]) -> Segment:
        if not self._rows:  # many simulations, of which there is none
            columns = dict(at.states) | {n: np.zeros((0, k)) for n, k in self._given().items()}
            return segment([columns] * many, columns, None)
        found = self._integrator.advance(self._settings, at, many, progress)
        over = (found.columns[ENDED] > 0.0).all((0, 2)) if ENDED in at.states else np.zeros(1, bool)
        return found.first(int(np.argmax(over)) + 1, None) if over.any() else found

    def _given(self) -> dict[str, int]:
        return dict(self._integrator.columns)

    def _columns(self) -> dict[str, int]:
        """What is kept of each state, and how many numbers that is."""
        seen = {name: math.prod(shape) for name, shape in self._shapes.items()}
        return self._sizes | seen | self._given()

    def _begin(self, kept: _Kept, file: TrajectoryFile | None) -> Snapshot:
        """The state to go on from: the last one in the file, or the start, which is kept."""
        if file is None or file.begin() == 0:
            columns = {name: x[:, None] for name, x in self._start.states.items()}
            columns |= {n: np.zeros((self._rows, 1, k)) for n, k in self._given().items()}
            self._keep(None, columns, kept, file)
            return self._start
        kept.add(*file.records())
        last = {name: kept.columns[name][:, kept.n - 1] for name in self._start.states}
        return Snapshot((kept.n - 1) * self._settings.every, last)

    def _keep(
        self, before: Snapshot | None, found: Mapping[str, Array], kept: _Kept,
        file: TrajectoryFile | None,
    ) -> None:  # fmt: skip
        """Keep and write states, with energies and what is recorded."""
        n = found["q"].shape[1]
        first = 0 if before is None else before.steps // self._settings.every + 1
        steps = self._settings.every * (first + np.arange(n))
        t = self._settings.step * steps
        all_of_it = {**found, **self._observed(found, steps)}
        shape = self._rows, n
        columns = {name: all_of_it[name].reshape(*shape, k) for name, k in self._columns().items()}
        kept.add(t, columns)
        if file is not None:
            file.append(t, columns)

    def _observed(self, states: Mapping[str, Array], steps: Array) -> dict[str, Array]:
        """Energies and what is recorded of states (rows, n, ...) after so many steps (n,)."""
        own = [np.ascontiguousarray(states[name]) for name in ("q", "qd", *self._setup.variables)]
        count = np.broadcast_to(steps, own[0].shape[:-1])
        if ENDED in states:  # those that ended are where they were then
            ended = states[ENDED][..., 0]
            count = np.where(ended > 0.0, ended, count)
        numbers, tau = self._settings.parameters[:, None], self._settings.tau
        own.append(self._settings.step * count)
        if self._pushed and tau is not None:  # those of the step that begins there, or the last
            by_step = tau.ndim == 3
            own.append(tau[:, np.minimum(steps, tau.shape[1] - 1)] if by_step else tau[:, None])
        return self._observe(*own, numbers[0, 0] if len(numbers) == 1 else numbers)

    def _failure(self, failure: Failure) -> SimulationError:
        step, scene = self._settings.step, self._setup.scene
        row = ""
        if self._batch:
            index = [int(k) for k in np.unravel_index(failure.row, self._batch)]
            row = f" in simulation {index[0] if len(index) == 1 else tuple(index)}"
        numbers = self._settings.parameters
        own = numbers[failure.row if len(numbers) > 1 else 0]
        return SimulationError(
            f"`{scene.model.name}` could not go on{row}: there is no good state at t = "
            f"{failure.end:.6g} s. {diagnose(self._setup, failure, own, step)} What was simulated "
            "before is in `error.trajectory`."
        )

    def _trajectory(self, kept: _Kept) -> Trajectory:
        columns = {name: array[:, : kept.n] for name, array in kept.columns.items()}
        return trajectory_of(
            kept.t[: kept.n], columns, self._about_all(), self._batch, self._values,
            self._setup.scene.model,
        )  # fmt: skip

    def _about_all(self) -> dict[str, Any]:
        """What a trajectory says about itself: shapes of what it holds too."""
        setup = self._setup
        saved = {n: np.shape(v.start) for n, v in setup.variables.items() if v.saved}
        record = {n: x for n, x in self._shapes.items() if n not in ("kinetic", "potential")}
        return dict(self._about) | {"states": saved, "record": record}

    def _file(self, path: Path) -> TrajectoryFile:
        return TrajectoryFile(
            path, self._about_all(), self._batch, self._columns(), self._digest(), self._values,
            figure_identity(self._setup.scene.model),
        )  # fmt: skip

    def _digest(self) -> str:
        """A hash of the figure, what acts on it and is watched, the start, and what is given."""
        known = self._setup.key() or self._setup.scene.cached(
            ("digest", self._setup.named), lambda: digest(self._setup)
        )
        given = (*self._start.states.values(), self._settings.parameters, self._settings.tau)
        if self._watched:
            known += observer(self._setup, self._watched, tau=False).digest()
        text = known.encode()
        text += b"".join(np.ascontiguousarray(x).tobytes() for x in given if x is not None)
        return hashlib.blake2b(text, digest_size=16).hexdigest()


def digest(setup: Setup) -> str:
    """A hash of what a scene does, by its graph."""

    def everything(system: System, values: Mapping[str, Any]) -> list:
        state = state_of(setup, values, values["t"])
        now = system.loads(state)
        rows = [*system.velocity_rows(state, values["t"], values["h"]),
                *system.acceleration_rows(state)]  # fmt: skip
        flat = [*system.tree.vector(system.joint_forces(state)), *system.energy(state), now.energy]
        flat += [x for row in rows for x in (row.b, *row.G.values())]
        columns.extend(tuple(row.G) for row in rows)
        more = (*system.rates(state).values(), *system.tidied(state.more).values())
        return flat + [x for each in more for x in each]

    columns: list[tuple[int, ...]] = []
    page = system_page(setup, everything, **state_inputs(setup), t=(), h=())
    tree = setup.scene.model.tree
    program = trace(page, tree, page_inputs(page, tree))
    nodes = [x for _, scalars in program.outputs for x in scalars]
    kinds = [(type(x).__name__, x.name) for x in setup.scene.acting]
    return program.graph.digest(nodes) + repr((kinds, columns))


class _Kept:
    """Columns of states, (rows, n, ...), with room for all that will come."""

    def __init__(self, widths: Mapping[str, int], rows: int, room: int) -> None:
        self.n, self.t = 0, np.zeros(room)
        self.columns = {name: np.zeros((rows, room, width)) for name, width in widths.items()}

    def add(self, t: Array, columns: Mapping[str, Array]) -> None:
        """Keep states behind those there are, as many as there is room for."""
        first, last = self.n, min(len(self.t), self.n + len(t))
        self.t[first:last] = t[: last - first]
        for name, array in columns.items():
            there = self.columns[name][:, first:last]
            there[:] = array[:, : last - first].reshape(there.shape)
        self.n = last
