"""Stiffness and damping of a scene: how all that acts in it changes with the state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._compile.function import Function
from .._pages.differentiate import jacobian
from .._scene.scene import Scene
from .._scene.setup import Setup
from .._scene.system import System
from .._tree.body_lists import scale_list
from .start import check_parameters, states_at
from .system_pages import compiled, state_inputs, state_of, system_page


def force_slopes(
    scene: Scene, wrt: str, state: Any, q: Any, qd: Any, t: Any, parameters: Any, by_element: bool
) -> Any:
    """Minus the slopes of joint forces by q or qd, (..., nv, nv); by element in a dict by name."""
    numbers = check_parameters(scene, parameters)
    setup = scene.setup(numbers)
    at, times = states_at(setup, state, q, qd, t, numbers)
    shape = (*at.batch, scene.model.nv, scene.model.nv)
    acting = [k for k, element in enumerate(scene.all_elements) if element.exerts_forces]
    groups = {scene.names[k]: [k] for k in acting} if by_element else {"": acting}
    if not groups:
        return {}
    key = ("force slopes", wrt, by_element, setup.named)
    page = scene.memo(key, lambda: _slopes_page(setup, wrt, groups))
    states = (at.states[name] for name in ("q", "qd", *setup.variables))
    found = {name: x.reshape(shape) for name, x in page(*states, times, at.parameters).items()}
    return found if by_element else found[""]


def _slopes_page(setup: Setup, wrt: str, groups: Mapping[str, list[int]]) -> Function:
    def resistance(system: System, values: Mapping[str, Any]) -> dict:
        """What elements resist with: minus their joint forces."""
        state = state_of(setup, values, values["t"])
        each = {name: system.only(which).joint_forces(state) for name, which in groups.items()}
        return {name: scale_list(forces, -1.0) for name, forces in each.items()}

    page = system_page(setup, resistance, **state_inputs(setup), t=())
    return compiled(setup, f"slopes by {wrt} of {groups}", jacobian(page, wrt))
