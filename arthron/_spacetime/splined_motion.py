"""A motion of a figure as splines in time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._algorithms.spline_motion import spline_motion
from .._figure.figure import Array
from .._model.model import Model
from .._pages.compiled import compile as compiled
from ..errors import ModelError, ShapeError
from .bsplines import Indices, Knots


class SplinePiece(NamedTuple):
    """Part of a motion.

    Attributes:
        knots: of its splines, in time.
        controls: a configuration for each of their basis functions, (n, nq).
    """

    knots: Knots
    controls: Array


@dataclass(frozen=True)
class SplineMotion:
    """A motion of a figure: B-splines of its coordinates, on the sphere where joints turn freely.

    `motion(t)` is (q, qd, qdd) at times t, of any shape.

    Attributes:
        model: the figure.
        pieces: splines, each from where the one before ends.
    """

    model: Model
    pieces: tuple[SplinePiece, ...]

    @staticmethod
    def near(
        model: Model, times: ArrayLike, q: ArrayLike, *, degree: int = 5, spans: int | None = None
    ) -> SplineMotion:
        """Smooth, and near to configurations at increasing times: controls are between these.

        Args:
            model: the figure.
            times: when, (k,) [s].
            q: configurations, (k, nq).
            degree: of the splines.
            spans: polynomials, as long as each other; as many as there are steps in `times` when
                left out.
        """
        times, q = np.asarray(times, float), np.asarray(q, float)
        if times.ndim != 1 or len(times) < 2 or q.shape != (len(times), model.nq):
            raise ShapeError(
                f"`times` has shape {times.shape} and `q` {q.shape}. Give two times or more, and "
                f"as many configurations of {model.nq} numbers."
            )
        count = len(times) - 1 if spans is None else spans
        knots = Knots.between(np.linspace(times[0], times[-1], count + 1), degree)
        return SplineMotion(
            model, (SplinePiece(knots, between(model, times, q, knots.greville())),)
        )

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return float(self.pieces[-1].knots.breaks[-1] - self.pieces[0].knots.breaks[0])

    @property
    def joins(self) -> Array:
        """Times at which pieces begin, and the end of the last [s]."""
        return np.array(
            [*(p.knots.breaks[0] for p in self.pieces), self.pieces[-1].knots.breaks[-1]]
        )

    def piece(self, t: Array) -> Indices:
        """The number of the piece at each time."""
        found = np.searchsorted(self.joins, t, side="right") - 1
        return np.clip(found, 0, len(self.pieces) - 1)

    def __call__(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """q, qd and qdd at times, (..., nq) and (..., nv).

        Before its start and after its end it rests where it begins and ends.
        """
        t = np.asarray(t, float)
        flat = np.clip(t.ravel(), self.joins[0], self.joins[-1])
        inside = t.ravel() == flat
        piece = self.piece(flat)
        q = np.empty((len(flat), self.model.nq))
        qd, qdd = (np.empty((len(flat), self.model.nv)) for _ in range(2))
        for k, each in enumerate(self.pieces):
            here = piece == k
            first, B = each.knots.local(flat[here])
            local = each.controls[first[:, None] + np.arange(B.shape[-1])]
            q[here], qd[here], qdd[here] = splines(self.model, local, B)
        qd, qdd = qd * inside[:, None], qdd * inside[:, None]
        return tuple(x.reshape(*t.shape, x.shape[-1]) for x in (q, qd, qdd))  # type: ignore[return-value]


def splines(model: Model, controls: Array, B: Array) -> tuple[Array, Array, Array]:
    """q, qd and qdd where basis functions of controls, (samples, n, nq), have values B."""
    n = B.shape[-1]
    shapes = {"controls": (n, model.nq), "basis": (3, n)}
    kernel = model.memo(("splines", n), lambda: compiled(spline_motion, model, shapes=shapes))
    return kernel(np.ascontiguousarray(controls), B)


def between(model: Model, times: Array, q: Array, t: Array) -> Array:
    """Configurations at times t, the straight way from one given one to the next."""
    k = np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(times) - 2)
    part = (t - times[k]) / (times[k + 1] - times[k])
    return model.integrate(q[k], model.difference(q[k], q[k + 1]) * part[:, None])


def checked_joints(model: Model) -> None:
    """A word on joints whose motion is no spline of their coordinates."""
    for joint in model.tree.joint[1:]:
        law = getattr(joint, "law", joint)
        if joint.nq != joint.nv and type(law).__name__ not in ("Ball", "Floating"):
            raise ModelError(
                f'`{model.name}` has a joint "{joint.label}" with {joint.nq} coordinates for '
                f"{joint.nv} velocities, of which there are no splines. Use `Spherical()`, "
                "`Free()`, or joints whose velocities are rates of their coordinates."
            )
