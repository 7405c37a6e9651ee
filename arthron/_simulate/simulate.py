"""Running a scene in time."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from .._integrators.integrator import Integrator
from .._integrators.named import ELSEWHERE, NAMED, name_of
from .._pages.inputs import page_parameters
from .._pages.takes import Page
from .._scene.element import described
from .._scene.joint_limits import JointLimits
from .._scene.scene import Scene
from .._scene.setup import Setup
from ..errors import SimulationError, SimulationWarning, nearest
from .in_python import InPython
from .native_steps import NativeSteps, step_page
from .observe import check_record
from .plain_file import plain_path
from .progress import Bar
from .run import Run
from .segment import RunSettings
from .start import check_parameters, count_steps, starts
from .trajectory import Trajectory

DEFAULT = "leapfrog"


def simulate(
    scene: Scene,
    duration: float,
    step: float,
    *,
    integrator: str | Integrator = DEFAULT,
    start: Mapping[str, Any] | None = None,
    q: ArrayLike | None = None,
    qd: ArrayLike | None = None,
    tau: ArrayLike | None = None,
    parameters: Mapping[str, ArrayLike] | None = None,
    record: Mapping[str, Page] | None = None,
    until: Page | None = None,
    keep_every: int = 1,
    file: str | Path | None = None,
    progress: bool = True,
) -> Trajectory:
    """Simulate a scene, from the neutral pose at rest unless states are given.

    Args:
        scene: the figure and what acts on it.
        duration: how long [s].
        step: length of a time step [s]; "Runge-Kutta" chooses its own in between.
        integrator: one of `ar.integrators`, or its name: "leapfrog", "semi-implicit Euler",
            "explicit Euler", "implicit Euler" (linearly implicit), "BDF1", "BDF2", "variational",
            "Runge-Kutta", "maximal" (in maximal coordinates).
        start: initial coordinates by joint, `{"knee": 0.3}`, velocities `{"qd": {"knee": 1.0}}`,
            and states of elements by name; leading axes are many simulations at once.
        q: initial coordinates of all joints, (..., nq).
        qd: initial velocities, (..., nv).
        tau: joint forces from outside, (..., nv), or (..., steps, nv) for each step; steps may be
            1, where they stay the same.
        parameters: numbers of the scene by name, as `scene.parameters()` lists them, one for all
            simulations or one for each.
        record: pages of what is to be kept along the way besides, by name: functions of the tree
            and any of q, qd, qdd, tau, f_ext, t; `ar.sensors` has some.
        until: a page of the same kind that ends a simulation when the comparison which it returns
            is true.
        keep_every: steps between states that are kept.
        file: where to write states as they come. An existing file is resumed.
        progress: whether to say on a terminal that it compiles, and then how far it is, when it
            takes longer than two seconds.

    Where one of many simulations cannot go on, it ends alone: `trajectory.status` tells. Only if
    none is left is that an error.
    """
    _check(scene)
    path = None if file is None else plain_path(file)
    how = integrator_of(integrator)
    count = count_steps(duration, step, keep_every)
    with Bar(count // int(keep_every), progress) as bar:
        numbers = check_parameters(scene, parameters)
        setup = scene.setup(numbers)
        check_takes(setup, how)
        _warn_of_rates(scene, how, float(step))
        pages = check_record(setup, record)
        if until is not None:
            page_parameters(until)
        at = starts(setup, count, float(step), start, q, qd, tau, numbers)
        settings = RunSettings(float(step), int(keep_every), at.parameters, at.tau)
        about = {"model": scene.model.name, "integrator": name_of(how).strip("'"),
                 "step": settings.step, "keep_every": settings.every}  # fmt: skip
        key = ("steps", setup.named, how, tau is not None, until)
        if isinstance(how, InPython):
            steps = scene.memo(key, lambda: in_python(setup, how, tau is not None, until))
        else:
            steps = scene.memo(
                key, lambda: NativeSteps(setup, how, tau=tau is not None, until=until)
            )
        run = Run(setup, steps, settings, about, at, pages, until)
        return run.go(count // settings.every, path, bar)


def step(scene: Scene, integrator: str | Integrator = DEFAULT, *,
         parameters: Mapping[str, Any] | tuple[str, ...] = ()) -> Page:  # fmt: skip
    """The page of one step of a scene, to be compiled, differentiated or built upon.

    It takes `(tree, q, qd, ..., steps, h, parameters)`: the state, further ones by name, how many
    steps of length h have led to it, and the numbers of the scene that are inputs, as `step.layout`
    has them; `step.values` are what they are, NaN where the start of a simulation would decide. It
    returns the next states, and the count; `step.results` are the names of all that it returns.
    Numbers that are named in `parameters` are inputs in any case. What the integrator remembers are
    states, too, zeros or as `memory` has them at the start; "Runge-Kutta" goes on from those and
    not from q and qd.

    Args:
        scene: the figure and what acts on it.
        integrator: one of `ar.integrators`, or its name.
        parameters: names of numbers that are to be inputs even if they are zero or one.
    """
    _check(scene)
    setup = scene.setup(parameters)
    how = integrator_of(integrator)
    check_takes(setup, how)
    page: Any = step_page(setup, how)
    page.layout = ParameterSlices(
        {n: x for n, x in setup.parameters.layout.items() if x.start < x.stop}
    )
    page.values = setup.parameters.pack({})
    return page


class ParameterSlices(dict):
    """Where the inputs of each parameter are."""

    def __missing__(self, name: str) -> slice:
        raise SimulationError(
            f"no input {name!r}.{nearest(str(name), self)} Numbers that are 0, 1 or infinite are "
            f"no inputs unless they are named: `ar.step(scene, parameters=({name!r},))`."
        )


def in_python(setup: Setup, integrator: InPython, tau: bool, until: Page | None) -> Any:
    """Steps that are made one at a time."""
    if until is not None:
        raise SimulationError(
            f"{name_of(integrator)} is stepped in Python and takes no `until`. Leave it out and "
            "cut the trajectory, or use another integrator."
        )
    return integrator.steps(setup, tau=tau)


def integrator_of(given: Any) -> Integrator:
    """An integrator, by name or as an object."""
    if isinstance(given, Integrator):
        options = {field.name for field in fields(given)}
        loose = [name for name in vars(given) if name not in options]
        if loose:
            raise SimulationError(
                f"{type(given).__name__} has {loose[0]!r}, which is no field of a dataclass: by "
                "their fields integrators are told apart. Write `@dataclass(frozen=True)` over it."
            )
        return given
    if isinstance(given, type) and issubclass(given, Integrator):
        raise SimulationError(
            f"the integrator is the class {given.__name__}. Make one of it: `{given.__name__}()`."
        )
    if not isinstance(given, str) or given not in NAMED:
        meant = ELSEWHERE.get(str(given).lower())
        near = f" Nearest: {', '.join(map(repr, meant))}." if meant else nearest(str(given), NAMED)
        raise SimulationError(
            f"no integrator {given!r}.{near} There are "
            f"{', '.join(map(repr, NAMED))}, and those of `ar.integrators`."
        )
    return NAMED[given]


def _warn_of_rates(scene: Scene, integrator: Integrator, h: float) -> None:
    """Tell of rates at which errors of constraints grow from step to step (S19 1.82)."""
    alpha, beta = (getattr(scene.stabilisation, name, None) for name in ("alpha", "beta"))
    if alpha is None or beta is None or integrator.adaptive:
        return
    if alpha * h > 0.9 and beta * h > 0.9:
        warnings.warn(
            f"alpha and beta are {alpha:g} and {beta:g} per second, 1/h or more of steps of {h:g} "
            "s: errors of constraints are unstable. Give alpha = beta = 1/(2h), say, or "
            "`ar.Projection()`.",
            SimulationWarning,
            stacklevel=3,
        )


def _check(scene: Any) -> None:
    if not isinstance(scene, Scene):
        raise SimulationError(
            f"the scene is a {type(scene).__name__}. Give an `ar.Scene`; of a figure with nothing "
            "but gravity, `ar.Scene(model)`."
        )


def check_takes(setup: Setup, integrator: Integrator) -> None:
    """Refuse an integrator that does not take what is in a scene."""
    leads = set(setup.scene.model.joint_names)
    above = (described(x) for x in setup.inequalities
             if not isinstance(x, JointLimits) or not leads.issuperset(x.joints))  # fmt: skip
    rows = [*setup.constraints, *above]
    if rows and not integrator.constraints:
        able = (name for name, other in NAMED.items() if other.constraints)
        raise SimulationError(
            f"{name_of(integrator)} takes only rows that fix single coordinates, and there is "
            f"{rows[0]}. Use {', '.join(map(repr, able))}."
        )
    inside = [described(x) for x in setup.scene.all_elements if x.rubs_inside]
    if inside and not getattr(integrator, "joint_friction", False):
        raise SimulationError(
            f"{name_of(integrator)} takes no friction that goes by the load on a joint, and there "
            f"is {inside[0]}. Use `ar.integrators.BilateralStaggeredProjections()`."
        )
    touching = [described(x) for x in setup.touching]
    if touching and not integrator.contact:
        able = (name for name, other in NAMED.items() if other.contact)
        raise SimulationError(
            f"{name_of(integrator)} takes no contact that is rigid, and there is {touching[0]}. "
            f"Use {', '.join(map(repr, able))}, or ground that is a force: "
            "`ar.contacts.SmoothGround()`."
        )
    if setup.variables and not integrator.states:
        able = (name for name, other in NAMED.items() if other.states)
        raise SimulationError(
            f"{name_of(integrator)} takes no states of elements, and there is "
            f"{next(iter(setup.variables))!r}. Use {', '.join(map(repr, able))}."
        )
