"""A scene: a figure and what acts on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError, nearest
from .elements import JointLimit, JointSpring, JointTorque

if TYPE_CHECKING:
    from .._api import Model


@dataclass(frozen=True)
class Prescribed:
    """A joint that moves as told.

    Exactly one of the three is given, a traced function of time that returns one number or one per
    velocity coordinate.

    Attributes:
        joint: its name.
        position: coordinates [rad or m].
        velocity: their rates; the joint starts where the initial state has it.
        acceleration: the rates of those.
        gain: with `position`, how fast a joint that is off comes back [1/s]: it moves at the rate
            of the position plus gain times how far it is off. When left out, each step ends where
            it should.
    """

    joint: str
    position: Callable[..., Any] | None = None
    velocity: Callable[..., Any] | None = None
    acceleration: Callable[..., Any] | None = None
    gain: float | None = None

    def __post_init__(self) -> None:
        given = [f for f in (self.position, self.velocity, self.acceleration) if f is not None]
        if len(given) != 1 or not callable(given[0]):
            raise ModelError(
                f"the motion of joint {self.joint!r} is prescribed by {len(given)} functions. Give "
                "one of `position`, `velocity` and `acceleration`, a function of time."
            )


@dataclass(frozen=True)
class Scene:
    """A figure and what acts on it. Scenes do not change.

    Attributes:
        model: the figure. Its gravity and the damping of its joints are part of the scene.
        forces: elements of `ar.forces`.
        controller: `controller(tree, t, q, qd)` returns joint forces, nv numbers or what a page of
            forces returns. It is traced, so that rollouts stay native; `ar.controllers` has some.
        prescribed: joints that move as told.
    """

    model: Model
    forces: Sequence[Any] = ()
    controller: Callable[..., Any] | None = None
    prescribed: Sequence[Prescribed] = ()
    joint_forces: Mapping[int, Sequence[Any]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not hasattr(self.model, "tree"):
            raise ModelError(
                f"the model of a scene is a {type(self.model).__name__}. Give an `ar.Model`."
            )
        for name in ("forces", "prescribed"):
            given = getattr(self, name)
            alone = not isinstance(given, Iterable) or isinstance(given, str)
            object.__setattr__(self, name, (given,) if alone else tuple(given))
        by_joint: dict[int, list[Any]] = {}
        for element in self.forces:
            if isinstance(element, JointSpring | JointLimit | JointTorque):
                by_joint.setdefault(self._joint(element), []).append(element)
            elif hasattr(element, "wrenches"):
                for link in element.links:
                    if link is not None:
                        self._link(element, link)
            elif isinstance(element, Prescribed):
                raise ModelError(
                    f"joint {element.joint!r} moves as told: it goes in `prescribed=`, not among "
                    "the forces."
                )
            else:
                raise ModelError(
                    f"a force of the scene is {element!r}. Give elements of `ar.forces`, such as "
                    '`ar.forces.BodyDamping("hand", 0.1)`.'
                )
        for motion in self.prescribed:
            self._joint(motion)
        object.__setattr__(self, "joint_forces", by_joint)

    def _joint(self, element: Any) -> int:
        names = self.model.joint_names
        if element.joint not in names:
            raise ModelError(
                f"{type(element).__name__} acts on joint {element.joint!r}, which "
                f"`{self.model.name}` does not have.{nearest(str(element.joint), names)} "
                "`model.joint_names` lists all."
            )
        return self.model._joint(element.joint)

    def _link(self, element: Any, link: str) -> None:
        names = self.model.frame_names
        if link not in names:
            raise ModelError(
                f"{type(element).__name__} acts on link {link!r}, which `{self.model.name}` does "
                f"not have.{nearest(str(link), names)} `model.frame_names` lists all; None is the "
                "world."
            )

    def start(self, q: Any = None, qd: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Initial states as arrays: the neutral pose at rest where left out."""
        q = self.model.neutral() if q is None else np.asarray(q, float)
        qd = np.zeros(self.model.nv) if qd is None else np.asarray(qd, float)
        return q, qd
