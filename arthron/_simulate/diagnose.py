"""Whose fault it is that simulations could not go on."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from .._integrators.integrator import Integrator
from .._pages.compiled import evaluate
from .._pages.takes import takes
from .._scene.element import Element, FixedCoordinates, described
from .._scene.setup import Setup
from .._scene.system import State, System
from .._tree.tree import Tree
from .native_steps import NativeSteps
from .segment import Array, RowEnd, RunSettings, Segment, Snapshot

LONGEST = 20_000
"""Steps that are made again in search of a length that holds. Below: the most parts that one is cut
into, seconds that the search may take, about, and states that are looked at."""
SHORTEST, PATIENCE, KEPT = 2**20, 0.5, 64


UNTRIED = "Take a shorter one."


class Cause(NamedTuple):
    """Why a row could not go on.

    Attributes:
        message: in a sentence or two.
        element: the name of what is to blame, an element of the scene or a joint.
    """

    message: str
    element: str | None


def diagnose(
    setup: Setup, steps: NativeSteps, settings: RunSettings, start: Snapshot,
    ends: Sequence[RowEnd], count: int,
) -> list[Cause]:  # fmt: skip
    """Why each of several rows could not go on: what is not finite there, or the step.

    Rows that failed since a snapshot; from it one is run again to find a step that holds, up to a
    number of steps if possible.
    """
    found = _not_finite(setup, settings, ends)
    left = [end for end in ends if end.row not in found]
    how, strongest = steps.integrator, _strongest(setup, settings, left) if left else []
    for k, (end, element) in enumerate(zip(left, strongest, strict=True)):
        cause = _too_large(setup, how, settings, end, element)
        if not how.adaptive:
            shorter = _shorter_step(steps, settings, start, end, count) if not k else UNTRIED
            cause = cause._replace(message=f"{cause.message} {shorter}")
        found[end.row] = cause
    return [found[end.row] for end in ends]


def _not_finite(setup: Setup, settings: RunSettings, ends: Sequence[RowEnd]) -> dict[int, Cause]:
    """Rows in which an element is not finite around the last good state."""
    h, here = settings.step, _Places(setup, settings, ends)
    places = [(here.t, here.q), (here.t + h, here.q)]
    if all(end.stuck is not None for end in ends):  # it was looking for the end of a step
        there = setup.scene.model.integrate(here.q, h * here.states["qd"])
        places.append((here.t + h, there))
    found: dict[int, Cause] = {}
    for t, q in places:
        for k, element in enumerate(setup.scene.all_elements):
            numbers = here.asked(k, _all, t, q)
            fine = np.all([np.isfinite(x).reshape(len(ends), -1).all(1) for x in numbers], axis=0)
            for i in np.flatnonzero(~fine).tolist():
                sentence = f"At t = {t[i]:.6g} s {_what(element)} not finite."
                found.setdefault(ends[i].row, Cause(sentence, setup.scene.names[k]))
    return found


def _strongest(setup: Setup, settings: RunSettings, ends: Sequence[RowEnd]) -> list[int | None]:
    """Which element makes the largest joint forces at the last good state of each row."""
    here = _Places(setup, settings, ends)
    sizes = [np.zeros(len(ends))]
    for k, element in enumerate(setup.scene.all_elements):
        if element.exerts_forces:
            (forces,) = here.asked(k, lambda system, state: (system.joint_forces(state),))
            sizes.append(np.abs(forces).max(-1, initial=0.0))
        else:
            sizes.append(sizes[0])
    return [int(k) - 1 if k else None for k in np.argmax(sizes, 0)]


class _Places:
    """Last good states of rows, at which elements are asked."""

    def __init__(self, setup: Setup, settings: RunSettings, ends: Sequence[RowEnd]) -> None:
        names = ("q", "qd", *setup.variables)
        self._setup = setup
        self.states = {name: np.stack([end.states[name] for end in ends]) for name in names}
        self.q, self.t = self.states["q"], settings.step * np.array([x.steps for x in ends], float)
        many = len(settings.parameters) > 1
        self._numbers = settings.parameters[[x.row if many else 0 for x in ends]]

    def asked(
        self, k: int, question: Callable[[System, State], tuple], t: Array | None = None,
        q: Array | None = None,
    ) -> list[Array]:  # fmt: skip
        """What element k answers there, or at other times and places, one array a result."""
        setup = self._setup
        sizes = {name: v.size for name, v in setup.variables.items()}

        @takes(t=(), parameters=(setup.parameters.size,), more=(sum(sizes.values()),))
        def page(tree: Tree, q, qd, t, parameters, more) -> tuple:
            rest = iter(more)
            own = {name: [next(rest) for _ in range(size)] for name, size in sizes.items()}
            return question(setup.system(tree, parameters).only([k]), State(t, q, qd, own))

        t, q = self.t if t is None else t, self.q if q is None else q
        more = np.concatenate([np.zeros((len(t), 0)), *(self.states[n] for n in sizes)], -1)
        given = q, self.states["qd"], t, self._numbers, more
        with np.errstate(all="ignore"):
            found = evaluate(page, setup.scene.model, *given)
        return list(found) if isinstance(found, tuple) else [found]


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
    steps: NativeSteps, settings: RunSettings, start: Snapshot, end: RowEnd, count: int
) -> str:
    """A step with which a row holds, if halving it finds one, in a sentence.

    It holds if half of it makes nothing slower: else it is only that nothing is infinite.
    """
    span, tau = end.steps + 1 - start.steps, settings.tau
    if span > LONGEST or (tau is not None and tau.ndim == 3):
        return UNTRIED
    rows = [end.row] * min(2, len(start.status))  # with code that is there already
    memory = {n: np.atleast_2d(np.asarray(v.start, float)) for n, v in steps.memory.items()}
    memory = {name: np.repeat(x, len(rows), 0) for name, x in memory.items()}
    states = {name: x[rows] for name, x in start.states.items()} | memory
    given = [x if x is None or len(x) == 1 else x[rows] for x in (settings.parameters, tau)]
    began = time.perf_counter()

    def gone(parts: int, at: Snapshot, many: int) -> Segment:
        """That many shorter steps from a snapshot, of which some states are kept."""
        every = max(1, many // KEPT)
        shorter = RunSettings(settings.step / parts, every, *given)  # type: ignore[arg-type]
        return steps.advance(shorter, at, -(-many // every), lambda n: None)

    def begun(parts: int) -> Snapshot:
        return Snapshot(start.steps * parts, states, *np.zeros((2, len(rows))))

    def fastest(parts: int) -> float:
        """The largest velocity on twice the way, infinite where it fails."""
        found = gone(parts, begun(parts), 2 * span * parts)
        failed = any(x.failed for x in found.ends)
        return np.inf if failed else float(np.nanmax(np.abs(found.columns["qd"][0]), initial=0.0))

    def holds(parts: int) -> bool | None:
        """Whether it goes on to the end; None where that takes more patience."""
        at, many = begun(parts), KEPT * parts
        while at.steps < count * parts:
            before = time.perf_counter()
            found = gone(parts, at, many)
            if found.ends:
                return not any(x.failed for x in found.ends)
            now = time.perf_counter()
            if now + 2.0 * (now - before) > began + 2.0 * PATIENCE:
                return None
            last = {name: found.columns[name][:, -1] if name in found.columns else x
                    for name, x in at.states.items()}  # fmt: skip
            at, many = at._replace(steps=at.steps + many, states=last), 2 * many
        return True

    parts, before, took = 2, np.inf, 0.0
    while parts <= SHORTEST and time.perf_counter() + 2.0 * took < began + PATIENCE:
        since = time.perf_counter()
        now = fastest(parts)
        took = time.perf_counter() - since
        if before <= 2.0 * now < np.inf:
            step, so = 2.0 * settings.step / parts, holds(parts // 2)
            if so is not False:
                return f"A step of {step:g} s {'holds' if so else 'gets past that'}."
        parts, before = 2 * parts, now
    return (
        "Shorter steps do not help, as far as they were tried: what acts on the figure may drive "
        "it on and on."
    )


def _too_large(
    setup: Setup, integrator: Integrator, settings: RunSettings, end: RowEnd, strongest: int | None
) -> Cause:
    """The step is to blame."""
    if end.stuck is not None:
        joint = _joint(setup, end.stuck)
        return Cause(integrator.stuck_message.format(joint=joint), joint)
    speed = np.abs(end.states["qd"])
    blame = _joint(setup, int(np.argmax(speed))) if len(speed) else None
    why = f"All forces are finite there: the step of {settings.step:g} s is too large."
    why += f" The fastest joint is {blame!r}, at {speed.max():.3g}." if blame else ""
    if strongest is not None:
        blame = setup.scene.names[strongest]
        why += f" The largest forces are those of {described(setup.scene.all_elements[strongest])}."
    if setup.scene.model.tree.curved:
        why += " Or the map that joints follow ends near there, or is singular."
    if setup.constraints:
        why += " Or constraints say the same twice or contradict each other."
    return Cause(why, blame)


def _joint(setup: Setup, k: int) -> str:
    """The joint of a velocity coordinate."""
    model = setup.scene.model
    return next(j for j in model.joint_names if k < model.slice_qd(j).stop)
