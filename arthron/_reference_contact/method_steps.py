"""A run of a method of contact, step by step and row by row."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping

import numpy as np

from .._scene.element import Variable
from .._scene.setup import Setup
from .._simulate.native_steps import LOST, columns_of, ends_of, memory_of
from .._simulate.segment import FAILED, STUCK, RunSettings, Segment, Snapshot
from .methods import FRICTION, ContactMethod
from .step_data import Array, StepData, StepPages
from .velocity_program import ContactRows, ProgramSolution, VelocityProgram


class ContactSteps:
    """Steps of a method in a scene, as `NativeSteps` makes them of integrators with a page.

    Attributes:
        memory: what the method remembers: variables by name.
        columns: what a step gives besides states, and how many numbers that is.
        integrator: the method.
    """

    def __init__(self, setup: Setup, method: ContactMethod, *, tau: bool) -> None:
        self._setup, self.integrator = setup, method
        self.memory: Mapping[str, Variable] = memory_of(setup, method)
        self.columns: Mapping[str, int] = columns_of(setup, method)
        self._pages = StepPages(setup, tau=tau)
        self._states = ("q", "qd", *setup.variables)
        self._made: dict = {}
        rows = [row for row in self._pages.rows if not row.fixes]
        self._owners = [row.owner for row in rows]

    def digest(self) -> str:
        """What a step computes, known by name."""
        return repr(self.integrator)

    def advance(
        self, settings: RunSettings, at: Snapshot, many: int, progress: Callable[[int], None]
    ) -> Segment:
        """The next kept states; `progress` is told how many there are."""
        rows, every = len(at.status), settings.every
        names = (*self._states, *self.memory)
        widths = {n: at.states[n].shape[1] for n in names} | dict(self.columns)
        found = {n: np.zeros((rows, many, width)) for n, width in widths.items()}
        count, status = np.zeros((2, rows, many))
        for row in range(rows):
            now = {n: at.states[n][row].copy() for n in names}
            over, steps, beside = at.status[row], int(at.steps), {}
            if over > 0.5:
                steps = int(at.ended[row])
            for k in range(many):
                for _ in range(every):
                    if over > 0.5:
                        break
                    after, beside, failed = self._step(settings, row, steps, now)
                    if failed:
                        over = failed
                    else:
                        now, steps = after, steps + 1
                for name in names:
                    found[name][row, k] = now[name]
                for name, x in beside.items():
                    found[name][row, k] = x
                count[row, k], status[row, k] = steps, over
                progress(k)
        return Segment(found, ends_of(settings, at, found, names, count, status))

    def _step(
        self, settings: RunSettings, row: int, steps: int, now: Mapping[str, Array]
    ) -> tuple[dict[str, Array], dict[str, Array], float]:
        """States at the end of a step, what it gives besides, and why it failed, if it did."""
        h, tau, numbers = settings.step, settings.tau, settings.parameters
        numbers = numbers[row if len(numbers) > 1 else 0]
        given = [*(now[n] for n in self._states), np.float64(h * steps), np.float64(h)]
        if tau is not None:
            own = tau[row if len(tau) > 1 else 0]
            given.append(own[min(steps, len(own) - 1)] if own.ndim == 2 else own)
        given.append(numbers)
        system = self._setup.system(self._setup.scene.model.tree, numbers.tolist())
        data = self._pages.data(given, h)
        contacts = ContactRows.of(data, self._pages, self.integrator.gamma)
        friction = now[FRICTION].reshape(-1, 6) if FRICTION in now else np.zeros((len(data.J), 6))
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore", RuntimeWarning)
                found, friction, problem = self.integrator.solve(
                    data, self._pages, system, contacts, friction, self._memo
                )
        except np.linalg.LinAlgError:  # a matrix without a factor
            return {}, {}, FAILED
        if not found.solved:
            return {}, {}, STUCK
        qd = problem.rates @ found.v
        after = dict(zip(self._states, self._pages.end(given, qd), strict=True))
        after |= {FRICTION: friction.ravel()} if FRICTION in now else {}
        if not sum(np.abs(x).sum() for x in after.values()) < LOST:
            return {}, {}, FAILED
        return after, self._beside(data, contacts, problem, found, qd), 0.0

    def _memo(self, key: object, make: Callable) -> object:
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    def _beside(
        self,
        data: StepData,
        contacts: ContactRows,
        problem: VelocityProgram,
        found: ProgramSolution,
        qd: Array,
    ) -> dict[str, Array]:
        """What a step gives besides states."""
        h, result = data.h, {}
        if "forces" in self.columns:
            result["forces"] = (data.A @ qd - data.momentum) / h
        ties = found.ties[len(problem.G) - sum(not r.above for r in self._pages.rows) :]
        equations, above = iter(ties), iter(found.pushes)
        impulses = [next(above if r.above else equations) for r in self._pages.rows]
        pairs = [(r.owner, x) for r, x in zip(self._pages.rows, impulses, strict=True)
                 if not r.fixes]  # fmt: skip
        for name in self.columns:
            owner = name.removeprefix("multipliers.")
            if owner != name:
                result[name] = np.array([x / h for who, x in pairs if who == owner])
        if "contacts" in self.columns:
            force = np.zeros((len(data.gap), 3))
            force[contacts.which] = contacts.forces(found, h)
            result["contacts"] = np.column_stack([force, data.point, data.gap]).ravel()
            result["iterations"] = np.array([found.iterations], float)
        return result | {"residual": np.array([found.residual])}
