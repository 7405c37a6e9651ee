"""Targets that move: coordinates as a function of time, with their velocity and acceleration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._graph.autodiff import jvp
from .._spatial.scalar import Scalar


def target_kinematics(
    integrate: Callable, difference: Callable, target: Callable[..., Any], q, t: Scalar
) -> tuple[tuple, tuple, tuple]:
    """Coordinates that are a function of time, with the velocity and acceleration of that.

    They are in the chart that q is in, and as many turns round as q. `target` is given the time and
    q.
    """

    def placed(now: Scalar, near: Sequence[Scalar]) -> Sequence[Scalar]:
        return integrate(near, difference(near, target(now, near)))

    def displacement(x: Sequence[Scalar]) -> Sequence[Scalar]:
        now, then, *near = x
        return difference(placed(then, near), placed(now, near))

    state, by_time = [t, t, *q], [1.0, *[0.0] * (1 + len(q))]
    velocity, acceleration = jvp(lambda x: jvp(displacement, x, by_time)[1], state, by_time)
    return tuple(placed(t, q)), tuple(velocity), tuple(acceleration)
