"""A scene as a browser steps it: what a step computes, and what there is to see of a state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._algorithms.energy import center_of_mass
from .._algorithms.kinematics import poses
from .._compile.exported import Exported
from .._pages.export import export
from .._pages.takes import Page
from .._scene.element import Element, Here
from .._scene.scene import Scene
from .._scene.setup import Setup
from .._scene.system import State, System
from .._simulate.native_steps import memory_of, step_page
from .._simulate.simulate import integrator_of
from .._simulate.system_pages import state_inputs, state_of, system_page
from .._spatial.vectors import Vec3

INTEGRATORS = ("leapfrog", "semi-implicit Euler")
PULL = 30.0
"""Stiffness of the hand for each kilogram of the figure [N/m/kg]."""
GRAB = "arthron.grab"
"""What the hand is called among the numbers of a scene."""
HELD = 0.05
"""How fast the hand's damper takes the swing out of its spring [s]."""


@dataclass(frozen=True)
class Grab(Element):
    """A hand that pulls a point of a body to where it is, by a spring with a damper.

    Which body it holds is a number as all others, so that a browser grabs what it likes.

    Attributes:
        bodies: names of all that it may hold.
        stiffness: force per distance, one for each of them: zero but for the one it holds [N/m].
        point: where on that body, in its frame [m].
        target: where the hand is, in the world [m].
    """

    bodies: tuple[str, ...]
    stiffness: tuple[float, ...]
    point: tuple[float, ...] = (0.0, 0.0, 0.0)
    target: tuple[float, ...] = (0.0, 0.0, 0.0)

    @property
    def links(self) -> tuple[str, ...]:  # type: ignore[override]
        return self.bodies

    def forces(self, here: Here) -> tuple:
        target = Vec3(*self.target)
        found = []
        for k, frame in zip(self.stiffness, here.frames, strict=True):
            pull = target - frame.at(self.point) - frame.velocity(self.point) * HELD
            found.append(frame.wrench(self.point, pull * k))
        return tuple(found)


@dataclass(frozen=True)
class LivePages:
    """What a page in a browser runs.

    Attributes:
        steps: one step by each integrator: from states, how many led there, the step's length and
            the numbers of the scene to the next ones.
        view: poses of bodies, energies and the centre of mass at a state.
        states: names of states, those that integrators remember too, and what they start from.
        values: numbers of the scene that are inputs.
        layout: where each of them is among these, by name.
    """

    steps: Mapping[str, Page]
    view: Page
    states: Mapping[str, np.ndarray]
    values: np.ndarray
    layout: Mapping[str, slice]


def live_pages(
    scene: Scene, integrators: Sequence[str], start: Mapping[str, np.ndarray]
) -> LivePages:
    """Pages of a scene with a hand in it, from states that a simulation would start from."""
    model = scene.model
    hand = Grab(model.body_names, (0.0,) * model.nb, name=GRAB)
    held = Scene(model, (*scene.elements, hand), scene.controller)
    named = ("gravity", *(f"{GRAB}.{field}" for field in ("stiffness", "point", "target")))
    setup = held.setup(named)
    steps, states = {}, dict(start)
    for name in integrators:
        how = integrator_of(name)
        steps[name] = step_page(setup, how)
        for own, variable in memory_of(setup, how).items():
            states.setdefault(own, np.ravel(np.asarray(variable.start, float)))
    layout = {n: x for n, x in setup.parameters.layout.items() if x.start < x.stop}
    return LivePages(steps, _view(setup), states, setup.parameters.pack({}), layout)


@dataclass(frozen=True)
class Live:
    """A scene compiled for browsers.

    Attributes:
        pages: what it runs.
        modules: the same, compiled, by the names of integrators, and "view".
        step: length of a step [s].
        pull: stiffness of the hand [N/m].
    """

    pages: LivePages
    modules: Mapping[str, Exported]
    step: float
    pull: float

    def data(self) -> dict[str, Any]:
        """What a page is told of it."""
        pages, steps = self.pages, {n: e.manifest() for n, e in self.modules.items()}
        return {
            "step": self.step,
            "pull": self.pull,
            "start": {name: np.ravel(x).tolist() for name, x in pages.states.items()},
            "values": pages.values.tolist(),
            "layout": {name: [x.start, x.stop] for name, x in pages.layout.items()},
            "view": steps.pop("view"),
            "steps": steps,
            "modules": {name: f"wasm {name}" for name in self.modules},
        }


def live(scene: Scene, start: Mapping[str, np.ndarray], step: float) -> Live:
    """A scene from a state on, by two integrators."""
    pages = live_pages(scene, INTEGRATORS, start)
    model = scene.model
    modules = {
        name: export(page, model) for name, page in (*pages.steps.items(), ("view", pages.view))
    }
    return Live(pages, modules, step, PULL * model.mass)


def _view(setup: Setup) -> Page:
    def view(system: System, values: Mapping[str, Any]) -> dict:
        state: State = state_of(setup, values, values["t"])
        kinetic, potential = system.energy(state)
        tree = system.tree
        return {
            "poses": poses(tree, state.q),
            "center": center_of_mass(tree, state.q),
            "kinetic": kinetic,
            "potential": potential,
        }

    return system_page(setup, view, **state_inputs(setup), t=())
