"""Joints from a pose: the rest follows by differentiation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .._graph.derive import forward
from .._graph.evaluate import evaluate
from .._graph.graph import Graph
from .._spatial.inertia import Inertia
from .._spatial.motions import Motion, Subspace
from .._spatial.transform import Transform
from .._spatial.vectors import Mat3, Vec3
from ..errors import JointError
from .joints import Coordinates, JointState, Straight


@dataclass(frozen=True, eq=False)
class FromPose(Straight):
    """A joint given by the child's pose in the parent as a function of q.

    S and its derivative come from the pose: S_k = R^T (dR/dq_k, dp/dq_k), with qd = dq/dt.

    Attributes:
        pose: `pose(q)` returns a `Transform`, or the rotation `Mat3` and position `Vec3` of the
            child in the parent. It is run on traced scalars: use arthron's `sin`, `where`, ...
        nq: how many coordinates it takes.
        label: what to call it in the drawn tree.
        start: coordinates of the neutral pose; zeros when left out.
    """

    pose: Callable[[Coordinates], Any]
    nq: int = 1  # type: ignore[misc]
    label: str = "custom"
    start: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if not callable(self.pose) or self.nq < 1:
            raise JointError(
                f"a custom joint of {self.pose!r} with {self.nq} coordinates. Give a function of q "
                "that returns the child's pose, and how many coordinates it takes."
            )
        if self.start is not None and len(self.start) != self.nq:
            raise JointError(f"`start` is {self.start!r}, and the joint has {self.nq} coordinates.")

    @property
    def nv(self) -> int:
        """As many velocities as coordinates: their rates."""
        return self.nq

    def __repr__(self) -> str:
        """What the pose computes, so that equal joints have equal code in the cache."""
        graph, outputs = self._program
        return f"FromPose({self.nq}, {graph.digest(outputs)})"

    @cached_property
    def _program(self) -> tuple[Graph, list[int]]:
        """Nodes of R, p, the columns of S, and the drift, as functions of q and qd."""
        graph = Graph()
        q, qd = graph.inputs(self.nq), graph.inputs(self.nq)
        R, p = _pose(self.pose(q))
        entries = [graph.lift(x) for row in R for x in row] + [graph.lift(x) for x in p]
        columns = []
        for x in q:
            rates = forward(graph, entries, {x.position: 1.0})
            dR, dp = Mat3(*(Vec3(*rates[k : k + 3]) for k in (0, 3, 6))), Vec3(*rates[9:])
            W = R.T @ dR
            w = Vec3(W.z.y - W.y.z, W.x.z - W.z.x, W.y.x - W.x.y) * 0.5
            columns.append(Motion(w, R.T @ dp))
        v = Subspace(columns) * qd
        direction = {x.position: rate for x, rate in zip(q, qd, strict=True)}
        drift = forward(graph, [graph.lift(x) for x in (*v.ang, *v.lin)], direction)
        S = [graph.lift(x) for m in columns for x in (*m.ang, *m.lin)]
        return graph, [*entries, *S, *(graph.lift(x) for x in drift)]

    def __call__(self, q: Coordinates, qd: Coordinates) -> JointState:
        values = evaluate(*self._program, [*q, *qd])
        rows = [Vec3(*values[k : k + 3]) for k in range(0, len(values), 3)]
        XJ = Transform.from_pose(Mat3(*rows[:3]), rows[3])
        *columns, drift = (Motion(a, b) for a, b in zip(rows[4::2], rows[5::2], strict=True))
        S = Subspace(columns)
        return XJ, S, S * qd, drift

    def neutral(self) -> tuple[float, ...]:
        """The coordinates it starts from."""
        return self.start or (0.0,) * self.nq

    def random(self, rng: np.random.Generator) -> tuple[float, ...]:
        """Coordinates within one unit of the neutral ones."""
        return tuple(float(x) for x in np.array(self.neutral()) + rng.uniform(-1.0, 1.0, self.nq))

    def carried(self, I: Inertia) -> Inertia:
        """Nothing that is known."""
        return Inertia()


def _pose(given: Any) -> tuple[Mat3, Vec3]:
    if isinstance(given, Transform):
        return given.R, given.r
    if isinstance(given, tuple) and len(given) == 2:
        R, p = given
        if isinstance(R, Mat3) and isinstance(p, Vec3):
            return R, p
    raise JointError(
        f"the pose of a custom joint is {given!r}. Return a `Transform`, or the rotation `Mat3` "
        "and the position `Vec3` of the child in the parent."
    )
