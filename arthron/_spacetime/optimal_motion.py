"""A motion that was found: its coordinates, joint forces and forces at footholds in time."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from .._algorithms.planned_motion import pushed_joint_forces
from .._figure.figure import Array
from .._scene.controller import Controller
from .._scene.keyframes import keyframes
from .._simulate.trajectory import Trajectory
from .build_program import sampled
from .motion_costs import Setting
from .motion_guess import SMALL
from .motion_player import MotionTracking, as_trajectory, sample_times
from .sampled_page import SampledPage
from .splined_motion import SplineMotion, SplinePiece

if TYPE_CHECKING:
    from .build_program import Built
    from .motion_problem import MotionProblem

CONTROLLED = 200.0
"""How often a second a controller is told where to be [Hz]; between, on the straight way."""
LARGE = 0.1
"""Part of the weight from which forces that are left where no motor is are told of."""


@dataclass(frozen=True)
class OptimalMotion:
    """What a search came to.

    Attributes:
        problem: what was asked for.
        built: the nonlinear program.
        optimum: what the solver says, with `status`, `message`, `iterations`, `violation`.
    """

    problem: MotionProblem
    built: Built
    optimum: Any

    @property
    def status(self) -> str:
        """How the search ended."""
        return self.optimum.status

    @property
    def solved(self) -> bool:
        """Whether it is an optimum."""
        return self.status == "solved"

    @property
    def cost(self) -> float:
        """What the motion costs."""
        return float(self.optimum.objective)

    @property
    def durations(self) -> Array:
        """How long each phase takes [s]."""
        layout = self.built.program.layout
        return np.array([layout.duration(self.optimum.x, k) for k in range(len(layout.phases))])

    def __repr__(self) -> str:
        return (
            f"motion of `{self.problem.model.name}` over {self.motion.duration:.3g} s, cost "
            f"{self.cost:.6g}; {self.optimum.message}{'' if self.optimum.worst else self._left}"
        )

    @functools.cached_property
    def _left(self) -> str:
        """A word on forces that are left where no motor is, if they are large."""
        if self.problem.driven.all():
            return ""
        model, run = self.problem.model, self.trajectory()
        weight, worst = (
            model.mass * float(np.linalg.norm(model.gravity)),
            int(run.residual.argmax()),
        )
        if not run.residual[worst] > LARGE * weight > 0.0:
            return ""
        return (
            f" But at {run.t[worst]:.3g} s a force of {run.residual[worst]:.3g} N or N m is left "
            f"where no motor is, beside a weight of {weight:.3g} N: give phases more `spans`, and "
            "shorter ones where feet push (`knots`)."
        )

    @functools.cached_property
    def motion(self) -> SplineMotion:
        """The splines, in time."""
        layout, start, pieces = self.built.program.layout, 0.0, []
        controls, _ = layout.split(self.optimum.x)
        for own, length in zip(layout.phases, self.durations, strict=True):
            rows = slice(own.first, own.first + own.knots.count)
            pieces.append(SplinePiece(own.knots.stretched(start, length), controls[rows]))
            start += length
        return SplineMotion(self.problem.model, tuple(pieces))

    def forces(self, t: ArrayLike) -> Array:
        """Forces at all points of footholds, in world axes, (..., points, 3) [N].

        Before the start and after the end they are those nearest to these that hold it at rest.
        """
        t, layout = np.asarray(t, float), self.built.program.layout
        flat = np.clip(t.ravel(), 0.0, self.motion.duration)
        piece = self.motion.piece(flat)
        starts = np.concatenate([[0.0], np.cumsum(self.durations)])
        found = np.zeros((len(flat), len(self.built.points), 3))
        for k, own in enumerate(layout.phases):
            here = np.flatnonzero(piece == k)
            first, B = own.force_knots.local((flat[here] - starts[k]) / self.durations[k])
            local = layout.world_forces(self.optimum.x, k)[first[:, None] + np.arange(B.shape[-1])]
            each = np.einsum("sk,skpc->spc", B[:, 0], local)
            found[here[:, None], list(own.points)] = each
            resting = here[t.ravel()[here] != flat[here]]
            if len(resting) and own.points and not self.problem.driven.all():
                found[resting] += self._holding(flat[resting], found[resting], own.points)
        return found.reshape(*t.shape, -1, 3)

    def joint_forces(self, t: ArrayLike) -> Array:
        """Joint forces, (..., nv) [N m or N]; those of passive joints are what is left over."""
        t = np.asarray(t, float)
        q, qd, qdd = self.motion(t.ravel())
        given = {"q": q, "qd": qd, "qdd": qdd, "forces": self.forces(t.ravel())}
        return self._pushed.values(given).reshape(*t.shape, -1)

    @property
    def _pushed(self) -> SampledPage:
        """Joint forces that accelerations and forces at points take."""
        problem, points = self.problem, self.built.points
        setting = Setting(problem.model, points, problem.driven, not problem.gauss_newton)
        return sampled(setting, functools.partial(pushed_joint_forces, points=points))

    def _holding(self, t: Array, forces: Array, points: Sequence[int]) -> Array:
        """The least that forces at points change by, so that no motor is missed at rest."""
        page, free = self._pushed, np.flatnonzero(np.logical_not(self.problem.driven))
        q, still = self.motion(t)[0], np.zeros((len(t), self.problem.model.nv))
        given = {"q": q, "qd": still, "qdd": still, "forces": forces}
        by = page.slopes(given)[:, free, page.places["forces"]]
        pushing = np.repeat(np.isin(np.arange(len(self.built.points)), points), 3)
        wanted = np.linalg.pinv(by * pushing, rcond=SMALL) @ page.values(given)[:, free, None]
        return -wanted.reshape(forces.shape)

    def times(self, rate: float = 100.0) -> Array:
        """Times from its start to its end, about as many in a second as a rate [Hz]."""
        return sample_times(self.motion.duration, rate)

    def trajectory(self, rate: float = 100.0) -> Trajectory:
        """States in time, to be shown, drawn and saved; `forces` are the joint forces.

        `residual` is the largest joint force where no motor is, at each time [N m or N]: the
        search has these nothing on average, about each time (docs/spacetime.md).

        Args:
            rate: how many states a second has.
        """
        model, t = self.problem.model, self.times(rate)
        q, qd, _ = self.motion(t)
        tau = self.joint_forces(t)
        left = np.abs(np.where(self.problem.driven, 0.0, tau)).max(-1)
        return as_trajectory(model, t, (q, qd), tau, left)

    def controller(
        self, stiffness: float | Sequence[float], damping: float | Sequence[float]
    ) -> Controller:
        """The motion's joint forces, with PD control about it, for `ar.Scene`.

        Before the start and after the end it holds the pose there.

        Args:
            stiffness: one number or one for each velocity coordinate; none pushes a floating root.
            damping: likewise.
        """
        t = self.times(CONTROLLED)
        outside = [-1.0, t[-1] + 1.0]
        tau, hold = (np.where(self.problem.driven, self.joint_forces(x), 0.0) for x in (t, outside))
        first, last = (tuple(x) for x in hold.tolist())
        return MotionTracking(
            keyframes(t, self.motion(t)[0]), keyframes(t, tau), (first, last), stiffness, damping
        )
