"""Controls that are looked for: a scene, what its motion costs, and the search."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._figure.figure import Array
from .._model.model import Model
from .._optimize.iteration_line import IterationLine
from .._optimize.search_options import check_options
from .._scene.scene import Scene
from .._simulate.native_steps import memory_of
from .._simulate.simulate import check_takes, integrator_of
from .._simulate.start import count_steps, starts
from ..errors import ModelError, ShapeError
from .control_costs import FINAL, RUNNING, CostPart, QuadraticCost, checked_costs, cost_numbers
from .control_pages import ControlPages
from .motion_inputs import by_names, driven_coordinates
from .optimal_control import OptimalControl


@dataclass(frozen=True)
class ControlProblem:
    """Joint forces of least cost for a motion that a simulation makes, step by step.

    Costs are the sum over steps of running costs, times the length of a step, and the final ones.

    Attributes:
        scene: the figure and what acts on it; or a figure, on which gravity acts alone.
        duration: how long the motion is [s].
        step: length of a time step, through which joint forces stay the same [s].
        running: costs of moments: quadratic ones, and pages of yours, `page(tree, q, qd, tau, t)`
            or of fewer of these, that return one number; one or several.
        final: costs of the end, likewise, without joint forces.
        start: where it starts, as `ar.simulate` takes it.
        q: initial coordinates of all joints; neutral when left out.
        qd: initial velocities; at rest when left out.
        passive: joints without a motor. When left out, a joint of several coordinates on the world,
            such as a free root.
        limits: of joint forces, by the name of a joint [N m or N]; True for those of the model.
        integrator: one of `ar.integrators` that remembers nothing, or its name.
    """

    scene: Any
    duration: float
    step: float
    running: CostPart | Sequence[CostPart]
    final: CostPart | Sequence[CostPart] = ()
    start: Mapping[str, Any] | None = None
    q: ArrayLike | None = None
    qd: ArrayLike | None = None
    passive: Sequence[str] | None = None
    limits: Mapping[str, float] | bool = True
    integrator: Any = "semi-implicit Euler"

    def __post_init__(self) -> None:
        if isinstance(self.scene, Model):
            own = self.scene.memo("scene under control", lambda: Scene(self.scene))
            object.__setattr__(self, "scene", own)
        if not isinstance(self.scene, Scene):
            raise ModelError(
                f"the scene is a {type(self.scene).__name__}. Give an `ar.Scene`, or a model."
            )
        count_steps(self.duration, self.step, 1)  # which says what is wrong with them
        for cost in (x for part in self.costs for x in part if isinstance(x, QuadraticCost)):
            cost.numbers(self.model)  # likewise
        if not self.driven.any():
            raise ModelError(
                f"no joint of `{self.model.name}` has a motor. Name those that have none in "
                "`passive`: a root that is pushed, as by thrusters, is driven with `passive=()`."
            )

    @property
    def model(self) -> Model:
        """The figure."""
        return self.scene.model

    @property
    def costs(self) -> tuple[tuple[CostPart, ...], tuple[CostPart, ...]]:
        """Those of moments, and of the end."""
        running = checked_costs("running", self.running, RUNNING)
        return running, checked_costs("final", self.final, FINAL)

    @property
    def driven(self) -> Array:
        """Of each velocity coordinate, whether a motor is there."""
        return driven_coordinates(self.model, self.passive)

    @property
    def motors(self) -> list[int]:
        """Velocity coordinates that have one, nu of them."""
        return np.flatnonzero(self.driven).tolist()

    @property
    def torque_limits(self) -> Array:
        """The most that each motor can [N m or N], (nu,)."""
        model, most = self.model, np.full(self.model.nv, np.inf)
        if self.limits is True:
            most = np.array(model.effort_limit, float)
        elif self.limits:
            most = by_names(model, self.limits, most, model.slice_qd)[0]
        if np.isnan(most).any() or (most < 0.0).any():
            raise ModelError(f"`limits` are {self.limits!r}. Give numbers above zero [N m or N].")
        return most[self.motors]

    @functools.cached_property
    def pages(self) -> ControlPages:
        """A step and its costs, compiled once for a scene."""
        setup, how = self.scene.setup({}), integrator_of(self.integrator)
        check_takes(setup, how)
        if setup.variables or memory_of(setup, how):
            what = next(iter({**setup.variables, **memory_of(setup, how)}))
            raise ModelError(
                f"the scene has a state {what!r} besides q and qd. Control takes scenes without, "
                'and integrators that remember nothing: "semi-implicit Euler" or "leapfrog".'
            )
        parts = tuple(
            tuple(type(x) if isinstance(x, QuadraticCost) else x for x in each)
            for each in self.costs
        )
        driven = tuple(self.motors)
        key = ("control", setup.named, how, driven, parts)
        made = functools.partial(ControlPages, setup, how, driven, *self.costs)
        return self.scene.memo(key, made)

    def solve(
        self,
        guess: OptimalControl | ArrayLike | None = None,
        *,
        second_order: bool = False,
        tolerance: float = 1e-6,
        most: int = 500,
        progress: bool | Callable[[int, float, float, float], None] | None = None,
    ) -> OptimalControl:
        """The motion and its controls; Ctrl-C ends the search with the best so far.

        Args:
            guess: joint forces of all steps, (N, nv) or (nv,), or an answer that is gone on from;
                none when left out.
            second_order: whether steps are taken to second order, which needs fewer iterations near
                the end, each of which costs more.
            tolerance: of the derivative of the cost by joint forces, per second, beside that of
                running costs where it is larger than one.
            most: iterations.
            progress: a line on a terminal after two seconds; False for none; or a function that is
                called with iteration, cost, zero and residual.
        """
        from .ilqr import ILQR, Instance

        check_options(tolerance, most, progress)
        N = count_steps(self.duration, self.step, 1)
        at = starts(self.scene.setup({}), N, self.step, self.start, self.q, self.qd, None, {})
        if at.batch:
            raise ShapeError(f"the start has leading axes {at.batch}. Give that of one motion.")
        most_force = self.torque_limits
        running, final = (cost_numbers(parts, self.model) for parts in self.costs)
        data = Instance(
            float(self.step), np.stack([-most_force, most_force]),
            (at.states["q"][0], at.states["qd"][0]), running, final,
            np.atleast_2d(at.parameters)[0],
        )  # fmt: skip
        line = IterationLine(progress)
        search = ILQR(self.pages, data, self._controls(guess, N), second_order)
        try:
            status = search.run(tolerance, most, line)
        except KeyboardInterrupt:
            status = "interrupted"
        finally:
            line.close()
        return OptimalControl(
            self, search.q, search.qd, search.u, search.gains, search.cost, status, search.count,
            search.residual,
        )  # fmt: skip

    def _controls(self, guess: Any, N: int) -> Array:
        """Controls to begin with."""
        if isinstance(guess, OptimalControl):
            guess = guess.joint_forces
        tau = np.asarray(np.zeros(self.model.nv) if guess is None else guess, float)
        if tau.shape not in ((N, self.model.nv), (self.model.nv,)):
            raise ShapeError(
                f"the guess has shape {tau.shape}. Give joint forces of {N} steps, "
                f"({N}, {self.model.nv}), or those of one for all, ({self.model.nv},)."
            )
        return np.ascontiguousarray(np.broadcast_to(tau, (N, self.model.nv))[:, self.motors])
