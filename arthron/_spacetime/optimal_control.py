"""Controls that were found: the motion they make, for eyes, and as a controller."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .._figure.figure import Array
from .._scene.controller import Controller, floating
from .._simulate.trajectory import Trajectory
from .feedback_tracking import FeedbackTable, FeedbackTracking
from .motion_player import as_trajectory

if TYPE_CHECKING:
    from .control_problem import ControlProblem

WORDS = {
    "solved": "solved",
    "stalled": "stalled where no change of joint forces lessens the cost by more than rounding",
    "too many iterations": "not solved",
    "interrupted": "interrupted",
}
NEARER = ". `solve(control, second_order=True)` goes on from it and may end nearer"
"""What to do where a search to first order is no longer for the better, or slow."""


@dataclass(frozen=True, eq=False)
class OptimalControl:
    """Joint forces of least cost, and the motion that they make.

    Attributes:
        problem: what was asked for.
        q: configurations, (N + 1, nq).
        qd: velocities, (N + 1, nv).
        u: joint forces of motors through each step [N m or N], (N, nu).
        gains: changes of u by displacement and velocity, within limits, (N, nu, 2 nv).
        cost: what the motion costs.
        status: "solved", "stalled", "too many iterations" or "interrupted".
        iterations: how many the search took.
        residual: largest derivative of the cost by a joint force that no limit holds, per second.
    """

    problem: ControlProblem
    q: Array
    qd: Array
    u: Array
    gains: Array
    cost: float
    status: str
    iterations: int
    residual: float

    @property
    def message(self) -> str:
        """How the search ended, as a sentence."""
        advice = NEARER if self.status in ("stalled", "too many iterations") else ""
        return (
            f"{WORDS[self.status]} after {self.iterations} iterations: the cost is {self.cost:.6g} "
            f"and changes with a joint force by at most {self.residual:.1e} a second{advice}"
        )

    def __repr__(self) -> str:
        model, problem = self.problem.model, self.problem
        return f"control of `{model.name}` over {problem.duration:.3g} s, {self.message}"

    @property
    def joint_forces(self) -> Array:
        """Joint forces through each step, zero where no motor is, (N, nv)."""
        tau = np.zeros((len(self.u), self.problem.model.nv))
        tau[:, self.problem.motors] = self.u
        return tau

    def trajectory(self) -> Trajectory:
        """States in time, to be shown, drawn and saved; `forces` are the joint forces of motors."""
        t = np.arange(len(self.q)) * self.problem.step
        tau = self.joint_forces
        left = np.zeros(len(t))
        held = np.concatenate([tau, tau[-1:]])
        return as_trajectory(self.problem.model, t, (self.q, self.qd), held, left)

    def controller(self) -> Controller:
        """The joint forces with feedback about the motion, for `ar.Scene`.

        In the scene and with the steps that the problem has, it makes the same motion.
        """
        problem, model = self.problem, self.problem.model
        most = np.full(model.nv, np.inf)
        most[problem.motors] = problem.torque_limits
        gains = np.zeros((len(self.u), model.nv, 2 * model.nv))
        gains[:, problem.motors] = self.gains
        roots = [model.joint_names[i - 1] for i in model.tree.bodies if floating(model.tree, i)]
        pushed = any(problem.driven[model.slice_qd(name)].any() for name in roots)
        rate = model.difference(self.q[:-1], self.q[1:]) / problem.step
        plan = FeedbackTable.along(
            problem.step, (self.q, self.qd, rate), self.joint_forces, gains, most
        )
        return FeedbackTracking(plan, root=pushed, implicit=False)
