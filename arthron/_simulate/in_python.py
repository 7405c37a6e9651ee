"""Integrators whose steps are made in Python, one at a time: to be read and compared with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from .._integrators.integrator import Integrator
from .._scene.setup import Setup
from .._scene.system import State, System
from .._spatial.scalar import Scalar
from ..errors import SimulationError


@dataclass(frozen=True)
class InPython(Integrator):
    """An integrator without a page: `steps` goes on in time.

    Attributes:
        joint_friction: whether it takes friction inside joints.
    """

    contact: ClassVar[bool] = True
    solves: ClassVar[bool] = True
    projects: ClassVar[bool] = True
    joint_friction: ClassVar[bool] = False

    def step(self, system: System, state: State, h: Scalar) -> State:
        """There is none: it cannot be traced."""
        raise SimulationError(
            f"{type(self).__name__} is stepped in Python and has no page of a step. Use "
            "`ar.simulate`, or an integrator such as `leapfrog`."
        )

    def steps(self, setup: Setup, *, tau: bool) -> Any:
        """What advances a run of a scene, as `NativeSteps` does."""
        raise NotImplementedError
