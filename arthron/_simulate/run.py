"""One simulation under way: states are kept, written as they come, and not lost when it fails."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .._algorithms.energy import kinetic_energy, potential_energy
from .._algorithms.takes import takes
from .._compiled import compile as compile_page
from .._model.tree import Tree
from .._page import page_inputs, trace
from .._scene.ask import ask
from .._scene.scene import Scene
from ..errors import ArthronError, SimulationError
from .culprit import culprit
from .integrator import Array, Integrator, Moment, Settings, Stop, Stretch, stretch
from .progress import Bar
from .steps import acting, energy
from .trajectory import Trajectory, TrajectoryFile

FIRST = 64
"""Steps of all rows before the first look around."""
OFTEN = 0.5
"""Seconds between two looks around, about: to write what there is, and show a bar."""


class Run:
    """A simulation from a start, for many rows at once.

    Args:
        scene: the figure and what acts on it.
        integrator: how it goes on.
        settings: step, and what is given besides.
        about: what its trajectory says about itself.
        q: where it starts, (..., nq).
        qd: how it moves there, (..., nv).
    """

    def __init__(
        self, scene: Scene, integrator: Integrator, settings: Settings, about: Mapping[str, Any],
        q: Array, qd: Array,
    ) -> None:  # fmt: skip
        self._scene, self._integrator, self._settings = scene, integrator, settings
        self._about, self._batch, self._rows = about, q.shape[:-1], math.prod(q.shape[:-1])
        free = () if settings.inertia is None else ("inertia",)
        make = lambda: compile_page(energy(scene), scene.model, free=free)  # noqa: E731
        self._energy: Any = scene.once(("energy", free), make)
        q, qd = (np.ascontiguousarray(x.reshape(self._rows, x.shape[-1])) for x in (q, qd))
        self._start = Moment(0, q, qd, np.full((self._rows, integrator.history), np.nan))

    def go(self, count: int, path: Path | None, progress: bool) -> Trajectory:
        """Simulate until `count` states are kept behind the first."""
        kept = _Kept(self._columns(), self._rows, count + 1)
        file = None if path is None else self._file(path)
        bar = Bar(count, progress)
        try:
            at = self._begin(kept, file)
            block = max(1, FIRST // max(1, self._rows * self._settings.every))
            while kept.n <= count:
                began, done = time.perf_counter(), kept.n - 1
                many = min(block, count - done)
                found = self._advance(at, many, lambda k, done=done: bar.show(done + k))
                self._keep(at, found, kept, file)
                if found.stop:
                    raise self._failure(found.stop)
                q, qd, history = (x[:, -1] for x in (found.q, found.qd, found.history))
                at = Moment(at.steps + many * self._settings.every, q, qd, history)
                took = time.perf_counter() - began
                if took < OFTEN:
                    block *= 2
                elif took > 2.0 * OFTEN:
                    block = max(1, block // 2)
                bar.show(kept.n - 1)
        except (ArthronError, KeyboardInterrupt) as error:
            error.trajectory = self._trajectory(kept)  # type: ignore[union-attr]
            raise
        finally:
            bar.close()
            if file is not None:
                file.close()
        return self._trajectory(kept)

    def _advance(self, at: Moment, many: int, progress: Callable[[int], None]) -> Stretch:
        if not self._rows:  # many simulations, of which there is none
            return stretch([(at.q, at.qd, at.qd, np.zeros(0), at.history)] * many, at, None)
        return self._integrator.advance(self._settings, at, many, progress)

    def _columns(self) -> dict[str, int]:
        """What is kept of each state, and how many numbers that is."""
        nq, nv = self._scene.model.nq, self._scene.model.nv
        columns = {"q": nq, "qd": nv, "kinetic": 1, "potential": 1}
        columns |= {"forces": nv} if self._scene.prescribed else {}
        columns |= {"residual": 1} if self._integrator.solves else {}
        return columns | ({"history": n} if (n := self._integrator.history) else {})

    def _begin(self, kept: _Kept, file: TrajectoryFile | None) -> Moment:
        """The moment to go on from: the last one in the file, or the start, which is kept."""
        if file is None or file.begin() == 0:
            q, qd, history = (x[:, None] for x in self._start[1:])
            nothing = np.zeros((self._rows, 1))
            self._keep(None, Stretch(q, qd, 0.0 * qd, nothing, history), kept, file)
            return self._start
        kept.add(*file.records())
        last = {name: array[:, kept.n - 1] for name, array in kept.columns.items()}
        history = last.get("history", self._start.history)
        return Moment((kept.n - 1) * self._settings.every, last["q"], last["qd"], history)

    def _keep(
        self, before: Moment | None, found: Stretch, kept: _Kept, file: TrajectoryFile | None
    ) -> None:
        """Keep and write states, with their energies."""
        n = found.q.shape[1]
        first = 0 if before is None else before.steps // self._settings.every + 1
        t = self._settings.step * (self._settings.every * (first + np.arange(n)))
        inertia = self._settings.inertia
        figure = () if inertia is None else (inertia[:, None],)
        kinetic, potential = self._energy(found.q, found.qd, t, *figure)
        columns = found._asdict() | {"kinetic": kinetic, "potential": potential}
        columns = {name: columns[name] for name in self._columns()}
        kept.add(t, columns)
        if file is not None:
            file.append(t, columns)

    def _failure(self, stop: Stop) -> SimulationError:
        step, name = self._settings.step, self._scene.model.name
        row = ""
        if self._batch:
            index = [int(k) for k in np.unravel_index(stop.row, self._batch)]
            row = f" in simulation {index[0] if len(index) == 1 else tuple(index)}"
        return SimulationError(
            f"`{name}` could not go on{row}: there is no good state at t = {stop.end:.6g} s. "
            f"{culprit(self._scene, stop, step)} What was simulated before is in "
            "`error.trajectory`."
        )

    def _trajectory(self, kept: _Kept) -> Trajectory:
        n, batch, nv = kept.n, self._batch, self._scene.model.nv
        found = {name: array[:, :n] for name, array in kept.columns.items() if name != "history"}
        for name, width in (("forces", nv), ("residual", 1)):
            found.setdefault(name, np.zeros((self._rows, n, width)))
        for name, array in found.items():
            shape = () if name in ("kinetic", "potential", "residual") else array.shape[2:]
            found[name] = array.reshape(*batch, n, *shape)
        return Trajectory(kept.t[:n], **found, about=self._about, model=self._scene.model)

    def _file(self, path: Path) -> TrajectoryFile:
        return TrajectoryFile(path, self._about, self._batch, self._columns(), self._digest())

    def _digest(self) -> str:
        """A hash of the figure and what acts on it, of the start, and of what is given besides."""
        scene = self._scene

        @takes(t=())
        def page(tree: Tree, q, qd, t) -> tuple:
            f_ext, tau, stored = acting(scene, tree, q, qd, t)
            energy = kinetic_energy(tree, q, qd), potential_energy(tree, q) + stored
            told = [x for m in scene.prescribed for x in _flat(ask(m.joint, m.function, t))]
            return (f_ext, tau, *energy, *told)

        def traced() -> str:
            program = trace(page, scene.model.tree, page_inputs(page, scene.model.tree))
            nodes = [x for _, scalars in program.outputs for x in scalars]
            ways = [(m.joint, m.position is None, m.velocity is None, m.gain)
                    for m in scene.prescribed]  # fmt: skip
            return program.graph.digest(nodes) + repr(ways)

        given = (self._start.q, self._start.qd, self._settings.tau, self._settings.inertia)
        text = scene.once("digest", traced).encode()
        text += b"".join(np.ascontiguousarray(x).tobytes() for x in given if x is not None)
        return hashlib.blake2b(text, digest_size=16).hexdigest()


def _flat(given: Any) -> list:
    return list(given) if isinstance(given, tuple | list) else [given]


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
