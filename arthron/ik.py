"""Inverse kinematics: coordinates that bring frames, points or the centre of mass to targets.

Levenberg-Marquardt on compiled residuals and Jacobians: a whole step, with the solution of its
linear system and the joint limits, is one page, run over all targets and restarts at once.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from ._algorithms import energy, kinematics
from ._api import Model
from ._compile.function import Function
from ._compiled import compile
from ._described import Array
from ._graph.program import Shape
from ._model.build import Frame
from ._model.tree import JointColumns, Tree
from ._spatial.scalar import Scalar, maximum, minimum, sqrt, where
from ._spatial.solve import Ldl
from ._spatial.transform import log_so3
from ._spatial.vectors import Mat3, Vec3
from .errors import ModelError, ShapeError

Rows = list[tuple[Scalar, list[Scalar]]]
"""Residuals, each with its derivatives by the velocity coordinates."""


class Target(Protocol):
    """Something to be reached: where it should be, and how much that matters."""

    @property
    def shape(self) -> Shape:
        """Shape of `value` without a batch."""
        ...

    @property
    def value(self) -> Any:
        """Where it should be; leading axes are a batch of targets."""
        ...

    def rows(self, tree: Tree, model: Model, q: Any, goal: Any) -> Rows:
        """Weighted residuals (goal minus where it is) and how joints move what is there."""
        ...


def _position(
    tree: Tree, frame: Frame, q: Any, point: Vec3, goal: Sequence[Scalar], weight: float
) -> Rows:
    X0 = frame.X @ kinematics.poses(tree, q)[frame.body]
    off = Vec3(*goal) - (X0.r + X0.R @ point)
    J = kinematics.point_jacobian(tree, q, point, axes="world_aligned", **vars(frame))
    return _rows(tree, off, JointColumns({j: [m.lin for m in S] for j, S in J.items()}), weight)


def _orientation(tree: Tree, frame: Frame, q: Any, goal: Sequence[Any], weight: float) -> Rows:
    X0 = frame.X @ kinematics.poses(tree, q)[frame.body]
    off = log_so3(X0.E @ Mat3(*(Vec3(*row) for row in goal)))
    J = kinematics.point_jacobian(tree, q, Vec3(), axes="local", **vars(frame))
    return _rows(tree, off, JointColumns({j: [m.ang for m in S] for j, S in J.items()}), weight)


def _rows(tree: Tree, off: Vec3, J: JointColumns, weight: float) -> Rows:
    dense = tree.columns(J, [0.0] * 3)
    return [(off[k] * weight, [column[k] * weight for column in dense]) for k in range(3)]


@dataclass(frozen=True)
class Pose:
    """A frame at a pose, (..., 4, 4) in the world."""

    frame: str
    value: ArrayLike
    position_weight: float = 1.0
    orientation_weight: float = 1.0
    shape: Shape = field(default=(4, 4), init=False)

    def rows(self, tree: Tree, model: Model, q: Any, goal: Any) -> Rows:
        """Position in the world, then orientation in the frame."""
        frame = model.frame(self.frame)
        place, turn = [row[3] for row in goal[:3]], [row[:3] for row in goal[:3]]
        return [
            *_position(tree, frame, q, Vec3(), place, self.position_weight),
            *_orientation(tree, frame, q, turn, self.orientation_weight),
        ]


@dataclass(frozen=True)
class Point:
    """A point fixed in a frame at a position, (..., 3) in the world."""

    frame: str
    value: ArrayLike
    point: Sequence[float] = (0.0, 0.0, 0.0)
    weight: float = 1.0
    shape: Shape = field(default=(3,), init=False)

    def rows(self, tree: Tree, model: Model, q: Any, goal: Any) -> Rows:
        """Position in the world."""
        point = Vec3(*(float(x) for x in self.point))
        return _position(tree, model.frame(self.frame), q, point, goal, self.weight)


@dataclass(frozen=True)
class Orientation:
    """A frame turned as a rotation matrix says, (..., 3, 3) in the world."""

    frame: str
    value: ArrayLike
    weight: float = 1.0
    shape: Shape = field(default=(3, 3), init=False)

    def rows(self, tree: Tree, model: Model, q: Any, goal: Any) -> Rows:
        """The rotation vector that is missing, in the frame."""
        return _orientation(tree, model.frame(self.frame), q, goal, self.weight)


@dataclass(frozen=True)
class CenterOfMass:
    """The centre of mass at a position, (..., 3) in the world."""

    value: ArrayLike
    weight: float = 1.0
    shape: Shape = field(default=(3,), init=False)

    def rows(self, tree: Tree, model: Model, q: Any, goal: Any) -> Rows:
        """Position in the world."""
        off = Vec3(*goal) - energy.center_of_mass(tree, q)
        return _rows(tree, off, energy.com_jacobian(tree, q), self.weight)


@dataclass(frozen=True)
class Solution:
    """What was found.

    Attributes:
        q: coordinates, (..., nq); the best found where the target was not reached.
        error: norm of the weighted residuals there.
        solved: whether the error is within the tolerance.
        attempts: starts that were tried.
    """

    q: np.ndarray
    error: np.ndarray
    solved: np.ndarray
    attempts: np.ndarray

    def __repr__(self) -> str:
        n = np.size(self.solved)
        worst = float(np.max(self.error)) if n else 0.0
        return f"<{int(np.sum(self.solved))} of {n} targets reached; largest error {worst:.2e}>"


TOGETHER = 512
"""Starts that are tried at once when few targets are left."""
SMALLEST, LARGEST = 1e-10, 1e8
"""Bounds of the damping; at the largest a search is stuck."""


class _Step:
    """The page of one step: from q and damping to better ones, and the error reached."""

    def __init__(self, model: Model, targets: Sequence[Target]) -> None:
        self.model, self.targets = model, targets
        self.names = [f"target{k}" for k in range(len(targets))]
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        names = ["tree", "q", "damping", *self.names]
        self.__signature__ = inspect.Signature([inspect.Parameter(n, kind) for n in names])
        self.__name__ = "inverse_kinematics_step"

    def shapes(self) -> dict[str, Shape]:
        """Shapes of the inputs that the model does not size."""
        goals = zip(self.names, self.targets, strict=True)
        return {"damping": (), **{name: target.shape for name, target in goals}}

    def __call__(self, tree: Tree, q: Any, damping: Scalar, **goals: Any) -> dict[str, Any]:
        rows = self._rows(tree, q, goals)
        g = [sum_of(r * J[k] for r, J in rows) for k in range(tree.nv)]
        A = [[sum_of(J[a] * J[b] for _, J in rows) if b <= a else 0.0 for b in range(tree.nv)]
             for a in range(tree.nv)]  # fmt: skip
        free = self._free(tree, q, g)
        for a in range(tree.nv):
            for b in range(a):
                A[a][b] = A[a][b] * free[a] * free[b]
            A[a][a] = A[a][a] * (1.0 + damping) + damping * 1e-3 + 1e-12 + (1.0 - free[a])
        dq = Ldl(A).solve([x * f for x, f in zip(g, free, strict=True)])
        moved = self._moved(tree, q, dq)
        before, after = _norm(rows), _norm(self._rows(tree, moved, goals))
        better = after < before
        old, new = tree.vector(q), tree.vector(moved)
        return {
            "q": [where(better, x, y) for x, y in zip(new, old, strict=True)],
            "damping": where(better, maximum(damping * 0.1, SMALLEST), damping * 8.0),
            "error": minimum(after, before),
        }

    def _rows(self, tree: Tree, q: Any, goals: dict[str, Any]) -> Rows:
        pairs = zip(self.names, self.targets, strict=True)
        return [row for name, target in pairs
                for row in target.rows(tree, self.model, q, goals[name])]  # fmt: skip

    def _limits(self, tree: Tree) -> dict[int, tuple[int, float, float]]:
        """Entry of q, lower and upper limit of each velocity coordinate that has some."""
        low, high = self.model.q_lower, self.model.q_upper
        limits = {}
        for i in tree.bodies:
            joint, at = tree.joint[i], tree.v_start[i]
            if joint.nq != joint.nv or tree.follow[i]:
                continue
            for k in range(joint.nv):
                entry = tree.q_start[i] + k
                if np.isfinite(low[entry]) or np.isfinite(high[entry]):
                    limits[at + k] = (entry, float(low[entry]), float(high[entry]))
        return limits

    def _free(self, tree: Tree, q: Any, g: list[Scalar]) -> list[Scalar]:
        """0 for coordinates at a limit that the step would cross, else 1."""
        free: list[Scalar] = [1.0] * tree.nv
        coordinates = tree.vector(q)
        for k, (entry, low, high) in self._limits(tree).items():
            x = coordinates[entry]
            below, above = (x <= low) & (g[k] < 0.0), (x >= high) & (g[k] > 0.0)
            free[k] = where(below | above, 0.0, 1.0)
        return free

    def _moved(self, tree: Tree, q: Any, dq: Sequence[Scalar]) -> Any:
        steps = tree.rates(dq)
        flat = [x for i in tree.bodies if not tree.follow[i]
                for x in tree.joint[i].integrate(q[i], steps[i])]  # fmt: skip
        for entry, low, high in self._limits(tree).values():
            flat[entry] = minimum(maximum(flat[entry], low), high)
        return tree.positions(flat)


def sum_of(terms: Any) -> Scalar:
    """Sum that starts from nothing, so that traced zeros fold."""
    total: Scalar = 0.0
    for term in terms:
        total = total + term
    return total


def _norm(rows: Rows) -> Scalar:
    return sqrt(sum_of(r * r for r, _ in rows))


def solve(
    model: Model,
    targets: Sequence[Target],
    *,
    start: ArrayLike | None = None,
    tolerance: float = 1e-6,
    iterations: int = 60,
    restarts: int = 30,
    rng: np.random.Generator | int | None = 0,
) -> Solution:
    """Coordinates within joint limits that reach all targets together, as well as can be.

    Args:
        model: the figure.
        targets: `Pose`, `Point`, `Orientation` and `CenterOfMass`, in any number. Leading axes of
            their values are a batch and broadcast: one solution each.
        start: coordinates to begin from, (..., nq); neutral when left out.
        tolerance: norm of the weighted residuals that counts as reached [m, rad].
        iterations: steps before a start is given up.
        restarts: further starts, at random within the limits.
        rng: seed or generator for them.
    """
    if not targets:
        raise ModelError("inverse kinematics without targets. Give `[ar.ik.Pose(...)]`, say.")
    goals = [_goal(target) for target in targets]
    origin = np.asarray(model.neutral() if start is None else start, dtype=float)
    if origin.shape[-1:] != (model.nq,):
        raise ShapeError(
            f"`start` has shape {origin.shape} but `{model.name}` needs (..., {model.nq})."
        )
    leads = [g.shape[: g.ndim - len(t.shape)] for g, t in zip(goals, targets, strict=True)]
    batch = np.broadcast_shapes(origin.shape[:-1], *leads)
    n = int(np.prod(batch))
    goals = [np.broadcast_to(g, batch + t.shape).reshape((n, *t.shape))
             for g, t in zip(goals, targets, strict=True)]  # fmt: skip
    page = _Step(model, targets)
    kept: dict[str, Function] = model.__dict__.setdefault("_ik", {})
    key = repr([_kind(target) for target in targets])
    if key not in kept:
        kept[key] = compile(page, model, shapes=page.shapes())
    step = kept[key]
    rng = np.random.default_rng(rng)
    best = np.broadcast_to(origin, (*batch, model.nq)).reshape(n, model.nq)
    best = np.clip(best, model.q_lower, model.q_upper)
    error, attempts = np.full(n, np.inf), np.zeros(n, dtype=int)
    left, q = np.arange(n), best
    while left.size:
        found, reached = _descend(step, q, [g[left] for g in goals], tolerance, iterations)
        np.add.at(attempts, left, 1)
        order = np.argsort(-reached, kind="stable")  # of several starts the best comes last
        order = order[reached[order] < error[left[order]]]
        best[left[order]], error[left[order]] = found[order], reached[order]
        left = np.flatnonzero((error > tolerance) & (attempts <= restarts))
        left = np.repeat(left, max(1, min(restarts, TOGETHER // max(1, left.size))))
        q = model.random(rng, left.size)
    return Solution(
        best.reshape((*batch, model.nq)),
        error.reshape(batch),
        (error <= tolerance).reshape(batch),
        attempts.reshape(batch),
    )


def _descend(
    step: Any, q: Array, goals: list[Array], tolerance: float, iterations: int
) -> tuple[Array, Array]:
    """Coordinates and errors after steps from q; rows that are done or stuck stop early."""
    n = len(q)
    q, error, damping = q.copy(), np.full(n, np.inf), np.full(n, 1e-3)
    active = np.arange(n)
    for _ in range(iterations):
        result = step(q[active], damping[active], *(g[active] for g in goals))
        q[active], damping[active], error[active] = (result[k] for k in ("q", "damping", "error"))
        active = active[(error[active] > tolerance) & (damping[active] < LARGEST)]
        if not active.size:
            break
    return q, error


def _goal(target: Target) -> Array:
    value = np.asarray(target.value, dtype=float)
    if value.shape[max(0, value.ndim - len(target.shape)) :] != target.shape:
        shape = ", ".join(map(str, target.shape))
        raise ShapeError(
            f"a {type(target).__name__} target has shape {value.shape} and needs (..., {shape})."
        )
    if not np.all(np.isfinite(value)):
        raise ShapeError(f"a {type(target).__name__} target holds NaN or infinity.")
    return value


def _kind(target: Target) -> tuple:
    """What of a target is part of the code: all but its value."""
    return (type(target).__name__, *(v for k, v in vars(target).items() if k != "value"))
