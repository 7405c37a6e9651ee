"""A start that a scene's constraints allow, and the numbers of the scene that it decides."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import compress
from typing import Any

import numpy as np

from .._scene.accelerations import fixed
from .._scene.element import FixedCoordinates, described
from .._scene.joint_limits import JointLimits
from .._scene.setup import Setup
from .._scene.system import State, System
from .._spatial.scalar import Scalar
from .._tree.configuration import difference
from ..errors import SimulationError, SimulationWarning
from .assemble import Named, assemble, holds
from .segment import Array
from .system_pages import compiled, state_inputs, state_of, system_page

FAR = 1e-6
"""How far a coordinate that is fixed may be off at the start."""
STILL = 1e-12
"""Rows that are this short beside others move nothing: a hinge across the plane of a figure."""
DEPENDENT = 1e-7
"""Rows of unit length are dependent if a combination of theirs is this short."""


def consistent(
    setup: Setup, states: dict[str, Array], values: Mapping[str, Array], batch: tuple[int, ...],
    open_joints: set[str], named: Named, h: float,
) -> tuple[dict[str, Array], dict[str, Array]]:  # fmt: skip
    """States that constraints allow, with fixed coordinates as fast as they should be.

    And where, for joints that are open. And the numbers that the start decides, (*batch, ...).
    Whole states that steps of length h could have left stay as they are.
    """
    names = _open(setup, values)
    if not names and not setup.constrained:
        return states, {}
    model, there = setup.scene.model, _begin(setup, names, states, values, batch)
    open_q = np.zeros(model.nq, bool)
    for joint in open_joints:
        open_q[model.slice_q(joint)] = True
    for element in setup.scene.all_elements:
        if isinstance(element, FixedCoordinates) and element.tracks_position:
            far = np.abs(there["off"][:, model.slice_qd(element.joint)]).max(initial=0.0)
            if element.joint not in open_joints and far > FAR:
                raise SimulationError(
                    f"joint {element.joint!r} starts {far:.3g} away from where "
                    f"{described(element)} has it. Start it there, or give the motion a `gain`, at "
                    "which it comes back."
                )
    states = states | {"q": np.where(open_q, there["q"], states["q"]), "qd": there["qd"]}
    if setup.constraints and names:
        states, _ = _assembled(setup, states, values, batch, named, h)
    opened = opened_numbers(setup, states, values, batch)
    if setup.constraints:
        states, there = _assembled(setup, states, {**values, **opened}, batch, named, h)

        def at(q: Array) -> Any:
            return _begin(setup, names, states | {"q": q}, {**values, **opened}, batch)

        _check_independent(setup, there, at)
    elif setup.inequalities:
        there = _begin(setup, names, states, {**values, **opened}, batch)
    _check_inequalities(setup, there)
    return states, opened


def _assembled(
    setup: Setup, states: dict[str, Array], values: Mapping[str, Array], batch: tuple[int, ...],
    named: Named, h: float,
) -> tuple[dict[str, Array], dict[str, Array]]:  # fmt: skip
    """States that constraints allow, but those whose numbers are open; and what they are there."""
    names = _open(setup, values)
    there = _begin(setup, names, states, values, batch)
    stay = holds(setup, there, named, names, h)
    if not stay.all():
        numbers = _numbers(setup, states, values, batch)
        closed = assemble(setup, states, numbers, named, names)
        states = {n: np.where(stay[:, None], x, closed[n]) for n, x in states.items()}
        there = _begin(setup, names, states, values, batch)
    return states, there


def _check_inequalities(setup: Setup, there: Mapping[str, Array]) -> None:
    """Tell of a start at which something that is kept above zero is below."""
    for k, element in enumerate(setup.inequalities):
        if isinstance(element, JointLimits):
            _check_limits(element, there[f"inequality {k}"])
        below = -there[f"inequality {k}"].min(0, initial=0.0)
        worst = int(np.argmax(below))
        if not below[worst] > FAR:
            continue
        text = f"`inequality` of {described(element)} is {-below[worst]:.3g} at the start"
        owners = element.owners() if isinstance(element, JointLimits) else []
        if len(owners) == len(below):
            others = {x for x, far in zip(owners, below, strict=True) if far > FAR}
            others -= {owners[worst]}
            are = "joint is" if len(others) == 1 else "joints are"
            more = f" ({len(others)} more {are}, too)" if others else ""
            text = f"joint {owners[worst]!r} starts {below[worst]:.3g} beyond its limits{more}"
        how = "`q=`, or `start=`"
        if setup.constraints:
            how = "`start=scene.assemble(..., near=)` from another rough pose"
        warnings.warn(
            f"{text}, and comes back slowly. Start within: {how}.",
            SimulationWarning,
            stacklevel=5,
        )


def _check_limits(element: JointLimits, gaps: Array) -> None:
    """Refuse limits, given as parameters, of which the lower is above the upper one."""
    if len(element.owners()) != gaps.shape[1]:
        return
    k, ends = 0, zip(element.joints, element.lower or (), element.upper or (), strict=True)
    for joint, a, b in ((j, a, b) for j, *both in ends for a, b in zip(*both, strict=True)):
        own = gaps[:, k : k + int(np.isfinite([a, b]).sum())]
        k += own.shape[1]
        if own.shape[1] == 2 and own.sum(1).min(initial=0.0) < -FAR:
            raise SimulationError(
                f"joint {joint!r} has a lower limit that is {-own.sum(1).min():.3g} above its "
                "upper one in `parameters`. Give a lower limit that is not above the upper one."
            )


def opened_numbers(
    setup: Setup, states: Mapping[str, Array], values: Mapping[str, Array], batch: tuple[int, ...]
) -> dict[str, Array]:
    """Numbers that states decide which a simulation starts from, (*batch, ...)."""
    names = _open(setup, values)
    there = _begin(setup, names, states, values, batch) if names else {}
    return {n: there[n].reshape((*batch, *setup.parameters.each[n].value.shape)) for n in names}


def _open(setup: Setup, values: Mapping[str, Array]) -> list[str]:
    return [name for name in setup.parameters.opened if name not in values]


def _begin(
    setup: Setup, names: list[str], states: Mapping[str, Array], values: Mapping[str, Array],
    batch: tuple[int, ...],
) -> dict[str, Array]:  # fmt: skip
    """What is asked of states, with the numbers that are open."""
    key = ("start", tuple(names), setup.named)
    page = setup.scene.memo(key, lambda: _start_page(setup, names))
    given = [states[name] for name in ("q", "qd", *setup.variables)]
    given.append(_numbers(setup, states, values, batch))
    return page(*map(np.ascontiguousarray, given))


def _numbers(
    setup: Setup, states: Mapping[str, Array], values: Mapping[str, Array], batch: tuple[int, ...]
) -> Array:
    """Inputs of all numbers of the scene, (rows, size)."""
    numbers = setup.parameters.pack(values)
    numbers = np.broadcast_to(numbers, (*batch, numbers.shape[-1]))
    return np.ascontiguousarray(numbers.reshape(len(states["q"]), numbers.shape[-1]))


def _check_independent(
    setup: Setup, there: Mapping[str, Array], at: Callable[[Array], Mapping[str, Array]]
) -> None:
    """Tell of rows of constraints that say the same, and refuse those that cannot hold together."""
    G = there["rows"]
    if not len(G):
        return
    owners = [who for k, who in enumerate(setup.constraints)
              for _ in range(there[f"gap {k}"].shape[1])]  # fmt: skip
    size = np.linalg.norm(G, axis=-1, keepdims=True)
    moving = size.max((0, 2)) > STILL * size.max()
    for who in setup.constraints:
        if not any(x == who and m for x, m in zip(owners, moving, strict=True)):
            q, nv = there["q"], setup.scene.model.nv
            step = np.random.default_rng(0).uniform(-0.3, 0.3, (len(q), nv))
            other = np.linalg.norm(at(setup.scene.model.integrate(q, step))["rows"], axis=-1)
            own = [k for k, x in enumerate(owners) if x == who]
            if other[:, own].max(initial=0.0) > 1e-6:
                raise SimulationError(
                    f"no small motion changes `constraint` of {who} at the start, as of a rod "
                    "along a straight chain (a singular pose): it could pull, and nothing would "
                    "follow. Start from another pose, a little bent."
                )
            raise SimulationError(
                f"`constraint` of {who} depends on nothing that can move: its links or joints are "
                "fixed, its factors are zero or cancel, or joints of the figure hold the same. "
                "Leave it out, or let something move."
            )
    rates = there["rates"][:, moving]
    G, size, owners = G[:, moving], size[:, moving], [*compress(owners, moving)]
    size = np.where(size > 0.0, size, 1.0)
    G, m = G / size, G.shape[1]
    ranks = (np.linalg.svd(G, compute_uv=False) > DEPENDENT).sum(-1)
    if (rank := ranks.min()) == m:
        return
    rates = (rates / size[..., 0])[ranks == rank]
    among = np.linalg.svd(G[ranks == rank], full_matrices=True)[0][..., rank:]
    names = dict.fromkeys(x for x, w in zip(owners, among[0], strict=True)
                          if np.abs(w).max() > 1e-3)  # fmt: skip
    apart = np.abs(np.einsum("rmk,rm->rk", among, rates)).max()
    if apart > FAR * (1.0 + np.abs(rates).max()):
        raise SimulationError(
            f"{' and '.join(names)} cannot hold together: what they keep moves apart at "
            f"{apart:.3g} per second at the start, whatever the figure does. Let them move alike, "
            "or leave one out."
        )
    many = m - rank
    warnings.warn(
        f"{many} of {m} rows of constraints say nothing that the others do not at the start: those "
        f"of {' and '.join(names)}. They hold together, and how forces are shared among them is "
        "one of many ways. Leave out what the others say if that matters.",
        SimulationWarning,
        stacklevel=5,
    )


def _start_page(setup: Setup, opened: list[str]) -> Any:
    """What `consistent` asks of states, and the numbers that they decide."""

    def begin(system: System, values: Mapping[str, Any]) -> dict:
        state = state_of(setup, values, 0.0)
        there = system.consistent(state)
        found: dict[str, Any] = {"q": there.q, "qd": there.qd}
        found["off"] = difference(system.tree, there.q, state.q)
        for k, rows in enumerate(system.constraint_rows(state)):
            found |= {f"gap {k}": rows.errors, f"rate {k}": rows.rates}
        above = system.constraint_rows(state, "inequality")
        found |= {f"inequality {k}": rows.errors for k, rows in enumerate(above)}
        if setup.constraints:
            found |= {"rows": _free_rows(system, state), "rates": _rates_at_rest(system, state)}
        numbers = system.opened(state)
        return found | {name: numbers[name] for name in opened}

    page = system_page(setup, begin, **state_inputs(setup))
    return compiled(setup, f"start, {opened}", page)


def _free_rows(system: System, state: State) -> list[list[Scalar]]:
    """G of all that is kept at zero, without coordinates that are fixed."""
    rows = system.velocity_rows(state, state.t, 1.0)
    taken = fixed(rows)
    free = [0.0 if j in taken else 1.0 for j in range(system.tree.nv)]
    equations = [row for row in rows if not row.fixes and row.gap is None]
    return [[k * row.G.get(j, 0.0) for j, k in enumerate(free)] for row in equations]


def _rates_at_rest(system: System, state: State) -> list[Scalar]:
    """How fast that changes as fixed coordinates move, and time, with all others at rest."""
    rates = system.fixed_rates(state.q, state.qd, state.t, 1.0, tracking=True)
    still = [rates.get(j, 0.0) for j in range(system.tree.nv)]
    moving = replace(state, qd=system.tree.rates(still))
    return [x for rows in system.constraint_rows(moving) for x in rows.rates]
