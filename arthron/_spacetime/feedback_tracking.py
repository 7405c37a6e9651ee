"""A controller with gains that change in time, about a motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._figure.figure import Array
from .._scene.controller import Controller
from .._scene.element import Here
from .._spatial.scalar import Scalar, floor, lookup, maximum, minimum
from .._spatial.sums import dot
from .._tree.configuration import difference, integrate
from .._tree.tree import BodyList

Columns = tuple[tuple[float, ...], ...]
EARLY = 1e-6
"""Part of a step by which rounded times may be before its start."""


@dataclass(frozen=True)
class FeedbackTable:
    """A motion step by step, a column of numbers for each coordinate and gain.

    Attributes:
        step: length of a step [s].
        q: coordinates at the start of each step.
        rate: velocity with which q goes to the next.
        qd: velocities at the start of each step.
        change: of velocities through it, for each second.
        torque: joint forces through it.
        gains: rows by joint forces, columns by displacements and velocities.
        most: limits of joint forces.
    """

    step: float
    q: Columns
    rate: Columns
    qd: Columns
    change: Columns
    torque: Columns
    gains: tuple[Columns, ...]
    most: tuple[float, ...]

    @staticmethod
    def along(
        step: float, states: tuple[Array, Array, Array], torque: Array, gains: Array, most: Array
    ) -> FeedbackTable:  # fmt: skip
        """That of a motion: q and qd at all times, and the rate between them."""
        q, qd, rate = states
        change = np.diff(qd, axis=0) / step
        rows = tuple(_columns(gains[:, k]) for k in range(gains.shape[1]))
        return FeedbackTable(
            step, _columns(q[:-1]), _columns(rate), _columns(qd[:-1]), _columns(change),
            _columns(torque), rows, tuple(most.tolist()),
        )  # fmt: skip


@dataclass(frozen=True)
class FeedbackTracking(Controller):
    """Joint forces of the steps of a motion, and gains times how far the state is off.

    Attributes:
        plan: the motion, its joint forces, and the gains.
    """

    plan: FeedbackTable

    def forces(self, here: Here) -> list[Scalar]:
        """Joint forces."""
        tree, plan = here.tree, self.plan
        last = len(plan.torque[0]) - 1.0
        k = minimum(maximum(floor(here.t * (1.0 / plan.step) + EARLY), 0.0), last)
        s = minimum(here.t - k * plan.step, plan.step)
        q, rate, qd, change, torque = (
            [lookup(column, k) for column in each]
            for each in (plan.q, plan.rate, plan.qd, plan.change, plan.torque)
        )
        there = integrate(tree, tree.positions(q), tree.rates([s * x for x in rate]))
        off = tree.vector(difference(tree, there, here.q))
        now = tree.vector(BodyList(here.qd))
        off += [x - (y + s * a) for x, y, a in zip(now, qd, change, strict=True)]
        found = []
        for planned, row, most in zip(torque, plan.gains, plan.most, strict=True):
            pairs = [(g, x) for g, x in zip(row, off, strict=True) if any(g)]
            back = dot([lookup(g, k) for g, _ in pairs], [x for _, x in pairs])
            found.append(minimum(maximum(planned + back, -most), most))
        return found


def _columns(x: Array) -> Columns:
    return tuple(map(tuple, x.T.tolist()))
