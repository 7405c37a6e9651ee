"""Running a scene in time."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._algorithms.configuration import normalize
from .._compile.rollout import Rollout
from .._compiled import compile as compile_page
from .._compiled import evaluate
from .._page import free_inputs, page_inputs, trace
from .._scene.prescribed import on_track
from .._scene.scene import Scene
from ..errors import ShapeError, SimulationError, nearest
from .implicit import IMPLICIT, Solver, State
from .runge_kutta import RungeKutta
from .steps import STEPS, energy, implicit_euler, pushing
from .trajectory import Trajectory, TrajectoryFile

INTEGRATORS = (*STEPS, *IMPLICIT, "Runge-Kutta")
BAR = 2.0
"""Seconds of work after which a progress bar shows."""
BLOCK = 256
"""Kept states between two writes to a file."""


def simulate(
    scene: Scene,
    duration: float,
    step: float,
    *,
    integrator: str = "semi-implicit Euler",
    q: ArrayLike | None = None,
    qd: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    inertia: ArrayLike | None = None,
    keep_every: int = 1,
    implicit: str = "symmetric",
    file: str | Path | None = None,
    tolerance: float = 1e-9,
    progress: bool = True,
) -> Trajectory:
    """Simulate a scene, from the neutral pose at rest unless states are given.

    Args:
        scene: the figure and what acts on it.
        duration: how long [s].
        step: length of a time step [s]; for "Runge-Kutta", between kept states.
        integrator: "semi-implicit Euler", "explicit Euler", "implicit Euler" (linearly implicit),
            "BDF1", "BDF2", "implicit midpoint", or "Runge-Kutta" (adaptive, needs SciPy).
        q: initial coordinates, (..., nq); leading axes are many simulations at once.
        qd: initial velocities, (..., nv).
        tau: joint forces from outside, (..., nv), or (..., steps, nv) for each step.
        inertia: inertial parameters, (..., 10 nb) as `model.inertial_parameters()`, so that many
            simulations can have a figure each. This and `tau` are for the Euler integrators.
        keep_every: steps between states that are kept.
        implicit: which slopes of forces "implicit Euler" uses: "symmetric" (S19), "exact", "none".
        file: where to write states as they come. A file that is there is gone on with.
        tolerance: relative and absolute, of "Runge-Kutta".
        progress: whether to show a bar when it takes longer than two seconds.
    """
    if not isinstance(scene, Scene):
        raise SimulationError(
            f"the scene is a {type(scene).__name__}. Give an `ar.Scene`; of a figure with nothing "
            "but gravity, `ar.Scene(model)`."
        )
    steps = _count(duration, step, keep_every)
    q0, qd0, outside = _start(scene, q, qd, tau, inertia, steps)
    if integrator not in INTEGRATORS:
        raise SimulationError(
            f"no integrator {integrator!r}.{nearest(integrator, INTEGRATORS)} There are "
            f"{', '.join(map(repr, INTEGRATORS))}."
        )
    about = {
        "model": scene.model.name, "integrator": integrator, "step": step,
        "keep_every": keep_every, "implicit": implicit,
        "prescribed": [motion.joint for motion in scene.prescribed],
    }  # fmt: skip
    if outside and integrator not in STEPS:
        raise SimulationError(
            f"{integrator!r} takes no `{next(iter(outside))}`. Use {', '.join(map(repr, STEPS))}, "
            "or a controller and a model of its own."
        )
    q0, qd0 = _on_track(scene, q0, qd0, q is None, qd is None)
    run = _Run(scene, about, q0, qd0, outside, step, keep_every, tolerance)
    return run.all(steps // keep_every, None if file is None else Path(file), progress)


def _start(
    scene: Scene, q: Any, qd: Any, tau: Any, inertia: Any, steps: int
) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Initial states, and what else is given, each with the axes of the whole batch."""
    model = scene.model
    q, qd = scene.start(q, qd)
    given = {"q": q, "qd": qd}
    given |= {} if tau is None else {"tau": np.asarray(tau, float)}
    given |= {} if inertia is None else {"inertia": np.asarray(inertia, float)}
    sizes = {"q": model.nq, "qd": model.nv, "tau": model.nv, "inertia": 10 * model.nb}
    leads = {}
    for name, array in given.items():
        if array.shape[-1:] != (sizes[name],) or not np.all(np.isfinite(array)):
            raise ShapeError(
                f"`{name}` has shape {array.shape} but `{model.name}` needs (..., {sizes[name]}), "
                "all finite numbers."
            )
        by_step = name == "tau" and array.ndim > 1 and array.shape[-2] == steps
        if name == "tau" and array.ndim == 2 and not by_step and q.ndim == qd.ndim == 1:
            raise ShapeError(
                f"`tau` has shape {array.shape}, and there are {steps} steps of one simulation: "
                f"give ({model.nv},) or ({steps}, {model.nv})."
            )
        leads[name] = array.shape[: -2 if by_step else -1]
    batch = np.broadcast_shapes(*leads.values())
    for name, array in given.items():
        given[name] = np.broadcast_to(array, batch + array.shape[len(leads[name]) :])
    q, qd = given.pop("q"), given.pop("qd")
    return q, qd, given


def _on_track(
    scene: Scene, q: np.ndarray, qd: np.ndarray, free_q: bool, free_qd: bool
) -> tuple[np.ndarray, np.ndarray]:
    """The start with joints that move as told where they are told to be, if it was left open."""

    def start(tree, q, qd) -> tuple:
        return on_track(scene, tree, q, qd, 0.0)

    if not scene.prescribed:
        return q, qd
    told_q, told_qd = evaluate(start, scene.model, q, qd)
    for motion in scene.prescribed:
        at = scene.model.slice_q(motion.joint)
        off = np.abs(told_q - q)[..., at].max()
        if motion.position is not None and motion.gain is None and not free_q and off > 1e-6:
            raise SimulationError(
                f"joint {motion.joint!r} starts {off:.3g} away from where it is told to be. Start "
                "it there, or give its `Prescribed` a `gain`, at which it comes back."
            )
    return (told_q if free_q else q), (told_qd if free_qd else qd)


def _count(duration: float, step: float, keep_every: int) -> int:
    for name, time_given in (("duration", duration), ("step", step)):
        if not isinstance(time_given, int | float | np.number) or not 0.0 < time_given < math.inf:
            raise SimulationError(f"`{name}` is {time_given!r}. Give a time above zero [s].")
    if not isinstance(keep_every, int | np.integer) or keep_every < 1:
        raise SimulationError(f"`keep_every` is {keep_every!r}. Give a whole number, 1 or more.")
    steps = round(duration / step)
    if abs(steps * step - duration) > 1e-6 * duration or steps % keep_every:
        raise SimulationError(
            f"{duration:g} s are {duration / step:g} steps of {step:g} s, and every {keep_every} "
            "steps a state is kept. Choose them so that the last step ends with the duration and "
            f"is kept: a duration of {max(1, round(steps / keep_every)) * keep_every * step:g} s, "
            "say."
        )
    return steps


class _Run:
    """One simulation under way."""

    def __init__(self, scene, about, q, qd, outside, step, keep_every, tolerance) -> None:
        self.scene, self.about, self.q0, self.qd0, self.outside = scene, about, q, qd, outside
        self.step, self.every, self.tolerance = step, keep_every, tolerance
        self.free = ("inertia",) if "inertia" in outside else ()
        self.energy = compile_page(energy(scene), scene.model, free=self.free)
        self.tidy = compile_page(normalize, scene.model)
        self.told = np.zeros(scene.model.nv)
        for motion in scene.prescribed:
            self.told[scene.model.slice_qd(motion.joint)] = 1.0
        self.advance = self._advancer()

    def all(self, count: int, path: Path | None, progress: bool) -> Trajectory:
        """Simulate until `count` states are kept behind the first."""
        parts = [self._part(np.zeros(1), self.q0[..., None, :], self.qd0[..., None, :], None)]
        file = None
        if path is not None and path.exists():
            file = TrajectoryFile.open(path)
            parts = [self._checked(file)]
        elif path is not None:
            file = TrajectoryFile.create(path, parts[0])
            file.append(parts[0])
        bar = _Bar(count, progress)
        done = len(parts[0]) - 1
        try:
            while done < count:
                many = min(count - done, BLOCK if file or done or not self.native else count)
                part = self.advance(parts[-1], many, lambda k, done=done: bar.show(done + k))
                parts.append(part)
                if file:
                    file.append(part)
                done += len(part)
                bar.show(done)
                self._finite(parts)
        except SimulationError as error:
            error.trajectory = _joined(parts)
            raise
        finally:
            bar.close()
            if file:
                file.__exit__()
        return _joined(parts)

    def _checked(self, file: TrajectoryFile) -> Trajectory:
        """What an earlier run has written, if it was the same simulation."""
        there = file.read(self.scene.model)
        same = dict(there.about) == self.about and there.q.shape[:-2] == self.q0.shape[:-1]
        if not same or not len(there):
            raise SimulationError(
                f"{file.path} holds another simulation ({dict(there.about)}). Give a new file, or "
                "remove that one."
            )
        return there

    def _part(
        self, t: np.ndarray, q: np.ndarray, qd: np.ndarray, forces: np.ndarray | None
    ) -> Trajectory:
        figure = [self.outside[name][..., None, :] for name in self.free]
        kinetic, potential = self.energy(q, qd, t, *figure)
        forces = np.zeros_like(qd) if forces is None else forces
        return Trajectory(t, q, qd, kinetic, potential, forces, self.about, self.scene.model)

    def _finite(self, parts: list[Trajectory]) -> None:
        part = parts[-1]
        fine = np.isfinite(part.q).all(-1) & np.isfinite(part.qd).all(-1)
        if fine.all():
            return
        fine = fine.reshape(-1, len(part)).all(0)
        first = int(np.argmin(fine))
        keep = slice(0, first)
        parts[-1] = Trajectory(
            part.t[keep], part.q[..., keep, :], part.qd[..., keep, :], part.kinetic[..., keep],
            part.potential[..., keep], part.forces[..., keep, :], part.about, part.model,
        )  # fmt: skip
        raise SimulationError(
            f"`{self.scene.model.name}` has no finite state at t = {part.t[first]:.6g} s. "
            f"{self._culprit(parts)}What was simulated before is in `error.trajectory`."
        )

    def _culprit(self, parts: list[Trajectory]) -> str:
        """What is not finite at the last good state, or a word about the step."""
        last = next(part for part in reversed(parts) if len(part))
        q, qd, t = last.q[..., -1, :], last.qd[..., -1, :], last.t[-1] + self.step
        suspects = [replace(self.scene, forces=(f,), controller=None) for f in self.scene.forces]
        names = [repr(f) for f in self.scene.forces]
        if self.scene.controller is not None:
            suspects.append(replace(self.scene, forces=()))
            names.append("the controller")
        for scene, name in zip(suspects, names, strict=True):
            tau = evaluate(pushing(scene), scene.model, q, qd, t)
            if not all(np.isfinite(x).all() for x in tau):
                return f"At t = {t:.6g} s {name} gives forces that are not finite. "
        return f"All forces are finite there: the step of {self.step:g} s is too large. "

    def _advancer(self) -> Callable[..., Trajectory]:
        name = self.about["integrator"]
        self.native = name in STEPS
        if name in STEPS:
            return self._native_steps(name)
        if name in IMPLICIT:
            return self._newton_steps(IMPLICIT[name])
        return self._runge_kutta(RungeKutta(self.scene))

    def _native_steps(self, name: str) -> Callable[..., Trajectory]:
        scene, model = self.scene, self.scene.model
        make = STEPS[name]
        page = make(scene, self.about["implicit"]) if make is implicit_euler else make(scene)
        inputs = page_inputs(page, model.tree) | free_inputs(self.free, model.tree, page)
        rollout = Rollout(lambda: trace(page, model.tree, inputs), 2)
        batch = self.q0.shape[:-1]
        rows = math.prod(batch)
        pushes = np.zeros((1, model.nv))
        if "tau" in self.outside:
            pushes = self.outside["tau"]
            pushes = pushes.reshape(rows, *pushes.shape[len(batch) :])
        figure = [self.outside[name].reshape(rows, -1) for name in self.free]

        def advance(before: Trajectory, many: int, progress: Callable[[int], None]) -> Trajectory:
            q, qd = (np.ascontiguousarray(x[..., -1, :]).reshape(rows, -1)
                     for x in (before.q, before.qd))  # fmt: skip
            kept = self._times(before, many)
            steps = round(kept[0] / self.step) + np.arange(many * self.every)
            part = pushes[:, steps] if pushes.ndim == 3 else pushes
            t, end = self.step * steps[None], self.step * (steps[None] + 1)
            given = [q, qd, t, end, np.full(1, self.step), part, *figure]
            done = rollout(
                given, len(steps), self.every, progress=lambda k: progress(k // self.every)
            )
            q, qd, *forces = (x.reshape(*batch, many, x.shape[-1]) for x in done)
            return self._part(kept[1:], q, qd, *(forces or [None]))

        return advance

    def _newton_steps(self, method: Callable[..., State]) -> Callable[..., Trajectory]:
        solver = Solver(self.scene)
        before: State | None = None

        def advance(sofar: Trajectory, many: int, progress: Callable[[int], None]) -> Trajectory:
            nonlocal before
            q, qd, forces = (getattr(sofar, n)[..., -1, :].copy() for n in ("q", "qd", "forces"))
            now = State(q, qd, sofar.t[-1], forces)
            first = round(now.t / self.step)
            kept: list[State] = []
            for k in range(many * self.every):
                after = method(solver, now, self.step, before)
                q, qd = self.tidy(after.q, after.qd)
                changed = not np.array_equal(qd, after.qd)
                before = None if changed else now  # new coordinates: start the history anew
                now = State(q, qd, self.step * (first + k + 1), after.forces * self.told)
                if (k + 1) % self.every == 0:
                    kept.append(now)
                    progress(len(kept))
            q, qd, forces = (
                np.stack([getattr(s, n) for s in kept], -2) for n in ("q", "qd", "forces")
            )
            return self._part(np.array([s.t for s in kept]), q, qd, forces)

        return advance

    def _runge_kutta(self, method: RungeKutta) -> Callable[..., Trajectory]:
        batch = self.q0.shape[:-1]

        def advance(before: Trajectory, many: int, progress: Callable[[int], None]) -> Trajectory:
            t = self._times(before, many)
            rows = (x[..., -1, :].reshape(-1, x.shape[-1]) for x in (before.q, before.qd))
            found = [method.solve(q, qd, t, self.tolerance) for q, qd in zip(*rows, strict=True)]
            q, qd, forces = (
                np.stack(x).reshape(*batch, many, -1) for x in zip(*found, strict=True)
            )
            q, qd = self.tidy(q, qd)
            return self._part(t[1:], q, qd, forces)

        return advance

    def _times(self, before: Trajectory, many: int) -> np.ndarray:
        """Times of the last kept state and of those to come: whole numbers of steps, not sums."""
        first = round(before.t[-1] / self.step)
        return self.step * (first + self.every * np.arange(many + 1))


def _joined(parts: list[Trajectory]) -> Trajectory:
    first = parts[0]
    axis = first.q.ndim - 2
    t = np.concatenate([p.t for p in parts])
    q, qd = (np.concatenate([getattr(p, n) for p in parts], axis) for n in ("q", "qd"))
    T, V = (np.concatenate([getattr(p, n) for p in parts], axis) for n in ("kinetic", "potential"))
    forces = np.concatenate([p.forces for p in parts], axis)
    return Trajectory(t, q, qd, T, V, forces, first.about, first.model)


class _Bar:
    """A line on stderr that says how far a long run is."""

    def __init__(self, total: int, wanted: bool) -> None:
        self.total, self.wanted = total, wanted and sys.stderr.isatty()
        self.began, self.last, self.shown = time.perf_counter(), 0.0, False

    def show(self, done: int) -> None:
        now = time.perf_counter()
        if not self.wanted or now - self.began < BAR or now - self.last < 0.1:
            return
        self.last, self.shown = now, True
        part = done / max(1, self.total)
        left = (now - self.began) * (1.0 - part) / max(part, 1e-9)
        bar = "█" * int(30 * part)
        print(f"\r{bar:30} {100 * part:3.0f} %  {left:5.0f} s left", end="", file=sys.stderr)

    def close(self) -> None:
        if self.shown:
            print("\r" + " " * 60 + "\r", end="", file=sys.stderr)
