"""Steps of an integrator, repeated in native code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .._graph.expr import Expr
from .._graph.iterate import iterate
from .._graph.ops import Op
from .._integrators.integrator import Integrator
from .._integrators.projection import projected
from .._pages.takes import Page, page_name
from .._scene.call_user import call_user
from .._scene.contact_step import CHANGE, IMPULSES
from .._scene.element import Variable
from .._scene.setup import Setup
from .._scene.system import State, System
from .._spatial.scalar import Scalar, absolute, where
from .._tree.tree import BodyList
from ..errors import SimulationError
from .observe import TAKEN, observed
from .segment import ENDED, FAILED, STUCK, Array, RowEnd, RunSettings, Segment, Snapshot
from .system_pages import repeated, state_inputs, state_of, system_page

COUNT, STATUS, MULTIPLIERS = "steps", "status", "multipliers"
CONTACTS, ITERATIONS = "contacts", "iterations"
LOST = 1e15
"""States beyond this have no digits left behind the point: whoever comes there is lost."""


def memory_of(setup: Setup, integrator: Integrator) -> dict[str, Variable]:
    """What an integrator remembers in a scene: variables by name."""
    model, who = setup.scene.model, f"`memory` of {integrator}"
    start: dict[str, Any] = {"q": model.neutral(), "qd": np.zeros(model.nv)}
    start |= {name: np.zeros(v.size) for name, v in setup.variables.items()}
    given = call_user(who, integrator.memory, start)
    if not isinstance(given, Mapping) or not all(isinstance(x, Variable) for x in given.values()):
        raise SimulationError(
            f"{who} returned {given!r}. Return a dict of variables by name: "
            '`{"before": ar.Variable(tuple(start["qd"]))}`.'
        )
    taken = {*TAKEN, *setup.variables, COUNT, STATUS, "h", "tau", "parameters"}
    for name in given:
        if not isinstance(name, str) or name in taken:
            raise SimulationError(
                f"{who} calls something {name!r}, which is taken. Call it something else: "
                "`history.q`, say."
            )
    per_body = {n: Variable((0.0,) * k * model.nb) for n, k in integrator.per_body.items()}
    contact = {}
    if setup.touching and integrator.contact and not integrator.solves:
        contact[IMPULSES] = Variable(setup.impulses_before())
        contact[CHANGE] = Variable((0.0,) * model.nv)
    return {**given, **per_body, **contact}


def step_page(
    setup: Setup, integrator: Integrator, *, tau: bool = False, until: Page | None = None,
    guarded: bool = False,
) -> Page:  # fmt: skip
    """The page of one step: from states, and how many steps of length h have led to them.

    It returns the next states, what the integrator remembers, and the count; behind them the joint
    forces of constraints, where there are some, and the residual, where something is solved.

    A `guarded` step takes and returns the status of its row behind the count. A row that is over
    stays where it is, and one whose next state is not finite or was not found is over.
    """
    memory = {name: v.size for name, v in memory_of(setup, integrator).items()}
    widths, touching = setup.multipliers(), setup.contact_numbers

    def next_states(system: System, values: Mapping[str, Any]) -> tuple:
        k, h = values[COUNT], values["h"]
        before = state_of(setup, values, h * k, memory)

        def go_on() -> tuple[list, list]:
            """Next states and their count; whether it got stuck, and what else a step gives."""
            after = _stepped(integrator, system, before, h)
            forces = after.forces if setup.constrained else ()
            rest = [after.stuck, *forces, *_by_element(system, after, widths)]
            rest += _of_contact(after, touching)
            rest.append(after.residual)
            return [*_flat(system, before, after), k + 1.0], rest

        if not guarded:
            states, (_, *rest) = go_on()
            return (*states, *_besides(setup, integrator, rest))
        now, over = [*_flat(system, before, before), k], values[STATUS]
        if integrator.loops:  # not for what is over
            many = setup.constrained * system.tree.nv + sum(widths.values())
            many += touching + 1 if touching else 0
            nothing = [0.0] * (2 + many)
            going = where(over > 0.5, 0.0, 1.0)
            states, (stuck, *rest) = iterate(
                lambda _: (go_on(), 1.0), (now, nothing), 1, going, name="step"
            ).values
        else:
            states, (stuck, *rest) = go_on()
        ends: Scalar = 0.0
        if until is not None:
            ends = _truth(until, observed(setup, system, _state(system, before, states, h), until))
        moves = states[: 2 + len(before.more)]  # what is remembered goes into them
        found = where(stuck > 0.5, 0.0, where(_size(moves) < LOST, 1.0, 0.0))
        failed = where(stuck > 0.5, STUCK - 1.0 + stuck, FAILED)
        stays = where(over > 0.5, 1.0, 1.0 - found)
        kept = iterate(lambda _: (now, 1.0), states, 1, stays, name="stay").values
        status = where(over > 0.5, over, where(found > 0.5, ENDED * ends, failed))
        return (*kept, status, *_besides(setup, integrator, rest))

    inputs: dict[str, Any] = {**state_inputs(setup, memory), COUNT: ()}
    inputs |= {STATUS: ()} if guarded else {}
    names = (*inputs, *columns_of(setup, integrator))
    inputs |= {"h": (), **({"tau": ("nv",)} if tau else {})}
    page: Any = system_page(setup, next_states, **inputs)
    page.results = names
    return page


def columns_of(setup: Setup, integrator: Integrator) -> dict[str, int]:
    """What a step gives besides states, and how many numbers that is."""
    return {
        **({"forces": setup.scene.model.nv} if setup.constrained else {}),
        **{f"{MULTIPLIERS}.{name}": n for name, n in setup.multipliers().items()},
        **({CONTACTS: n, ITERATIONS: 1} if (n := setup.contact_numbers) else {}),
        **({"residual": 1} if integrator.solves or n else {}),
    }


def _stepped(integrator: Integrator, system: System, state: State, h: Scalar) -> State:
    """The state after a step, as it should be, which a user's integrator may not have returned."""
    if not system.tree.nv and not state.more:  # nothing moves
        return replace(state, t=state.t + h)
    who = f"`step` of {integrator}"
    after = call_user(who, integrator.step, *system.at(state), h)
    if isinstance(after, State) and not integrator.projects:
        after = projected(system, after)
    if not isinstance(after, State):
        raise SimulationError(
            f"{who} returned a {type(after).__name__}. Return the state at the end: "
            "`ar.integrators.advanced(system, state, rate, qd, h)`, say."
        )
    for name, before, now in (("q", state.q, after.q), ("qd", state.qd, after.qd)):
        sizes = [len(x) for x in before[1:]]
        if not isinstance(now, BodyList) or [len(x) for x in now[1:]] != sizes:
            raise SimulationError(
                f"{who} returned a state whose `{name}` is {now!r}. Return coordinates by joint, "
                f"as `state.{name}` has them: `tree.positions(list)` or `tree.rates(list)`."
            )
    for kind in ("more", "memory"):
        before, now = getattr(state, kind), getattr(after, kind)
        if {name: _length(x) for name, x in now.items()} != {n: len(x) for n, x in before.items()}:
            raise SimulationError(
                f"{who} returned a state whose `{kind}` has {_lengths(now)}, and it should have "
                f"{_lengths(before)}."
            )
    nv = system.tree.nv
    if not after.forces and system.bounded and not system.equated:  # it takes no rows, nor limits
        after = replace(after, forces=[0.0] * nv)
    if len(after.forces) not in ((nv,) if system.constrained else (0, nv)):
        raise SimulationError(
            f"{who} returned a state with {len(after.forces)} `forces`. Return the {nv} joint "
            "forces that constraints took, which `system.acceleration` and `system.solve` give."
        )
    return after


def _length(x: Any) -> int | None:
    return len(x) if isinstance(x, Sequence) else None


def _lengths(states: Mapping[str, Any]) -> str:
    """Names of states, and how many numbers each is."""
    each = (f"{name!r} of {_length(x)}" for name, x in states.items())
    return ", ".join(each) or "nothing"


def _flat(system: System, like: State, state: State) -> list[list[Scalar]]:
    """q, qd, further states and memory, as lists, in the order of another state."""
    tree = system.tree
    more = [*(state.more[n] for n in like.more), *(state.memory[n] for n in like.memory)]
    return [tree.vector(state.q), tree.vector(state.qd), *map(list, more)]


def _state(system: System, like: State, flat: list, h: Scalar) -> State:
    """The state out of such lists, with a count behind them, as another one has it."""
    q, qd, *rest, count = flat
    n = len(like.more)
    more, memory = (
        dict(zip(like.more, rest, strict=False)),
        dict(zip(like.memory, rest[n:], strict=True)),
    )
    return system.state(h * count, q, qd, more, memory=memory)


def _besides(setup: Setup, integrator: Integrator, given: list[Scalar]) -> list:
    """What a step gives besides states: forces and multipliers of constraints, and a residual."""
    *rest, residual = given
    found, rest = [], iter(rest)
    if setup.constrained:
        found.append([next(rest) for _ in range(setup.scene.model.nv)])
    found += [[next(rest) for _ in range(n)] for n in setup.multipliers().values()]
    touching = setup.contact_numbers
    if touching:
        found += [[next(rest) for _ in range(touching)], next(rest)]
    return [*found, *([residual] if integrator.solves or touching else [])]


def _of_contact(state: State, many: int) -> list[Scalar]:
    """What a step says of contact, that many numbers, and how many passes it took."""
    return [*(state.contacts or [0.0] * many), state.iterations] if many else []


def _by_element(system: System, state: State, widths: Mapping[str, int]) -> list[Scalar]:
    """Multipliers of elements, one behind the other; zero of an integrator that gives none."""
    if not widths or not state.multipliers:
        return [0.0] * sum(widths.values())
    rows = system.velocity_rows(state, state.t, 1.0)  # for whose they are
    owners = [row.owner for row in rows if not row.fixes]
    pairs = list(zip(owners, state.multipliers, strict=True))
    return [x for name in widths for owner, x in pairs if owner == name]


def _size(states: list) -> Scalar:
    """The sum of all absolute values, NaN where one of them is; in pairs, which wait for less."""
    flat = (x for each in states for x in (each if isinstance(each, list) else [each]))
    sums = [absolute(x) for x in flat] or [0.0]
    while len(sums) > 1:
        sums = [x + y for x, y in zip(sums[::2], [*sums[1::2], 0.0], strict=False)]
    return sums[0]


def _truth(page: Page, given: Any) -> Scalar:
    """What a page says, as one or zero."""
    number = isinstance(given, int | float | np.bool_) and given in (0, 1)
    if not number and not (isinstance(given, Expr) and _is_condition(given)):
        raise SimulationError(
            f"`until` is `{page_name(page)}`, which returned {given!r}. Return one comparison, "
            "such as `height < 0.1`, or several with `&`, `|` and `~` between them."
        )
    return where(given, 1.0, 0.0)


def _is_condition(given: Expr) -> bool:
    """Whether a traced scalar is made of comparisons and nothing else."""
    nodes, left, seen = given.graph.nodes, [given.position], set()
    while left:
        position = left.pop()
        op, *rest = nodes[position]
        if position in seen or op in (Op.CONST, Op.LESS, Op.LESS_EQUAL, Op.EQUAL):
            continue
        seen.add(position)
        if op not in (Op.ADD, Op.SUB, Op.MUL, Op.MIN, Op.MAX, Op.WHERE):
            return False
        left += rest[1:] if op is Op.WHERE else rest
    return True


class NativeSteps:
    """Steps of an integrator in a scene, compiled.

    Args:
        setup: what is simulated.
        integrator: how.
        tau: whether there are joint forces from outside.
        until: a page that says when a row is to end.

    Attributes:
        memory: what the integrator remembers: variables by name.
        columns: what a step gives besides states, and how many numbers that is.
        integrator: whose steps they are.
    """

    def __init__(
        self, setup: Setup, integrator: Integrator, *, tau: bool = False, until: Page | None = None
    ) -> None:
        page = step_page(setup, integrator, tau=tau, until=until, guarded=True)
        self.memory, self.integrator = memory_of(setup, integrator), integrator
        self.columns: Mapping[str, int] = columns_of(setup, integrator)
        self._names = ("q", "qd", *setup.variables, *self.memory)
        self._dropped = [k for k, name in enumerate(self._names) if not self._saved(name)]
        uses = {} if until is None else {"until": until}
        name = f"{integrator!r}, {tau}" if _ours(integrator) else None
        self._rollout = repeated(setup, name, page, len(self._names) + 2, uses)
        self._known = name is not None

    def digest(self) -> str:
        """What a step computes, where that is not known by its name."""
        return "" if self._known else self._rollout.digest()

    def advance(
        self, settings: RunSettings, at: Snapshot, many: int, progress: Callable[[int], None]
    ) -> Segment:
        """The next kept states; `progress` is told how many there are."""
        every, tau, first = settings.every, settings.tau, at.steps
        count = many * every
        given = [at.states[name] for name in self._names]
        given += [np.where(at.status > 0.5, at.ended, float(first)), at.status]
        given.append(np.full(1, settings.step))
        if tau is not None:
            given.append(tau[:, first : first + count] if tau.ndim == 3 else tau)
        given.append(settings.parameters)
        results = self._rollout(
            given, count, every, dropped=self._dropped, progress=lambda k: progress(k // every)
        )
        n = len(self._names)
        found = {
            name: x for name, x in zip(self._names, results, strict=False) if self._saved(name)
        }
        saved = tuple(found)
        besides = zip(self.columns.items(), results[n + 2 :], strict=True)
        found |= {name: x.reshape(*x.shape[:2], width) for (name, width), x in besides}
        ends = ends_of(settings, at, found, saved, *results[n : n + 2])
        lost = {name: x[:, None] for name, x in at.states.items() if not self._saved(name)}
        found |= {name: np.broadcast_to(x, (len(x), many, x.shape[2])) for name, x in lost.items()}
        return Segment(found, ends)

    def _saved(self, name: str) -> bool:
        return name not in self.memory or self.memory[name].saved


def _ours(integrator: Integrator) -> bool:
    """Whether an integrator is one of arthron's own, which are known by name and options."""
    return type(integrator).__module__.startswith("arthron._integrators.")


def ends_of(
    settings: RunSettings, at: Snapshot, found: dict[str, Array], names: tuple[str, ...],
    count: Array, status: Array,
) -> list[RowEnd]:  # fmt: skip
    """Rows that are over since a snapshot; what they have behind that becomes NaN."""
    ends = []
    over = at.status > 0.5
    for row in np.flatnonzero((status[:, -1] > 0.5) & ~over):
        states = {name: found[name][row, -1].copy() for name in names}
        end = RowEnd(int(row), float(status[row, -1]), int(count[row, -1]), states)
        k = int(np.argmax(status[row] > 0.5))
        if not end.failed:  # an end that was wanted is kept
            if end.steps % settings.every and "forces" in found:  # the step that led there was not
                found["forces"][row, k] = np.nan
            k += 1
        for array in found.values():
            array[row, k:] = np.nan
        ends.append(end)
    if over.any():
        for array in found.values():
            array[over] = np.nan
    return ends
