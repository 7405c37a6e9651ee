"""From one clip to another: the motion between of least torque (R96)."""

from __future__ import annotations

import functools
import warnings
from dataclasses import dataclass
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np

from .._algorithms.planned_motion import supported_joint_forces
from .._figure.figure import Array
from .._model.model import Model
from .._spacetime.build_program import sampled
from .._spacetime.motion_conditions import Keyframe
from .._spacetime.motion_costs import Near, Setting, Smoothness
from .._spacetime.motion_phase import Phase
from .._spacetime.motion_problem import MotionProblem
from .._spacetime.optimal_motion import OptimalMotion
from .._spacetime.splined_motion import SplineMotion
from ..errors import ModelError, ShapeError, SimulationWarning
from .clip import Clip
from .clip_times import has_free_root
from .planar_placing import PlanarPlacing, bringing, fitting, heading
from .side_by_side import side_by_side
from .support_plan import SupportPlan, pivots, plan_supports
from .supported_costs import BeyondLimits, Slip, SupportedTorque

SPANS, FEWEST = 20.0, 12
"""Polynomials a second, and in all."""
STRAYED = 0.3
"""How far from its way the root may get so that a foot stays where it is; it steps else [m]."""
FAR, PASSED, CALM, SLIPPED = 2.0, 0.1, 1e-3, 5e-4
FINE, ENOUGH, MOST = 4, 3e-2, 60
"""How far all joints are from the cubic, and one is beyond its limits, at the cost of all torque
[rad]; what accelerations of the cubic cost beside its torque; how far a foot may slip at the cost
of all torque [m]; how many times as often as frames torque is looked at; where searches end, at
which torque is known to some parts in a thousand."""


@dataclass(frozen=True, eq=False)
class Transition:
    """The way from a frame of one clip to a frame of another.

    Attributes:
        before: the first clip, up to where it is left.
        after: the second, from where it is entered, put where the way leads.
        plan: who stands when.
        found: the motion between, with `status`, `motion(t)`, `optimum`.
        ends: pose and velocity where it begins, and where it ends.
    """

    before: Clip
    after: Clip
    plan: SupportPlan
    found: OptimalMotion
    ends: tuple[tuple[Array, Array], tuple[Array, Array]]

    def __repr__(self) -> str:
        less = 100.0 * (1.0 - self.torque / self.cubic_torque)
        return (
            f"<Transition of {self.plan.duration:.3g} s from {self.before.name!r} to "
            f"{self.after.name!r}: {less:.0f} % less torque than a cubic, feet slip by "
            f"{1e3 * self.slip:.1f} mm; {self.found.optimum.message}>"
        )

    @property
    def frames(self) -> int:
        """How many frames there are between."""
        return round(self.plan.duration * self.before.rate) - 1

    @functools.cached_property
    def between(self) -> Clip:
        """The frames between."""
        t = np.arange(1, self.frames + 1) / self.before.rate
        return Clip(self.before.model, self.found.motion(t)[0], self.before.rate, "transition")

    @functools.cached_property
    def cubic(self) -> Clip:
        """The frames between, by a cubic polynomial for each coordinate."""
        t = np.arange(1, self.frames + 1) / self.before.rate
        return Clip(self.before.model, self._cubic(t), self.before.rate, "cubic")

    @functools.cached_property
    def clip(self) -> Clip:
        """Both clips, and what was found between."""
        return self._joined(self.between, f"{self.before.name} to {self.after.name}")

    @functools.cached_property
    def naive(self) -> Clip:
        """Both clips, and a cubic between."""
        return self._joined(self.cubic, f"{self.before.name} to {self.after.name}, cubic")

    @functools.cached_property
    def torque(self) -> float:
        """Integral of squared joint forces, the ground bearing the root [N^2 m^2 s]."""
        t = self._fine()
        return self._energy(t, *self.found.motion(t))

    @functools.cached_property
    def cubic_torque(self) -> float:
        """The same of the cubic."""
        t = self._fine()
        fine = Clip(self.before.model, self._cubic(t), FINE * self.before.rate)
        return self._energy(t, fine.q, fine.qd, fine.qdd)

    @functools.cached_property
    def residual(self) -> float:
        """The largest force or torque left at the root while somebody stands [N or N m]."""
        t = self._fine()
        stands = self.plan.shares(t).sum(-1) > 0.5
        tau = self._joint_forces(t, *self.found.motion(t))
        return float(np.abs(tau[stands, :6]).max(initial=0.0))

    @functools.cached_property
    def slip(self) -> float:
        """How far a planted foot gets along the floor from where it was put [m]."""
        return max((self._slip(k) for k in range(len(self.plan.planted))), default=0.0)

    def save_html(self, path: str | Path) -> Path:
        """Write a page of both clips, the cubic and what was found, side by side."""
        shown = {"first": self.before, "second": self.after}
        return side_by_side(shown | {"cubic": self.naive, "optimal": self.clip}).save_html(path)

    def plot(self, path: str | Path) -> Path:
        """Draw the size of joint torque in time, of the cubic and of what was found, to a file.

        Needs `pip install "arthron[view]"`.
        """
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise ModelError('`plot` needs matplotlib: `pip install "arthron[view]"`.') from None
        figure = Figure(figsize=(8.0, 3.2), layout="constrained", facecolor="white")
        axes, t = figure.subplots(), self._fine()
        fine = Clip(self.before.model, self._cubic(t), FINE * self.before.rate)
        motions = {"cubic": (fine.q, fine.qd, fine.qdd), "optimal": self.found.motion(t)}
        for name, motion in motions.items():
            tau = self._joint_forces(t, *motion)[:, 6:]
            axes.plot(t, np.linalg.norm(tau, axis=-1), label=name)
        axes.set(xlabel="time [s]", ylabel="joint torque, norm [N m]", xlim=(0.0, t[-1]))
        axes.legend(frameon=False)
        figure.savefig(path, dpi=110)
        return Path(path)

    def _slip(self, k: int) -> float:
        planted, t = self.plan.planted[k], self._fine()
        t = t[planted.holds(t)]
        X = self.before.model.body_poses(self.found.motion(t)[0])
        worst = 0.0
        for n in np.flatnonzero(planted.low):
            body, place = planted.points[n]
            here = X[:, body - 1, :2, :3] @ place + X[:, body - 1, :2, 3]
            worst = max(
                worst, float(np.linalg.norm(here - planted.places(t)[:, n, :2], axis=-1).max())
            )
        return worst

    def _joined(self, middle: Clip, name: str) -> Clip:
        q = np.concatenate([self.before.q, middle.q, self.after.q])
        return Clip(self.before.model, q, self.before.rate, name)

    def _cubic(self, t: Array) -> Array:
        T = self.plan.duration
        return cubic(self.before.model, *self.ends, t / T, T)

    def _fine(self) -> Array:
        return np.arange(0, FINE * (self.frames + 1) + 1) / (FINE * self.before.rate)

    def _joint_forces(self, t: Array, q: Array, qd: Array, qdd: Array) -> Array:
        return joint_forces(self.before.model, self.plan, t, q, qd, qdd)

    def _energy(self, t: Array, q: Array, qd: Array, qdd: Array) -> float:
        tau = self._joint_forces(t, q, qd, qdd)[:, 6:]
        return float(np.trapezoid((tau * tau).sum(-1), t))


def transition(
    a: Clip, b: Clip, duration: float = 0.6, *, leave: int = -1, enter: int = 0,
    limits: bool = True, progress: bool | None = None,
) -> Transition:  # fmt: skip
    """The motion of least torque from a frame of one clip to a frame of another (R96).

    The second clip is put on the floor so that a foot that stands at both ends stays where it is,
    if the root goes about as it goes in both, or else so that it goes so. The motion has pose,
    velocity and acceleration of the clips at its ends; feet that stand there go on to do so as far
    as legs reach, and bear what the root lacks.

    Args:
        a: where it comes from.
        b: where it goes, of the same model.
        duration: about how long it takes [s]; a whole number of frames of `a`.
        leave: frame of `a` at which it begins.
        enter: frame of `b` at which it ends.
        limits: whether joints that pass their limits cost so much that they hardly do.
        progress: a line on a terminal after two seconds; False for none.
    """
    a, b, leave, enter, duration = _checked(a, b, leave, enter, duration)
    b = b.with_poses(_placing(a, leave, b, enter, duration).poses(b.q))
    plan = plan_supports(a, leave, b, enter, duration)
    model, T = a.model, duration
    q0, q1 = (a.q[leave], a.qd[leave], a.qdd[leave]), (b.q[enter], b.qd[enter], b.qdd[enter])
    when = np.linspace(0.0, 1.0, 4 * max(FEWEST, round(SPANS * T)) + 1)
    guess = cubic(model, q0[:2], q1[:2], when, T)
    fine = Clip(model, guess, (len(when) - 1) / T)
    tau = joint_forces(model, plan, when * T, fine.q, fine.qd, fine.qdd)[:, 6:]
    energy = T * float((tau * tau).sum(-1).mean())
    calm = CALM * energy / (T * float((fine.qdd[:, 6:] ** 2).sum(-1).mean()) + 1e-12)
    slip = energy / (T * SLIPPED**2)
    joints = model.joint_names[1:]
    usual = energy / (T * (model.nv - 6) * FAR**2)
    near = SplineMotion.near(model, when * T, guess, spans=len(when) // 2)
    costs: list[Any] = [
        SupportedTorque(plan),
        Smoothness(dict.fromkeys(joints, calm)),
        Near(near, dict.fromkeys(joints, usual)),
    ]
    costs += [Slip(planted, slip) for planted in plan.planted]
    limited = BeyondLimits.of(model, energy / (T * PASSED**2))
    costs += [limited] * (limits and bool(limited.limits))
    ends: list[Any] = [Keyframe(0, q0[0], q0[1], q0[2]), Keyframe(1, q1[0], q1[1], q1[2])]
    phases = [Phase(T, max(FEWEST, round(SPANS * T)))]
    problem = MotionProblem(model, phases, costs, ends, passive=(), limits=False, gauss_newton=True)
    found = problem.solve(
        list(zip(when, guess, strict=True)), tolerance=ENOUGH, most=MOST, progress=progress
    )
    if not found.solved:
        warnings.warn(
            f"the transition from {a.name!r} to {b.name!r} was not found, only what is nearest: "
            f"after {found.optimum.iterations} iterations the conditions of optimality hold to "
            f"{found.optimum.residual:.1e}. Try other frames, or another duration.",
            SimulationWarning,
            stacklevel=2,
        )
    return Transition(a[: leave + 1], b[enter:], plan, found, (q0[:2], q1[:2]))


def cubic(
    model: Model, start: tuple[Array, Array], end: tuple[Array, Array], part: Array, T: float
) -> Array:
    """Poses on a cubic polynomial from a pose and velocity to another, at parts of the way."""
    s = part[:, None]
    away = model.difference(start[0], end[0])
    h = s * s * (3.0 - 2.0 * s) * away
    h = h + T * (s * (1.0 - s) ** 2 * start[1] - s * s * (1.0 - s) * end[1])
    return model.integrate(np.tile(start[0], (len(part), 1)), h)


def joint_forces(
    model: Model, plan: SupportPlan, t: Array, q: Array, qd: Array, qdd: Array
) -> Array:
    """Joint forces of a motion while feet bear what its root lacks, (times, nv)."""
    page = functools.partial(supported_joint_forces, feet=plan.feet)
    shares = plan.shares(t)
    kernel = sampled(Setting(model, (), np.ones(model.nv, bool)), page, {"shares": shares})
    return kernel.values({"q": q, "qd": qd, "qdd": qdd, "shares": shares})


def _placing(a: Clip, leave: int, b: Clip, enter: int, duration: float) -> PlanarPlacing:
    """Where the second clip is put on the floor."""
    angle = heading(a.q[leave, 3:7]) - heading(b.q[enter, 3:7])
    turn = PlanarPlacing(angle, np.zeros(2))
    ways = (clip.q[k + 1, :3] - clip.q[k, :3] for clip, k in _steps(a, leave, b, enter))
    speeds = [clip.rate * way for clip, way in zip((a, b), ways, strict=True)]
    there = a.q[leave, :3] + 0.5 * duration * (speeds[0] + turn.points(speeds[1]))
    feet = [fitting(after, before) for before, after in pivots(a, leave, b, enter)]

    def off(placing: PlanarPlacing) -> float:
        return float(np.linalg.norm((placing.points(b.q[enter, :3]) - there)[:2]))

    best = min(feet, key=off, default=None)
    if best is None or off(best) > STRAYED:
        return bringing(b.q[enter, :3], angle, there)
    return best


def _steps(a: Clip, leave: int, b: Clip, enter: int) -> list[tuple[Clip, int]]:
    """Frames from which the next is looked at, for how the root goes."""
    return [(a, max(leave - 1, 0)), (b, min(enter, len(b) - 2))]


def _checked(
    a: Clip, b: Clip, leave: int, enter: int, duration: float
) -> tuple[Clip, Clip, int, int, float]:
    """The same, frames counted from zero and the second clip at the rate of the first."""
    for clip in (a, b):
        if not isinstance(clip, Clip):
            raise ModelError(f"a transition is asked for with {clip!r}. Give two `ar.mocap.Clip`.")
        if not has_free_root(clip.model):
            raise ModelError(
                f"`{clip.model.name}` has no free root. Load it with `root=ar.Free()`."
            )
        if len(clip) < 7:
            raise ShapeError(f"{clip!r} is too short: 7 frames are the least.")
    if a.model is not b.model and a.model.joint_names != b.model.joint_names:
        raise ModelError(
            f"{a!r} and {b!r} are of different figures. `b.retargeted(a.model)` is the second on "
            "the figure of the first."
        )
    for name, frame, clip in (("leave", leave, a), ("enter", enter, b)):
        if not isinstance(frame, Integral) or not -len(clip) <= frame < len(clip):
            raise ShapeError(
                f"`{name}` is {frame!r}. Give the number of one of the {len(clip)} frames of "
                f"{clip!r}."
            )
    leave, enter = int(leave) % len(a), int(enter) % len(b)
    if not isinstance(duration, Real) or not 0.0 < duration < 10.0:
        raise ShapeError(f"`duration` is {duration!r}. Give seconds, more than 0 and less than 10.")
    if b.rate != a.rate:
        enter = round(enter * a.rate / b.rate)
        b = b.resampled(a.rate)
        enter = min(enter, len(b) - 1)
    if a.model is not b.model:
        b = Clip(a.model, b.q, b.rate, b.name)
    return a, b, leave, enter, max(2, round(duration * a.rate)) / a.rate
