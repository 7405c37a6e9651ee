"""Joints from a pose: the rest follows by differentiation."""

from __future__ import annotations

import itertools
import numbers
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .._graph.autodiff import forward
from .._graph.evaluate import evaluate
from .._graph.graph import Graph
from .._spatial.inertia import Inertia
from .._spatial.motions import Motion, Subspace
from .._spatial.scalar import Scalar
from .._spatial.transform import Transform
from .._spatial.vectors import Mat3, Vec3
from ..errors import ArthronError, JointError
from .joints import Coordinates, JointState, VectorSpace
from .search import search, search_among


@dataclass(frozen=True, eq=False)
class FromPose(VectorSpace):
    """A joint given by the child's pose in the parent as a function of q.

    S and its derivative come from the pose: S_k = R^T (dR/dq_k, dp/dq_k), with qd = dq/dt.

    Attributes:
        pose: `pose(q)` returns a `Transform`, or the rotation `Mat3` and position `Vec3` of the
            child in the parent. It is run on traced scalars: use arthron's `sin`, `where`, ...
        nq: how many coordinates it takes.
        label: what to call it in the drawn tree.
        start: coordinates of the neutral pose; zeros when left out.
        spans: how far each coordinate sensibly goes from there; one unit either way when left out.
        grid: values of each coordinate from which its poses are looked for, too.
    """

    pose: Callable[[Coordinates], Any]
    nq: int = 1  # type: ignore[misc]
    label: str = "custom"
    start: tuple[float, ...] | None = None
    spans: tuple[float, ...] | None = None
    grid: tuple[tuple[float, ...], ...] = ()

    def __post_init__(self) -> None:
        if not callable(self.pose) or not isinstance(self.nq, numbers.Integral) or self.nq < 1:
            raise JointError(
                f"a custom joint of {self.pose!r} with {self.nq!r} coordinates. Give a function of "
                "q that returns the child's pose, and how many coordinates it takes."
            )
        if self.start is not None and len(self.start) != self.nq:
            raise JointError(f"`start` is {self.start!r}, and the joint has {self.nq} coordinates.")

    @property
    def nv(self) -> int:
        """As many velocities as coordinates: their rates."""
        return self.nq

    def __repr__(self) -> str:
        """What the pose computes, so that equal joints have equal code in the cache."""
        try:
            graph, outputs = self._program
        except ArthronError:
            return f"FromPose({self.nq}, {self.pose!r})"
        return f"FromPose({self.nq}, {graph.digest(outputs)})"

    @cached_property
    def _program(self) -> tuple[Graph, list[int]]:
        """Nodes of R, p, the columns of S, and the drift, as functions of q and qd."""
        graph = Graph()
        q, qd = graph.inputs(self.nq), graph.inputs(self.nq)
        with graph:
            R, p = self._pose(q)
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

    def _pose(self, q: Coordinates) -> tuple[Mat3, Vec3]:
        """What the user's function says, as rotation and position."""
        try:
            given = self.pose(q)
        except ArthronError:
            raise
        except Exception as error:
            raise JointError(
                f"the pose of a custom joint failed with {type(error).__name__}: {error}. It is "
                f"called with one argument, the tuple of its {self.nq} coordinate"
                f"{'s' if self.nq > 1 else ''}."
            ) from error
        R, p = (given.R, given.r) if isinstance(given, Transform) else _pair(given)
        if all(isinstance(x, float) for x in self.neutral()) and not isinstance(q[0], float):
            start, _ = self._pose(self.neutral())
            off = np.array(start @ start.T, dtype=float) - np.eye(3)
            if not np.abs(off).max() < 1e-9 or start.x.dot(start.y.cross(start.z)) < 0.0:
                raise JointError(
                    "the rotation that the pose of a custom joint returns is not one: its rows "
                    "must be finite, of unit length, perpendicular and right-handed."
                )
        return R, p

    def __call__(self, q: Coordinates, qd: Coordinates) -> JointState:
        values = evaluate(*self._program, [*q, *qd])
        rows = [Vec3(*values[k : k + 3]) for k in range(0, len(values), 3)]
        XJ = Transform.from_pose(Mat3(*rows[:3]), rows[3])
        *columns, drift = (Motion(a, b) for a, b in zip(rows[4::2], rows[5::2], strict=True))
        S = Subspace(columns)
        return XJ, S, S * qd, drift

    def find(self, X: Transform, near: Coordinates) -> tuple[Scalar, ...]:
        """Searched for from `near`, and from where it is closest of its grid."""
        if not self.grid:
            return search(self, X, near)
        return search_among(self, X, near, list(itertools.product(*self.grid)))

    def neutral(self) -> tuple[float, ...]:
        """The coordinates it starts from."""
        return self.start or (0.0,) * self.nq

    def random(self, rng: np.random.Generator) -> tuple[float, ...]:
        """Coordinates along the spans, or within one unit of the neutral ones."""
        ahead = rng.uniform(-1.0 if self.spans is None else 0.0, self.spans or 1.0, self.nq)
        return tuple(float(x) for x in np.array(self.neutral()) + ahead)

    def regrouped_inertia(self, I: Inertia) -> Inertia:
        """Nothing that is known."""
        return Inertia()


def _pair(given: Any) -> tuple[Mat3, Vec3]:
    if isinstance(given, tuple) and len(given) == 2:
        R, p = given
        if isinstance(R, Mat3) and isinstance(p, Vec3):
            return R, p
    raise JointError(
        f"the pose of a custom joint is {given!r}. Return a `Transform`, or the rotation `Mat3` "
        "and the position `Vec3` of the child in the parent."
    )
