"""Running a scene in time."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._page import Page, page_parameters
from .._scene.scene import Scene
from .._scene.setup import Setup
from ..errors import SimulationError, nearest
from .implicit import Backward, Implicit
from .integrator import Integrator, Settings
from .native import NativeSteps, step_page
from .observe import check_record
from .run import Run
from .runge_kutta import RungeKutta
from .start import check_parameters, count_steps, starts
from .steps import SLOPES, STEPS
from .trajectory import Trajectory
from .variational import Variational

SOLVED = {
    "BDF1": lambda setup: Backward(setup, 1),
    "BDF2": lambda setup: Backward(setup, 2),
    "variational": Variational,
}
INTEGRATORS = (*STEPS, *SOLVED, "Runge-Kutta")


def simulate(
    scene: Scene,
    duration: float,
    step: float,
    *,
    integrator: str = "semi-implicit Euler",
    start: Mapping[str, Any] | None = None,
    q: ArrayLike | None = None,
    qd: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    parameters: Mapping[str, ArrayLike] | None = None,
    record: Mapping[str, Page] | None = None,
    until: Page | None = None,
    keep_every: int = 1,
    implicit: str = "symmetric",
    file: str | Path | None = None,
    tolerance: float = 1e-9,
    progress: bool = True,
) -> Trajectory:
    """Simulate a scene, from the neutral pose at rest unless states are given.

    Args:
        scene: the figure and what acts on it.
        duration: how long [s].
        step: length of a time step [s]; "Runge-Kutta" makes shorter ones if it has to.
        integrator: "semi-implicit Euler", "explicit Euler", "implicit Euler" (linearly implicit),
            "BDF1", "BDF2", "variational", or "Runge-Kutta" (adaptive, needs SciPy).
        start: initial coordinates by joint, `{"knee": 0.3}`, velocities `{"qd": {"knee": 1.0}}`,
            and states of elements by name; leading axes are many simulations at once.
        q: initial coordinates of all joints, (..., nq).
        qd: initial velocities, (..., nv).
        tau: joint forces from outside, (..., nv), or (..., steps, nv) for each step. For the Euler
            integrators.
        parameters: numbers of the scene by name, as `scene.parameters()` lists them, one for all
            simulations or one for each.
        record: pages of what is to be kept along the way besides, by name: functions of the tree
            and any of q, qd, qdd, tau, f_ext, t; `ar.sensors` has some.
        until: a page of the same kind that ends a simulation when what it returns is true. For the
            Euler integrators.
        keep_every: steps between states that are kept.
        implicit: which slopes of forces "implicit Euler" uses: "symmetric" (S19), "exact", "none".
        file: where to write states as they come. An existing file is resumed.
        tolerance: relative and absolute, of "Runge-Kutta".
        progress: whether to show a bar when it takes longer than two seconds.
    """
    _check(scene, integrator, implicit, tolerance)
    steps = count_steps(duration, step, keep_every)
    numbers = check_parameters(scene, parameters)
    setup = scene.setup(numbers)
    pages = check_record(setup, record)
    for name, value in (("tau", tau), ("until", until)):
        if value is not None and integrator not in STEPS:
            raise SimulationError(
                f"{integrator!r} takes no `{name}`. Use {', '.join(map(repr, STEPS))}."
            )
    if until is not None:
        page_parameters(until)
    at = starts(setup, steps, float(step), start, q, qd, tau, numbers)
    settings = Settings(float(step), int(keep_every), at.parameters, at.tau)
    about = {"model": scene.model.name, "integrator": integrator, "step": settings.step,
             "keep_every": settings.every}  # fmt: skip
    about |= {"implicit": implicit} if integrator == "implicit Euler" else {}
    about |= {"tolerance": float(tolerance)} if integrator == "Runge-Kutta" else {}
    options = integrator, implicit, float(tolerance), tau is not None, until
    key = ("integrator", setup.named, options)
    way = scene.cached(key, lambda: _integrator(setup, *options))
    run = Run(setup, way, settings, about, at, pages, until)
    return run.go(steps // settings.every, None if file is None else Path(file), progress)


def step(scene: Scene, integrator: str = "semi-implicit Euler", *, implicit: str = "symmetric",
         parameters: Mapping[str, Any] | tuple[str, ...] = ()) -> Page:  # fmt: skip
    """The page of one step of a scene, to be compiled, differentiated or built upon.

    It takes `(tree, q, qd, ..., steps, h, parameters)`: the state, further ones by name, how many
    steps of length h have led to it, and the numbers of the scene that are inputs, as `step.layout`
    has them; `step.values` are what they are, NaN where the start of a simulation would decide. It
    returns the next states, and the count. Numbers that are named in `parameters` are inputs in any
    case.

    Args:
        scene: the figure and what acts on it.
        integrator: one of the Euler integrators.
        implicit: as of `ar.simulate`.
        parameters: names of numbers that are to be inputs even if they are zero or one.
    """
    _check(scene, integrator, implicit, 0.5)
    if integrator not in STEPS:
        raise SimulationError(f"{integrator!r} is not one page. Use {', '.join(map(repr, STEPS))}.")
    setup = scene.setup(parameters)
    page: Any = step_page(setup, _step(integrator, implicit))
    page.layout = Layout({n: x for n, x in setup.parameters.layout.items() if x.start < x.stop})
    page.values = setup.parameters.pack({})
    return page


class Layout(dict):
    """Where the inputs of each parameter are."""

    def __missing__(self, name: str) -> slice:
        raise SimulationError(
            f"no input {name!r}.{nearest(str(name), self)} Numbers that are 0, 1 or infinite are "
            f"no inputs unless they are named: `ar.step(scene, parameters=({name!r},))`."
        )


def _check(scene: Any, integrator: str, implicit: str, tolerance: Any) -> None:
    if not isinstance(scene, Scene):
        raise SimulationError(
            f"the scene is a {type(scene).__name__}. Give an `ar.Scene`; of a figure with nothing "
            "but gravity, `ar.Scene(model)`."
        )
    if integrator not in INTEGRATORS:
        raise SimulationError(
            f"no integrator {integrator!r}.{nearest(str(integrator), INTEGRATORS)} There are "
            f"{', '.join(map(repr, INTEGRATORS))}."
        )
    if implicit not in SLOPES:
        raise SimulationError(
            f"`implicit` is {implicit!r}.{nearest(str(implicit), SLOPES)} There are "
            f"{', '.join(map(repr, SLOPES))}."
        )
    if not isinstance(tolerance, int | float | np.number) or not 0.0 < tolerance < 1.0:
        raise SimulationError(f"`tolerance` is {tolerance!r}. Give a small number: 1e-9, say.")


def _step(name: str, implicit: str) -> Any:
    step = STEPS[name]
    return functools.partial(step, implicit=implicit) if name == "implicit Euler" else step


def _integrator(
    setup: Setup, name: str, implicit: str, tolerance: float, tau: bool, until: Page | None
) -> Integrator:
    if name == "Runge-Kutta":
        return RungeKutta(setup, tolerance)
    if name in SOLVED:
        _refuse(setup, name)
        return Implicit(setup, SOLVED[name](setup))
    return NativeSteps(setup, f"{name}, {implicit}", _step(name, implicit), tau=tau, until=until)


def _refuse(setup: Setup, name: str) -> None:
    """Say what an integrator that solves for its steps does not take yet."""
    if setup.constraints:
        raise SimulationError(
            f"{name!r} takes only rows that fix single coordinates, and there is "
            f"{setup.constraints[0]}. Use {', '.join(map(repr, STEPS))} or 'Runge-Kutta'."
        )
    if setup.variables:
        raise SimulationError(
            f"{name!r} takes no states of elements, and there is {next(iter(setup.variables))!r}. "
            f"Use {', '.join(map(repr, STEPS))} or 'Runge-Kutta'."
        )
