"""A scene as a browser steps it: what a step computes, and what there is to see of a state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._algorithms.kinematics import poses
from .._compile.exported import Exported
from .._pages.export import export
from .._pages.takes import Page
from .._scene.scene import Scene
from .._scene.setup import Setup
from .._scene.system import State, System
from .._simulate.native_steps import memory_of, step_page
from .._simulate.simulate import integrator_of
from .._simulate.start import starts
from .._simulate.system_pages import identifiers, state_inputs, state_of, system_page
from .hand import hand
from .sliders import joint_forces, joint_sliders, number_sliders, slider_setup
from .trajectory_header import trajectory_header

INTEGRATORS = ("leapfrog", "implicit Euler")
"""What a page can step by: one that keeps energy, and one that stiff forces do not upset."""
PULL = 150.0
"""Stiffness of the hand for each kilogram of the figure [N/m/kg]."""


@dataclass(frozen=True)
class Live:
    """A scene compiled for browsers.

    Attributes:
        scene: what is simulated.
        step: length of a step [s].
        states: where it starts, by the names of inputs; what integrators remember, too.
        memory: names of the latter.
        values: numbers of the scene that are inputs.
        layout: where each of them is among these, by name.
        steps: one step by each integrator.
        view: what there is to see of a state.
        hand: joint forces of a hand that pulls a body.
    """

    scene: Scene
    step: float
    states: Mapping[str, np.ndarray]
    memory: Sequence[str]
    values: np.ndarray
    layout: Mapping[str, slice]
    steps: Mapping[str, Exported]
    view: Exported
    hand: Exported

    @staticmethod
    def of(
        scene: Scene,
        q: ArrayLike | None = None,
        qd: ArrayLike | None = None,
        *,
        step: float = 0.001,
        integrator: str = INTEGRATORS[0],
    ) -> Live:
        """A scene from a state on, by an integrator and another one to compare."""
        setup = slider_setup(scene)
        start = starts(setup, 1, step, None, q, qd, None, {})
        states = {name: x[0] for name, x in start.states.items()}
        steps, memory = {}, dict[str, np.ndarray]()
        for name in dict.fromkeys((integrator, *INTEGRATORS)):
            if len(steps) == len(INTEGRATORS):
                break
            how = integrator_of(name)
            steps[name] = export(step_page(setup, how, tau=True), scene.model)
            for own, variable in memory_of(setup, how).items():
                memory[own] = np.ravel(np.asarray(variable.start, float))
        states |= memory
        names = identifiers(name for name in states if name not in ("q", "qd"))
        return Live(
            scene,
            step,
            {names.get(name, name): x for name, x in states.items()},
            [names[name] for name in memory],
            start.parameters[0],
            setup.parameters.layout,
            steps,
            export(_view(setup), scene.model),
            export(hand, scene.model),
        )

    def modules(self) -> dict[str, Exported]:
        """All that is compiled."""
        return {**self.steps, "view": self.view, "hand": self.hand}

    def data(self) -> dict[str, Any]:
        """What a page is told of it."""
        setup = slider_setup(self.scene)
        return {
            "step": self.step,
            "pull": PULL * self.scene.model.mass,
            "start": {name: np.ravel(x).tolist() for name, x in self.states.items()},
            "memory": list(self.memory),
            "values": self.values.tolist(),
            "layout": {name: [x.start, x.stop] for name, x in self.layout.items()},
            "sliders": [
                {"label": x.label, "places": x.places(setup)} for x in number_sliders(setup)
            ],
            "coordinates": joint_sliders(setup),
            "torques": joint_forces(setup),
            "file": trajectory_header(setup, self.step),
            "integrators": list(self.steps),
            "modules": {name: module.manifest() for name, module in self.modules().items()},
        }


def _view(setup: Setup) -> Page:
    """Poses, energies, joint forces of what acts, and wrenches on links, at a state."""

    def view(system: System, values: Mapping[str, Any]) -> dict:
        state: State = state_of(setup, values, values["t"])
        kinetic, potential = system.energy(state)
        tree, acting = system.tree, system.loads(state)
        return {
            "poses": poses(tree, state.q),
            "kinetic": kinetic,
            "potential": potential,
            "torques": system.joint_forces(state),
            "wrenches": acting.f_ext,
        }

    return system_page(setup, view, **state_inputs(setup), t=())
