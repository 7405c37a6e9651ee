"""Whose fault it is that simulations could not go on."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .._algorithms.takes import takes
from .._compiled import evaluate
from .._integrators.integrator import Integrator
from .._model.tree import Tree
from .._scene.element import Element, FixedCoordinates, described
from .._scene.setup import Setup
from .._scene.system import State, System
from .native import NativeSteps
from .segment import Array, RowEnd, Settings, Snapshot

LONGEST = 20_000
"""Steps that are made again in search of a length that holds, most that they are cut into, and
seconds that may take, about."""
SHORTEST = 2**20
PATIENCE = 0.5


class Cause(NamedTuple):
    """Why a row could not go on.

    Attributes:
        message: in a sentence or two.
        element: the name of what is to blame, an element of the scene or a joint.
    """

    message: str
    element: str | None


def diagnose(
    setup: Setup, steps: NativeSteps, settings: Settings, start: Snapshot, ends: Sequence[RowEnd]
) -> list[Cause]:
    """Why each of several rows could not go on: what is not finite there, or the step.

    Rows that failed since a snapshot; from it one is run again to find a step that holds.
    """
    found = _not_finite(setup, settings, ends)
    left = [end for end in ends if end.row not in found]
    if left:
        how = steps.integrator
        shorter = None if how.adaptive else _shorter_step(steps, settings, start, left[0])
        found |= {end.row: _too_large(setup, how, settings, end, shorter) for end in left}
    return [found[end.row] for end in ends]


def _not_finite(setup: Setup, settings: Settings, ends: Sequence[RowEnd]) -> dict[int, Cause]:
    """Rows in which an element is not finite around the last good state."""
    model, h = setup.scene.model, settings.step
    states = {n: np.stack([end.states[n] for end in ends]) for n in ("q", "qd", *setup.variables)}
    t = h * np.array([end.steps for end in ends], float)
    numbers = settings.parameters
    rows = [end.row for end in ends] if len(numbers) > 1 else [0] * len(ends)
    found: dict[int, Cause] = {}
    places = [(t, states["q"]), (t + h, states["q"])]
    if all(end.stuck is not None for end in ends):  # it was looking for the end of a step
        places.append((t + h, model.integrate(states["q"], h * states["qd"])))
    with np.errstate(all="ignore"):
        for when, q in places:
            for k, element in enumerate(setup.scene.acting):
                fine = _finite(setup, k, states | {"q": q}, when, numbers[rows])
                for i in np.flatnonzero(~fine).tolist():
                    sentence = f"At t = {when[i]:.6g} s {_what(element)} not finite."
                    found.setdefault(ends[i].row, Cause(sentence, setup.scene.names[k]))
    return found


def _finite(setup: Setup, k: int, states: dict[str, Array], t: Array, numbers: Array) -> Array:
    """In which rows all that one element does is finite."""
    sizes = {name: v.size for name, v in setup.variables.items()}

    @takes(t=(), parameters=(setup.parameters.size,), more=(sum(sizes.values()),))
    def page(tree: Tree, q, qd, t, parameters, more) -> tuple:
        rest = iter(more)
        own = {name: [next(rest) for _ in range(size)] for name, size in sizes.items()}
        return _all(setup.system(tree, parameters).only([k]), State(t, q, qd, own))

    rows = len(t)
    more = np.concatenate([np.zeros((rows, 0)), *(states[name] for name in sizes)], -1)
    given = states["q"], states["qd"], t, numbers, more
    found = evaluate(page, setup.scene.model, *given)
    return np.all([np.isfinite(x).reshape(rows, -1).all(1) for x in found], axis=0)


def _all(system: System, state: State) -> tuple:
    """Everything a system says at a state."""
    now = system.loads(state)
    rows: Sequence = system.acceleration_rows(state)
    flat = [x for rates in system.rates(state).values() for x in rates]
    flat += [x for row in rows for x in (row.b, *row.G.values())]
    return (now.f_ext, now.tau, flat) if flat else (now.f_ext, now.tau)


def _what(element: Element) -> str:
    if isinstance(element, FixedCoordinates):
        return f"the motion of joint {element.joint!r} is"
    return f"the forces of {described(element)} are"


def _shorter_step(
    steps: NativeSteps, settings: Settings, start: Snapshot, end: RowEnd
) -> float | None:
    """A step with which a row gets twice as far, if halving it finds one."""
    span, tau = end.steps + 1 - start.steps, settings.tau
    if span > LONGEST or (tau is not None and tau.ndim == 3):
        return None
    rows = [end.row] * min(2, len(start.status))  # with code that is there already
    memory = {n: np.atleast_2d(np.asarray(v.start, float)) for n, v in steps.memory.items()}
    memory = {name: np.repeat(x, len(rows), 0) for name, x in memory.items()}
    states = {name: x[rows] for name, x in start.states.items()} | memory
    given = [x if x is None or len(x) == 1 else x[rows] for x in (settings.parameters, tau)]
    parts, began = 2, time.perf_counter()
    while parts <= SHORTEST and time.perf_counter() - began < PATIENCE:
        shorter = Settings(settings.step / parts, 2 * span * parts, *given)  # type: ignore[arg-type]
        at = Snapshot(start.steps * parts, states, *np.zeros((2, len(rows))))
        if not any(x.failed for x in steps.advance(shorter, at, 1, lambda n: None).ends):
            return shorter.step
        parts *= 2
    return None


def _too_large(
    setup: Setup, integrator: Integrator, settings: Settings, end: RowEnd, shorter: float | None
) -> Cause:
    """The step is to blame."""
    h, model = settings.step, setup.scene.model
    stuck = end.stuck
    if stuck is not None:
        joint = _joint(setup, stuck)
        why = integrator.stuck_message.format(joint=joint)
        if integrator.adaptive:
            return Cause(why, joint)
    else:
        speed = np.abs(end.states["qd"])
        joint = _joint(setup, int(np.argmax(speed))) if model.nv else None
        rows = (
            " Or constraints say the same twice or contradict each other."
            if setup.constraints
            else ""
        )
        why = f"All forces are finite there: the step of {h:g} s is too large.{rows}"
        why += f" The fastest joint is {joint!r}, at {speed.max():.3g}." if joint else ""
    if shorter is not None:
        return Cause(f"{why} A step of {shorter:g} s holds.", joint)
    return Cause(
        f"{why} Shorter ones do not help, or were not tried: what acts on the figure may drive it "
        "on and on.", joint,
    )  # fmt: skip


def _joint(setup: Setup, k: int) -> str:
    """The joint of a velocity coordinate."""
    model = setup.scene.model
    return next(j for j in model.joint_names if k < model.slice_qd(j).stop)
