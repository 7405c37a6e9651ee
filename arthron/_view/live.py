"""A scene as a browser steps it: what a step computes, and what there is to see of a state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._algorithms.kinematics import poses
from .._compile.exported import Exported
from .._integrators.integrator import Integrator
from .._integrators.named import NAMED, name_of
from .._model.model import Model
from .._pages.export import export
from .._pages.takes import Page
from .._scene.contact_ground import Ground
from .._scene.scene import Scene
from .._scene.setup import Setup
from .._scene.system import State, System
from .._simulate.native_steps import memory_of, step_page
from .._simulate.progress import Bar
from .._simulate.simulate import check_takes, integrator_of
from .._simulate.start import check_time, starts
from .._simulate.system_pages import identifiers, state_inputs, state_of, system_page
from ..errors import ShapeError
from .hand import hand
from .sliders import joint_forces, joint_sliders, number_sliders, slider_setup
from .squash_stretch import own_stretches
from .trajectory_header import trajectory_header

INTEGRATORS = ("leapfrog", "implicit Euler")
"""What a page can step by: one that keeps energy, and one that stiff forces do not upset."""
STEP = 0.001
"""Length of a step unless given [s]."""
PULL = 150.0
"""Stiffness of the hand for each kilogram of the figure [N/m/kg]."""


@dataclass(frozen=True)
class Live:
    """A scene compiled for browsers.

    Attributes:
        scene: what is simulated.
        step: length of a step [s].
        paused: whether a page opens it so.
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
    paused: bool
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
        step: float = STEP,
        integrator: str | Integrator = INTEGRATORS[0],
        start: Mapping[str, Any] | None = None,
        paused: bool = False,
    ) -> Live:
        """A scene from a state on, by an integrator and another one to compare."""
        check_time("step", step)
        scene = _short(scene)
        chosen = integrator_of(integrator)
        setup = slider_setup(scene)
        check_takes(setup, chosen)
        at = starts(setup, 1, step, start, q, qd, None, {})
        if at.batch:
            raise ShapeError(
                f"a page shows one simulation, and its start has leading axes {at.batch}. "
                f"Give ({scene.model.nq},) and ({scene.model.nv},)."
            )
        states, memory = {name: x[0] for name, x in at.states.items()}, dict[str, np.ndarray]()
        other = next(NAMED[name] for name in INTEGRATORS if NAMED[name] != chosen)
        pages: dict[str, Page] = {}
        for how in (chosen, other):
            pages[name_of(how).strip("'")] = step_page(setup, how, tau=True)
            for own, variable in memory_of(setup, how).items():
                memory[own] = np.ravel(np.asarray(variable.start, float))
        states |= memory
        names = identifiers(name for name in states if name not in ("q", "qd"))
        made = _exported({"hand": hand, "view": _view(setup), **pages}, scene.model)
        return Live(
            scene,
            float(step),
            paused,
            {names.get(name, name): x for name, x in states.items()},
            [names[name] for name in memory],
            at.parameters[0],
            setup.parameters.layout,
            {name: made[name] for name in pages},
            made["view"],
            made["hand"],
        )

    def modules(self) -> dict[str, Exported]:
        """All that is compiled."""
        return {**self.steps, "view": self.view, "hand": self.hand}

    def data(self) -> dict[str, Any]:
        """What a page is told of it."""
        setup = slider_setup(self.scene)
        return {
            "step": self.step,
            "paused": self.paused,
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
            "contacts": _contact_bodies(setup),
            "stretches": [x._asdict() for x in own_stretches(self.scene, self.scene.model)],
            "file": trajectory_header(setup, self.step),
            "integrators": list(self.steps),
            "modules": {name: module.manifest() for name, module in self.modules().items()},
        }


def _short(scene: Scene) -> Scene:
    """The same scene, where contact with ground has a short program."""
    own = [x.short(scene.model) if isinstance(x, Ground) else x for x in scene.elements]
    changed = any(x is not y for x, y in zip(own, scene.elements, strict=True))
    return replace(scene, elements=own) if changed else scene


def _exported(pages: Mapping[str, Page], model: Model) -> dict[str, Exported]:
    """Pages for browsers, short ones first, with a bar on the terminal where that takes long."""
    bar, made = Bar(len(pages), True), dict[str, Exported]()
    try:
        for name, page in pages.items():
            made[name] = export(page, model)
            bar.show(len(made))
    finally:
        bar.close()
    return made


def _contact_bodies(setup: Setup) -> dict[str, Any]:
    """Which bodies points of contact are on, in the order in which steps tell of them."""
    model = setup.scene.model

    def numbers(*names: str | None) -> list[int]:
        return [0 if name is None else model.frame(name).body for name in names]

    return {
        "points": [numbers(*names) for _, *names in setup.contacts()],
        "links": [
            {"pairs": [numbers(*pair) for pair in x.pairs], "places": x.places, "points": x.points}
            for x in setup.link_contacts()
        ],
    }


def _view(setup: Setup) -> Page:
    """Poses, energies, joint forces of what acts, and wrenches on links, at a state."""

    def view(system: System, values: Mapping[str, Any]) -> dict:
        state: State = state_of(setup, values, values["t"])
        kinetic, potential = system.energy(state)
        return {
            "poses": poses(system.tree, state.q),
            "kinetic": kinetic,
            "potential": potential,
            "torques": system.joint_forces(state),
            "wrenches": system.wrenches(state),
        }

    return system_page(setup, view, **state_inputs(setup), t=())
