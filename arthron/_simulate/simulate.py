"""Running a scene in time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from .._scene.scene import Scene
from ..errors import SimulationError, nearest
from .implicit import Backward, Implicit
from .integrator import Integrator, Settings
from .native import NativeSteps
from .run import Run
from .runge_kutta import RungeKutta
from .start import count_steps, starts
from .steps import SLOPES, STEPS, implicit_euler
from .trajectory import Trajectory
from .variational import Variational

SOLVED = {
    "BDF1": lambda scene: Backward(scene, 1),
    "BDF2": lambda scene: Backward(scene, 2),
    "variational": Variational,
}
INTEGRATORS = (*STEPS, *SOLVED, "Runge-Kutta")


def simulate(
    scene: Scene,
    duration: float,
    step: float,
    *,
    integrator: str = "semi-implicit Euler",
    q: ArrayLike | None = None,
    qd: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    inertia: ArrayLike | None = None,
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
        q: initial coordinates, (..., nq); leading axes are many simulations at once.
        qd: initial velocities, (..., nv).
        tau: joint forces from outside, (..., nv), or (..., steps, nv) for each step.
        inertia: inertial parameters, (..., 10 nb) as `model.inertial_parameters()`, so that many
            simulations can have a figure each. This and `tau` are for the Euler integrators.
        keep_every: steps between states that are kept.
        implicit: which slopes of forces "implicit Euler" uses: "symmetric" (S19), "exact", "none".
        file: where to write states as they come. A file that is there is gone on with.
        tolerance: relative and absolute, of "Runge-Kutta".
        progress: whether to show a bar when it takes longer than two seconds.
    """
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
    steps = count_steps(duration, step, keep_every)
    q0, qd0, given = starts(scene, steps, q, qd, tau, inertia)
    if given and integrator not in STEPS:
        raise SimulationError(
            f"{integrator!r} takes no `{next(iter(given))}`. Use {', '.join(map(repr, STEPS))}, or "
            "a controller and a model of its own."
        )
    pushes, figure = given.get("tau", np.zeros((1, scene.model.nv))), given.get("inertia")
    settings = Settings(float(step), int(keep_every), float(tolerance), pushes, figure)
    about = {
        "model": scene.model.name, "integrator": integrator, "step": settings.step,
        "keep_every": settings.every,
        "prescribed": [motion.joint for motion in scene.prescribed],
    }  # fmt: skip
    about |= {"implicit": implicit} if integrator == "implicit Euler" else {}
    about |= {"tolerance": settings.tolerance} if integrator == "Runge-Kutta" else {}
    key = (integrator, implicit, figure is not None)
    way = scene.once(key, lambda: _integrator(scene, *key))
    run = Run(scene, way, settings, about, q0, qd0)
    return run.go(steps // settings.every, None if file is None else Path(file), progress)


def _integrator(scene: Scene, name: str, implicit: str, own_figures: bool) -> Integrator:
    if name in SOLVED:
        return Implicit(scene, SOLVED[name](scene))
    if name == "Runge-Kutta":
        return RungeKutta(scene)
    make = STEPS[name]
    step = make(scene, implicit) if make is implicit_euler else make(scene)
    return NativeSteps(scene, step, own_figures)
