"""What is measured along the way: pages of a state and of what acts there."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from .._compile.function import Function
from .._pages.inputs import page_parameters
from .._pages.outputs import page_outputs
from .._pages.takes import Page, page_name
from .._scene.call_user import OF_FIGURE, call_user
from .._scene.setup import Setup
from .._scene.system import State, System
from ..errors import SimulationError, nearest
from .gaps import GAPS, gaps_at
from .system_pages import compiled, identifiers, state_inputs, state_of, system_page

TAKEN = ("t", "q", "qd", "kinetic", "potential", "energy", "forces", "residual", "ended")
"""Names of what trajectories have in any case."""


def observed(setup: Setup, system: System, state: State, page: Page) -> Any:
    """What a page gives at a state: it takes any of q, qd, qdd, tau, f_ext, t and further states.

    qdd is what the figure accelerates with there, f_ext all wrenches on bodies but those of
    gravity, tau all joint forces but those of constraints.
    """
    ask: dict[str, Callable[[], Any]] = {
        "q": lambda: state.q,
        "qd": lambda: state.qd,
        "t": lambda: state.t,
        "qdd": lambda: system.acceleration(state)[0],
        "tau": lambda: system.loads(state).tau,
        "f_ext": lambda: system.wrenches(state),
    }
    for name, own in identifiers(setup.variables).items():
        ask[own] = lambda name=name: setup.variables[name].shaped(list(state.more[name]))
    names = [p.name for p in page_parameters(page) if p.default is p.empty]
    for name in names:
        if name not in ask:
            raise SimulationError(
                f"`{page_name(page)}` takes `{name}`, which is not known along a run."
                f"{nearest(name, ask)} There are {', '.join(ask)}."
            )
    given = {name: ask[name]() for name in names}
    with system.answering():
        call = functools.partial(page, **given)
        return call_user(f"`{page_name(page)}`", call, system.tree, hint=OF_FIGURE)


def observer(setup: Setup, record: Mapping[str, Page], *, tau: bool) -> Function:
    """Energies, and what is recorded, as a function of states, times and the scene's numbers.

    Its results are called "kinetic", "potential" and by the names in `record`; how far constraints
    are off, "gaps." and the name of each. With `tau`, joint forces from outside are an input too.
    """

    def observe(system: System, values: Mapping[str, Any]) -> dict:
        state = state_of(setup, values, values["t"])
        kinetic, potential = system.energy(state)
        found: dict[str, Any] = {"kinetic": kinetic, "potential": potential}
        found |= gaps_at(setup, system, state)
        for name, page in record.items():
            found[name] = _one(name, system, observed(setup, system, state, page))
        return found

    outside: dict[str, Any] = {"tau": ("nv",)} if tau else {}
    page = system_page(setup, observe, **state_inputs(setup), t=(), **outside)
    return compiled(setup, "observe", page, record)


def _one(name: str, system: System, result: Any) -> Any:
    structure, outputs = page_outputs(system.tree, result)
    if structure is not None:
        raise SimulationError(
            f"the page recorded as {name!r} has {len(outputs)} results. Record pages of one each."
        )
    return result


def check_record(setup: Setup, record: Any) -> dict[str, Page]:
    """What is to be recorded, by name."""
    if record is None:
        return {}
    if not isinstance(record, Mapping):
        raise SimulationError(
            f"`record` is {record!r}. Give a dict of pages by name: "
            '`record={"grip": ar.sensors.position(model, "hand")}`.'
        )
    for name, page in record.items():
        model = setup.scene.model
        taken = name in (*TAKEN, *setup.variables, *model.frame_names, *model.joint_names)
        taken = taken or str(name).startswith(("history.", GAPS, "multipliers."))
        if not isinstance(name, str) or taken or not name:
            raise SimulationError(
                f"something is recorded under the name {name!r}, which is taken: trajectories, "
                "states, links and joints go by theirs. Call it something else."
            )
        page_parameters(page)
    return dict(record)
