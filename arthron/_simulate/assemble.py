"""Starts that constraints allow, from rough ones."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._compile.function import Function
from .._scene.assembly import assembled
from .._scene.element import Element, FixedCoordinates, described
from .._scene.joint_limits import JointLimits
from .._scene.setup import Setup
from .._scene.system import System, constrains
from ..errors import SimulationError, SimulationWarning
from .gaps import widest
from .segment import Array
from .system_pages import compiled, state_inputs, state_of, system_page

CLOSED = 1e-8
"""What a constraint may be off at the start, beside one and the size of velocities [m or rad]."""
EXACT = 1e-12
"""What it may be off so that nothing is changed."""
USUAL = 10.0
"""Accelerations that figures have at rest, beside the square of velocities [rad or m/s^2]."""
LEFT = 4.0
"""What steps leave at most, beside h^2 times such accelerations: Euler's explicit ones leave 3."""
FARTHEST, FASTEST = 1e-3, 0.1
"""What is rough in any case, however long steps are [m or rad, and beside velocities]."""
UNWILLING = 1e-3
"""How easily coordinates that were given are changed, where they have to be."""
TRIES = (0.01, 0.1, 0.3, 0.6, 1.0, 2.0)
"""How far from a pose that leads nowhere others are tried [rad or m]."""
PASSED = 1e-6
"""Limits of joints are passed by more than this [rad or m]."""
SHARE = 0.1
"""Constraints that are open by this part of the widest pull against it."""
ROUNDS = 5
"""Searches for coordinates of loops, each at the pose that the last ones led to."""


class Named(NamedTuple):
    """What a start gives by name, and is kept if it can be.

    Attributes:
        q: joints whose coordinates are given.
        qd: joints whose velocities are.
        states: states of elements that are.
    """

    q: frozenset[str] = frozenset()
    qd: frozenset[str] = frozenset()
    states: frozenset[str] = frozenset()


def assemble(
    setup: Setup, states: Mapping[str, Array], numbers: Array, named: Named, open_names: list[str]
) -> dict[str, Array]:
    """States that constraints allow, nearest to given ones; coordinates that are named stay.

    Those that have to be changed all the same are, with a warning. Constraints whose numbers are
    among `open_names` are left out.
    """
    elements, held = _held(setup, open_names)
    found, there = dict(states), dict[str, Array]()
    for _ in range(ROUNDS if _searched(setup, named) else 1):
        found |= _search(setup, found, numbers, named)
        there = _solved(setup, found, numbers, held, named)
        found |= {name: there[name] for name in ("q", "qd")}
    _check(setup, there, elements)
    _warn(setup, states, found, named)
    return found


def holds(
    setup: Setup, there: Mapping[str, Array], named: Named, open_names: list[str], h: float
) -> Array:
    """Whether all constraints hold in each row, but those whose numbers are among `open_names`.

    Or are off by what a step of length h leaves, where all of q and qd is given: a gap is half h^2
    times an acceleration of the row, a rate is h times that.
    """
    stay = np.full(len(there["q"]), not _searched(setup, named))
    fast = np.abs(there["qd"]).max(-1, initial=0.0)[:, None]
    steps = LEFT * h if {"q", "qd"} <= named.states else 0.0
    change, first = np.abs(there["rows"]).sum(-1) * steps * (USUAL + fast**2), 0
    for k, held in enumerate(_held(setup, open_names)[1]):
        gap, rate = np.abs(there[f"gap {k}"]), np.abs(there[f"rate {k}"])
        own = change[:, first : first + gap.shape[1]]
        first += gap.shape[1]
        near = (gap <= np.clip(h * own, EXACT, FARTHEST)).all(-1)
        near &= (rate <= np.clip(own, EXACT * (1.0 + fast), FASTEST * (1.0 + fast))).all(-1)
        stay &= near | (not held)
    return stay


def _held(setup: Setup, open_names: list[str]) -> tuple[list[int], Array]:
    """Which elements constrain, and one for each of them whose numbers are known."""
    elements = [k for k, x in enumerate(setup.scene.all_elements) if constrains(x)]
    owners = {setup.parameters.each[n].owner for n in open_names}
    return elements, np.array([float(k not in owners) for k in elements])


def _solved(
    setup: Setup, states: Mapping[str, Array], numbers: Array, held: Array, named: Named
) -> dict[str, Array]:
    """What the page gives with named coordinates kept, or where it must be, with all of them."""
    page: Any = setup.scene.memo(("assembly", setup.named), lambda: _page(setup))
    mobility = np.ones((2, setup.scene.model.nv))
    for k, joints in enumerate((named.q, named.qd)):
        for joint in joints:
            mobility[k, setup.scene.model.slice_qd(joint)] = 0.0
    mobility[:, setup.fixed_coordinates()] = 0.0
    given = [np.ascontiguousarray(states[n]) for n in ("q", "qd", *setup.variables)]

    def solve(start: Sequence[Array], weights: Array) -> dict[str, Array]:
        return page(*start, weights, held, numbers)

    there = solve(given, mobility)
    there = _from_elsewhere(setup, given, there, lambda start: solve(start, mobility), mobility[0])
    there = _within_limits(setup, given, there, lambda start: solve(start, mobility), mobility[0])
    bad = np.stack([_far(setup, there, kind) > CLOSED for kind in ("gap", "rate")])
    if bad.any() and (named.q or named.qd):
        easier = np.where(mobility == 0.0, UNWILLING, mobility)
        easier[:, setup.fixed_coordinates()] = 0.0
        other = solve(given, easier if bad[0].any() else np.stack([mobility[0], easier[1]]))
        rows: Array = bad[0] | bad[1]
        there = {n: np.where(_as_rows(rows, x), other[n], x) for n, x in there.items()}
    return there


def _from_elsewhere(
    setup: Setup, given: Sequence[Array], there: dict[str, Array],
    solve: Callable[[Sequence[Array]], dict[str, Array]], mobility: Array,
) -> dict[str, Array]:  # fmt: skip
    """The same from poses about the given one, in rows where that led nowhere.

    Links in line cannot begin to close: no small motion brings their ends nearer.
    """
    q, rng = given[0], np.random.default_rng(0)
    for far in TRIES:
        open_rows = _far(setup, there, "gap") > CLOSED
        if not open_rows.any():
            break
        step = far * rng.uniform(-1.0, 1.0, (len(q), mobility.size)) * (mobility > 0.0)
        other = solve([setup.scene.model.integrate(q, step), *given[1:]])
        nearer = _far(setup, other, "gap") < _far(setup, there, "gap")
        rows = open_rows & nearer
        there = {n: np.where(_as_rows(rows, x), other[n], x) for n, x in there.items()}
    return there


def _within_limits(
    setup: Setup, given: Sequence[Array], there: dict[str, Array],
    solve: Callable[[Sequence[Array]], dict[str, Array]], mobility: Array,
) -> dict[str, Array]:  # fmt: skip
    """The same from poses within limits of joints, in rows where those are passed.

    That is the given pose brought within them, then poses about it, with limited joints anywhere in
    between.
    """
    q, rng, low, high = given[0], np.random.default_rng(0), *_limits(setup, mobility)

    def beyond(q: Array) -> Array:
        return np.maximum(low - q, q - high).max(-1, initial=0.0)

    both = np.isfinite(low) & np.isfinite(high)
    for far in (0.0, *TRIES, *TRIES):
        rows = (beyond(there["q"]) > PASSED) & (_far(setup, there, "gap") <= CLOSED)
        if not rows.any():
            break
        step = far * rng.uniform(-1.0, 1.0, (len(q), mobility.size)) * (mobility > 0.0)
        start = np.clip(setup.scene.model.integrate(q, step), low, high)
        if far:
            start[:, both] = rng.uniform(low[both], high[both], (len(q), both.sum()))
        other = solve([start, *given[1:]])
        rows &= _far(setup, other, "gap") <= CLOSED
        rows &= beyond(other["q"]) < beyond(there["q"])
        there = {n: np.where(_as_rows(rows, x), other[n], x) for n, x in there.items()}
    return there


def _limits(setup: Setup, mobility: Array) -> tuple[Array, Array]:
    """(lower, upper) limits of coordinates that may be changed, (nq,) each."""
    model = setup.scene.model
    low, high = np.full(model.nq, -np.inf), np.full(model.nq, np.inf)
    for element in setup.scene.all_elements:
        if isinstance(element, JointLimits):
            ends = zip(element.joints, element.lower or (), element.upper or (), strict=True)
            for joint, a, b in ends:
                if joint in model.joint_names and mobility[model.slice_qd(joint)].all():
                    low[model.slice_q(joint)], high[model.slice_q(joint)] = a, b
    return low, high


def _as_rows(rows: Array, x: Array) -> Array:
    return rows.reshape(-1, *[1] * (x.ndim - 1))


def _page(setup: Setup) -> Function:
    n = sum(map(constrains, setup.scene.all_elements))

    def assembly(system: System, values: Mapping[str, Any]) -> dict:
        state = state_of(setup, values, 0.0)
        q, qd, gaps, rates = assembled(system, state, values["mobility"], values["held"])
        found: dict[str, Any] = {"q": q, "qd": qd}
        found |= {f"gap {k}": g for k, g in enumerate(gaps)}
        return found | {f"rate {k}": r for k, r in enumerate(rates)}

    inputs: Any = state_inputs(setup)
    nv = setup.scene.model.nv
    page = system_page(setup, assembly, **inputs, mobility=(2, nv), held=(n,))
    return compiled(setup, "assembly", page)


def _far(setup: Setup, there: Mapping[str, Array], kind: str) -> Array:
    """The largest gap or rate of all elements, beside the size of velocities, by row."""
    each = [np.abs(x).max(-1) for name, x in there.items() if name.startswith(kind)]
    size = 1.0 + (np.abs(there["qd"]).max(-1, initial=0.0) if kind == "rate" else 0.0)
    return np.nan_to_num(np.max(each, 0) / size, nan=np.inf)


def _check(setup: Setup, there: Mapping[str, Array], elements: list[int]) -> None:
    """Refuse a start at which a constraint does not hold: a step would jump to where it does."""
    far = {k: np.nan_to_num(np.abs(there[f"gap {i}"]), nan=np.inf).max(initial=0.0)
           for i, k in enumerate(elements)}  # fmt: skip
    worst = max(far, key=lambda k: far[k])
    if far[worst] <= CLOSED:
        return
    rows = np.flatnonzero(_far(setup, there, "gap") > CLOSED)
    many = f" in {len(rows)} of {len(there['q'])} simulations, {rows[0]} the first of them"
    many *= len(there["q"]) > 1
    first = setup.scene.all_elements[worst]
    gaps = np.nan_to_num(there[f"gap {elements.index(worst)}"], nan=np.inf)
    wide = widest(gaps, first.units)
    turned = wide.endswith(("rad", "turn")) and hasattr(first, "joint")
    axis = " Does the axis of its joint, in frame a, fit that of the figure?" * turned
    others = [k for k, x in far.items() if x > max(CLOSED, SHARE * far[worst]) and k != worst]
    who = " and ".join(described(setup.scene.all_elements[k]) for k in (worst, *others))
    what, which, how = ("stay up to", "them together", "sizes that go together") if others else \
                       ("stays", "it", "other sizes")  # fmt: skip
    fixed = [described(x) for x in setup.scene.all_elements if isinstance(x, FixedCoordinates)]
    against = f", with {' and '.join(fixed)} kept" * bool(fixed)
    raise SimulationError(
        f"{who} {what} {wide} open at the start{many}, and no pose near what was given closes "
        f"{which}{against}.{axis} Give coordinates that are nearer to a closed pose as `q`, or "
        f"{how}: `scene.assemble()` tries a start."
    )


def _warn(
    setup: Setup, before: Mapping[str, Array], after: Mapping[str, Array], named: Named
) -> None:
    """Say which coordinates that were named could not stay."""
    model = setup.scene.model
    for kind, joints, where in (("q", named.q, model.slice_q), ("qd", named.qd, model.slice_qd)):
        for joint in sorted(joints):
            off = np.abs(after[kind][:, where(joint)] - before[kind][:, where(joint)]).max()
            if off > CLOSED * (1.0 + np.abs(before[kind][:, where(joint)]).max()):
                what = "where" if kind == "q" else "as fast as"
                warnings.warn(
                    f"no start that constraints allow has joint {joint!r} {what} `start` has it: "
                    f"it is {off:.3g} off. Leave out one of the joints that `start` names, or give "
                    "numbers that go together.",
                    SimulationWarning,
                    stacklevel=5,
                )


def _searched(setup: Setup, named: Named) -> list[str]:
    """States of elements that follow from the pose."""
    found = []
    for element, name in zip(setup.scene.all_elements, setup.scene.names, strict=True):
        if type(element).states_at_start is not Element.states_at_start:
            found += [f"{name}.{n}" for n in element.variables if f"{name}.{n}" not in named.states]
    return found


def _search(
    setup: Setup, states: Mapping[str, Array], numbers: Array, named: Named
) -> dict[str, Array]:
    """Those states at a pose."""
    names = _searched(setup, named)
    if not names:
        return {}

    def search(system: System, values: Mapping[str, Any]) -> dict:
        found = system.states_at_start(state_of(setup, values, 0.0))
        return {str(k): found[name] for k, name in enumerate(names)}

    def make() -> Function:
        return compiled(
            setup, f"search, {names}", system_page(setup, search, **state_inputs(setup))
        )

    page: Any = setup.scene.memo(("search", tuple(names), setup.named), make)
    given = [np.ascontiguousarray(states[n]) for n in ("q", "qd", *setup.variables)]
    there = page(*given, numbers)
    return {name: there[str(k)] for k, name in enumerate(names)}
