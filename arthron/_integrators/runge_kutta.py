"""Adaptive Runge-Kutta: the method of order eight of Dormand and Prince, each row at its own pace.

Error control chooses *inner steps*, several in a step of the simulation, or one for several, which
are then read off its curve.
"""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from .._graph.iterate import iterate
from .._scene.element import Variable
from .._scene.system import State, System
from .._spatial.scalar import Scalar, where
from .._spatial.sums import select
from ..errors import SimulationError
from .inner_steps import Inner, Pace, depends_on_time, flat, like, tidied
from .integrator import Integrator


@dataclass(frozen=True)
class RungeKutta(Integrator):
    """The method of order eight of Dormand and Prince, with steps of its own (HNW93 II.5, DOP853).

    The error of each inner step is at most `tolerance`, relative to the state and absolute where
    that is below one (or below the `scale` of a state of an element).

    Inner steps are equal parts of a step of the simulation, or 2, 4, 8, ... steps long, and begin
    at multiples of that, so that rows of a batch make theirs together; states in between are read
    off a curve of order seven. In a scene that depends on time, or with joint forces from outside,
    none is longer than a step: nothing that lasts as long is stepped over, and what changes
    suddenly from one step to the next does so between inner steps.
    """

    tolerance: float = 1e-9
    loops: ClassVar[bool] = True
    adaptive: ClassVar[bool] = True
    projects: ClassVar[bool] = True
    stuck_message: ClassVar[str] = (
        "No step is short enough for the tolerance; the largest error is at joint {joint!r}. Is "
        "something there stiff, or not smooth?"
    )

    def __post_init__(self) -> None:
        given = self.tolerance
        if not isinstance(given, numbers.Real) or not 0.0 < given < 1.0:
            raise SimulationError(f"`tolerance` is {given!r}. Give a small number: 1e-9, say.")

    def memory(self, start: Mapping[str, Sequence[float]]) -> Mapping[str, Variable]:
        """The inner step that is being read off, and its curve, which is made again of it."""
        n = sum(map(len, start.values()))
        none = (0.0,) * n
        return {
            "inner.start": Variable(none), "inner.time": Variable(), "inner.length": Variable(),
            "inner.end": Variable(none, saved=False), "inner.next": Variable(saved=False),
            "inner.curve": Variable((0.0,) * 7 * n, saved=False),
        }  # fmt: skip

    def step(self, system: System, state: State, h: Scalar) -> State:
        """The state a time h later."""
        pace = Pace(self.tolerance, system, state, h, depends_on_time(system, state))
        known = state.memory
        (t,), (length,), (following,) = (known[f"inner.{x}"] for x in ("time", "length", "next"))
        begun = where(length > 0.0, 1.0, 0.0)
        inner = Inner(
            where(begun, t, state.t),
            select(begun, known["inner.start"], flat(system, state)),
            where(begun, length, h),
            list(known["inner.end"]),
            following,
        )
        ready = where(following > 0.0, pace.covers(inner), 0.0)
        start = inner, list(known["inner.curve"]), 0.0
        (inner, curve, stuck), _, _ = iterate(
            lambda values: (pace.gone_on(values[0]), 1.0), start, 1, 1.0 - ready, name="inner steps"
        )
        read = where(inner.following > 0.0, 1.0, 0.0)
        y = select(read, pace.on_curve(inner, curve), inner.y)
        after = tidied(system, like(system, state, y, pace.end))
        rows, now = system.acceleration_rows(after), system.loads(after)
        found = system.solve(after, now.f_ext, now.tau, rows)[1:] if rows else ([], [])
        forces, multipliers = found
        memory = {
            "inner.start": inner.y, "inner.time": [inner.t], "inner.length": [inner.length],
            "inner.end": inner.end, "inner.next": [inner.following], "inner.curve": curve,
        }  # fmt: skip
        return replace(after, memory=memory, forces=forces, multipliers=multipliers,
                       stuck=stuck)  # fmt: skip
